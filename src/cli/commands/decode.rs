//! `decode`: frames of any link for people and scripts, with what is wrong with them.

use std::{
    fs::File,
    io::{BufRead, BufReader, Cursor, Read},
};

use crate::{
    cli::{
        args::{DecodeArgs, Moment},
        context::Context,
        error::Error,
        hex_text,
        output::Output,
        table::visible,
    },
    dissect::frame_json::{Codec, Format, FrameFault, Setup, Unit, UnitJson, codec},
    words::counted,
};

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;
/// Digits, spaces and an offset that a byte takes in a line of hex, at most.
const HEX_BYTES_A_BYTE: u64 = 8;

pub(in crate::cli) fn run(context: &mut Context, args: &DecodeArgs) -> Result<(), Error> {
    let Context { settings, clock, out, .. } = context;
    let format = args.format.format()?;
    if args.now.is_some() && !matches!(format, Format::Rmp(_)) {
        return Err(Error::usage("--now is for rmp frames: no others expire", "remove --now"));
    }
    let (what, stream): (String, Box<dyn Read>) = match (&args.hex, &args.file) {
        (Some(text), _) => ("--hex".to_owned(), Box::new(Cursor::new(text.clone()))),
        (None, Some(path)) if path.as_os_str() != "-" => {
            let what = path.display().to_string();
            let file = File::open(path).map_err(Error::io(what.clone()))?;
            (what, Box::new(file))
        }
        (None, _) => ("stdin".to_owned(), Box::new(std::io::stdin().lock())),
    };
    let clock = *clock;
    let now_ms = args.now.map(|moment| {
        move || match moment {
            Moment::Now => clock.now().wall.0,
            Moment::At(ms) => ms,
        }
    });
    let now_ms = now_ms.as_ref().map(|now| now as &dyn Fn() -> u64);
    let codec = codec(format, Setup { registry: &settings.registry, limits: &settings.limits, now_ms });
    let mut reader = Bytes {
        stream: BufReader::with_capacity(READ_BYTES, stream),
        what,
        line: 0,
        line_bytes_max: codec.frame_bytes_max().saturating_mul(HEX_BYTES_A_BYTE),
        is_rmp: matches!(format, Format::Rmp(_)),
        is_hex: args.hex.is_some().then_some(true),
    };
    let mut printer = Printer { codec: &*codec, out, all: 0, invalid: 0, first: None };
    printer.drain(&mut reader)?;
    match (printer.all, printer.first) {
        (0, _) => {
            let hint = "give frames as raw bytes or hex digits; `rl-console encode` creates them from JSON"
                .to_owned();
            Err(Error::Input { what: reader.what, message: "contains no frame".to_owned(), hint })
        }
        (all, Some(first)) => Err(Error::Frames { invalid: printer.invalid, all, first }),
        (_, None) => Ok(()),
    }
}

/// The bytes of an input, whether they are written in hex or stand for themselves.
struct Bytes<R> {
    stream: BufReader<R>,
    what: String,
    line: u64,
    line_bytes_max: u64,
    /// Of frames of RMP the first byte tells whether it is a digit.
    is_rmp: bool,
    /// Not known before the first bytes are there.
    is_hex: Option<bool>,
}

impl<R: Read> Bytes<R> {
    /// The next bytes; none at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let failed = Error::io(self.what.clone());
        let Some(is_hex) = self.is_hex else {
            let begun = self.stream.fill_buf().map_err(failed)?;
            let Some(first) = begun.first() else { return Ok(None) };
            self.is_hex = Some(if self.is_rmp { hex_text::begins(*first) } else { hex_text::is_text(begun) });
            return self.next();
        };
        if !is_hex {
            let bytes = self.stream.fill_buf().map_err(failed)?.to_vec();
            self.stream.consume(bytes.len());
            return Ok(Some(bytes).filter(|bytes| !bytes.is_empty()));
        }
        self.line += 1;
        let (line_bytes_max, mut line) = (self.line_bytes_max, Vec::new());
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
struct Printer<'a> {
    codec: &'a dyn Codec,
    out: &'a mut Output,
    all: u64,
    invalid: u64,
    first: Option<Box<FrameFault>>,
}

impl Printer<'_> {
    fn drain<R: Read>(&mut self, input: &mut Bytes<R>) -> Result<(), Error> {
        let mut decoder = self.codec.decoder();
        while let Some(bytes) = input.next()? {
            decoder.push(&bytes);
            while let Some(unit) = decoder.next() {
                if !self.one(unit)? {
                    return Ok(());
                }
            }
            self.out.flush()?;
        }
        if let Some(last) = decoder.finish() {
            self.one(last)?;
        }
        Ok(())
    }

    /// Prints one; false when nothing that follows can be read.
    fn one(&mut self, unit: Unit) -> Result<bool, Error> {
        self.all += 1;
        let row = UnitJson(self.all, &unit);
        self.out.row(&row, |UnitJson(number, unit)| text(*number, unit, self.codec))?;
        let Some(fault) = unit.fault else { return Ok(true) };
        let goes_on = !fault.ends_stream;
        self.invalid += 1;
        self.first.get_or_insert_with(|| Box::new(fault));
        Ok(goes_on)
    }
}

/// One frame as people read it.
fn text(number: u64, unit: &Unit, codec: &dyn Codec) -> String {
    let mut lines = Vec::new();
    let place =
        format!("frame {number} at byte {}, {}", unit.offset, counted(unit.wire.len() as u64, "byte"));
    match &unit.fault {
        None => lines.push(format!("{place}: valid")),
        Some(fault) => {
            lines.push(format!("{place}: {fault}"));
            lines.push(field("expected", &fault.expected));
            lines.push(field("got", &fault.got));
            let of_input = unit.offset + fault.offset as u64;
            lines.push(field("at byte", &format!("{} of the frame, {of_input} of the input", fault.offset)));
            if fault.ends_stream {
                lines.push(field("what follows", "skipped: the start of the next frame is unknown"));
            }
        }
    }
    lines.extend(codec.lines(unit));
    lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}

fn field(name: &str, value: &str) -> String {
    format!("  {name:<16}{value}")
}
