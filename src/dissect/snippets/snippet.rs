//! A snippet, read from TOML.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    fault::{SnippetFault, line_of, line_of_key},
    words::{SnippetDoor, SnippetLink, Stage},
};
use crate::{
    dissect::frame_json::{Breakage, Format, Json, RmpUnits},
    judged::Certainty,
    macp::Rpc,
    words::nearest,
};

/// Frames of a snippet at most.
const FRAMES_MAX: usize = 1_024;

/// A frame, or several, with what becomes of the last one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snippet {
    /// What it shows, in one line.
    pub(crate) about: String,
    /// Its link.
    pub(crate) link: SnippetLink,
    /// The way that its frames take.
    pub(crate) door: SnippetDoor,
    /// The kind of session, or the sender of a call; `none` sends no hello.
    pub(crate) as_kind: Option<String>,
    /// The topic on which its messages are published.
    pub(crate) topic: Option<String>,
    /// The call.
    pub(crate) rpc: Option<Rpc>,
    /// Its frames, in their order; never empty. What is before the last one prepares it.
    pub(crate) frames: Vec<SnippetFrame>,
    /// What is broken in the last one.
    pub(crate) breakages: Vec<Breakage>,
    /// What must be there first.
    pub(crate) stage: Vec<Stage>,
    /// What becomes of the last one.
    pub(crate) expect: Expected,
}

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SnippetFrame {
    /// JSON in the format of `encode`.
    Json(Json),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// What becomes of a frame; what is absent may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expected {
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<String>,
    /// The name of the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// The clause that is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clause: Option<String>,
    /// The type of the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    /// How certain that is before it is sent; certain, where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) certainty: Option<Certainty>,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    about: String,
    link: SnippetLink,
    door: SnippetDoor,
    #[serde(rename = "as")]
    as_kind: Option<String>,
    topic: Option<String>,
    rpc: Option<String>,
    json: Option<OneOrMore>,
    hex: Option<OneOrMore>,
    #[serde(default, rename = "break")]
    breakages: Vec<String>,
    #[serde(default)]
    stage: Vec<Stage>,
    #[serde(default)]
    expect: Expected,
}

/// The judgement of one of its frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreseen<'a> {
    /// The verdict.
    pub(crate) verdict: &'a str,
    /// The name of the fault.
    pub(crate) code: Option<&'a str>,
    /// Whose word it is.
    pub(crate) certainty: Certainty,
    /// Whether the station is one for a rehearsal, whose store may fail on purpose.
    pub(crate) is_rehearsal: bool,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string, or a list of strings, one per frame")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::More(more) => more,
        }
    }
}

impl Snippet {
    /// Reads a file.
    ///
    /// # Errors
    /// [`SnippetFault`]: the first thing that is wrong.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, SnippetFault> {
        let fault = |line, what: String, hint: &str| SnippetFault {
            file: file.to_owned(),
            line,
            what,
            hint: hint.to_owned(),
        };
        let at = |key: &str| line_of_key(text, key);
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, span.start));
            fault(line, error.message().trim_end().to_owned(), MEMBERS)
        })?;
        if written.about.trim().is_empty() || written.about.contains('\n') {
            return Err(fault(
                at("about"),
                "`about` is not one line".to_owned(),
                "say in one line what it shows",
            ));
        }
        if !written.door.is_of(written.link) {
            let doors = SnippetDoor::ALL.iter().filter(|door| door.is_of(written.link));
            let doors: Vec<&str> = doors.map(|door| door.name()).collect();
            let what = format!("no door `{}` leads to {}", written.door.name(), written.link.name());
            return Err(fault(at("door"), what, &format!("one of {}", doors.join(", "))));
        }
        let of_other = [
            ("topic", written.topic.is_some() && written.door != SnippetDoor::Peer),
            ("rpc", written.rpc.is_some() && written.link != SnippetLink::Macp),
            ("as", written.as_kind.is_some() && !has_kind(written.link, written.door)),
        ];
        if let Some((key, _)) = of_other.into_iter().find(|(_, is_wrong)| *is_wrong) {
            let what = format!("`{key}` says nothing of the door `{}`", written.door.name());
            return Err(fault(at(key), what, "remove it"));
        }
        let rpc = written.rpc.map(|name| {
            let unknown = format!("no call `{name}`");
            Rpc::from_name(&name)
                .ok_or_else(|| fault(at("rpc"), unknown, &format!("one of {}", Rpc::NAMES.join(", "))))
        });
        let breakages = breakages(&written.breakages)
            .map_err(|(name, hint)| fault(at("break"), format!("nothing breaks by `{name}`"), &hint))?;
        let frames = frames(file, text, written.json, written.hex)?;
        Ok(Self {
            about: written.about,
            link: written.link,
            door: written.door,
            as_kind: written.as_kind,
            topic: written.topic,
            rpc: rpc.transpose()?,
            frames,
            breakages,
            stage: written.stage,
            expect: written.expect,
        })
    }

    /// Whether this verdict and fault are what becomes of its last frame.
    pub(crate) fn ends_by(&self, verdict: &str, code: Option<&str>) -> bool {
        let Expected { verdict: ends, code: fault, .. } = &self.expect;
        ends.as_deref().is_none_or(|it| it == verdict) && (fault.is_none() || fault.as_deref() == code)
    }

    /// Whether what must be there first is there, as far as the judgement of one of its frames says: the last
    /// one ends as is shown, and none before it is refused. Whether the store can write is not foreseen where
    /// it may fail on purpose, and what is not ours to say may be either way.
    pub(crate) fn is_staged(&self, foreseen: &Foreseen<'_>, is_last: bool) -> bool {
        let Foreseen { verdict, code, certainty, is_rehearsal } = *foreseen;
        let is_foreseen = verdict != "pending" && certainty <= Certainty::AsOfNow;
        self.stage.is_empty()
            || self.stage.contains(&Stage::FailingStore) && is_rehearsal
            || !is_foreseen
            || self.ends_by(verdict, code)
            || !is_last && !matches!(verdict, "refused" | "late")
    }

    /// What must be there first, in words.
    pub(crate) fn needs(&self) -> String {
        self.stage.iter().map(|stage| stage.text()).collect::<Vec<_>>().join(", ")
    }

    /// The format of its frames.
    pub(crate) fn format(&self) -> Format {
        match (self.link, self.door) {
            (SnippetLink::Mpp, _) => Format::Mpp,
            (SnippetLink::Macp, _) => Format::Macp(self.rpc.unwrap_or(Rpc::Send)),
            (SnippetLink::Plugin, _) => Format::Plugin,
            (SnippetLink::Rmp, SnippetDoor::Json | SnippetDoor::ToJson) => Format::Rmp(RmpUnits::Json),
            (SnippetLink::Rmp, _) if self.topic.is_some() => Format::Rmp(RmpUnits::Frames),
            (SnippetLink::Rmp, _) => Format::Rmp(RmpUnits::Session),
        }
    }
}

