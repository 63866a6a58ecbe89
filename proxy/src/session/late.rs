//! Secrets that were known only after a part of an exchange was redacted: the whole is looked at again.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use mcpeak_core::redact::{Names, Scanner};
use sha2::{Digest, Sha256};

use super::assemble::each_chunk;
use super::journal::{Blob, Data, Entry, EntryAnswer, Field};
use super::pieces;
use crate::redact::Redaction;

/// URL and fields by value and shape.
pub(crate) fn redact_head(entry: &mut Entry, redaction: &Redaction) {
    // The origin stays: a server is often told its API's address by a variable, and no recording is found without it.
    let origin = entry.url.find("://").map_or(0, |at| at + 3);
    let origin = entry.url[origin..].find(['/', '?']).map_or(entry.url.len(), |at| origin + at);
    let target = redaction.text(&entry.url[origin..]);
    entry.url.truncate(origin);
    entry.url.push_str(&target);
    let fields = |fields: &mut Vec<Field>| {
        // A name cannot hold a pseudonym.
        fields.retain(|field| redaction.bytes(field.0.as_bytes()).is_none());
        for field in fields.iter_mut().filter(|field| !field.2) {
            field.1 = redaction.text(&field.1);
        }
    };
    fields(&mut entry.headers);
    if let EntryAnswer::Response(response) = &mut entry.answer {
        if let Some(reason) = &mut response.reason {
            *reason = redaction.text(reason);
        }
        fields(&mut response.headers);
        fields(&mut response.trailers);
    }
}

/// Bodies by value and shape.
pub(crate) fn redact_bodies(entry: &mut Entry, redaction: &Redaction, folder: &Path) -> io::Result<()> {
    let answer =
        if let EntryAnswer::Response(response) = &mut entry.answer { response.body.as_mut() } else { None };
    entry.body.iter_mut().chain(answer).try_for_each(|blob| redact_blob(blob, redaction, folder))
}

fn redact_blob(blob: &mut Blob, redaction: &Redaction, folder: &Path) -> io::Result<()> {
    if blob.pieces.is_empty() {
        redact_content(blob, redaction, folder)
    } else {
        redact_pieces(blob, redaction, folder)
    }
}

fn redact_content(blob: &mut Blob, redaction: &Redaction, folder: &Path) -> io::Result<()> {
    let redacted = match &blob.content {
        Data::File { path, .. } => redact_file(&folder.join(path), redaction)?
            .map(|(length, sha256)| Data::File { path: path.clone(), length, sha256 }),
        data => redaction.bytes(&data.load(folder)?).map(|redacted| Data::inline(&redacted)),
    };
    if let Some(content) = redacted {
        blob.content = content;
        (blob.redacted, blob.wire) = (true, None);
    }
    Ok(())
}

/// The same for content that is kept in pieces, whose places have to be found again.
fn redact_pieces(blob: &mut Blob, redaction: &Redaction, folder: &Path) -> io::Result<()> {
    let old = blob.content.load(folder)?;
    redact_content(blob, redaction, folder)?;
    let new = blob.content.load(folder)?;
    let marks = pieces::moved(&old, &new, &blob.marks());
    blob.set_marks(&marks);
    Ok(())
}

/// Rewrites a file if a secret is in it: its new length and hash.
fn redact_file(path: &Path, redaction: &Redaction) -> io::Result<Option<(u64, String)>> {
    let scanner = || Scanner::new(redaction.redactor.clone(), Arc::clone(&redaction.tokens), Names::None);
    let mut looking = scanner();
    let mut out = Vec::new();
    each_chunk(path, &mut |chunk| {
        looking.push(chunk, &mut out);
        out.clear();
        Ok(())
    })?;
    if !looking.finish(&mut out) {
        return Ok(None);
    }
    let new = path.with_extension("late.part");
    let mut file = io::BufWriter::new(File::create(&new)?);
    let (mut hasher, mut length) = (Sha256::new(), 0);
    let mut write = |bytes: &mut Vec<u8>| {
        hasher.update(&*bytes);
        length += bytes.len() as u64;
        file.write_all(bytes)?;
        bytes.clear();
        Ok::<_, io::Error>(())
    };
    let mut writing = scanner();
    out.clear();
    each_chunk(path, &mut |chunk| {
        writing.push(chunk, &mut out);
        write(&mut out)
    })?;
    writing.finish(&mut out);
    write(&mut out)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
    std::fs::rename(new, path)?;
    Ok(Some((length, hex::encode(hasher.finalize()))))
}
