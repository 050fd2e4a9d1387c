//! A station in this process, for its bus.

use std::path::PathBuf;

use rl_console::{
    limits::Limits,
    station::{
        Config, Station,
        bus::{TokenKind, token},
    },
    time::Clock,
};
use tempfile::TempDir;

use super::Peer;

pub(crate) struct Bus {
    pub(crate) station: Option<Station>,
    pub(crate) folder: TempDir,
}

impl Bus {
    pub(crate) fn open() -> Self {
        Self::with(&Limits::default())
    }

    pub(crate) fn with(limits: &Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { limits: *limits, ..Config::within(folder.path()) };
        let station = Station::start(config, Clock::start()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(runtime.block_on(station.ready()).unwrap().rmp, Ok(folder.path().join("rmp.sock")));
        Self { station: Some(station), folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("rmp.sock")
    }

    pub(crate) fn agent(&self) -> Peer {
        Peer::greeted(&self.path(), "agent", None)
    }

    pub(crate) fn operator(&self) -> Peer {
        Peer::greeted(&self.path(), "tui", Some(&self.token(TokenKind::Operator)))
    }

    pub(crate) fn token(&self, kind: TokenKind) -> String {
        token(self.folder.path(), kind).unwrap()
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}
