//! What is kept with a recording beside its entries.

use std::path::Path;

use mcap::records::{Record, op};

use super::records::{RECORD_BYTES_MAX, Records, parsed};

/// Attachments of a file that are read.
const ATTACHMENTS_MAX: usize = 64;

/// A file within a recording: the configuration in force, the pack, a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, as a file's.
    pub name: String,
    /// What it is, such as `application/json`.
    pub media_type: String,
    /// Its content, without secrets. One that is longer than what is left of an eighth of the file's limit is
    /// left out.
    pub bytes: Vec<u8>,
    /// The length of the content, where that is left out.
    pub left_out: Option<u64>,
}

impl Attachment {
    /// One that is text.
    #[must_use]
    pub fn text(name: &str, media_type: &str, text: String) -> Self {
        Self::file(name, media_type, text.into_bytes())
    }

    /// One that is a file's content.
    #[must_use]
    pub fn file(name: &str, media_type: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), media_type: media_type.to_owned(), bytes, left_out: None }
    }

    /// It without its content, where that is longer than so many bytes.
    #[must_use]
    pub fn within(self, bytes_max: usize) -> Self {
        let len = self.bytes.len();
        if len <= bytes_max { self } else { Self { bytes: Vec::new(), left_out: Some(len as u64), ..self } }
    }
}

/// The name of the attachment that is the manifest of the pack.
pub const PACK_FILE: &str = "pack.toml";

/// The attachment of this name, where a file has it and it can be read.
#[must_use]
pub fn attachment(path: &Path, name: &str) -> Option<Attachment> {
    attachments_of(path, RECORD_BYTES_MAX).into_iter().find(|it| it.name == name)
}

/// Those of a file that can be read, at most 64 of so many bytes in all.
pub(super) fn attachments_of(path: &Path, bytes_max: u64) -> Vec<Attachment> {
    let (mut all, mut room) = (Vec::new(), bytes_max.min(RECORD_BYTES_MAX));
    let Ok(mut records) = Records::open(path) else { return all };
    while let Ok(Some(head)) = records.next() {
        if head.op != op::ATTACHMENT || head.len > room || all.len() >= ATTACHMENTS_MAX {
            continue;
        }
        let Ok(body) = records.body(head, room) else { break };
        if let Ok(Record::Attachment { header, data, .. }) = parsed(head.op, &body) {
            room -= head.len;
            all.push(Attachment {
                name: header.name,
                media_type: header.media_type,
                bytes: data.into_owned(),
                left_out: None,
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_shorter_than_it_says_is_left_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // Two times, no name, no type, no length of its content, and no checksum.
        let body = [0; 32];
        let record = [&[op::ATTACHMENT][..], &(body.len() as u64).to_le_bytes(), &body].concat();
        std::fs::write(file.path(), [mcap::MAGIC, &record].concat()).unwrap();
        assert_eq!(attachments_of(file.path(), 1_000), []);
    }
}
