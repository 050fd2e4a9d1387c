//! Tokens as a filter.

use std::ops::Range;

use super::{
    DEPTH_MAX, Fault, TEXT_BYTES_MAX,
    ast::{Comparison, Expr, IdMatch, Test},
    fault::hint,
    find::Needle,
    lex::{Operator, Text, Token, TokenKind, lex, operand_missing, quote},
    operand::{self, Operand},
    regex::Matcher,
    topic::Pattern,
};
use crate::{
    field::{Kind, Spec, index_of},
    words,
};

/// Reads a filter; none for one that lets everything through.
pub(super) fn parse(text: &str, specs: &[Spec]) -> Result<Option<Expr>, Fault> {
    if text.len() > TEXT_BYTES_MAX {
        let start = words::floor(text, TEXT_BYTES_MAX);
        return Err(Fault::new(start..text.len(), format!("a filter has at most {TEXT_BYTES_MAX} bytes")));
    }
    let tokens = lex(text)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut parser = Parser { text, specs, tokens: &tokens, at: 0, depth: 0 };
    let expr = parser.any_of()?;
    match parser.next() {
        None => Ok(Some(expr)),
        // Whatever else ends an expression is taken by what it is in.
        Some(token) => Err(Fault::new(token.at.clone(), "this closes a group that was not opened by `(`")),
    }
}

struct Parser<'a> {
    text: &'a str,
    specs: &'a [Spec],
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Takes the next token if it is this.
    fn take(&mut self, what: &TokenKind) -> bool {
        let is_it = self.peek().is_some_and(|token| token.kind == *what);
        self.at += usize::from(is_it);
        is_it
    }

    fn any_of(&mut self) -> Result<Expr, Fault> {
        let first = self.all_of()?;
        let mut all = vec![first];
        while self.take(&TokenKind::Or) {
            all.push(self.all_of()?);
        }
        Ok(alone_or(all, Expr::Any))
    }

    fn all_of(&mut self) -> Result<Expr, Fault> {
        let first = self.term()?;
        let mut all = vec![first];
        loop {
            match self.peek().map(|token| &token.kind) {
                None | Some(TokenKind::Or | TokenKind::Close) => return Ok(alone_or(all, Expr::All)),
                Some(TokenKind::And) => self.at += 1,
                Some(_) => {}
            }
            all.push(self.term()?);
        }
    }

    fn term(&mut self) -> Result<Expr, Fault> {
        let Some(token) = self.next() else { return Err(self.missing()) };
        match &token.kind {
            TokenKind::Not => {
                self.deeper(token)?;
                let one = self.term()?;
                self.depth -= 1;
                Ok(Expr::Not(Box::new(one)))
            }
            TokenKind::Open => {
                self.deeper(token)?;
                if let Some(close) = self.peek().filter(|next| next.kind == TokenKind::Close) {
                    return Err(Fault::new(token.at.start..close.at.end, "the parentheses are empty"));
                }
                let group = self.any_of()?;
                if !self.take(&TokenKind::Close) {
                    return Err(Fault::new(token.at.clone(), "this `(` is not closed by `)`"));
                }
                self.depth -= 1;
                Ok(group)
            }
            TokenKind::Word(word) if word.meant.is_empty() => {
                Err(Fault::new(word.at.clone(), "an empty word matches everything"))
            }
            TokenKind::Word(word) => match self.titled(token).filter(|_| !word.quoted) {
                Some(titled) => self.titled_test(token, titled),
                None => Ok(Expr::Word(Needle::new(word.meant.clone()))),
            },
            TokenKind::Test { name, operator, operator_at, operand } => {
                let field = self.field(token, name, operand)?;
                let spec = &self.specs[field];
                Ok(Expr::Field { field, test: test(spec, *operator, operator_at, operand)? })
            }
            TokenKind::And | TokenKind::Or | TokenKind::Close => {
                self.at -= 1;
                Err(self.missing())
            }
        }
    }

    /// The fault where something to look for must stand.
    fn missing(&self) -> Fault {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let joins = |token: &&Token| matches!(token.kind, TokenKind::And | TokenKind::Or | TokenKind::Not);
        if let Some(token) = before.filter(joins) {
            let word = &self.text[token.at.clone()];
            return Fault::new(
                token.at.clone(),
                format!("`{word}` needs a term after it; in quotes it is a word"),
            );
        }
        match self.peek() {
            Some(token) if token.kind == TokenKind::Close => {
                Fault::new(token.at.clone(), "this closes a group that was not opened by `(`")
            }
            Some(token) => {
                let word = &self.text[token.at.clone()];
                Fault::new(
                    token.at.clone(),
                    format!("`{word}` needs a term before it; in quotes it is a word"),
                )
            }
            None => {
                let at = before.map_or(0..0, |token| token.at.clone());
                Fault::new(at, "this `(` is not closed by `)`")
            }
        }
    }

    fn deeper(&mut self, token: &Token) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Fault::new(
                token.at.clone(),
                format!("groups and `not` nest at most {DEPTH_MAX} deep"),
            ));
        }
        Ok(())
    }

    fn field(&self, token: &Token, name: &Range<usize>, operand: &Text) -> Result<usize, Fault> {
        let word = &self.text[name.clone()];
        index_of(self.specs, word).ok_or_else(|| {
            let names: Vec<&str> = self.specs.iter().map(|spec| spec.name).collect();
            let quoted = if operand.quoted {
                String::new()
            } else {
                format!("; to look for the text, write {}", quote(&self.text[token.at.clone()]))
            };
            Fault::of_field(
                name.clone(),
                format!("there is no field `{word}`: {}{quoted}", hint(word, &names)),
            )
        })
    }

    /// A word that begins with a column's title which is no plain name, and goes on as a comparison, as in
    /// `msg/s>1`: the field, the operator, and how long the title is.
    fn titled(&self, token: &Token) -> Option<(usize, Operator, usize)> {
        let text = &self.text[token.at.clone()];
        let end = text.find(['>', '<', '=', ':', '~', '!'])?;
        let operator = Operator::at_start(&text[end..])?;
        Some((index_of(self.specs, &text[..end])?, operator, end))
    }

    fn titled_test(
        &self,
        token: &Token,
        (field, operator, end): (usize, Operator, usize),
    ) -> Result<Expr, Fault> {
        let operator_at = token.at.start + end..token.at.start + end + operator.sign().len();
        let at = operator_at.end..token.at.end;
        if at.is_empty() {
            return Err(operand_missing(
                &self.text[token.at.start..operator_at.start],
                operator,
                operator_at,
            ));
        }
        let operand = Text { meant: self.text[at.clone()].to_owned(), quoted: false, at };
        Ok(Expr::Field { field, test: test(&self.specs[field], operator, &operator_at, &operand)? })
    }
}

