//! Who was turned away lately: what is said of it while it lasts.

use std::time::Duration;

use super::{most::Most, turned_away::TurnedAway};
use crate::{ids::Peer, time::Now};

/// How long after the last of them it is over.
const OVER_AFTER: Duration = Duration::from_secs(60);

/// A reason to turn somebody away.
pub trait Reason: Copy {
    /// Its place among all of its kind.
    fn index(self) -> usize;
    /// How many within a minute of each other are worth saying: fewer a person makes who tries something.
    fn worth_saying(self) -> u64;
}

impl Reason for TurnedAway {
    fn index(self) -> usize {
        self.index()
    }

    /// Who finds no place at all may be the operator, and is said at once.
    fn worth_saying(self) -> u64 {
        match self {
            Self::TableFull | Self::PeerShare => 1,
            Self::MadeRoom | Self::FirstFrame | Self::NoToken | Self::FrameTime | Self::ReceivingBytes => 5,
        }
    }
}

/// Those turned away for one reason, each within a minute of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<W = TurnedAway> {
    /// Why.
    pub why: W,
    /// When the first of them was.
    pub since: Now,
    /// When the last of them was.
    pub last: Now,
    /// How many.
    pub count: u64,
    /// Who they were mostly, where that is known.
    pub most: Option<Peer>,
}

/// Those turned away for one reason, with who they were.
#[derive(Clone, Debug)]
struct OngoingSpan<W> {
    span: Span<W>,
    whom: Most<Peer>,
}

/// Who was turned away lately, by reason; `N` is the number of reasons.
#[derive(Clone, Debug)]
pub struct RecentTurnAways<W = TurnedAway, const N: usize = { TurnedAway::ALL.len() }>(
    [Option<OngoingSpan<W>>; N],
);

impl<W: Reason, const N: usize> Default for RecentTurnAways<W, N> {
    fn default() -> Self {
        Self([const { None }; N])
    }
}

impl<W: Reason, const N: usize> RecentTurnAways<W, N> {
    /// So many more were turned away; `whom` has who they were as far as that is known, each with a number of
    /// times. Whether that made it worth saying.
    pub fn record(
        &mut self,
        now: Now,
        why: W,
        count: u64,
        whom: impl IntoIterator<Item = (Peer, u64)>,
    ) -> bool {
        let Some(known) = self.0.get_mut(why.index()).filter(|_| count > 0) else { return false };
        let before = known.take_if(|going| going.span.goes_on(now));
        let OngoingSpan { mut span, whom: mut most } = before.unwrap_or_else(|| OngoingSpan {
            span: Span { why, since: now, last: now, count: 0, most: None },
            whom: Most::default(),
        });
        for (peer, times) in whom {
            most.add(peer, times);
        }
        let had = span.count;
        (span.last, span.count, span.most) = (now, had + count, most.top().cloned());
        *known = Some(OngoingSpan { span, whom: most });
        (had..had + count).contains(&(why.worth_saying() - 1))
    }

    /// Those that go on and are worth saying.
    pub fn current(&self, now: Now) -> impl Iterator<Item = &Span<W>> {
        let is_said = move |span: &&Span<W>| span.goes_on(now) && span.count >= span.why.worth_saying();
        self.0.iter().flatten().map(|going| &going.span).filter(is_said)
    }
}

impl<W> Span<W> {
    fn goes_on(&self, now: Now) -> bool {
        now.mono.since(self.last.mono) < OVER_AFTER
    }

    /// Who they were mostly, as the end of what is said of them.
    #[must_use]
    pub fn most_text(&self) -> String {
        self.most.as_ref().map_or_else(String::new, |peer| format!("; most are from {peer}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_within_a_minute_of_each_other_are_worth_saying_until_a_minute_after_the_last() {
        let mut recent: RecentTurnAways = RecentTurnAways::default();
        let at = |s: u64| Now::at_ms(s * 1_000);
        for n in 0..4 {
            assert!(!recent.record(at(n * 59), TurnedAway::MadeRoom, 1, []));
            assert!(!recent.record(at(n * 61), TurnedAway::FrameTime, 1, []), "each is over before the next");
        }
        assert_eq!(recent.current(at(200)).count(), 0);
        let [one, other] = ["uid 7 pid 1", "10.0.0.1"].map(Peer::new);
        assert!(recent.record(at(200), TurnedAway::MadeRoom, 3, [(other.clone(), 1), (one.clone(), 2)]));
        assert!(!recent.record(at(201), TurnedAway::MadeRoom, 3, [(other, 2)]), "it is said already");
        let most = Some(Peer::new("10.0.0.1"));
        let span = Span { why: TurnedAway::MadeRoom, since: at(0), last: at(201), count: 10, most };
        assert_eq!(recent.current(at(260)).collect::<Vec<_>>(), [&span]);
        assert_eq!(recent.current(at(261)).count(), 0);
        recent.record(at(300), TurnedAway::MadeRoom, 5, [(one.clone(), 1)]);
        assert_eq!(recent.current(at(300)).next().and_then(|span| span.most.as_ref()), Some(&one), "anew");
    }

    #[test]
    fn one_that_finds_no_place_is_worth_saying() {
        for why in [TurnedAway::TableFull, TurnedAway::PeerShare] {
            let mut recent: RecentTurnAways = RecentTurnAways::default();
            assert!(recent.record(Now::at_ms(0), why, 1, []));
            assert_eq!(recent.current(Now::at_ms(1)).map(|span| span.why).collect::<Vec<_>>(), [why]);
            assert!(!recent.record(Now::at_ms(2), why, 1, []), "it is said already");
        }
    }
}
