//! The script of a simulated agent: rules in TOML, the first one that fits decides.
//!
//! ```toml
//! [[rule]]                      # every key but those of the answer may be left out
//! node = "draft"                # only requests for the node with this id
//! attempt = 1                   # only this attempt
//! chance = 0.3                  # only this share of what came so far, drawn by the seed
//! delay_ms = [100, 400]         # how long it takes: one number, or a range to draw from
//! progress = ["reading", "writing"]   # said on the way, in equal steps
//! answer = "fail"               # "echo" (the default), "ports" (the default where there are some), "fail", "none"
//! reason = "no quota"           # of "fail"
//! retryable = true              # of "fail"; false when absent
//! tokens = 120                  # meta.tokens of the answer
//!
//! [[rule]]
//! [[rule.ports.out]]            # values on the port `out`
//! type = "artifact.draft.email.v1"
//! value = { subject = "hello" } # this one,
//! schema = { type = "object" }  # or one that this JSON Schema takes, drawn by the seed; both: the value is checked
//! ```
//!
//! What no rule fits is echoed: all inputs come back on the port `out`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::sample::sample;
use crate::{rmp::TypeName, schema::Schema};

/// Bytes of a script at most.
pub(crate) const BYTES_MAX: u64 = 1 << 20;
/// The longest that a request is worked on, in milliseconds.
const DELAY_MS_MAX: u64 = 3_600_000;
/// Times that a value is drawn before its schema is given up.
const DRAWS_MAX: usize = 32;

/// What an agent does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Script {
    pub(super) rules: Vec<Rule>,
}

/// What it does with some requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rule {
    pub(super) node: Option<String>,
    pub(super) attempt: Option<u64>,
    pub(super) chance: Option<f64>,
    pub(super) delay_ms: (u64, u64),
    pub(super) progress: Vec<String>,
    pub(super) then: Then,
    pub(super) tokens: Option<u64>,
}

/// How it ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Then {
    #[default]
    Echo,
    Ports(BTreeMap<String, Vec<Item>>),
    Fail {
        retryable: bool,
        reason: String,
    },
    Silent,
}

/// A value on a port.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) of_type: String,
    pub(super) source: Source,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Value(serde_json::Value),
    Schema(Schema),
}

/// A fault of a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(crate) struct ScriptFault {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The fault there.
    pub(crate) what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    rule: Vec<Spanned<WrittenRule>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    node: Option<String>,
    attempt: Option<Spanned<u64>>,
    chance: Option<Spanned<f64>>,
    delay_ms: Option<Spanned<WrittenDelay>>,
    #[serde(default)]
    progress: Vec<String>,
    answer: Option<Spanned<WrittenAnswer>>,
    reason: Option<Spanned<String>>,
    retryable: Option<Spanned<bool>>,
    tokens: Option<u64>,
    ports: Option<Spanned<BTreeMap<String, Vec<Spanned<WrittenItem>>>>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "takes milliseconds, or a range such as [100, 400]")]
enum WrittenDelay {
    One(u64),
    Range([u64; 2]),
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenAnswer {
    Echo,
    Ports,
    Fail,
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenItem {
    #[serde(rename = "type")]
    of_type: Spanned<String>,
    value: Option<serde_json::Value>,
    schema: Option<Spanned<serde_json::Value>>,
}

/// A text and the line of each of its bytes.
struct Text<'a>(&'a str);

impl Text<'_> {
    fn fault<T>(&self, at: &Spanned<T>, what: impl Into<String>) -> ScriptFault {
        self.fault_at(at.span().start, what)
    }

    fn fault_at(&self, at: usize, what: impl Into<String>) -> ScriptFault {
        let line = self.0.get(..at).unwrap_or(self.0).matches('\n').count() + 1;
        ScriptFault { line, what: what.into() }
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first fault with its line.
    pub(crate) fn parse(text: &str) -> Result<Self, ScriptFault> {
        let place = Text(text);
        let written: Written = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            place.fault_at(at, error.message())
        })?;
        let rules = written.rule.into_iter().map(|rule| place.rule(rule)).collect::<Result<_, _>>()?;
        Ok(Self { rules })
    }
}

