//! What peers broke, folded from what the tap keeps.

use super::{local::Inner, past::beside};
use crate::{
    dissect::{FaultGroup, Faults},
    limits,
    port::{Page, PortError, ViolationRow},
    rmp::{self, Transition as T},
    tap::{
        EntryRef, Reader,
        entry::{Transition, What},
    },
    time::Wall,
};

pub(super) async fn answer(inner: &Inner) -> Result<Page, PortError> {
    let reader =
        inner.tap.reader_from_oldest().map_err(|error| PortError::Busy { what: error.to_string() })?;
    // Of a bus that is down nobody's name is known but those that the tap tells.
    let peers = inner.hosts.bus.snapshot().await.map(|(_, bus)| bus.peers).unwrap_or_default();
    let bus = rmp::Snapshot { peers, ..rmp::Snapshot::default() };
    let limits = inner.limits.rmp;
    Ok(Page::Violations(beside(move || rows(reader, bus, &limits)).await?))
}

/// The violations in what a reader has before it, by clause. `bus` has the names of its peers, those of
/// before the first entry too.
pub(crate) fn rows(reader: Reader, bus: rmp::Snapshot, limits: &limits::Rmp) -> Vec<ViolationRow> {
    rows_of(bus, limits, |take| each_unread(reader, take))
}

/// Those in the entries that `each` hands out.
pub(super) fn rows_of(
    bus: rmp::Snapshot,
    limits: &limits::Rmp,
    each: impl FnOnce(&mut dyn FnMut(EntryRef<'_>)),
) -> Vec<ViolationRow> {
    let mut faults = Faults::default();
    let since = each_with_bus(bus, limits, each, |entry, bus| faults.fold(entry, Some(bus)));
    faults.groups().map(|group| row(group, since)).collect()
}

/// Takes the entries that a reader has before it.
pub(super) fn each_unread(mut reader: Reader, take: &mut dyn FnMut(EntryRef<'_>)) {
    // What comes meanwhile is of the next answer.
    let mut left = reader.lag();
    while left > 0 {
        let Some(batch) = reader.read() else { break };
        left = left.saturating_sub(batch.lost + batch.len() as u64);
        batch.iter().for_each(&mut *take);
    }
}

/// Takes the entries that `each` hands out, each with the bus as it was before it; when the first of them
/// was.
pub(super) fn each_with_bus(
    mut bus: rmp::Snapshot,
    limits: &limits::Rmp,
    each: impl FnOnce(&mut dyn FnMut(EntryRef<'_>)),
    mut take: impl FnMut(EntryRef<'_>, &rmp::Snapshot),
) -> Wall {
    let mut since = None;
    each(&mut |entry| {
        since.get_or_insert(entry.entry.at.wall);
        take(entry, &bus);
        if let What::Transition(Transition::Rmp(
            T::Connected { .. } | T::Greeted { .. } | T::Disconnected { .. },
        )) = &entry.entry.what
        {
            bus.apply(entry.entry, "", limits);
        }
    });
    since.unwrap_or_default()
}

fn row(group: &FaultGroup, since_ms: Wall) -> ViolationRow {
    ViolationRow {
        clause: group.clause().to_owned(),
        count: group.count,
        last_at_ms: group.at.wall,
        violation: group.breach.text(),
        who: group.offender.to_string(),
        session: group.session,
        peer: group.peer.clone(),
        frame: group.frame.map(str::to_owned),
        told: group.reply.as_deref().map(str::to_owned),
        since_ms,
    }
}
