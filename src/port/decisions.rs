//! Answers to the questions of a trace that came through a console or a command, and so over no topic: what a
//! ladder shows of them.

use std::collections::{HashMap, HashSet};

use super::HopRow;
use crate::{
    ids::{ActionId, Seq},
    runs,
    tap::entry::{Entry, Link},
    time::Mono,
};

/// Where answers come in, as a party.
const THE_STATION: &str = "station";

/// The questions of a trace, and the answers that came over the bus.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    /// When each was asked, and by which entry.
    asked: HashMap<ActionId, (Seq, Mono)>,
    /// Messages of the bus that answer one: they are hops by themselves.
    bus_answers: HashSet<Seq>,
}

impl Decisions {
    /// A message of the bus answers a question.
    pub(super) fn note_bus_answer(&mut self, seq: Seq) {
        self.bus_answers.insert(seq);
    }

    /// A transition of the trace's runs: the hop that it is, if it is an answer that came over no topic.
    pub(super) fn take(&mut self, of: &Entry, told: &runs::Transition) -> Option<HopRow> {
        match told {
            runs::Transition::Asked { action, .. } => {
                self.asked.insert(*action, (of.seq, of.at.mono));
                None
            }
            runs::Transition::Decided { action, verdict, by, .. } => {
                let asked = self.asked.remove(action);
                let came_over_the_bus = of.cause.is_some_and(|cause| self.bus_answers.remove(&cause));
                let by = by.as_ref().filter(|_| !came_over_the_bus)?;
                Some(HopRow {
                    seq: Some(of.seq.0),
                    at_ms: of.at.wall,
                    link: Link::Runs.name().to_owned(),
                    from: by.client.to_string(),
                    to: THE_STATION.to_owned(),
                    topic: None,
                    schema: format!("{}: action.decision", verdict.name()),
                    schema_id: None,
                    frame_len: None,
                    latency_us: asked
                        .map(|(_, at)| u64::try_from(of.at.mono.since(at).as_micros()).unwrap_or(u64::MAX)),
                    cause: asked.map(|(seq, _)| seq.0),
                    reached: None,
                    dropped: None,
                    refused: None,
                    origin: None,
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::TraceId,
        runs::{Asker, AskerKind, NodeRef, Transition as T, Verdict},
        tap::entry::{Transition, What},
        time::{Now, Wall},
    };

    fn entry(seq: u64, ms: u64, cause: Option<u64>, told: &T) -> Entry {
        let what = What::Transition(Transition::Runs(told.clone()));
        Entry {
            seq: Seq(seq),
            at: Now::at_ms(ms),
            link: Link::Runs,
            trace: None,
            cause: cause.map(Seq),
            what,
        }
    }

    #[test]
    fn an_answer_is_a_hop_unless_its_message_was_one_or_nobody_gave_it() {
        let run = TraceId(uuid::Uuid::from_u128(7));
        let action = |n| ActionId(uuid::Uuid::from_u128(n));
        let asked = |n| {
            let node = NodeRef { index: 0, id: "give".into() };
            let (question, inputs) = ("".into(), "".into());
            T::Asked { run, action: action(n), node, expires_at: Wall(9_000), question, inputs }
        };
        let by = || Some(Asker { kind: AskerKind::Tui, client: "operator".into() });
        let decided = |n, verdict, by| T::Decided { run, action: action(n), verdict, by };
        let mut decisions = Decisions::default();
        let mut take = |seq, ms, cause, told: &T| decisions.take(&entry(seq, ms, cause, told), told);
        for n in 1..=3 {
            assert_eq!(take(n, 1_000, None, &asked(u128::from(n))), None);
        }
        let hop = take(4, 3_000, None, &decided(1, Verdict::Rejected, by())).unwrap();
        assert_eq!(
            (hop.from.as_str(), hop.to.as_str(), hop.schema.as_str()),
            ("operator", "station", "rejected: action.decision")
        );
        assert_eq!((hop.latency_us, hop.cause), (Some(2_000_000), Some(1)));
        assert_eq!(take(5, 3_000, None, &decided(2, Verdict::Expired, None)), None);
        decisions.note_bus_answer(Seq(6));
        let told = decided(3, Verdict::Approved, by());
        assert_eq!(decisions.take(&entry(7, 3_000, Some(6), &told), &told), None);
    }
}
