//! The text of a Rust file as words and signs, and the paths that it names.

use std::collections::BTreeSet;

/// A word or a sign of the code, with its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The code's words and signs, without comments and literals.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let is_code = |text: &str| {
        !text.starts_with('\'')
            && !text.contains(['"', '\n'])
            && !text.starts_with("//")
            && !text.starts_with("/*")
            && !text.starts_with(char::is_whitespace)
    };
    pieces(source).into_iter().filter(|it| is_code(&it.text)).collect()
}

/// The lines, from 1, that a literal begun on an earlier line reaches.
pub(super) fn text_lines(source: &str) -> BTreeSet<usize> {
    let is_text = |it: &Token| !it.text.starts_with("//") && !it.text.starts_with("/*");
    let lines = |it: Token| it.line + 1..=it.line + it.text.matches('\n').count();
    pieces(source).into_iter().filter(|it| is_text(it) && it.text.contains('"')).flat_map(lines).collect()
}

/// All of the text: words, signs, blanks, comments and literals.
fn pieces(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut pieces: Vec<Token> = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let end = match (c, chars.get(at + 1)) {
            ('/', Some('/')) => skip(&chars, at, |rest| rest[0] == '\n', 0),
            ('/', Some('*')) => block_comment(&chars, at),
            ('"', _) => string(&chars, at),
            ('r', Some('"' | '#')) | ('b', Some('"' | 'r')) if !chars[at + 1..].starts_with(&['#', '[']) => {
                literal(&chars, at)
            }
            ('\'', _) => quote(&chars, at),
            _ if c.is_alphanumeric() || c == '_' => {
                skip(&chars, at, |rest| !rest[0].is_alphanumeric() && rest[0] != '_', 0)
            }
            (':', Some(':')) => at + 2,
            _ => at + 1,
        };
        pieces.push(Token { text: chars[at..end].iter().collect(), line });
        line += chars[at..end].iter().filter(|&&c| c == '\n').count();
        at = end;
    }
    pieces
}

fn skip(chars: &[char], at: usize, ends: impl Fn(&[char]) -> bool, behind: usize) -> usize {
    (at + 1..chars.len()).find(|&at| ends(&chars[at..])).map_or(chars.len(), |at| at + behind)
}

