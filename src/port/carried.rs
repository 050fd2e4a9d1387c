//! A state that is carried on by the entries behind it, as consoles do it.

use super::{HostState, Snapshot};
use crate::{
    limits::Limits,
    tap::{
        EntryRef,
        entry::{Link, Transition, What, station},
    },
};

impl Snapshot {
    /// Carries the state on by one entry, unless it has that already. Whether the state is void then: a host
    /// began again that was down, and of that no entry tells the state.
    pub fn carry(&mut self, entry: EntryRef<'_>, limits: &Limits) -> bool {
        let of = entry.entry;
        if self.as_of.covers(of.link, of.seq) {
            return false;
        }
        self.as_of.0[of.link.index()] = of.seq;
        // What lies with a frame is not read.
        let is_transition = matches!(of.what, What::Transition(_));
        let text = if is_transition { entry.text() } else { "".into() };
        let mut is_void = false;
        match of.link {
            Link::Station => {
                let What::Transition(Transition::Station(transition)) = &of.what else { return false };
                is_void = matches!(transition, station::Transition::HostUp { link }
                    if matches!(self.station.hosts[link.index()], HostState::Down(_)));
                self.station.apply(of.at, transition, &text);
            }
            Link::Mpp => self.mpp.apply(of, &text, &limits.mpp),
            Link::Rmp => self.rmp.apply(of, &text, &limits.rmp),
            Link::Runs => self.runs.apply(of, &text, &limits.runs),
            Link::Macp => self.macp.apply(of, &text, &limits.macp),
            Link::Plugin => self.plugin.apply(of, &text, &limits.plugin),
            Link::Mplp => self.mplp.apply(of, &text),
        }
        is_void
    }
}
