use serde_json::{Value, json};

use super::kit::{TestHost, example};
use crate::plugin::{Code, Lint, Verdict};

fn answers(body: &[u8]) -> (Vec<Value>, Verdict) {
    let mut host = TestHost::up();
    host.sent.clear();
    let sent = host.says_bytes(&example(), body);
    (sent, *host.verdicts.last().unwrap())
}

#[test]
fn what_is_no_envelope_is_answered_by_its_code_with_null_or_its_own_id() {
    let parse: [&[u8]; 3] = [b"", b"{", b"\xff{}"];
    for body in parse {
        let (sent, verdict) = answers(body);
        assert_eq!((sent[0]["error"]["code"].clone(), sent[0]["id"].clone()), (json!(-32700), Value::Null));
        assert_eq!(verdict, Verdict::Refused(Code::ParseError));
    }
    let invalid: [(&[u8], Value); 5] = [
        (b"[]", Value::Null),
        (b"3", Value::Null),
        (br#"{"jsonrpc":"2.0"}"#, Value::Null),
        (br#"{"jsonrpc":"1.0","id":7,"method":"notify"}"#, json!(7)),
        (br#"{"jsonrpc":"2.0","id":"x","method":3}"#, json!("x")),
    ];
    for (body, id) in invalid {
        let (sent, verdict) = answers(body);
        assert_eq!((sent[0]["error"]["code"].clone(), sent[0]["id"].clone()), (json!(-32600), id));
        assert!(sent[0]["error"].get("data").is_none(), "none on standard codes");
        assert_eq!(verdict, Verdict::Refused(Code::InvalidRequest));
    }
}

#[test]
fn an_id_is_echoed_as_the_text_that_came() {
    for id in ["1", "\"a\"", "null", "1.50", "123456789012345678901234567890"] {
        let mut host = TestHost::up();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"get_followed_live"}}"#);
        host.is_taken = false;
        host.sent.clear();
        host.says_bytes(&example(), body.as_bytes());
        let expected: Value = serde_json::from_str(id).unwrap();
        assert_eq!(host.sent[0].body["id"], expected);
    }
}

#[test]
fn an_unknown_method_is_refused_as_a_request_and_noted_as_a_notification() {
    let (sent, verdict) = answers(br#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#);
    assert_eq!(
        (sent[0]["error"]["code"].clone(), verdict),
        (json!(-32601), Verdict::Refused(Code::MethodNotFound))
    );
    let (sent, verdict) = answers(br#"{"jsonrpc":"2.0","method":"nothing"}"#);
    assert_eq!((sent.len(), verdict), (0, Verdict::Ignored(Lint::UnknownNotification)));
    let (sent, verdict) = answers(br#"{"jsonrpc":"2.0","method":"notify","params":{}}"#);
    assert_eq!((sent.len(), verdict), (0, Verdict::Ignored(Lint::NotARequest)));
}

#[test]
fn answers_are_never_answered_and_one_that_fits_nothing_is_noted() {
    for id in ["99", "\"1\"", "null"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let (sent, verdict) = answers(body.as_bytes());
        assert_eq!((sent.len(), verdict), (0, Verdict::Ignored(Lint::UnmatchedAnswer)), "{id}");
    }
}

#[test]
fn our_ids_count_from_one_in_each_process() {
    let mut host = TestHost::up();
    assert_eq!(host.sent[0].body["id"], 1);
    host.exits(&example(), crate::plugin::ExitStatus::Code(1));
    host.pass_s(1);
    host.sent.clear();
    host.spawned(&example());
    assert_eq!(host.sent[0].body["id"], 1);
}
