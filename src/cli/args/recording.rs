//! The flags of `recording`.

use std::{ffi::OsStr, path::PathBuf};

use clap::{ArgAction, Args, Subcommand, ValueEnum};

use super::{global::ScreenArgs, runs::TraceName};
use crate::{port::Speed, words::seconds};

/// `recording`.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordingAction {
    /// Print what a recording holds: its times, its counts, and whether it is complete.
    ///
    /// Only its index is read, or, without one, the heads of its parts.
    Info(RecordingInfoArgs),

    /// Read all of a recording, and print what is damaged or missing.
    ///
    /// Exits 0 when nothing is, 6 otherwise.
    Verify(RecordingFileArgs),

    /// Write everything readable of a recording into a new file, with an index.
    ///
    /// What a killed station leaves lacks its index: other tools then cannot seek in it. A file that exists
    /// is not overwritten. Exits 0 also when something of it was damaged; that is printed. Exits 6, and
    /// writes no file, when nothing can be read.
    Repair(RecordingRepairArgs),

    /// Write a part of a recording into a new file: a span of time, or one piece of work.
    ///
    /// It begins with the last keyframe before that, and with what followed it, so that the state is known. A
    /// file that exists is not overwritten.
    Cut(RecordingCutArgs),

    /// Print the frames of a recording: for people, as fixtures, or one piece of work as a sequence diagram.
    ///
    /// json and hex print one line per frame, with its time, direction, peer and JSON or hex, as
    /// `inject --each` reads them.
    Export(RecordingExportArgs),
}

/// `recording cut`.
#[derive(Debug, Args)]
pub(crate) struct RecordingCutArgs {
    /// The recording.
    #[arg(value_name = "IN.mcap")]
    pub(crate) file: PathBuf,

    /// The file to be made.
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: PathBuf,

    /// From when: a time (22:14:03), +DURATION from the start (+90s), seq:N, start or end [default: start].
    #[arg(long, value_name = "TIME|+DUR|seq:N", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,

    /// Until when, likewise [default: the end].
    #[arg(long, value_name = "TIME|+DUR|seq:N", allow_hyphen_values = true)]
    pub(crate) to: Option<String>,

    /// Only entries that match this filter, as in the Wire.
    #[arg(long, value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    /// Only the entries of one piece of work and what came of them: its trace, or at least the last four hex
    /// digits.
    #[arg(long, value_name = "ID")]
    pub(crate) trace: Option<TraceName>,
}

/// `recording export`.
#[derive(Debug, Args)]
pub(crate) struct RecordingExportArgs {
    /// The recordings, or folders of them: as one, in the order of time.
    #[arg(value_name = "IN.mcap|DIR", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// How.
    #[arg(long, value_enum, default_value = "transcript")]
    pub(crate) format: ExportFormat,

    /// Only the frames of this peer, as `ls` and the Wire print it.
    #[arg(long, value_name = "PEER")]
    pub(crate) peer: Option<String>,

    /// Only the frames of this trace: it, or at least its last four hex digits.
    #[arg(long, value_name = "ID")]
    pub(crate) trace: Option<TraceName>,
}

/// How frames are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A line per frame, for people.
    Transcript,
    /// A line of JSON per frame, with the frame as JSON where it has any.
    Json,
    /// A line of JSON per frame, with its bytes in hex.
    Hex,
    /// One trace as a sequence diagram in Mermaid's language.
    Mermaid,
}

/// `recording info`.
#[derive(Debug, Args)]
pub(crate) struct RecordingInfoArgs {
    /// The recording, or a folder: each one in it.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,

    /// Print what is attached under this name, such as config.toml, as it is; of a folder, that of the first
    /// file that has it.
    #[arg(long, value_name = "NAME")]
    pub(crate) attachment: Option<String>,
}

/// `recording verify`.
#[derive(Debug, Args)]
pub(crate) struct RecordingFileArgs {
    /// The recording, or a folder: each one in it.
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,
}

/// The flags of `replay` that are of a screen alone.
const SCREEN_FLAGS: [&str; 5] = ["speed", "screen_view", "screen_filter", "screen_theme", "headless"];

/// The endings of files that a screen is drawn into: text and pictures.
const DRAWN: [&str; 2] = ["txt", "svg"];

