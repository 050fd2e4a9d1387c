//! A state that is carried on by the entries behind it, as consoles do it.

use super::{HostState, Snapshot, systems::systems};
use crate::{
    limits::Limits,
    tap::{
        EntryRef,
        entry::{Link, Transition, What, station},
    },
};

/// Declares how the state of each system is carried on.
macro_rules! declare {
    ($(
        #[doc = $about:literal]
        $System:ident $module:ident $(($Command:ident $Outcome:ident $Refused:ident))? { $($hint:tt)* }
    )*) => {
        impl Snapshot {
            /// Carries the state on by one entry, unless it has that already. Whether the state is void then:
            /// a host began again that was down, and of that no entry tells the state.
            pub fn carry(&mut self, entry: EntryRef<'_>, limits: &Limits) -> bool {
                let of = entry.entry;
                if self.as_of.covers(of.link, of.seq) {
                    return false;
                }
                self.as_of.0[of.link.index()] = of.seq;
                // What lies with a frame is not read.
                let is_transition = matches!(of.what, What::Transition(_));
                let text = if is_transition { entry.text() } else { "".into() };
                match of.link {
                    Link::Station => return self.carry_station(entry, &text),
                    $( Link::$System => self.$module.apply(of, &text, &limits.$module), )*
                }
                false
            }
        }
    };
}

systems!(declare);

impl Snapshot {
    /// Carries on what holds of the station itself; whether a host began again that was down.
    fn carry_station(&mut self, entry: EntryRef<'_>, text: &str) -> bool {
        let What::Transition(Transition::Station(transition)) = &entry.entry.what else { return false };
        let begins_again = matches!(transition, station::Transition::HostUp { link }
            if matches!(self.station.hosts[link.index()], HostState::Down(_)));
        self.station.apply(entry.entry.at, transition, text);
        begins_again
    }
}
