//! A console that comes later: what happened before, as far as the station keeps it.

use proptest::{prelude::*, test_runner::TestRunner};

use super::{
    bus_samples::{AGENT, MONITOR},
    test_console::{TestConsole, applied, connected, dispatched, done, enqueued},
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{PastLoading, Rebuild},
        ui::event::Event,
    },
    ids::{ConnectionId, Seq},
    limits::Limits,
    macp::{Ending, Mode},
    port::{EntriesPage, Keyframe, Snapshot, wire},
    rmp::{Code, Dialect, DropReason, Kind},
    tap::{
        Batch,
        entry::{mpp, station},
    },
};

/// A console since the start of its station, and the states that were noted meanwhile.
pub(super) struct Show {
    pub(super) live: TestConsole,
    keyframes: Vec<(Seq, Vec<u8>)>,
    id: u64,
    /// Sessions and runs that were begun.
    begun: u64,
    /// Those sessions that are open.
    open: Vec<u64>,
}

impl Show {
    pub(super) fn new(columns: u16, rows: u16) -> Self {
        let mut live = TestConsole::of_size(columns, rows);
        live.resync(connected());
        let mut show = Self { live, keyframes: Vec::new(), id: 0, begun: 0, open: Vec::new() };
        show.note_state();
        show
    }

    /// What a snapshot says now.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.live.model.station_state.clone().unwrap()
    }

    fn note_state(&mut self) {
        self.keyframes.push((self.live.tap.last(), self.snapshot().encode()));
    }

    /// The oldest state at a place or behind it, as it is read.
    fn keyframe(&self, from: Seq) -> Option<Keyframe> {
        let (seq, bytes) = self.keyframes.iter().find(|(seq, _)| *seq >= from)?;
        Some(Keyframe { seq: *seq, snapshot: Box::new(Snapshot::decode(bytes).unwrap()) })
    }

    /// One of the things that happen.
    pub(super) fn happen(&mut self, kind: u8) {
        let Self { live, id, begun, open, .. } = self;
        live.pass(37);
        *begun += 1;
        match kind % 16 {
            0..4 => {
                *id += 1;
                live.mpp(enqueued(*id, "default"), "");
                live.mpp(dispatched(*id, "default"), "");
            }
            4 => drop(live.mpp(applied(*id, "default", true), "")),
            5 => drop(live.mpp(done(*id, "default"), "")),
            6 => {
                let words = format!("line {id}");
                live.mpp(mpp::Transition::Logged { level: mpp::Level::Warn }, &words);
            }
            7 => live.station(
                station::Transition::Notice { level: station::Level::Info },
                &format!("notice {id}"),
            ),
            8 => live.refuse(Code::InvalidTtl, b"no frame"),
            9 => live.join(ConnectionId(20 + *id % 7), "agent/late", Kind::Agent, Dialect::Json),
            10 => live.publish("rlp/a", *id, 2, 0),
            11 => {
                live.drop_message(DropReason::BackpressureTimeout, "rlp/a", Some((MONITOR, 1)), *id, 3);
            }
            12 => drop(live.rmp(
                crate::rmp::Transition::Subscribed { session: AGENT, sub: *id % 3, topic: "rlp/a".into() },
                "",
            )),
            14 if !open.is_empty() => {
                let number = open.pop().unwrap_or_default();
                live.closed(number, Ending::Cancelled, "no time");
            }
            13 | 14 => {
                open.push(40 + *begun);
                live.opened(40 + *begun, Mode::Decision, ("what now", &["ann", "bob"]), 60_000);
            }
            _ => live.submitted(60 + *begun, "greet", &super::runs_samples::vote()),
        }
    }
}

/// A console that came later, and what it still has to load.
struct Late {
    stage: TestConsole,
    before: Seq,
    has_all: bool,
    rebuild: Option<Rebuild>,
}

