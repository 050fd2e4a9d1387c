//! The ladder of the trace that is shown, made of the entries that are kept and carried on with what comes.

use crate::{
    console::{
        draw::glyphs::Glyphs,
        model::{EntryBuffer, Model},
    },
    ids::{Seq, TraceId},
    port::{HopRow, Ladder, sequence_diagram},
};

/// Lanes at most: of the parties that come first, and one that the rest share.
pub(crate) const LANES_MAX: u16 = 9;
/// Who only listens, whatever the topic.
const LISTENERS: &str = "*";

/// Where a hop leaves and where it arrives, in lanes from the left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HopLanes {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Lanes that there are.
    pub(crate) lanes: usize,
}

impl HopLanes {
    /// The way of the hop between the lanes.
    pub(crate) fn drawn(self, glyphs: &Glyphs) -> String {
        let Self { from, to, lanes } = self;
        let (left, right) = (from.min(to), from.max(to));
        let mut drawn = String::new();
        for lane in 0..lanes {
            drawn.push_str(match lane {
                _ if lane == to && from < to => glyphs.into,
                _ if lane == to && from > to => glyphs.out,
                _ if lane == from => glyphs.well,
                _ if (left..right).contains(&lane) => glyphs.horizontal,
                _ => glyphs.vertical,
            });
            if lane + 1 < lanes {
                let between = if (left..right).contains(&lane) { glyphs.horizontal } else { " " };
                drawn.push_str(&between.repeat(2));
            }
        }
        drawn
    }
}

/// The ladder of the trace that is shown.
#[derive(Debug, Default)]
pub(crate) struct LadderView {
    ladder: Option<Ladder>,
    /// Parties that have a lane of their own.
    lanes: Vec<String>,
    /// Whether others share the lane behind theirs.
    has_others: bool,
    /// Hops that have their lanes.
    hops_with_lanes: usize,
    /// Hops are cut up to this entry, and so many of them.
    after: Seq,
    cut: u64,
    /// The index of the first entry that was kept as folding began, and of the next to be folded.
    begun: u64,
    next: u64,
    /// The entry that was folded last.
    last: Option<Seq>,
}

/// To whom a hop goes: to all who listen, where its topic is nobody's own.
fn receiver(hop: &HopRow) -> &str {
    let is_anybodys = hop.topic.as_deref() == Some(&*hop.to) && !hop.to.starts_with("agent/");
    if is_anybodys { LISTENERS } else { &hop.to }
}

impl LadderView {
    /// Turns to a trace, unless it is the one that is shown, or the station was started again meanwhile.
    /// It begins again where entries came from before those that it began with. Whether it turned.
    pub(crate) fn switch_to(
        &mut self,
        trace: Option<TraceId>,
        kept: &EntryBuffer,
        model: &Model,
        hops_max: u64,
    ) -> bool {
        let is_other_tap = self.last.is_some_and(|last| kept.last_seq().is_some_and(|newest| newest < last));
        if !is_other_tap && self.trace() == trace {
            if kept.first() < self.begun {
                self.lanes.clear();
                self.has_others = false;
                self.begin(trace, kept, model, hops_max);
            }
            return false;
        }
        *self = Self::default();
        self.begin(trace, kept, model, hops_max);
        true
    }

    fn begin(&mut self, trace: Option<TraceId>, kept: &EntryBuffer, model: &Model, hops_max: u64) {
        self.ladder = trace.map(|trace| Ladder::new(trace, true, self.after, hops_max));
        if let (Some(ladder), Some(rmp)) = (&mut self.ladder, model.rmp()) {
            ladder.observe_peers(rmp);
        }
        (self.begun, self.next, self.hops_with_lanes) = (kept.first(), kept.first(), 0);
    }

    /// Whose it is.
    pub(crate) fn trace(&self) -> Option<TraceId> {
        self.ladder.as_ref().map(Ladder::trace)
    }

