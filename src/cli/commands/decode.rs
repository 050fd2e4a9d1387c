//! `decode`: RMP frames for people and scripts, with what is wrong with them.

use std::io::{BufRead, BufReader, Cursor, Read};

use serde::Serialize;

use crate::{
    cli::{
        args::{DecodeArgs, Moment},
        context::Context,
        error::Error,
        hex_text,
        output::Output,
        table::visible,
    },
    dissect::rmp::frame_json::{BodyJson, HeaderJson, shown},
    limits::Limits,
    rmp,
    rmp::{
        Checks, RawFrame, Registry, SchemaId,
        framing::{Framer, FramerEvent},
        json,
    },
    time::Clock,
    words::counted,
};

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;
/// Digits, spaces and an offset that a byte takes in a line of hex, at most.
const HEX_BYTES_A_BYTE: u64 = 8;

/// One frame as scripts read it.
#[derive(Debug, Serialize)]
struct FrameJson {
    frame: u64,
    offset: u64,
    bytes: u64,
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FaultJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_len: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<HeaderJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shown")]
    body: Option<rmpv::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<String>,
}

/// The fault of a frame.
#[derive(Debug, Serialize)]
struct FaultJson {
    name: &'static str,
    clause: &'static str,
    says: &'static str,
    message: String,
    expected: String,
    got: String,
    /// The byte, counted from the frame's first one.
    offset: usize,
    /// Whether nothing that follows is read.
    ends_stream: bool,
}

impl From<&rmp::Error> for FaultJson {
    fn from(error: &rmp::Error) -> Self {
        Self {
            name: error.name(),
            clause: error.clause(),
            says: error.code().says(),
            message: error.to_string(),
            expected: error.expected(),
            got: error.got(),
            offset: error.offset(),
            ends_stream: error.ends_stream(),
        }
    }
}

pub(in crate::cli) fn run(context: &mut Context, args: &DecodeArgs) -> Result<(), Error> {
    let Context { settings, clock, out, .. } = context;
    let (what, stream): (String, Box<dyn Read>) = match (&args.hex, &args.file) {
        (Some(text), _) => ("--hex".to_owned(), Box::new(Cursor::new(text.clone()))),
        (None, Some(path)) if path.as_os_str() != "-" => {
            let what = path.display().to_string();
            let file = std::fs::File::open(path).map_err(Error::io(what.clone()))?;
            (what, Box::new(file))
        }
        (None, _) => ("stdin".to_owned(), Box::new(std::io::stdin().lock())),
    };
    let mut reader = Bytes {
        stream: BufReader::with_capacity(READ_BYTES, stream),
        what,
        line: 0,
        is_hex: args.hex.is_some().then_some(true),
    };
    let mut decoder = Decoder {
        registry: &settings.registry,
        limits: &settings.limits,
        clock: *clock,
        moment: args.now,
        out,
        all: 0,
        invalid: 0,
        first: None,
    };
    decoder.drain(&mut reader)?;
    match (decoder.all, decoder.first) {
        (0, _) => {
            let hint = "give frames as raw bytes or hex digits; `rl-console encode` creates them from JSON"
                .to_owned();
            Err(Error::Input { what: reader.what, message: "contains no frame".to_owned(), hint })
        }
        (all, Some(first)) => Err(Error::Frames { invalid: decoder.invalid, all, first }),
        (_, None) => Ok(()),
    }
}

/// The bytes of an input, whether they are written in hex or stand for themselves.
struct Bytes<R> {
    stream: BufReader<R>,
    what: String,
    line: u64,
    /// Not known before the first byte is there.
    is_hex: Option<bool>,
}

impl<R: Read> Bytes<R> {
    /// The next bytes; none at the end.
    fn next(&mut self, limits: &Limits) -> Result<Option<Vec<u8>>, Error> {
        let failed = Error::io(self.what.clone());
        let Some(is_hex) = self.is_hex else {
            let first = self.stream.fill_buf().map_err(failed)?.first().copied();
            self.is_hex = first.map(hex_text::begins);
            return if first.is_some() { self.next(limits) } else { Ok(None) };
        };
        if !is_hex {
            let bytes = self.stream.fill_buf().map_err(failed)?.to_vec();
            self.stream.consume(bytes.len());
            return Ok(Some(bytes).filter(|bytes| !bytes.is_empty()));
        }
        self.line += 1;
        let line_bytes_max = limits
            .rmp
            .body_bytes_max
            .saturating_add(rmp::HEADER_BYTES as u64)
            .saturating_mul(HEX_BYTES_A_BYTE);
        let mut line = Vec::new();
        let read =
            self.stream.by_ref().take(line_bytes_max + 1).read_until(b'\n', &mut line).map_err(failed)?;
        if read as u64 > line_bytes_max {
            return Err(self.not_hex(format!("line {} is longer than {line_bytes_max} bytes", self.line)));
        }
        if read == 0 {
            return Ok(None);
        }
        let bytes = std::str::from_utf8(&line).ok().and_then(hex_text::line);
        bytes.map(Some).ok_or_else(|| self.not_hex(format!("line {} is not pairs of hex digits", self.line)))
    }

    fn not_hex(&self, message: String) -> Error {
        let hint = "give pairs of hex digits, optionally with spaces and offsets (0010: 00 0a), or raw bytes"
            .to_owned();
        if self.what == "--hex" {
            Error::usage(format!("--hex: {message}"), hint)
        } else {
            Error::Input { what: self.what.clone(), message, hint }
        }
    }
}

/// Prints frame after frame.
struct Decoder<'a> {
    registry: &'a Registry,
    limits: &'a Limits,
    clock: Clock,
    moment: Option<Moment>,
    out: &'a mut Output,
    all: u64,
    invalid: u64,
    first: Option<Box<rmp::Error>>,
}

