//! Bytes that were once well, changed at random: whatever they are, they are judged once, and nothing is made
//! of them that a log does not make again.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message as _;

use super::test_kernel::{TestKernel, envelope, participants, rounds, start};
use crate::{
    limits,
    macp::{
        envelope::{bytes_within, request},
        kernel::{Answer, Input, Kernel, Lookup, parse_ahead, rebuild},
        log::{Record, TtlExpired, What},
        proto::v1::{Envelope, SendRequest, SessionCancelPayload, SessionStartPayload},
    },
    store::macp::{push, readable, records},
    time::Now,
};

/// Every kind of message, of two sessions.
fn messages() -> Vec<Envelope> {
    let payload = SessionStartPayload {
        intent: "what".to_owned(),
        ttl_ms: 50_000,
        context: r#"{"trace_id":"0191d3c2-7a41-7f00-8000-00000000a41f"}"#.into(),
        ..participants(&["a", "b"])
    };
    let said = [
        ("d", "Proposal", r#"{"proposal_id":"p","option":"o","rationale":"r","supporting_data":"AAE="}"#),
        ("d", "Evaluation", r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.5}"#),
        ("d", "Objection", r#"{"proposal_id":"p","severity":"high"}"#),
        ("d", "Vote", r#"{"proposal_id":"p","vote":"approve"}"#),
        ("d", "Message", "hello"),
        ("r", "Contribute", r#"{"value":"x"}"#),
        ("d", "Commitment", r#"{"commitment_id":"c","action":"go"}"#),
        ("d", "Message", "resolve"),
        ("", "Signal", "\u{7f}"),
    ];
    let said = said.into_iter().enumerate().flat_map(|(n, (session, message_type, payload))| {
        ["a", "b"].map(|sender| envelope(session, message_type, &format!("m{n}{sender}"), sender, payload))
    });
    [start("d", "m", &payload), rounds("r", "m", &["a", "b"])].into_iter().chain(said).collect()
}

/// Changes some bytes, or puts others in their place.
fn mutate(chance: &mut fastrand::Rng, bytes: &mut Vec<u8>, others: &[u8]) {
    for _ in 0..chance.usize(1..4) {
        let at = chance.usize(..=bytes.len());
        match chance.u8(..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, chance.u8(..)),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => {
                let from = chance.usize(..=others.len());
                let to = chance.usize(from..=others.len().min(from + 40));
                bytes.splice(at..at, others[from..to].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << chance.u8(..8),
            _ => {}
        }
    }
}

#[test]
fn a_request_of_any_bytes_is_judged_once_and_its_session_is_made_again_by_its_log() {
    let messages = messages();
    let limits = limits::Macp { payload_bytes_max: 1_024, id_bytes_max: 64, ..limits::Macp::default() };
    let (mut decoded, mut taken) = (0, 0);
    for seed in 0..300 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut fixture = TestKernel::with(limits);
        for n in 0..80 {
            fixture.ms += chance.u64(..1_000);
            let message = &messages[if n < 2 { n } else { chance.usize(..messages.len()) }];
            let mut bytes = request(message.clone()).encode_to_vec();
            // Well ones among them bring the sessions on.
            if chance.u8(..3) > 0 {
                let other =
                    chance.choice(&messages).map(|other| request(other.clone()).encode_to_vec()).unwrap();
                mutate(&mut chance, &mut bytes, &other);
            }
            let bytes = Bytes::from(bytes);
            let Ok(SendRequest { envelope: Some(envelope) }) = SendRequest::decode(bytes.clone()) else {
                continue;
            };
            decoded += 1;
            let within = bytes_within(&bytes, &envelope);
            assert_eq!(Envelope::decode(within.clone()).unwrap(), envelope, "seed {seed}");
            let parsed = parse_ahead(&envelope, &limits);
            let input = Input::Message {
                envelope: &envelope,
                bytes: within,
                parsed: parsed.as_ref(),
                peer_sessions: 0,
                traceparent: None,
                lookup: Lookup::NotAsked,
            };
            let records = fixture.log.len();
            match fixture.input(input) {
                Some(Ok(Answer::Acked(ack))) if ack.error.is_none() => taken += fixture.log.len() - records,
                Some(Ok(Answer::Acked(_) | Answer::Declined { .. })) => {
                    // A refusal may notice that the TTL is over.
                    let noticed = fixture.log[records..]
                        .iter()
                        .all(|(_, it)| matches!(Record::read(it), Ok((_, What::TtlExpired(_)))));
                    assert!(noticed, "seed {seed}");
                }
                answer => panic!("seed {seed}: {answer:?}"),
            }
        }
        let replayed = fixture.replayed();
        for (id, image) in fixture.kernel.images() {
            assert_eq!(replayed.image(&id).as_ref(), Some(&image), "seed {seed}");
            let own = fixture
                .log
                .iter()
                .filter(|(number, _)| *number == image.number)
                .map(|(_, record)| record.clone());
            assert_eq!(
                rebuild(image.number, own, limits.shown_text_bytes_max).unwrap(),
                image,
                "seed {seed}"
            );
        }
    }
    assert!(decoded > 5_000 && taken > 2_000, "{decoded} {taken}");
}

/// The records of one session of each mode, and of ends.
fn logs() -> Vec<(u64, Bytes)> {
    let mut fixture = TestKernel::new();
    for message in messages() {
        fixture.receive(&message);
    }
    let ends = [
        What::TtlExpired(TtlExpired { is_swept: true }),
        What::TtlExpired(TtlExpired::default()),
        What::SessionCancel(SessionCancelPayload {
            reason: "enough".to_owned(),
            cancelled_by: "x".to_owned(),
        }),
        What::Resolution(Bytes::from_static(b"{}")),
    ];
    let ends = ends.map(|what| (1, Bytes::from(Record::new(9, what).encode_to_vec())));
    fixture.log.into_iter().chain(ends).collect()
}

#[test]
fn a_segment_of_any_bytes_is_read_as_far_as_it_goes_and_both_ways_to_take_it_in_agree() {
    let limits = limits::Macp::default();
    let all = logs();
    let (mut read, mut damaged) = (0, 0);
    for seed in 0..3_000 {
        let mut chance = fastrand::Rng::with_seed(seed);
        // One log with what belongs to it and what does not, in about its order.
        let mut records_of: Vec<_> = all.iter().filter(|_| chance.u8(..8) > 0).cloned().collect();
        for _ in 0..chance.usize(..3) {
            let (one, other) = (chance.usize(..records_of.len()), chance.usize(..records_of.len()));
            records_of.swap(one, other);
        }
        let mut segment = Vec::new();
        for (number, record) in &records_of {
            push(&mut segment, *number, record);
        }
        let other = segment.clone();
        if chance.bool() {
            mutate(&mut chance, &mut segment, &other);
        }
        let segment = Bytes::from(segment);
        let found = readable(&segment);
        assert!(records(&segment).is_none_or(|whole| whole == found), "seed {seed}");
        let mut kernel = Kernel::new(Now::at_ms(0), limits);
        let mut by_session: BTreeMap<u64, Vec<Bytes>> = BTreeMap::new();
        let mut is_headless = BTreeMap::new();
        for (number, record) in found {
            read += 1;
            // What does not begin is not taken further, as a start of the runtime does it.
            if is_headless.get(&number) == Some(&true) {
                continue;
            }
            let is_damaged = kernel.replay(number, &record).is_err();
            is_headless.insert(number, !kernel.has(number));
            damaged += u32::from(is_damaged);
            by_session.entry(number).or_default().push(record);
        }
        while kernel.poll_output().is_some() {}
        assert_eq!((kernel.last_ticket().0, kernel.unsaved_bytes()), (0, 0), "nothing is written again");
        let images: BTreeMap<u64, _> =
            kernel.sessions.values().map(|session| (session.number, session.image())).collect();
        for (number, records) in by_session {
            let rebuilt = rebuild(number, records.into_iter(), limits.shown_text_bytes_max).ok();
            assert_eq!(rebuilt.as_ref(), images.get(&number), "seed {seed}, session {number}");
        }
        let open = images.values().filter(|image| image.end.is_none()).count() as u64;
        assert_eq!((kernel.open, kernel.in_memory()), (open, images.len() as u64), "seed {seed}");
    }
    assert!(read > 10_000 && damaged > 500, "{read} {damaged}");
}
