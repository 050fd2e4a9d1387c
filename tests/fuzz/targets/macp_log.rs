//! Any bytes as the records of a session's log: whatever they are, both ways to take them in come to the same
//! session, which has ended where they are damaged.

#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use rl_console::{
    limits,
    macp::{
        Ending,
        kernel::{Kernel, rebuild},
        log::{Record, TtlExpired, What},
        proto::v1::{Envelope, SessionCancelPayload, SessionStartPayload},
    },
    time::Now,
};

const NUMBER: u64 = 1;
const TYPES: [&str; 8] =
    ["Proposal", "Evaluation", "Objection", "Vote", "Commitment", "Contribute", "Message", "SessionStart"];

fn incoming(message_type: &str, mode: &str, payload: &[u8]) -> What {
    let envelope = Envelope {
        macp_version: "1.0".to_owned(),
        mode: mode.to_owned(),
        message_type: message_type.to_owned(),
        message_id: format!("{message_type}-{}", payload.len()),
        session_id: "s".to_owned(),
        sender: "a".to_owned(),
        payload: Bytes::copy_from_slice(payload),
        ..Envelope::default()
    };
    What::Incoming(envelope.encode_to_vec().into())
}

fuzz_target!(|said: (bool, Vec<(u8, Vec<u8>)>)| {
    let (is_rounds, said) = said;
    let payload = SessionStartPayload {
        participants: vec!["a".to_owned(), "b".to_owned()],
        ..SessionStartPayload::default()
    };
    let mode = if is_rounds { "multi_round" } else { "" };
    let mut records =
        vec![Record::new(1, incoming("SessionStart", mode, &payload.encode_to_vec())).encode_to_vec().into()];
    for (how, bytes) in &said {
        let what = match how {
            0x80.. => {
                // The first may be damaged too.
                if *how == 0xff {
                    records.clear();
                }
                records.push(Bytes::copy_from_slice(bytes));
                continue;
            }
            0x40 => What::TtlExpired(TtlExpired::default()),
            0x41 => What::SessionCancel(SessionCancelPayload {
                reason: String::from_utf8_lossy(bytes).into_owned(),
                ..Default::default()
            }),
            0x42 => What::Resolution(Bytes::copy_from_slice(bytes)),
            0x43 => What::Incoming(Bytes::copy_from_slice(bytes)),
            how => incoming(TYPES[usize::from(how & 7)], "", bytes),
        };
        records.push(Record::new(u64::from(*how), what).encode_to_vec().into());
    }
    let limits = limits::Macp::default();
    let mut kernel = Kernel::new(Now::at_ms(0), limits);
    let mut is_damaged = false;
    let mut taken = records.iter();
    // A log whose first record is no start begins nothing.
    let has_begun = taken.next().is_some_and(|first| kernel.replay(NUMBER, first).is_ok());
    if has_begun {
        for record in taken {
            is_damaged |= kernel.replay(NUMBER, record).is_err();
        }
    }
    while kernel.poll_output().is_some() {}
    let rebuilt = rebuild(NUMBER, records.into_iter(), limits.shown_text_bytes_max);
    assert_eq!(rebuilt.is_ok(), has_begun);
    let Ok(rebuilt) = rebuilt else { return };
    let images = kernel.images();
    assert_eq!(images.len(), 1);
    let image = images.into_values().next().expect("there is one");
    assert_eq!(rebuilt, image);
    let ended_damaged = image.end.is_some_and(|(ending, ..)| ending == Ending::LogDamaged);
    assert!(!ended_damaged || is_damaged);
});
