//! MsgPack as JSON and back, without loss.
//!
//! | MsgPack | JSON |
//! |---|---|
//! | nil, booleans, integers, 64-bit floats, texts, arrays | as they are |
//! | a map whose keys are texts, no two alike | an object, in the map's order |
//! | any other map, and one whose only key begins with `$` | `{"$map": [[key, value], ...]}` |
//! | binary | `{"$bin": "<base64>"}`; read as `{"$hex": "00ff"}` too |
//! | a text that is not UTF-8 | `{"$str": "<base64>"}` |
//! | a 32-bit float | `{"$f32": 1.5}` |
//! | a float that is not finite | `{"$f64": "0x7ff8000000000000"}` or `{"$f32": "0x7fc00000"}`: its bits; read as `"NaN"`, `"inf"`, `"-inf"` too |
//! | an extension | `{"$ext": [<type>, "<base64>"]}` |
//!
//! Numbers are JSON numbers up to their last bit: integers are never written as floats, nor floats as
//! integers.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use rmpv::Value;
use serde::{Serialize, Serializer, ser::SerializeMap as _};

/// A value that is written as the JSON above.
#[derive(Clone, Copy, Debug)]
pub struct JsonView<'a>(pub &'a Value);

/// One of the forms above that have a key of their own.
struct Form<'a, T>(&'a str, T);

impl<T: Serialize> Serialize for Form<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &self.1)?;
        map.end()
    }
}

impl Serialize for JsonView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Nil => serializer.serialize_unit(),
            Value::Boolean(value) => serializer.serialize_bool(*value),
            Value::Integer(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => serializer.serialize_u64(number),
                (None, number) => serializer.serialize_i64(number.unwrap_or_default()),
            },
            Value::F32(number) if is_exact(*number) => Form("$f32", number).serialize(serializer),
            Value::F32(number) => Form("$f32", format!("{:#010x}", number.to_bits())).serialize(serializer),
            Value::F64(number) if number.is_finite() => serializer.serialize_f64(*number),
            Value::F64(number) => Form("$f64", format!("{:#018x}", number.to_bits())).serialize(serializer),
            Value::String(text) => match text.as_str() {
                Some(text) => serializer.serialize_str(text),
                None => Form("$str", BASE64.encode(text.as_bytes())).serialize(serializer),
            },
            Value::Binary(bytes) => Form("$bin", BASE64.encode(bytes)).serialize(serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(JsonView)),
            Value::Map(pairs) => {
                if let Some(entries) = object(pairs) {
                    return serializer.collect_map(entries);
                }
                let pairs: Vec<_> =
                    pairs.iter().map(|(key, value)| (JsonView(key), JsonView(value))).collect();
                Form("$map", pairs).serialize(serializer)
            }
            Value::Ext(kind, bytes) => Form("$ext", (kind, BASE64.encode(bytes))).serialize(serializer),
        }
    }
}

/// Whether the shortest decimals of a 32-bit float lead back to it by way of a 64-bit one, as a reader of
/// JSON goes.
#[expect(clippy::cast_possible_truncation, reason = "the way back is what is tried")]
fn is_exact(number: f32) -> bool {
    number
        .to_string()
        .parse::<f64>()
        .is_ok_and(|read| number.is_finite() && (read as f32).to_bits() == number.to_bits())
}

/// Levels of arrays and objects in the JSON of a value, for readers that take no more than so many.
#[must_use]
pub fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Map(pairs) => {
            let inner = pairs.iter().map(|(key, value)| levels(key).max(levels(value))).max().unwrap_or(0);
            if object(pairs).is_some() { 1 + inner } else { 3 + inner }
        }
        Value::Ext(..) => 2,
        Value::Binary(_) | Value::F32(_) | Value::F64(_) | Value::String(_) => 1,
        Value::Nil | Value::Boolean(_) | Value::Integer(_) => 0,
    }
}

/// A map's entries where it is an object of JSON that reads back as the same map.
fn object(pairs: &[(Value, Value)]) -> Option<Vec<(&str, JsonView<'_>)>> {
    let entries: Vec<_> =
        pairs.iter().map(|(key, value)| Some((key.as_str()?, JsonView(value)))).collect::<Option<_>>()?;
    let is_form = matches!(entries[..], [(key, _)] if key.starts_with('$'));
    let keys: BTreeSet<_> = entries.iter().map(|(key, _)| *key).collect();
    (!is_form && keys.len() == entries.len()).then_some(entries)
}

