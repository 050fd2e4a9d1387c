//! MPP v2 on the wire: framing, the twelve frames, what is refused and how (mpp-v2, rulings MPP 1 to 4 and 13).

use rl_console::{
    ids::{InvocationId, SessionId},
    mpp::{
        frame::{Inbound, Outbound, Persisted, Phase, decode, decode_outbound, encode},
        framing::{Framed, Framer},
    },
};

#[test]
fn a_pull_is_read_and_written() {
    let wire = b"{\"mpp\": 2, \"type\": \"pull\", \"queue\": \"default\"}\r\n";
    let Ok(Inbound::Pull { queue }) = decode(wire, Phase::Later) else { panic!("no pull") };
    assert_eq!(queue, "default");
    assert_eq!(encode::pull("default"), b"{\"mpp\":2,\"type\":\"pull\",\"queue\":\"default\"}\n");
}

#[test]
fn params_with_line_breaks_stay_one_line() {
    let frame = encode::invocation(InvocationId(1), "q", "e", "{\n  \"a\": \"x \\\" y\\\\\",\n\t\"b\": [1,\r\n 2]\n}\n");
    assert_eq!(
        std::str::from_utf8(&frame).unwrap(),
        "{\"mpp\":2,\"type\":\"invocation\",\"id\":1,\"queue\":\"q\",\"event\":\"e\",\"params\":{\"a\":\"x \\\" y\\\\\",\"b\":[1,2]}}\n"
    );
    assert!(matches!(decode_outbound(&frame), Ok(Outbound::Invocation { .. })));
}

#[test]
fn the_length_of_a_hello_ack_is_the_sum_of_its_parts() {
    let row = Persisted { key: "resets".into(), value: "3".into(), scope: Some("trainer:42".into()) };
    let rows = [row.clone(), row.clone()];
    let whole = encode::hello_ack("login", SessionId(42), &rows).len();
    assert_eq!(whole, encode::hello_ack_len("login", SessionId(42), &rows));
    let parts = encode::hello_ack_len("login", SessionId(42), &[]) + encode::PERSISTED_BYTES + 2 * encode::persisted_row_len(&row);
    assert_eq!(whole, parts);
}

#[test]
fn two_lines_in_one_read_come_out_as_two() {
    let mut framer = Framer::new();
    framer.spare()[..4].copy_from_slice(b"a\nb\n");
    framer.filled(4);
    assert_eq!(framer.next(), Some(Framed::Line(b"a\n")));
    assert_eq!(framer.next(), Some(Framed::Line(b"b\n")));
    assert_eq!(framer.next(), None);
}
