//! What is volatile in every recording: signatures, and their time. The fields that AWS clients send beside a signature
//! (`x-amz-date`, `x-amz-security-token`, `amz-sdk-invocation-id`) and `traceparent` take part only where they are named for it.

use super::parts::Parts;

/// Query fields of a signed URL (AWS Signature Version 4) that are new each time.
const SIGNED: [&str; 3] = ["x-amz-date", "x-amz-signature", "x-amz-security-token"];

/// Takes out of a request's parts what no two runs have in common.
pub(super) fn take_out(parts: &mut Parts) {
    for (name, value) in &mut parts.headers {
        if name == "authorization" && value.starts_with("AWS4-") {
            *value = authorization(value);
        }
    }
    let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
    let signed = |(name, value): &(String, String)| is(name, "x-amz-algorithm") && value.starts_with("AWS4-");
    if !parts.query.iter().any(signed) {
        return;
    }
    parts.query.retain(|(name, _)| !SIGNED.iter().any(|volatile| is(name, volatile)));
    for (name, value) in &mut parts.query {
        if is(name, "x-amz-credential") {
            *value = scope(value);
        }
    }
}

/// `key/date/region/service/aws4_request` without the date.
fn scope(credential: &str) -> String {
    match credential.split('/').collect::<Vec<_>>().as_slice() {
        [key, _, region, service, last] => [*key, region, service, last].join("/"),
        _ => credential.to_owned(),
    }
}

/// Who signed and for what; neither when nor the signature.
fn authorization(value: &str) -> String {
    let (algorithm, fields) = value.split_once(' ').unwrap_or((value, ""));
    let credential = fields.split(',').find_map(|field| field.trim().strip_prefix("Credential="));
    credential.map_or_else(|| algorithm.to_owned(), |credential| format!("{algorithm} {}", scope(credential)))
}

#[cfg(test)]
mod tests {
    use super::{authorization, scope};

    #[test]
    fn m15_a_signature_counts_by_its_key_region_and_service() {
        assert_eq!(scope("AK/20260101/eu-west-1/s3/aws4_request"), "AK/eu-west-1/s3/aws4_request");
        assert_eq!(
            authorization(
                "AWS4-HMAC-SHA256 Credential=AK/20260101/eu-west-1/s3/aws4_request, SignedHeaders=host, Signature=00"
            ),
            "AWS4-HMAC-SHA256 AK/eu-west-1/s3/aws4_request"
        );
        assert_eq!(authorization("AWS4-HMAC-SHA256 {{token:1}}"), "AWS4-HMAC-SHA256");
    }
}