/// Why a JSON text stands for no MsgPack.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// An object with a `$` form that there is not, or one that does not hold what it should.
    #[error("{{\"{key}\": ...}} requires {takes}")]
    Form {
        /// Its key.
        key: String,
        /// What it takes.
        takes: &'static str,
    },
    /// A whole number that no 64 bits hold.
    #[error("{0} does not fit 64 bits; write a float as {0}.0")]
    TooLarge(String),
}

/// Reads JSON as above.
///
/// # Errors
/// [`JsonError`].
pub fn parse(text: &str) -> Result<Value, JsonError> {
    if let Some(number) = oversized(text) {
        return Err(JsonError::TooLarge(number.to_owned()));
    }
    unfold(serde_json::from_str(text)?)
}

/// The first whole number that fits neither 64 bits with a sign nor without one; a parser would take it for a
/// float and lose its end.
fn oversized(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = rest.get(at..)?;
        let len = if rest.starts_with('"') {
            string_len(rest)
        } else {
            rest.find(|c: char| !is_of_number(c)).unwrap_or(rest.len())
        };
        let (token, behind) = rest.split_at_checked(len)?;
        let is_whole = !token.starts_with('"') && !token.contains(['.', 'e', 'E']);
        if is_whole && token.parse::<u64>().is_err() && token.parse::<i64>().is_err() && token.len() > 1 {
            return Some(token);
        }
        rest = behind;
    }
    None
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E')
}

/// Bytes of the string that a text begins with, its quotes included.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Turns the forms of a value that was read into what they stand for.
fn unfold(value: Value) -> Result<Value, JsonError> {
    match value {
        Value::Array(items) => items.into_iter().map(unfold).collect::<Result<_, _>>().map(Value::Array),
        Value::Map(mut pairs) => match &pairs[..] {
            [(Value::String(key), _)] if key.as_str().is_some_and(|key| key.starts_with('$')) => {
                let key = key.as_str().unwrap_or_default().to_owned();
                form(key, pairs.swap_remove(0).1)
            }
            _ => pairs
                .into_iter()
                .map(|(key, value)| Ok((key, unfold(value)?)))
                .collect::<Result<_, JsonError>>()
                .map(Value::Map),
        },
        plain => Ok(plain),
    }
}

fn form(key: String, value: Value) -> Result<Value, JsonError> {
    let (found, takes) = match key.as_str() {
        "$bin" => (base64(&value).map(Value::Binary), "base64"),
        "$hex" => (value.as_str().and_then(unhex).map(Value::Binary), "pairs of hex digits"),
        "$str" => (base64(&value).and_then(text_of), "base64"),
        "$f32" => (f32_of(&value).map(Value::F32), "a number, or its bits as \"0x...\""),
        "$f64" => (f64_of(&value).map(Value::F64), "a number, or its bits as \"0x...\""),
        "$ext" => (extension(&value), "a type from -128 to 127 and base64, such as [1, \"AA==\"]"),
        "$map" => return map(&key, value),
        _ => (None, "not a value: the forms are $bin, $hex, $str, $f32, $f64, $ext and $map"),
    };
    found.ok_or(JsonError::Form { key, takes })
}

fn map(key: &str, value: Value) -> Result<Value, JsonError> {
    let wrong = || JsonError::Form { key: key.to_owned(), takes: "pairs, such as [[1, \"one\"]]" };
    let Value::Array(pairs) = value else { return Err(wrong()) };
    let pair = |pair| {
        let Value::Array(pair) = pair else { return Err(wrong()) };
        let [key, value] = <[Value; 2]>::try_from(pair).map_err(|_| wrong())?;
        Ok((unfold(key)?, unfold(value)?))
    };
    pairs.into_iter().map(pair).collect::<Result<_, _>>().map(Value::Map)
}

fn base64(value: &Value) -> Option<Vec<u8>> {
    BASE64.decode(value.as_str()?).ok()
}

/// A text of any bytes; MsgPack's decoder is the one way to make one that is not UTF-8.
fn text_of(bytes: Vec<u8>) -> Option<Value> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some(Value::from(text)),
        Err(error) => error.into_bytes(),
    };
    let mut wire = Vec::with_capacity(bytes.len() + 5);
    rmp::encode::write_str_len(&mut wire, u32::try_from(bytes.len()).ok()?).ok()?;
    wire.extend_from_slice(&bytes);
    rmpv::decode::read_value(&mut &wire[..]).ok()
}

/// Bytes of pairs of hex digits.
#[must_use]
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    bytes.collect::<Option<_>>().filter(|_| rest.is_empty())
}

