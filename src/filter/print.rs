//! A filter as it is written, always in the same way. What is printed reads as the same filter.

use super::{
    ast::{Comparison, Expr, IdMatch, Test},
    lex::{Operator, TokenKind, lex, quote},
};
use crate::field::{Kind, Spec};

/// The text of a filter.
pub(super) fn print(expr: &Expr, specs: &[Spec]) -> String {
    let mut text = String::new();
    write(expr, specs, &mut text);
    text
}

fn write(expr: &Expr, specs: &[Spec], text: &mut String) {
    match expr {
        Expr::Word(needle) => text.push_str(&word(needle.text())),
        Expr::Field { field, test } => {
            if let Some(spec) = specs.get(*field) {
                text.push_str(&of_field(spec, test));
            }
        }
        Expr::Not(one) => {
            text.push_str("not ");
            write_within(one, matches!(**one, Expr::All(_) | Expr::Any(_)), specs, text);
        }
        Expr::All(all) => write_all(all, " ", |one| matches!(one, Expr::All(_) | Expr::Any(_)), specs, text),
        Expr::Any(all) => write_all(all, " or ", |one| matches!(one, Expr::Any(_)), specs, text),
    }
}

fn write_all(all: &[Expr], between: &str, groups: impl Fn(&Expr) -> bool, specs: &[Spec], text: &mut String) {
    for (number, one) in all.iter().enumerate() {
        if number > 0 {
            text.push_str(between);
        }
        write_within(one, groups(one), specs, text);
    }
}

fn write_within(one: &Expr, group: bool, specs: &[Spec], text: &mut String) {
    if group {
        text.push('(');
    }
    write(one, specs, text);
    if group {
        text.push(')');
    }
}

/// A text by itself, in quotes where it needs them.
pub(super) fn word(text: &str) -> String {
    let is_word =
        |token: &super::lex::Token| matches!(&token.kind, TokenKind::Word(word) if word.meant == text);
    let is_bare = |tokens: &[super::lex::Token]| matches!(tokens, [token] if is_word(token));
    if lex(text).is_ok_and(|tokens| is_bare(&tokens)) { text.to_owned() } else { quote(text) }
}

/// A field with what it is tested for, in quotes where it needs them.
pub(super) fn test(name: &str, operator: Operator, operand: &str) -> String {
    let bare = format!("{name}{}{operand}", operator.sign());
    let is_test = |token: &super::lex::Token| match &token.kind {
        TokenKind::Test { operator: read, operand: text, .. } => {
            *read == operator && !text.quoted && text.meant == operand
        }
        _ => false,
    };
    let is_bare = !matches!(operand, "none" | "any")
        && lex(&bare).is_ok_and(|tokens| matches!(tokens.as_slice(), [token] if is_test(token)));
    if is_bare { bare } else { format!("{name}{}{}", operator.sign(), quote(operand)) }
}

fn of_field(spec: &Spec, of: &Test) -> String {
    let name = spec.name;
    match of {
        Test::Absent => format!("{name}:none"),
        Test::Present => format!("{name}:any"),
        Test::Has(needle) => test(name, Operator::Has, needle.text()),
        Test::Is(text) if matches!(spec.kind, Kind::State(_)) => test(name, Operator::Has, text),
        Test::Is(text) => test(name, Operator::Is, text),
        Test::IsNot(text) => test(name, Operator::IsNot, text),
        Test::Id { how, id } => {
            let operator = match how {
                IdMatch::Part => Operator::Has,
                IdMatch::Whole => Operator::Is,
                IdMatch::Not => Operator::IsNot,
            };
            test(name, operator, id)
        }
        Test::Fits(pattern) => test(name, Operator::Has, pattern.text()),
        Test::Matches(matcher) => test(name, Operator::Matches, matcher.text()),
        Test::Compare(comparison, operand) => {
            let operator = match comparison {
                Comparison::Is => Operator::Is,
                Comparison::IsNot => Operator::IsNot,
                Comparison::Below => Operator::Below,
                Comparison::AtMost => Operator::AtMost,
                Comparison::Above => Operator::Above,
                Comparison::AtLeast => Operator::AtLeast,
            };
            test(name, operator, &operand.print())
        }
    }
}
