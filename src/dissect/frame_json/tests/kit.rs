//! What the tests of all links use.

use std::sync::LazyLock;

use serde_json::Value;

use super::super::{Codec, Fill, Format, FrameFault, Setup, Unit, UnitJson, codec, codec::Decoder};
use crate::{ids::TraceId, limits::Limits, rmp::Registry};

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::default);
static LIMITS: LazyLock<Limits> = LazyLock::new(Limits::default);

pub(super) fn fill() -> Fill {
    Fill { created_at_ms: 1, ttl_ms: 30_000, msg_id: 7, trace_id: TraceId(uuid::Uuid::from_u128(9)) }
}

pub(super) fn of(format: Format) -> Box<dyn Codec> {
    codec(format, Setup { registry: &REGISTRY, limits: &LIMITS, now_ms: None })
}

/// The units of a stream that comes in pieces of so many bytes. Who asks for the faults alone has the same.
pub(super) fn units_in(format: Format, stream: &[u8], piece: usize) -> Vec<Unit> {
    let codec = of(format);
    let units = read_in(codec.decoder(), stream, piece);
    let faults =
        |units: &[Unit]| units.iter().map(|unit| (unit.offset, unit.fault.clone())).collect::<Vec<_>>();
    assert_eq!(faults(&read_in(codec.checker(), stream, piece)), faults(&units));
    units
}

fn read_in(mut decoder: Box<dyn Decoder + '_>, stream: &[u8], piece: usize) -> Vec<Unit> {
    let mut units = Vec::new();
    for part in stream.chunks(piece) {
        decoder.push(part);
        while let Some(unit) = decoder.next() {
            let ends = unit.fault.as_ref().is_some_and(|fault| fault.ends_stream);
            units.push(unit);
            if ends {
                return units;
            }
        }
    }
    units.extend(decoder.finish());
    units
}

pub(super) fn units(format: Format, stream: &[u8]) -> Vec<Unit> {
    units_in(format, stream, usize::MAX)
}

/// A unit as `decode --json` prints it.
pub(super) fn printed(unit: &Unit) -> String {
    serde_json::to_string(&UnitJson(1, unit)).unwrap()
}

/// The one unit of some bytes, as JSON.
#[track_caller]
pub(super) fn shown(format: Format, bytes: &[u8]) -> Value {
    let units = units(format, bytes);
    assert_eq!(units.len(), 1, "{}", bytes.escape_ascii());
    serde_json::from_str(&printed(&units[0])).unwrap()
}

/// The bytes that a JSON makes, and what is wrong with them.
#[track_caller]
pub(super) fn made(format: Format, json: &str) -> (Vec<u8>, Option<FrameFault>) {
    let made = of(format).encode(json, &fill()).unwrap_or_else(|error| panic!("{json}: {error}"));
    (made.wire, made.fault)
}

/// Why a JSON makes no frame.
#[track_caller]
pub(super) fn not_made(format: Format, json: &str) -> String {
    of(format).encode(json, &fill()).unwrap_err()
}

/// Every unit comes back byte for byte, with the verdict that it had; what they are as JSON.
#[track_caller]
pub(super) fn comes_back(format: Format, stream: &[u8]) -> Vec<Value> {
    let mut rows = Vec::new();
    for unit in units(format, stream) {
        let json = printed(&unit);
        let (wire, fault) = made(format, &json);
        assert_eq!(
            wire.escape_ascii().to_string(),
            unit.wire.escape_ascii().to_string(),
            "{json} leads to other bytes"
        );
        let name = |fault: &Option<FrameFault>| fault.as_ref().map(|fault| fault.name.clone());
        assert_eq!(name(&fault), name(&unit.fault), "{json}");
        rows.push(serde_json::from_str(&json).unwrap());
    }
    rows
}

/// A change of any one byte shows in what is printed.
#[track_caller]
pub(super) fn every_edit_shows(format: Format, stream: &[u8]) {
    let all = |bytes: &[u8]| units(format, bytes).iter().map(printed).collect::<Vec<_>>();
    let before = all(stream);
    for at in 0..stream.len() {
        for mask in [1, 0x20, 0x80] {
            let mut edited = stream.to_vec();
            edited[at] ^= mask;
            assert_ne!(all(&edited), before, "byte {at} changed by {mask:#x} does not show");
        }
    }
}