    /// It as a sequence diagram, as far as it is folded; nothing of no hop.
    pub(crate) fn diagram(&self) -> Option<String> {
        let hops = self.all_hops();
        (!hops.is_empty()).then(|| sequence_diagram(hops).join("\n") + "\n")
    }

    fn all_hops(&self) -> &[HopRow] {
        self.ladder.as_ref().map_or(&[], Ladder::rows)
    }

    /// Folds what came since, at most so many entries.
    pub(crate) fn advance(&mut self, kept: &EntryBuffer, entries: u64) {
        let Some(ladder) = &mut self.ladder else { return };
        let from = self.next.max(kept.first());
        let to = kept.end().min(from.saturating_add(entries));
        for (_, entry) in kept.range(from..to) {
            ladder.take(entry);
            self.last = Some(entry.entry.seq);
        }
        self.next = to;
        for hop in ladder.rows().iter().skip(self.hops_with_lanes) {
            for lane in [&*hop.from, receiver(hop)] {
                if self.lanes.iter().any(|known| known == lane) {
                    continue;
                }
                if self.lanes.len() + 1 < usize::from(LANES_MAX) {
                    self.lanes.push(lane.to_owned());
                } else {
                    self.has_others = true;
                }
            }
        }
        self.hops_with_lanes = ladder.rows().len();
    }

    /// Where it is full, the older half is cut, and the rest is made anew.
    pub(crate) fn make_room(&mut self, kept: &EntryBuffer, model: &Model, hops_max: u64) {
        if !self.ladder.as_ref().is_some_and(Ladder::has_more) {
            return;
        }
        let half = self.all_hops().len() / 2;
        let Some(seq) = self.all_hops().get(half).and_then(|hop| hop.seq) else { return };
        self.cut += half as u64 + 1;
        self.after = Seq(seq);
        let trace = self.trace();
        self.begin(trace, kept, model, hops_max);
    }

    /// The index behind the last entry that was folded.
    pub(crate) const fn folded(&self) -> u64 {
        self.next
    }

    /// Whether kept entries were not folded yet.
    pub(crate) fn is_behind(&self, kept: &EntryBuffer) -> bool {
        self.ladder.is_some() && self.next < kept.end()
    }

    /// The hops up to a moment, the oldest first.
    pub(crate) fn hops(&self, until: Option<Seq>) -> impl Iterator<Item = &HopRow> {
        self.all_hops()
            .iter()
            .take_while(move |hop| until.is_none_or(|until| hop.seq.is_none_or(|seq| seq <= until.0)))
    }

    /// Older hops that were cut.
    pub(crate) const fn cut(&self) -> u64 {
        self.cut
    }

    /// Where a hop leaves and arrives.
    pub(crate) fn lanes_of(&self, hop: &HopRow) -> HopLanes {
        let lane =
            |party: &str| self.lanes.iter().position(|known| known == party).unwrap_or(self.lanes.len());
        HopLanes {
            from: lane(&hop.from),
            to: lane(receiver(hop)),
            lanes: self.lanes.len() + usize::from(self.has_others),
        }
    }

    /// Whose the lanes are, from the left.
    pub(crate) fn lane_names(&self) -> impl Iterator<Item = &str> {
        let named =
            self.lanes.iter().map(|lane| if lane == LISTENERS { "subscribers" } else { lane.as_str() });
        named.chain(self.has_others.then_some("others"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::draw::glyphs;

    #[test]
    fn a_way_leads_from_lane_to_lane_over_those_between() {
        let drawn = |from, to| HopLanes { from, to, lanes: 4 }.drawn(&glyphs::UNICODE);
        assert_eq!(drawn(0, 1), "●──▸  │  │");
        assert_eq!(drawn(3, 1), "│  ◂─────●");
        assert_eq!(drawn(0, 3), "●────────▸");
        assert_eq!(drawn(2, 2), "│  │  ●  │");
        assert_eq!(HopLanes { from: 1, to: 0, lanes: 2 }.drawn(&glyphs::ASCII), "<--*");
    }
}
