//! The frames that are sent, one after the other: from JSON with what is set in it, or from bytes, and
//! broken where that is asked for.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead as _, BufReader, Lines, Read as _, Take},
};

use clap::ValueEnum as _;

use super::snippet::Given;
use crate::{
    cli::{
        args::InjectArgs,
        error::Error,
        frame_input::{json_of, raw_bytes, refused, set},
        hex_text,
        inject_error::InjectError,
        report,
    },
    dissect::{
        frame_json::{Breakage, Codec, Fill, Format, Json},
        snippets::SnippetFrame,
    },
    macp::Rpc,
    time::Clock,
    words::counted,
};

/// Bytes that are read of a file with a frame per line.
const EACH_BYTES_MAX: u64 = 1 << 30;

/// Where the frames come from.
enum Source<'a> {
    Raw(Vec<u8>),
    One(Json),
    Each {
        over: Json,
        lines: Lines<BufReader<Take<File>>>,
        what: String,
        line: u64,
        left_out: LeftOut,
    },
    /// The frames of a snippet, again and again.
    Snippet {
        frames: &'a [SnippetFrame],
        next: usize,
    },
}

/// The frames.
pub(super) struct Frames<'a> {
    source: Source<'a>,
    args: &'a InjectArgs,
    format: Format,
    clock: Clock,
    made: u64,
    /// How often the present one is sent still.
    left: u64,
    present: Option<Json>,
    /// The bytes of a line that has bytes alone.
    raw: Option<Vec<u8>>,
    /// How often a snippet was sent.
    rounds: u64,
    /// Whether the frame that was made last is the first of a snippet that is sent again.
    is_round: bool,
    /// The second copy of a frame that is sent twice, each by itself.
    again: Option<Vec<u8>>,
}

impl<'a> Frames<'a> {
    /// `captured` are the bytes of a captured frame that is sent again.
    pub(super) fn new(
        given: &'a Given,
        captured: Option<Vec<u8>>,
        format: Format,
        clock: Clock,
    ) -> Result<Self, Error> {
        let args = &given.args;
        let source = if let Some(bytes) = captured {
            Source::Raw(bytes)
        } else if let Some(snippet) = &given.snippet {
            Source::Snippet { frames: &snippet.frames, next: 0 }
        } else if let Some(raw) = &args.raw {
            Source::Raw(raw_bytes(raw)?)
        } else if let Some(each) = &args.each {
            let over = match &args.file {
                Some(_) => json_of(args.file.as_deref())?,
                None => Json::Object(Vec::new()),
            };
            let what = each.display().to_string();
            let file = File::open(each).map_err(Error::io(what.clone()))?;
            Source::Each {
                over,
                lines: BufReader::new(file.take(EACH_BYTES_MAX)).lines(),
                what,
                line: 0,
                left_out: LeftOut::new(),
            }
        } else {
            Source::One(json_of(args.file.as_deref())?)
        };
        Ok(Self {
            source,
            args,
            format,
            clock,
            made: 0,
            left: 0,
            present: None,
            raw: None,
            rounds: 0,
            is_round: false,
            again: None,
        })
    }

    /// Whether the frame that was made last is for its own sake, and does not prepare another one.
    pub(super) fn is_counted(&self) -> bool {
        let is_last = match &self.source {
            Source::Snippet { frames, next } => *next == frames.len(),
            _ => true,
        };
        is_last && self.again.is_none()
    }

    /// Whether the next one is the one that was made last, with ids and times of its own.
    pub(super) const fn repeats(&self) -> bool {
        self.left > 0
    }

    /// Whether the one that was made last begins a snippet anew.
    pub(super) const fn begins_anew(&self) -> bool {
        self.is_round
    }

    /// The next one, if there is any.
    pub(super) fn next(&mut self, codec: &dyn Codec) -> Result<Option<Vec<u8>>, Error> {
        self.is_round = false;
        if let Some(again) = self.again.take() {
            return Ok(Some(again));
        }
        if self.left == 0 && !self.advance()? {
            return Ok(None);
        }
        self.left -= 1;
        self.made += 1;
        let now = self.clock.now();
        let fill = Fill::at(now.wall, self.made);
        let wire = match (&self.source, &self.present) {
            (Source::Raw(bytes), _) => bytes.clone(),
            (Source::Snippet { frames, next }, None) => match frames.get(next.wrapping_sub(1)) {
                Some(SnippetFrame::Bytes(bytes)) => bytes.clone(),
                _ => return Ok(None),
            },
            (Source::Each { .. }, _) if self.raw.is_some() => self.raw.clone().unwrap_or_default(),
            (_, Some(json)) => {
                let made = codec.encode(&json.to_text(), &fill).map_err(|why| refused(codec, &why))?;
                made.wire
            }
            (_, None) => return Ok(None),
        };
        let wire = match &self.args.topic {
            Some(topic) => {
                let mut unit = fill.publish(topic);
                unit.extend_from_slice(&wire);
                unit
            }
            None => wire,
        };
        if !self.is_counted() {
            return Ok(Some(wire));
        }
        let mut wire = self.broken(wire)?;
        if self.args.breakages.last() == Some(&Breakage::RepeatedId) {
            self.again = Some(wire.split_off(wire.len() / 2));
        }
        Ok(Some(wire))
    }

    fn broken(&self, mut wire: Vec<u8>) -> Result<Vec<u8>, Error> {
        for breakage in &self.args.breakages {
            wire = breakage.apply(self.format, &wire).ok_or_else(|| {
                Error::usage(
                    format!("this frame has nothing to break by `{}`", breakage.name()),
                    "`rl-console help frames` lists what each link has",
                )
            })?;
        }
        Ok(wire)
    }

