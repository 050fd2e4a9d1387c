//! What the recorder costs at its rate, beside a bare writer given the same messages.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rl_console::{
    limits::Limits,
    port::Snapshot,
    recording::{EncodedSnapshot, Recorder, SnapshotFuture, Sources, Summary},
    tap::{Draft, Tap},
    time::Clock,
};

use crate::{
    Args, Result,
    bare::Messages,
    in_memory,
    night::{info, state_after},
    process::Process,
    report::{Bound, Report, median, number},
    traffic::{Made, Mix, Traffic},
};

/// Entries of a second.
const RATE: u64 = 100_000;
/// Entries are emitted so often.
const TICK: Duration = Duration::from_millis(1);
const TICKS_PER_S: u64 = 1_000;
/// Entries that led to the state of the keyframes.
const STATE_ENTRIES: u64 = 20_000;

/// What a round came to.
struct Round {
    path: PathBuf,
    summary: Summary,
    /// Entries that were emitted.
    emitted: u64,
    took: Duration,
    /// How long the recorder was on a core.
    cpu: Duration,
}

/// Records so many seconds.
fn record(path: &Path, state: &Snapshot, seconds: u64) -> Result<Round> {
    let (clock, limits) = (Clock::start(), Limits::default());
    let tap = Tap::new(limits.tap);
    let state = state.clone();
    let snapshot = move || -> SnapshotFuture {
        let snapshot = EncodedSnapshot { at: clock.now(), bytes: state.encode() };
        Box::pin(std::future::ready(Ok(snapshot)))
    };
    let sources = Sources::new(tap.reader()?, Box::new(snapshot), clock, info(clock.now()));
    let recorder = Recorder::start(path, sources, limits.recording, Box::new(|_| {}))?;
    let mut traffic = Traffic::new(Mix::Frames);
    let (began, mut next, mut emitted) = (clock.mono(), clock.mono(), 0);
    for _ in 0..seconds.max(1) * TICKS_PER_S {
        for _ in 0..RATE / TICKS_PER_S {
            let Made { link, trace, what, bytes } = traffic.next();
            tap.emit(Draft { at: clock.now(), link, trace, cause: None, what, bytes });
            emitted += 1;
        }
        next = next + TICK;
        std::thread::sleep(clock.until(next));
    }
    let took = clock.mono().since(began);
    let cpu = Process(std::process::id()).cpu(|name| name == "recorder");
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let summary = runtime.block_on(recorder.stop());
    if let Some(why) = &summary.why {
        return Err(why.clone().into());
    }
    Ok(Round { path: path.to_owned(), summary, emitted, took, cpu })
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let folder = in_memory()?;
    let state = state_after(STATE_ENTRIES);
    let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rates, mut capacities, mut lost) = (Vec::new(), Vec::new(), 0);
    for round in 0..args.rounds {
        let round = record(&folder.path().join(format!("{round}.mcap")), &state, args.seconds)?;
        let messages = Messages::read(&round.path)?;
        let cpu = messages.write(&folder.path().join("bare.mcap"), round.took)?;
        std::fs::remove_file(folder.path().join("bare.mcap"))?;
        std::fs::remove_file(&round.path)?;
        let per_entry = |cpu: Duration| cpu.as_secs_f64() * 1e9 / number(round.emitted);
        ours.push(per_entry(round.cpu));
        bare.push(per_entry(cpu));
        ratios.push(round.cpu.as_secs_f64() / cpu.as_secs_f64());
        rates.push(number(round.emitted) / round.took.as_secs_f64());
        capacities.push(number(round.emitted) / round.cpu.as_secs_f64());
        lost += round.summary.lost + (round.emitted - round.summary.lost - round.summary.entries);
    }
    Report::figure("entries emitted a second", &format!("{:.0}", median(&rates)));
    Report::figure("the recorder: time on a core, an entry", &format!("{:.0} ns", median(&ours)));
    Report::figure("the bare writer: time on a core, a message", &format!("{:.0} ns", median(&bare)));
    report.bound("entries that a core records in a second", median(&capacities), at_least(RATE), "");
    report.bound("of all rounds: entries lost", number(lost), Bound::AtMost(0.0), "");
    report.bound("the recorder beside the bare writer", median(&ratios), Bound::AtMost(1.5), " times");
    Ok(())
}

fn at_least(count: u64) -> Bound {
    Bound::AtLeast(number(count))
}
