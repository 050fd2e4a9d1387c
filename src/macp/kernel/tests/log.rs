//! A kernel that its log makes equals the one before.

use bytes::Bytes;
use prost::Message as _;

use super::test_kernel::{TestKernel, accepted, envelope, participants, rounds, start};
use crate::{
    ids::Ticket,
    macp::{
        Ending, Transition,
        kernel::{Input, Kernel, Output, rebuild},
        log::{Record, TtlExpired, What},
        proto::v1::SessionStartPayload,
    },
    store::macp::{push, records},
    time::Now,
};

const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn filled() -> TestKernel {
    filled_step_by_step(&mut |_| ())
}

/// Sessions in which all happens that can; `each` sees them after every message.
fn filled_step_by_step(each: &mut dyn FnMut(&TestKernel)) -> TestKernel {
    let mut fixture = TestKernel::new();
    let payload = SessionStartPayload {
        intent: "what to do".to_owned(),
        mode_version: "1.0.0".to_owned(),
        configuration_version: "c1".to_owned(),
        policy_version: "p1".to_owned(),
        ttl_ms: 1_000,
        context: r#"{"trace_id":"0191d3c2-7a41-7f00-8000-00000000a41f"}"#.into(),
        ..participants(&["a", "b"])
    };
    fixture.traceparent = Some(TRACEPARENT);
    accepted(&fixture.send(&start("decides", "m1", &payload)));
    fixture.traceparent = None;
    accepted(&fixture.send(&rounds("agrees", "m1", &["a", "b"])));
    for (n, (kind, json)) in [
        ("Proposal", r#"{"proposal_id":"p","option":"o","rationale":"r","supporting_data":"AAE="}"#),
        ("Evaluation", r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.1}"#),
        ("Objection", r#"{"proposal_id":"p","severity":"high"}"#),
        ("Vote", r#"{"proposal_id":"p","vote":"approve"}"#),
        ("Vote", r#"{"proposal_id":"q","vote":"reject"}"#),
        ("Message", "hello"),
    ]
    .into_iter()
    .enumerate()
    {
        fixture.ms += 1;
        accepted(&fixture.send_text(
            "decides",
            kind,
            &format!("d{n}"),
            if n % 2 == 0 { "a" } else { "b" },
            json,
        ));
        each(&fixture);
    }
    for (n, (sender, value)) in [("a", "x"), ("b", "y"), ("a", "x"), ("a", "y")].into_iter().enumerate() {
        fixture.ms += 1;
        accepted(&fixture.send_text(
            "agrees",
            "Contribute",
            &format!("c{n}"),
            sender,
            &format!(r#"{{"value":"{value}"}}"#),
        ));
        each(&fixture);
    }
    accepted(&fixture.send(&start("ends", "m1", &payload)));
    each(&fixture);
    fixture.cancel("ends", "no more");
    each(&fixture);
    accepted(&fixture.send(&start("commits", "m1", &payload)));
    for (id, kind, json) in DECISION {
        accepted(&fixture.send_text("commits", kind, id, "a", json));
        each(&fixture);
    }
    accepted(&fixture.send(&start("expires", "m1", &SessionStartPayload { ttl_ms: 1, ..payload.clone() })));
    fixture.ms += 2;
    assert!(fixture.state_of("expires").is_ok());
    each(&fixture);
    accepted(&fixture.send(&start("is swept", "m1", &SessionStartPayload { ttl_ms: 1, ..payload })));
    fixture.ms += 2;
    fixture.input(Input::Timeout);
    each(&fixture);
    assert!(fixture.state_of("is swept").is_ok());
    each(&fixture);
    fixture
}

const DECISION: [(&str, &str, &str); 3] = [
    ("c1", "Proposal", r#"{"proposal_id":"p","option":"o"}"#),
    ("c2", "Vote", r#"{"proposal_id":"p","vote":"approve"}"#),
    ("c3", "Commitment", r#"{"commitment_id":"c","action":"go"}"#),
];

#[test]
fn a_log_that_ends_behind_any_message_makes_the_kernel_of_that_moment() {
    let mut moments = Vec::new();
    let fixture = filled_step_by_step(&mut |fixture| {
        moments.push((fixture.log.len(), fixture.kernel.images(), fixture.kernel.open()));
    });
    assert!(moments.len() > 15);
    for (records, images, open) in moments {
        let mut kernel = Kernel::new(Now::at_ms(0), crate::limits::Macp::default());
        for (number, record) in &fixture.log[..records] {
            kernel.replay(*number, record).unwrap();
        }
        assert_eq!((kernel.images(), kernel.open()), (images, open), "{records} records");
    }
}

#[test]
fn a_commitment_whose_segment_is_cut_anywhere_is_there_whole_or_not_at_all() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &SessionStartPayload::default())));
    let mut before = 0;
    for (id, kind, json) in DECISION {
        before = fixture.log.len();
        accepted(&fixture.send_text("s", kind, id, "a", json));
    }
    assert_eq!(fixture.log.len(), before + 2, "the message and the resolution");
    let mut segment = Vec::new();
    for (number, record) in &fixture.log[before..] {
        push(&mut segment, *number, record);
    }
    let whole = fixture.kernel.image("s").unwrap();
    let segment = Bytes::from(segment);
    let mut committed = 0;
    for cut in 0..=segment.len() {
        let mut kernel = Kernel::new(Now::at_ms(0), crate::limits::Macp::default());
        for (number, record) in &fixture.log[..before] {
            kernel.replay(*number, record).unwrap();
        }
        let open = kernel.image("s").unwrap();
        match records(&segment.slice(..cut)) {
            Some(found) => {
                for (number, record) in &found {
                    kernel.replay(*number, record).unwrap();
                }
            }
            None => assert!(kernel.damage(1, "it is cut")),
        }
        let image = kernel.image("s").unwrap();
        if image == whole {
            committed += 1;
        } else {
            assert_eq!(
                (&image.state, &image.accepted, &image.seen),
                (&open.state, &open.accepted, &open.seen),
                "{cut}: nothing of it"
            );
            assert!(image.end.is_none_or(|(ending, ..)| ending == Ending::LogDamaged), "{cut}");
        }
    }
    assert_eq!(committed, 2, "with both records, and with the message, which resolves as it did");
}

#[test]
fn a_kernel_is_rebuilt_from_its_log_whatever_the_moment() {
    let fixture = filled();
    let rebuilt = fixture.replayed();
    assert_eq!(rebuilt.images(), fixture.kernel.images());
    assert_eq!(
        (rebuilt.open(), rebuilt.next_number()),
        (fixture.kernel.open(), fixture.kernel.next_number())
    );
    for (id, image) in fixture.kernel.images() {
        let own = fixture
            .log
            .iter()
            .filter(|(number, _)| *number == image.number)
            .map(|(_, record)| record.clone());
        assert_eq!(rebuild(image.number, own, 512).unwrap(), image, "{id}");
    }
}

#[test]
fn a_rebuilt_kernel_goes_on_as_the_one_before() {
    let mut fixture = filled();
    let mut rebuilt = TestKernel { kernel: fixture.replayed(), ..TestKernel::new() };
    while rebuilt.kernel.poll_output().is_some() {}
    rebuilt.ms = fixture.ms;
    // Its clock begins at another moment than the first one's did.
    for fixture in [&mut fixture, &mut rebuilt] {
        accepted(&fixture.send_text(
            "decides",
            "Commitment",
            "last",
            "a",
            r#"{"commitment_id":"c","action":"go"}"#,
        ));
        assert!(fixture.send_text("agrees", "Contribute", "c3", "a", "").is_duplicate);
    }
    assert_eq!(fixture.kernel.image("agrees").unwrap().state, rebuilt.kernel.image("agrees").unwrap().state);
    assert_eq!(fixture.kernel.image("decides").unwrap().json, rebuilt.kernel.image("decides").unwrap().json);
}

#[test]
fn a_record_that_cannot_be_read_ends_its_session_and_says_why() {
    let fixture = filled();
    let number = fixture.kernel.image("decides").unwrap().number;
    let mut kernel = Kernel::new(fixture.now(), crate::limits::Macp::default());
    let mut damaged = 0;
    for (place, (of, record)) in fixture.log.iter().enumerate() {
        let record = if *of == number && place == 4 { Bytes::from_static(&[0xff]) } else { record.clone() };
        damaged += u32::from(kernel.replay(*of, &record).is_err());
    }
    assert_eq!(damaged, 1, "it is said once");
    let mut ended = Vec::new();
    while let Some(output) = kernel.poll_output() {
        if let Output::Transition { transition: Transition::Ended { session, ending }, text, .. } = output {
            ended.push((session.id.to_string(), ending, text.is_empty()));
        }
    }
    assert!(ended.contains(&("decides".to_owned(), Ending::LogDamaged, false)), "{ended:?}");
    assert_eq!(kernel.images().len(), fixture.kernel.images().len());
    assert_eq!(kernel.image("agrees"), fixture.kernel.image("agrees"), "the others are as they were");
}

#[test]
fn a_log_that_begins_with_no_start_makes_no_session() {
    let mut kernel = Kernel::new(TestKernel::new().now(), crate::limits::Macp::default());
    let record =
        prost::Message::encode_to_vec(&Record::new(1, What::TtlExpired(TtlExpired::default()))).into();
    assert!(kernel.replay(1, &record).is_err());
    assert!(kernel.replay(1, &Bytes::new()).is_err());
    // A payload of a message of another type may be that of a start.
    let message = envelope("s", "Unheard", "m", "a", "").encode_to_vec();
    assert!(
        kernel.replay(1, &Record::new(1, What::Incoming(message.into())).encode_to_vec().into()).is_err()
    );
    assert_eq!(kernel.in_memory(), 0);
    assert!(rebuild(1, std::iter::empty(), 512).is_err());
}

#[test]
fn what_a_log_had_is_not_waited_for() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &SessionStartPayload::default())));
    accepted(&fixture.send_text("s", "Message", "m2", "a", "resolve"));
    assert!(fixture.kernel.last_ticket() > Ticket(0));
    assert_eq!(fixture.replayed().last_ticket(), Ticket(0));
}

