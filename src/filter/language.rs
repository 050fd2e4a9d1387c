//! A filter.

use jiff::tz::TimeZone;

use super::{
    Fault,
    ast::{Expr, Test},
    eval,
    lex::{Operator, TokenKind, lex},
    operand::{Moment, Operand},
    parse, print,
};
use crate::{
    field::{Class, Kind, Record, Spec, Value},
    time::Now,
    words,
};

/// The longest text of a filter.
pub const TEXT_BYTES_MAX: usize = 1_024;

/// How deep groups and `not` go.
pub const DEPTH_MAX: usize = 32;

/// A longer value is found by its beginning, so that its term fits into a filter.
const TERM_BYTES_MAX: usize = 160;

/// A filter that was read for records of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    text: String,
    specs: &'static [Spec],
    expr: Option<Expr>,
}

impl Filter {
    /// Reads a filter for records with these fields. What is blank lets everything through.
    ///
    /// # Errors
    /// [`Fault`] with the place of what cannot be read.
    pub fn parse(text: &str, specs: &'static [Spec]) -> Result<Self, Fault> {
        Ok(Self { text: text.to_owned(), specs, expr: parse::parse(text, specs)? })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The filter in its canonical form. It is no longer than what was written but for quotes,
    /// parentheses and units.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.expr.as_ref().map_or_else(String::new, |expr| print::print(expr, self.specs))
    }