impl Text<'_> {
    fn rule(&self, written: Spanned<WrittenRule>) -> Result<Rule, ScriptFault> {
        let at = written.span().start;
        let rule = written.into_inner();
        if let Some(attempt) = rule.attempt.as_ref().filter(|attempt| *attempt.get_ref() == 0) {
            return Err(self.fault(attempt, "`attempt` starts at 1"));
        }
        if let Some(chance) = rule.chance.as_ref().filter(|chance| !(0.0..=1.0).contains(chance.get_ref())) {
            return Err(self.fault(chance, "`chance` takes 0 to 1"));
        }
        let delay_ms = rule.delay_ms.as_ref().map_or(Ok((0, 0)), |delay| self.delay(delay))?;
        Ok(Rule {
            then: self.then(at, &rule)?,
            node: rule.node,
            attempt: rule.attempt.map(Spanned::into_inner),
            chance: rule.chance.map(Spanned::into_inner),
            delay_ms,
            progress: rule.progress,
            tokens: rule.tokens,
        })
    }

    fn delay(&self, written: &Spanned<WrittenDelay>) -> Result<(u64, u64), ScriptFault> {
        let (least, most) = match *written.get_ref() {
            WrittenDelay::One(ms) => (ms, ms),
            WrittenDelay::Range([least, most]) => (least, most),
        };
        if least > most || most > DELAY_MS_MAX {
            return Err(
                self.fault(written, format!("`delay_ms` takes 0 to {DELAY_MS_MAX}, or a range [min, max]"))
            );
        }
        Ok((least, most))
    }

    fn then(&self, at: usize, rule: &WrittenRule) -> Result<Then, ScriptFault> {
        let by_ports = if rule.ports.is_some() { WrittenAnswer::Ports } else { WrittenAnswer::Echo };
        let answer = rule.answer.as_ref().map_or(by_ports, |answer| *answer.get_ref());
        if answer != WrittenAnswer::Fail {
            let of_fail = |name: &str| format!("`{name}` requires answer = \"fail\"");
            if let Some(reason) = &rule.reason {
                return Err(self.fault(reason, of_fail("reason")));
            }
            if let Some(retryable) = &rule.retryable {
                return Err(self.fault(retryable, of_fail("retryable")));
            }
        }
        match (answer, &rule.ports) {
            (WrittenAnswer::Ports, Some(ports)) => {
                let items =
                    |items: &Vec<_>| items.iter().map(|item| self.item(item)).collect::<Result<_, _>>();
                let ports = ports.get_ref().iter().map(|(port, all)| Ok((port.clone(), items(all)?)));
                Ok(Then::Ports(ports.collect::<Result<_, ScriptFault>>()?))
            }
            (WrittenAnswer::Ports, None) => {
                Err(self.fault_at(at, "answer = \"ports\" needs [[rule.ports.NAME]]"))
            }
            (_, Some(ports)) => Err(self.fault(ports, "`ports` requires answer = \"ports\"")),
            (WrittenAnswer::Echo, None) => Ok(Then::Echo),
            (WrittenAnswer::None, None) => Ok(Then::Silent),
            (WrittenAnswer::Fail, None) => {
                let reason = rule
                    .reason
                    .as_ref()
                    .map_or("the simulated agent could not do it", |reason| reason.get_ref());
                Ok(Then::Fail {
                    retryable: rule.retryable.as_ref().is_some_and(|it| *it.get_ref()),
                    reason: reason.to_owned(),
                })
            }
        }
    }

    fn item(&self, written: &Spanned<WrittenItem>) -> Result<Item, ScriptFault> {
        let WrittenItem { of_type, value, schema } = written.get_ref();
        if TypeName::parse(of_type.get_ref()).is_none() {
            return Err(self
                .fault(of_type, format!("{:?} is not a type: use <family>.<kind>.v<N>", of_type.get_ref())));
        }
        let compiled = schema.as_ref().map(|schema| {
            let compiled = Schema::compile(schema.get_ref().clone())
                .map_err(|error| self.fault(schema, error.to_string()))?;
            Ok((schema, compiled))
        });
        let source = match (value, compiled.transpose()?) {
            (Some(value), None) => Source::Value(value.clone()),
            (Some(value), Some((at, schema))) => {
                schema
                    .check(value)
                    .map_err(|what| self.fault(at, format!("`value` does not match `schema`: {what}")))?;
                Source::Value(value.clone())
            }
            (None, Some((at, schema))) => {
                let some = drawn(&schema, &mut fastrand::Rng::with_seed(0));
                some.ok_or_else(|| self.fault(at, "cannot generate a value for `schema`: add a `value`"))?;
                Source::Schema(schema)
            }
            (None, None) => return Err(self.fault(written, "a port item needs a `value` or a `schema`")),
        };
        Ok(Item { of_type: of_type.get_ref().clone(), source })
    }
}

/// A value that a schema takes, if one comes to mind.
pub(super) fn drawn(schema: &Schema, rng: &mut fastrand::Rng) -> Option<serde_json::Value> {
    (0..DRAWS_MAX).map(|_| sample(schema.source(), rng, 0)).find(|value| schema.check(value).is_ok())
}

impl Rule {
    /// Whether it decides. A chance is drawn only where the rest fits.
    pub(super) fn fits(&self, node: &str, attempt: u64, rng: &mut fastrand::Rng) -> bool {
        self.node.as_deref().is_none_or(|wanted| wanted == node)
            && self.attempt.is_none_or(|wanted| wanted == attempt)
            && self.chance.is_none_or(|chance| rng.f64() < chance)
    }
}
