//! Values of the command line that may come from a file.

use std::{
    fs::File,
    io::{self, Read},
};

use crate::cli::{args::file_of, error::Error};

/// The bytes that a value stands for: those of the file behind an @, of stdin where it is -, else its own.
///
/// # Errors
/// The file cannot be read, or has more than `bytes_max`.
pub(crate) fn bytes_of(said: &str, bytes_max: u64) -> Result<Vec<u8>, Error> {
    match (said, file_of(said)) {
        ("-", _) => limited("stdin", io::stdin().lock(), bytes_max),
        (_, Some(path)) => {
            let what = path.display().to_string();
            limited(&what, File::open(&path).map_err(Error::io(what.clone()))?, bytes_max)
        }
        (said, None) => Ok(said.as_bytes().to_vec()),
    }
}

fn limited(what: &str, stream: impl Read, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    stream.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(Error::io(what))?;
    if bytes.len() as u64 > bytes_max {
        let hint = "`limits.macp.payload_bytes_max` bounds what one message carries".to_owned();
        return Err(Error::Input { what: what.to_owned(), message: format!("it has over {bytes_max} bytes"), hint });
    }
    Ok(bytes)
}
