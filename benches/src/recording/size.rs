//! How long recordings are: beside one zstd stream, and what of them is keyframes and tallies.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use mcap::{read::LinearReader, records::Record};
use rl_console::{
    recording,
    time::{Clock, Mono},
};

use crate::{
    Args, Result,
    bare::Messages,
    in_memory, load,
    load::Adapter,
    night::{MB, Night},
    report::{Bound, Report, number},
};

/// Bytes of the night.
const NIGHT_BYTES: u64 = 100 * MB;
/// Log frames of the simulated adapter in a second; each makes two entries.
const LOGS_PER_S: u32 = 5_000;
/// Seconds of them.
const TRAFFIC: Duration = Duration::from_secs(20);
/// How long the station may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// The name of the records with the counts so far.
const TALLY: &str = "tally";

/// A station without a screen that records.
struct Station {
    child: Child,
    data: PathBuf,
}

impl Station {
    fn start(program: &Path, data: &Path, file: &Path) -> Result<Self> {
        let mut command: Command = load::command(program, data);
        command.args(["--port", "0", "--grpc", "127.0.0.1:0", "serve", "--record"]).arg(file);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Self { child, data: data.to_owned() })
    }

    /// The token of an adapter, as soon as the station answers.
    fn pair(&self, program: &Path) -> Result<String> {
        let clock = Clock::start();
        loop {
            match load::pair(program, &self.data) {
                Err(_) if clock.mono() < Mono(0) + PATIENCE => thread::sleep(Duration::from_millis(50)),
                paired => return Ok(paired?),
            }
        }
    }

    /// Ends it, with its recording.
    fn stop(mut self, program: &Path) -> Result<()> {
        load::text(load::command(program, &self.data).args(["stop", "--yes"]))?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Records the simulated adapter's traffic.
fn simulated(program: &Path, folder: &Path) -> Result<PathBuf> {
    let (data, file) = (folder.join("data"), folder.join("simulated.mcap"));
    let station = Station::start(program, &data, &file)?;
    let token = station.pair(program)?;
    let adapter = Adapter::start(program, &data, &token, LOGS_PER_S)?;
    thread::sleep(TRAFFIC);
    drop(adapter);
    station.stop(program)?;
    Ok(file)
}

/// What a metadata record takes: its head, its name, its pairs.
fn metadata_bytes(record: &mcap::records::Metadata) -> u64 {
    let pairs = record.metadata.iter().map(|(name, value)| name.len() + value.len() + 8);
    (pairs.sum::<usize>() + record.name.len() + 17) as u64
}

/// Prints how long a file is. Bytes an entry are held to a bound where there is one.
fn sizes(path: &Path, (name, bytes_max): (&str, Option<f64>), report: &mut Report) -> Result<()> {
    let index = recording::index(path)?;
    let keyframes: u64 = index.chunks.iter().filter(|chunk| chunk.has_keyframe).map(|chunk| chunk.len).sum();
    let file = fs::read(path)?;
    let mut tallies = 0;
    for record in LinearReader::new(&file)? {
        if let Record::Metadata(record) = record?
            && record.name == TALLY
        {
            tallies += metadata_bytes(&record);
        }
    }
    let messages = Messages::read(path)?;
    let entries = number(messages.len() as u64) - number(index.tallies.len() as u64);
    let bytes = number(file.len() as u64);
    let per_entry = bytes / entries.max(1.0);
    Report::figure(&format!("{name}: entries, bytes"), &format!("{entries:.0}, {bytes:.0}"));
    match bytes_max {
        Some(max) => report.bound(&format!("{name}: bytes an entry"), per_entry, Bound::AtMost(max), ""),
        None => Report::figure(&format!("{name}: bytes an entry"), &format!("{per_entry:.1}")),
    }
    let ratio = bytes / number(messages.zstd_bytes()?).max(1.0);
    report.bound(&format!("{name}: beside one zstd stream"), ratio, Bound::AtMost(3.0), " times");
    let share = number(keyframes + tallies) / bytes * 100.0;
    report.bound(&format!("{name}: keyframes and tallies"), share, Bound::AtMost(10.0), " %");
    Ok(())
}

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let folder = in_memory()?;
    let file = simulated(args.program(), folder.path())?;
    sizes(&file, ("the simulated adapter", Some(60.0)), report)?;
    let night = Night::make(&folder.path().join("night.mcap"), NIGHT_BYTES.min(args.mb * MB))?;
    sizes(&night.path, ("a night", None), report)
}
