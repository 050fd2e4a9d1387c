//! What predicates and success expressions compare values with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A literal: `true`, `false`, an integer or a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A text.
    Text(String),
}

impl Literal {
    /// Whether a value is this. An integer equals a float of the same value, a text only the same text.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "beyond 2^53 the nearest float is what an agent can have meant"
    )]
    pub fn equals(&self, value: &rmpv::Value) -> bool {
        match (self, value) {
            (Self::Bool(ours), rmpv::Value::Boolean(theirs)) => ours == theirs,
            (Self::Int(ours), rmpv::Value::Integer(theirs)) => theirs.as_i64() == Some(*ours),
            (Self::Int(ours), rmpv::Value::F64(theirs)) => *ours as f64 == *theirs,
            (Self::Int(ours), rmpv::Value::F32(theirs)) => *ours as f64 == f64::from(*theirs),
            (Self::Text(ours), rmpv::Value::String(theirs)) => theirs.as_str() == Some(ours),
            _ => false,
        }
    }
}

impl fmt::Display for Literal {
    /// As it is written in YAML: a text always in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(it) => it.fmt(f),
            Self::Int(it) => it.fmt(f),
            Self::Text(it) => f.write_str(&serde_json::Value::from(it.as_str()).to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_by_value_within_a_type() {
        assert!(Literal::Bool(true).equals(&true.into()));
        assert!(!Literal::Bool(true).equals(&"true".into()));
        assert!(Literal::Int(3).equals(&3_u8.into()));
        assert!(Literal::Int(3).equals(&3.0_f64.into()));
        assert!(Literal::Int(-3).equals(&(-3.0_f32).into()));
        assert!(!Literal::Int(3).equals(&3.5_f64.into()));
        assert!(!Literal::Int(-1).equals(&u64::MAX.into()));
        assert!(!Literal::Int(3).equals(&"3".into()));
        assert!(Literal::Text("go".to_owned()).equals(&"go".into()));
        assert!(!Literal::Text("go".to_owned()).equals(&"Go".into()));
        assert!(!Literal::Text("go".to_owned()).equals(&rmpv::Value::Nil));
    }
}
