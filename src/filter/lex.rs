//! A filter's text as tokens.

use std::ops::Range;

use super::Fault;

/// A part of a filter, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) at: Range<usize>,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open,
    Close,
    And,
    Or,
    Not,
    Word(Text),
    Test { name: Range<usize>, operator: Operator, operator_at: Range<usize>, operand: Text },
}

/// A text as it is meant, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) meant: String,
    pub(super) quoted: bool,
    pub(super) at: Range<usize>,
}

impl Text {
    /// Where a part of the meant text is written; all of it where that cannot be told.
    pub(super) fn part(&self, part: Range<usize>) -> Range<usize> {
        let quote = usize::from(self.quoted);
        if self.at.len() == self.meant.len() + 2 * quote {
            self.at.start + quote + part.start..self.at.start + quote + part.end
        } else {
            self.at.clone()
        }
    }
}

/// What stands between a field and what it is tested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Has,
    Is,
    IsNot,
    Below,
    AtMost,
    Above,
    AtLeast,
    Matches,
}

impl Operator {
    /// All of them; what begins like another comes after it.
    pub(super) const ALL: [Self; 8] = [
        Self::IsNot,
        Self::AtMost,
        Self::AtLeast,
        Self::Has,
        Self::Is,
        Self::Below,
        Self::Above,
        Self::Matches,
    ];

    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Has => ":",
            Self::Is => "=",
            Self::IsNot => "!=",
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Matches => "~",
        }
    }

    /// The operator that a text begins with.
    pub(super) fn at_start(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| text.starts_with(operator.sign()))
    }
}

/// Takes a text apart.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// The bytes of a text that begin like a field's name.
pub(super) fn name_len(text: &str) -> usize {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return 0;
    }
    text.find(|it: char| !it.is_ascii_alphanumeric() && !"_-.".contains(it)).unwrap_or(text.len())
}

/// The fault of a test without a value.
pub(super) fn operand_missing(name: &str, operator: Operator, operator_at: Range<usize>) -> Fault {
    Fault::new(operator_at, format!("the value is missing after `{name}{}`", operator.sign()))
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn token(&mut self) -> Result<Option<Token>, Fault> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        let what = match first {
            '(' | ')' => {
                self.at += 1;
                if first == '(' { TokenKind::Open } else { TokenKind::Close }
            }
            '"' => TokenKind::Word(self.quoted()?),
            _ => self.word_or_test()?,
        };
        Ok(Some(Token { at: start..self.at, kind: what }))
    }

    fn word_or_test(&mut self) -> Result<TokenKind, Fault> {
        let start = self.at;
        if let Some(operator) = Operator::at_start(self.rest()) {
            let sign = operator.sign();
            let words = format!(
                "`{sign}` needs a field right before it, without a space, as in `field{sign}…`; quoted it is a word"
            );
            return Err(Fault::new(start..start + sign.len(), words));
        }
        let name = start..start + name_len(self.rest());
        if !name.is_empty()
            && let Some(operator) = Operator::at_start(&self.text[name.end..])
        {
            let operator_at = name.end..name.end + operator.sign().len();
            self.at = operator_at.end;
            let operand = self.operand(&name, operator, &operator_at)?;
            return Ok(TokenKind::Test { name, operator, operator_at, operand });
        }
        let word = self.bare(false)?;
        Ok(match word.meant.to_ascii_lowercase().as_str() {
            "and" => TokenKind::And,
            "or" => TokenKind::Or,
            "not" => TokenKind::Not,
            _ => TokenKind::Word(word),
        })
    }

    fn operand(
        &mut self,
        name: &Range<usize>,
        operator: Operator,
        operator_at: &Range<usize>,
    ) -> Result<Text, Fault> {
        match self.rest().chars().next() {
            Some('"') => self.quoted(),
            Some(first) if !first.is_whitespace() && first != ')' => {
                let operand = self.bare(operator == Operator::Matches)?;
                if operand.meant.is_empty() {
                    Err(self.wants_operand(name, operator, operator_at))
                } else {
                    Ok(operand)
                }
            }
            _ => Err(self.wants_operand(name, operator, operator_at)),
        }
    }

    fn wants_operand(&self, name: &Range<usize>, operator: Operator, operator_at: &Range<usize>) -> Fault {
        operand_missing(&self.text[name.clone()], operator, operator_at.clone())
    }

    /// A text without quotes. Of a regular expression, parentheses that pair are a part.
    fn bare(&mut self, pairs: bool) -> Result<Text, Fault> {
        let start = self.at;
        let mut open = 0_usize;
        for (at, it) in self.rest().char_indices() {
            match it {
                '(' if pairs => open += 1,
                ')' if open > 0 => open -= 1,
                '(' | ')' => return Ok(self.bare_until(start + at)),
                '"' => {
                    let words = "a quote within a word: put quotes around all of the word, and `\\\"` for the quote itself";
                    return Err(Fault::new(start + at..start + at + 1, words));
                }
                _ if it.is_whitespace() => return Ok(self.bare_until(start + at)),
                _ => {}
            }
        }
        Ok(self.bare_until(self.text.len()))
    }

    fn bare_until(&mut self, end: usize) -> Text {
        let at = self.at..end;
        self.at = end;
        Text { meant: self.text[at.clone()].to_owned(), quoted: false, at }
    }

    fn quoted(&mut self) -> Result<Text, Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut signs = self.text[start..].char_indices().skip(1).peekable();
        while let Some((at, it)) = signs.next() {
            match it {
                '"' => {
                    self.at = start + at + 1;
                    if let Some(next) = self
                        .rest()
                        .chars()
                        .next()
                        .filter(|next| !next.is_whitespace() && !"()".contains(*next))
                    {
                        return Err(Fault::new(
                            self.at..self.at + next.len_utf8(),
                            "a space is missing after the quoted text",
                        ));
                    }
                    return Ok(Text { meant: text, quoted: true, at: start..self.at });
                }
                '\\' => {
                    let escaped = signs.peek().and_then(|(_, next)| escaped(*next));
                    text.push(escaped.unwrap_or('\\'));
                    if escaped.is_some() {
                        signs.next();
                    }
                }
                _ => text.push(it),
            }
        }
        Err(Fault::new(start..self.text.len(), "the quote is not closed"))
    }
}

/// What a sign stands for behind a backslash.
const fn escaped(sign: char) -> Option<char> {
    match sign {
        '"' | '\\' => Some(sign),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    }
}

/// A text in quotes.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for it in text.chars() {
        match it {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}
