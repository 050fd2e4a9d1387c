//! Any frame, any bytes and any change of them come back byte for byte, or with a named fault.

use proptest::prelude::*;

use super::{
    frames::{changed, frame},
    kit::{comes_back, printed, units, units_in},
};
use crate::{
    dissect::frame_json::{Format, RmpUnits, Unit},
    macp::Rpc,
};

/// All formats there are.
fn formats() -> Vec<Format> {
    let units = [RmpUnits::Frames, RmpUnits::Session, RmpUnits::Json].map(Format::Rmp);
    let calls = Rpc::ALL.map(Format::Macp);
    units.into_iter().chain(calls).chain([Format::Mpp, Format::Plugin]).collect()
}

fn has_body(unit: &Unit) -> bool {
    unit.members.get("body").or_else(|| unit.members.get("body_bytes")).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_frame_comes_back((format, wire) in frame()) {
        let rows = comes_back(format, &wire);
        let read: u64 = rows.iter().map(|row| row["bytes"].as_u64().unwrap()).sum();
        prop_assert_eq!(read, wire.len() as u64);
        prop_assert!(rows.len() == 1 || format == Format::Rmp(RmpUnits::Session));
    }

    #[test]
    fn a_changed_frame_comes_back_and_differs(
        (format, wire) in frame(),
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let changed = changed(&wire, at, byte)?;
        // Of a frame of the bus that was not cut no bytes are given.
        let is_of_bus = matches!(format, Format::Rmp(RmpUnits::Frames | RmpUnits::Session));
        if !is_of_bus || units(format, &changed).iter().all(has_body) {
            comes_back(format, &changed);
        }
        let all = |bytes: &[u8]| units(format, bytes).iter().map(printed).collect::<Vec<_>>();
        prop_assert_ne!(all(&wire), all(&changed));
    }

    #[test]
    fn any_bytes_come_back_or_have_a_fault(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        piece in 1_usize..40,
    ) {
        for format in formats() {
            let rows = units_in(format, &bytes, piece);
            let read: usize = rows.iter().map(|unit| unit.wire.len()).sum();
            prop_assert!(read == bytes.len() || rows.iter().any(|unit| unit.fault.is_some()));
            let whole = units(format, &bytes);
            prop_assert_eq!(rows.len(), whole.len());
            // Of a frame of the bus that was not cut no bytes are given.
            let is_given = !matches!(format, Format::Rmp(RmpUnits::Frames | RmpUnits::Session));
            if is_given {
                comes_back(format, &bytes);
            }
        }
    }
}
