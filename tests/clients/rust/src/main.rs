//! `rust-client native|webpki URL…`: reqwest with the system's roots, or with roots compiled in.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let compiled_in = arguments.next().as_deref() == Some("webpki");
    let client = reqwest::blocking::Client::builder()
        .tls_built_in_native_certs(!compiled_in)
        .tls_built_in_webpki_certs(compiled_in)
        .build()?;
    for url in arguments {
        let response = client.get(url).send()?;
        let status = response.status().as_u16();
        println!("{status} {}", response.text()?);
    }
    Ok(())
}
