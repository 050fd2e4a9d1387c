//! How fast a file is folded into the console's model, beside bare reading of it.

use std::sync::Arc;

use rl_console::{
    console::{self, AppearanceSettings, CommandHints, Config, Depth, OnAir, Passthrough, Shell, Start},
    limits::Limits,
    port::{ReplayPlace, Speed},
    recording::RecordingSet,
    station::{ReplayPort, ReplayStart},
    time::Clock,
};

use crate::{
    Args, Result, bare, in_memory,
    night::{MB, Night},
    report::{Bound, Report, median, number},
};

/// Bytes of the file.
const FILE_BYTES: u64 = 100 * MB;

/// A console without a terminal.
pub(crate) fn config(clock: Clock) -> Config {
    Config {
        appearance: AppearanceSettings { theme: "midnight".to_owned(), ..AppearanceSettings::default() },
        source: None,
        depth: Depth::True,
        passthrough: Passthrough::None,
        on_air: OnAir::default(),
        name: "bench".to_owned(),
        limits: Limits::default(),
        clock,
        commands: CommandHints::default(),
        shell: Shell::default(),
        start: Start::default(),
    }
}

/// A replay that holds at a place.
pub(crate) fn open(set: &Arc<RecordingSet>, place: ReplayPlace, clock: Clock) -> Result<ReplayPort> {
    let start = ReplayStart { place, speed: Speed::MAX, is_held: true };
    Ok(ReplayPort::open(Arc::clone(set), start, clock, Limits::default())?)
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let folder = in_memory()?;
    let night = Night::make(&folder.path().join("night.mcap"), FILE_BYTES.min(args.mb * MB))?;
    let set = Arc::new(RecordingSet::open(std::slice::from_ref(&night.path))?);
    let (clock, mut ours, mut bare, mut ratios) = (Clock::start(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let port = Arc::new(open(&set, ReplayPlace::Start, clock)?);
        let began = clock.mono();
        let count = console::play_through(port, config(clock))?;
        let took = clock.mono().since(began).as_secs_f64();
        if count != night.entries {
            return Err(format!("{count} of {} entries were folded", night.entries).into());
        }
        ours.push(number(count) / took);
        let began = clock.mono();
        let read = bare::read(&night.path)?;
        bare.push(number(read) / clock.mono().since(began).as_secs_f64());
        ratios.push(ours.last().copied().unwrap_or_default() / bare.last().copied().unwrap_or(1.0));
    }
    Report::figure("entries of the file", &night.entries.to_string());
    Report::figure("bare reading, messages a second", &format!("{:.0}", median(&bare)));
    report.bound("entries folded a second", median(&ours), Bound::AtLeast(500_000.0), "");
    report.bound("that beside bare reading", median(&ratios), Bound::AtLeast(0.25), " of it");
    Ok(())
}
