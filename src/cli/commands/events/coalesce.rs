//! As many lines as a person or a screen reader can follow, and a count of what was left out.

use super::{Event, EventLine};
use crate::time::Now;

/// Lines of one kind that are told in a second.
const LINES_PER_S: u64 = 20;

/// Kinds of lines, each with a share of its own, so that a flood of one hides no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rows,
    Log,
    Events,
    Gate,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Rows, Self::Log, Self::Events, Self::Gate];

    /// Its name, after a count. Nothing for what is never left out: it is told at most once a second as it
    /// is.
    const fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Ready { .. }
            | Event::Alert { .. }
            | Event::AlertPassed { .. }
            | Event::State(_)
            | Event::LeftOut { .. }
            | Event::Repeated { .. }
            | Event::Loss { .. }
            | Event::Stopping => None,
            Event::Logged { .. } => Some(Self::Log),
            Event::Gate(_) => Some(Self::Gate),
            Event::Enqueued { .. }
            | Event::Dispatched { .. }
            | Event::Applied { .. }
            | Event::Done { .. }
            | Event::Failed { .. }
            | Event::Refunded { .. }
            | Event::Cancelled { .. }
            | Event::Requeued { .. }
            | Event::LeftApplied { .. }
            | Event::RefundRecorded { .. } => Some(Self::Rows),
            _ => Some(Self::Events),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Rows => "steps of invocations",
            Self::Log => "log lines",
            Self::Events => "events",
            Self::Gate => "frames at the gate",
        }
    }
}

/// Tells what is told from what is counted.
#[derive(Debug, Default)]
pub(in crate::cli::commands) struct Coalescer {
    admitted: [u64; 4],
    left_out: [u64; 4],
    last: Option<Event>,
    repeated: u64,
}

impl Coalescer {
    /// The lines that stand for this one now: itself, before it that the last one came again; or none, when
    /// it is counted instead.
    pub(in crate::cli::commands) fn admit(&mut self, told: EventLine) -> Vec<EventLine> {
        let Some(kind) = Kind::of(&told.event) else {
            self.last = None;
            return self.repeats(told.at_ms).into_iter().chain([told]).collect();
        };
        if self.last.as_ref() == Some(&told.event) {
            self.repeated += 1;
            return Vec::new();
        }
        let at = kind as usize;
        if self.admitted[at] >= LINES_PER_S {
            self.left_out[at] += 1;
            return Vec::new();
        }
        self.admitted[at] += 1;
        let before = self.repeats(told.at_ms);
        self.last = Some(told.event.clone());
        before.into_iter().chain([told]).collect()
    }

    fn repeats(&mut self, at_ms: Option<crate::time::Wall>) -> Option<EventLine> {
        let count = std::mem::take(&mut self.repeated);
        (count > 0).then_some(EventLine { event: Event::Repeated { count }, at_ms })
    }

    /// A second is over: the lines that stand for what was counted in it.
    pub(in crate::cli::commands) fn close(&mut self, now: Now) -> Vec<EventLine> {
        let repeated = self.repeats(Some(now.wall));
        self.admitted = [0; 4];
        let left_out = std::mem::take(&mut self.left_out);
        let counts = Kind::ALL.into_iter().zip(left_out).filter(|(_, count)| *count > 0);
        let counts =
            counts.map(|(kind, count)| EventLine::now(now, Event::LeftOut { what: kind.name(), count }));
        repeated.into_iter().chain(counts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::gate::GateEvent, *};
    use crate::tap::entry::station::Level;

    fn log(text: &str) -> EventLine {
        EventLine::now(Now::at_ms(0), Event::Logged { level: Level::Info, text: text.to_owned() })
    }

    fn count(told: &[EventLine]) -> Vec<&Event> {
        told.iter().map(|told| &told.event).collect()
    }

    #[test]
    fn a_flood_is_counted_and_hides_nothing_of_another_kind() {
        let mut pace = Coalescer::default();
        let shown: usize = (0..4_232).map(|n| pace.admit(log(&n.to_string())).len()).sum();
        assert_eq!(shown, 20);
        assert_eq!(pace.admit(EventLine::now(Now::at_ms(0), Event::StoreWell)).len(), 1);
        let alert =
            Event::Alert { alert: "disk_low".into(), subject: "".into(), text: "".into(), to_do: Vec::new() };
        assert_eq!(
            (0..50).map(|_| pace.admit(EventLine::now(Now::at_ms(0), alert.clone())).len()).sum::<usize>(),
            50
        );
        let closed = pace.close(Now::at_ms(1_000));
        assert_eq!(count(&closed), [&Event::LeftOut { what: "log lines", count: 4_212 }]);
        assert!(
            closed[0]
                .line(
                    &crate::cli::table::LocalClock::new(closed[0].at_ms.unwrap()),
                    super::super::Detail::Everything
                )
                .ends_with("… 4,212 more log lines")
        );
        assert_eq!(pace.close(Now::at_ms(2_000)), []);
        assert_eq!(pace.admit(log("again")).len(), 1, "another second has room again");
    }

    #[test]
    fn a_flood_at_the_gate_is_counted_by_itself() {
        let passed = |frame| {
            let (link, how) = (crate::tap::entry::Link::Rmp, crate::tap::entry::gate::Passing::Delayed);
            EventLine::now(Now::at_ms(0), Event::Gate(GateEvent::Passed { frame, link, how, by: None }))
        };
        let mut pace = Coalescer::default();
        assert_eq!((0..100).map(|frame| pace.admit(passed(frame)).len()).sum::<usize>(), 20);
        assert_eq!(
            count(&pace.close(Now::at_ms(1_000))),
            [&Event::LeftOut { what: "frames at the gate", count: 80 }]
        );
    }

    #[test]
    fn what_comes_again_is_counted_wherever_it_stands() {
        let mut pace = Coalescer::default();
        assert_eq!(pace.admit(log("tick")).len(), 1);
        for _ in 0..1_000 {
            assert_eq!(pace.admit(log("tick")), []);
        }
        assert_eq!(count(&pace.admit(log("tock"))), [&Event::Repeated { count: 1_000 }, &log("tock").event]);
        pace.admit(log("tock"));
        assert_eq!(count(&pace.close(Now::at_ms(1_000))), [&Event::Repeated { count: 1 }]);
        assert_eq!(pace.admit(log("tock")), [], "a second later it is still the same");
        assert_eq!(pace.close(Now::at_ms(2_000)).len(), 1);
    }
}
