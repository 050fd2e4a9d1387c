//! Bounds by their keys.

use super::*;

#[test]
fn every_bound_reads_back_its_default() {
    let limits = Limits::default();
    for bound in Limits::BOUNDS {
        assert_eq!(limits.value(bound.key), Some(bound.default), "{}", bound.key);
        assert!((bound.min..=bound.max).contains(&bound.default), "{}", bound.key);
        assert!(!bound.doc.is_empty());
    }
}

#[test]
fn refuses_what_lies_outside_a_range() {
    let mut limits = Limits::default();
    assert!(limits.set("limits.mpp.connections_max", 0).is_err());
    assert!(limits.set("limits.mpp.conections_max", 1).is_err());
    limits.set("limits.mpp.connections_max", 2).unwrap();
    assert_eq!(limits.mpp.connections_max, 2);
}
