//! The draft and the frames that were sent, as they are written for the next start: JSON, without secrets.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

use super::{
    Workbench,
    bench::Leads,
    state::{SentRecord, State},
    way::Way,
};
use crate::{
    console::{
        draw::text::cut,
        model::Model,
        settings::SavedFrames,
        ui::{
            effect::{Effect, Unwritten},
            message::show_file_error,
            state::Ui,
        },
        worker::example,
    },
    dissect::frame_json::{Breakage, may_hold_secret, without_secrets},
    limits::{self, Limits},
    port::{AnswerRow, JudgedRow, PageBytes, SentFrame},
    tap::entry::station::Level,
    time::{Now, Wall},
};

/// The version of what is written.
const VERSION: u64 = 1;
/// Entries that are kept of what became of a frame.
const TOLD_MAX: usize = 16;
/// Bytes of a line that is kept of an entry.
const LINE_BYTES_MAX: u64 = 512;

#[derive(Serialize, Deserialize)]
struct File<T> {
    version: u64,
    #[serde(flatten)]
    rest: T,
}

/// A draft as it is written; nothing where nobody wrote in it.
#[derive(Serialize, Deserialize)]
struct DraftFile {
    #[serde(default)]
    draft: Option<SavedFrame>,
}

#[derive(Deserialize)]
struct SentFile {
    sent: Vec<SavedSent>,
}

/// A frame that is edited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedFrame {
    /// The fields of its way.
    way: BTreeMap<String, String>,
    /// Nothing where its bytes lead, or it holds a secret that cannot be masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    /// Its bytes, where they lead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<PageBytes>,
    /// What is broken of the frame that the JSON says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breakages: Vec<String>,
    /// The lines that nobody edited of a captured frame, from 0: they are masked on air.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    captured: BTreeSet<usize>,
}

/// A frame that was sent, with what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedSent {
    at_ms: Wall,
    door: String,
    length: usize,
    #[serde(flatten)]
    frame: SavedFrame,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    foreseen: Option<Box<JudgedRow>>,
    outcome: Result<SentFrame, String>,
}

fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, String> {
    let file: File<T> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.version == VERSION {
        Ok(file.rest)
    } else {
        Err(format!("version {}; this rl-console reads version {VERSION}", file.version))
    }
}

/// Whether a text is that of a draft.
///
/// # Errors
/// Why it is none, for people.
pub(crate) fn check_draft(text: &str) -> Result<(), String> {
    read::<DraftFile>(text).map(drop)
}

/// Whether a text is that of the frames that were sent.
///
/// # Errors
/// Why it is none, for people.
pub(crate) fn check_sent(text: &str) -> Result<(), String> {
    read::<SentFile>(text).map(drop)
}

/// The draft of a text; none where it has none.
pub(super) fn read_draft(text: &str) -> Option<SavedFrame> {
    read::<DraftFile>(text).ok()?.draft
}

/// The frames of a text that were sent, the last first.
pub(super) fn read_sent(text: &str) -> Vec<SentRecord> {
    let sent = read::<SentFile>(text).map_or_else(|_| Vec::new(), |file| file.sent);
    sent.into_iter().map(SavedSent::record).collect()
}

/// A draft that is to be written. Where it holds a secret that cannot be masked, it is not.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// Nothing where nobody wrote in it.
    frame: Option<DraftFrame>,
}

#[derive(Clone, Debug)]
struct DraftFrame {
    way: Way,
    json: Option<String>,
    bytes: Option<Vec<u8>>,
    breakages: Vec<Breakage>,
    /// The lines that nobody edited of a captured frame, from 0.
    captured: BTreeSet<usize>,
    is_captured: bool,
}

impl Unwritten for Draft {
    fn text(&self) -> Option<String> {
        let draft = match &self.frame {
            Some(frame) => Some(frame.saved()?),
            None => None,
        };
        serde_json::to_string(&File { version: VERSION, rest: DraftFile { draft } }).ok()
    }
}

impl DraftFrame {
    fn saved(&self) -> Option<SavedFrame> {
        let Self { way, json, bytes, breakages, captured, is_captured } = self;
        let mut draft = SavedFrame::of(way, json.as_deref(), bytes.as_deref());
        draft.breakages = breakages.iter().map(|it| it.name().to_owned()).collect();
        draft.captured = match &draft.json {
            written @ Some(_) if written == json => captured.clone(),
            // Where it is written in another way, all of it is as it was captured.
            Some(written) if *is_captured => (0..written.lines().count()).collect(),
            _ => BTreeSet::new(),
        };
        draft.has_frame().then_some(draft)
    }
}

/// The frames that were sent, the last first, as far as the file has room.
#[derive(Clone, Debug)]
struct SentFrames {
    sent: Vec<Arc<SentRecord>>,
    bytes_max: usize,
}

impl Unwritten for SentFrames {
    fn text(&self) -> Option<String> {
        let mut bytes = 0_usize;
        let written = self.sent.iter().map(|record| record.written());
        let all: Vec<&str> = written
            .take_while(|written| {
                bytes = bytes.saturating_add(written.len());
                bytes <= self.bytes_max
            })
            .collect();
        Some(format!("{{\"version\":{VERSION},\"sent\":[{}]}}", all.join(",")))
    }
}

