//! What a rule does with what it stops, and how that is written.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How long a fault may take, in milliseconds.
const FAULT_MS_MAX: u64 = 600_000;

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

/// `intercept`, `drop`, `duplicate`, `cut`, `delay=200ms`, `delay=200ms±50` or `fail-store=500ms`.
impl FromStr for Then {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            "takes intercept, drop, duplicate, cut, a delay such as delay=200ms or delay=200ms±50, or \
             fail-store=500ms"
                .to_owned()
        };
        match text {
            "intercept" => Ok(Self::Intercept),
            "drop" => Ok(Self::Drop),
            "duplicate" => Ok(Self::Duplicate),
            "cut" => Ok(Self::Cut),
            text => match (text.strip_prefix("delay="), text.strip_prefix("fail-store=")) {
                (Some(text), _) => delay(text).ok_or_else(unknown)?,
                (_, Some(text)) => match text.strip_suffix("ms").and_then(|ms| ms.parse().ok()) {
                    Some(ms @ 1..=FAULT_MS_MAX) => Ok(Self::FailStore { ms }),
                    Some(_) => Err(format!("lets the store refuse commits for 1 to {FAULT_MS_MAX} ms")),
                    None => Err(unknown()),
                },
                (None, None) => Err(unknown()),
            },
        }
    }
}

/// A delay with its jitter; nothing of what is none.
fn delay(text: &str) -> Option<Result<Then, String>> {
    let (whole, jitter) = text.split_once('±').or_else(|| text.split_once("+-")).unwrap_or((text, "0"));
    let ms = |text: &str| text.strip_suffix("ms").unwrap_or(text).parse::<u64>().ok();
    let (ms, jitter_ms) = (ms(whole.strip_suffix("ms")?)?, ms(jitter)?);
    Some(match ms.checked_add(jitter_ms) {
        _ if jitter_ms > ms => Err("has a jitter of no more than the delay".to_owned()),
        Some(..=FAULT_MS_MAX) => Ok(Then::Delay { ms, jitter_ms }),
        _ => Err(format!("delays a frame by {FAULT_MS_MAX} ms at most")),
    })
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
        assert_eq!(parsed("fail-store=500ms"), Ok(Then::FailStore { ms: 500 }));
        for wrong in [
            "",
            "hold",
            "delay",
            "delay=",
            "delay=200",
            "delay=200ms+50",
            "delay=x",
            "delay=-1ms",
            "fail-store",
            "fail-store=1",
        ] {
            assert!(parsed(wrong).is_err_and(|why| why.starts_with("takes intercept")), "{wrong}");
        }
        assert!(parsed("delay=600000ms+-1").is_err_and(|why| why.contains("at most")));
        assert!(parsed("delay=100ms±500").is_err_and(|why| why.contains("no more than the delay")));
        assert!(parsed("delay=18446744073709551615ms+-1").is_err());
        for wrong in ["fail-store=0ms", "fail-store=600001ms"] {
            assert!(parsed(wrong).is_err_and(|why| why.contains("600000 ms")), "{wrong}");
        }
    }
}
