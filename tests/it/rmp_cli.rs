//! `decode` and `encode`: files, stdin, hex, streams, exit codes, and the way back (UX, without a screen).

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

use super::rmp_codec::{Fields, VALID, golden};

pub(crate) fn run(home: &Path, args: &[&str], stdin: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.args(args).env_clear().env("HOME", home).env("TZ", "UTC").current_dir(home);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // One that does not read to the end hangs up: its answer says why.
    let feed = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    output
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn lines(bytes: &[u8]) -> Vec<Value> {
    text(bytes)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

fn digits(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.concat()
}

pub(crate) fn error(output: &Output) -> Value {
    lines(&output.stderr).remove(0)["error"].take()
}

const DUMP: &str = "0000: 00 00 00 a0 52 4d 50 30 00 00 00 40 00 00 00 00
0010: 00 0a 00 00 00 00 00 60 00 00 01 93 23 64 5c 7b
0020: 00 00 00 00 00 00 ea 60 11 22 33 44 55 66 77 88
0030: 99 aa bb cc dd ee ff 00 00 00 00 00 00 00 00 2a
0040: 00 00 00 00 83 a4 74 79 70 65 af 65 72 72 6f 72
0050: 2e 72 65 70 6f 72 74 2e 76 31 a7 70 61 79 6c 6f
0060: 61 64 82 a4 63 6f 64 65 b0 74 6f 6f 6c 2e 75 6e
0070: 61 76 61 69 6c 61 62 6c 65 a7 6d 65 73 73 61 67
0080: 65 ae 6d 61 69 6c 65 72 20 6f 66 66 6c 69 6e 65
0090: a4 6d 65 74 61 81 aa 6f 70 65 6e 69 6e 67 5f 69
00a0: 64 cd 04 d2
";

#[test]
fn the_golden_vector_is_decoded_wherever_it_comes_from() {
    let home = home();
    fs::write(home.path().join("frame.bin"), golden()).unwrap();
    fs::write(home.path().join("frame.txt"), DUMP).unwrap();
    let packed = digits(&golden());
    let from = [
        run(home.path(), &["decode", "frame.bin", "--json"], b""),
        run(home.path(), &["decode", "frame.txt", "--json"], b""),
        run(home.path(), &["decode", "-", "--json"], &golden()),
        run(home.path(), &["decode", "--json"], DUMP.as_bytes()),
        run(home.path(), &["decode", "--json"], packed.as_bytes()),
        run(home.path(), &["decode", "--json", "--hex", &packed], b""),
        run(home.path(), &["decode", "--json", "--hex", DUMP], b""),
    ];
    let expected = json!({
        "frame": 1, "offset": 0, "bytes": 164, "valid": true, "frame_len": 160,
        "header": {
            "magic": "RMP0", "header_version": 0, "header_len": 64, "flags": 0, "schema_id": 10, "reserved2": 0, "body_len": 96,
            "created_at_ms": 0x0193_2364_5c7b_u64, "ttl_ms": 60_000, "trace_id": "trace:11223344-5566-7788-99aa-bbccddeeff00", "msg_id": 42,
            "reserved4": 0,
        },
        "schema": "CT_ERROR_REPORT", "expires_at_ms": 0x0193_2364_5c7b_u64 + 60_000,
        "body": {
            "type": "error.report.v1", "payload": {"code": "tool.unavailable", "message": "mailer offline"}, "meta": {"opening_id": 1234},
        },
    });
    for output in from {
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(lines(&output.stdout), std::slice::from_ref(&expected));
    }
}

#[test]
fn people_read_fields_and_the_body() {
    let home = home();
    let output = run(home.path(), &["decode"], &golden());
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stdout);
    for part in [
        "frame 1 at byte 0, 164 bytes: valid",
        "frame_len       160",
        "schema_id       10 (0x000a) CT_ERROR_REPORT",
        "created_at_ms   1731465600123 (2024-11-13T02:40:00.123Z)",
        "trace_id        trace:11223344-5566-7788-99aa-bbccddeeff00",
        "\"message\": \"mailer offline\"",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
}

#[test]
fn expiry_is_judged_when_a_moment_is_named() {
    let home = home();
    let at = |now: &str| run(home.path(), &["decode", "--json", "--now", now], &golden());
    assert_eq!(at("1731465660122").status.code(), Some(0));
    for now in ["1731465660123", "now"] {
        let output = at(now);
        assert_eq!(output.status.code(), Some(6));
        assert_eq!(lines(&output.stdout)[0]["error"]["name"], "Expired");
    }
    assert_eq!(at("soon").status.code(), Some(2));
}

#[test]
fn frames_come_one_after_the_other_and_a_fault_skips_one() {
    let home = home();
    let no_ttl = Fields { ttl_ms: "0000000000000000", ..VALID }.wire();
    let stream = [golden(), no_ttl, VALID.wire()].concat();
    let output = run(home.path(), &["decode", "--json"], &stream);
    assert_eq!(output.status.code(), Some(6));
    let frames = lines(&output.stdout);
    let place = |frame: &Value| (frame["frame"].as_u64(), frame["offset"].as_u64(), frame["valid"].as_bool());
    let places: Vec<_> = frames.iter().map(place).collect();
    assert_eq!(
        places,
        [(Some(1), Some(0), Some(true)), (Some(2), Some(164), Some(false)), (Some(3), Some(259), Some(true))]
    );
    let fault = json!({
        "name": "InvalidTtl", "clause": "rmp-v0 §4", "says": "ttl_ms was zero.", "message": "ttl_ms is 0", "expected": "ttl_ms over 0",
        "got": "ttl_ms 0", "offset": 32, "ends_stream": false,
    });
    assert_eq!(frames[1]["error"], fault);
    assert_eq!(
        frames[1]["body"],
        json!({"type": "intent.a.v1", "payload": null}),
        "what can be read of it is shown"
    );
    let error = error(&output);
    assert_eq!(error["code"], "invalid_frame");
    assert_eq!(error["message"], "1 of 3 frames are invalid, the first: InvalidTtl (rmp-v0 §4): ttl_ms is 0");
    let told = text(&run(home.path(), &["decode"], &stream).stdout);
    for part in [
        "frame 2 at byte 164, 95 bytes: InvalidTtl (rmp-v0 §4)",
        "got             ttl_ms 0",
        "32 of the frame, 196 of the input",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
}

#[test]
fn what_ends_a_stream_ends_the_reading() {
    let home = home();
    let stream = [golden(), Fields { magic: "48545450", ..VALID }.wire(), golden()].concat();
    let output = run(home.path(), &["decode", "--json"], &stream);
    let frames = lines(&output.stdout);
    assert_eq!((output.status.code(), frames.len()), (Some(6), 2));
    assert_eq!(
        (&frames[1]["error"]["name"], &frames[1]["error"]["ends_stream"]),
        (&json!("InvalidMagic"), &json!(true))
    );
    assert_eq!(frames[1]["error"]["got"], "48 54 54 50 \"HTTP\"");
    let cut = run(home.path(), &["decode", "--json"], &golden()[..100]);
    assert_eq!(lines(&cut.stdout)[0]["error"]["name"], "LengthMismatch");
    let short = run(home.path(), &["decode", "--json"], &golden()[..3]);
    assert_eq!(lines(&short.stdout)[0]["error"]["name"], "TruncatedHeader");
}

#[test]
fn what_holds_no_frame_is_told() {
    let home = home();
    for (args, stdin, exit, code) in [
        (&["decode", "--json"][..], "", 1, "bad_input"),
        (&["decode", "--json"], " \n\n", 1, "bad_input"),
        (&["decode", "--json"], "00 0\n", 1, "bad_input"),
        (&["decode", "--json", "--hex", "0g"], "", 2, "usage"),
        (&["decode", "--json", "missing.bin"], "", 1, "file"),
        (&["encode", "--json"], "", 1, "bad_input"),
        (&["encode", "--json"], "{", 1, "bad_input"),
        (&["encode", "--json"], "[]", 1, "bad_input"),
        (&["encode", "--json"], "{}", 1, "bad_input"),
        (&["encode", "--json"], "{\"body\":{},\"boddy\":1}", 1, "bad_input"),
        (&["encode", "--json"], "{\"body\":{\"type\":\"a\",\"payload\":1}}", 1, "bad_input"),
        (
            &["encode", "--json"],
            "{\"body\":{\"type\":\"error.a.v1\",\"payload\":18446744073709551616}}",
            1,
            "bad_input",
        ),
        (&["encode", "--json", "--raw"], "{}", 2, "usage"),
    ] {
        let output = run(home.path(), args, stdin.as_bytes());
        assert_eq!(output.status.code(), Some(exit), "{args:?} {stdin}: {}", text(&output.stderr));
        let error = error(&output);
        assert_eq!(error["code"], code, "{args:?} {stdin}");
        assert!(!error["hint"].as_str().unwrap().is_empty());
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn what_is_decoded_is_encoded_again_byte_for_byte() {
    let home = home();
    // An integer that is longer than it must be, keys out of order and unknown, bytes, a map with numbers for
    // keys, a 32-bit float.
    let odd = "85 a77061796c6f6164 84 a162 c403 00ff10 a16d 8201a1780203 a166 ca3fc00000 a175 cfffffffffffffffff a3787878 cc05 \
               a474797065 ab696e74656e742e612e7631 a46d657461 c0 a17a 92c2c3";
    let bytes = odd.split_whitespace().collect::<String>().len() / 2;
    let (frame_len, body_len) = (format!("{:08x}", 64 + bytes), format!("{bytes:08x}"));
    let odd = Fields { frame_len: &frame_len, body_len: &body_len, body: odd, ..VALID }.wire();
    let stream = [golden(), VALID.wire(), odd].concat();
    let decoded = run(home.path(), &["decode", "--json"], &stream);
    assert_eq!(decoded.status.code(), Some(0), "{}", text(&decoded.stdout));
    let rows = lines(&decoded.stdout);
    assert!(rows[0].get("body_bytes").is_none() && rows[2]["body_bytes"].is_string());
    assert_eq!(rows[2]["body"]["payload"]["b"], json!({"$bin": "AP8Q"}));
    assert_eq!(rows[2]["body"]["payload"]["u"], json!(u64::MAX));
    assert_eq!(rows[2]["body"]["payload"]["m"], json!({"$map": [[1, "x"], [2, 3]]}));
    let encoded = run(home.path(), &["encode", "--raw"], &decoded.stdout);
    assert_eq!(
        (encoded.status.code(), encoded.stdout),
        (Some(0), stream.clone()),
        "{}",
        text(&encoded.stderr)
    );
    let encoded = run(home.path(), &["encode", "-", "--hex"], &decoded.stdout);
    let each = text(&encoded.stdout);
    assert_eq!((each.lines().count(), each.replace('\n', "")), (3, digits(&stream)));
    // A change of the body is never lost behind the bytes.
    let changed = text(&decoded.stdout).replace("\"AP8Q\"", "\"AP8R\"");
    let refused = run(home.path(), &["encode", "--json"], changed.as_bytes());
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        error(&refused)["message"]
            .as_str()
            .unwrap()
            .ends_with("frame 3: `body` and `body_bytes` differ: give only one of them")
    );
}

#[test]
fn what_is_missing_is_filled_in() {
    let home = home();
    let frames = b"{\"body\":{\"type\":\"artifact.draft.email.v1\",\"payload\":{\"to\":\"x\"}}}\n{\"body\":{\"type\":\"critique.a.v1\",\"payload\":null}}";
    let encoded = run(home.path(), &["encode", "--json"], frames);
    assert_eq!(encoded.status.code(), Some(0), "{}", text(&encoded.stderr));
    let rows = lines(&encoded.stdout);
    assert_eq!((rows.len(), rows[1]["frame"].as_u64()), (2, Some(2)));
    let hex: String = rows.iter().map(|row| row["hex"].as_str().unwrap()).collect();
    // Fresh frames are valid at this moment.
    let decoded = run(home.path(), &["decode", "--json", "--now", "now", "--hex", &hex], b"");
    assert_eq!(decoded.status.code(), Some(0), "{}", text(&decoded.stderr));
    let decoded = lines(&decoded.stdout);
    let header = |row: usize, field: &str| decoded[row]["header"][field].clone();
    assert_eq!((header(0, "schema_id"), header(1, "schema_id")), (json!(221), json!(6)));
    assert_eq!(header(0, "ttl_ms"), json!(30_000));
    assert!(header(0, "msg_id").as_u64() < header(1, "msg_id").as_u64());
    assert_ne!(header(0, "trace_id"), header(1, "trace_id"));
}

#[test]
fn broken_frames_are_made_on_purpose_alone() {
    let home = home();
    let body = "\"body\":{\"type\":\"error.report.v1\",\"payload\":1}";
    let cases = [
        ("\"header\":{\"flags\":1}", "InvalidHeaderFlags"),
        ("\"header\":{\"magic\":\"HTTP\"}", "InvalidMagic"),
        ("\"header\":{\"magic\":\"0x00000000\"}", "InvalidMagic"),
        ("\"header\":{\"header_version\":1}", "UnsupportedVersion"),
        ("\"header\":{\"body_len\":3}", "LengthMismatch"),
        ("\"header\":{\"schema_id\":0}", "UnknownSchema"),
        ("\"header\":{\"schema_id\":9}", "BodyTypeMismatch"),
        ("\"header\":{\"body_len\":8388609}", "BodyTooLarge"),
        ("\"header\":{\"ttl_ms\":0}", "InvalidTtl"),
        ("\"header\":{\"created_at_ms\":18446744073709551615}", "InvalidExpiry"),
        ("\"frame_len\":63", "TruncatedHeader"),
    ];
    for (given, name) in cases {
        let frame = format!("{{{given},{body}}}");
        let refused = run(home.path(), &["encode", "--json"], frame.as_bytes());
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(6), String::new()), "{given}");
        let error = error(&refused);
        assert!(
            error["message"].as_str().unwrap().contains(name)
                && error["hint"].as_str().unwrap().contains("--broken"),
            "{error}"
        );
        let broken = run(home.path(), &["encode", "--raw", "--broken"], frame.as_bytes());
        assert_eq!(broken.status.code(), Some(0), "{given}");
        let decoded = run(home.path(), &["decode", "--json"], &broken.stdout);
        assert_eq!(lines(&decoded.stdout)[0]["error"]["name"], name, "{given}");
    }
    let no_map = "{\"header\":{\"schema_id\":10},\"body_bytes\":\"wQ==\"}";
    let broken = run(home.path(), &["encode", "--raw", "--broken"], no_map.as_bytes());
    let decoded = run(home.path(), &["decode", "--json"], &broken.stdout);
    assert_eq!(lines(&decoded.stdout)[0]["error"]["name"], "BodyDecodeError");
    assert_eq!(lines(&decoded.stdout)[0]["body_bytes"], "wQ==");
    let again = run(home.path(), &["encode", "--raw", "--broken"], &decoded.stdout);
    assert_eq!(again.stdout, broken.stdout, "what is broken comes back as it was");
}

#[test]
fn schemas_of_ones_own_come_from_the_configuration() {
    let home = home();
    let frame = b"{\"body\":{\"type\":\"artifact.map.tile.v1\",\"payload\":{}}}";
    let schema = |hex: &str| {
        lines(&run(home.path(), &["decode", "--json", "--hex", hex], b"").stdout)[0]["header"]["schema_id"]
            .clone()
    };
    let plain = text(&run(home.path(), &["encode"], frame).stdout);
    assert_eq!(schema(plain.trim()), json!(5), "the generic schema of its family");
    let config = home.path().join(".config/rl-console/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(
        &config,
        "[rmp.registry]\n0x1000 = \"artifact.map.tile.v1\"\n[limits.rmp]\nbody_bytes_max = 1_024\n",
    )
    .unwrap();
    let own = text(&run(home.path(), &["encode"], frame).stdout);
    assert_eq!(schema(own.trim()), json!(4_096));
    let large = format!("{{\"body\":{{\"type\":\"error.a.v1\",\"payload\":{:?}}}}}", "x".repeat(1_024));
    let refused = run(home.path(), &["encode", "--json"], large.as_bytes());
    assert_eq!(refused.status.code(), Some(6));
    assert!(error(&refused)["message"].as_str().unwrap().contains("BodyTooLarge"));
    let shown = run(home.path(), &["config", "show", "--origin", "--json"], b"");
    let row = lines(&shown.stdout).into_iter().find(|row| row["key"] == "rmp.registry").unwrap();
    assert_eq!(row["value"], json!(["0x1000=artifact.map.tile.v1"]));
}

#[test]
fn control_characters_of_a_body_are_made_visible() {
    let home = home();
    let frame = "{\"body\":{\"type\":\"error.a.v1\",\"payload\":\"\u{202e}\\u001b[31m\"}}";
    let encoded = run(home.path(), &["encode"], frame.as_bytes());
    let told = run(home.path(), &["decode"], &encoded.stdout);
    let told = text(&told.stdout);
    assert!(told.contains("\"payload\": \"<202e>\\u001b[31m\""), "{told}");
}
