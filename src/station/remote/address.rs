//! Where a station is reached, and by what right.

use std::{
    borrow::Cow,
    fmt, io,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

use crate::{
    port::{FileFault, PortError},
    private_files,
    station::{
        PATH_FILE,
        bus::{self, TokenError, TokenKind},
    },
    store::holder,
};

/// Where a station is reached, and by what right.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Its data folder, for what is said of it.
    pub data: PathBuf,
    /// Its socket.
    pub socket: PathBuf,
    /// The token that is shown to it; without one it lets nobody ask.
    pub token: Option<String>,
    /// Whether that is the data folder's own, which nobody but the folder's station is shown.
    pub is_own_token: bool,
    /// What this side calls itself there, at most `limits.rmp.client_name_bytes_max`; what is longer is cut.
    pub client: Cow<'static, str>,
}

/// What this side calls itself where nothing else is said.
const CLIENT_NAME: Cow<'static, str> = Cow::Borrowed("rl-console");

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("socket", &self.socket).finish_non_exhaustive()
    }
}

impl Address {
    /// The operator's, of the station that holds a data folder.
    ///
    /// # Errors
    /// [`PortError::NoStation`] when none does, [`PortError::File`] when its files cannot be read.
    pub fn of_data(data: &Path) -> Result<Self, PortError> {
        let no_station =
            || unreached(data, || format!("no socket is recorded in {}", data.join(PATH_FILE).display()));
        let socket = read(&data.join(PATH_FILE))?.ok_or_else(no_station)?;
        let token = Self::token_of(data)?;
        Ok(Self {
            data: data.to_path_buf(),
            socket: PathBuf::from(std::ffi::OsString::from_vec(socket)),
            token,
            is_own_token: true,
            client: CLIENT_NAME,
        })
    }

    /// The operator's, of the station behind a socket that is named, else of the one that holds the data
    /// folder.
    ///
    /// # Errors
    /// Those of [`of_data`](Self::of_data).
    pub fn of(socket: Option<&Path>, data: &Path) -> Result<Self, PortError> {
        let Some(socket) = socket else { return Self::of_data(data) };
        let token = Self::token_of(data)?;
        let (data, socket) = (data.to_path_buf(), socket.to_path_buf());
        Ok(Self { data, socket, token, is_own_token: true, client: CLIENT_NAME })
    }

    /// This station by the token of a file.
    ///
    /// # Errors
    /// [`PortError::File`] when there is none.
    pub fn with_token_of(self, file: &Path) -> Result<Self, PortError> {
        let token = bus::named_token(file).map_err(|error| unusable(file, &error))?;
        Ok(Self { token: Some(token), is_own_token: false, ..self })
    }

    /// The process that alone is shown the token: the one that holds the data folder whose token it is.
    pub(super) fn only_to(&self) -> Option<u32> {
        self.is_own_token.then(|| holder(&self.data).unwrap_or(0))
    }

    /// The operator token of a data folder; nothing where there is none.
    fn token_of(data: &Path) -> Result<Option<String>, PortError> {
        match bus::token(data, TokenKind::Operator) {
            Ok(token) => Ok(Some(token)),
            Err(TokenError::File { error, .. }) if is_missing(&error) => Ok(None),
            Err(error) => Err(unusable(&data.join(TokenKind::Operator.file()), &error)),
        }
    }
}

fn unusable(file: &Path, error: &TokenError) -> PortError {
    let why = match error {
        TokenError::File { error, .. } => error.to_string(),
        error => error.to_string(),
    };
    PortError::File { what: format!("the token {}", file.display()), why, fault: FileFault::Other }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// That a station is not reached: whose process it is, if one holds the data folder.
pub(super) fn unreached(data: &Path, why: impl FnOnce() -> String) -> PortError {
    match holder(data) {
        Some(pid) => PortError::Unreached { data: data.to_path_buf(), pid, why: why() },
        None => PortError::NoStation { data: data.to_path_buf() },
    }
}

/// A file of one line, without its end; nothing where there is no such file or nothing is in it.
fn read(path: &Path) -> Result<Option<Vec<u8>>, PortError> {
    let failed = |error: io::Error| PortError::File {
        what: path.display().to_string(),
        why: error.to_string(),
        fault: FileFault::Other,
    };
    let file = match private_files::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = private_files::read_small(file).map_err(failed)?;
    while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(bytes).filter(|bytes| !bytes.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_without_a_bus_is_told_by_its_process() {
        let data = tempfile::tempdir().unwrap();
        let _lock = crate::store::Lock::take(data.path()).unwrap();
        let error = Address::of_data(data.path()).unwrap_err();
        assert!(matches!(&error, PortError::Unreached { pid, .. } if *pid == std::process::id()), "{error}");
        assert!(error.to_string().contains("rmp.path"), "{error}");
    }

    #[test]
    fn a_folder_says_where_its_station_is_and_by_what_token() {
        let data = tempfile::tempdir().unwrap();
        assert!(matches!(Address::of_data(data.path()), Err(PortError::NoStation { .. })));
        std::fs::write(data.path().join("rmp.path"), "/run/a b.sock\n").unwrap();
        let address = Address::of_data(data.path()).unwrap();
        assert_eq!((address.socket.as_path(), &address.token), (Path::new("/run/a b.sock"), &None));
        let secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ";
        private_files::replace(&data.path().join("operator.token"), format!("{secret}\n").as_bytes())
            .unwrap();
        let address = Address::of_data(data.path()).unwrap();
        assert_eq!(address.token.as_deref(), Some(secret));
        assert!(!format!("{address:?}").contains(secret));
        let file = data.path().join("viewer.token");
        assert!(matches!(address.clone().with_token_of(&file), Err(PortError::File { .. })));
        std::fs::write(&file, secret).unwrap();
        let why = address.clone().with_token_of(&file).unwrap_err().to_string();
        assert!(why.contains("other users can read or write it"), "{why}");
        private_files::replace(&file, b"looks").unwrap();
        assert!(matches!(address.clone().with_token_of(&file), Err(PortError::File { .. })));
        private_files::replace(&file, secret.as_bytes()).unwrap();
        assert_eq!(address.with_token_of(&file).unwrap().token.as_deref(), Some(secret));
    }
}
