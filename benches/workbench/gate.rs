//! What the gate costs hosts, open and closed, beside hosts without one.

use std::{cell::RefCell, hint::black_box, sync::Arc};

use criterion::Criterion;
use rl_console::{
    gate::{Gate, Matcher, NewRule, OnTimeout, Owner, Then},
    limits,
    station::gate_matchers,
    tap::{
        Tap,
        entry::{Direction, Link, station::OperatedBy},
    },
    time::Clock,
};

use crate::{
    Result,
    hosts::{Bridge, Bus, Host, Rates, Sessions},
    report::{Bound, Report, median, number},
};

/// Looks in one measurement at least: fewer are criterion's warming up.
const LOOKS_MIN: u64 = 1_000_000;
/// What a closed gate may take for a frame, in ns.
const CLOSED_NS_MAX: f64 = 5.0;
/// What hosts keep of their rate at least: the gate is armed on another link, armed on theirs for what never
/// comes.
const ELSEWHERE_MIN: f64 = 0.95;
const HERE_MIN: f64 = 0.90;

/// The filter of a rule for what never comes.
const NOTHING: &str = "kind:nothing";

/// The topic whose messages are held, and the filter of a rule for them.
const HELD_TOPIC: &str = "bench/held";
const HELD: &str = "topic:bench/held";
/// How long a frame is held, in ms: longer than all rounds take.
const HOLD_MS: u64 = 600_000;

/// How the gate of a host is.
#[derive(Clone, Copy, Debug)]
enum State {
    None,
    /// The same again: how far two hosts without a gate are from each other.
    NoneAgain,
    Closed,
    Elsewhere,
    Here,
    /// As `Here`, by what each frame says rather than by its type.
    Reading,
}

/// What a host keeps of its rate at least.
#[derive(Clone, Copy, Debug)]
enum Least {
    Of(f64),
    /// As much as two hosts without a gate have of each other's.
    OfTwo,
    Unbounded,
}

impl State {
    const ALL: [Self; 6] =
        [Self::None, Self::NoneAgain, Self::Closed, Self::Elsewhere, Self::Here, Self::Reading];

    /// What it is called, and what a host keeps of its rate at least.
    const fn bound(self) -> Option<(&'static str, Least)> {
        match self {
            Self::None => None,
            Self::NoneAgain => Some(("no gate either", Least::Unbounded)),
            Self::Closed => Some(("closed", Least::OfTwo)),
            Self::Elsewhere => Some(("armed on another link", Least::Of(ELSEWHERE_MIN))),
            Self::Here => Some(("armed, matching nothing", Least::Of(HERE_MIN))),
            Self::Reading => Some(("armed, reading every frame", Least::Unbounded)),
        }
    }

    /// The gate of a host of this link.
    fn gate(self, link: Link) -> Result<Gate> {
        Ok(match self {
            Self::None | Self::NoneAgain => Gate::none(),
            Self::Closed => Gate::new(limits::Gate::default(), false),
            Self::Elsewhere => {
                let other = Link::ALL.into_iter().find(|it| *it != link && *it != Link::Station);
                armed(NOTHING, false, other.unwrap_or(link))?
            }
            Self::Here => armed(NOTHING, false, link)?,
            Self::Reading => armed(NOTHING, true, link)?,
        })
    }
}

/// A gate with a rule on a link: by a filter, or by a closure that looks at each frame and finds nothing.
fn armed(filter: &str, reads_all: bool, link: Link) -> Result<Gate> {
    let gate = Gate::new(limits::Gate { hold_ms_max: HOLD_MS, ..limits::Gate::default() }, false);
    let now = Clock::start().now();
    let (mut matcher, mut class_matcher) = gate_matchers(filter, now)?;
    if reads_all {
        let reading: Matcher = Arc::new(|entry, _| entry.bytes.is_empty());
        (matcher, class_matcher) = (reading, None);
    }
    let rule = NewRule {
        by: OperatedBy::own_console(),
        owner: Owner::Nobody,
        filter: Arc::from(filter),
        links: vec![link],
        direction: None,
        asks_verdict: false,
        matcher,
        class_matcher,
        then: Then::Intercept,
        on_timeout: OnTimeout::Pass,
        frames_max: None,
        per_mille: 1_000,
        seed: 1,
        for_ms: 3_600_000,
    };
    gate.arm(now, rule).map_err(|error| format!("{error:?}"))?;
    Ok(gate)
}

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    looks(report);
    neighbours(report)?;
    host::<Bus>(Link::Rmp, report)?;
    host::<Bridge>(Link::Mpp, report)?;
    host::<Sessions>(Link::Macp, report)
}

/// A host's look at a closed gate, as criterion measures it.
fn looks(report: &mut Report) {
    let (gate, clock) = (Gate::new(limits::Gate::default(), false), Clock::start());
    let times = RefCell::new(Vec::new());
    Criterion::default().bench_function("a closed gate, for a frame", |bencher| {
        bencher.iter_custom(|looks| {
            let began = clock.mono();
            for _ in 0..looks {
                black_box(black_box(&gate).is_armed(Link::Rmp, Direction::Inbound));
            }
            let took = clock.mono().since(began);
            if looks >= LOOKS_MIN {
                times.borrow_mut().push(took.as_secs_f64() * 1e9 / number(looks));
            }
            took
        });
    });
    report.bound("a closed gate, for a frame", median(&times.borrow()), Bound::AtMost(CLOSED_NS_MAX), " ns");
}

/// A bus with a client whose frame is held, beside one without: its other connections.
fn neighbours(report: &mut Report) -> Result<()> {
    let gates = [armed(HELD, false, Link::Rmp)?, armed(HELD, false, Link::Rmp)?];
    let start = |gate: &Gate| Bus::start(gate.clone(), Tap::new(limits::Tap::default()));
    let mut hosts = gates.iter().map(start).collect::<Result<Vec<_>>>()?;
    hosts[1].publish_beside(HELD_TOPIC)?;
    let rates = Rates::of(&mut hosts)?;
    let held = gates.each_ref().map(|gate| gate.held().len());
    if held != [0, 1] {
        return Err(format!("{held:?} frames were held").into());
    }
    report.bound(
        "the bus, a frame held of a neighbour: of that without",
        rates.of_first(1),
        Bound::AtLeast(HERE_MIN),
        "",
    );
    Ok(())
}

fn host<H: Host>(link: Link, report: &mut Report) -> Result<()> {
    let start = |state: &State| H::start(state.gate(link)?, Tap::new(limits::Tap::default()));
    let mut hosts = State::ALL.iter().map(start).collect::<Result<Vec<H>>>()?;
    let rates = Rates::of(&mut hosts)?;
    let name = H::NAME;
    Report::figure(&format!("{name}, no gate"), &format!("{:.0} /s", rates.first()));
    for (host, state) in State::ALL.iter().enumerate() {
        let Some((what, least)) = state.bound() else { continue };
        let (name, of_that) = (format!("{name}, {what}: of that"), rates.of_first(host));
        match least {
            Least::Of(min) => report.bound(&name, of_that, Bound::AtLeast(min), ""),
            Least::OfTwo => report.bound(&name, of_that, Bound::AtLeast(1.0 - rates.apart(1)), ""),
            Least::Unbounded => Report::figure(&name, &format!("{of_that:.2}")),
        }
    }
    Ok(())
}