fn alone_or(mut all: Vec<Expr>, join: impl FnOnce(Vec<Expr>) -> Expr) -> Expr {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        Some(last) => {
            all.push(last);
            join(all)
        }
        None => join(all),
    }
}

/// What a field is called by its kind.
pub(super) const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "a text",
        Kind::Number => "a number",
        Kind::Duration => "a duration",
        Kind::Bytes => "a size",
        Kind::Time => "a time",
        Kind::State(_) => "a state",
        Kind::Serial => "a serial number",
        Kind::Id => "an id",
        Kind::Topic => "a topic",
    }
}

/// The operators that a kind takes, the usual one first.
pub(super) const fn operators(kind: Kind) -> &'static [Operator] {
    use Operator::{Above, AtLeast, AtMost, Below, Has, Is, IsNot, Matches};
    match kind {
        Kind::Text | Kind::State(_) | Kind::Id | Kind::Topic => &[Has, Is, IsNot, Matches],
        Kind::Number | Kind::Duration | Kind::Bytes => &[Above, AtLeast, Below, AtMost, Is, IsNot, Has],
        Kind::Time => &[AtLeast, Above, Below, AtMost, Has, Is, IsNot],
        Kind::Serial => &[Has, Is, IsNot, Above, AtLeast, Below, AtMost],
    }
}

