"""client.py KIND [--at-once] URL…"""

import asyncio
import concurrent.futures
import sys


def urllib(url):
    import urllib.request

    with urllib.request.urlopen(url) as response:
        return response.status, response.read().decode()


def requests(url):
    import requests

    response = requests.get(url)
    return response.status_code, response.text


def httpx(url):
    import httpx

    response = httpx.get(url)
    return response.status_code, response.text


def aiohttp(url):
    import aiohttp

    async def get():
        async with aiohttp.ClientSession() as session, session.get(url) as response:
            return response.status, await response.text()

    return asyncio.run(get())


kind, *urls = sys.argv[1:]
ask = globals()[kind]
if urls[0] == "--at-once":
    with concurrent.futures.ThreadPoolExecutor(len(urls)) as threads:
        answers = list(threads.map(ask, urls[1:]))
else:
    answers = map(ask, urls)
for status, body in answers:
    print(status, body)
