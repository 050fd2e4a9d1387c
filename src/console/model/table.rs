//! The one list of the model's systems.
//!
//! An entry of the tap goes to the system of its link alone, which is found by a `match`: nothing is
//! allocated and nothing called through a table on the way.

use super::{
    alerts::AlertKind,
    bridge::{self, Bridge},
    bus::{self, Bus},
    mplp::{self, Records},
    plugins::{self, Plugins},
    runs::{self, RunHistory},
    sessions::{self, SessionHistory},
    station::{self, Station, StationState},
    systems::{Folding, Resync, SystemModel},
};
use crate::{
    limits,
    tap::{
        EntryRef,
        entry::{Link, station::Level},
    },
};

/// Declares of each system what the model keeps of it, by its link; its module has the kinds of its alerts.
macro_rules! systems {
    ($( $Link:ident $system:ident: $Model:ty; )*) => {
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

        /// The kinds of alerts that a system has.
        pub(crate) const fn alert_kinds(link: Link) -> &'static [AlertKind] {
            match link { $( Link::$Link => $system::alerts::KINDS, )* }
        }
    };
}

systems! {
    Station station: Station;
    Mpp bridge: Bridge;
    Rmp bus: Bus;
    Runs runs: RunHistory;
    Macp sessions: SessionHistory;
    Plugin plugins: Plugins;
    Mplp mplp: Records;
}
