//! What the console knows of a kind of alert beside what the station tells of one: what to do about it.

use crate::{
    admission::TurnedAway,
    console::model::{
        health::{Condition, Report, ReportLine, command, instruction},
        station::StationState,
        table::alert_kinds,
    },
    port::{
        AlertList,
        health::{unjudged, word},
    },
    tap::entry::{Link, alerts::Alert},
};

/// A kind of alert, as its system declares it.
#[derive(Debug)]
pub(crate) struct AlertKind {
    /// Its name.
    name: &'static str,
    /// Whether what to do about it is of use once it has passed.
    has_lasting_remedy: bool,
    remedy: fn(&Alert, &StationState) -> Vec<ReportLine>,
}

impl AlertKind {
    /// Connections of a port are turned away, one after another; the subject is the reason's name.
    pub(crate) const TURNED_AWAY: Self = Self::new("turned_away", |alert, _| {
        let why = TurnedAway::from_name(&alert.subject).map(|why| instruction(why.remedy()));
        why.into_iter().chain(["ls clients", "ls health"].map(command)).collect()
    });

    /// One of this name, and what to do about it.
    pub(crate) const fn new(
        name: &'static str,
        remedy: fn(&Alert, &StationState) -> Vec<ReportLine>,
    ) -> Self {
        Self { name, has_lasting_remedy: false, remedy }
    }

    /// One whose remedy is of use once it has passed.
    pub(crate) const fn with_lasting_remedy(self) -> Self {
        Self { has_lasting_remedy: true, ..self }
    }

    fn of(alert: &Alert) -> Option<&'static Self> {
        alert_kinds(alert.link).iter().find(|kind| *kind.name == *alert.name)
    }

    /// Its name.
    #[cfg(test)]
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }
}

/// What to do about an alert as things are now; nothing where it has passed and that is of no use.
pub(crate) fn remedy(alert: &Alert, state: &StationState) -> Vec<ReportLine> {
    let kind = AlertKind::of(alert).filter(|kind| alert.holds() || kind.has_lasting_remedy);
    kind.map_or_else(Vec::new, |kind| (kind.remedy)(alert, state))
}

/// Adds to a system's report what only an alert knows of it, while it holds.
pub(crate) fn report(alerts: &AlertList, report: &mut Report, state: &StationState, link: Link) {
    for alert in unjudged(alerts, link) {
        report.degrade(Condition::Degraded, word(alert), alert.text.to_string(), remedy(alert, state));
    }
}