impl Decoder<'_> {
    fn drain<R: Read>(&mut self, input: &mut Bytes<R>) -> Result<(), Error> {
        let mut framer = Framer::new(self.limits.rmp.body_bytes_max);
        while let Some(bytes) = input.next(self.limits)? {
            framer.buffer().extend_from_slice(&bytes);
            loop {
                let offset = framer.offset();
                match framer.next() {
                    Some(found) if self.one(offset, &found)? => {}
                    Some(_) => return Ok(()),
                    None => break,
                }
            }
            self.out.flush()?;
        }
        let offset = framer.offset();
        if let Some(cut_off) = framer.finish() {
            self.one(offset, &cut_off)?;
        }
        Ok(())
    }

    /// Prints one; false when nothing that follows can be read.
    fn one(&mut self, offset: u64, framed: &FramerEvent) -> Result<bool, Error> {
        let (wire, verdict) = match framed {
            FramerEvent::Frame(wire) => {
                let mut checks = Checks::new(self.registry, &self.limits.rmp);
                checks.now_ms = self.moment.map(|moment| match moment {
                    Moment::Now => self.clock.now().wall.0,
                    Moment::At(ms) => ms,
                });
                (wire, rmp::decode(wire, &checks).map(|frame| frame.expires_at_ms))
            }
            FramerEvent::Broken { error, bytes } => (bytes, Err(error.clone())),
        };
        self.all += 1;
        let is_whole = matches!(framed, FramerEvent::Frame(_));
        let raw = RawFrame::split(wire);
        let body = raw
            .as_ref()
            .filter(|_| is_whole)
            .map(|raw| BodyJson::of(raw.body, &self.limits.rmp))
            .unwrap_or_default();
        let schema = raw.as_ref().and_then(|raw| self.registry.schema(SchemaId(raw.header.schema_id))?.name);
        let row = FrameJson {
            frame: self.all,
            offset,
            bytes: wire.len() as u64,
            valid: verdict.is_ok(),
            error: verdict.as_ref().err().map(FaultJson::from),
            frame_len: wire.first_chunk().map(|prefix| u32::from_be_bytes(*prefix)),
            header: raw.as_ref().map(|raw| HeaderJson::from(&raw.header)),
            schema,
            expires_at_ms: verdict.as_ref().ok().copied(),
            body: body.value,
            body_bytes: body.bytes,
        };
        self.out.row(&row, |row| text(row, raw.as_ref()))?;
        let Err(error) = verdict else { return Ok(true) };
        let goes_on = !error.ends_stream();
        self.invalid += 1;
        self.first.get_or_insert_with(|| Box::new(error));
        Ok(goes_on)
    }
}

/// One frame as people read it.
fn text(row: &FrameJson, raw: Option<&RawFrame<'_>>) -> String {
    let mut lines = Vec::new();
    let place = format!("frame {} at byte {}, {}", row.frame, row.offset, counted(row.bytes, "byte"));
    match &row.error {
        None => lines.push(format!("{place}: valid")),
        Some(fault) => {
            lines.push(format!("{place}: {} ({}): {}", fault.name, fault.clause, fault.message));
            lines.push(field("expected", &fault.expected));
            lines.push(field("got", &fault.got));
            lines.push(field(
                "at byte",
                &format!("{} of the frame, {} of the input", fault.offset, row.offset + fault.offset as u64),
            ));
            if fault.ends_stream {
                lines.push(field("what follows", "skipped: the start of the next frame is unknown"));
            }
        }
    }
    lines.extend(row.frame_len.map(|frame_len| field("frame_len", &frame_len.to_string())));
    if let Some(raw) = raw {
        lines.extend(header_lines(row, raw));
    }
    if let Some(body) = &row.body {
        let json = serde_json::to_string_pretty(&json::JsonView(body)).unwrap_or_default();
        let names = std::iter::once("  body            ").chain(std::iter::repeat("  "));
        lines.extend(names.zip(json.lines()).map(|(name, line)| format!("{name}{line}")));
    }
    if let Some(bytes) = &row.body_bytes {
        lines.push(field("body_bytes", &format!("{bytes} (base64)")));
    }
    lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}

fn field(name: &str, value: &str) -> String {
    format!("  {name:<16}{value}")
}

fn header_lines(row: &FrameJson, raw: &RawFrame<'_>) -> Vec<String> {
    let header = &raw.header;
    let schema = SchemaId(header.schema_id);
    let at = |ms: u64| {
        let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        time.map_or_else(|| ms.to_string(), |time| format!("{ms} ({time})"))
    };
    let shown = HeaderJson::from(header);
    let mut lines = vec![
        field("magic", shown.magic()),
        field("header_version", &header.header_version.to_string()),
        field("header_len", &header.header_len.to_string()),
        field("flags", &format!("{:#010x}", header.flags)),
        field("schema_id", &row.schema.map_or_else(|| schema.to_string(), |name| format!("{schema} {name}"))),
        field("reserved2", &format!("{:#06x}", header.reserved2)),
        field("body_len", &header.body_len.to_string()),
        field("created_at_ms", &at(header.created_at_ms)),
        field("ttl_ms", &header.ttl_ms.to_string()),
    ];
    lines.extend(row.expires_at_ms.map(|ms| field("expires_at_ms", &at(ms))));
    lines.push(field("trace_id", &shown.trace_id().to_string()));
    lines.push(field("msg_id", &header.msg_id.to_string()));
    lines.push(field("reserved4", &format!("{:#010x}", header.reserved4)));
    lines
}
