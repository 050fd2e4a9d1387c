//! The tokens by which a session on the bus is more than an agent (ruling RMP 6): made at the first start,
//! kept in the data folder for its owner's eyes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::rmp::broker::Tokens;

/// Bytes that are read of a token's file.
const BYTES_MAX: u64 = 4_096;

/// What a token makes of the session that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An operator: `ui` or `tui`.
    Operator,
    /// One who looks and does nothing.
    Viewer,
    /// One who enqueues invocations and submits runs.
    Cue,
}

impl TokenKind {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Operator, Self::Viewer, Self::Cue];

    /// The name of its file within a data folder.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Operator => "operator.token",
            Self::Viewer => "viewer.token",
            Self::Cue => "cue.token",
        }
    }
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// A file could not be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is empty.
    #[error("{} holds no token: delete it, and the station makes one when it starts", .0.display())]
    Empty(PathBuf),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

/// The token in a data folder.
///
/// # Errors
/// [`TokenError::File`], where there is none yet too, and [`TokenError::Empty`].
pub fn token(data: &Path, kind: TokenKind) -> Result<String, TokenError> {
    let path = data.join(kind.file());
    let mut text = String::new();
    let read = fs::File::open(&path).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| TokenError::File { path: path.clone(), error })?;
    let token = text.trim();
    if token.is_empty() { Err(TokenError::Empty(path)) } else { Ok(token.to_owned()) }
}

/// The hashes of a data folder's tokens; those that are missing are made.
pub(super) fn tokens(data: &Path) -> Result<Tokens, TokenError> {
    let hash = |kind| token_or_new(data, kind).map(|token| Some(Tokens::hash(&token)));
    Ok(Tokens {
        operator: hash(TokenKind::Operator)?,
        viewer: hash(TokenKind::Viewer)?,
        cue: hash(TokenKind::Cue)?,
    })
}

fn token_or_new(data: &Path, kind: TokenKind) -> Result<String, TokenError> {
    let path = data.join(kind.file());
    let failed = |error| TokenError::File { path: path.clone(), error };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(data).map_err(failed)?;
    match token(data, kind) {
        Err(TokenError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
    let fresh = URL_SAFE_NO_PAD.encode(bytes);
    // Whole or not at all: a reader never finds half a token.
    let beside = path.with_extension("token.new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)
        .map_err(failed)?;
    file.write_all(format!("{fresh}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&beside, &path).map_err(failed)?;
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::tap::entry::rmp::Kind;

    #[test]
    fn tokens_are_made_once_for_their_owners_eyes() {
        let data = tempfile::tempdir().unwrap();
        let first = tokens(data.path()).unwrap();
        for (kind, name) in
            [(TokenKind::Operator, Kind::Tui), (TokenKind::Viewer, Kind::Viewer), (TokenKind::Cue, Kind::Cue)]
        {
            let mode = fs::metadata(data.path().join(kind.file())).unwrap().permissions().mode() & 0o777;
            let shown = token(data.path(), kind).unwrap();
            assert_eq!((mode, first.kind("tui", Some(&shown))), (0o600, Some(name)));
        }
        let again = tokens(data.path()).unwrap();
        assert_eq!((first.operator, first.viewer, first.cue), (again.operator, again.viewer, again.cue));
    }

    #[test]
    fn an_empty_file_is_no_token() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join("cue.token"), " \n").unwrap();
        assert!(matches!(tokens(data.path()), Err(TokenError::Empty(_))));
    }
}
