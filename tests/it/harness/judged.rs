//! What was judged before, beside what became of it.

use rl_console::{
    ids::ConnectionId,
    judged::{Certainty, Judged},
    mpp::{CloseCause, Stand, Verdict},
    tap::entry::{self, mpp::Transition},
};

use super::{HELLO, TOKEN, TestBridge};

/// Frames of all kinds, well or not, with `#` in place of an id.
pub(crate) const FRAMES: [&str; 22] = [
    HELLO,
    r#"{"mpp":2,"type":"pull","queue":"default"}"#,
    r#"{"mpp":2,"type":"pull","queue":"boss"}"#,
    r#"{"mpp":2,"type":"pull","queue":"none"}"#,
    r#"{"mpp":2,"type":"ack","id":#}"#,
    r#"{"mpp":2,"type":"applied","id":#,"result":{"resolved_item_id":4}}"#,
    r#"{"mpp":2,"type":"applied","id":#,"result":null}"#,
    r#"{"mpp":2,"type":"done","id":#}"#,
    r#"{"mpp":2,"type":"failed","id":#,"reason":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"failed","id":#,"reason":"x","refund":true}"#,
    r#"{"mpp":2,"type":"heartbeat"}"#,
    r#"{"mpp":2,"type":"log","level":"info","message":"loaded ROM in 12 ms"}"#,
    r#"{"mpp":2,"type":"state_write","key":"resets","value":3,"scope":"trainer:42"}"#,
    r#"{"mpp":2,"type":"state_write","key":"resets","value":"x"}"#,
    r#"{"mpp":2,"type":"state_write","key":"mood","value":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"state_write","key":"goal","value":1}"#,
    r#"{"mpp":2,"type":"protocol_error","code":"X","message":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"invocation","id":#,"queue":"default","event":"free","params":{}}"#,
    r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"x","session_id":1}"#,
    r#"{"mpp":1,"type":"hello"}"#,
    "[]",
    "",
];

/// The verdict of a judgement of a whole line.
pub(crate) fn verdict(judged: &Judged) -> Verdict {
    match &judged.verdict {
        Ok(entry::Verdict::Mpp(verdict)) => verdict.clone(),
        other => panic!("{other:?} of {judged:?}"),
    }
}

/// The judgement of a line, which says no token.
pub(crate) fn judge(world: &TestBridge, stand: &Stand, wire: &[u8]) -> Judged {
    let judged = world.bridge.judge(world.now, stand, wire);
    says_no_token(&judged);
    judged
}

/// What becomes of a newcomer's line is what was judged before it came; the connection that stays at last.
pub(crate) fn newcomer(world: &mut TestBridge, wire: &[u8]) -> Option<ConnectionId> {
    let judged = judge(world, &Stand::Newcomer, wire);
    let conn = world.open();
    let verdict = world.bytes(conn, wire);
    agrees(world, conn, &verdict, &judged);
    (verdict == Verdict::Accepted).then_some(conn)
}

/// Checks a judgement against what the bridge then did of a line.
pub(crate) fn agrees(world: &TestBridge, conn: ConnectionId, verdict: &Verdict, judged: &Judged) {
    assert_eq!(self::verdict(judged), *verdict, "judge and handle agree: {judged:?}");
    says_no_token(judged);
    let answers: Vec<&str> = judged.answers.iter().map(|it| text(&it.bytes)).collect();
    let sent: Vec<&str> =
        world.sent.iter().filter(|(to, _)| *to == conn).map(|(_, frame)| frame.as_str()).collect();
    if judged.certainty == Certainty::AfterALook {
        assert!(sent.starts_with(&answers), "{sent:?} after {judged:?}");
    } else {
        assert_eq!(sent, answers, "{judged:?}");
    }
    let ended = world.closed.iter().find(|(closed, _)| *closed == conn).map(|(_, cause)| match cause {
        CloseCause::Fault(fault) => fault.to_string(),
        cause => cause.code().to_owned(),
    });
    assert_eq!(judged.ends, ended, "{judged:?}");
    let Some(hanging) = judged.effect.as_deref().and_then(|it| it.strip_prefix("adapter disconnected, "))
    else {
        return;
    };
    let count = |of: fn(&&Transition) -> bool| world.transitions().into_iter().filter(of).count();
    let requeued = count(|it| matches!(it, Transition::Requeued { .. }));
    let left = count(|it| matches!(it, Transition::Orphaned { .. }));
    let mut words = Vec::new();
    if requeued > 0 {
        words.push(format!("{requeued} in flight would be requeued"));
    }
    match (left, requeued) {
        (0, 0) => words.push("nothing in flight".to_owned()),
        (0, _) => {}
        (1, 0) => words.push("1 row would stay applied".to_owned()),
        (left, 0) => words.push(format!("{left} rows would stay applied")),
        (left, _) => words.push(format!("{left} would stay applied")),
    }
    assert_eq!(hanging, words.join(", "));
}

/// No text of a judgement says the token.
pub(crate) fn says_no_token(judged: &Judged) {
    let shown = format!("{judged:?}");
    let answers: String = judged.answers.iter().map(|answer| text(&answer.bytes)).collect();
    assert!(!shown.contains(TOKEN) && !answers.contains(TOKEN), "{judged:?}");
}

/// A frame of the bridge without its LF.
pub(crate) fn text(frame: &[u8]) -> &str {
    std::str::from_utf8(frame.strip_suffix(b"\n").unwrap()).unwrap()
}
