//! The one list of the systems that a station hosts.

use std::sync::Arc;

use super::{
    bridge::{Bridge, Running},
    bus::Bus,
    host::Host,
    runs::Runs,
    sessions::Sessions,
};
use crate::tap::entry::Link;

/// How many systems there are.
const COUNT: usize = 4;

/// The systems of a station, each by its name for those that work with it.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    pub(super) bridge: Bridge,
    pub(super) runs: Runs,
    pub(super) bus: Bus,
    pub(super) sessions: Sessions,
}

impl Hosts {
    /// All of them in the order of their start: the store first, and the runs before the bus, so that what is
    /// published finds them.
    pub(super) fn by_start(&self) -> [&dyn Host; COUNT] {
        let Self { bridge, runs, bus, sessions } = self;
        [bridge, runs, bus, sessions]
    }

    /// All of them in the order of their end. Runs end with the station, and not for want of the agents that
    /// the bus sends away; the store ends last.
    pub(super) fn by_end(&self) -> [&dyn Host; COUNT] {
        let mut all = self.by_start();
        all.rotate_left(1);
        all
    }

    /// All of them in the order of their links, as they are listed.
    pub(super) fn by_link(&self) -> [&dyn Host; COUNT] {
        let mut all = self.by_start();
        all.sort_by_key(|host| host.link().index());
        all
    }

    /// The host of a link; none of the station's own.
    pub(super) fn of(&self, link: Link) -> Option<&dyn Host> {
        self.by_start().into_iter().find(|host| host.link() == link)
    }

    /// What the host that carries the store was started with last.
    pub(super) fn running(&self) -> Option<Arc<Running>> {
        self.bridge.running()
    }
}
