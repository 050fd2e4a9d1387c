//! What could be written next.

use std::ops::Range;

use super::{
    lex::{Operator, name_len},
    operand::{SIZE_UNITS, TIME_UNITS},
    parse::{kind_name, operators},
    print,
};
use crate::{
    field::{Class, Kind, Spec, index_of},
    words,
};

/// More are not offered.
const CANDIDATES_MAX: usize = 100;

/// What could stand in place of a part of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that a candidate takes the place of.
    pub replace: Range<usize>,
    /// What could stand there, the likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A text that could stand somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// What it is, in a few words; empty where it speaks for itself.
    pub about: String,
    /// Who may see the text: values are of their field's class.
    pub class: Class,
}

/// What could be written at a place of a filter's text: fields, operators by what a field measures, states,
/// units, values that were seen in the field at a place, and the words that join. The cursor is in bytes.
#[must_use]
pub fn complete(
    text: &str,
    cursor: usize,
    specs: &[Spec],
    seen: &dyn Fn(usize) -> Vec<String>,
) -> Completion {
    let cursor = words::floor(text, cursor);
    let before = Before::scan(&text[..cursor]);
    let part = &text[before.start..cursor];
    let name = &part[..name_len(part)];
    let operator = Operator::ALL.into_iter().find(|operator| part[name.len()..].starts_with(operator.sign()));
    let mut candidates = Vec::new();
    match operator.zip(index_of(specs, name)) {
        Some((operator, field)) => {
            let typed = &part[name.len() + operator.sign().len()..];
            values(&specs[field], operator, typed, &|| seen(field), &mut candidates);
        }
        None if operator.is_some() || part.starts_with('"') => {}
        None => {
            names(part, specs, &mut candidates);
            connectives(part, &before, &mut candidates);
        }
    }
    candidates.truncate(CANDIDATES_MAX);
    let after = &text[cursor..];
    let end = if before.in_quotes {
        // One that stays open takes the rest.
        after.find('"').map_or(text.len(), |quote| cursor + quote + 1)
    } else {
        cursor + after.find(|it: char| it.is_whitespace() || "()".contains(it)).unwrap_or(after.len())
    };
    Completion { replace: before.start..end, candidates }
}

/// What stands before a cursor: where the part that is being written begins.
struct Before {
    start: usize,
    in_quotes: bool,
    /// Whether something that can be joined stands before the part.
    is_joined: bool,
}

impl Before {
    fn scan(text: &str) -> Self {
        let (mut start, mut quoted, mut escaped) = (0, false, false);
        let mut open = 0_usize;
        let mut is_joined = false;
        for (at, it) in text.char_indices() {
            if quoted {
                quoted = escaped || it != '"';
                escaped = !escaped && it == '\\';
                continue;
            }
            let in_regex = text[start..at].contains('~');
            match it {
                '"' => quoted = true,
                '(' if in_regex => open += 1,
                ')' if in_regex && open > 0 => open -= 1,
                _ if it.is_whitespace() || it == '(' || it == ')' => {
                    let part = &text[start..at];
                    if !part.is_empty() {
                        is_joined = !["and", "or", "not"].iter().any(|word| part.eq_ignore_ascii_case(word));
                    }
                    is_joined = (is_joined || it == ')') && it != '(';
                    start = at + it.len_utf8();
                    open = 0;
                }
                _ => {}
            }
        }
        Self { start, in_quotes: quoted, is_joined }
    }
}

fn offer(candidates: &mut Vec<Candidate>, text: String, about: impl Into<String>, class: Class) {
    if candidates.iter().all(|candidate| candidate.text != text) {
        candidates.push(Candidate { text, about: about.into(), class });
    }
}

