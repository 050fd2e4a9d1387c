//! Figures with their units, and moments.

use jiff::{Timestamp, civil::Time, tz::TimeZone};

use crate::time::{Now, Wall};

const DAY_MS: u64 = 86_400_000;

/// What a figure is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    Number(f64),
    /// In milliseconds.
    Duration(u64),
    Bytes(u64),
    Serial(u64),
    Time(Moment),
}

/// A moment, as long as it is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The last time that a clock showed this, in milliseconds since midnight of UTC, and how long it does.
    OfDay { ms: u64, span_ms: u64 },
    /// In milliseconds since 1970, and for how long.
    At { ms: u64, span_ms: u64 },
}

/// Units of time and their milliseconds, greatest first.
pub(super) const TIME_UNITS: [(&str, u64); 5] =
    [("d", DAY_MS), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Units of size and their bytes, greatest first.
pub(super) const SIZE_UNITS: [(&str, u64); 7] = [
    ("GiB", 1_073_741_824),
    ("GB", 1_000_000_000),
    ("MiB", 1_048_576),
    ("MB", 1_000_000),
    ("KiB", 1_024),
    ("KB", 1_000),
    ("B", 1),
];

/// A figure: digits, perhaps with a point, a sign or an exponent.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a number: write it like `3` or `1.5`");
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
        return Err(wrong());
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong)
}

/// A number that names a record, perhaps behind a `#`.
pub(super) fn serial(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    let read = digits.parse().ok().filter(|_| !digits.starts_with('+'));
    read.ok_or_else(|| format!("`{text}` is not a serial number: write it like `17`"))
}

/// A span of time.
pub(super) fn duration(text: &str) -> Result<u64, String> {
    with_unit(text, &TIME_UNITS, None).map_err(|wrong| match wrong {
        UnitError::Unit(figure) => format!("`{text}` needs a unit of time: `{figure}s`, or ms, m, h, d"),
        UnitError::Figure => {
            format!("`{text}` is not a duration: write it like `2s` or `1.5m` (ms, s, m, h, d)")
        }
        UnitError::Large => format!("`{text}` is too long a time"),
    })
}

/// A size.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    with_unit(text, &SIZE_UNITS, Some(1)).map_err(|wrong| match wrong {
        UnitError::Unit(figure) => {
            format!("`{text}` has no unit of size: `{figure}KiB`, or B, KB, MB, MiB, GB, GiB")
        }
        UnitError::Figure => {
            format!("`{text}` is not a size: write it like `512` or `1.5KiB` (B, KB, KiB, MB, MiB, GB, GiB)")
        }
        UnitError::Large => format!("`{text}` is too large a size"),
    })
}

enum UnitError<'a> {
    Figure,
    Unit(&'a str),
    Large,
}

fn with_unit<'a>(text: &'a str, units: &[(&str, u64)], alone: Option<u64>) -> Result<u64, UnitError<'a>> {
    let (figure, unit) =
        text.split_at(text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len()));
    let factor = match units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)) {
        Some((_, factor)) => Some(*factor),
        None if unit.is_empty() => alone,
        None => None,
    };
    let (whole, part) = figure.split_once('.').unwrap_or((figure, ""));
    if part.contains('.') || (whole.is_empty() && part.is_empty()) {
        return Err(UnitError::Figure);
    }
    let factor = factor.ok_or(UnitError::Unit(figure))?;
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().map_err(|_| UnitError::Large)? };
    // Beyond this many digits nothing is left of the largest unit.
    let digits: u32 = part.bytes().take(17).map(|_| 1).sum();
    let part = part
        .get(..digits as usize)
        .filter(|part| !part.is_empty())
        .map_or(0, |part| part.parse::<u128>().unwrap_or(0));
    let scale = 10_u128.pow(digits);
    let part = (part * u128::from(factor) + scale / 2) / scale;
    let total = u128::from(whole) * u128::from(factor) + part;
    u64::try_from(total).map_err(|_| UnitError::Large)
}

