//! The small texts within an opening: ports, predicates, success expressions.

use super::Literal;
pub(super) use crate::runs::yaml::cut;

/// A port as it is written: a node's id and a port's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WrittenPort<'t> {
    pub(super) node: &'t str,
    pub(super) port: &'t str,
}

/// The fault of such a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SyntaxError {
    /// Its port.
    Port { written: String, fix: Option<String> },
    /// What it is compared with.
    Literal { why: &'static str, fix: Option<String> },
}

/// `node.port`
pub(super) fn port(text: &str) -> Result<WrittenPort<'_>, SyntaxError> {
    let text = text.trim();
    let miswritten = |fix| SyntaxError::Port { written: cut(text), fix };
    match text.split_once('.') {
        Some((node, port)) if is_word(node) && is_port_name(port) => Ok(WrittenPort { node, port }),
        None if is_word(text) => Err(miswritten(Some(format!("name the port too: `{text}.out`")))),
        _ => Err(miswritten(None)),
    }
}

/// `node.port`, or `node.port == literal`
pub(super) fn predicate(text: &str) -> Result<(WrittenPort<'_>, Option<Literal>), SyntaxError> {
    if let Some((left, right)) = text.split_once("==") {
        return Ok((port(left)?, Some(literal(right)?)));
    }
    if let Some(at) = text.find(['=', '!', '<', '>'])
        && let Ok(WrittenPort { node, port }) = port(&text[..at])
    {
        let (sign, right) = text[at..]
            .split_at(text[at..].find(|c| !matches!(c, '=' | '!' | '<' | '>')).unwrap_or(text.len() - at));
        let meant = match (sign, right.trim()) {
            (_, "") => None,
            ("=", right) => Some(right),
            ("!=" | "<>", "true") => Some("false"),
            ("!=" | "<>", "false") => Some("true"),
            _ => None,
        };
        let fix = meant.map(|right| format!("write `{node}.{port} =={right}`"));
        return Err(SyntaxError::Literal { why: "uses an operator other than `==`", fix });
    }
    Ok((port(text)?, None))
}

/// A success expression: nothing compared is `exists`.
pub(super) fn check(text: &str) -> Result<(WrittenPort<'_>, Option<Literal>), SyntaxError> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix("exists").map(str::trim_start).and_then(|it| it.strip_prefix('('))
    {
        let closed = inner.strip_suffix(')');
        let inner = closed.ok_or(SyntaxError::Literal {
            why: "has an unclosed `exists(`",
            fix: Some("end it with `)`".to_owned()),
        })?;
        return Ok((port(inner)?, None));
    }
    if is_word(text) {
        let fix = Some("write `exists(node.port)` or `node.port == value`".to_owned());
        return Err(SyntaxError::Literal { why: "names no port", fix });
    }
    match predicate(text)? {
        (WrittenPort { node, port }, None) => Err(SyntaxError::Literal {
            why: "has no comparison",
            fix: Some(format!("write `exists({node}.{port})` or `{node}.{port} == true`")),
        }),
        found => Ok(found),
    }
}

/// `true`, `false`, an integer, or a text, bare or in quotes
fn literal(text: &str) -> Result<Literal, SyntaxError> {
    let text = text.trim();
    let wrong = |why, fix: Option<String>| Err(SyntaxError::Literal { why, fix });
    match text {
        "true" => return Ok(Literal::Bool(true)),
        "false" => return Ok(Literal::Bool(false)),
        "" => {
            return wrong(
                "has no value after `==`",
                Some("write `true`, `false`, an integer or a string after `==`".to_owned()),
            );
        }
        _ => {}
    }
    if text.starts_with('"') {
        return match serde_json::from_str(text) {
            Ok(text) => Ok(Literal::Text(text)),
            Err(_) => wrong("has mismatched double quotes", Some("quote it as in JSON".to_owned())),
        };
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'').map(|it| it.replace("''", "\n"));
        return match inner {
            Some(inner) if !inner.contains('\'') => Ok(Literal::Text(inner.replace('\n', "'"))),
            _ => wrong("has mismatched single quotes", Some("write `''` for a quote inside".to_owned())),
        };
    }
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return wrong(
            "compares with an unquoted string",
            Some(format!("write `{}`, or put it in quotes", text.to_ascii_lowercase())),
        );
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        return text
            .parse()
            .map(Literal::Int)
            .or_else(|_| wrong("compares with an integer of more than 64 bits", None));
    }
    if text.parse::<f64>().is_ok_and(|_| digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
        return wrong(
            "compares with a fraction",
            Some("compare with an integer, or quote it to compare as a string".to_owned()),
        );
    }
    if text.contains("==") {
        return wrong("has two comparisons", Some("quote a string that contains `==`".to_owned()));
    }
    Ok(Literal::Text(text.to_owned()))
}

/// `[a-z][a-z0-9_]{0,63}`
pub(super) fn is_node_id(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// What may be meant as a node's id; whether there is such a node is told with what comes near.
fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// `[A-Za-z_][A-Za-z0-9_-]{0,63}`
fn is_port_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_literals() {
        let text = |it: &str| Ok(Literal::Text(it.to_owned()));
        for (written, expected) in [
            ("true", Ok(Literal::Bool(true))),
            (" false ", Ok(Literal::Bool(false))),
            ("-12", Ok(Literal::Int(-12))),
            ("007", Ok(Literal::Int(7))),
            ("go on", text("go on")),
            ("\"a == \\\"b\\\"\"", text("a == \"b\"")),
            ("'it''s'", text("it's")),
            ("\"12\"", text("12")),
            ("-", text("-")),
            ("inf", text("inf")),
        ] {
            assert_eq!(literal(written), expected, "{written}");
        }
        for written in
            ["", "\"open", "'a'b'", "'", "1.5", "-.5", "1e3", "True", "9223372036854775808", "a == b"]
        {
            assert!(literal(written).is_err(), "{written}");
        }
    }

    #[test]
    fn reads_ports() {
        assert_eq!(port("a.out"), Ok(WrittenPort { node: "a", port: "out" }));
        assert_eq!(port(" a_1.O-ut "), Ok(WrittenPort { node: "a_1", port: "O-ut" }));
        for written in ["", "a", "a.", ".out", "é.out", "a.b.c", "a out", "a.1"] {
            assert!(port(written).is_err(), "{written}");
        }
    }
}
