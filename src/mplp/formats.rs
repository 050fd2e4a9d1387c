//! The formats that schemas and rules assert, strictly as the Facts say (ruling MPLP 7).

mod email;
mod uri;

pub use email::is_email;
pub use uri::is_uri;

use crate::schema::Format;

/// The formats that the schemas name, each with what judges a text by it.
pub const FORMATS: &[Format] =
    &[("date-time", is_date_time), ("uuid", is_uuid), ("uri", is_uri), ("email", is_email)];

/// Whether a text is a date and time of RFC 3339 (§5.6): `T` and `Z` in either case, an offset as `±hh:mm`,
/// a day that its month has, and second 60 only where it is 23:59:60 in UTC.
#[must_use]
pub fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((head, tail)) = bytes.split_at_checked(19) else { return false };
    let shape = head.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        10 => matches!(byte, b'T' | b't'),
        13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    });
    if !shape {
        return false;
    }
    let year = number(&head[..4]);
    let (month, day) = (number(&head[5..7]), number(&head[8..10]));
    let (hour, minute, second) = (number(&head[11..13]), number(&head[14..16]), number(&head[17..19]));
    let Some(offset) = offset_minutes(without_fraction(tail)) else { return false };
    let is_of_day = hour <= 23 && minute <= 59;
    let is_of_minute = second <= 59
        || (second == 60 && (i32::from(hour * 60 + minute) - offset).rem_euclid(24 * 60) == 24 * 60 - 1);
    (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day) && is_of_day && is_of_minute
}

/// What is behind the fraction of a second, if there is one; a point without digits stays.
fn without_fraction(tail: &[u8]) -> &[u8] {
    let Some((b'.', digits)) = tail.split_first() else { return tail };
    match digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len()) {
        0 => tail,
        count => &digits[count..],
    }
}

/// The minutes that local time is ahead of UTC.
fn offset_minutes(zone: &[u8]) -> Option<i32> {
    match zone {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2]
            if [h1, h2, m1, m2].iter().all(|it| it.is_ascii_digit()) =>
        {
            let (hours, minutes) = (number(&[*h1, *h2]), number(&[*m1, *m2]));
            let ahead = i32::from(hours * 60 + minutes);
            (hours <= 23 && minutes <= 59).then_some(if *sign == b'+' { ahead } else { -ahead })
        }
        _ => None,
    }
}

/// The number of at most four digits.
fn number(digits: &[u8]) -> u16 {
    digits.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'))
}

fn days_of(year: u16, month: u16) -> u16 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Whether a text is 8-4-4-4-12 hexadecimal digits in either case: a UUID of any version, and nothing else.
#[must_use]
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a text matches the pattern of `mplp-l1 §3.2.1`: a UUID v4 of the RFC's variant in lowercase.
#[must_use]
pub fn is_uuid_v4(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Whether a text matches the pattern of Semantic Versioning, as an Extension's `version` must.
#[must_use]
pub(super) fn is_semantic_version(version: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = |part: &str| is_digits(part) && (part == "0" || !part.starts_with('0'));
    let (rest, build) = version.split_once('+').map_or((version, None), |(rest, build)| (rest, Some(build)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(core, pre)| (core, Some(pre)));
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.is_none_or(|pre| pre.split('.').all(|it| is_word(it) && (!is_digits(it) || is_number(it))))
        && build.is_none_or(|build| build.split('.').all(is_word))
}

#[cfg(test)]
mod tests;