impl SavedFrame {
    fn of(way: &Way, json: Option<&str>, bytes: Option<&[u8]>) -> Self {
        let bytes = bytes.filter(|bytes| json.is_none() && !may_hold_secret(bytes));
        Self {
            way: way.to_fields(),
            json: json.and_then(without_secrets),
            bytes: bytes.map(|bytes| PageBytes(bytes.to_vec())),
            ..Self::default()
        }
    }

    /// Whether there is a frame: one with a secret that could not be masked is left out.
    const fn has_frame(&self) -> bool {
        self.json.is_some() || self.bytes.is_some()
    }
}

impl SentRecord {
    /// It as it is written: with some of the entries, and without what may hold a secret.
    fn written(&self) -> &str {
        self.written.get_or_init(|| self.to_text())
    }

    fn to_text(&self) -> String {
        let mut outcome = self.outcome.clone();
        if let Ok(sent) = &mut outcome {
            let own = sent.own().cloned();
            let all = sent.told.len();
            sent.told.truncate(TOLD_MAX);
            if let Some(own) = own.filter(|_| sent.own().is_none()) {
                sent.told.pop();
                sent.told.push(own);
            }
            sent.more += all.saturating_sub(sent.told.len()) as u64;
            for told in &mut sent.told {
                told.payload = PageBytes::default();
                told.line = cut(&told.line, LINE_BYTES_MAX).to_owned();
                told.text = told.text.take().map(|text| cut(&text, LINE_BYTES_MAX).to_owned());
            }
        }
        // What quotes the frame is left out: it is compared by the rest.
        let foreseen = self.foreseen.as_ref().map(|row| {
            let (says, findings) = (Vec::new(), Vec::new());
            let (to, passed_over) = (Vec::new(), Vec::new());
            let (expected, got, effect) = (None, None, None);
            let answers =
                row.answers.iter().map(|answer| AnswerRow { kind: answer.kind.clone(), hex: String::new() });
            let answers = answers.collect();
            Box::new(JudgedRow {
                says,
                findings,
                expected,
                got,
                answers,
                to,
                passed_over,
                effect,
                ..(**row).clone()
            })
        });
        let saved = SavedSent {
            at_ms: self.at,
            door: self.door.clone(),
            length: self.length,
            frame: SavedFrame::of(&self.way, self.json.as_deref(), self.bytes.as_deref()),
            foreseen,
            outcome,
        };
        serde_json::to_string(&saved).unwrap_or_default()
    }
}

impl SavedSent {
    fn record(self) -> SentRecord {
        SentRecord {
            at: self.at_ms,
            way: Way::of_fields(&self.frame.way),
            door: self.door,
            json: self.frame.json,
            bytes: self.frame.bytes.map(|bytes| bytes.0),
            length: self.length,
            foreseen: self.foreseen,
            outcome: self.outcome,
            written: OnceLock::new(),
        }
        .bounded()
    }
}

/// Takes what was written in the start before. What could not be read is said; its file was set aside.
pub(crate) fn restore(mut model: Model, ui: &mut Ui, saved: SavedFrames, now: Now) -> Model {
    let SavedFrames { draft, sent, troubles } = saved;
    let state = &mut ui.systems.workbench;
    (state.has_draft, state.draft) = (draft.is_some(), draft);
    for record in sent.as_deref().map_or_else(Vec::new, read_sent).into_iter().rev() {
        state.list(record.into(), &ui.limits.console);
    }
    for text in troubles {
        model.note(Level::Warn, &text, now);
        show_file_error(ui, text, now);
    }
    model
}

impl State {
    /// Lists a frame that was sent; what is to be written.
    pub(super) fn list(&mut self, record: Arc<SentRecord>, limits: &limits::Console) -> Effect {
        self.sent.push_front(record);
        let whole = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX);
        self.sent.truncate(whole(limits.sent_frames_max));
        let sent = self.sent.iter().cloned().collect();
        let bytes_max = whole(limits.sent_frames_bytes_max);
        Effect::SaveSentFrames(Box::new(SentFrames { sent, bytes_max }))
    }

    /// Keeps the draft; what is to be written, where it is another than before.
    pub(super) fn save_draft(&mut self, bench: &Workbench, limits: &Limits, at: Wall) -> Option<Effect> {
        // What is written for a frame at the gate ends with it.
        if bench.at_gate.is_some() || self.draft_revision == bench.revision() {
            return None;
        }
        self.draft_revision = bench.revision();
        let draft = bench.draft(limits, at)?;
        if draft.frame.is_none() && !self.has_draft {
            return None;
        }
        self.has_draft = true;
        Some(Effect::SaveFrameDraft(Box::new(draft)))
    }

    /// The workbench as it was left, also in the start before.
    pub(super) fn take(&mut self, limits: &Limits, at: Wall) -> Box<Workbench> {
        let draft = self.draft.take();
        let draft = || draft.as_deref().and_then(read_draft);
        self.kept.take().unwrap_or_else(|| {
            Box::new(draft().map_or_else(
                || Workbench::of(Way::default(), limits, at),
                |draft| Workbench::of_draft(&draft, limits, at),
            ))
        })
    }
}

