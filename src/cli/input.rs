//! Values of the command line that come from a file or from stdin: no more of them is read than may be.

use std::{
    fs::File,
    io::{self, Read},
};

use super::{args::file_of, error::Error};

/// The bytes that a value stands for: those of the file behind an @, of stdin where it is -, else its own.
/// `bound` says what bounds them.
///
/// # Errors
/// The file cannot be read, or has more than `bytes_max`.
pub(super) fn bytes_of(said: &str, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    match (said, file_of(said)) {
        ("-", _) => stdin(bytes_max, bound),
        (_, Some(path)) => file(&path.display().to_string(), bytes_max, bound),
        (said, None) => Ok(said.as_bytes().to_vec()),
    }
}

/// The bytes of stdin.
///
/// # Errors
/// As [`bytes_of`].
pub(super) fn stdin(bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    limited("stdin", io::stdin().lock(), bytes_max, bound)
}

/// The bytes of a file.
///
/// # Errors
/// As [`bytes_of`].
pub(super) fn file(path: &str, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    limited(path, File::open(path).map_err(Error::io(path))?, bytes_max, bound)
}

fn limited(what: &str, stream: impl Read, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    stream.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(Error::io(what))?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("larger than {bytes_max} bytes");
        return Err(Error::Input { what: what.to_owned(), message, hint: bound.to_owned() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_its_own_or_that_of_a_file_and_no_longer_than_its_bound() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "12345").unwrap();
        let named = format!("@{}", file.path().display());
        assert_eq!(bytes_of("said", 1, "").unwrap(), b"said", "the command line has bounds of its own");
        assert_eq!(bytes_of(&named, 5, "").unwrap(), b"12345");
        let error = bytes_of(&named, 4, "`limits.x.y` bounds it").unwrap_err();
        assert_eq!((error.code(), error.hint()), ("bad_input", "`limits.x.y` bounds it".to_owned()));
        assert_eq!(bytes_of("@/nonexistent/x", 4, "").unwrap_err().code(), "file");
    }
}
