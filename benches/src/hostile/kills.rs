//! SIGKILLs while all four systems work: nothing that was acknowledged is lost, and only what was in flight
//! comes again.

pub(crate) mod damage;
mod load;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Stdio,
    sync::mpsc::sync_channel,
    thread,
    time::Duration,
};

use color_eyre::eyre::Result;
use rl_console_benches::{
    paired::{ANSWER_MAX, Files},
    server::run_to_end,
};
use serde::Serialize;
use serde_json::Value;

use self::load::{Acknowledged, Served};
use crate::{report::progress, station::Station};

/// How long the load goes on at most before a kill.
const LOAD_MAX_MS: u64 = 100;
/// How long the first acknowledgement may take.
const FIRST_MAX: Duration = Duration::from_secs(30);
/// How often the adapter looks whether anything is left, in the end.
const LOOKS_MAX: usize = 100;
/// Rounds whose sessions stay open, so that a station that comes up has them to rebuild; then they are looked
/// through and ended, or each start would take longer than the one before. In the end all is read once more.
const SESSIONS_OPEN: usize = 100;
const MESSAGES: &str = "messages";
/// Sessions that have ended leave for the store at once: none of them is rebuilt.
const CONFIG: &str = "[limits.macp]\nclosed_max = 0\nclosed_ms_max = 0\n";
/// Kills between two words on how it goes.
const TELL_EVERY: usize = 50;

/// What was acknowledged of a system, and how much of it is not there.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    pub(crate) what: &'static str,
    pub(crate) acknowledged: usize,
    pub(crate) lost: usize,
}

/// What the kills came to.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) kills: usize,
    pub(crate) seed: u64,
    pub(crate) acknowledged: Vec<Kept>,
    /// Invocations that were sent more than once.
    pub(crate) again: usize,
    pub(crate) ready_max_ms: f64,
    pub(crate) missed: Vec<String>,
}

/// Kills a station so many times, and looks what it kept.
///
/// # Errors
/// It does not come up again.
pub(crate) fn make(
    kills: usize,
    program: &Path,
    folder: &Path,
    seed: u64,
    descriptors: u64,
) -> Result<Outcome> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut files = Files::create(program, &folder.join("kills"))?;
    let config = files.folder.join("rl-console");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.toml"), CONFIG)?;
    let mut all = Acknowledged::default();
    let mut rounds = Vec::new();
    let mut ready_max = Duration::ZERO;
    let (mut messages_lost, mut looked_at) = (0, 0);
    for round in 0..kills {
        if round % TELL_EVERY == 0 {
            progress(&format!("{round} of {kills} kills"));
        }
        let station = Station::serve(files, descriptors)?;
        ready_max = ready_max.max(station.ready_after);
        if round % SESSIONS_OPEN == 0 {
            // One that is sent again is there from then on: it counts now or never.
            messages_lost += load::not_duplicates(station.targets.macp, &all.messages[looked_at..])?;
            let ended = load::end(station.targets.macp, &all.messages[looked_at..])?;
            all.messages.extend(ended);
            looked_at = all.messages.len();
        }
        let moment = Duration::from_millis(random.u64(..LOAD_MAX_MS));
        let (its, acknowledged, served) = killed_under_load(station, round, moment)?;
        files = its;
        all.extend(acknowledged);
        rounds.push(served);
    }
    let station = Station::serve(files, descriptors)?;
    for _ in 0..LOOKS_MAX {
        rounds.push(load::serve(&station.targets, &station.files, Duration::from_millis(500)));
        if station.files.pending()? == 0 {
            break;
        }
    }
    let mut kept = kept(&all, &rounds, &station)?;
    kept.iter_mut().filter(|it| it.what == MESSAGES).for_each(|it| it.lost += messages_lost);
    station.stop()?;
    let beyond = beyond_in_flight(&rounds);
    let mut missed: Vec<String> =
        kept.iter().filter(|it| it.lost > 0).map(|it| format!("{} {} lost", it.lost, it.what)).collect();
    missed.extend(
        kept.iter().filter(|it| it.acknowledged == 0).map(|it| format!("no {} acknowledged", it.what)),
    );
    missed.extend((beyond > 0).then(|| format!("{beyond} rows came again that were not in flight")));
    missed.extend(Station::has_panicked(&folder.join("kills")).then(|| "it panicked".to_owned()));
    let again = rounds.iter().flat_map(|served| served.values().map(Vec::len)).sum::<usize>()
        - rounds.iter().flat_map(|served| served.values().flatten()).collect::<BTreeSet<_>>().len();
    Ok(Outcome {
        kills,
        seed,
        acknowledged: kept,
        again,
        ready_max_ms: ready_max.as_secs_f64() * 1e3,
        missed,
    })
}

