//! Any stream in reads of any size: the lines are those of a plain split, up to the first that is too large.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::mpp::framing::{Framed, Framer};

const LINE_BYTES_MAX: usize = 65_536;

fuzz_target!(|input: (Vec<u16>, Vec<(u8, u16)>)| {
    let (sizes, runs) = input;
    let mut stream = Vec::new();
    for (byte, count) in runs.iter().take(64) {
        let length = stream.len() + usize::from(*count);
        stream.resize(length, *byte);
    }
    let mut sizes = sizes.iter().copied().cycle();
    let mut framer = Framer::new();
    let mut rest = &stream[..];
    let mut lines = stream.split_inclusive(|byte| *byte == b'\n');
    let mut is_over = false;
    while !rest.is_empty() {
        let spare = framer.spare();
        assert!(!spare.is_empty() && spare.len() <= LINE_BYTES_MAX);
        let size = usize::from(sizes.next().unwrap_or(1)).max(1);
        let n = size.min(rest.len()).min(spare.len());
        let (chunk, behind) = rest.split_at(n);
        spare[..n].copy_from_slice(chunk);
        framer.filled(n);
        rest = behind;
        while let Some(framed) = framer.next() {
            assert!(!is_over, "nothing follows a line that is too large");
            match framed {
                Framed::Line(line) => assert_eq!(Some(line), lines.next()),
                Framed::TooLarge(bytes) => {
                    let line = lines.next().expect("it stands in the stream");
                    assert!(
                        bytes.len() == LINE_BYTES_MAX && line.starts_with(bytes) && !bytes.contains(&b'\n')
                    );
                    is_over = true;
                }
            }
        }
    }
    assert!(is_over || lines.all(|line| !line.ends_with(b"\n")));
});