impl Late {
    fn attach(show: &Show) -> Self {
        let live = &show.live;
        let mut stage = TestConsole::of_size(live.ui.columns, live.ui.rows);
        (stage.tap, stage.reader, stage.ms) = (live.tap.clone(), live.tap.reader().unwrap(), live.ms);
        stage.ui.time.await_past();
        stage.model.set_past(PastLoading::Loading { loaded: 0, total: None });
        stage.resync(show.snapshot());
        Self { stage, before: show.live.tap.last().next(), has_all: false, rebuild: None }
    }

    /// Loads the page before.
    fn load(&mut self, show: &Show, limit: u64) {
        let page = EntriesPage::read(&show.live.tap, self.before, Seq(0), limit);
        let entries = wire::entries(&page.entries.0).map(Result::unwrap).collect();
        for batch in Batch::of(entries).into_iter().rev() {
            assert!(self.stage.ui.time.prepend(batch));
        }
        self.before = page.first;
        self.has_all = page.first <= page.oldest;
        self.stage.event(Event::Data);
    }

    fn fold(&mut self, show: &Show, count: u64) {
        let Self { stage, before, rebuild, .. } = self;
        let from = Seq(before.0.saturating_sub(1));
        let fresh = || Rebuild::new(&Limits::default(), &stage.ui.time, show.keyframe(from));
        rebuild.get_or_insert_with(fresh).advance(&stage.ui.time, count);
    }

    /// Loads and folds what is left.
    fn finish(&mut self, show: &Show) {
        self.follow(show);
        while !self.has_all {
            self.load(show, u64::MAX);
        }
        self.fold(show, u64::MAX);
        self.rebuild.take().unwrap().adopt(&mut self.stage.ui.time, &mut self.stage.model);
        self.stage.event(Event::Data);
    }

    /// Takes what happened since.
    fn follow(&mut self, show: &Show) {
        self.stage.ms = show.live.ms;
        self.stage.fold();
    }
}