/// Kills a station some time after it has acknowledged the first rows; its files, what it acknowledged, what
/// it sent.
fn killed_under_load(
    station: Station,
    round: usize,
    moment: Duration,
) -> Result<(Files, Acknowledged, Served)> {
    let (tell, first) = sync_channel(1);
    let (targets, files) = (station.targets.clone(), station.files.clone());
    let (acknowledged, served, killed) = thread::scope(|scope| {
        let work = load::all(scope, round, &targets, &files, &tell);
        let _ = first.recv_timeout(FIRST_MAX);
        thread::sleep(moment);
        let killed = station.kill();
        let (acknowledged, served) = load::join(work);
        (acknowledged, served, killed)
    });
    Ok((killed?, acknowledged, served))
}

fn kept(all: &Acknowledged, rounds: &[Served], station: &Station) -> Result<Vec<Kept>> {
    let dispatched: BTreeSet<u64> = rounds.iter().flat_map(|it| it.values().flatten().copied()).collect();
    let runs = run_to_end(
        station.files.command().args(["--json", "ls", "runs", "--limit", "100000"]),
        Stdio::piped(),
        ANSWER_MAX,
    )?;
    let runs: BTreeSet<String> = runs
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["run"].as_str().map(str::to_owned))
        .collect();
    let lost = |of: &mut dyn Iterator<Item = bool>| of.filter(|is_there| !is_there).count();
    Ok(vec![
        Kept {
            what: "invocations",
            acknowledged: all.rows.len(),
            lost: lost(&mut all.rows.iter().map(|id| dispatched.contains(id))),
        },
        Kept {
            what: "runs",
            acknowledged: all.runs.len(),
            lost: lost(&mut all.runs.iter().map(|id| runs.contains(id))),
        },
        Kept {
            what: MESSAGES,
            acknowledged: all.messages.len(),
            lost: load::not_duplicates(station.targets.macp, &all.messages)?,
        },
        // A message of the bus is not kept; that it was acknowledged says only that the bus worked meanwhile.
        Kept { what: "publications", acknowledged: all.publications, lost: 0 },
    ])
}

/// Invocations that came again though the next one of their queue had come before the kill, or out of order.
fn beyond_in_flight(rounds: &[Served]) -> usize {
    let mut settled: BTreeMap<&str, u64> = BTreeMap::new();
    let mut beyond = 0;
    for served in rounds {
        for (queue, ids) in served {
            let last = settled.entry(queue).or_default();
            beyond += ids.iter().filter(|id| **id <= *last).count();
            beyond += ids.windows(2).filter(|pair| pair[0] >= pair[1]).count();
            if let [.., settled, _] = ids[..] {
                *last = settled.max(*last);
            }
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(ids: &[u64]) -> Served {
        BTreeMap::from([("q1".to_owned(), ids.to_vec())])
    }

    #[test]
    fn the_last_of_a_round_may_come_again_and_no_other() {
        assert_eq!(beyond_in_flight(&[round(&[1, 2]), round(&[2, 3]), round(&[3, 4])]), 0);
        assert_eq!(beyond_in_flight(&[round(&[1, 2, 3]), round(&[2, 3])]), 1);
        assert_eq!(beyond_in_flight(&[round(&[2, 1])]), 1);
    }
}
