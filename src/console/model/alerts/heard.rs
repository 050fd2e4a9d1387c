//! Which alerts the operator is to hear of.

use crate::{
    console::model::Model,
    port::{AlertList, Snapshot},
    tap::{
        EntryRef,
        entry::{
            Transition, What,
            alerts::{Alert, AlertChange, AlertState},
            station::Transition as T,
        },
    },
};

/// Alerts that are to be heard, at most: they are told together.
const RAISED_MAX: usize = 64;

impl Model {
    /// The station's alerts; of one of which nothing was heard, none.
    pub(crate) fn alerts(&self) -> &AlertList {
        static NONE: AlertList = AlertList::NONE;
        self.station_state.as_ref().map_or(&NONE, |state| &state.station.alerts)
    }

    /// Takes an entry, if it is an alert that is to be heard.
    pub(in crate::console::model) fn hear_alert(&mut self, entry: EntryRef<'_>) {
        if let What::Transition(Transition::Station(T::Alert { change: AlertChange::Raised, alert })) =
            &entry.entry.what
        {
            self.hear(alert);
        }
    }

    /// Takes the alerts of a new snapshot: those that were raised since the one before are to be heard. Of
    /// the first, those of a station in this process that came with its start; a console that is attached was
    /// not there.
    pub(in crate::console::model) fn hear_alerts(&mut self, snapshot: &Snapshot) {
        let known = self.station_state.as_ref().map(|state| &state.station.alerts);
        let is_own = self.attachment.is_none();
        let is_new = |alert: &&Alert| match known.map(|known| known.get(alert.id)) {
            None => is_own && alert.raised_at.wall >= snapshot.station.started_at.wall,
            Some(before) => before.is_none_or(|before| before.raised_at.wall < alert.raised_at.wall),
        };
        let active = snapshot.station.alerts.unresolved().filter(|it| it.state() == AlertState::Active);
        let raised: Vec<Alert> = active.filter(is_new).cloned().collect();
        for alert in &raised {
            self.hear(alert);
        }
    }

    fn hear(&mut self, alert: &Alert) {
        if !alert.is_quiet && self.raised_alerts.len() < RAISED_MAX {
            self.raised_alerts.push(alert.id);
        }
    }

    /// The alerts that came since this was last called, the oldest first.
    pub(crate) fn take_raised_alerts(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.raised_alerts)
    }
}