/// A time of day, or a moment by RFC 3339.
pub(super) fn moment(text: &str) -> Result<Moment, String> {
    let wrong =
        || format!("`{text}` is not a time: write it like `18:04`, `18:04:05` or `2026-11-21T18:04:05Z`");
    let span_ms = |time: &str| match (time.contains('.'), time.matches(':').count()) {
        (true, _) => 1,
        (false, 2..) => 1_000,
        (false, _) => 60_000,
    };
    if let Some((_, time)) = text.split_once(['T', 't']) {
        let zone = time.find(['Z', 'z', '+', '-']).ok_or_else(|| {
            format!("`{text}` has no time zone: end it with `Z` or an offset such as `+02:00`")
        })?;
        if !time[..zone].contains(':') {
            return Err(wrong());
        }
        let at: Timestamp = text.parse().map_err(|_| wrong())?;
        let ms = u64::try_from(at.as_millisecond()).map_err(|_| format!("`{text}` is before 1970"))?;
        return Ok(Moment::At { ms, span_ms: span_ms(&time[..zone]) });
    }
    let mut parts =
        text.split(':').map(|part| (1..=2).contains(&part.len()).then(|| part.parse::<u8>().ok()).flatten());
    let (Some(Some(hour)), Some(Some(minute))) = (parts.next(), parts.next()) else { return Err(wrong()) };
    let second = parts.next().unwrap_or(Some(0)).ok_or_else(wrong)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 || text.contains('+') {
        return Err(wrong());
    }
    let ms = (u64::from(hour) * 3_600 + u64::from(minute) * 60 + u64::from(second)) * 1_000;
    Ok(Moment::OfDay { ms, span_ms: span_ms(text) })
}

impl Moment {
    /// When it begins and ends, in milliseconds since 1970; the end is not a part.
    pub(super) fn range(self, now: Now) -> std::ops::Range<u64> {
        match self {
            Self::At { ms, span_ms } => ms..ms.saturating_add(span_ms),
            Self::OfDay { ms, span_ms } => {
                let today = now.wall.0 - now.wall.0 % DAY_MS + ms;
                let last = if today > now.wall.0 { today.saturating_sub(DAY_MS) } else { today };
                last..last.saturating_add(span_ms)
            }
        }
    }

    /// The moment that a time of day was in a zone.
    pub(super) fn anchored(self, now: Now, zone: &TimeZone) -> Self {
        let Self::OfDay { ms, span_ms } = self else { return self };
        let last = || {
            let now = Timestamp::from_millisecond(i64::try_from(now.wall.0).ok()?).ok()?;
            let time = Time::midnight().checked_add(std::time::Duration::from_millis(ms)).ok()?;
            let today = now.to_zoned(zone.clone()).date();
            let on = |date: jiff::civil::Date| {
                Some(date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp())
            };
            let last = on(today).filter(|at| *at <= now).or_else(|| on(today.yesterday().ok()?))?;
            u64::try_from(last.as_millisecond()).ok()
        };
        last().map_or(self, |ms| Self::At { ms, span_ms })
    }

    /// As it is written.
    pub(super) fn print(self) -> String {
        match self {
            Self::OfDay { ms, span_ms } => {
                let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
                if span_ms >= 60_000 {
                    format!("{hour:02}:{minute:02}")
                } else {
                    format!("{hour:02}:{minute:02}:{second:02}")
                }
            }
            Self::At { ms, span_ms } => {
                let at = i64::try_from(ms)
                    .ok()
                    .and_then(|ms| Timestamp::from_millisecond(ms).ok())
                    .unwrap_or(Timestamp::MAX);
                let form = match span_ms {
                    1 => "%Y-%m-%dT%H:%M:%S.%3fZ",
                    1_000 => "%Y-%m-%dT%H:%M:%SZ",
                    _ => "%Y-%m-%dT%H:%MZ",
                };
                at.strftime(form).to_string()
            }
        }
    }
}

impl Operand {
    /// The moment of a record's time, to the millisecond.
    pub(super) const fn exactly(at: Wall) -> Self {
        Self::Time(Moment::At { ms: at.0, span_ms: 1 })
    }

    /// As it is written.
    pub(super) fn print(self) -> String {
        let in_units = |figure: u64, units: &[(&str, u64)]| {
            let (unit, factor) = units
                .iter()
                .find(|(_, factor)| figure > 0 && figure.is_multiple_of(*factor))
                .or(units.last())
                .unwrap_or(&("", 1));
            format!("{}{unit}", figure / factor)
        };
        match self {
            Self::Number(number) => {
                let (plain, short) = (number.to_string(), format!("{number:e}"));
                if plain.len() <= 17 { plain } else { short }
            }
            Self::Duration(ms) => in_units(ms, &TIME_UNITS),
            Self::Bytes(bytes) => in_units(bytes, &SIZE_UNITS),
            Self::Serial(serial) => serial.to_string(),
            Self::Time(moment) => moment.print(),
        }
    }
}
