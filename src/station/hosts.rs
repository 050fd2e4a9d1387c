//! The one list of the systems that a station hosts.

use std::sync::Arc;

use super::{
    alerts::{Evidence, Findings, StationWatch, Watch, Watching},
    bridge::{Bridge, Running, alerts::BridgeWatch},
    bus::{Bus, alerts::BusWatch},
    host::Host,
    mplp::{Records, alerts::RecordsWatch},
    plugins::{Plugins, alerts::PluginWatch},
    runs::{Runs, alerts::RunsWatch},
    sessions::{Sessions, alerts::SessionsWatch},
};
use crate::{
    port::Snapshot,
    tap::{EntryRef, entry::Link},
};

/// How many systems there are.
const COUNT: usize = 6;

/// The systems of a station, each by its name for those that work with it.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    pub(super) bridge: Bridge,
    pub(super) runs: Runs,
    pub(super) bus: Bus,
    pub(super) sessions: Sessions,
    pub(super) plugins: Plugins,
    pub(super) records: Records,
}

impl Hosts {
    /// All of them in the order of their start: the store first, the records before what they are of, and the
    /// runs before the bus, so that what is published finds them.
    pub(super) fn by_start(&self) -> [&dyn Host; COUNT] {
        let Self { bridge, runs, bus, sessions, plugins, records } = self;
        [bridge, records, runs, bus, sessions, plugins]
    }

    /// All of them in the order of their end. Runs end with the station, and not for want of the agents that
    /// the bus sends away; what they told last is in their records; the store ends last.
    pub(super) fn by_end(&self) -> [&dyn Host; COUNT] {
        let Self { bridge, runs, bus, sessions, plugins, records } = self;
        [runs, records, bus, sessions, plugins, bridge]
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

/// Declares what each system remembers for its alerts, by its link.
macro_rules! watches {
    ($( $Link:ident $system:ident: $Watch:ty; )*) => {
        /// What each system remembers for its alerts.
        #[derive(Debug, Default)]
        pub(super) struct Watches {
            $( $system: $Watch, )*
        }

        impl Watches {
            /// The kinds of alerts that there are.
            #[cfg(test)]
            pub(super) fn kinds() -> Vec<(Link, &'static str)> {
                let kinds = [$( <$Watch as Watch>::KINDS ),*].concat();
                kinds.into_iter().map(|kind| kind.id()).collect()
            }

            /// Begins anew from a snapshot.
            pub(super) fn seed(&mut self, snapshot: &Snapshot) {
                $( self.$system.seed(snapshot); )*
            }

            /// Takes one entry.
            pub(super) fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
                match entry.entry.link { $( Link::$Link => self.$system.fold(entry, cx), )* }
            }

            /// Finds what is the matter now.
            pub(super) fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
                $( self.$system.judge(evidence, findings); )*
            }
        }
    };
}

watches! {
    Station station: StationWatch;
    Mpp bridge: BridgeWatch;
    Rmp bus: BusWatch;
    Runs runs: RunsWatch;
    Macp sessions: SessionsWatch;
    Plugin plugins: PluginWatch;
    Mplp records: RecordsWatch;
}
