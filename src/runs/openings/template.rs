//! `{{params.name}}` within texts.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// The param of this name.
    Param(&'t str),
}

/// Takes a text apart. Blanks inside the braces are allowed.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (inner, after) = behind.split_once("}}").ok_or("has an unclosed `{{`")?;
        let name = inner.trim().strip_prefix("params.").ok_or("has braces without a param")?;
        if name.is_empty() || name.contains(['{', '}']) || name.chars().any(char::is_whitespace) {
            return Err("has braces without a param name");
        }
        pieces.extend((!before.is_empty()).then_some(Piece::Text(before)));
        pieces.push(Piece::Param(name));
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Text(rest)));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::{Piece::*, *};

    #[test]
    fn takes_texts_apart() {
        assert_eq!(
            pieces("a {{params.b}}{{ params.c }} d"),
            Ok(vec![Text("a "), Param("b"), Param("c"), Text(" d")])
        );
        assert_eq!(pieces("{{params.a-1.b}}"), Ok(vec![Param("a-1.b")]));
        assert_eq!(pieces("}} {a} {"), Ok(vec![Text("}} {a} {")]));
        for text in [
            "{{",
            "{{params.a}",
            "{{}}",
            "{{params.}}",
            "{{a}}",
            "{{ params. a }}",
            "{{{params.a}}}",
            "{{params.a {{params.b}}",
        ] {
            assert!(pieces(text).is_err(), "{text}");
        }
    }
}