impl Workbench {
    /// The draft to be written; nothing while it is read from bytes. Of a frame in which nobody wrote there
    /// is none.
    pub(super) fn draft(&self, limits: &Limits, at: Wall) -> Option<Draft> {
        if self.is_example(limits, at) && self.breakages.is_empty() {
            return Some(Draft::default());
        }
        let (json, bytes) = match self.leads {
            Leads::Json | Leads::Refreshing => (Some(self.editor.text()), None),
            Leads::Bytes | Leads::Breaking(_) => (None, Some(self.bytes.bytes().to_vec())),
            Leads::Reading => return None,
        };
        let captured = json.as_ref().map_or_else(BTreeSet::new, |json| self.captured_lines(json.lines()));
        let frame = DraftFrame {
            way: self.way.clone(),
            json,
            bytes,
            breakages: self.breakages.clone(),
            captured,
            is_captured: self.of.is_some(),
        };
        Some(Draft { frame: Some(frame) })
    }

    /// The frame of a draft that was written.
    pub(super) fn of_draft(draft: &SavedFrame, limits: &Limits, at: Wall) -> Self {
        let way = Way::of_fields(&draft.way);
        let mut bench = Self::of(way.clone(), limits, at);
        match (&draft.json, &draft.bytes) {
            (Some(json), _) => {
                bench.load_json(way, json, limits);
                let captured = json.lines().enumerate().filter(|(at, _)| draft.captured.contains(at));
                bench.set_captured(captured.map(|(_, line)| line.to_owned()).collect());
                bench.breakages =
                    draft.breakages.iter().filter_map(|name| Breakage::from_name(name)).collect();
            }
            (None, Some(bytes)) => {
                bench.load((way, None), bytes.0.clone(), limits);
                bench.bytes_lead("the bytes of the draft".to_owned());
            }
            (None, None) => {
                let text = example(way.format(), limits, at);
                bench.load_json(way, &text, limits);
            }
        }
        bench
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::DoorSpec;

    fn limits() -> Limits {
        Limits::default()
    }

    /// The draft as it is written; nothing where there is none, or none that may be.
    fn written(bench: &Workbench) -> Option<String> {
        bench.draft(&limits(), Wall(7))?.text()
    }

    fn again(bench: &Workbench) -> Workbench {
        let text = written(bench).unwrap();
        assert_eq!(check_draft(&text), Ok(()));
        Workbench::of_draft(&read_draft(&text).unwrap(), &limits(), Wall(9))
    }

    #[test]
    fn a_draft_comes_back_with_its_way_its_breakage_and_its_captured_lines() {
        let way = Way::through(&DoorSpec::AsAdapter, None);
        let mut bench = Workbench::of(way.clone(), &limits(), Wall(7));
        assert!(bench.draft(&limits(), Wall(7)).unwrap().frame.is_none(), "nobody wrote in it");
        bench.load_json(way, "{\n  \"body\": {}\n", &limits());
        bench.breakages = vec![Breakage::NoLf];
        bench.set_captured(["  \"body\": {}".to_owned()].into());
        let again = again(&bench);
        assert_eq!((again.spec(), again.editor.text()), (Ok(DoorSpec::AsAdapter), bench.editor.text()));
        assert_eq!(again.breakages, [Breakage::NoLf]);
        assert!(again.is_captured("  \"body\": {}") && !again.is_captured("{"));
    }

    #[test]
    fn a_draft_of_bytes_comes_back_as_bytes() {
        let mut bench = Workbench::of(Way::default(), &limits(), Wall(7));
        bench.load((Way::default(), None), b"\xff\n".to_vec(), &limits());
        assert_eq!(written(&bench), None, "it is being read");
        bench.bytes_lead("the bytes were edited".to_owned());
        let again = again(&bench);
        assert_eq!((again.leads, again.bytes.bytes()), (Leads::Bytes, &b"\xff\n"[..]));
        bench.load((Way::default(), None), b"{\"bridge_token\":\"s3cret\"}\n".to_vec(), &limits());
        bench.bytes_lead("the bytes were edited".to_owned());
        assert_eq!(written(&bench), None, "a token is never written");
    }

    #[test]
    fn what_is_no_such_file_or_of_another_version_says_why() {
        for text in ["", "[]", r#"{"version":1,"sent":[{}]}"#, r#"{"version":1,"sent":3}"#] {
            assert!(check_sent(text).is_err(), "{text}");
        }
        let why = "version 2; this rl-console reads version 1".to_owned();
        assert_eq!(check_sent(r#"{"version":2,"sent":[]}"#), Err(why.clone()));
        assert_eq!(check_draft(r#"{"version":2}"#), Err(why));
        assert!(check_draft(r#"{"version":1,"draft":7}"#).is_err());
    }
}
