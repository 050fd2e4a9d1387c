//! Any requests: what decodes is answered once, as `judge` says before, and the log of each session makes it
//! again.

#![no_main]

use std::collections::BTreeMap;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use rl_console::{
    limits,
    macp::{
        Rpc, Stand,
        envelope::{bytes_within, request},
        kernel::{Answer, Input, Kernel, Lookup, Output, rebuild},
        proto::v1::{Envelope, SendRequest, SessionStartPayload},
    },
    tap::entry::Verdict,
    time::Now,
};

const SESSIONS: [(&str, &str); 2] = [("d", "decision"), ("r", "multi_round")];
const TYPES: [&str; 8] =
    ["Proposal", "Evaluation", "Objection", "Vote", "Commitment", "Contribute", "Message", "SessionStart"];
const SENDERS: [&str; 3] = ["a", "b", "mallory"];

fn start(session: &str, mode: &str) -> Envelope {
    let payload = SessionStartPayload {
        participants: vec!["a".to_owned(), "b".to_owned()],
        ..SessionStartPayload::default()
    };
    Envelope {
        mode: mode.to_owned(),
        payload: payload.encode_to_vec().into(),
        ..envelope(session, "SessionStart", "start", "a", &[])
    }
}

fn envelope(session: &str, message_type: &str, id: &str, sender: &str, payload: &[u8]) -> Envelope {
    Envelope {
        macp_version: "1.0".to_owned(),
        message_type: message_type.to_owned(),
        message_id: id.to_owned(),
        session_id: session.to_owned(),
        sender: sender.to_owned(),
        payload: Bytes::copy_from_slice(payload),
        ..Envelope::default()
    }
}

/// Records by session.
type Log = BTreeMap<u64, Vec<Bytes>>;

/// A request of any bytes: it is judged as it is handled, where it gets as far as the kernel.
fn handle(kernel: &mut Kernel, log: &mut Log, now: Now, request: &Bytes) {
    let stand = Stand::new(Rpc::Send);
    let judged = kernel.judge(now, &stand, request, 0, Lookup::NotAsked);
    assert_eq!(judged.taken_bytes, request.len());
    let Ok(SendRequest { envelope: Some(envelope) }) = SendRequest::decode(request.clone()) else {
        assert!(judged.ends.is_some() && judged.answers.is_empty(), "the call ends with a status");
        return;
    };
    let bytes = bytes_within(request, &envelope);
    assert_eq!(Envelope::decode(bytes.clone()).expect("it is the envelope's"), envelope);
    let input = Input::Message {
        envelope: &envelope,
        bytes,
        parsed: None,
        peer_sessions: 0,
        lookup: Lookup::NotAsked,
        traceparent: None,
    };
    kernel.handle(now, &input);
    let (mut received, mut answers) = (None, 0);
    while let Some(output) = kernel.poll_output() {
        match output {
            Output::Received { verdict, .. } => received = Some(verdict),
            Output::Persist { session, record, .. } => log.entry(session).or_default().push(record),
            Output::Answer(Answer::Acked(_) | Answer::Declined { .. }) => answers += 1,
            Output::Answer(Answer::Session { .. }) | Output::Load { .. } => panic!("nobody asked"),
            Output::Transition { .. } => {}
        }
    }
    assert_eq!(received.map(|verdict| Ok(Verdict::Macp(verdict))), Some(judged.verdict));
    assert_eq!((answers, judged.answers.len() + usize::from(judged.ends.is_some())), (1, 1));
}

fuzz_target!(|said: Vec<(u8, u8, Vec<u8>)>| {
    let limits = limits::Macp::default();
    let mut kernel = Kernel::new(Now::at_ms(0), limits);
    let mut log = Log::new();
    for (session, mode) in SESSIONS {
        let start = start(session, mode);
        handle(&mut kernel, &mut log, Now::at_ms(0), &request(start).encode_to_vec().into());
    }
    for (number, (how, id, bytes)) in said.iter().enumerate() {
        let now = Now::at_ms(number as u64 * 1_000);
        if how & 0x80 != 0 {
            handle(&mut kernel, &mut log, now, &Bytes::copy_from_slice(bytes));
            continue;
        }
        let (session, _) = SESSIONS[usize::from(how & 1)];
        let message_type = TYPES[usize::from(how >> 1 & 7)];
        let sender = SENDERS[usize::from(how >> 4 & 7) % SENDERS.len()];
        let envelope = envelope(session, message_type, &format!("m{}", id % 16), sender, bytes);
        handle(&mut kernel, &mut log, now, &request(envelope).encode_to_vec().into());
    }
    for image in kernel.images().into_values() {
        let records = log.remove(&image.number).expect("each session has its log");
        assert_eq!(
            rebuild(image.number, records.into_iter(), limits.shown_text_bytes_max).expect("it begins well"),
            image
        );
    }
});