/// Fields that begin with, then those that have, what was typed; the operators of the one that is it.
fn names(typed: &str, specs: &[Spec], candidates: &mut Vec<Candidate>) {
    let lower = typed.to_lowercase();
    if let Some(spec) = index_of(specs, &lower).map(|field| &specs[field]) {
        for operator in operators(spec.kind) {
            offer(
                candidates,
                format!("{}{}", spec.name, operator.sign()),
                operator_about(spec.kind, *operator),
                Class::Public,
            );
        }
    }
    let begins = specs.iter().filter(|spec| spec.name.starts_with(&lower));
    let has = specs.iter().filter(|spec| !spec.name.starts_with(&lower) && spec.name.contains(&lower));
    let named = begins.chain(has).map(|spec| (spec, spec.name.to_owned()));
    // What only the title of its column begins with is written by that.
    let titled = specs.iter().filter(|spec| !spec.name.contains(&lower)).filter_map(|spec| {
        let title = spec.title_name().filter(|title| !lower.is_empty() && title.starts_with(&lower))?;
        (index_of(specs, &title) == index_of(specs, spec.name)).then_some((spec, title))
    });
    for (spec, name) in named.chain(titled).filter(|(spec, _)| spec.class != Class::Secret) {
        let usual = operators(spec.kind).first().map_or("", |operator| operator.sign());
        let about = format!("{}: {}", spec.about, kind_name(spec.kind));
        offer(candidates, format!("{name}{usual}"), about, Class::Public);
    }
}

const fn operator_about(kind: Kind, operator: Operator) -> &'static str {
    match (operator, kind) {
        (Operator::Has, Kind::Text) => "contains it, ignoring case",
        (Operator::Has, Kind::Id) => "begins or ends with it",
        (Operator::Has, Kind::Topic) => "matches the pattern",
        (Operator::Has | Operator::Is, _) => "equals",
        (Operator::IsNot, _) => "differs",
        (Operator::Below, Kind::Time) => "before",
        (Operator::AtMost, Kind::Time) => "until",
        (Operator::Above, Kind::Time) => "after",
        (Operator::AtLeast, Kind::Time) => "from then on",
        (Operator::Below, _) => "less than",
        (Operator::AtMost, _) => "at most",
        (Operator::Above, _) => "more than",
        (Operator::AtLeast, _) => "at least",
        (Operator::Matches, _) => "matches a regular expression",
    }
}

/// The words that join.
fn connectives(typed: &str, before: &Before, candidates: &mut Vec<Candidate>) {
    let joining: &[(&str, &str)] = if before.is_joined {
        &[("and", "both"), ("or", "either"), ("not", "without")]
    } else {
        &[("not", "without")]
    };
    for (word, about) in joining {
        if word.starts_with(&typed.to_ascii_lowercase()) && *word != typed {
            offer(candidates, (*word).to_owned(), *about, Class::Public);
        }
    }
}

/// What a field could be tested for.
fn values(
    spec: &Spec,
    operator: Operator,
    typed: &str,
    seen: &dyn Fn() -> Vec<String>,
    candidates: &mut Vec<Candidate>,
) {
    if !operators(spec.kind).contains(&operator)
        || operator == Operator::Matches
        || spec.class == Class::Secret
    {
        return;
    }
    let plain = typed.trim_matches('"').to_lowercase();
    let whole = |value: &str| print::test(spec.name, operator, value);
    match spec.kind {
        Kind::State(names) => {
            for name in names.iter().filter(|name| name.starts_with(&plain)) {
                offer(candidates, whole(name), "", Class::Public);
            }
        }
        Kind::Duration => units(spec, operator, typed, &TIME_UNITS, candidates),
        Kind::Bytes => units(spec, operator, typed, &SIZE_UNITS, candidates),
        Kind::Text | Kind::Id | Kind::Topic | Kind::Serial | Kind::Number | Kind::Time => {
            let mut all = seen();
            // Those that begin so come first, else they stay in their order.
            all.sort_by_key(|value| !value.to_lowercase().starts_with(&plain));
            for value in all
                .iter()
                .filter(|value| !value.is_empty() && value.to_lowercase().contains(&plain))
                .take(CANDIDATES_MAX)
            {
                offer(candidates, whole(value), "", spec.class);
            }
        }
    }
    if operator == Operator::Has {
        for (word, about) in [("none", "has no value"), ("any", "has a value")] {
            if word.starts_with(typed) {
                offer(candidates, format!("{}:{word}", spec.name), about, Class::Public);
            }
        }
    }
}

/// A figure with each unit that begins with what stands behind it.
fn units(
    spec: &Spec,
    operator: Operator,
    typed: &str,
    units: &[(&str, u64)],
    candidates: &mut Vec<Candidate>,
) {
    let (figure, unit) =
        typed.split_at(typed.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(typed.len()));
    if figure.is_empty() {
        return;
    }
    for (name, _) in
        units.iter().rev().filter(|(name, _)| name.to_lowercase().starts_with(&unit.to_lowercase()))
    {
        offer(candidates, format!("{}{}{figure}{name}", spec.name, operator.sign()), "", Class::Public);
    }
}
