//! The one list of the model's systems.
//!
//! An entry of the tap goes to the system of its link alone, which is found by a `match`: nothing is
//! allocated and nothing called through a table on the way.

use super::{
    alerts::{Evidence, Findings, Watch, Watching},
    bridge::{Bridge, alerts::BridgeWatch},
    bus::{Bus, alerts::BusWatch},
    runs::{RunHistory, alerts::RunsWatch},
    sessions::{SessionHistory, alerts::SessionsWatch},
    station::{Station, StationState, alerts::StationWatch},
    systems::{Folding, Resync, SystemModel},
};
use crate::{
    limits,
    port::Snapshot,
    tap::{
        EntryRef,
        entry::{Link, station::Level},
    },
};

/// Declares of each system what the model keeps of it and what it remembers for its alerts, by its link.
macro_rules! systems {
    ($( $Link:ident $system:ident: $Model:ty, $Watch:ty; )*) => {
        /// What the model keeps of each system.
        #[derive(Clone, Debug)]
        pub(crate) struct Systems {
            $( pub(crate) $system: $Model, )*
        }

        impl Systems {
            /// Of a station of which nothing was heard.
            pub(super) fn new(limits: &limits::Limits) -> Self {
                Self { $( $system: <$Model as SystemModel>::new(limits), )* }
            }

            /// Has all of them forget what they know of a station that was started again since.
            pub(super) fn reset(&mut self) {
                $( self.$system.reset(); )*
            }

            /// Starts all of them again from a snapshot.
            pub(super) fn resync(&mut self, to: &mut Resync<'_>) {
                $( self.$system.resync(to); )*
            }

            /// Takes one entry.
            pub(super) fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
                match entry.entry.link { $( Link::$Link => self.$system.fold(entry, cx), )* }
            }

            /// What a copy of all of them holds, in bytes.
            pub(super) fn memory_bytes(&self, state: Option<&StationState>) -> usize {
                [$( self.$system.memory_bytes(state) ),*].iter().sum()
            }
        }

        impl Link {
            /// From which level on the station's own log has the notices of the link.
            pub(super) const fn station_log(self) -> Option<Level> {
                match self { $( Self::$Link => <$Model as SystemModel>::STATION_LOG, )* }
            }
        }

        /// What each system remembers for its alerts.
        #[derive(Clone, Debug, Default)]
        pub(super) struct Watches {
            $( $system: $Watch, )*
        }

        impl Watches {
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

systems! {
    Station station: Station, StationWatch;
    Mpp bridge: Bridge, BridgeWatch;
    Rmp bus: Bus, BusWatch;
    Runs runs: RunHistory, RunsWatch;
    Macp sessions: SessionHistory, SessionsWatch;
}
