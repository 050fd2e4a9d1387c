//! Any stream in reads of any size: the frames are those of long reads, their bytes are those of the stream,
//! and what breaks it is the same.

#![no_main]

use bytes::BufMut;
use libfuzzer_sys::fuzz_target;
use rl_console::plugin::framing::{Broken, Framer};

fuzz_target!(|input: (Vec<u8>, &[u8])| {
    let (sizes, stream) = input;
    let (whole, broken) = framed(stream, &[u8::MAX]);
    let taken: usize = whole.iter().map(Vec::len).sum();
    assert!(stream.starts_with(&whole.concat()));
    match &broken {
        None => assert_eq!(taken, stream.len()),
        Some(broken) => assert!(stream[taken..].starts_with(&broken.wire) && broken.wire.len() <= 4_096),
    }
    assert_eq!(framed(stream, &sizes), (whole, broken));
});

fn framed(stream: &[u8], sizes: &[u8]) -> (Vec<Vec<u8>>, Option<Broken>) {
    let mut framer = Framer::new();
    let mut frames = Vec::new();
    let mut sizes = sizes.iter().cycle();
    let mut rest = stream;
    while !rest.is_empty() {
        let size = usize::from(*sizes.next().unwrap_or(&1)).max(1);
        let mut buffer = framer.buffer();
        let n = size.min(rest.len()).min(buffer.remaining_mut());
        assert!(n > 0, "there is room");
        buffer.put_slice(&rest[..n]);
        rest = &rest[n..];
        loop {
            match framer.poll_frame() {
                Ok(Some(frame)) => {
                    assert_eq!(frame.wire(), &[frame.headers(), frame.body()].concat());
                    frames.push(frame.wire().to_vec());
                }
                Ok(None) => break,
                Err(broken) => return (frames, Some(broken)),
            }
        }
    }
    let broken = framer.end().err();
    (frames, broken)
}
