//! What bounds a rule of the gate, as it is written: flags and forms read it alike.

use crate::words::seconds;

/// So many frames, after which a rule is disarmed.
///
/// # Errors
/// It is no whole number of 1 or more.
pub(crate) fn frames_max(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("takes a whole number of frames, 1 or more".to_owned()),
        Ok(frames) => Ok(frames),
    }
}

/// How long a rule is armed, in seconds with a fraction if need be; in milliseconds.
///
/// # Errors
/// It is no number of seconds, or 0.
pub(crate) fn armed_for_ms(text: &str) -> Result<u64, String> {
    match seconds(text)? {
        0 => Err("takes more than 0 seconds".to_owned()),
        ms => Ok(ms),
    }
}

/// Which share of the frames that match a rule takes, in percent; in per mille.
///
/// # Errors
/// It is no number from 0.1 to 100.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is a whole number from 1 to 1000 by then"
)]
pub(crate) fn per_mille(text: &str) -> Result<u16, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let percent = percent.filter(|percent| (0.1..=100.0).contains(percent));
    percent.map(|percent| (percent * 10.0).round() as u16).ok_or_else(|| "takes 0.1 to 100".to_owned())
}

/// What a share, or the jitter of a delay, is drawn by.
///
/// # Errors
/// It is no whole number of 64 bits.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("takes a whole number from 0 to {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_armed_for_some_time() {
        assert_eq!(armed_for_ms("2.5"), Ok(2_500));
        assert!(armed_for_ms("0").is_err() && armed_for_ms("-1").is_err() && armed_for_ms("").is_err());
    }

    #[test]
    fn a_share_is_of_a_thousand() {
        assert_eq!((per_mille("0.1"), per_mille("12.5"), per_mille("100%")), (Ok(1), Ok(125), Ok(1_000)));
        for wrong in ["0", "100.1", "-1", "half", "NaN"] {
            assert!(per_mille(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts_and_seeds_are_whole_numbers() {
        assert_eq!((frames_max("3"), seed("0"), seed("18446744073709551615")), (Ok(3), Ok(0), Ok(u64::MAX)));
        for wrong in ["", "0", "-1", "1.5", "18446744073709551616"] {
            assert!(frames_max(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "-1", "x", "18446744073709551616"] {
            assert!(seed(wrong).is_err(), "{wrong}");
        }
    }
}
