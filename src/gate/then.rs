//! What a rule does with what it stops, and how that is written.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How long a fault may take, in milliseconds.
const FAULT_MS_MAX: u64 = 600_000;
/// That in words.
const TIME_MAX: &str = "600 s (600000 ms)";

/// What a rule does with a frame that it matches. All but the first are faults, for a rehearsal alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// Holds it until an operator decides.
    #[default]
    Intercept,
    /// Lets it pass late, at most by `limits.gate.hold_ms_max`.
    Delay {
        /// By so many milliseconds.
        ms: u64,
        /// And up to so many more or fewer.
        jitter_ms: u64,
    },
    /// Drops it.
    Drop,
    /// Lets it pass twice.
    Duplicate,
    /// Lets a part of it pass, and ends the connection.
    Cut,
    /// Lets it pass, and nothing is written, as on a full disk, at most for `limits.gate.hold_ms_max`.
    FailStore {
        /// For so many milliseconds.
        ms: u64,
    },
}

impl Then {
    /// Whether it is a fault.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        !matches!(self, Self::Intercept)
    }
}

/// `intercept`, `drop`, `duplicate`, `cut`, `delay=200ms`, `delay=200ms±50` or `fail-store=500ms`; times in
/// `ms` or `s`.
impl FromStr for Then {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "takes intercept, drop, duplicate, cut, a delay such as delay=200ms, delay=2s or \
                 delay=200ms±50, or fail-store=500ms; times in ms or s, at most {TIME_MAX}"
            )
        };
        match text {
            "intercept" => Ok(Self::Intercept),
            "drop" => Ok(Self::Drop),
            "duplicate" => Ok(Self::Duplicate),
            "cut" => Ok(Self::Cut),
            text => match (text.strip_prefix("delay="), text.strip_prefix("fail-store=")) {
                (Some(text), _) => delay(text).ok_or_else(unknown)?,
                (_, Some(text)) => match time(text).map(|(ms, _)| ms) {
                    Some(ms @ 1..=FAULT_MS_MAX) => Ok(Self::FailStore { ms }),
                    Some(_) => Err(format!("lets the store refuse commits for 1 ms to {TIME_MAX}")),
                    None => Err(unknown()),
                },
                (None, None) => Err(unknown()),
            },
        }
    }
}

/// A delay with its jitter, which is in the unit of the delay where it has none; nothing of what is none.
fn delay(text: &str) -> Option<Result<Then, String>> {
    let (whole, jitter) = text.split_once('±').or_else(|| text.split_once("+-")).unwrap_or((text, "0"));
    let (ms, unit) = time(whole)?;
    let jitter_ms = match jitter.parse() {
        Ok(count) => unit.checked_mul(count)?,
        Err(_) => time(jitter)?.0,
    };
    Some(match ms.checked_add(jitter_ms) {
        _ if jitter_ms > ms => Err("has a jitter of no more than the delay".to_owned()),
        Some(..=FAULT_MS_MAX) => Ok(Then::Delay { ms, jitter_ms }),
        _ => Err(format!("delays a frame by {TIME_MAX} at most")),
    })
}

/// A time in milliseconds, and its unit in them; nothing of what is none.
fn time(text: &str) -> Option<(u64, u64)> {
    let (count, unit) = match text.strip_suffix("ms") {
        Some(count) => (count, 1),
        None => (text.strip_suffix('s')?, 1_000),
    };
    Some((count.parse::<u64>().ok()?.saturating_mul(unit), unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_is_a_name_or_a_delay_with_its_jitter() {
        let parsed = |text: &str| text.parse::<Then>();
        let delayed = |ms, jitter_ms| Ok(Then::Delay { ms, jitter_ms });
        assert_eq!(parsed("cut"), Ok(Then::Cut));
        assert_eq!(parsed("delay=200ms"), delayed(200, 0));
        assert_eq!(parsed("delay=200ms±50"), delayed(200, 50));
        assert_eq!(parsed("delay=200ms+-50ms"), delayed(200, 50));
        assert_eq!(parsed("delay=2s"), delayed(2_000, 0));
        assert_eq!(parsed("delay=2s±50ms"), delayed(2_000, 50));
        assert_eq!(parsed("delay=2s±1"), delayed(2_000, 1_000), "in the unit of the delay");
        assert_eq!(parsed("fail-store=500ms"), Ok(Then::FailStore { ms: 500 }));
        assert_eq!(parsed("fail-store=600s"), Ok(Then::FailStore { ms: 600_000 }));
        for wrong in [
            "",
            "hold",
            "delay",
            "delay=",
            "delay=200",
            "delay=200ms+50",
            "delay=x",
            "delay=-1ms",
            "delay=9h",
            "delay=1.5s",
            "fail-store",
            "fail-store=1",
        ] {
            let why = parsed(wrong).unwrap_err();
            assert!(
                why.starts_with("takes intercept") && why.ends_with("ms or s, at most 600 s (600000 ms)"),
                "{why}"
            );
        }
        assert!(parsed("delay=600000ms+-1").is_err_and(|why| why.contains("at most")));
        assert!(parsed("delay=100ms±500").is_err_and(|why| why.contains("no more than the delay")));
        assert!(parsed("delay=18446744073709551615ms+-1").is_err());
        for wrong in ["fail-store=0ms", "fail-store=600001ms", "fail-store=0s", "fail-store=601s"] {
            assert!(parsed(wrong).is_err_and(|why| why.contains("1 ms to 600 s (600000 ms)")), "{wrong}");
        }
    }
}
