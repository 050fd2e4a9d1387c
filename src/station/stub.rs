//! A stand-in for the station until the real one is here: it starts nothing and answers nothing. To be deleted with the real one's arrival.

use std::{
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Another station holds the data folder.
    #[error("another station holds {}{}", .data.display(), .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Held {
        /// The data folder.
        data: PathBuf,
        /// The other's process.
        pid: Option<u32>,
    },
    /// The pack is wrong.
    #[error("the pack has {} errors", .0.len())]
    Pack(Vec<ManifestError>),
    /// The store cannot be opened.
    #[error("{0}")]
    Store(String),
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
    pub fn start(config: Config, _clock: Clock) -> Result<Self, StartError> {
        Err(StartError::Store(format!("no station is built in yet to serve {}", config.data.display())))
    }

    /// To act on it and watch it.
    #[must_use]
    pub fn port(&self) -> Arc<dyn StationPort> {
        unreachable!("the stand-in never starts")
    }

    /// Waits until every host answers or is known not to.
    #[expect(clippy::unused_async, reason = "the shape of the real one")]
    pub async fn ready(&self) -> Ready {
        Ready { mpp: Err("no station is built in yet".to_owned()) }
    }

    /// Stops it within 3 s.
    #[expect(clippy::unused_async, reason = "the shape of the real one")]
    pub async fn stop(self) {}
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
    pub fn connect(data: &Path) -> Result<Self, PortError> {
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
    use std::path::{Path, PathBuf};

    use crate::time::Clock;

    /// A bridge token, shown once.
    #[derive(Clone, PartialEq, Eq)]
    pub struct Token(String);

    impl Token {
        /// The text that an adapter sends.
        #[must_use]
        pub fn reveal(&self) -> &str {
            &self.0
        }
    }

    /// Why no token was made.
    #[derive(Debug, thiserror::Error)]
    pub enum PairError {
        /// There is one already.
        #[error("this station is paired already")]
        AlreadyPaired,
        /// Its hash could not be stored.
        #[error("{path}: {why}", path = .0.display(), why = .1)]
        File(PathBuf, std::io::Error),
    }

    /// Makes a token, stores its hash and tells a running station.
    ///
    /// # Errors
    /// See [`PairError`].
    pub fn pair(data: &Path, _rotate: bool, _clock: Clock) -> Result<Token, PairError> {
        Err(PairError::File(data.to_owned(), std::io::Error::other("no station is built in yet")))
    }
}
