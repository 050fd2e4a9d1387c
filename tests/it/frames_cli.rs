//! `decode` and `encode` with `--link`: what is decoded is encoded again, and what is broken is refused.

use std::{fs, path::Path, process::Output};

use serde_json::{Value, json};

use super::rmp_cli::{error, lines, run, text};

/// A stream of each link, with what it takes to read it.
fn streams() -> Vec<(&'static [&'static str], Vec<u8>, usize)> {
    let plugin = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let unit = |json: &str| [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat();
    let send = b"\x0a\x18\x0a\x031.0\x1a\x04Vote\x22\x01m\x2a\x01s\x32\x01a\x42\x02{}";
    vec![
        (
            &["--link", "mpp"],
            b"{\"mpp\": 2, \"type\": \"hello\", \"pack_id\": \"p\", \"manifest_hash\": \"h\", \"bridge_token\": \"t\"}\n{\"mpp\":2,\"type\":\"heartbeat\"}\r\n".to_vec(),
            2,
        ),
        (&["--link", "rmp", "--dialect", "json"], [unit(r#"{"Hello":{"kind":"Ui"}}"#), unit(r#""HelloAck" "#)].concat(), 2),
        (&["--link", "macp"], send.to_vec(), 1),
        (&["--link", "macp", "--rpc", "CancelSession"], b"\x0a\x02s1\x12\x04late".to_vec(), 1),
        (&["--link", "macp", "--rpc", "ListModes"], Vec::new(), 1),
        (
            &["--link", "plugin"],
            (plugin(r#"{"jsonrpc":"2.0","method":"a"}"#) + &plugin(r#"{"jsonrpc": "2.0", "id": 1, "result": null}"#)).into_bytes(),
            2,
        ),
    ]
}

fn with<'a>(command: &'a str, args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&[command], args, more].concat()
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn digits(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.concat()
}

#[test]
fn what_is_decoded_is_encoded_again_on_every_link() {
    let home = home();
    for (args, stream, count) in streams() {
        fs::write(home.path().join("in.bin"), &stream).unwrap();
        let hex = digits(&stream);
        let from_file = run(home.path(), &with("decode", args, &["in.bin", "--json"]), b"");
        assert_eq!(from_file.status.code(), Some(0), "{args:?}: {}", text(&from_file.stderr));
        let others = [
            run(home.path(), &with("decode", args, &["--json"]), &stream),
            run(home.path(), &with("decode", args, &["--json", "--hex", &hex]), b""),
            run(home.path(), &with("decode", args, &["--json"]), hex.as_bytes()),
        ];
        for output in others {
            assert_eq!(text(&output.stdout), text(&from_file.stdout), "{args:?}");
        }
        assert_eq!(lines(&from_file.stdout).len(), count, "{args:?}");
        let encoded = run(home.path(), &with("encode", args, &["--raw"]), &from_file.stdout);
        assert_eq!((encoded.status.code(), encoded.stdout), (Some(0), stream), "{args:?}");
        let each = text(&run(home.path(), &with("encode", args, &[]), &from_file.stdout).stdout);
        assert_eq!((each.lines().count(), each.replace('\n', "")), (count, hex), "{args:?}");
        // People read the same.
        let plain = run(home.path(), &with("decode", args, &["in.bin"]), b"");
        assert!(text(&plain.stdout).starts_with("frame 1 at byte 0, "), "{args:?}");
        assert!(text(&plain.stdout).contains("\n  body            "), "{args:?}");
    }
}

/// What `decode` says is wrong with a stream, with the exit code.
fn fault(home: &Path, args: &[&str], stream: &[u8]) -> (Option<i32>, Value) {
    let output = run(home, &with("decode", args, &["--json"]), stream);
    let row = lines(&output.stdout).into_iter().find(|row| row["valid"] == false).unwrap();
    (output.status.code(), row["error"]["name"].clone())
}

#[test]
fn a_broken_frame_is_made_on_purpose_alone() {
    let home = home();
    for (args, json, name) in [
        (&["--link", "mpp"][..], r#"{"body":{"type":"pull"}}"#, "INVALID_FRAME"),
        (&["--link", "mpp"], r#"{"body_bytes":"e30="}"#, "INVALID_FRAME"),
        (&["--link", "mpp"], r#"{"body":{"type":"hello","mpp":1}}"#, "unsupported_mpp_version"),
        (&["--dialect", "session"], r#"{"control":{"Bang":{}}}"#, "BodyDecodeError"),
        (&["--dialect", "json"], r#"{"body":{"Hello":{}}}"#, "BodyDecodeError"),
        (&["--dialect", "json"], r#"{"length":900,"body":"HelloAck"}"#, "LengthMismatch"),
        (&["--link", "macp"], r#"{"body":{}}"#, "INVALID_ARGUMENT"),
        (&["--link", "macp"], r#"{"body":{"envelope":{"macp_version":"2"}}}"#, "InvalidMacpVersion"),
        (&["--link", "macp"], r#"{"body_bytes":"CgU="}"#, "INTERNAL"),
        (&["--link", "plugin"], r#"{"header":{"Length":"2"},"body":{}}"#, "no_length"),
        (&["--link", "plugin"], r#"{"body":{"method":4}}"#, "invalid_request"),
    ] {
        let refused = run(home.path(), &with("encode", args, &["--json"]), json.as_bytes());
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(6), String::new()), "{json}");
        let why = error(&refused);
        assert_eq!(why["code"], "invalid_frame");
        assert!(why["message"].as_str().unwrap().contains(name), "{why}");
        assert!(why["hint"].as_str().unwrap().contains("--broken"), "{why}");
        let broken = run(home.path(), &with("encode", args, &["--raw", "--broken"]), json.as_bytes());
        assert_eq!(broken.status.code(), Some(0), "{json}");
        assert_eq!(fault(home.path(), args, &broken.stdout), (Some(6), json!(name)), "{json}");
        // What is broken comes back as it was.
        let decoded = run(home.path(), &with("decode", args, &["--json"]), &broken.stdout);
        let again = run(home.path(), &with("encode", args, &["--raw", "--broken"]), &decoded.stdout);
        // Of headers that break a stream, as far as they were judged.
        let is_cut = name == "no_length";
        assert!(
            again.stdout == broken.stdout || (is_cut && broken.stdout.starts_with(&again.stdout)),
            "{json}"
        );
    }
}

#[test]
fn a_session_is_read_with_the_messages_that_it_announces() {
    let home = home();
    let frames = r#"{"control":{"Publish":{"topic":"a","ack":true}}}
        {"unit":"message","body":{"type":"error.report.v1","payload":{}}}
        {"control":{"Ping":{}}}"#;
    let session = ["--dialect", "session"];
    let encoded = run(home.path(), &with("encode", &session, &["--raw"]), frames.as_bytes());
    assert_eq!(encoded.status.code(), Some(0), "{}", text(&encoded.stderr));
    let decoded = run(home.path(), &with("decode", &session, &["--json"]), &encoded.stdout);
    let units: Vec<Value> = lines(&decoded.stdout).iter().map(|row| row["unit"].clone()).collect();
    assert_eq!(units, ["Publish", "message", "Ping"]);
    let again = run(home.path(), &with("encode", &session, &["--raw"]), &decoded.stdout);
    assert_eq!(again.stdout, encoded.stdout);
    // By themselves they are frames, of which the second is no control frame.
    assert_eq!(run(home.path(), &["decode"], &encoded.stdout).status.code(), Some(0));
    let message =
        run(home.path(), &["encode", "--raw"], br#"{"body":{"type":"error.report.v1","payload":{}}}"#);
    assert_eq!(fault(home.path(), &session, &message.stdout), (Some(6), json!("BodyTypeMismatch")));
}

#[test]
fn flags_of_another_link_are_refused() {
    let home = home();
    let told = |args: &[&str]| -> Output { run(home.path(), args, b"{}") };
    for args in [
        &["decode", "--link", "mpp", "--dialect", "json", "--json"][..],
        &["decode", "--rpc", "Send", "--json"],
        &["encode", "--link", "plugin", "--rpc", "Send", "--json"],
        &["decode", "--link", "macp", "--now", "now", "--json"],
    ] {
        let output = told(args);
        assert_eq!((output.status.code(), &error(&output)["code"]), (Some(2), &json!("usage")), "{args:?}");
    }
    let none = told(&["decode", "--link", "plugin", "--json", "--hex", ""]);
    assert_eq!((none.status.code(), &error(&none)["code"]), (Some(1), &json!("bad_input")));
    let hint = error(&told(&["encode", "--link", "mpp", "--json"]))["hint"].clone();
    assert!(hint.as_str().unwrap().contains(r#"{"body":{"type":"pull","queue":"default"}}"#), "{hint}");
}
