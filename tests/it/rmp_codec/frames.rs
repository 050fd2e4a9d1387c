//! The frames of the specification, field by field, and what is said of one.

use rl_console::{
    ids::TraceId,
    limits,
    rmp::{Checks, Error, Frame, Registry, decode, json},
};

/// The frame of section 8, byte for byte.
const GOLDEN_DUMP: &str = "
0000: 00 00 00 a0 52 4d 50 30 00 00 00 40 00 00 00 00
0010: 00 0a 00 00 00 00 00 60 00 00 01 93 23 64 5c 7b
0020: 00 00 00 00 00 00 ea 60 11 22 33 44 55 66 77 88
0030: 99 aa bb cc dd ee ff 00 00 00 00 00 00 00 00 2a
0040: 00 00 00 00 83 a4 74 79 70 65 af 65 72 72 6f 72
0050: 2e 72 65 70 6f 72 74 2e 76 31 a7 70 61 79 6c 6f
0060: 61 64 82 a4 63 6f 64 65 b0 74 6f 6f 6c 2e 75 6e
0070: 61 76 61 69 6c 61 62 6c 65 a7 6d 65 73 73 61 67
0080: 65 ae 6d 61 69 6c 65 72 20 6f 66 66 6c 69 6e 65
0090: a4 6d 65 74 61 81 aa 6f 70 65 6e 69 6e 67 5f 69
00a0: 64 cd 04 d2
";

pub(super) const CREATED_AT_MS: u64 = 0x0193_2364_5c7b;
pub(super) const TTL_MS: u64 = 60_000;
pub(super) const TRACE: u128 = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00;

pub(crate) fn golden() -> Vec<u8> {
    let digits = GOLDEN_DUMP.lines().filter_map(|line| line.split_once(": ")).map(|(_, digits)| digits);
    hex(&digits.collect::<String>())
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    json::unhex(&text.split_whitespace().collect::<String>()).unwrap()
}

/// The fields of a frame in hex, in the order of the wire.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub(crate) frame_len: &'a str,
    pub(crate) magic: &'a str,
    pub(crate) header_version: &'a str,
    pub(crate) header_len: &'a str,
    pub(crate) flags: &'a str,
    pub(crate) schema_id: &'a str,
    pub(crate) reserved2: &'a str,
    pub(crate) body_len: &'a str,
    pub(crate) created_at_ms: &'a str,
    pub(crate) ttl_ms: &'a str,
    pub(crate) reserved4: &'a str,
    pub(crate) body: &'a str,
}

/// A valid frame: `{"type": "intent.a.v1", "payload": nil}`, 91 bytes behind the prefix, 27 of them body.
pub(crate) const VALID: Fields<'static> = Fields {
    frame_len: "0000005b",
    magic: "524d5030",
    header_version: "0000",
    header_len: "0040",
    flags: "00000000",
    schema_id: "0002",
    reserved2: "0000",
    body_len: "0000001b",
    created_at_ms: "00000000000003e8",
    ttl_ms: "00000000000001f4",
    reserved4: "00000000",
    //     {2}type            "intent.a.v1"             payload            nil
    body: "82 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 c0",
};

impl Fields<'_> {
    pub(crate) fn wire(&self) -> Vec<u8> {
        let trace_and_msg = "000102030405060708090a0b0c0d0e0f 0000000000000007";
        let head = [
            self.frame_len,
            self.magic,
            self.header_version,
            self.header_len,
            self.flags,
            self.schema_id,
            self.reserved2,
        ];
        let rest = [self.body_len, self.created_at_ms, self.ttl_ms, trace_and_msg, self.reserved4, self.body];
        hex(&[head.concat(), rest.concat()].concat())
    }
}

/// What a frame is at this moment, to somebody who saw it before or did not.
pub(super) fn judge_at(wire: &[u8], now_ms: Option<u64>, was_seen: bool) -> Result<Frame<'_>, Error> {
    let registry = Registry::default();
    let is_duplicate = |_: TraceId, _: u64| was_seen;
    let checks = Checks {
        now_ms,
        is_duplicate: Some(&is_duplicate),
        ..Checks::new(&registry, &limits::Rmp::default())
    };
    decode(wire, &checks)
}

pub(super) fn judge(wire: &[u8]) -> Result<Frame<'_>, Error> {
    judge_at(wire, None, false)
}

pub(super) fn refusal(wire: &[u8]) -> Error {
    judge(wire).unwrap_err()
}
