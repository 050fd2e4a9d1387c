//! Details of the station in words: a notice, an alert, a breach of a clause.

use crate::{
    console::{
        draw::{class::Class, format},
        model::{Model, Notice, ReportLine, bridge::hello_remedy, remedy},
        overlays::detail::{detail, notice_details},
        records::{
            ManualPlace,
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
        systems::station::keys::{ALERT, BREACH, NOTICE},
    },
    dissect::{Breach, FaultGroup, clause_name, clause_text},
    ids::TraceId,
    tap::entry::alerts::{Alert, AlertState},
    time::Now,
};

impl DetailsRecord for Notice {
    fn key(&self) -> RecordKey {
        NOTICE.of(self.number)
    }

    fn title(&self, _model: &Model) -> String {
        "Notice".to_owned()
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        let mut facts = notice_details(view, self.at, self.level, &self.text, self.class);
        facts.extend(self.refused.into_iter().flat_map(hello_remedy));
        facts
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        self.seq.map(EntryQuery::Entry)
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for Alert {
    fn key(&self) -> RecordKey {
        ALERT.of(self.id)
    }

    fn title(&self, _model: &Model) -> String {
        "Alert".to_owned()
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        // It goes on while it is read, and may be cut meanwhile.
        alert_details(view, model.alerts().get(self.id).map_or(self, AsRef::as_ref), model)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn manual_place(&self, _model: &Model) -> Option<ManualPlace> {
        Some(ManualPlace::at("alerts", [&*self.name]))
    }

    fn entry(&self) -> Option<EntryQuery> {
        None
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for FaultGroup {
    fn key(&self) -> RecordKey {
        BREACH.of(self.breach)
    }

    fn title(&self, _model: &Model) -> String {
        clause_name(self.clause()).to_owned()
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        fault_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(EntryQuery::Entry(self.seq))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

fn alert_details(view: &View, alert: &Alert, model: &Model) -> Vec<ReportLine> {
    let lasts = format::age(alert.duration(view.clock));
    let mut facts = vec![
        if alert.holds() {
            ReportLine::Reason(alert.text.to_string())
        } else {
            detail("", alert.text.to_string())
        },
        detail(
            "since",
            format!(
                "{}, {lasts} {}",
                view.time_of_day(alert.since),
                if alert.holds() { "so far" } else { "duration" }
            ),
        ),
    ];
    let at = |at: Now| view.time_of_day(at);
    facts.push(detail(
        "state",
        match (alert.state(), alert.acknowledged_at, alert.resolved_at) {
            (AlertState::Active, ..) => "active, unacknowledged".to_owned(),
            (AlertState::Acknowledged, seen, _) => {
                format!("acknowledged at {}, still active", seen.map(at).unwrap_or_default())
            }
            (AlertState::Resolved, _, ended) => format!("resolved at {}", ended.map(at).unwrap_or_default()),
        },
    ));
    facts.push(detail("id", alert.id.to_string()));
    if let Some(state) = &model.station_state {
        facts.extend(remedy(alert, state));
    }
    facts
}

/// The clause in short, what was wrong, and what to do.
fn fault_details(view: &View, group: &FaultGroup) -> Vec<ReportLine> {
    let payload = |name, value: &str| ReportLine::Detail(name, value.to_owned(), Class::Payload);
    let mut facts = vec![detail("", clause_text(group.clause())), ReportLine::Reason(group.breach.text())];
    // What it was told may name what it sent.
    facts.extend(group.reply.as_deref().map(|told| payload("reply", told)));
    facts.extend(group.frame.map(|frame| detail("frame", frame)));
    facts.extend(group.excerpt.as_deref().map(|bytes| payload("first bytes", bytes)));
    facts.push(detail(
        "by",
        format!(
            "{}{} at {}",
            group.offender,
            // Who has said no name is told apart by the process already.
            if group.offender.contains(group.peer.as_str()) {
                String::new()
            } else {
                format!(", {}", group.peer)
            },
            view.time_of_day(group.at)
        ),
    ));
    facts.extend(group.breach.remedy().map(|words| ReportLine::Instruction(words.to_owned())));
    if let Breach::Hello(reason) = group.breach {
        facts.extend(hello_remedy(reason));
    }
    facts.push(detail("count", group.count.to_string()));
    if group.offenders.len() > 1 {
        facts.extend(
            group.offenders.iter().map(|(who, count)| detail("by peer", format!("{count} by {who}"))),
        );
    }
    facts
}