/// The least and the largest screen that is drawn without a terminal, in columns and rows.
const SIZES: [(u16, u16); 2] = [(80, 24), (400, 200)];

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The recordings, or folders with recordings, in any order.
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Where to begin: a time (22:14:03), +DURATION from the start (+90s), seq:N, start or end. The replay
    /// holds there unless --speed is given; without it, it plays from the start.
    #[arg(long, value_name = "TIME|+DUR|seq:N", allow_hyphen_values = true)]
    pub(crate) at: Option<String>,

    /// How fast to begin: 1/4, 1/2, 1, 2, 4, 8, 16, 32, 64 or max [default: 1].
    #[arg(long, value_name = "X", value_parser = Speed::parse)]
    pub(crate) speed: Option<Speed>,

    /// Print one line per event in place of a screen, all at once.
    #[arg(long = "plain", id = "replay_plain", conflicts_with_all = SCREEN_FLAGS)]
    pub(crate) plain: bool,

    /// Draw screens without a terminal, each at one place; without --shot, the one at --at (the end) is
    /// printed. The same recording, place, view and size give the same bytes; times are those of the time
    /// zone (TZ).
    #[arg(long, conflicts_with = "speed")]
    pub(crate) headless: bool,

    /// Draw the screen at this place into this file, which is overwritten: text (.txt, or no ending), or a
    /// picture (.svg). Repeatable.
    #[arg(
        long = "shot",
        value_name = "AT=FILE",
        action = ArgAction::Append,
        value_parser = shot,
        requires = "headless"
    )]
    pub(crate) shots: Vec<Shot>,

    /// The size of these screens, in columns and rows.
    #[arg(long, value_name = "WxH", default_value = "160x50", value_parser = size, requires = "headless")]
    pub(crate) size: (u16, u16),

    /// Compare the screens with the files of these names in this folder instead, and write none: exits 5 when
    /// one is another, and prints the first line that differs.
    #[arg(long, value_name = "DIR", requires = "shots")]
    pub(crate) expect: Option<PathBuf>,

    /// Write the screens into that folder, as what is expected from now on.
    #[arg(long, requires = "expect")]
    pub(crate) bless: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// A screen that is drawn without a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shot {
    /// The place, as it was written.
    pub(crate) at: String,
    /// The file.
    pub(crate) file: PathBuf,
}

fn shot(text: &str) -> Result<Shot, String> {
    let (at, file) = text
        .split_once('=')
        .filter(|(at, file)| !at.is_empty() && !file.is_empty())
        .ok_or_else(|| "name a place and a file, as in 22:14:03=queues.txt".to_owned())?;
    let file = PathBuf::from(file);
    let is_known = |ending: &OsStr| DRAWN.iter().any(|known| ending.eq_ignore_ascii_case(known));
    if file.extension().is_some_and(|ending| !is_known(ending)) {
        let file = file.display();
        return Err(format!("{file} is neither a text (.txt, or no ending) nor a picture (.svg)"));
    }
    Ok(Shot { at: at.to_owned(), file })
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let [least, largest] = SIZES;
    let parse = |text: &str| text.parse::<u16>().ok();
    let size = text.split_once('x').and_then(|(columns, rows)| Some((parse(columns)?, parse(rows)?)));
    let is_in = |(columns, rows): &(u16, u16)| {
        (least.0..=largest.0).contains(columns) && (least.1..=largest.1).contains(rows)
    };
    size.filter(is_in).ok_or_else(|| {
        format!("takes columns and rows, from {}x{} to {}x{}", least.0, least.1, largest.0, largest.1)
    })
}

/// How long a recording is to be, in milliseconds.
pub(super) fn some_seconds(text: &str) -> Result<u64, String> {
    match seconds(text)? {
        0 => Err("takes more than 0 seconds".to_owned()),
        ms => Ok(ms),
    }
}

/// How many seconds a clip has.
pub(super) fn clip_seconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(seconds @ 1..) => Ok(seconds),
        Err(_) if text.contains(['/', '.']) && text.parse::<f64>().is_err() => {
            Err(format!("the seconds come first: write `clip 60 {text}`"))
        }
        _ => Err("takes whole seconds, from 1 on".to_owned()),
    }
}

/// `recording repair`.
#[derive(Debug, Args)]
pub(crate) struct RecordingRepairArgs {
    /// The recording.
    #[arg(value_name = "IN.mcap")]
    pub(crate) file: PathBuf,

    /// The file to be made.
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: PathBuf,
}
