//! Two stations that are alike, and what the tap of one has of a snippet.

use std::{fs, path::Path};

use rl_console::{
    ids::Seq,
    judged::Certainty,
    port::{Command, DoorSpec, JudgedRow, Operator as _, Outcome, Page, PageBytes, Query, Stand, wire},
    rmp::json::unhex,
    station::OperatorClient,
    tap::entry::{Frame, Redaction, What},
};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    real::{Station, json, pair},
    runs_cli::{output, rows},
    snippets::sent::{agrees, name},
};

/// A station, and an operator who looks into its tap.
pub(super) struct Looked {
    folder: tempfile::TempDir,
    /// The token for adapters; empty where there is none.
    pub(super) token: String,
    pub(super) station: Station,
    pub(super) runtime: Runtime,
    operator: OperatorClient,
}

/// A frame that went through a door.
pub(super) struct Sent {
    pub(super) frame: Frame,
    /// Its bytes, as far as the tap has them.
    pub(super) kept: Vec<u8>,
    pub(super) foreseen: JudgedRow,
    /// The answers that the tap has.
    pub(super) answers: Vec<Vec<u8>>,
    /// The row that is printed of it.
    pub(super) row: Value,
}

/// Two stations that are alike.
pub(super) struct Twins {
    /// Snippets go through its doors.
    pub(super) doors: Looked,
    /// A client of its own is connected to it.
    pub(super) plain: Looked,
}

impl Twins {
    pub(super) fn open(config: &str, is_paired: bool) -> Self {
        Self { doors: Looked::open(config, is_paired), plain: Looked::open(config, is_paired) }
    }

    pub(super) fn both(&self) -> [&Looked; 2] {
        [&self.doors, &self.plain]
    }
}

impl Looked {
    pub(super) fn open(config: &str, is_paired: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/config/rl-console");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("config.toml"), config).unwrap();
        let token = if is_paired { pair(folder.path()) } else { String::new() };
        let station = Station::start(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let operator = runtime.block_on(OperatorClient::connect(folder.path())).unwrap();
        Self { folder, token, station, runtime, operator }
    }

    pub(super) fn data(&self) -> &Path {
        self.folder.path()
    }

    /// The frames of a snippet as they were sent through its door; they end as the snippet says.
    #[track_caller]
    pub(super) fn sent(&self, row: &Value, flags: &[&str]) -> Vec<Sent> {
        let (link, name) = (row["link"].as_str().unwrap(), name(row));
        let args = ["--json", "inject", link, "--snippet", name, "--wait-ms", "5000"];
        // Into another's connection it is asked about first.
        let is_in_place = row["door"].as_str().is_some_and(|door| door.contains('-'));
        let yes: &[&str] = if is_in_place { &["--yes"] } else { &[] };
        let printed = output(self.data(), &[&args, flags, yes].concat(), "");
        let stderr = String::from_utf8_lossy(&printed.stderr);
        assert!(!stderr.contains("not_staged"), "{name}: {stderr}");
        let sent: Vec<Sent> = rows(&printed.stdout).into_iter().map(|row| self.looked_up(row)).collect();
        let last = sent.last().unwrap_or_else(|| panic!("{name}: {stderr}"));
        agrees(row, &last.row);
        sent
    }

    pub(super) fn query(&self, query: Query) -> Page {
        self.runtime.block_on(self.operator.query(query)).unwrap()
    }

    pub(super) fn command(&self, command: Command) -> Outcome {
        self.runtime.block_on(self.operator.command(command)).unwrap()
    }

    fn looked_up(&self, row: Value) -> Sent {
        let seq = row["seq"].as_u64().unwrap_or_else(|| panic!("not in the tap: {row:#}"));
        let query = Query::Entries { before: Some(Seq(seq + 1)), after: Seq(seq - 1), limit: 1 };
        let Page::Entries(page) = self.query(query) else { panic!("no entries") };
        let found = wire::entries(&page.entries.0).next().unwrap().unwrap();
        let What::Frame(frame) = found.entry.what else { panic!("no frame: {row:#}") };
        let foreseen = serde_json::from_value(row["foreseen"].clone()).unwrap();
        let of_answer = |answer: &Value| unhex(answer["hex"].as_str().unwrap()).unwrap();
        let answers = row["answers"].as_array().unwrap().iter().map(of_answer).collect();
        Sent { frame, kept: found.bytes, foreseen, answers, row }
    }

    /// What the core would make of it from a newcomer.
    pub(super) fn judge(&self, door: DoorSpec, bytes: &[u8]) -> JudgedRow {
        let stand = Stand::New(door);
        let query = Query::Judge { stand, bytes: PageBytes(bytes.to_vec()) };
        match self.query(query) {
            Page::Judged(row) => *row,
            other => panic!("{other:?}"),
        }
    }
}

impl Sent {
    /// Its bytes where the tap has them all and masks nothing.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        let is_whole = self.kept.len() as u64 == u64::from(self.frame.wire_bytes);
        (is_whole && self.frame.redaction == Redaction::None).then_some(&self.kept[..])
    }

    /// The answers that the tap has are those that were foreseen, but for what differs from moment to moment.
    /// Whether they could be.
    #[track_caller]
    pub(super) fn agrees<T: std::fmt::Debug + PartialEq>(&self, steady: impl Fn(&[u8]) -> T) -> bool {
        let Self { foreseen, row, .. } = self;
        if foreseen.verdict == "pending" {
            return false;
        }
        assert_ne!(foreseen.certainty, Certainty::AfterALook, "{row:#}");
        // What the control plane publishes goes to those who subscribed to it.
        let answers = foreseen.answers.iter().filter(|answer| answer.kind != "Publish");
        let expected: Vec<T> = answers.map(|answer| steady(&hex(answer))).collect();
        let found: Vec<T> = self.answers.iter().map(|answer| steady(answer)).collect();
        assert_eq!(found, expected, "{row:#}");
        true
    }
}

pub(super) fn hex(answer: &rl_console::port::AnswerRow) -> Vec<u8> {
    unhex(&answer.hex).unwrap()
}

/// The JSON of a snippet's frame, as its file has it.
pub(super) fn written(looked: &Looked, row: &Value, at: usize) -> Value {
    let shown = json(looked.data(), &["snippet", "show", name(row)]);
    let file: toml::Value = toml::from_str(shown[0]["toml"].as_str().unwrap()).unwrap();
    let frame = match &file["json"] {
        toml::Value::Array(frames) => &frames[at],
        only => only,
    };
    serde_json::from_str(frame.as_str().unwrap()).unwrap()
}