/// Views by their names, line by line.
pub(super) type Screens = Vec<(&'static str, Vec<String>)>;

/// What these views show, but for what their console holds in memory. Every view is gone to: what one shows
/// may be what is selected in another.
pub(super) fn screens(stage: &mut TestConsole, views: &[ViewId]) -> Screens {
    let is_own = |line: &str| line.contains("kept bytes") || line.contains("checkpoints ");
    let of_view = |view: ViewId| {
        stage.ui.show(view);
        stage.event(Event::Data);
        stage.ui.reconcile_visible(&stage.model);
        let text = views.contains(&view).then(|| stage.text())?;
        Some((view.name(), text.lines().filter(|line| !is_own(line)).map(str::to_owned).collect()))
    };
    ViewId::ALL.into_iter().filter_map(of_view).collect()
}

/// Whether both show the same, whichever view is looked at.
fn assert_equal(live: &mut TestConsole, late: &mut TestConsole) -> Result<(), TestCaseError> {
    late.ms = live.ms;
    assert_same_screens(&screens(live, &ViewId::ALL), &screens(late, &ViewId::ALL))
}

/// Whether both are the same.
pub(super) fn assert_same_screens(live: &Screens, late: &Screens) -> Result<(), TestCaseError> {
    for ((view, live), (_, late)) in live.iter().zip(late) {
        let differs = live.iter().zip(late).filter(|(live, late)| live != late);
        prop_assert_eq!(differs.collect::<Vec<_>>(), [], "{}", view);
        prop_assert_eq!(live.len(), late.len(), "{}", view);
    }
    Ok(())
}

/// What happens before a console comes, meanwhile and after, and how far is stepped back then.
type Evening = (Vec<u8>, Vec<(u8, u64)>, Vec<u8>, usize);

fn an_evening() -> impl Strategy<Value = Evening> {
    (
        prop::collection::vec(any::<u8>(), 1..120),
        prop::collection::vec((any::<u8>(), 0_u64..40), 0..20),
        prop::collection::vec(any::<u8>(), 0..20),
        0_usize..40,
    )
}

fn shows_the_same((before, meanwhile, after, steps): Evening) -> Result<(), TestCaseError> {
    let mut show = Show::new(160, 50);
    for kind in before {
        if kind == 7 {
            show.note_state();
        }
        show.happen(kind);
    }
    let mut late = Late::attach(&show);
    for (kind, count) in meanwhile {
        show.happen(kind);
        late.follow(&show);
        if late.has_all {
            late.fold(&show, count);
        } else {
            late.load(&show, count);
        }
    }
    late.finish(&show);
    for kind in after {
        show.happen(kind);
    }
    late.follow(&show);
    let mut live = show.live;
    assert_equal(&mut live, &mut late.stage)?;
    for _ in 0..steps {
        live.char(',');
        late.stage.char(',');
    }
    assert_equal(&mut live, &mut late.stage)
}

/// In so many evenings, whatever the environment asks for: each takes long.
fn in_evenings(cases: u32) {
    let config = ProptestConfig { cases, ..ProptestConfig::default() };
    TestRunner::new(config).run(&an_evening(), shows_the_same).unwrap();
}

#[test]
fn a_console_that_came_later_shows_what_one_does_that_was_there_all_the_time() {
    in_evenings(12);
}

#[test]
#[ignore = "ten times the test above"]
fn a_console_that_came_later_shows_the_same_in_many_evenings() {
    in_evenings(120);
}

#[test]
fn while_the_past_is_on_its_way_no_pane_says_that_there_was_nothing() {
    let mut show = Show::new(160, 50);
    (0..100).for_each(|kind| show.happen(kind));
    let mut late = Late::attach(&show);
    let nothing = |stage: &mut TestConsole, view| {
        stage.ui.show(view);
        let text = stage.text();
        (text.contains("no entries") || text.contains("no protocol violations"), text)
    };
    for view in ViewId::ALL {
        let (says_nothing, text) = nothing(&mut late.stage, view);
        assert!(!says_nothing && text.contains("loading the past"), "{text}");
    }
    late.load(&show, 20);
    late.stage.model.set_past(PastLoading::Loading { loaded: 20, total: Some(1_234) });
    let text = late.stage.text();
    assert!(text.contains("loading the past: 20 of 1,234 entries"), "{text}");
    late.finish(&show);
    for view in ViewId::ALL {
        let (_, text) = nothing(&mut late.stage, view);
        assert!(!text.contains("loading the past"), "{text}");
    }
}

#[test]
fn without_a_state_to_begin_with_the_past_is_looked_at_and_not_gone_to() {
    let mut show = Show::new(160, 50);
    show.keyframes.clear();
    (0..100).for_each(|kind| show.happen(kind));
    let mut late = Late::attach(&show);
    late.finish(&show);
    show.happen(7);
    late.follow(&show);
    let kept = late.stage.ui.time.entries().len();
    assert_eq!(kept, show.live.ui.time.entries().len(), "all of it stays");
    let stage = &mut late.stage;
    stage.ui.show(ViewId::Journal);
    assert!(stage.text().contains("notice 1"), "{}", stage.text());
    let live = &mut show.live;
    let violations = |stage: &mut TestConsole| {
        let faults =
            stage.model.faults.groups().map(|group| (group.clause(), group.count)).collect::<Vec<_>>();
        (faults, stage.model.faults.count)
    };
    assert_eq!(violations(stage), violations(live));
    stage.char(',');
    stage.char(',');
    assert!(stage.text().contains("oldest entry"), "{}", stage.text());
    assert_eq!(stage.ui.time.entries().len(), kept);
}

#[test]
fn a_station_that_sends_no_past_is_named_with_its_version_and_since_when_this_console_knows() {
    let mut show = Show::new(160, 50);
    show.live.pass(90_000);
    let mut late = Late::attach(&show);
    late.stage.ms = show.live.ms;
    late.stage.ui.time.forgo_past();
    let why = "friday-night runs rl-console 0.3.0, which cannot send its past";
    late.stage.model.set_past(PastLoading::Missing(why.into()));
    late.stage.ui.zoomed = Some(PaneId::Log);
    let text = late.stage.text();
    assert!(text.contains(why) && text.contains("no entries since"), "{text}");
}
