//! The tokens by which a session on the bus is more than an agent (ruling RMP 6): made at the first start,
//! kept in the data folder for its owner's eyes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

use crate::{private_files, rmp::broker::Tokens, tap::Tap};

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
    /// The file holds something else.
    #[error("{} contains no token: delete it, and the station creates one on the next start", .0.display())]
    Damaged(PathBuf),
    /// The system gives no random bytes.
    #[error("cannot get random bytes from the system: {0}")]
    Random(String),
}

/// The token in a data folder, which is this user's alone as its file is.
///
/// # Errors
/// [`TokenError::File`], where there is none yet too, and [`TokenError::Damaged`].
pub fn token(data: &Path, kind: TokenKind) -> Result<String, TokenError> {
    private_files::check_folder(data).map_err(|error| TokenError::File { path: data.to_owned(), error })?;
    read(&data.join(kind.file()), private_files::open_secret)
}

/// The token in a file that the user named.
///
/// # Errors
/// Those of [`token`].
pub fn named_token(path: &Path) -> Result<String, TokenError> {
    read(path, private_files::open_named_secret)
}

fn read(path: &Path, open: fn(&Path) -> io::Result<fs::File>) -> Result<String, TokenError> {
    let read = open(path).and_then(private_files::read_small);
    let bytes = read.map_err(|error| TokenError::File { path: path.to_owned(), error })?;
    token_of(&bytes).ok_or_else(|| TokenError::Damaged(path.to_owned()))
}

/// The token that a file holds: 32 bytes in base64url, as the station makes them, and nothing else but space
/// around.
fn token_of(bytes: &[u8]) -> Option<String> {
    let token = std::str::from_utf8(bytes).ok()?.trim();
    let is_token = URL_SAFE_NO_PAD.decode(token).is_ok_and(|bytes| bytes.len() == 32);
    is_token.then(|| token.to_owned())
}

/// Has the tap mask the tokens of a data folder, each on its own: one that is refused for what it is in, or
/// is missing, leaves the others, and one that was shown is masked all the same.
pub(in crate::station) fn mask_tokens(data: &Path, tap: &Tap) {
    for kind in TokenKind::ALL {
        if let Ok(token) = read(&data.join(kind.file()), private_files::open_untrusted) {
            tap.mask_token(kind.file(), Sha256::digest(token).into());
        }
    }
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
    private_files::make_folder(data).map_err(failed)?;
    match token(data, kind) {
        Err(TokenError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
    let fresh = URL_SAFE_NO_PAD.encode(bytes);
    // Whole or not at all: a reader never finds half a token.
    private_files::replace(&path, format!("{fresh}\n").as_bytes()).map_err(failed)?;
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
    fn a_file_of_another_form_is_no_token() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("cue.token");
        let token = URL_SAFE_NO_PAD.encode([7; 32]);
        for text in
            [" \n", "secret", &token[1..], &format!("{token}x"), &format!("{token}\n{token}"), "\u{ff}"]
        {
            private_files::replace(&file, text.as_bytes()).unwrap();
            assert!(matches!(tokens(data.path()), Err(TokenError::Damaged(_))), "{text:?}");
        }
        private_files::replace(&file, format!(" {token}\n").as_bytes()).unwrap();
        assert!(tokens(data.path()).is_ok());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let error = tokens(data.path()).unwrap_err().to_string();
        assert!(
            error.contains("other users can read or write it") && error.contains("chmod 600 "),
            "{error}"
        );
    }

    #[test]
    fn each_token_is_masked_whatever_the_others_are_and_one_that_was_shown_too() {
        let data = tempfile::tempdir().unwrap();
        tokens(data.path()).unwrap();
        let shown = TokenKind::ALL.map(|kind| token(data.path(), kind).unwrap());
        private_files::replace(&data.path().join(TokenKind::Operator.file()), b"damaged").unwrap();
        let viewer = data.path().join(TokenKind::Viewer.file());
        fs::set_permissions(&viewer, fs::Permissions::from_mode(0o646)).unwrap();
        let tap = Tap::new(crate::limits::Tap::default());
        mask_tokens(data.path(), &tap);
        let masked = shown.each_ref().map(|token| tap.text_without_tokens(token) != token.as_str());
        assert_eq!(masked, [false, true, true]);
    }
}
