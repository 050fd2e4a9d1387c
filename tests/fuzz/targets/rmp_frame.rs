//! Any bytes as a frame: a verdict of the taxonomy, and what is valid is written again byte for byte, by way
//! of JSON too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::{
    limits,
    rmp::{Checks, Code, RawFrame, Registry, decode, encode, json},
};

const VALUES_MAX: u64 = 100_000;

fuzz_target!(|input: (bool, Vec<u8>)| {
    let (is_framed, mut wire) = input;
    if is_framed && wire.len() >= 68 {
        // Lengths, magic, version and reserved fields that fit, so that the checks behind them are reached.
        let rest = (wire.len() - 4) as u32;
        wire[..4].copy_from_slice(&rest.to_be_bytes());
        wire[4..16].copy_from_slice(b"RMP0\0\0\0\x40\0\0\0\0");
        wire[18..20].fill(0);
        wire[20..24].copy_from_slice(&(rest - 64).to_be_bytes());
        wire[64..68].fill(0);
    }
    if let Some(raw) = RawFrame::split(&wire) {
        assert_eq!(raw.encode(), wire);
    }
    let registry = Registry::default();
    let checks = Checks::new(&registry, &limits::Rmp::default());
    match decode(&wire, &checks) {
        Ok(frame) => {
            assert_eq!(encode::frame(&frame.header, frame.body.bytes()).expect("it fitted before"), wire);
            let Some(value) = frame.body.value(VALUES_MAX) else { return };
            let bytes = encode::value(&value).expect("it was MsgPack before");
            if json::levels(&value) < 100 {
                let text = serde_json::to_string(&json::JsonView(&value)).expect("every value has its JSON");
                let again = json::parse(&text).expect("what was written can be read");
                assert_eq!(encode::value(&again).expect("it was MsgPack before"), bytes);
            }
        }
        Err(error) => {
            assert!(Code::ALL.contains(&error.code()));
            assert!(error.offset() <= wire.len().max(68));
        }
    }
});
