//! What is wrong with the MPLP messages of the bus, folded from what the tap keeps.

use super::{
    local::Inner,
    past::beside,
    violations::{each_unread, each_with_bus},
};
use crate::{
    dissect::mplp::{FindingGroup, FindingLimits, MplpFindings},
    limits::Limits,
    port::{FindingRow, Page, PortError},
    rmp,
    tap::{EntryRef, Reader},
    time::Wall,
};

pub(super) async fn answer(inner: &Inner) -> Result<Page, PortError> {
    let reader =
        inner.tap.reader_from_oldest().map_err(|error| PortError::Busy { what: error.to_string() })?;
    // Of a bus that is down nobody's name is known but those that the tap tells.
    let peers = inner.hosts.bus.snapshot().await.map(|(_, bus)| bus.peers).unwrap_or_default();
    let bus = rmp::Snapshot { peers, ..rmp::Snapshot::default() };
    let limits = inner.limits;
    Ok(Page::Findings(beside(move || rows(reader, bus, &limits)).await?))
}

/// The findings in what a reader has before it, by rule, schema and path. `bus` has the names of its peers,
/// those of before the first entry too.
pub(crate) fn rows(reader: Reader, bus: rmp::Snapshot, limits: &Limits) -> Vec<FindingRow> {
    rows_of(bus, limits, |take| each_unread(reader, take))
}

/// Those in the entries that `each` hands out.
pub(super) fn rows_of(
    bus: rmp::Snapshot,
    limits: &Limits,
    each: impl FnOnce(&mut dyn FnMut(EntryRef<'_>)),
) -> Vec<FindingRow> {
    let mut findings = MplpFindings::new(FindingLimits::new(&limits.mplp));
    let since = each_with_bus(bus, &limits.rmp, each, |entry, bus| {
        // One at a time, so that none finds the others in its way.
        if findings.fold(entry, Some(bus)) {
            findings.judge_all();
        }
    });
    findings.groups().map(|group| row(group, since)).collect()
}

fn row(group: &FindingGroup, since_ms: Wall) -> FindingRow {
    FindingRow {
        rule: group.key.rule.to_string(),
        schema: group.key.schema.to_string(),
        path: group.key.path.to_string(),
        requires: group.requires.to_string(),
        received: group.received.as_deref().map(str::to_owned),
        count: group.count,
        last_at_ms: group.at.wall,
        who: group.who.to_string(),
        session: group.session,
        peer: group.peer.clone(),
        seq: group.seq,
        since_ms,
    }
}
