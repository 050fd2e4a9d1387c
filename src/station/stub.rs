//! A stand-in for the station until the real one is here: it starts nothing and answers nothing. To be deleted with the real one's arrival.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Config;
use crate::{
    mpp::manifest::ManifestError,
    port::{Answer, Command, Operator, Outcome, Page, PortError, Query, StationPort},
    time::Clock,
};

/// Why a station did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another one holds the data folder.
    #[error("{} is held by another rl-console{}", .data.display(), .pid.map_or_else(String::new, |pid| format!(" (process {pid})")))]
    Held {
        /// The data folder.
        data: PathBuf,
        /// The holder's process.
        pid: Option<u32>,
    },
    /// The pack cannot be used.
    #[error("the pack {} has {} error(s)", .path.display(), .errors.len())]
    Pack {
        /// Its manifest.
        path: PathBuf,
        /// Everything that is wrong with it.
        errors: Vec<ManifestError>,
    },
    /// A file or folder cannot be used.
    #[error("{}: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The hosts did not come up.
    #[error("{0}")]
    Failed(String),
}

/// How each host came up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The MPP bridge.
    pub mpp: Result<SocketAddr, String>,
}

/// What runs.
#[derive(Debug)]
pub struct Station {}

impl Station {
    /// Starts it.
    ///
    /// # Errors
    /// Always, here.
    #[expect(clippy::needless_pass_by_value, reason = "the shape of the real one")]
    pub fn start(config: Config, _clock: Clock) -> Result<Self, StartError> {
        Err(StartError::Failed(format!("no station is built in yet to serve {}", config.data.display())))
    }

    /// To act on it and watch it.
    #[must_use]
    pub fn port(&self) -> Arc<dyn StationPort> {
        unreachable!("the stand-in never starts")
    }

    /// Waits until every host answers or is known not to.
    ///
    /// # Errors
    /// Always, here.
    #[expect(clippy::unused_async, reason = "the shape of the real one")]
    pub async fn ready(&self) -> Result<Ready, StartError> {
        Err(StartError::Failed("no station is built in yet".to_owned()))
    }

    /// Stops it within 3 s.
    pub fn stop(self) {}
}

/// Where a station's operator socket lies.
#[must_use]
pub fn operator_socket_path(data: &Path) -> PathBuf {
    data.join("operator.sock")
}

/// Speaks to a running station.
#[derive(Clone, Debug)]
pub struct OperatorClient {}

impl OperatorClient {
    /// Connects to the station of a data folder.
    ///
    /// # Errors
    /// Always, here.
    #[expect(clippy::unused_async, reason = "the shape of the real one")]
    pub async fn connect(data: &Path) -> Result<Self, PortError> {
        Err(PortError::NoStation { data: data.to_owned() })
    }
}

impl Operator for OperatorClient {
    fn command(&self, _command: Command) -> Answer<Outcome> {
        Box::pin(async { Err(PortError::Stopping) })
    }

    fn query(&self, _query: Query) -> Answer<Page> {
        Box::pin(async { Err(PortError::Stopping) })
    }
}

/// The bridge token.
pub mod pairing {
    use std::{
        io,
        path::{Path, PathBuf},
    };

    /// A bridge token, shown once.
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
            String::new()
        }
    }

    /// Why no token was made.
    #[derive(Debug, thiserror::Error)]
    pub enum PairError {
        /// There is one already.
        #[error("this data folder is paired already")]
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
        #[error("the system gives no random bytes: {0}")]
        Random(String),
        /// The file holds something else.
        #[error("{}: this is no SHA-256 of a token; `rl-console pair --rotate` makes a new one", .0.display())]
        Damaged(PathBuf),
    }

    /// Makes a token and stores its hash.
    ///
    /// # Errors
    /// See [`PairError`].
    pub fn pair(data: &Path, _rotate: bool) -> Result<Token, PairError> {
        Err(PairError::File { path: data.to_owned(), error: io::Error::other("no station is built in yet") })
    }
}
