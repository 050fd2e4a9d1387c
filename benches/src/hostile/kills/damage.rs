//! Damaged files: a station is killed under load, some of its files are cut, zeroed or get other bits, and it
//! is started again. It comes up, or says which file keeps it from that; what was acknowledged and is there
//! no more it tells.

use std::{
    collections::BTreeSet,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use color_eyre::eyre::{Result, ensure};
use fastrand::Rng;
use rl_console_benches::{
    paired::{ANSWER_MAX, Files},
    server::{Server, run_to_end},
};
use serde::Serialize;
use serde_json::Value;

use super::load::{self, Acknowledged};
use crate::{report::progress, station::Station};

/// Files of one round that are damaged at most.
const FILES_MAX: usize = 3;
/// Places of a file that get other bits at most.
const PLACES_MAX: usize = 16;
/// How long a start may take, or its refusal.
const START_MAX: Duration = Duration::from_secs(60);
const TELL_EVERY: usize = 10;

/// What the damages came to.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Outcome {
    pub(crate) damages: usize,
    pub(crate) seed: u64,
    /// Starts that were refused, or of which a part did not come up, the file being named.
    pub(crate) refused: usize,
    /// Starts that told of damage.
    pub(crate) told: usize,
    /// Starts after which something that was acknowledged was not there, and that was told.
    pub(crate) with_losses: usize,
    pub(crate) missed: Vec<String>,
}

/// Damages so many folders of killed stations, and starts each again.
///
/// # Errors
/// A station does not come up before anything is damaged, or the files cannot be changed.
pub(crate) fn make(
    damages: usize,
    program: &Path,
    folder: &Path,
    seed: u64,
    descriptors: u64,
) -> Result<Outcome> {
    let mut random = Rng::with_seed(seed);
    let mut outcome = Outcome { damages, seed, ..Outcome::default() };
    for round in 0..damages {
        if round % TELL_EVERY == 0 {
            progress(&format!("{round} of {damages} damages"));
        }
        let station = Station::serve(Files::create(program, &folder.join("damages"))?, descriptors)?;
        let moment = Duration::from_millis(random.u64(..super::LOAD_MAX_MS));
        let (files, acknowledged, _) = super::killed_under_load(station, round, moment)?;
        let what = damage(&files.folder.join("data"), &mut random)?;
        if let Err(missed) = judge(&files, &acknowledged, &what, &mut outcome)? {
            outcome.missed.push(format!("round {round}, {}: {missed}", what.join(", ")));
        }
        fs::remove_dir_all(&files.folder)?;
    }
    Ok(outcome)
}

