use super::*;
use crate::mpp::manifest::Pack;

const TOKEN: &str = "the-raw-token";

const PACK: &str = r#"
[pack]
id = "com.example.mypack"
name = "My pack"
version = "1.0.0"
[queues.default]
ready_after = "applied"
[queues.boss]
ready_after = "done"
[events.give_item]
queue = "default"
[events.fight]
queue = "boss"
[state.resets]
writer = "adapter"
persist = true
schema = { type = "integer" }
[state.goal]
writer = "platform"
"#;

fn adapter(latency_ms: u64, fail_rate: f64, refund_rate: f64) -> Adapter {
    let pack = Pack::parse(PACK.as_bytes(), &mut |_| unreachable!()).unwrap();
    let manner = AdapterProfile {
        latency: Duration::from_millis(latency_ms),
        fail_rate,
        refund_rate,
        seed: 1,
        logs_per_s: None,
    };
    Adapter::new(Facts::of(&pack), manner, Secret::new(TOKEN).unwrap())
}

/// The lines sent since the last call, and whether the connection is to end.
fn sent(adapter: &mut Adapter) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(output) = adapter.poll_output() {
        match output {
            Output::Send(frame) => lines.push(String::from_utf8(frame).unwrap().trim_end().to_owned()),
            Output::End(end) => lines.push(format!("{end:?}")),
            Output::Tell(event) => assert!(!serde_json::to_string(&event).unwrap().contains(TOKEN)),
        }
    }
    lines
}

fn line(adapter: &mut Adapter, ms: u64, line: &str) -> Vec<String> {
    adapter.handle(Now::at_ms(ms), Input::Line(format!("{line}\n").as_bytes()));
    sent(adapter)
}

fn at(adapter: &mut Adapter, ms: u64) -> Vec<String> {
    adapter.handle(Now::at_ms(ms), Input::Timeout);
    sent(adapter)
}

const ACK: &str =
    r#"{"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "streamer_login", "session_id": 42}"#;

/// Connected and taken; what it sent is dropped.
fn serving(latency_ms: u64, fail_rate: f64, refund_rate: f64) -> Adapter {
    let mut adapter = adapter(latency_ms, fail_rate, refund_rate);
    adapter.handle(Now::at_ms(0), Input::Connected);
    line(&mut adapter, 0, ACK);
    assert!(adapter.is_serving());
    adapter
}

fn invocation(id: u64, queue: &str) -> String {
    format!(
        r#"{{"mpp": 2, "type": "invocation", "id": {id}, "queue": "{queue}", "event": "give_item", "params": {{"item_id": 4}}}}"#
    )
}

#[test]
fn greets_then_writes_its_state_and_pulls_every_queue() {
    let mut adapter = adapter(0, 0.0, 0.0);
    adapter.handle(Now::at_ms(0), Input::Connected);
    let hello = sent(&mut adapter);
    let hash = adapter.facts.manifest_hash.clone();
    assert_eq!(
        hello,
        [format!(
            r#"{{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"{hash}","bridge_token":"{TOKEN}"}}"#
        )]
    );
    assert_eq!(
        line(&mut adapter, 1, ACK),
        [
            r#"{"mpp":2,"type":"log","level":"info","message":"simulated adapter of com.example.mypack: 2 queues, 1 key"}"#,
            r#"{"mpp":2,"type":"state_write","key":"resets","value":1,"scope":"sim:1"}"#,
            r#"{"mpp":2,"type":"pull","queue":"boss"}"#,
            r#"{"mpp":2,"type":"pull","queue":"default"}"#,
        ]
    );
}

#[test]
fn goes_on_from_replayed_values_and_does_not_write_over_them() {
    let mut adapter = adapter(0, 0.0, 0.0);
    adapter.handle(Now::at_ms(0), Input::Connected);
    sent(&mut adapter);
    let ack = r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"a","session_id":1,"persisted":[{"key":"resets","value":3}]}"#;
    assert!(!line(&mut adapter, 0, ack).iter().any(|line| line.contains("state_write")));
    let lines = line(&mut adapter, 0, &invocation(1, "default"));
    assert_eq!(
        lines.last().unwrap(),
        r#"{"mpp":2,"type":"state_write","key":"resets","value":4,"scope":"sim:1"}"#
    );
}

