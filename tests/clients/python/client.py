"""client.py KIND URL…"""

import asyncio
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
for url in urls:
    status, body = globals()[kind](url)
    print(status, body)