#[test]
fn the_trace_context_of_a_start_is_in_the_log_and_in_no_other_session() {
    let mut fixture = TestKernel::new();
    fixture.traceparent = Some(TRACEPARENT);
    accepted(&fixture.send(&start("s", "m1", &participants(&["a"]))));
    accepted(&fixture.send_text("s", "Proposal", "m2", "a", r#"{"proposal_id":"p","option":"o"}"#));
    // That of a start that is not the first is nobody's.
    fixture.traceparent = Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
    assert!(fixture.send(&start("s", "m1", &participants(&["a"]))).is_duplicate);
    fixture.traceparent = None;
    accepted(&fixture.send(&start("t", "m1", &participants(&["a"]))));
    let of = |kernel: &Kernel, id: &str| kernel.image(id).unwrap().traceparent;
    assert_eq!(of(&fixture.kernel, "s").as_deref(), Some(TRACEPARENT));
    let mut replayed = Kernel::new(Now::at_ms(0), crate::limits::Macp::default());
    for (session, record) in &fixture.log {
        replayed.replay(*session, record).unwrap();
    }
    assert_eq!((of(&replayed, "s").as_deref(), of(&replayed, "t")), (Some(TRACEPARENT), None));
    // Field 6 of the first record, and of no other.
    let has = |(_, record): &(u64, Bytes)| Record::of(record).unwrap().traceparent.is_some();
    assert_eq!(fixture.log.iter().filter(|record| has(record)).count(), 1);
    let tail = [&[0x32, 55], TRACEPARENT.as_bytes()].concat();
    assert!(fixture.log[0].1.ends_with(&tail), "{:x?}", fixture.log[0].1);
}