#[test]
fn pulls_after_applied_where_the_queue_is_ready_then() {
    let mut adapter = serving(100, 0.0, 0.0);
    assert_eq!(line(&mut adapter, 10, &invocation(123, "default")), [r#"{"mpp":2,"type":"ack","id":123}"#]);
    assert_eq!(adapter.next_due(), Some(Now::at_ms(60).mono));
    assert!(at(&mut adapter, 59).is_empty());
    assert_eq!(
        at(&mut adapter, 60),
        [
            r#"{"mpp":2,"type":"applied","id":123,"result":{"by":"sim adapter"}}"#,
            r#"{"mpp":2,"type":"pull","queue":"default"}"#
        ]
    );
    assert_eq!(
        at(&mut adapter, 110),
        [
            r#"{"mpp":2,"type":"done","id":123}"#,
            r#"{"mpp":2,"type":"state_write","key":"resets","value":2,"scope":"sim:1"}"#
        ]
    );
}

#[test]
fn pulls_after_done_where_the_queue_is_ready_only_then() {
    let mut adapter = serving(100, 0.0, 0.0);
    line(&mut adapter, 0, &invocation(5, "boss"));
    assert_eq!(at(&mut adapter, 50), [r#"{"mpp":2,"type":"applied","id":5,"result":{"by":"sim adapter"}}"#]);
    let lines = at(&mut adapter, 100);
    assert_eq!(lines.first().unwrap(), r#"{"mpp":2,"type":"done","id":5}"#);
    assert_eq!(lines.last().unwrap(), r#"{"mpp":2,"type":"pull","queue":"boss"}"#);
}

#[test]
fn without_latency_all_frames_of_an_invocation_leave_at_once() {
    let mut adapter = serving(0, 0.0, 0.0);
    let kinds: Vec<String> =
        line(&mut adapter, 0, &invocation(5, "default")).iter().map(|line| line[16..22].to_owned()).collect();
    assert_eq!(kinds, ["\"ack\",", "\"appli", "\"pull\"", "\"done\"", "\"state"]);
}

#[test]
fn failures_free_the_queue_with_and_without_a_refund() {
    let mut failing = serving(0, 1.0, 0.0);
    assert_eq!(
        line(&mut failing, 0, &invocation(7, "boss"))[1..],
        [
            r#"{"mpp":2,"type":"failed","id":7,"reason":"the simulated game could not do it"}"#,
            r#"{"mpp":2,"type":"pull","queue":"boss"}"#
        ]
    );
    let mut refunding = serving(0, 0.0, 1.0);
    assert_eq!(
        line(&mut refunding, 0, &invocation(7, "boss"))[1],
        r#"{"mpp":2,"type":"failed","id":7,"reason":"the simulated game was in that state already","refund":true}"#
    );
    assert_eq!(refunding.ended(), Event::Ended { done: 0, failed: 0, refunded: 1, logs: None });
}

#[test]
fn beats_every_fifteen_seconds() {
    let mut adapter = serving(0, 0.0, 0.0);
    assert!(at(&mut adapter, 14_999).is_empty());
    assert_eq!(at(&mut adapter, 15_000), [r#"{"mpp":2,"type":"heartbeat"}"#]);
    assert_eq!(adapter.next_due(), Some(Now::at_ms(30_000).mono));
}

#[test]
fn a_refusal_or_a_protocol_error_ends_the_connection() {
    let mut greeting = adapter(0, 0.0, 0.0);
    greeting.handle(Now::at_ms(0), Input::Connected);
    sent(&mut greeting);
    let refused = r#"{"mpp": 2, "type": "hello_ack", "ok": false, "reason": "manifest_hash_mismatch"}"#;
    assert_eq!(line(&mut greeting, 0, refused), [r#"Refused("manifest_hash_mismatch")"#]);
    let error =
        r#"{"mpp": 2, "type": "protocol_error", "code": "INVALID_FRAME", "message": "unknown type: 'foo'"}"#;
    assert_eq!(
        line(&mut serving(0, 0.0, 0.0), 0, error),
        [r#"ProtocolError("INVALID_FRAME: unknown type: 'foo'")"#]
    );
}

#[test]
fn a_station_that_breaks_the_protocol_is_told_and_left() {
    let without_pull = |adapter: &mut Adapter| {
        line(adapter, 0, &invocation(1, "boss"));
        line(adapter, 0, &invocation(2, "boss"))
    };
    assert_eq!(
        without_pull(&mut serving(100, 0.0, 0.0)),
        [
            r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"received invocation 2 on boss without a pull"}"#,
            r#"Fault("received invocation 2 on boss without a pull")"#
        ]
    );
    for bad in ["nonsense", &invocation(1, "other"), r#"{"mpp":1,"type":"heartbeat"}"#, ACK] {
        let lines = line(&mut serving(0, 0.0, 0.0), 0, bad);
        assert!(lines.last().unwrap().starts_with("Fault("), "{bad}: {lines:?}");
    }
}

#[test]
fn a_new_connection_starts_afresh() {
    let mut adapter = serving(100, 0.0, 0.0);
    line(&mut adapter, 0, &invocation(1, "boss"));
    adapter.handle(Now::at_ms(10), Input::Closed);
    assert_eq!(adapter.next_due(), None);
    adapter.handle(Now::at_ms(20), Input::Connected);
    line(&mut adapter, 20, ACK);
    assert_eq!(line(&mut adapter, 30, &invocation(1, "boss")), [r#"{"mpp":2,"type":"ack","id":1}"#]);
    assert_eq!(at(&mut adapter, 80).len(), 1);
}

#[test]
fn a_flood_pours_logs_between_the_frames_of_work() {
    let mut adapter = adapter(100, 0.0, 0.0);
    adapter.flood = Some(Flood::new(1_000));
    adapter.handle(Now::at_ms(0), Input::Connected);
    line(&mut adapter, 0, ACK);
    assert_eq!(adapter.next_due(), Some(Now::at_ms(2).mono));
    assert_eq!(at(&mut adapter, 2).len(), 2);
    assert_eq!(line(&mut adapter, 3, &invocation(1, "default")), [r#"{"mpp":2,"type":"ack","id":1}"#]);
    for ms in (4..=1_002).step_by(2) {
        adapter.handle(Now::at_ms(ms), Input::Timeout);
    }
    let lines = sent(&mut adapter);
    let count = |kind: &str| {
        lines.iter().filter(|line| line.starts_with(&format!(r#"{{"mpp":2,"type":"{kind}""#))).count()
    };
    assert_eq!([count("log"), count("applied"), count("done")], [1_000, 1, 1]);
    assert_eq!(adapter.ended(), Event::Ended { done: 1, failed: 0, refunded: 0, logs: Some(1_002) });
    adapter.handle(Now::at_ms(1_003), Input::Closed);
    assert_eq!(adapter.next_due(), None);
}
