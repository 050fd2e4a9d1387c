//! Details of the records of the bridge: an invocation, a refund, a value of the pack state.

use crate::{
    console::{
        draw::{class::Class, format},
        model::{Model, ReportLine, bridge::settle_remedy},
        overlays::{Details, detail::detail},
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
        systems::bridge::{StoredInvocation, keys::INVOCATION, state_now},
        ui::state::Ui,
    },
    ids::{InvocationId, TraceId},
    mpp::{WrittenBy, manifest::Writer},
    port::{InvocationRow, RefundRow, StateKeyRow},
    store::invocations::Source,
    tap::entry::mpp::RefundStatus,
    time::Wall,
};

/// An invocation; its row is absent until the station has answered.
#[derive(Debug)]
pub(crate) struct InvocationDetails {
    pub(crate) id: InvocationId,
    pub(crate) row: Option<InvocationRow>,
}

impl DetailsRecord for InvocationDetails {
    fn key(&self) -> RecordKey {
        INVOCATION.of(self.id)
    }

    fn title(&self, _model: &Model) -> String {
        format!("Invocation {}", self.id)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        let Some(row) = &self.row else { return vec![detail("", "loading")] };
        let mut facts = invocation_details(view, row, model);
        if model.mpp().is_some_and(|mpp| mpp.live.get(&self.id).is_some_and(|live| live.orphaned)) {
            facts.push(ReportLine::Reason(
                "orphaned: applied, then the adapter was lost; outcome unknown".to_owned(),
            ));
            facts.extend(settle_remedy(self.id));
        }
        facts
    }

    fn row<'a>(&'a self, model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        let row = self.row.as_ref()?;
        let state = state_now(row, model);
        Some(Box::new(StoredInvocation { row, state, has_moved: false, is_later: false }))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(EntryQuery::Invocation(self.id))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn invocation(&self) -> Option<InvocationId> {
        Some(self.id)
    }
}

/// The station's answer of an invocation that is told of.
pub(crate) fn on_invocation(ui: &mut Ui, wanted: InvocationId, found: &InvocationRow) {
    for details in ui.layers_mut::<Details>() {
        if let Some(record) = details.record_mut::<InvocationDetails>().filter(|it| it.id == wanted) {
            record.row = Some(found.clone());
        }
    }
}

/// A moment, to the second.
fn at(view: &View, wall: Wall) -> String {
    format::time_of_day(wall, &view.zone)
}

fn invocation_details(view: &View, row: &InvocationRow, model: &Model) -> Vec<ReportLine> {
    // The store knows nothing of the past: where the row stood then, the model that is shown knows.
    let state = match &model.frozen {
        Some(past) if row.enqueued_at_ms > past.at.wall => "not yet enqueued at the time shown",
        Some(_) => state_now(row, model).name(),
        None => row.state.name(),
    };
    let payload = |name, value: &str| ReportLine::Detail(name, value.to_owned(), Class::Payload);
    let mut facts = vec![
        detail("state", state),
        detail("queue", row.queue.as_str()),
        detail("event", row.event.as_str()),
        payload("params", row.params.as_str()),
    ];
    facts.extend(row.damage.as_ref().map(|damage| payload("damage", damage)));
    facts.extend(row.result.as_ref().map(|result| payload("result", result.as_str())));
    facts.extend(row.reason.as_ref().map(|reason| payload("reason", reason)));
    facts.extend(source_details(&row.source));
    facts.push(detail("enqueued", at(view, row.enqueued_at_ms)));
    facts.extend(row.requeued_from.map(|from| detail("requeued from", from.to_string())));
    facts.extend(row.refund.map(|refund| detail("refund", refund_word(refund))));
    facts.push(detail("changed", at(view, row.updated_at_ms)));
    facts.push(detail("trace", row.trace_id.to_string()));
    facts.extend(row.other_manifest.as_ref().map(|hash| detail("manifest", format!("{hash}, stale"))));
    facts
}

/// Where work came from: who it was for is nobody's business, and what it was bought with is the viewer's.
fn source_details(source: &Source) -> impl Iterator<Item = ReportLine> {
    let redemption = source
        .redemption
        .as_ref()
        .map(|redemption| ReportLine::Detail("redemption", redemption.clone(), Class::Payload));
    let user = source.user.as_ref().map(|user| ReportLine::Detail("viewer", user.clone(), Class::Login));
    std::iter::once(detail("source", source.kind.as_str())).chain(redemption).chain(user)
}

pub(super) fn refund_details(view: &View, refund: &RefundRow) -> Vec<ReportLine> {
    let remedy = match refund.status {
        RefundStatus::Requested => "upstream notified; nothing left to do",
        RefundStatus::Skipped => "bits cannot be refunded: tell the viewer",
        RefundStatus::Manual => "make it manually where the redemption came from",
    };
    let mut facts = vec![
        detail("status", refund_word(refund.status)),
        detail("invocation", refund.invocation_id.to_string()),
    ];
    facts.extend(source_details(&refund.source));
    facts.push(detail("at", at(view, refund.at_ms)));
    facts.push(ReportLine::Instruction(remedy.to_owned()));
    facts
}

/// A refund's status in a word.
pub(crate) const fn refund_word(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "manual",
    }
}

pub(super) fn state_details(view: &View, value: &StateKeyRow) -> Vec<ReportLine> {
    let mut facts = vec![ReportLine::Detail("value", value.value.as_str().to_owned(), Class::Payload)];
    facts
        .extend(value.scope.as_ref().map(|scope| ReportLine::Detail("scope", scope.clone(), Class::Payload)));
    let kept = if value.persist {
        "yes: stored, and restored at the adapter's next hello"
    } else {
        "no: lost when the station stops"
    };
    facts.push(detail("persisted", kept));
    facts.extend(value.writer.map(|writer| detail("writer", writer_word(writer))));
    facts.extend(value.written_by.as_ref().map(|by| detail("written by", written_by_text(by))));
    facts.extend(value.at_ms.map(|wall| detail("at", at(view, wall))));
    facts
}

/// Who may write a key, in a word.
pub(crate) const fn writer_word(writer: Writer) -> &'static str {
    match writer {
        Writer::Adapter => "adapter",
        Writer::Platform => "platform",
    }
}

/// Who wrote a value.
pub(crate) fn written_by_text(by: &WrittenBy) -> String {
    match by {
        WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
        WrittenBy::Stored => "stored by an earlier start".to_owned(),
        WrittenBy::Replayed => "restored from an earlier start".to_owned(),
    }
}
