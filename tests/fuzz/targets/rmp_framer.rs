//! Any stream in reads of any size: frames are cut by `frame_len`, the same however the stream is split.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::rmp::framing::{Framer, FramerEvent};

const BODY_BYTES_MAX: u64 = 4_096;

fuzz_target!(|input: (Vec<u16>, Vec<(bool, u8, u16)>)| {
    let (sizes, frames) = input;
    let mut stream = Vec::new();
    for (is_well, byte, body) in frames.iter().take(32) {
        let frame_len = 64 + u32::from(*body % 4_200);
        stream.extend_from_slice(&frame_len.to_be_bytes());
        stream.extend_from_slice(&if *is_well { *b"RMP0\0\0\0\x40" } else { [*byte; 8] });
        stream.resize(stream.len() + frame_len as usize - 8, *byte);
    }
    let whole = cut(std::iter::once(&stream[..]));
    let mut rest = &stream[..];
    let mut sizes = sizes.iter().copied().cycle();
    let pieces = std::iter::from_fn(|| {
        let (chunk, behind) = rest.split_at(usize::from(sizes.next().unwrap_or(1)).max(1).min(rest.len()));
        rest = behind;
        (!chunk.is_empty()).then_some(chunk)
    });
    assert_eq!(cut(pieces), whole);
});

fn cut<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<Result<Vec<u8>, &'static str>> {
    let mut framer = Framer::new(BODY_BYTES_MAX);
    let mut out = Vec::new();
    for chunk in chunks {
        framer.buffer().extend_from_slice(chunk);
        while let Some(found) = framer.next() {
            out.push(told(found));
        }
    }
    out.extend(framer.finish().map(told));
    assert!(out.iter().rev().skip(1).all(Result::is_ok), "nothing follows what ends a stream");
    out
}

fn told(found: FramerEvent) -> Result<Vec<u8>, &'static str> {
    match found {
        FramerEvent::Frame(bytes) => Ok(bytes.to_vec()),
        FramerEvent::Broken { error, bytes } => {
            assert!(bytes.len() <= 68 && error.name() != "Expired");
            Err(error.name())
        }
    }
}
