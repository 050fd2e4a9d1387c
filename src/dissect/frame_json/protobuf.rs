//! Messages of protobuf as JSON by the protocol's own descriptors, and back.
//!
//! Fields stand under their names in the order in which they are on the wire, and are written in the order in
//! which they are given: one that is there is written, also where it has its default. Bytes are a text where
//! they are UTF-8, else `{"$bin": "<base64>"}`; `{"$hex": "00ff"}` is read too. What the schema does not know,
//! and what could be written shorter, is not in the JSON.

use prost::encoding::{
    DecodeContext, WireType, decode_key, decode_varint, encode_key, encode_varint, skip_field,
};

use super::{
    json::Json,
    part::{decode_bytes, encode_bytes},
};
use crate::{
    dissect::macp::schema::{Field, FieldType, Schema},
    rmp::json::unhex,
};

/// The JSON of a message; nothing where its bytes are none of it.
pub(super) fn show(schema: &Schema, message: &str, bytes: &[u8]) -> Option<Json> {
    let mut members: Vec<(String, Json)> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (number, wire) = decode_key(&mut rest).ok()?;
        let is_so = |field: &&Field| field.field_type.wire_type() == Some(wire);
        let Some(field) = schema.field(message, number).filter(is_so) else {
            skip_field(wire, number, &mut rest, DecodeContext::default()).ok()?;
            continue;
        };
        let value = value(schema, field, &mut rest)?;
        let known = members.iter_mut().find(|(name, _)| *name == field.name).map(|(_, known)| known);
        match (known, field.is_repeated) {
            (Some(Json::Array(items)), true) => items.push(value),
            (Some(last), _) => *last = value,
            (None, true) => members.push((field.name.clone(), Json::Array(vec![value]))),
            (None, false) => members.push((field.name.clone(), value)),
        }
    }
    Some(Json::Object(members))
}

/// The value of a field behind its key.
fn value(schema: &Schema, field: &Field, rest: &mut &[u8]) -> Option<Json> {
    let plain = |text: String| Some(Json::Plain(text));
    match &field.field_type {
        FieldType::Text => Some(Json::Text(std::str::from_utf8(content(rest)?).ok()?.to_owned())),
        FieldType::Bytes => Some(bytes_json(content(rest)?)),
        FieldType::Message(of) => show(schema, of, content(rest)?),
        FieldType::Boolean => plain((decode_varint(rest).ok()? != 0).to_string()),
        FieldType::Integer => plain(decode_varint(rest).ok()?.cast_signed().to_string()),
        FieldType::Enum(of) => {
            let number = decode_varint(rest).ok()?;
            match schema.name(of, number) {
                Some(name) => Some(Json::Text(name.to_owned())),
                None => plain(number.cast_signed().to_string()),
            }
        }
        FieldType::Double => {
            let (bits, behind) = rest.split_first_chunk::<8>()?;
            *rest = behind;
            Some(double_json(f64::from_le_bytes(*bits)))
        }
        FieldType::Other => None,
    }
}

/// What a length counts.
fn content<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(decode_varint(rest).ok()?).ok()?;
    let (content, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(content)
}

fn double_json(number: f64) -> Json {
    match serde_json::to_string(&number) {
        Ok(text) if number.is_finite() => Json::Plain(text),
        // `NaN`, `inf` or `-inf`.
        _ => Json::Text(number.to_string()),
    }
}

/// Bytes as a text, or as base64.
pub(super) fn bytes_json(bytes: &[u8]) -> Json {
    match std::str::from_utf8(bytes) {
        Ok(text) => Json::Text(text.to_owned()),
        Err(_) => Json::Object(vec![("$bin".to_owned(), Json::Text(encode_bytes(bytes)))]),
    }
}

/// The bytes that a JSON stands for; nothing where it is none of their forms.
pub(super) fn bytes_of(json: &Json) -> Option<Result<Vec<u8>, String>> {
    match json {
        Json::Text(text) => Some(Ok(text.clone().into_bytes())),
        Json::Object(members) => match &members[..] {
            [(form, Json::Text(text))] if form == "$bin" => Some(decode_bytes("$bin", text)),
            [(form, Json::Text(text))] if form == "$hex" => {
                Some(unhex(text).ok_or_else(|| "`$hex` requires pairs of hex digits".to_owned()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The bytes of a message.
///
/// # Errors
/// The field that the message does not have, or that takes another value.
pub(super) fn make(schema: &Schema, message: &str, json: &Json) -> Result<Vec<u8>, String> {
    let Json::Object(members) = json else { return Err("it takes an object of fields".to_owned()) };
    let mut out = Vec::new();
    for (name, value) in members {
        let short = message.rsplit('.').next().unwrap_or(message);
        let (number, field) =
            schema.named(message, name).ok_or_else(|| format!("{short} has no field `{name}`"))?;
        let write = |value: &Json, out: &mut Vec<u8>| {
            write(schema, number, field, value, out).map_err(|what| format!("`{name}` {what}"))
        };
        match value {
            Json::Array(items) if field.is_repeated => {
                items.iter().try_for_each(|item| write(item, &mut out))?;
            }
            _ if field.is_repeated => return Err(format!("`{name}` takes an array")),
            value => write(value, &mut out)?,
        }
    }
    Ok(out)
}

/// Appends a field.
fn write(schema: &Schema, number: u32, field: &Field, value: &Json, out: &mut Vec<u8>) -> Result<(), String> {
    let takes = |what: &str| format!("takes {what}");
    let delimited = |content: &[u8], out: &mut Vec<u8>| {
        encode_key(number, WireType::LengthDelimited, out);
        encode_varint(content.len() as u64, out);
        out.extend_from_slice(content);
    };
    let varint = |value: u64, out: &mut Vec<u8>| {
        encode_key(number, WireType::Varint, out);
        encode_varint(value, out);
    };
    match &field.field_type {
        FieldType::Text => {
            let text = value.as_text().ok_or_else(|| takes("a string"))?;
            delimited(text.as_bytes(), out);
        }
        FieldType::Bytes => {
            let bytes =
                bytes_of(value).ok_or_else(|| takes("a string, {\"$bin\": ...} or {\"$hex\": ...}"))?;
            delimited(&bytes.map_err(|what| format!("is not bytes: {what}"))?, out);
        }
        FieldType::Message(of) => {
            let content = make(schema, of, value).map_err(|what| format!("is not valid: {what}"))?;
            delimited(&content, out);
        }
        FieldType::Boolean => match value.as_plain() {
            Some("true") => varint(1, out),
            Some("false") => varint(0, out),
            _ => return Err(takes("true or false")),
        },
        FieldType::Integer => {
            let whole = value.as_plain().and_then(|text| text.parse::<i64>().ok());
            varint(whole.ok_or_else(|| takes("a whole number of 64 bits"))?.cast_unsigned(), out);
        }
        FieldType::Enum(of) => {
            let named = value.as_text().and_then(|name| schema.number(of, name)).map(i64::from);
            let whole = named.or_else(|| value.as_plain()?.parse().ok());
            varint(whole.ok_or_else(|| takes("a name of its values, or a number"))?.cast_unsigned(), out);
        }
        FieldType::Double => {
            let text = value.as_plain().or(value.as_text());
            let double = text.and_then(|text| text.parse::<f64>().ok()).ok_or_else(|| takes("a number"))?;
            encode_key(number, WireType::SixtyFourBit, out);
            out.extend_from_slice(&double.to_le_bytes());
        }
        FieldType::Other => return Err(takes("nothing: the protocol does not use its type")),
    }
    Ok(())
}
