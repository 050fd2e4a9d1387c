//! Scalars by the core schema (YAML 1.2.2 §10.3).

use serde_json::Number;

use super::{FaultKind, Value};

/// Characters of a faulty number that are told.
const QUOTED_CHARS_MAX: usize = 40;

/// Reads a plain scalar without a tag.
pub(super) fn plain(text: &str) -> Result<Value, FaultKind> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    match number(text) {
        Ok(Some(number)) => Ok(Value::Number(number)),
        Ok(None) => Ok(Value::Text(text.into())),
        Err(Unrepresentable) => {
            Err(FaultKind::Number { number: text.chars().take(QUOTED_CHARS_MAX).collect() })
        }
    }
}

/// Reads a scalar under a tag of the core schema; nothing if it does not fit.
pub(super) fn tagged(text: &str, suffix: &str) -> Result<Option<Value>, FaultKind> {
    if suffix == "str" {
        return Ok(Some(Value::Text(text.into())));
    }
    let value = plain(text)?;
    let fits = match (&value, suffix) {
        (Value::Null, "null") | (Value::Bool(_), "bool") => true,
        (Value::Number(it), "int") => !it.is_f64(),
        (Value::Number(it), "float") => {
            return Ok(it.as_f64().and_then(Number::from_f64).map(Value::Number));
        }
        _ => false,
    };
    Ok(fits.then_some(value))
}

/// A number that JSON cannot hold.
struct Unrepresentable;

/// A number as the core schema writes it; nothing for other text.
fn number(text: &str) -> Result<Option<Number>, Unrepresentable> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(Unrepresentable);
    }
    let number = if let Some(digits) = text.strip_prefix("0x").filter(|it| all(it, |c| c.is_ascii_hexdigit()))
    {
        u64::from_str_radix(digits, 16).ok().map(Number::from)
    } else if let Some(digits) = text.strip_prefix("0o").filter(|it| all(it, |c| matches!(c, '0'..='7'))) {
        u64::from_str_radix(digits, 8).ok().map(Number::from)
    } else if all(unsigned, |c| c.is_ascii_digit()) {
        let signed = text.parse::<i64>().map(Number::from);
        signed.or_else(|_| text.parse::<u64>().map(Number::from)).ok()
    } else if is_float(unsigned) {
        text.parse::<f64>().ok().and_then(Number::from_f64)
    } else {
        return Ok(None);
    };
    number.map(Some).ok_or(Unrepresentable)
}

fn all(text: &str, fits: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(fits)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_float(text: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let (mantissa, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_fits = match whole {
        "" => all(fraction, digit),
        _ => all(whole, digit) && fraction.chars().all(digit),
    };
    mantissa_fits && exponent.is_none_or(|it| all(it.strip_prefix(['-', '+']).unwrap_or(it), digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, json: &str) {
        let value = match plain(text).unwrap() {
            Value::Null => serde_json::Value::Null,
            Value::Bool(it) => it.into(),
            Value::Number(it) => it.into(),
            Value::Text(it) => (&*it).into(),
            other => panic!("{other:?}"),
        };
        assert_eq!(value.to_string(), json, "{text}");
    }

    #[test]
    fn reads_scalars_as_the_core_schema_does() {
        for text in ["", "~", "null", "Null", "NULL"] {
            reads(text, "null");
        }
        for (text, json) in
            [("true", "true"), ("FALSE", "false"), ("True", "true"), ("yes", "\"yes\""), ("on", "\"on\"")]
        {
            reads(text, json);
        }
        for (text, json) in [
            ("0", "0"),
            ("-19", "-19"),
            ("+3", "3"),
            ("007", "7"),
            ("0o7", "7"),
            ("0xFF", "255"),
            ("0x", "\"0x\""),
        ] {
            reads(text, json);
        }
        for (text, json) in [
            ("0.", "0.0"),
            ("-0.0", "-0.0"),
            (".5", "0.5"),
            ("+12e03", "12000.0"),
            ("-2E+05", "-200000.0"),
            ("1.5e-1", "0.15"),
        ] {
            reads(text, json);
        }
        for text in ["1e", "e1", ".", "1.2.3", "1_000", "--1", "+", "0b1", "12:30", "1e+", "-0x1"] {
            reads(text, &format!("{text:?}"));
        }
        reads("18446744073709551615", "18446744073709551615");
        reads("-9223372036854775808", "-9223372036854775808");
    }

    #[test]
    fn refuses_numbers_that_json_cannot_hold() {
        for text in [
            ".inf",
            "-.INF",
            "+.inf",
            ".nan",
            "1e400",
            "18446744073709551616",
            "-9223372036854775809",
            "0xFFFFFFFFFFFFFFFFF",
        ] {
            assert!(matches!(plain(text), Err(FaultKind::Number { .. })), "{text}");
        }
    }
}
