//! From JSON back to YAML.

use std::fmt::Write as _;

use serde_json::Value;

/// A value on one line, in braces and brackets where it has parts.
#[must_use]
pub fn flow(value: &Value) -> String {
    let mut out = String::new();
    write_flow(&mut out, value);
    out
}

/// A key with its value on one line behind an indent.
#[must_use]
pub fn flow_entry(indent: &str, key: &str, value: &Value) -> String {
    format!("{indent}{}: {}\n", flow(&key.into()), flow(value))
}

/// A key with its value behind an indent: a text of lines as these lines, set in by two; all else on one
/// line.
#[must_use]
pub fn block_entry(indent: &str, key: &str, value: &Value) -> String {
    let Some(text) = value.as_str().filter(|text| is_block(text)) else {
        return flow_entry(indent, key, value);
    };
    let mut out = format!("{indent}{}: |\n", flow(&key.into()));
    for line in text.lines() {
        if !line.is_empty() {
            let _ = write!(out, "{indent}  {line}");
        }
        out.push('\n');
    }
    out
}

/// Whether a text stands in a block as it is: it begins with a word, ends with one line break, and has no
/// character that is not printed.
fn is_block(text: &str) -> bool {
    let is_plain =
        |c: char| c == '\n' || (!c.is_control() && !matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    text.ends_with('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with([' ', '\n'])
        && text.chars().all(is_plain)
}

/// A map as a whole text, one key a line, as deep as the maps and lists in it go.
#[must_use]
pub fn text(map: &serde_json::Map<String, Value>) -> String {
    let mut out = String::new();
    if map.is_empty() {
        out.push_str("{}\n");
    }
    write_map(&mut out, map, 0);
    out
}

fn write_map(out: &mut String, map: &serde_json::Map<String, Value>, indent: usize) {
    for (at, (key, value)) in map.iter().enumerate() {
        if at > 0 || indent == 0 {
            pad(out, indent);
        }
        quoted(out, key);
        out.push(':');
        write_under(out, value, indent);
    }
}

/// A value behind its key or dash, down to the line's end.
fn write_under(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            pad(out, indent + 2);
            write_map(out, map, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                pad(out, indent + 2);
                out.push('-');
                match item {
                    Value::Object(map) if !map.is_empty() => {
                        out.push(' ');
                        write_map(out, map, indent + 4);
                    }
                    _ => write_under(out, item, indent + 2),
                }
            }
        }
        _ => {
            out.push(' ');
            write_flow(out, value);
            out.push('\n');
        }
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn write_flow(out: &mut String, value: &Value) {
    match value {
        Value::String(text) => quoted(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_flow(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                quoted(out, key);
                out.push_str(": ");
                write_flow(out, item);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let _ = write!(out, "{value}");
        }
    }
}

/// A text: bare where it is a plain word, else in double quotes with what is not printable escaped.
fn quoted(out: &mut String, text: &str) {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        && matches!(super::scalar::plain(text), Ok(super::Value::Text(_)))
        && !is_old_bool(text);
    if is_word {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            ' '..='~' | '\u{a1}'..='\u{d7ff}' if !matches!(c, '\u{2028}' | '\u{2029}') => out.push(c),
            '\u{e000}'..='\u{fffd}' if c != '\u{feff}' => out.push(c),
            _ if u32::from(c) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Words that YAML 1.1 took for booleans; other readers still do.
fn is_old_bool(text: &str) -> bool {
    ["y", "n", "yes", "no", "on", "off"].iter().any(|it| text.eq_ignore_ascii_case(it))
}
