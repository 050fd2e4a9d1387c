//! What is kept with a recording beside its entries.

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
}

impl Attachment {
    /// One that is text.
    #[must_use]
    pub fn text(name: &str, media_type: &str, text: String) -> Self {
        Self { name: name.to_owned(), media_type: media_type.to_owned(), bytes: text.into_bytes() }
    }
}