/// Starts a station on damaged files; what of it is not as it should be.
fn judge(
    files: &Files,
    all: &Acknowledged,
    what: &[String],
    outcome: &mut Outcome,
) -> Result<Result<(), String>> {
    let log = files.folder.join("damaged.log");
    let mut serve = files.command();
    serve.args(["--port", "0", "--grpc", "127.0.0.1:0", "--json", "serve"]);
    let mut server = Server::start(&mut serve, &log)?;
    let from = Instant::now();
    let (said, macp) = loop {
        let has_ended = server.has_ended()?;
        let said = fs::read_to_string(&log).unwrap_or_default();
        let ready = said.lines().find(|line| line.contains(r#""event":"ready""#));
        if ready.is_some() || has_ended {
            let macp = ready.and_then(macp);
            break (said, macp);
        }
        if from.elapsed() > START_MAX {
            return Ok(Err("it neither comes up nor ends".to_owned()));
        }
        thread::sleep(Duration::from_millis(20));
    };
    let is_down = said.lines().any(|line| line.contains(r#""event":"down""#));
    let Some(macp) = macp.filter(|_| !is_down) else {
        // Nobody can be asked where it, or a part of it, does not come up.
        let names = what.iter().filter_map(|it| it.split(' ').next()).any(|name| said.contains(name));
        outcome.refused += usize::from(names);
        return Ok(if names && !said.contains("panicked") { Ok(()) } else { Err(server.words()) });
    };
    let lost = lost(files, all, macp)?;
    drop(server);
    let said = fs::read_to_string(&log)?;
    let is_told = said.lines().any(tells_of_damage);
    outcome.told += usize::from(is_told);
    outcome.with_losses += usize::from(!lost.is_empty() && is_told);
    Ok(if said.contains("panicked") {
        Err("it panicked".to_owned())
    } else if lost.is_empty() || is_told {
        Ok(())
    } else {
        Err(format!("not there, and not told: {}", lost.join(", ")))
    })
}

/// Where the ready line says that the MACP port is.
fn macp(line: &str) -> Option<SocketAddr> {
    let ready: Value = serde_json::from_str(line).ok()?;
    ready["macp"].as_str()?.parse().ok()
}

fn tells_of_damage(line: &str) -> bool {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    event["event"] == "notice" && (event["level"] == "error" || event["level"] == "warn")
}

/// How much of what was acknowledged is not there.
fn lost(files: &Files, all: &Acknowledged, macp: SocketAddr) -> Result<Vec<String>> {
    let list = |what: &str, member: &str| -> Result<BTreeSet<String>> {
        let mut ls = files.command();
        let said =
            run_to_end(ls.args(["--json", "ls", what, "--limit", "100000"]), Stdio::piped(), ANSWER_MAX)?;
        let rows = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(rows.map(|row| row[member].to_string().trim_matches('"').to_owned()).collect())
    };
    let (rows, runs) = (list("invocations", "id")?, list("runs", "run")?);
    let missing = [
        (all.rows.iter().filter(|id| !rows.contains(&id.to_string())).count(), "invocations"),
        (all.runs.iter().filter(|run| !runs.contains(*run)).count(), "runs"),
        (load::not_duplicates(macp, &all.messages)?, "messages"),
    ];
    Ok(missing.into_iter().filter(|(lost, _)| *lost > 0).map(|(lost, of)| format!("{lost} {of}")).collect())
}

/// Damages some of the files of a data folder: each with what was done to it.
fn damage(data: &Path, random: &mut Rng) -> Result<Vec<String>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        // What a client shows its token by is not the station's to mend.
        if entry.file_type()?.is_file()
            && entry.metadata()?.len() > 0
            && entry.file_name() != "operator.token"
        {
            files.push(entry.path());
        }
    }
    ensure!(!files.is_empty(), "{} has no files", data.display());
    files.sort();
    random.shuffle(&mut files);
    files.truncate(random.usize(1..=FILES_MAX));
    files.iter().map(|path| damage_file(path, random)).collect()
}

fn damage_file(path: &Path, random: &mut Rng) -> Result<String> {
    let mut bytes = fs::read(path)?;
    let at = random.usize(..bytes.len());
    let how = match random.u8(..3) {
        0 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        1 => {
            let end = at + random.usize(1..=bytes.len() - at);
            bytes[at..end].fill(0);
            format!("zeroed from {at} to {end}")
        }
        _ => {
            // No checksum keeps a single value in a page of a database: its pages are hit where they begin.
            let is_database = path.extension().is_some_and(|end| end == "db");
            let places = random.usize(1..=PLACES_MAX);
            for _ in 0..places {
                let at = random.usize(..bytes.len());
                let at = if is_database { at / 4_096 * 4_096 + random.usize(..8) } else { at };
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.u8(..8);
                }
            }
            format!("other bits in {places} places")
        }
    };
    fs::write(path, bytes)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{name} {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_damages_the_same_files_in_the_same_way() {
        let damaged = |seed| {
            let folder = tempfile::tempdir().unwrap();
            for name in ["a.db", "b.log", "operator.token"] {
                fs::write(folder.path().join(name), vec![7; 10_000]).unwrap();
            }
            let said = damage(folder.path(), &mut Rng::with_seed(seed)).unwrap();
            let token = fs::read(folder.path().join("operator.token")).unwrap();
            assert_eq!(token, vec![7; 10_000]);
            said
        };
        assert_eq!(damaged(7), damaged(7));
        assert!((0..10).any(|seed| damaged(seed) != damaged(7)));
    }

    #[test]
    fn what_a_start_says_of_damage_is_found() {
        assert!(tells_of_damage(r#"{"event":"notice","level":"error","text":"x"}"#));
        assert!(!tells_of_damage(r#"{"event":"notice","level":"info","text":"x"}"#) && !tells_of_damage("x"));
    }
}
