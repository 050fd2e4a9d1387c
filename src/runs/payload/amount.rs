//! How much is done of something, in the unit of whoever says it.

use std::fmt;

use rmpv::Value;

/// A number that is not below zero: a whole one stays whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A whole number.
    Whole(u64),
    /// A fraction, finite.
    Fraction(f64),
}

impl Amount {
    /// A value that is such a number.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(it) => it.as_u64().map(Self::Whole),
            Value::F32(_) | Value::F64(_) => {
                value.as_f64().filter(|it| it.is_finite() && *it >= 0.0).map(Self::Fraction)
            }
            _ => None,
        }
    }

    pub(super) fn value(self) -> Value {
        match self {
            Self::Whole(it) => Value::from(it),
            Self::Fraction(it) => Value::from(it),
        }
    }

    pub(super) fn json(self) -> serde_json::Value {
        match self {
            Self::Whole(it) => it.into(),
            Self::Fraction(it) => it.into(),
        }
    }

    /// The number, as screens draw it; of a whole one above 2^53 the nearest.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a bar needs no more")]
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Whole(it) => it as f64,
            Self::Fraction(it) => it,
        }
    }
}

impl From<u64> for Amount {
    fn from(it: u64) -> Self {
        Self::Whole(it)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(it) => it.fmt(f),
            Self::Fraction(it) => it.fmt(f),
        }
    }
}
