//! What of the bus is cause for an alert.

use std::{collections::VecDeque, time::Duration};

use crate::{
    admission::{Port, RecentTurnAways},
    dissect::rmp::drop_word,
    port::Snapshot,
    rmp,
    rmp::{DropReason, DropView, Listener, Transition as T},
    station::alerts::{CauseKind, Evidence, Findings, Watch, Watching},
    tap::{
        EntryRef,
        entry::{Link, Transition, What},
    },
    time::Now,
    words::format,
};

pub(crate) static HOST_DOWN: CauseKind = CauseKind::host_down(Link::Rmp);
/// Connections of the bus are turned away for this reason, one after another.
pub(crate) static TURNED_AWAY: CauseKind = CauseKind::turned_away(Link::Rmp, Port::Rmp);
/// The bus's socket is not bound or accepts nothing.
pub(crate) static SOCKET_DOWN: CauseKind = CauseKind::new("socket_down", Link::Rmp, "rmp");
/// Messages of the bus do not reach their subscribers, and it goes on.
pub(crate) static DROPPING: CauseKind = CauseKind::new("dropping", Link::Rmp, "rmp");

/// Ten-second spans in a row in each of which something was dropped, before that is cause for an alert.
const DROPPING_BUCKETS: usize = 3;
const MINUTE: Duration = Duration::from_secs(60);

/// Messages that did not reach somebody, by spans of ten seconds of monotonic time: those of the last minute.
#[derive(Debug, Default)]
struct RecentDrops(VecDeque<DropSpan>);

#[derive(Debug)]
struct DropSpan {
    number: u64,
    /// When the first came in it.
    first: Now,
    count: u64,
}

const SPANS_A_MINUTE: u64 = 6;

fn span_of(at: Now) -> u64 {
    at.mono.0 / 10_000_000_000
}

impl RecentDrops {
    fn add(&mut self, at: Now, count: u64) {
        let number = span_of(at);
        match self.0.back_mut() {
            Some(last) if last.number >= number => last.count = last.count.saturating_add(count),
            _ => self.0.push_back(DropSpan { number, first: at, count }),
        }
        self.0.retain(|span| span.number + SPANS_A_MINUTE > number);
    }

    fn per_minute(&self, now: Now) -> u64 {
        let recent = self.0.iter().filter(|span| span.number + SPANS_A_MINUTE > span_of(now));
        recent.map(|span| span.count).fold(0, u64::saturating_add)
    }

    /// When the first came of a row of so many spans up to the present or the last one, in each of which
    /// something was dropped.
    fn steady_since(&self, spans: usize, now: Now) -> Option<Now> {
        let last = self.0.back().filter(|last| last.number + 1 >= span_of(now))?.number;
        let row = self.0.iter().rev().zip(0..).take_while(|(span, back)| span.number + back == last);
        let row: Vec<_> = row.map(|(span, _)| span.first).collect();
        row.last().copied().filter(|_| row.len() >= spans)
    }
}

/// Whose most of the drops of the last minute are.
fn most_text(rmp: &rmp::Snapshot, now: Now) -> String {
    let recent = rmp.drops.iter().filter(|drop| now.mono.since(drop.at.mono) < MINUTE);
    let Some(most) = recent.max_by_key(|drop| drop.count) else { return String::new() };
    let DropView { reason, topic, to, to_client, from, from_client, .. } = most;
    let (client, session) = match (reason, to, from) {
        (DropReason::BackpressureTimeout | DropReason::TtlExpired, Some((session, _)), _) => {
            (to_client, Some(session))
        }
        (_, _, session) => (from_client, session.as_ref()),
    };
    let client = client.as_deref().filter(|name| !name.is_empty());
    let whose = match (client, session) {
        (Some(client), Some(session)) => format!("{client} (session {session})"),
        (None, Some(session)) => format!("session {session}"),
        (_, None) => "the station".to_owned(),
    };
    format!(", most: {} on {topic}, {whose}", drop_word(*reason).replace('_', " "))
}

/// The bus's memory for its alerts.
#[derive(Debug, Default)]
pub(crate) struct BusWatch {
    turned_away: RecentTurnAways,
    drops: RecentDrops,
}

impl Watch for BusWatch {
    #[cfg(test)]
    const KINDS: &[&'static CauseKind] = &[&HOST_DOWN, &TURNED_AWAY, &SOCKET_DOWN, &DROPPING];

    fn seed(&mut self, _: &Snapshot) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Watching<'_>) {
        if let What::Transition(Transition::Rmp(T::Dropped { count, .. })) = &entry.entry.what {
            self.drops.add(entry.entry.at, *count);
        }
        if let What::Transition(Transition::Rmp(T::Disconnected { session, cause })) = &entry.entry.what
            && let Some(why) = cause.turned_away()
            && !cx.is_in_snapshot
        {
            let known = cx.before.and_then(|before| before.rmp.peers.get(session));
            self.turned_away.record(entry.entry.at, why, 1, known.map(|known| (known.peer.clone(), 1)));
        }
    }

    fn judge(&mut self, evidence: &Evidence<'_>, findings: &mut Findings) {
        if findings.check_host(&HOST_DOWN, evidence) {
            return;
        }
        let Evidence { state, now, .. } = *evidence;
        if let Listener::Down(why) = &state.rmp.listener {
            findings.add(SOCKET_DOWN.cause(), now, format!("the bus socket is down: {why}"));
        }
        findings.add_turned_away(&TURNED_AWAY, Port::Rmp, &self.turned_away, now);
        let Some(since) = self.drops.steady_since(DROPPING_BUCKETS, now) else { return };
        let (count, whose) = (format::count(self.drops.per_minute(now)), most_text(&state.rmp, now));
        let text = format!("bus messages are being dropped: {count} in the last minute{whose}");
        findings.add(DROPPING.cause(), since, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_steady_while_no_span_is_empty() {
        let mut flow = RecentDrops::default();
        for ms in [5_000, 15_000, 25_000] {
            flow.add(Now::at_ms(ms), 1);
        }
        assert_eq!(flow.steady_since(3, Now::at_ms(29_000)).map(|at| at.mono), Some(Now::at_ms(5_000).mono));
        assert_eq!(
            flow.steady_since(3, Now::at_ms(39_999)).map(|at| at.mono),
            Some(Now::at_ms(5_000).mono),
            "the present one may be young"
        );
        assert_eq!(
            (flow.steady_since(3, Now::at_ms(40_000)), flow.steady_since(4, Now::at_ms(29_000))),
            (None, None)
        );
    }
}
