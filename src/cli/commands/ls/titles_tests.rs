//! What a table is titled with is what a filter takes.

use super::TableRow;
use crate::{
    field::index_of,
    port::{
        AdapterRow, AlertRow, ClientRow, ConfirmationRow, DropRow, EventRow, FindingRow, GateRuleRow,
        HealthRow, InterceptedRow, InvocationRow, ListRow, PeerRow, PluginRow, QueueRow, RefundRow, RunRow,
        SessionRow, StateKeyRow, SubscriptionRow, TopicRow, ViolationRow,
    },
};

/// Titles of a table that are of several fields, or of none: `mode` and figures that a filter cannot name.
const COMPOSITE: [&str; 6] =
    ["brake", "reason or result", "phase or round", "intent or outcome", "#", "inputs"];

fn unfound<R: TableRow + ListRow>() -> Vec<String> {
    let specs = R::LIST.specs();
    let titles = R::COLUMNS.iter().map(|(title, _)| *title).filter(|title| !COMPOSITE.contains(title));
    let is_unfound = |title: &&str| index_of(specs, &title.replace(' ', "_")).is_none();
    titles.filter(is_unfound).map(|title| format!("{}: {title}", R::LIST.name())).collect()
}

#[test]
fn a_filter_takes_the_titles_of_the_table() {
    let unfound = [
        unfound::<QueueRow>(),
        unfound::<EventRow>(),
        unfound::<InvocationRow>(),
        unfound::<StateKeyRow>(),
        unfound::<RefundRow>(),
        unfound::<AdapterRow>(),
        unfound::<HealthRow>(),
        unfound::<AlertRow>(),
        unfound::<TopicRow>(),
        unfound::<PeerRow>(),
        unfound::<SubscriptionRow>(),
        unfound::<DropRow>(),
        unfound::<ClientRow>(),
        unfound::<RunRow>(),
        unfound::<ConfirmationRow>(),
        unfound::<SessionRow>(),
        unfound::<ViolationRow>(),
        unfound::<FindingRow>(),
        unfound::<PluginRow>(),
        unfound::<GateRuleRow>(),
        unfound::<InterceptedRow>(),
    ];
    assert_eq!(unfound.concat(), [""; 0]);
}