fn block_comment(chars: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut at = at;
    while at < chars.len() {
        if chars[at..].starts_with(&['/', '*']) {
            depth += 1;
            at += 2;
        } else if chars[at..].starts_with(&['*', '/']) {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn string(chars: &[char], at: usize) -> usize {
    let mut at = at + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// A raw or byte string, or a word that begins like one.
fn literal(chars: &[char], at: usize) -> usize {
    let start = (at..chars.len()).find(|&at| !matches!(chars[at], 'r' | 'b')).unwrap_or(chars.len());
    let hashes = chars[start..].iter().take_while(|&&c| c == '#').count();
    if chars.get(start + hashes) != Some(&'"') {
        return skip(chars, at, |rest| !rest[0].is_alphanumeric() && rest[0] != '_', 0);
    }
    if !chars[at..start].contains(&'r') {
        return string(chars, start);
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    skip(chars, start + hashes, |rest| rest.starts_with(&close), close.len())
}

/// A character or a lifetime.
fn quote(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => skip(chars, at + 2, |rest| rest[0] == '\'', 1),
        (Some(_), Some('\'')) => at + 3,
        _ => at + 1,
    }
}

/// A path that the code names, from the root of the crate (`crate` first) or from that of another.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    /// Whether it stands in the file's own tests.
    pub(super) is_test: bool,
}

/// Every path of at least two parts, with `use` trees spread out and `super` and `self` resolved.
pub(super) fn named(module: &[String], tokens: &[Token]) -> Vec<Named> {
    let mut all = Vec::new();
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.retain(|(_, opened)| *opened < depth);
            }
            "mod" if tokens.get(at + 2).is_some_and(|it| it.text == "{") => {
                inline.push((tokens[at + 1].text.clone(), depth));
                at += 2;
                continue;
            }
            _ if token.is_word() && !(at > 0 && tokens[at - 1].text == ".") => {
                let here: Vec<String> =
                    module.iter().cloned().chain(inline.iter().map(|(name, _)| name.clone())).collect();
                let mut found = Vec::new();
                at = tree(tokens, at, &[], &mut found);
                all.extend(found.into_iter().filter(|it| it.path.len() > 1).map(|it| resolve(&here, it)));
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    all
}

fn tree(tokens: &[Token], at: usize, before: &[String], found: &mut Vec<Named>) -> usize {
    let mut at = at;
    let mut path = before.to_vec();
    let line = tokens[at].line;
    loop {
        path.push(tokens[at].text.clone());
        at += 1;
        if tokens.get(at).is_none_or(|it| it.text != "::") {
            break;
        }
        match tokens.get(at + 1) {
            Some(it) if it.text == "{" => {
                at += 2;
                while tokens.get(at).is_some_and(|it| it.text != "}") {
                    at = match &tokens[at] {
                        // The name that it is given here.
                        token if token.text == "as" => at + 2,
                        token if token.is_word() || token.text == "*" => tree(tokens, at, &path, found),
                        _ => at + 1,
                    };
                }
                return at + 1;
            }
            Some(it) if it.is_word() || it.text == "*" => at += 1,
            _ => break,
        }
    }
    found.push(Named { path, line, is_test: false });
    at
}

fn resolve(here: &[String], Named { path, line, .. }: Named) -> Named {
    let is_test = here.last().is_some_and(|it| it == "tests");
    let mut base = here.to_vec();
    let mut rest = path.as_slice();
    match rest[0].as_str() {
        "crate" | "rl_console" => base.clear(),
        "self" | "super" => {}
        _ => return Named { path, line, is_test },
    }
    while let [first, more @ ..] = rest
        && matches!(first.as_str(), "crate" | "rl_console" | "self" | "super")
    {
        if first == "super" {
            base.pop();
        }
        rest = more;
    }
    let path = std::iter::once("crate".to_owned()).chain(base).chain(rest.iter().cloned()).collect();
    Named { path, line, is_test }
}

/// A text that a file has, as it is meant, and its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) line: usize,
}

/// The texts of a file that people may read: its string literals, but for those of its own tests, of
/// assertions, and of attributes.
pub(super) fn texts(source: &str) -> Vec<Text> {
    let is_blank = |it: &Token| {
        it.text.starts_with("//") || it.text.starts_with("/*") || it.text.starts_with(char::is_whitespace)
    };
    let pieces: Vec<Token> = pieces(source).into_iter().filter(|it| !is_blank(it)).collect();
    let text = |at: usize| pieces.get(at).map_or("", |it| it.text.as_str());
    let (mut found, mut at) = (Vec::new(), 0);
    while at < pieces.len() {
        at = match (text(at), text(at + 1)) {
            ("#", "[" | "!") => {
                let end = closing(&pieces, at, "[", "]");
                let is_test = pieces[at..end]
                    .windows(3)
                    .any(|it| it[0].text == "cfg" && it[1].text == "(" && it[2].text == "test");
                if is_test { item_end(&pieces, end) } else { end }
            }
            (name, "!") if name.starts_with("assert") || name.starts_with("debug_assert") => {
                closing(&pieces, at + 2, "(", ")")
            }
            ("expect" | "expect_err" | "unreachable", "(") => closing(&pieces, at + 1, "(", ")"),
            (piece, _) => {
                if let Some(words) = piece.find('"').and_then(|start| literal_text(&piece[start..])) {
                    found.push(Text { text: words, line: pieces[at].line });
                }
                at + 1
            }
        };
    }
    found
}

/// What a literal means, from its first quote on.
fn literal_text(literal: &str) -> Option<String> {
    let words = literal.strip_prefix('"')?.trim_end_matches('#').strip_suffix('"')?;
    let mut text = String::with_capacity(words.len());
    let mut lines = words.split("\\\n");
    text.push_str(lines.next().unwrap_or_default());
    lines.for_each(|line| text.push_str(line.trim_start()));
    Some(text.replace("\\\"", "\""))
}

/// The place behind the item that begins here: behind its body, or its semicolon.
fn item_end(pieces: &[Token], at: usize) -> usize {
    let ends = (at..pieces.len()).find(|&at| matches!(pieces[at].text.as_str(), "{" | ";"));
    match ends {
        Some(open) if pieces[open].text == "{" => closing(pieces, open, "{", "}"),
        Some(semicolon) => semicolon + 1,
        None => pieces.len(),
    }
}

/// The place behind the bracket that closes the next one opened.
fn closing(pieces: &[Token], at: usize, open: &str, close: &str) -> usize {
    super::behind(pieces, at, open, close)
}
