//! What a core's judgement costs, beside the same frame really handled by the same core.

mod bridge;
mod broker;
mod kernel;
mod supervisor;

use std::time::Duration;

use rl_console::{judged::Judged, time::Clock};

use crate::{
    Result,
    report::{Bound, Report, median, number, percentile_us},
};

/// Bytes of a frame.
const FRAME_BYTES: usize = 1_024;
/// Frames of a round.
const FRAMES: u64 = 5_000;
/// What a judgement may take, in µs.
const JUDGE_US_MAX: f64 = 20.0;

/// A core with all that is there beside what is judged. Its frames have numbers.
trait Core {
    /// What it is, and what else is there.
    fn name(&self) -> String;

    /// Bytes of a frame.
    fn frame_bytes(&self) -> usize;

    /// Judges a frame.
    fn judge(&self, number: u64) -> Judged;

    /// Whether a frame so judged would be taken.
    fn would_take(judged: &Judged) -> bool
    where
        Self: Sized;

    /// Hands in a frame, and takes all that comes of it; whether it was taken.
    fn handle(&mut self, number: u64) -> bool;
}

/// All cores.
pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<()> {
    let clock = Clock::start();
    core(&clock, &mut bridge::Mpp::new()?, rounds, report)?;
    core(&clock, &mut broker::Rmp::new()?, rounds, report)?;
    core(&clock, &mut kernel::Macp::new()?, rounds, report)?;
    core(&clock, &mut supervisor::Plugins::new()?, rounds, report)
}

fn core<C: Core>(clock: &Clock, core: &mut C, rounds: usize, report: &mut Report) -> Result<()> {
    let (mut judged, mut handled) = (Vec::new(), Vec::new());
    let (mut judged_p99, mut handled_p99) = (Vec::new(), Vec::new());
    let mut next = 0;
    for _ in 0..=rounds {
        let (mut judges, mut handles) = (Vec::new(), Vec::new());
        for _ in 0..FRAMES {
            next += 1;
            let began = clock.mono();
            let would_be = core.judge(next);
            judges.push(clock.mono().since(began));
            let began = clock.mono();
            let was = core.handle(next);
            handles.push(clock.mono().since(began));
            if !(C::would_take(&would_be) && was) {
                return Err(format!("{}: frame {next}, {was}: {would_be:?}", core.name()).into());
            }
        }
        for (times, means, p99s) in
            [(&mut judges, &mut judged, &mut judged_p99), (&mut handles, &mut handled, &mut handled_p99)]
        {
            times.sort();
            means.push(times.iter().sum::<Duration>().as_secs_f64() * 1e6 / number(FRAMES));
            p99s.push(percentile_us(times, 99));
        }
    }
    let name = core.name();
    // The first round warms up.
    let of = |figures: &[f64]| median(&figures[1..]);
    Report::figure(&format!("{name}: bytes of a frame"), &core.frame_bytes().to_string());
    report.bound(&format!("{name}: judge, mean"), of(&judged), Bound::AtMost(JUDGE_US_MAX), " µs");
    report.bound(&format!("{name}: judge, p99"), of(&judged_p99), Bound::AtMost(JUDGE_US_MAX), " µs");
    Report::figure(
        &format!("{name}: handle, mean and p99"),
        &format!("{:.2} µs, {:.2} µs", of(&handled), of(&handled_p99)),
    );
    Ok(())
}
