//! Answers to the host, well formed and not.

use super::{super::*, kit::*};
use crate::tap::entry::plugin::Lint;

fn ok(id: u64, result: &str, lints: &[Lint]) -> Read {
    (Some(id), Some(id.to_string()), Ok(result.to_owned()), lints.to_vec())
}

fn failed(id: u64, code: i64, text: &str, lints: &[Lint]) -> Read {
    (Some(id), Some(id.to_string()), Err((code, text.to_owned())), lints.to_vec())
}

#[test]
fn answers_are_read_with_their_result_or_error() {
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":3,"result":{"a":[1]}}"#), ok(3, r#"{"a":[1]}"#, &[]));
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":3,"result":null}"#), ok(3, "null", &[]));
    assert_eq!(
        answer(r#"{"error":{"message":"no","code":-32601,"data":[1]},"id":3,"jsonrpc":"2.0"}"#),
        failed(3, -32_601, "no", &[])
    );
    let body = r#"{"jsonrpc":"2.0","id":3,"error":{"code":7,"message":"no","data":{"a":1}}}"#;
    let Message::Answer { outcome: Err(error), .. } = message(body) else { panic!("an error") };
    assert_eq!(error.data.unwrap().text(), r#"{"a":1}"#);
}

#[test]
fn answers_of_another_version_count_and_are_linted() {
    for version in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":2,"#] {
        let body = format!(r#"{{{version}"id":3,"result":{{}}}}"#);
        assert_eq!(answer(&body), ok(3, "{}", &[Lint::AnswerVersion]));
    }
}

#[test]
fn answers_with_both_or_neither_count_and_are_linted() {
    let shape = &[Lint::AnswerShape][..];
    let body = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":3{rest}}}"#);
    // An error that is not null wins.
    assert_eq!(answer(&body(r#","result":{},"error":{"code":1,"message":"no"}"#)), failed(3, 1, "no", shape));
    assert_eq!(answer(&body(r#","result":{},"error":null"#)), ok(3, "{}", shape));
    assert_eq!(answer(&body("")), ok(3, "null", shape));
    assert_eq!(answer(&body(r#","error":null"#)), ok(3, "null", shape));
    assert_eq!(answer(r#"{"id":3}"#), ok(3, "null", &[Lint::AnswerVersion, Lint::AnswerShape]));
}

#[test]
fn what_an_error_lacks_is_filled_in_and_linted() {
    let shape = &[Lint::AnswerShape][..];
    for (error, code, text) in [
        ("\"no\"", -32_603, "no"),
        ("7", -32_603, ""),
        ("{}", -32_603, ""),
        (r#"{"code":5}"#, 5, ""),
        (r#"{"code":"5","message":"no"}"#, -32_603, "no"),
        (r#"{"code":5.5,"message":["no"]}"#, -32_603, ""),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":3,"error":{error}}}"#);
        assert_eq!(answer(&body), failed(3, code, text, shape), "{error}");
    }
}

#[test]
fn an_id_that_the_host_never_sent_is_none_of_its_numbers() {
    for (id, number) in [
        ("7", Some(7)),
        ("7.0", Some(7)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("7.5", None),
        ("-7", None),
        ("\"7\"", None),
        ("null", None),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#);
        assert_eq!(answer(&body), (number, Some(id.to_owned()), Ok("1".to_owned()), vec![]));
    }
    for id in ["", r#","id":true"#, r#","id":{"a":1}"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","result":1{id}}}"#);
        assert_eq!(answer(&body), (None, None, Ok("1".to_owned()), vec![]));
    }
}
