//! Today's Runloop tools on the socket (ruling RMP 16).

use rl_console::{
    limits::Limits,
    rmp::{CloseCause, Code, Dialect, Refusal},
    tap::{
        Reader,
        entry::{Head, Transition, Verdict, What, rmp},
    },
};

use super::{Bus, Peer, frames};

fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

fn hear(tool: &mut Peer) -> String {
    String::from_utf8(tool.hear().wire[4..].to_vec()).unwrap()
}

fn tool(bus: &Bus) -> Peer {
    let mut tool = Peer::connect(&bus.path());
    tool.send(&unit(r#"{"Hello":{"kind":"Agent"}}"#));
    assert_eq!(hear(&mut tool), r#""HelloAck""#);
    tool
}

#[test]
fn the_json_dialect_speaks_on_the_same_socket() {
    let bus = Bus::open();
    let mut subscriber = bus.agent();
    subscriber.subscribe(3, "a");
    let mut tool = Peer::connect(&bus.path());
    tool.send(&unit(r#"{"Hello":{"kind":"Tui"}}"#));
    assert_eq!(hear(&mut tool), r#""HelloAck""#);
    tool.send(&unit(r#"{"Subscribe":{"id":2,"topic":"a","sub_id":1}}"#));
    assert_eq!(hear(&mut tool), r#"{"SubscribeAck":{"id":2,"result":{"Ok":null}}}"#);
    let frame = frames::message(7, "x");
    let body = frame[68..].iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let message = format!(
        r#"{{"header":{{"header_version":0,"header_len":64,"flags":0,"schema_id":1,"body_len":{},"created_at_ms":1,"ttl_ms":{},"trace_id":2748,"msg_id":7}},"body":[{body}]}}"#,
        frame.len() - 68,
        u64::MAX - 2
    );
    tool.send(&unit(&format!(r#"{{"Publish":{{"id":4,"topic":"a","message":{message}}}}}"#)));
    let mut heard = [hear(&mut tool), hear(&mut tool)];
    heard.sort();
    assert_eq!(heard[0], format!(r#"{{"Message":{{"sub_id":1,"message":{message}}}}}"#));
    assert_eq!(heard[1], r#"{"PublishAck":{"id":4,"result":{"Ok":null}}}"#);
    assert_eq!(subscriber.delivered().2.wire, frame);
    tool.send(&unit(&format!(r#"{{"Publish":{{"id":5,"topic":"rlp/sys/x","message":{message}}}}}"#)));
    assert!(
        hear(&mut tool).starts_with(r#"{"PublishAck":{"id":5,"result":{"Err":{"Forbidden":"Forbidden: "#)
    );
}

#[test]
fn what_a_tool_may_not_have_is_answered_by_the_number_of_its_request() {
    let mut limits = Limits::default();
    limits.rmp.session_subscriptions_max = 2;
    let bus = Bus::with(&limits);
    let mut tool = tool(&bus);
    let mut ask = |json: &str| {
        tool.send(&unit(json));
        hear(&mut tool)
    };
    for (id, sub) in [(1, 7), (2, 8)] {
        let answer = ask(&format!(r#"{{"Subscribe":{{"id":{id},"topic":"a","sub_id":{sub}}}}}"#));
        assert_eq!(answer, format!(r#"{{"SubscribeAck":{{"id":{id},"result":{{"Ok":null}}}}}}"#));
    }
    let refused = [
        (
            r#"{"Subscribe":{"id":3,"topic":"b","sub_id":9}}"#,
            r#"{"SubscribeAck":{"id":3,"result":{"Err":{"Forbidden":"Busy: "#,
        ),
        (
            r#"{"Subscribe":{"id":4,"topic":"b","sub_id":7}}"#,
            r#"{"SubscribeAck":{"id":4,"result":{"Err":{"Forbidden":"Busy: "#,
        ),
        (
            r#"{"Subscribe":{"id":5,"topic":"b"}}"#,
            r#"{"SubscribeAck":{"id":5,"result":{"Err":{"Forbidden":"BodyDecodeError: "#,
        ),
        (
            r#"{"Publish":{"id":6,"topic":"b","message":[]}}"#,
            r#"{"PublishAck":{"id":6,"result":{"Err":{"Forbidden":"BodyDecodeError: "#,
        ),
    ];
    for (asked, beginning) in refused {
        let answer = ask(asked);
        assert!(answer.starts_with(beginning), "{asked}: {answer}");
    }
}

/// Reads the tap until a session is over; what was refused on it before, and why it ended.
fn until_over(reader: &mut Reader) -> (Vec<Refusal>, CloseCause) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut refused = Vec::new();
    loop {
        while let Some(batch) = reader.read() {
            for entry in batch.iter() {
                match &entry.entry.what {
                    What::Frame(frame) => {
                        if let (
                            Head::Rmp(rmp::Head { dialect: Dialect::Json, .. }),
                            Verdict::Rmp(rmp::Verdict::Refused(why)),
                        ) = (&frame.head, &frame.verdict)
                        {
                            refused.push(*why);
                        }
                    }
                    What::Transition(Transition::Rmp(rmp::Transition::Disconnected { cause, .. })) => {
                        return (refused, *cause);
                    }
                    _ => {}
                }
            }
        }
        runtime.block_on(reader.ready());
    }
}

#[test]
fn a_second_hello_is_refused_and_the_session_goes_on() {
    let bus = Bus::open();
    let mut reader = bus.station.as_ref().unwrap().port().entries().unwrap();
    let mut tool = tool(&bus);
    tool.send(&unit(r#"{"Hello":{"kind":"Ui"}}"#));
    tool.send(&unit(r#"{"Subscribe":{"id":1,"topic":"a","sub_id":1}}"#));
    assert_eq!(
        hear(&mut tool),
        r#"{"SubscribeAck":{"id":1,"result":{"Ok":null}}}"#,
        "the dialect has no answer to a Hello but one"
    );
    drop(tool);
    assert_eq!(until_over(&mut reader), (vec![Refusal::Forbidden], CloseCause::PeerClosed));
}

#[test]
fn a_unit_within_which_the_stream_ends_is_told_in_the_tap() {
    let bus = Bus::open();
    let mut reader = bus.station.as_ref().unwrap().port().entries().unwrap();
    let mut tool = tool(&bus);
    let whole = unit(r#"{"Subscribe":{"id":1,"topic":"a","sub_id":1}}"#);
    tool.send(&whole[..whole.len() - 1]);
    tool.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(tool.try_hear().is_none());
    let mismatch = Refusal::Fault(Code::LengthMismatch);
    assert_eq!(until_over(&mut reader), (vec![mismatch], CloseCause::Refused(mismatch)));
}

#[test]
fn a_tool_is_closed_without_a_word_that_answers_nothing() {
    let mut bus = Bus::open();
    let mut tool = tool(&bus);
    bus.station.take().unwrap().stop();
    assert!(tool.try_hear().is_none());
}
