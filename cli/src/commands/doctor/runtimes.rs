//! Runtimes, and the program that each is tried with.

/// A runtime or HTTP client.
#[derive(Debug)]
pub(super) struct Runtime {
    /// As the report names it.
    pub(super) name: &'static str,
    /// What is looked for on `PATH`.
    pub(super) program: &'static str,
    /// Arguments that print a version.
    pub(super) version: &'static [&'static str],
    /// Arguments of the trial; `URL` and `FILE` are replaced.
    pub(super) arguments: &'static [&'static str],
    /// Contents of `FILE`, with its name.
    pub(super) file: Option<(&'static str, &'static str)>,
    /// Whether success alone is the answer.
    pub(super) silent: bool,
}

impl Runtime {
    const fn new(name: &'static str, program: &'static str, arguments: &'static [&'static str]) -> Self {
        Self { name, program, version: &["--version"], arguments, file: None, silent: false }
    }
}

/// A trial ends with this code if the library that it is about is not installed.
pub(super) const NOT_INSTALLED: i32 = 77;

const NODE_FETCH: &str = "fetch('URL').then(r => r.text()).then(t => process.stdout.write(t)).catch(e => { console.error(e.cause ?? e); process.exit(1) })";
const NODE_HTTPS: &str = "require('https').get('URL', r => r.pipe(process.stdout)).on('error', e => { console.error(e.message); process.exit(1) })";
const URLLIB: &str = "import urllib.request as u; print(u.urlopen('URL').read().decode())";
const REQUESTS: &str =
    "import sys\ntry: import requests\nexcept ImportError: sys.exit(77)\nprint(requests.get('URL').text)";
const HTTPX: &str =
    "import sys\ntry: import httpx\nexcept ImportError: sys.exit(77)\nprint(httpx.get('URL').text)";
const AIOHTTP: &str = "import sys\ntry: import aiohttp, asyncio\nexcept ImportError: sys.exit(77)\nasync def main():\n  async with aiohttp.ClientSession() as s:\n    async with s.get('URL') as r: print(await r.text())\nasyncio.run(main())";
const RUBY: &str = "require 'net/http'; puts Net::HTTP.get(URI('URL'))";
const PHP_STREAM: &str = "if (!extension_loaded('openssl')) exit(77); $t = file_get_contents('URL'); if ($t === false) exit(1); echo $t;";
const PHP_CURL: &str = "if (!extension_loaded('curl')) exit(77); $c = curl_init('URL'); if (!curl_exec($c)) { fwrite(STDERR, curl_error($c)); exit(1); }";
const PERL: &str = "eval { require LWP::UserAgent; require LWP::Protocol::https; 1 } or exit 77; my $r = LWP::UserAgent->new->get('URL'); die $r->status_line unless $r->is_success; print $r->decoded_content";
const GO: &str = r#"package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get("URL")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	io.Copy(os.Stdout, answer.Body)
}
"#;
const JAVA: &str = r#"import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

public class Doctor {
    public static void main(String[] arguments) throws Exception {
        if (ModuleLayer.boot().findModule("java.net.http").isEmpty()) System.exit(77);
        var request = HttpRequest.newBuilder(URI.create("URL")).build();
        System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
"#;

/// In the order of the report.
pub(super) const RUNTIMES: &[Runtime] = &[
    Runtime::new("curl", "curl", &["-sS", "URL"]),
    Runtime::new("wget", "wget", &["-nv", "-t1", "-O-", "URL"]),
    Runtime { silent: true, ..Runtime::new("git", "git", &["ls-remote", "URLrepository"]) },
    Runtime::new("node fetch", "node", &["-e", NODE_FETCH]),
    Runtime::new("node https", "node", &["-e", NODE_HTTPS]),
    Runtime::new("deno", "deno", &["eval", "console.log(await (await fetch('URL')).text())"]),
    Runtime::new("bun", "bun", &["-e", "console.log(await (await fetch('URL')).text())"]),
    Runtime::new("python urllib", "python3", &["-c", URLLIB]),
    Runtime::new("python requests", "python3", &["-c", REQUESTS]),
    Runtime::new("python httpx", "python3", &["-c", HTTPX]),
    Runtime::new("python aiohttp", "python3", &["-c", AIOHTTP]),
    Runtime {
        version: &["version"],
        file: Some(("doctor.go", GO)),
        ..Runtime::new("go", "go", &["run", "FILE"])
    },
    Runtime {
        version: &["-version"],
        file: Some(("Doctor.java", JAVA)),
        ..Runtime::new("java", "java", &["FILE"])
    },
    Runtime::new("ruby", "ruby", &["-e", RUBY]),
    Runtime::new("php streams", "php", &["-r", PHP_STREAM]),
    Runtime::new("php curl", "php", &["-r", PHP_CURL]),
    Runtime::new("perl LWP", "perl", &["-e", PERL]),
];