#[expect(clippy::cast_possible_truncation, reason = "what is written as a 32-bit float is one")]
fn f32_of(value: &Value) -> Option<f32> {
    match value.as_str() {
        Some(text) => match text.strip_prefix("0x") {
            Some(bits) => u32::from_str_radix(bits, 16).ok().map(f32::from_bits),
            None => text.parse().ok(),
        },
        None => value.as_f64().map(|number| number as f32),
    }
}

fn f64_of(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some(text) => match text.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
            None => text.parse().ok(),
        },
        None => value.as_f64(),
    }
}

fn extension(value: &Value) -> Option<Value> {
    let [kind, bytes] = &value.as_array()?[..] else { return None };
    Some(Value::Ext(i8::try_from(kind.as_i64()?).ok()?, base64(bytes)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(value: &Value, json: &str) {
        assert_eq!(serde_json::to_string(&JsonView(value)).unwrap(), json);
        let again = parse(json).unwrap();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        rmpv::encode::write_value(&mut one, value).unwrap();
        rmpv::encode::write_value(&mut other, &again).unwrap();
        assert_eq!(one, other, "{json}");
    }

    #[test]
    fn every_form_is_read_back_to_the_same_bytes() {
        same(&Value::Nil, "null");
        same(&u64::MAX.into(), "18446744073709551615");
        same(&i64::MIN.into(), "-9223372036854775808");
        same(&Value::F64(1.0), "1.0");
        same(&Value::F64(-0.0), "-0.0");
        same(&Value::F64(0.1 + 0.2), "0.30000000000000004");
        same(&Value::F64(f64::INFINITY), r#"{"$f64":"0x7ff0000000000000"}"#);
        same(&Value::F64(f64::from_bits(0x7ff8_0000_0000_0001)), r#"{"$f64":"0x7ff8000000000001"}"#);
        same(&Value::F32(1.5), r#"{"$f32":1.5}"#);
        same(&Value::F32(0.1), r#"{"$f32":0.1}"#);
        same(&Value::F32(f32::NAN), r#"{"$f32":"0x7fc00000"}"#);
        same(&Value::Binary(vec![0, 255]), r#"{"$bin":"AP8="}"#);
        same(&text_of(vec![255, 254]).unwrap(), r#"{"$str":"//4="}"#);
        same(&Value::Ext(-1, vec![1]), r#"{"$ext":[-1,"AQ=="]}"#);
        let one = |key: Value| Value::Map(vec![(key, Value::Nil)]);
        same(&one("b".into()), r#"{"b":null}"#);
        same(&one(1.into()), r#"{"$map":[[1,null]]}"#);
        same(&one("$bin".into()), r#"{"$map":[["$bin",null]]}"#);
        let two = |a: &str, b: &str| Value::Map(vec![(a.into(), 1.into()), (b.into(), 2.into())]);
        same(&two("z", "a"), r#"{"z":1,"a":2}"#);
        same(&two("a", "a"), r#"{"$map":[["a",1],["a",2]]}"#);
        same(&two("$a", "$b"), r#"{"$a":1,"$b":2}"#);
    }

    #[test]
    fn other_spellings_are_read_too() {
        assert_eq!(parse(r#"{"$hex":"00fF"}"#).unwrap(), Value::Binary(vec![0, 255]));
        assert_eq!(parse(r#"{"$f64":"-inf"}"#).unwrap(), Value::F64(f64::NEG_INFINITY));
        assert_eq!(parse(r#"{"$f32":2}"#).unwrap(), Value::F32(2.0));
    }

    #[test]
    fn what_stands_for_nothing_is_told() {
        let told = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(told(r#"[{"$bin":"?"}]"#), r#"{"$bin": ...} requires base64"#);
        assert_eq!(told(r#"{"$hex":"abc"}"#), r#"{"$hex": ...} requires pairs of hex digits"#);
        assert!(told(r#"{"a":{"$date":1}}"#).contains("the forms are $bin,"));
        assert!(told(r#"{"$map":[[1]]}"#).contains("requires pairs"));
        assert!(told(r#"{"$ext":[200,"AA=="]}"#).contains("from -128 to 127"));
        assert_eq!(
            told(r#"["\"9",18446744073709551616]"#),
            "18446744073709551616 does not fit 64 bits; write a float as 18446744073709551616.0"
        );
        assert!(told("{").contains("line 1"));
        assert_eq!(
            parse(r#"["\\\"18446744073709551616",1e300,-5,2.0]"#).unwrap().as_array().unwrap().len(),
            4
        );
    }
}