/// What a snippet may say.
const MEMBERS: &str = "a snippet has about, link, door, json or hex, and if needed as, topic, rpc, break, stage \
                       and [expect] with verdict, code, clause, answer and certainty";

/// Whether somebody is named who goes through a door.
const fn has_kind(link: SnippetLink, door: SnippetDoor) -> bool {
    match link {
        SnippetLink::Rmp => matches!(door, SnippetDoor::Peer | SnippetDoor::Json),
        SnippetLink::Macp => true,
        SnippetLink::Mpp | SnippetLink::Plugin => false,
    }
}

/// The breakages of these names; of one that is not known, its name and what to do.
fn breakages(names: &[String]) -> Result<Vec<Breakage>, (String, String)> {
    let known = |name: &String| {
        Breakage::from_name(name).ok_or_else(|| {
            let near = nearest(name, Breakage::NAMES.iter().copied());
            let hint = near.map_or_else(
                || "`rl-console help inject` lists them".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            (name.clone(), hint)
        })
    };
    names.iter().map(known).collect()
}

fn frames(
    file: &str,
    text: &str,
    json: Option<OneOrMore>,
    hex: Option<OneOrMore>,
) -> Result<Vec<SnippetFrame>, SnippetFault> {
    let fault = |line: Option<usize>, what: String, hint: &str| SnippetFault {
        file: file.to_owned(),
        line,
        what,
        hint: hint.to_owned(),
    };
    let at = |key| line_of_key(text, key);
    let (key, frames): (_, Result<Vec<_>, SnippetFault>) = match (json, hex) {
        (Some(json), None) => ("json", json.all().iter().map(|json| of_json(file, text, json)).collect()),
        (None, Some(hex)) => {
            let bytes = |digits: &String| {
                let bytes = bytes_of(digits).map(SnippetFrame::Bytes);
                bytes.ok_or_else(|| {
                    fault(
                        at("hex"),
                        "`hex` is not hex digits".to_owned(),
                        "two digits a byte, blanks between",
                    )
                })
            };
            ("hex", hex.all().iter().map(bytes).collect())
        }
        _ => {
            let hint = "give `json` in the format of `encode`, or the bytes as `hex`";
            return Err(fault(None, "it has no frame, or two".to_owned(), hint));
        }
    };
    let frames = frames?;
    if frames.is_empty() || frames.len() > FRAMES_MAX {
        let what = format!("`{key}` has {} frames", frames.len());
        return Err(fault(at(key), what, &format!("1 to {FRAMES_MAX} frames")));
    }
    Ok(frames)
}

/// A frame of JSON; where it is none, the line of the file.
fn of_json(file: &str, text: &str, json: &str) -> Result<SnippetFrame, SnippetFault> {
    let read = serde_json::from_str::<&RawValue>(json).map_err(|error| (error.line(), error.to_string()));
    let read = read.and_then(|_| Json::read(json).map_err(|error| (1, error)));
    read.map(SnippetFrame::Json).map_err(|(line_within, error)| {
        // What has escapes of TOML in it does not stand in the file as it is read.
        let line = text.find(json).filter(|_| !json.is_empty()).map_or_else(
            || line_of_key(text, "json"),
            |at| Some(line_of(text, at) + line_within.saturating_sub(1)),
        );
        let what = format!("the JSON of a frame is not valid: {error}");
        let hint = "one JSON object a frame; `rl-console decode --json` prints such".to_owned();
        SnippetFault { file: file.to_owned(), line, what, hint }
    })
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|digit| !digit.is_ascii_whitespace()).collect();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let nibble = |digit: &u8| char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pairs = digits.chunks_exact(2);
    pairs.map(|pair| Some(nibble(pair.first()?)? << 4 | nibble(pair.last()?)?)).collect()
}
