//! Rules, passes, drops and edits at random, while something else works.

use std::{collections::BTreeMap, time::Duration};

use rl_console::{
    port::{
        Arm, Command, GateCommand, GateOutcome, Operator, Outcome, Page, PageBytes, PortError, Query, Way,
    },
    tap::{
        entry::{Direction, Link, What},
        recorded::OwnedEntry,
    },
};
use tokio::runtime::Runtime;

/// Rules that are armed in one run at most.
const RULES_MAX: u32 = 12;

/// What a core gets, by connection and in its order.
pub(super) type Heard = BTreeMap<String, Vec<String>>;

/// How frames of a link are compared.
pub(super) struct Sight {
    pub(super) link: Link,
    /// The connection of a frame and what it says; nothing of one that is not compared.
    pub(super) read: fn(&[u8]) -> Option<(String, String)>,
    /// A frame that goes this way, with an edit; nothing of one that may neither be edited nor dropped.
    pub(super) edited: fn(Way, &[u8]) -> Option<Vec<u8>>,
    /// Whether one that may be edited may be dropped as well.
    pub(super) may_drop: fn(&[u8]) -> bool,
    /// What rules are made of.
    pub(super) filters: &'static [&'static str],
}

impl Sight {
    /// What came of the link, as the tap has it.
    pub(super) fn heard<'a>(&self, entries: impl IntoIterator<Item = &'a OwnedEntry>) -> Heard {
        let mut heard = Heard::new();
        for it in entries {
            let What::Frame(frame) = &it.entry.what else { continue };
            if it.entry.link == self.link
                && frame.direction == Direction::Inbound
                && let Some((connection, says)) = (self.read)(&it.bytes)
            {
                heard.entry(connection).or_default().push(says);
            }
        }
        heard
    }
}

/// Who holds frames at random.
pub(super) struct Meddler<'a> {
    runtime: &'a Runtime,
    operator: &'a dyn Operator,
    sight: &'a Sight,
    chance: fastrand::Rng,
    rules: u32,
    /// Frames that were held and decided on.
    pub(super) decided: u32,
    changes: Vec<Change>,
}

/// What was dropped, or edited.
struct Change {
    way: Way,
    was: Vec<u8>,
    is: Option<Vec<u8>>,
}

impl<'a> Meddler<'a> {
    pub(super) fn new(runtime: &'a Runtime, operator: &'a dyn Operator, sight: &'a Sight, seed: u64) -> Self {
        let chance = fastrand::Rng::with_seed(seed);
        let mut it = Self { runtime, operator, sight, chance, rules: 0, decided: 0, changes: Vec::new() };
        // So that some are held in any case.
        it.arm_for(sight.filters[0], None, Some(20));
        it.arm();
        it
    }

    /// Arms, passes, drops and edits until that is done; then all passes.
    pub(super) fn until(&mut self, is_done: impl Fn() -> bool) {
        while !is_done() {
            if self.chance.u8(..16) == 0 {
                self.arm();
            }
            self.decide();
            std::thread::sleep(Duration::from_millis(1));
        }
        self.gate(GateCommand::Disarm { rule: None });
    }

    /// What the twin has heard, changed as it was changed here on these ways.
    pub(super) fn changed(&self, twin: Heard, ways: &[Way]) -> Heard {
        let changes: Vec<_> = self
            .changes
            .iter()
            .filter(|change| ways.contains(&change.way))
            .map(|Change { was, is, .. }| {
                let read = |bytes: &[u8]| (self.sight.read)(bytes).unwrap();
                (read(was), is.as_deref().map(|bytes| read(bytes).1))
            })
            .collect();
        let change = |of: &str, says: String| match changes
            .iter()
            .find(|((connection, was), _)| connection == of && *was == says)
        {
            Some((_, is)) => is.clone(),
            None => Some(says),
        };
        let as_here = |(of, all): (String, Vec<String>)| {
            let all = all.into_iter().filter_map(|says| change(&of, says)).collect();
            (of, all)
        };
        twin.into_iter().map(as_here).collect()
    }

    /// How many were dropped, and how many edited.
    pub(super) fn change_counts(&self) -> (usize, usize) {
        let edited = self.changes.iter().filter(|change| change.is.is_some()).count();
        (self.changes.len() - edited, edited)
    }

    fn arm(&mut self) {
        if self.rules == RULES_MAX {
            return;
        }
        let filter = self.sight.filters[self.chance.usize(..self.sight.filters.len())];
        let way = [None, Some(Way::In), Some(Way::Out)][self.chance.usize(..3)];
        let frames_max = self.chance.bool().then(|| self.chance.u64(1..20));
        self.arm_for(filter, way, frames_max);
    }

    fn arm_for(&mut self, filter: &str, way: Option<Way>, frames_max: Option<u64>) {
        self.rules += 1;
        let filter = filter.to_owned();
        self.gate(GateCommand::Arm(Arm { filter, way, frames_max, ..Arm::default() }));
    }

    /// Decides on one of the held frames, or lets all pass.
    fn decide(&mut self) {
        let Ok(Page::Intercepted(held)) = self.query(Query::Intercepted) else { panic!("held frames") };
        if held.is_empty() {
            return;
        }
        let frame = held[self.chance.usize(..held.len())].frame;
        let Ok(Page::InterceptedFrame(whole)) = self.query(Query::InterceptedFrame { frame }) else {
            return;
        };
        let (way, was) = (whole.row.way, whole.bytes.0);
        let edited = (self.sight.edited)(way, &was);
        let deed = match (self.chance.u8(..5), &edited) {
            (0, Some(_)) if (self.sight.may_drop)(&was) => GateCommand::Drop { frames: vec![frame] },
            (1, Some(to)) => GateCommand::Edit { frame, bytes: PageBytes(to.clone()), keeps: false },
            (2, _) => GateCommand::Pass { frames: Vec::new() },
            _ => GateCommand::Pass { frames: vec![frame] },
        };
        let change = match &deed {
            GateCommand::Drop { .. } => Some(None),
            GateCommand::Edit { .. } => Some(edited),
            _ => None,
        };
        // Nobody else decides, but its connection may have ended meanwhile.
        if self.gate(deed).is_some() {
            self.decided += 1;
            self.changes.extend(change.map(|is| Change { way, was, is }));
        }
    }

    fn query(&self, query: Query) -> Result<Page, PortError> {
        self.runtime.block_on(self.operator.query(query))
    }

    fn gate(&self, command: GateCommand) -> Option<GateOutcome> {
        match self.runtime.block_on(self.operator.command(Command::Gate(command))) {
            Ok(Outcome::Gate(outcome)) => Some(outcome),
            Err(PortError::Gate(error)) if error.code() != "bad_filter" => None,
            other => panic!("{other:?}"),
        }
    }
}
