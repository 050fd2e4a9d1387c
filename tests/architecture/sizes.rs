//! Files, functions and lines that fit.

use super::{
    accepted, refused,
    source::{Token, text_lines},
};

const LINES_MAX: usize = 500;
const COLUMNS_MAX: usize = 110;
const FUNCTION_LINES_MAX: usize = 70;

/// A file or its functions that are too long, tests aside.
pub(super) fn long(file: &str, source: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    if source.lines().count() > LINES_MAX {
        found.push(format!("{file}: more than {LINES_MAX} lines: look for the second idea"));
    }
    let is_test = file.contains("/tests/") || file.ends_with("tests.rs");
    let is_long = |it: &Function| !is_test && !it.is_test && it.lines > FUNCTION_LINES_MAX;
    for Function { name, line, lines, .. } in functions(tokens).into_iter().filter(is_long) {
        found.push(format!("{file}:{line}: `{name}` has {lines} lines, more than {FUNCTION_LINES_MAX}"));
    }
    found
}

/// A function with a body.
struct Function<'a> {
    name: &'a str,
    line: usize,
    /// From brace to brace.
    lines: usize,
    /// Whether it stands in the file's own tests.
    is_test: bool,
}

/// Every function with a body, what `macro_rules!` would write aside.
fn functions(tokens: &[Token]) -> Vec<Function<'_>> {
    let text = |at: usize| tokens.get(at).map_or("", |it| it.text.as_str());
    let (mut found, mut at, mut tests_end) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        match (text(at), text(at + 1)) {
            ("macro_rules", "!") => {
                at = super::behind(tokens, at, "{", "}");
                continue;
            }
            ("mod", "tests") if text(at + 2) == "{" => tests_end = super::behind(tokens, at, "{", "}"),
            ("fn", name) if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                if let Some(open) = body(tokens, at) {
                    let close = super::behind(tokens, open, "{", "}").saturating_sub(1);
                    let lines = tokens[close].line + 1 - tokens[open].line;
                    found.push(Function { name, line: tokens[at].line, lines, is_test: at < tests_end });
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The brace that opens the body of the function whose `fn` stands here, unless it is only declared.
fn body(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "{" if depth == 0 => return Some(at),
            ";" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Lines that are too wide; those aside that cannot be broken without a change of what they say: with a text
/// in them or within one, and diagrams and tables of the docs.
pub(super) fn wide(file: &str, source: &str) -> Vec<String> {
    let in_texts = text_lines(source);
    let mut in_diagram = false;
    let mut found = Vec::new();
    for (line, n) in source.lines().zip(1..) {
        let doc = ["//!", "///"].iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(str::trim);
        in_diagram = match doc {
            Some("```text") => true,
            Some(doc) => in_diagram && doc != "```",
            None => false,
        };
        let is_drawn = in_diagram || doc.is_some_and(|it| it.starts_with('|'));
        if line.chars().count() > COLUMNS_MAX && !line.contains('"') && !is_drawn && !in_texts.contains(&n) {
            found.push(format!("{file}:{n}: more than {COLUMNS_MAX} columns"));
        }
    }
    found
}

#[test]
fn finds_what_is_too_long() {
    refused("ids.rs", &"\n".repeat(LINES_MAX + 1), &format!("more than {LINES_MAX} lines"));
    let wide = "é".repeat(COLUMNS_MAX + 1);
    refused("ids.rs", &wide, "ids.rs:1: more than");
    accepted("ids.rs", &format!("// {}\n", "é".repeat(COLUMNS_MAX - 3)));
    let long = |lines: usize| format!("fn a(b: [u8; 2]) {{\n{}}}", "\n".repeat(lines - 2));
    refused("ids.rs", &long(FUNCTION_LINES_MAX + 1), "ids.rs:1: `a` has 71 lines");
    accepted("ids.rs", &long(FUNCTION_LINES_MAX));
    accepted("ids.rs", &format!("mod tests {{\n{}\n}}", long(FUNCTION_LINES_MAX + 1)));
    accepted("ids.rs", &format!("const A: &str = \"\\\n{wide}\n{wide}\n\";"));
    accepted("ids.rs", &format!("//! ```text\n//! {wide}\n//! ```\n//! | {wide} |"));
    refused("ids.rs", &format!("//! ```text\n//! ```\n//! {wide}"), "ids.rs:3: more than");
    refused("ids.rs", &format!("const A: &str = \"\n\";\n// {wide}"), "ids.rs:3: more than");
}

#[test]
fn the_formatter_breaks_lines_where_they_are_too_wide() {
    let told = include_str!("../../rustfmt.toml").lines().find_map(|line| line.strip_prefix("max_width = "));
    assert_eq!(told, Some(COLUMNS_MAX.to_string().as_str()));
}
