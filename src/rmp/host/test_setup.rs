//! A host for tests, around a broker with nothing beside it.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

use tokio::sync::{mpsc, watch};

use super::{Request, Setup, bind};
use crate::{
    admission::Tally,
    limits::Limits,
    rmp::{
        Registry,
        broker::{Broker, Settings, Tokens},
    },
    tap::Tap,
    time::Clock,
};

/// What a host at a socket is made of, and the way to ask it.
pub(super) fn test_setup(path: &Path) -> (Setup, mpsc::Sender<Request>) {
    let (limits, clock) = (Limits::default(), Clock::start());
    let settings = Settings {
        limits: limits.rmp,
        registry: Registry::default(),
        tokens: Tokens::default(),
        server: "test 1".into(),
        has_station_inbox: false,
        tally: Tally::default(),
    };
    let (ask, requests) = mpsc::channel(8);
    let setup = Setup {
        bound: bind(path).unwrap(),
        broker: Broker::new(settings, clock.now()),
        tap: Tap::new(limits.tap),
        clock,
        limits: limits.rmp,
        gate: crate::gate::Gate::none(),
        requests,
        operator_requests: mpsc::channel(8).0,
        station_inbox: None,
        tap_readers: watch::channel(0).0,
        next_session: Arc::new(AtomicU64::new(1)),
        uid: rustix::process::geteuid().as_raw(),
        confinement: super::Confinement::none(),
    };
    (setup, ask)
}
