//! Whether a record fits. Nothing is allocated unless a value is made for it.

use std::cmp::Ordering;

use super::{
    ast::{Comparison, Expr, IdMatch, Test},
    operand::Operand,
    parse::id_digits,
};
use crate::{
    field::{Class, Kind, Record, Spec, Value},
    time::Now,
};

/// Whether a record with these fields fits.
pub(super) fn admits(expr: &Expr, specs: &[Spec], record: &dyn Record, now: Now) -> bool {
    match expr {
        Expr::Word(needle) => specs.iter().enumerate().any(|(field, spec)| match spec.kind {
            _ if spec.class == Class::Secret => false,
            Kind::Text | Kind::State(_) | Kind::Id | Kind::Topic => {
                matches!(record.value(field, now), Value::Text(text) if needle.is_in(&text))
            }
            Kind::Serial => {
                matches!(record.value(field, now), Value::Serial(serial) if needle.is_in_number(serial))
            }
            Kind::Number | Kind::Duration | Kind::Bytes | Kind::Time => false,
        }),
        Expr::Field { field, test } => passes(test, &record.value(*field, now), now),
        Expr::Not(one) => !admits(one, specs, record, now),
        Expr::All(all) => all.iter().all(|one| admits(one, specs, record, now)),
        Expr::Any(all) => all.iter().any(|one| admits(one, specs, record, now)),
    }
}

fn passes(wanted: &Test, value: &Value<'_>, now: Now) -> bool {
    let text = match value {
        Value::Text(text) => Some(text.as_ref()),
        _ => None,
    };
    match wanted {
        Test::Absent => value.is_none(),
        Test::Present => !value.is_none(),
        Test::Has(needle) => text.is_some_and(|text| needle.is_in(text)),
        Test::Is(all) => text == Some(all.as_str()),
        Test::IsNot(other) => text != Some(other.as_str()),
        Test::Id { how, id } => match how {
            IdMatch::Part => text.is_some_and(|text| is_part(id, text)),
            IdMatch::Whole => text.is_some_and(|text| is_whole(id, text)),
            IdMatch::Not => !text.is_some_and(|text| is_whole(id, text)),
        },
        Test::Fits(pattern) => text.is_some_and(|text| pattern.fits(text)),
        Test::Matches(matcher) => text.is_some_and(|text| matcher.is_in(text)),
        Test::Compare(comparison, operand) => match order(value, *operand, now) {
            Some(order) => holds(*comparison, order),
            None => *comparison == Comparison::IsNot,
        },
    }
}

fn folded(text: &str) -> impl DoubleEndedIterator<Item = char> + Clone {
    id_digits(text).map(|it| it.to_ascii_lowercase())
}

fn is_whole(id: &str, text: &str) -> bool {
    folded(text).eq(id.chars())
}

/// Whether an id begins or ends so.
fn is_part(id: &str, text: &str) -> bool {
    fn begins(mut digits: impl Iterator<Item = char>, mut wanted: impl Iterator<Item = char>) -> bool {
        wanted.all(|it| digits.next() == Some(it))
    }
    begins(folded(text), id.chars()) || begins(folded(text).rev(), id.chars().rev())
}

/// How a value stands to what it is compared with; none where there is nothing to compare. Within a moment,
/// it is equal to it.
fn order(value: &Value<'_>, operand: Operand, now: Now) -> Option<Ordering> {
    match (value, operand) {
        (Value::Number(value), Operand::Number(other)) => value.partial_cmp(&other),
        (Value::Duration(value), Operand::Duration(other))
        | (Value::Bytes(value), Operand::Bytes(other))
        | (Value::Serial(value), Operand::Serial(other)) => Some(value.cmp(&other)),
        (Value::Time(at), Operand::Time(moment)) => {
            let range = moment.range(now);
            Some(if at.0 < range.start {
                Ordering::Less
            } else if at.0 < range.end {
                Ordering::Equal
            } else {
                Ordering::Greater
            })
        }
        _ => None,
    }
}

const fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Is => order.is_eq(),
        Comparison::IsNot => order.is_ne(),
        Comparison::Below => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::Above => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    }
}
