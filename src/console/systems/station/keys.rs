//! What tells the records of the station and of this console apart.

use crate::{
    console::records::record_key::KeyKind,
    dissect::{Breach, mplp::FindingKey},
};

/// A notice of a log.
pub(crate) const NOTICE: KeyKind<u64> = KeyKind::new("notice");
/// What was broken of a clause of a specification.
pub(crate) const BREACH: KeyKind<Breach> = KeyKind::new("breach");
/// What is found alike in MPLP messages.
pub(crate) const FINDING: KeyKind<FindingKey> = KeyKind::new("finding");
/// A metric of this console.
pub(crate) const METRIC: KeyKind<&'static str> = KeyKind::new("metric");
/// An alert.
pub(crate) const ALERT: KeyKind<u64> = KeyKind::new("alert");
