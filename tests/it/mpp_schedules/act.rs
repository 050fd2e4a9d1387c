//! The steps of a schedule, and how they are drawn.

use proptest::prelude::*;

/// One step of a schedule.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Open,
    /// An adapter connects, or a second one tries.
    Connect,
    Hello(usize),
    Close(usize),
    /// A line on the active connection, or on some connection.
    Line(Option<usize>, Line),
    Enqueue(Vec<(usize, Option<u8>)>),
    Cancel(Vec<u64>, bool),
    Settle(u64, bool),
    Brake(u8, Option<usize>),
    Kick,
    Migrate,
    Pass(u64),
    /// The store answers so many requests, well or not.
    Answer(usize, bool),
    /// A read overtakes what was asked before it, as far as it may.
    ReadAhead,
    /// The station starts again, maybe with another manifest.
    Restart(bool),
}

#[derive(Clone, Debug)]
pub(super) enum Line {
    Pull(usize),
    /// What comes next on a queue when all goes well.
    Next(usize),
    Ack(usize),
    Applied(usize),
    Done(usize),
    Failed(usize, bool),
    Alive,
    Log,
    State(usize),
    Raw(usize),
}

pub(super) const EVENTS: [(&str, &str); 4] =
    [("free", "{}"), ("spawn", "{}"), ("give_item", r#"{"item_id":1}"#), ("give_item", r#"{"item_id":"x"}"#)];
pub(super) const QUEUES: [&str; 2] = ["default", "boss"];
pub(super) const STATES: [&str; 4] = [
    r#""resets","value":3"#,
    r#""notes","value":{"a":"<raw-token>"},"scope":"<raw-token>""#,
    r#""mood","value":"\u003craw-token>""#,
    r#""goal","value":1"#,
];
pub(super) const RAW: [&str; 9] = [
    r#"{"mpp":2,"type":"state_write","key":"\u003craw-token>","value":1}"#,
    "",
    "{",
    r#"{"mpp":2,"type":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"pull","queue":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"protocol_error","code":"<raw-token>","message":"<raw-token>"}"#,
    r#"{"mpp":1,"type":"hello","bridge_token":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"hello","pack_id":"x","manifest_hash":"y","bridge_token":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"ack","id":18446744073709551615}"#,
];

pub(super) fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        2 => (0..2_usize).prop_map(Line::Pull),
        60 => (0..2_usize).prop_map(Line::Next),
        2 => (0..4_usize).prop_map(Line::Ack),
        2 => (0..4_usize).prop_map(Line::Applied),
        4 => (0..4_usize).prop_map(Line::Done),
        4 => (0..4_usize, any::<bool>()).prop_map(|(id, refund)| Line::Failed(id, refund)),
        1 => Just(Line::Alive),
        1 => Just(Line::Log),
        1 => (0..STATES.len()).prop_map(Line::State),
        1 => (0..RAW.len()).prop_map(Line::Raw),
    ]
}

pub(super) fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => Just(Act::Connect),
        1 => Just(Act::Open),
        1 => (0..3_usize).prop_map(Act::Hello),
        1 => (0..3_usize).prop_map(Act::Close),
        60 => (prop::option::weighted(0.03, 0..3_usize), line())
            .prop_map(|(conn, line)| Act::Line(conn, line)),
        16 => prop::collection::vec((0..EVENTS.len() + 1, prop::option::weighted(0.2, 0..3_u8)), 1..6)
            .prop_map(Act::Enqueue),
        3 => (prop::collection::vec(1..40_u64, 1..5), any::<bool>())
            .prop_map(|(ids, refund)| Act::Cancel(ids, refund)),
        1 => (1..40_u64, any::<bool>()).prop_map(|(id, done)| Act::Settle(id, done)),
        2 => (0..5_u8, prop::option::of(0..2_usize)).prop_map(|(brake, queue)| Act::Brake(brake, queue)),
        1 => Just(Act::Kick),
        5 => Just(Act::Migrate),
        5 => prop_oneof![8 => 0..400_u64, 1 => 0..40_000_u64].prop_map(Act::Pass),
        60 => (1..6_usize, prop::bool::weighted(0.95)).prop_map(|(count, well)| Act::Answer(count, well)),
        3 => Just(Act::ReadAhead),
        2 => any::<bool>().prop_map(Act::Restart),
    ]
}
