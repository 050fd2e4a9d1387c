//! The recorded and sent form of entries.

use proptest::prelude::*;
use rl_console::tap::recorded::{self, DecodeError, decode, encode};

use crate::fixtures;

#[test]
fn every_entry_reads_back_as_it_was() {
    for entry in fixtures::entries() {
        assert_eq!(decode(&encode(entry.as_ref())), Ok(entry));
    }
}

#[test]
fn a_link_of_a_newer_version_is_named() {
    let mut bytes = encode(fixtures::entries()[0].as_ref());
    // A field that comes twice takes its last value: field 3, a number, 9.
    bytes.extend([3 << 3, 9]);
    let error = decode(&bytes).unwrap_err();
    assert_eq!(error, DecodeError::Unknown { field: "link", value: 9 });
    assert_eq!(error.to_string(), "`link` has the value 9, which this version of rl-console does not know");
}

#[test]
fn a_kind_of_a_newer_version_is_an_error() {
    // An empty field 99, where `what` would be.
    assert_eq!(decode(&[0x9a, 6, 0]), Err(DecodeError::Missing("what")));
}

#[test]
fn the_schema_names_the_messages() {
    let text = String::from_utf8_lossy(recorded::DESCRIPTOR);
    assert!(
        text.contains("rl_console.tap.v1")
            && text.contains("Snapshot")
            && !text.contains("One thing that happened")
    );
}

proptest! {
    #[test]
    fn mutated_messages_read_or_fail_without_panic(
        which: prop::sample::Index,
        at: prop::sample::Index,
        byte: u8,
        cut: prop::sample::Index,
    ) {
        let entries = fixtures::entries();
        let mut bytes = encode(which.get(&entries).as_ref());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = decode(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        let _ = decode(&bytes);
    }

    #[test]
    fn random_bytes_read_or_fail_without_panic(bytes: Vec<u8>) {
        let _ = decode(&bytes);
    }

    #[test]
    fn any_text_beside_an_entry_is_kept(which: prop::sample::Index, bytes: Vec<u8>) {
        let mut entry = which.get(&fixtures::entries()).clone();
        entry.bytes = bytes;
        prop_assert_eq!(decode(&encode(entry.as_ref())), Ok(entry));
    }
}