fn test(spec: &Spec, operator: Operator, operator_at: &Range<usize>, operand: &Text) -> Result<Test, Fault> {
    if operator == Operator::Has && !operand.quoted {
        match operand.meant.as_str() {
            "none" => return Ok(Test::Absent),
            "any" => return Ok(Test::Present),
            _ => {}
        }
    }
    if !operators(spec.kind).contains(&operator) {
        let taken: Vec<&str> = operators(spec.kind).iter().map(|operator| operator.sign()).collect();
        let words = format!("`{}` is {}: it takes {}", spec.name, kind_name(spec.kind), taken.join(" "));
        return Err(Fault::new(operator_at.clone(), words));
    }
    let within = |fault: Fault| Fault::new(operand.part(fault.at), fault.words);
    if operator == Operator::Matches {
        return Matcher::parse(&operand.meant).map(Test::Matches).map_err(within);
    }
    let text = || spec.value_named(&operand.meant).to_owned();
    match (spec.kind, operator) {
        (Kind::Text, Operator::Has) if operand.meant.is_empty() => {
            let words = format!(
                "an empty text matches everything: `{}:any` finds rows with a value, `{}=\"\"` empty ones",
                spec.name, spec.name
            );
            Err(Fault::new(operand.at.clone(), words))
        }
        (Kind::Text, Operator::Has) => Ok(Test::Has(Needle::new(text()))),
        (Kind::Topic, Operator::Has) => Pattern::parse(&operand.meant).map(Test::Fits).map_err(within),
        (Kind::Text | Kind::Topic, Operator::IsNot) => Ok(Test::IsNot(text())),
        (Kind::Text | Kind::Topic, _) => Ok(Test::Is(text())),
        (Kind::State(names), _) => {
            let name = state(spec, names, operand)?.to_owned();
            Ok(if operator == Operator::IsNot { Test::IsNot(name) } else { Test::Is(name) })
        }
        (Kind::Id, _) => {
            let id = id_digits(&operand.meant).map(|it| it.to_ascii_lowercase()).collect::<String>();
            if id.is_empty() {
                return Err(Fault::new(operand.at.clone(), "this is not part of an id"));
            }
            let how = match operator {
                Operator::Has => IdMatch::Part,
                Operator::IsNot => IdMatch::Not,
                _ => IdMatch::Whole,
            };
            Ok(Test::Id { how, id })
        }
        (Kind::Number | Kind::Duration | Kind::Bytes | Kind::Time | Kind::Serial, _) => {
            let operand =
                figure(spec.kind, &operand.meant).map_err(|words| Fault::new(operand.at.clone(), words))?;
            Ok(Test::Compare(comparison(operator), operand))
        }
    }
}

fn figure(kind: Kind, text: &str) -> Result<Operand, String> {
    match kind {
        Kind::Duration => operand::duration(text).map(Operand::Duration),
        Kind::Bytes => operand::bytes(text).map(Operand::Bytes),
        Kind::Time => operand::moment(text).map(Operand::Time),
        Kind::Serial => operand::serial(text).map(Operand::Serial),
        Kind::Number | Kind::Text | Kind::State(_) | Kind::Id | Kind::Topic => {
            operand::number(text).map(Operand::Number)
        }
    }
}

const fn comparison(operator: Operator) -> Comparison {
    match operator {
        Operator::Has | Operator::Is | Operator::Matches => Comparison::Is,
        Operator::IsNot => Comparison::IsNot,
        Operator::Below => Comparison::Below,
        Operator::AtMost => Comparison::AtMost,
        Operator::Above => Comparison::Above,
        Operator::AtLeast => Comparison::AtLeast,
    }
}

fn state(spec: &Spec, names: &'static [&'static str], operand: &Text) -> Result<&'static str, Fault> {
    names.iter().find(|name| name.eq_ignore_ascii_case(spec.value_named(&operand.meant))).copied().ok_or_else(
        || {
            let words =
                format!("`{}` is never `{}`: {}", spec.name, operand.meant, hint(&operand.meant, names));
            Fault::new(operand.at.clone(), words)
        },
    )
}

/// What an id is compared by: what stands behind its last colon, without hyphens.
pub(super) fn id_digits(text: &str) -> impl DoubleEndedIterator<Item = char> + Clone {
    text.rsplit(':').next().unwrap_or(text).chars().filter(|it| *it != '-')
}