    /// Goes to the next frame of the source; false where there is none.
    fn advance(&mut self) -> Result<bool, Error> {
        let is_first = self.made == 0;
        match &mut self.source {
            Source::Raw(_) if is_first => {}
            Source::One(json) if is_first => {
                self.present = Some(with_settings(json.clone(), self.args, self.format)?);
            }
            Source::Raw(_) | Source::One(_) => return Ok(false),
            Source::Snippet { frames, next } => {
                if *next == frames.len() {
                    self.rounds += 1;
                    *next = 0;
                }
                let Some(frame) = frames.get(*next).filter(|_| self.rounds < self.args.count) else {
                    return Ok(false);
                };
                self.is_round = *next == 0 && self.rounds > 0;
                *next += 1;
                let is_last = *next == frames.len();
                self.present = match frame {
                    SnippetFrame::Json(json) if is_last => {
                        Some(with_settings(json.clone(), self.args, self.format)?)
                    }
                    SnippetFrame::Json(json) => {
                        Some(with_known_settings(json.clone(), self.args, self.format)?)
                    }
                    SnippetFrame::Bytes(_) => None,
                };
                self.left = 1;
                return Ok(true);
            }
            Source::Each { over, lines, what, line, left_out } => loop {
                let Some(text) = lines.next() else {
                    print_left_out(what, std::mem::take(left_out));
                    return Ok(false);
                };
                *line += 1;
                let text = text.map_err(Error::io(what.clone()))?;
                if text.trim().is_empty() {
                    continue;
                }
                let not_one = |message, hint: &str| {
                    let what = format!("{what}, line {line}");
                    InjectError::NotAFrame { what, message, hint: hint.to_owned() }
                };
                let one = Json::read(&text).map_err(|why| not_one(why, "one JSON object per line"))?;
                let (json, bytes) = match exported(one, self.args) {
                    Line::Frame(json, bytes) => (json, bytes),
                    Line::LeftOut(why) => {
                        *left_out.entry(why).or_default() += 1;
                        continue;
                    }
                    Line::OtherLink(link) => {
                        let hint = "name the link of the conversation, or export that of one --peer";
                        return Err(not_one(format!("a frame of link {link}"), hint).into());
                    }
                };
                let mut whole = over.clone();
                whole.merge(json);
                self.raw = bytes;
                self.present = Some(with_settings(whole, self.args, self.format)?);
                break;
            },
        }
        self.left = self.args.count;
        Ok(true)
    }
}

/// Lines that are not sent, by why.
type LeftOut = BTreeMap<String, u64>;

/// Says how many lines of a file are not sent, and why.
fn print_left_out(file: &str, left_out: LeftOut) {
    if left_out.is_empty() {
        return;
    }
    let all = counted(left_out.values().sum::<u64>(), "line");
    let why: Vec<String> = left_out.into_iter().map(|(why, count)| format!("{count} {why}")).collect();
    report::print_note(&format!("note: {file}: left out {all}: {}", why.join(", ")));
}

/// What a line is.
enum Line {
    /// A frame, or its bytes.
    Frame(Json, Option<Vec<u8>>),
    /// One that is not sent.
    LeftOut(String),
    /// One of another link.
    OtherLink(String),
}

/// A line as `recording export` prints it is the frame in it, or its bytes; any other is the frame itself. Of
/// a conversation one side is sent: the peer's or, to a peer, the station's.
fn exported(line: Json, args: &InjectArgs) -> Line {
    let text = |name: &str| match line.at(name) {
        Some(Json::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let (Some(_), Some(direction)) = (line.at("at_ms"), text("direction")) else {
        return Line::Frame(line, None);
    };
    let own = args.link().to_possible_value();
    if let Some(link) = text("link").filter(|link| own.is_none_or(|own| own.get_name() != link)) {
        return Line::OtherLink(link);
    }
    let (sent, other) = if args.to.is_some() { ("out", "of the peer") } else { ("in", "of the station") };
    if direction != sent {
        return Line::LeftOut(other.to_owned());
    }
    if let Some(why) = text("incomplete") {
        return Line::LeftOut(why);
    }
    match (line.at("json"), text("hex")) {
        (Some(json), _) => Line::Frame(json.clone(), None),
        (None, Some(digits)) => Line::Frame(Json::Object(Vec::new()), hex_text::line(&digits)),
        _ => Line::Frame(line, None),
    }
}

/// The JSON with what is set, and the sender of a call that is named.
fn with_settings(mut json: Json, args: &InjectArgs, format: Format) -> Result<Json, Error> {
    if let (Format::Macp(rpc), Some(sender)) = (format, &args.as_kind) {
        let has_envelope =
            matches!(rpc, Rpc::Send | Rpc::StreamSession) || json.at("body.envelope").is_some();
        if has_envelope {
            set(&mut json, "body.envelope.sender", Json::Text(sender.clone()))?;
        } else if args.snippet.is_none() {
            return Err(Error::usage(
                format!("--as is the sender of an envelope, and a {} has none", rpc.name()),
                "remove --as; `--set body.FIELD=VALUE` sets what the call has",
            ));
        }
    }
    for (path, value) in &args.set {
        set(&mut json, path, value.clone())?;
    }
    Ok(json)
}

/// The JSON of what prepares another frame, with such as it has already.
fn with_known_settings(json: Json, args: &InjectArgs, format: Format) -> Result<Json, Error> {
    let set = args.set.iter().filter(|(path, _)| json.at(path).is_some()).cloned().collect();
    let args = InjectArgs { set, ..args.clone() };
    with_settings(json, &args, format)
}
