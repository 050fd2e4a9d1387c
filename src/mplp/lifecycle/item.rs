//! Objects and events as they are made.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{mplp::SchemaId, time::Wall};

/// What an object or event was made of, so that a person can be led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// What the record begins with.
    Beginning,
    /// The run event, or record of the session's log, of this number, from 1 on.
    Number(u64),
    /// How the record ended.
    End,
}

/// An object or event of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its schema.
    pub schema: SchemaId,
    /// It.
    pub object: Value,
    /// What it was made of.
    pub origin: Origin,
    /// In the record of a run, the session whose log `origin` speaks of; none of the run's own.
    pub session: Option<Arc<str>>,
}

impl Item {
    /// One of the record's own.
    #[must_use]
    pub const fn new(schema: SchemaId, object: Value, origin: Origin) -> Self {
        Self { schema, object, origin, session: None }
    }
}

/// What every record is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSettings {
    /// `root.environment` of a Context (`mplp.environment`).
    pub environment: Arc<str>,
    /// `meta.created_by`: `rl-console/<version>`.
    pub created_by: Arc<str>,
}

/// A time as MPLP writes it: RFC 3339 in UTC with milliseconds and `Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub Wall);

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Milliseconds of 9999-12-31T23:59:59.999Z: RFC 3339 has years of four digits.
        const MS_MAX: u64 = 253_402_300_799_999;
        let ms = self.0.0.min(MS_MAX);
        let (days, of_day) = (ms / 86_400_000, ms % 86_400_000);
        let (year, month, day) = civil(days);
        let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
        let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl From<Stamp> for Value {
    fn from(stamp: Stamp) -> Self {
        Self::String(stamp.to_string())
    }
}

/// Year, month and day of a day since 1970-01-01, in the proleptic Gregorian calendar. Years are counted from
/// March, so that a leap day is the last of its year.
fn civil(days: u64) -> (u64, u64, u64) {
    /// Days from 0000-03-01 to 1970-01-01.
    const EPOCH: u64 = 719_468;
    /// Days of 400 years.
    const ERA: u64 = 146_097;
    let days = days + EPOCH;
    let (era, of_era) = (days / ERA, days % ERA);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}
