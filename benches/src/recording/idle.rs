//! What recording costs a console where nothing happens.

use std::time::Duration;

use rl_console::time::Clock;

use crate::{
    Args, Result,
    large::{COLUMNS, ROWS},
    report::{Bound, Report, median},
    terminal::Terminal,
};

/// How long the hosts have to come up before it counts as idle.
const SETTLE: Duration = Duration::from_secs(3);
/// How long it is looked at, in seconds of recording.
const SPAN: u32 = 4;
/// What is there once a station is up, and what one that records shows.
const UP: [&str; 2] = ["LIVE", "REC"];

/// The share of a core that a console takes in percent, with these arguments.
fn share(args: &Args, flags: &[&str], words: &str) -> Result<f64> {
    let home = tempfile::tempdir()?;
    let mut terminal = Terminal::start(args.program(), flags, home.path(), COLUMNS, ROWS)?;
    terminal.first(words)?;
    terminal.pass(SETTLE);
    let (process, clock) = (terminal.process()?, Clock::start());
    let (began, cpu) = (clock.mono(), process.cpu(|_| true));
    terminal.pass(Duration::from_secs(args.seconds) * SPAN);
    let cpu = process.cpu(|_| true).saturating_sub(cpu);
    if terminal.find(words).is_none() {
        return Err(format!("the console no longer shows {words}").into());
    }
    Ok(cpu.as_secs_f64() / clock.mono().since(began).as_secs_f64() * 100.0)
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..args.rounds {
        let file = folder.path().join(format!("{round}.mcap"));
        without.push(share(args, &[], UP[0])?);
        with.push(share(args, &["--record", &file.to_string_lossy()], UP[1])?);
    }
    Report::figure("an idle console that records nothing, one core", &format!("{:.2} %", median(&without)));
    report.bound("one that records, one core", median(&with), Bound::AtMost(0.5), " %");
    Ok(())
}