    /// Whether it lets everything through.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.expr.is_none()
    }

    /// Whether it lets a record through. The record has the fields that the filter was read for.
    #[must_use]
    pub fn admits(&self, record: &dyn Record, now: Now) -> bool {
        self.expr.as_ref().is_none_or(|expr| eval::admits(expr, self.specs, record, now))
    }

    /// Whether what it lets through changes by time alone: it tests a span of time, as an age is, or has a
    /// time of day.
    #[must_use]
    pub fn depends_on_now(&self) -> bool {
        let mut depends = false;
        if let Some(expr) = &self.expr {
            expr.visit(&mut |field, test| {
                let is_span = self.specs.get(field).is_some_and(|spec| spec.kind == Kind::Duration);
                let is_of_day = matches!(test, Test::Compare(_, Operand::Time(Moment::OfDay { .. })));
                depends |= is_of_day || (is_span && !matches!(test, Test::Absent | Test::Present));
            });
        }
        depends
    }

    /// The names of the fields that it tests.
    #[must_use]
    pub fn fields(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(expr) = &self.expr {
            expr.visit(&mut |field, _| names.extend(self.specs.get(field).map(|spec| spec.name)));
        }
        names
    }

    /// What it asks of these fields alone, as far as nothing passes without it; nothing where it asks
    /// nothing of them, or in other terms.
    #[must_use]
    pub fn part_on(&self, fields: &[&str]) -> Option<Self> {
        let is_on = |field: usize| self.specs.get(field).is_some_and(|spec| fields.contains(&spec.name));
        let expr = self.expr.as_ref()?.part_on(&is_on)?;
        Some(Self { text: self.text.clone(), specs: self.specs, expr: Some(expr) })
    }

    /// Whether it looks for a word in every field.
    #[must_use]
    pub fn has_word(&self) -> bool {
        self.expr.as_ref().is_some_and(Expr::has_word)
    }

    /// Whether its text may quote values of a class: it tests a field of that class for one, or has a word,
    /// which may be of any field.
    #[must_use]
    pub fn quotes(&self, class: Class) -> bool {
        let Some(expr) = &self.expr else { return false };
        let mut quotes = expr.has_word();
        expr.visit(&mut |field, test| {
            let is_of_it = self
                .specs
                .get(field)
                .is_some_and(|spec| spec.class == class && !matches!(spec.kind, Kind::State(_)));
            quotes |= is_of_it && !matches!(test, Test::Absent | Test::Present);
        });
        quotes
    }

    /// What both this filter and another of the same records let through.
    #[must_use]
    pub fn both(&self, other: &Self) -> Self {
        let expr = match (&self.expr, &other.expr) {
            (Some(one), Some(other)) => Some(Expr::All(vec![one.clone(), other.clone()])),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Self { text: Self::and(&self.text, &other.text), specs: self.specs, expr }
    }

    /// This filter, its times of day made the moments that they last were in a zone. Its text is as it was
    /// written; [`canonical`] has the moments.
    ///
    /// [`canonical`]: Self::canonical
    #[must_use]
    pub fn anchored(mut self, now: Now, zone: &TimeZone) -> Self {
        if let Some(expr) = &mut self.expr {
            expr.visit_mut(&mut |test| {
                if let Test::Compare(_, Operand::Time(moment)) = test {
                    *moment = moment.anchored(now, zone);
                }
            });
        }
        self
    }

    /// The term that finds exactly this value in a field; by its beginning where it is long.
    #[must_use]
    pub fn term(spec: &Spec, value: &Value<'_>) -> String {
        let figure = |operand: Operand| print::test(spec.name, Operator::Is, &operand.print());
        match value {
            Value::None => format!("{}:none", spec.name),
            Value::Text(text) => {
                let end = words::floor(text, TERM_BYTES_MAX);
                match spec.kind {
                    Kind::State(_) => print::test(spec.name, Operator::Has, text),
                    Kind::Text if end < text.len() => print::test(spec.name, Operator::Has, &text[..end]),
                    _ => print::test(spec.name, Operator::Is, text),
                }
            }
            Value::Number(number) => figure(Operand::Number(*number)),
            Value::Duration(ms) => figure(Operand::Duration(*ms)),
            Value::Bytes(bytes) => figure(Operand::Bytes(*bytes)),
            Value::Time(at) => figure(Operand::exactly(*at)),
            Value::Serial(serial) => figure(Operand::Serial(*serial)),
        }
    }

    /// A filter's text with a term more that must fit. One that has it at its end already stays as it is; one
    /// that cannot be read gives way.
    #[must_use]
    pub fn and(text: &str, term: &str) -> String {
        let text = text.trim();
        let Ok(tokens) = lex(text) else { return term.to_owned() };
        if tokens.last().is_some_and(|last| &text[last.at.clone()] == term)
            && (tokens.len() == 1 || !has_or(&tokens))
        {
            return text.to_owned();
        }
        match tokens.as_slice() {
            [] => term.to_owned(),
            _ if has_or(&tokens) => format!("({text}) {term}"),
            _ => format!("{text} {term}"),
        }
    }

    /// Whether a filter's text has this term among those that must all fit; the term is one word.
    #[must_use]
    pub fn has_term(text: &str, term: &str) -> bool {
        Self::without(text, term) != text.trim()
    }

    /// A filter's text without this term, where it is among those that must all fit; the term is one word.
    #[must_use]
    pub fn without(text: &str, term: &str) -> String {
        let text = text.trim();
        let Ok(tokens) = lex(text) else { return text.to_owned() };
        let mut depth = 0_usize;
        let found = tokens.iter().enumerate().find(|(index, token)| {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            let follows =
                |kind: &TokenKind| index.checked_sub(1).is_some_and(|before| tokens[before].kind == *kind);
            depth == 0 && &text[token.at.clone()] == term && !follows(&TokenKind::Not)
        });
        let Some((index, token)) = found.filter(|_| !has_or(&tokens)) else { return text.to_owned() };
        // An `and` on one side of it goes with it.
        let is_and = |index: Option<usize>| {
            index.and_then(|index| tokens.get(index)).filter(|token| token.kind == TokenKind::And)
        };
        let (mut start, mut end) = (token.at.start, token.at.end);
        if let Some(and) = is_and(index.checked_sub(1)) {
            start = and.at.start;
        } else if let Some(and) = is_and(Some(index + 1)) {
            end = and.at.end;
        }
        let (before, after) = (text[..start].trim_end(), text[end..].trim_start());
        let between = if before.is_empty() || after.is_empty() { "" } else { " " };
        format!("{before}{between}{after}")
    }
}

/// Whether one of two sides is enough, outside of groups.
fn has_or(tokens: &[super::lex::Token]) -> bool {
    let mut depth = 0_usize;
    tokens.iter().any(|token| {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.kind == TokenKind::Or
    })
}
