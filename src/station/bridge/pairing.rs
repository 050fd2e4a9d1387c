//! The bridge token: made here, shown once, kept as its SHA-256 (ruling MPP 15).

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::private_files;

/// The file of the token's hash within a data folder.
const FILE: &str = "bridge-token.sha256";

/// A bridge token: 32 random bytes in base64url. `Debug` does not show it.
pub struct Token(String);

impl Token {
    /// The text to be handed to an adapter.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its SHA-256 in lowercase hex.
    #[must_use]
    pub fn sha256(&self) -> String {
        format!("{:x}", Sha256::digest(self.0.as_bytes()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Why no token was made.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// There is one already.
    #[error("this data folder is already paired")]
    AlreadyPaired,
    /// A file could not be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The system gives no random bytes.
    #[error("cannot get random bytes from the system: {0}")]
    Random(String),
    /// The file holds something else.
    #[error("{}: not a SHA-256 token hash; `rl-console pair --rotate` creates a new token", .0.display())]
    Damaged(PathBuf),
}

/// Makes a token and keeps its hash. With `rotate` an earlier one is replaced, without it refused.
///
/// A station that runs takes it once it is told (`Command::Pair`).
///
/// # Errors
/// [`PairError`].
pub fn pair(data: &Path, rotate: bool) -> Result<Token, PairError> {
    let path = data.join(FILE);
    let file_error = |error| PairError::File { path: path.clone(), error };
    private_files::make_folder(data).map_err(|error| PairError::File { path: data.to_owned(), error })?;
    if !rotate && path.try_exists().map_err(file_error)? {
        return Err(PairError::AlreadyPaired);
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| PairError::Random(error.to_string()))?;
    let token = Token(URL_SAFE_NO_PAD.encode(bytes));
    private_files::replace(&path, format!("{}\n", token.sha256()).as_bytes()).map_err(file_error)?;
    Ok(token)
}

/// The hash of the token in force, in lowercase hex.
///
/// # Errors
/// [`PairError::File`] and [`PairError::Damaged`].
pub fn token_sha256(data: &Path) -> Result<Option<String>, PairError> {
    let path = data.join(FILE);
    match private_files::open_secret(&path).and_then(private_files::read_small_text) {
        Ok(text) => {
            let hex = text.trim();
            let is_hash =
                hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            if is_hash { Ok(Some(hex.to_owned())) } else { Err(PairError::Damaged(path)) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PairError::File { path, error }),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_token_is_shown_once_and_kept_as_its_hash() {
        let data = tempfile::tempdir().unwrap();
        let token = pair(data.path(), false).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(token.reveal()).unwrap().len(), 32);
        assert_eq!(token_sha256(data.path()).unwrap(), Some(token.sha256()));
        let kept = fs::read_to_string(data.path().join(FILE)).unwrap();
        assert!(!kept.contains(token.reveal()));
        assert_eq!(fs::metadata(data.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!format!("{token:?}").contains(token.reveal()));
    }

    #[test]
    fn a_second_pairing_needs_to_say_rotate() {
        let data = tempfile::tempdir().unwrap();
        let first = pair(data.path(), false).unwrap();
        assert!(matches!(pair(data.path(), false), Err(PairError::AlreadyPaired)));
        let second = pair(data.path(), true).unwrap();
        assert_ne!(first.reveal(), second.reveal());
        assert_eq!(token_sha256(data.path()).unwrap(), Some(second.sha256()));
    }

    #[test]
    fn a_damaged_hash_is_said_so() {
        let data = tempfile::tempdir().unwrap();
        private_files::replace(&data.path().join(FILE), b"nonsense").unwrap();
        assert!(matches!(token_sha256(data.path()), Err(PairError::Damaged(_))));
    }
}
