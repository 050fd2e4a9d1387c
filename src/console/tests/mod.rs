//! Whole screens, fed with keys, snapshots and entries.
