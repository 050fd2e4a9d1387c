//! What the gate costs hosts, open and closed, beside hosts without one.

use std::sync::Arc;

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

/// Rounds of looks.
const ROUNDS: usize = 10;
/// Frames that are asked for at a gate.
const LOOKS: u64 = 50_000_000;
/// What a closed gate may take for a frame, in ns.
const CLOSED_NS_MAX: f64 = 5.0;
/// What hosts keep of their rate at least: the gate is armed on another link, armed on theirs for what never
/// comes.
const ELSEWHERE_MIN: f64 = 0.95;
const HERE_MIN: f64 = 0.90;

/// The filter of a rule for what never comes.
const NOTHING: &str = "kind:nothing";

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
        let gate = || Gate::new(limits::Gate::default(), false);
        let armed = |on: Link| {
            let (gate, now) = (gate(), Clock::start().now());
            let (matcher, class_matcher): (Matcher, _) = if matches!(self, Self::Reading) {
                (Arc::new(|entry, _| entry.bytes.is_empty()), None)
            } else {
                gate_matchers(NOTHING, now)?
            };
            let rule = NewRule {
                by: OperatedBy::own_console(),
                owner: Owner::Nobody,
                filter: Arc::from(NOTHING),
                links: vec![on],
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
            Ok::<_, Box<dyn std::error::Error>>(gate)
        };
        Ok(match self {
            Self::None | Self::NoneAgain => Gate::none(),
            Self::Closed => gate(),
            Self::Elsewhere => {
                armed(Link::ALL.into_iter().find(|it| *it != link && *it != Link::Station).unwrap_or(link))?
            }
            Self::Here | Self::Reading => armed(link)?,
        })
    }
}

pub(crate) fn measure(report: &mut Report) -> Result<()> {
    looks(report);
    host::<Bus>(Link::Rmp, report)?;
    host::<Bridge>(Link::Mpp, report)?;
    host::<Sessions>(Link::Macp, report)
}

/// A host's look at a closed gate.
fn looks(report: &mut Report) {
    let (gate, clock) = (Gate::new(limits::Gate::default(), false), Clock::start());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let began = clock.mono();
        for _ in 0..LOOKS {
            let is_armed = std::hint::black_box(&gate).is_armed(Link::Rmp, Direction::Inbound);
            std::hint::black_box(is_armed);
        }
        times.push(clock.mono().since(began).as_secs_f64() * 1e9 / number(LOOKS));
    }
    report.bound("a closed gate, for a frame", median(&times), Bound::AtMost(CLOSED_NS_MAX), " ns");
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
