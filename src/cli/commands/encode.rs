//! `encode`: frames of any link from JSON, well-formed or, where it is asked for, broken.

use std::{
    cell::Cell,
    io::{self, BufReader, Read},
    rc::Rc,
};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    cli::{args::EncodeArgs, context::Context, error::Error},
    dissect::frame_json::{Fill, Setup, codec},
    ids::TraceId,
};

/// What a frame is worth delivering when nothing is said: the field's default.
const TTL_MS: u64 = 30_000;
/// Bytes of JSON that a byte of a body may take: escaped text takes six.
const JSON_BYTES_A_BYTE: u64 = 6;
/// Bytes of JSON besides.
const JSON_BYTES_MORE: u64 = 1 << 20;

/// The output with `--json`.
#[derive(Serialize)]
struct Encoded {
    frame: u64,
    bytes: usize,
    hex: String,
}

pub(in crate::cli) fn run(context: &mut Context, args: &EncodeArgs) -> Result<(), Error> {
    let Context { settings, clock, out, .. } = context;
    if args.raw && out.is_json() {
        return Err(Error::usage("--raw prints bytes, and --json objects", "remove one of them"));
    }
    let (what, stream): (String, Box<dyn Read>) = match &args.file {
        Some(path) if path.as_os_str() != "-" => {
            let what = path.display().to_string();
            let file = std::fs::File::open(path).map_err(Error::io(what.clone()))?;
            (what, Box::new(file))
        }
        _ => ("stdin".to_owned(), Box::new(io::stdin().lock())),
    };
    let format = args.format.format()?;
    let codec = codec(format, Setup { registry: &settings.registry, limits: &settings.limits, now_ms: None });
    let json_bytes_max =
        codec.frame_bytes_max().saturating_mul(JSON_BYTES_A_BYTE).saturating_add(JSON_BYTES_MORE);
    let left = Rc::new(Cell::new(json_bytes_max));
    let reader = BufReader::new(Metered { stream, left: Rc::clone(&left) });
    let refused = |number: u64, message: String| {
        let hint =
            format!("give an object such as {}; `rl-console decode --json` prints more", codec.example());
        Error::Input { what: what.clone(), message: format!("frame {number}: {message}"), hint }
    };
    let mut number = 0;
    for text in serde_json::Deserializer::from_reader(reader).into_iter::<Box<RawValue>>() {
        number += 1;
        let text = text.map_err(|error| refused(number, error.to_string()))?;
        left.set(json_bytes_max);
        let now = clock.now();
        let fill = Fill {
            created_at_ms: now.wall.0,
            ttl_ms: TTL_MS,
            // As the station does: microseconds, so that they rise from run to run.
            msg_id: now.wall.0.saturating_mul(1_000).saturating_add(number),
            trace_id: TraceId(uuid::Uuid::now_v7()),
        };
        let made = codec.encode(text.get(), &fill).map_err(|message| refused(number, message))?;
        let wire = made.wire;
        if let Some(fault) = made.fault.filter(|_| !args.broken) {
            return Err(Error::FrameRefused { number, error: Box::new(fault) });
        }
        if args.raw {
            out.bytes(&wire)?;
        } else {
            let row = Encoded { frame: number, bytes: wire.len(), hex: crate::words::hex(&wire) };
            out.row(&row, |row| row.hex.clone())?;
        }
        out.flush()?;
    }
    if number == 0 { Err(refused(1, "no JSON found".to_owned())) } else { Ok(()) }
}

/// A stream that may give so many bytes until somebody sets the count again.
struct Metered<R> {
    stream: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 {
            return Err(io::Error::other("the JSON is larger than any frame"));
        }
        let max = usize::try_from(self.left.get()).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.stream.read(buffer.get_mut(..max).unwrap_or_default())?;
        self.left.set(self.left.get().saturating_sub(read as u64));
        Ok(read)
    }
}
