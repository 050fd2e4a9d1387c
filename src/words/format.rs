//! Figures as people read them.

use std::time::Duration;

use jiff::{Timestamp, tz::TimeZone};

use super::counted_as;
use crate::time::Wall;

/// So many of something: `1 peer`, `2 peers`, `3.4k peers`.
pub(crate) fn many(number: u64, what: &str) -> String {
    counted_as(number, count(number), what)
}

/// A duration for a narrow column: `1.2s`, `42s`, `3m05s`, `2h07m`, `4d02h`.
pub(crate) fn age(age: Duration) -> String {
    let s = age.as_secs();
    match s {
        0..10 => format!("{s}.{}s", age.subsec_millis() / 100),
        10..60 => format!("{s}s"),
        60..3_600 => format!("{}m{:02}s", s / 60, s % 60),
        3_600..86_400 => format!("{}h{:02}m", s / 3_600, s / 60 % 60),
        _ => format!("{}d{:02}h", s / 86_400, s / 3_600 % 24),
    }
}

/// Milliseconds that something lives still, for a narrow column: `42s`, `3m05s`, `over`.
pub(crate) fn ttl(left_ms: u64) -> String {
    match left_ms.div_ceil(1_000) {
        0 => "over".to_owned(),
        s @ 1..10 => format!("{s}s"),
        s => age(Duration::from_secs(s)),
    }
}

/// A duration that is short, to two digits: `0.25 ms`, `2.5 ms`, `33 ms`, `1.2 s`.
pub(crate) fn fine(time: Duration) -> String {
    let us = time.as_micros();
    match us {
        0..1_000 => format!("0.{:02} ms", us / 10),
        1_000..10_000 => format!("{}.{} ms", us / 1_000, us / 100 % 10),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
    }
}

/// A duration as a clock: `00:42:17`.
pub(crate) fn elapsed(elapsed: Duration) -> String {
    let s = elapsed.as_secs();
    format!("{:02}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60)
}

/// The time of day where the operator sits: `18:04:11`.
pub(crate) fn time_of_day(at: Wall, zone: &TimeZone) -> String {
    let Some(stamp) = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()) else {
        return "--:--:--".to_owned();
    };
    let time = stamp.to_zoned(zone.clone()).time();
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

/// The short name of the zone that a time is of: `CEST`. Where no zone is known, times are of UTC.
pub(crate) fn zone_name(at: Wall, zone: &TimeZone) -> String {
    let stamp = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    match stamp.filter(|_| !zone.is_unknown()) {
        Some(stamp) => zone.to_offset_info(stamp).abbreviation().to_owned(),
        None => "UTC".to_owned(),
    }
}

/// The day and the time of day: `2026-11-22 18:04`.
pub(crate) fn day_and_time(at: Wall, zone: &TimeZone) -> String {
    let Some(stamp) = i64::try_from(at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()) else {
        return "----------------".to_owned();
    };
    let at = stamp.to_zoned(zone.clone());
    format!("{:04}-{:02}-{:02} {:02}:{:02}", at.year(), at.month(), at.day(), at.hour(), at.minute())
}

/// A time of day to the millisecond: `18:04:11.250`.
pub(crate) fn time_of_day_ms(at: Wall, zone: &TimeZone) -> String {
    format!("{}.{:03}", time_of_day(at, zone), at.0 % 1_000)
}

/// A moment as other programs write it: `2026-11-22T18:04:11.25Z`.
pub(crate) fn utc(at: Wall) -> Option<String> {
    let ms = i64::try_from(at.0).ok()?;
    Timestamp::from_millisecond(ms).ok().map(|stamp| stamp.to_string())
}

/// A size: `512 B`, `12 KiB`, `3 MiB`, `4 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

/// A count that fits five columns: `999`, `1.2k`, `345k`, `12M`.
pub(crate) fn count(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..100_000 => format!("{}.{}k", count / 1_000, count / 100 % 10),
        100_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000..100_000_000 => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// A count with its thousands apart: `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_fit_their_columns() {
        assert_eq!(age(Duration::from_millis(1_250)), "1.2s");
        assert_eq!(age(Duration::from_secs(185)), "3m05s");
        assert_eq!(age(Duration::from_secs(93_600)), "1d02h");
        assert_eq!(
            [250, 2_590, 33_000, 1_200_000].map(|us| fine(Duration::from_micros(us))),
            ["0.25 ms", "2.5 ms", "33 ms", "1.2 s"]
        );
        assert_eq!(elapsed(Duration::from_secs(2_537)), "00:42:17");
        assert_eq!(time_of_day(Wall(0), &TimeZone::UTC), "00:00:00");
        assert_eq!(time_of_day(Wall(u64::MAX), &TimeZone::UTC), "--:--:--");
        assert_eq!(time_of_day_ms(Wall(1_007), &TimeZone::UTC), "00:00:01.007");
        assert_eq!(
            [0, 999, 1_000, 4_212, 1_234_567].map(grouped),
            ["0", "999", "1,000", "4,212", "1,234,567"]
        );
        assert_eq!(bytes(12 << 20), "12 MiB");
        for n in [0, 9_999, 12_345, 99_999, 999_999, 1_000_000, 10_000_000, 99_999_999, 999_999_999] {
            assert!(count(n).len() <= 5, "{}", count(n));
        }
    }
}
