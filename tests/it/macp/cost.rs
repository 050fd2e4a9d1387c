//! What a message costs, by what is asked of memory: the same however long its session is; and that no
//! session holds more than is counted.

use allocation_counter::{AllocationInfo, measure};
use bytes::Bytes;
use prost::Message as _;
use rl_console::{
    limits,
    macp::{
        kernel::{Answer, Input, Kernel, Lookup, Output},
        proto::v1::{Envelope, SessionStartPayload},
    },
    time::Now,
};

use super::test_station::envelope;

/// What was measured is not asked for.
fn quiet(_: AllocationInfo) {}

struct Fixture {
    kernel: Kernel,
    sent: u64,
}

impl Fixture {
    fn new() -> Self {
        let limits = limits::Macp { unsaved_bytes_max: u64::MAX, ..limits::Macp::default() };
        Self { kernel: Kernel::new(Now::at_ms(0), limits), sent: 0 }
    }

    /// What one message asks of memory, the making of the message aside.
    fn send(&mut self, envelope: &Envelope) -> AllocationInfo {
        let bytes = Bytes::from(envelope.encode_to_vec());
        let mut is_accepted = false;
        let cost = measure(|| {
            self.kernel.handle(
                Now::at_ms(1),
                &Input::Message {
                    envelope,
                    bytes,
                    parsed: None,
                    traceparent: None,
                    peer_sessions: 0,
                    lookup: Lookup::NotAsked,
                },
            );
            while let Some(output) = self.kernel.poll_output() {
                is_accepted |= matches!(
                    &output,
                    Output::Answer(Answer::Acked(acked)) if acked.error.is_none() && !acked.is_duplicate
                );
            }
        });
        assert!(is_accepted, "{envelope:?}");
        cost
    }

    fn start(&mut self, session: &str, mode: &str, payload: &SessionStartPayload) -> AllocationInfo {
        let start = envelope(session, "SessionStart", "start", "a", payload.encode_to_vec());
        self.send(&Envelope { mode: mode.to_owned(), ..start })
    }

    fn say(&mut self, message_type: &str, sender: &str, payload: &str) -> AllocationInfo {
        self.sent += 1;
        self.send(&envelope("s", message_type, &format!("{:036}", self.sent), sender, payload.to_owned()))
    }

    /// The usual cost of one of a hundred: what grows a table now and then is in fewer than half.
    fn usual(&mut self, message_type: &str, sender: &str, payload: &dyn Fn(u64) -> String) -> (u64, u64) {
        let mut costs: Vec<_> = (0..101)
            .map(|n| {
                let cost = self.say(message_type, sender, &payload(n));
                (cost.count_total, cost.bytes_total)
            })
            .collect();
        costs.sort_unstable();
        costs[costs.len() / 2]
    }

    fn decision(&mut self, evaluations: u64) {
        self.start("s", "", &SessionStartPayload::default());
        self.say("Proposal", "a", r#"{"proposal_id":"p","option":"o"}"#);
        (0..evaluations).for_each(|_| quiet(self.say("Evaluation", "a", EVALUATION)));
    }
}

const EVALUATION: &str =
    r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.5,"reason":"it is well"}"#;

#[test]
fn a_message_costs_the_same_in_a_session_of_ten_evaluations_and_of_a_hundred_thousand() {
    let [few, many] = [10, 100_000].map(|evaluations| {
        let mut bench = Fixture::new();
        bench.decision(evaluations);
        let proposal = |n| format!(r#"{{"proposal_id":"q{n:09}"}}"#);
        [
            bench.usual("Evaluation", "a", &|_| EVALUATION.to_owned()),
            bench.usual("Objection", "a", &|_| r#"{"proposal_id":"p","severity":"low"}"#.to_owned()),
            bench.usual("Vote", "a", &|_| r#"{"proposal_id":"p","vote":"approve"}"#.to_owned()),
            bench.usual("Proposal", "a", &proposal),
            bench.usual("Unheard", "a", &|_| String::new()),
        ]
    });
    assert_eq!(few, many, "allocations and their bytes of each kind");
    assert!(few.iter().all(|(count, bytes)| *count < 40 && *bytes < 4_096), "{few:?}");
}

#[test]
fn a_contribution_costs_the_same_among_ten_participants_and_ten_thousand() {
    let [few, many] = [10, 10_000_u64].map(|participants| {
        let mut bench = Fixture::new();
        let names: Vec<String> = (0..participants).map(|n| format!("agent {n:09}")).collect();
        bench.start(
            "s",
            "multi_round",
            &SessionStartPayload { participants: names.clone(), ..SessionStartPayload::default() },
        );
        // One never speaks.
        for name in &names[1..] {
            bench.say("Contribute", name, r#"{"value":"x"}"#);
        }
        bench.usual("Contribute", &names[1], &|n| format!(r#"{{"value":"{}"}}"#, n % 2))
    });
    assert_eq!(few, many);
}

/// Bytes that a kernel holds for what is done with it, and what it counts.
fn held(fill: impl FnOnce(&mut Fixture)) -> (i64, i64) {
    let mut counted = 0;
    let mut bench = None;
    let held = measure(|| {
        let mut made = Fixture::new();
        fill(&mut made);
        // Rows are written, so that nothing waits for that.
        while !made.kernel.take_rows(1_000).is_empty() {}
        counted = i64::try_from(made.kernel.message_bytes()).unwrap();
        bench = Some(made);
    });
    drop(bench);
    (held.bytes_current, counted)
}

/// What sessions are like, and what makes them.
type Shape<'a> = (&'a str, &'a dyn Fn(&mut Fixture));

#[test]
fn no_session_holds_more_than_is_counted() {
    let listed = |count: usize, name: &str| SessionStartPayload {
        participants: vec![name.to_owned(); count],
        ..SessionStartPayload::default()
    };
    let shapes: [Shape; 9] = [
        ("idle", &|bench| {
            (0..1_000)
                .for_each(|n| quiet(bench.start(&format!("s{n}"), "", &SessionStartPayload::default())));
        }),
        ("with empty participants", &|bench| quiet(bench.start("s", "", &listed(10_000, "")))),
        ("with participants", &|bench| quiet(bench.start("s", "multi_round", &listed(10_000, "a")))),
        ("of short ids", &|bench| {
            bench.start("s", "", &SessionStartPayload::default());
            (0..20_000).for_each(|n| quiet(bench.send(&envelope("s", "Unheard", &n.to_string(), "", ""))));
        }),
        ("of evaluations", &|bench| bench.decision(20_000)),
        ("of proposals", &|bench| {
            bench.decision(0);
            (0..20_000).for_each(|n| {
                quiet(bench.say("Proposal", "a", &format!(r#"{{"proposal_id":"{n}","option":"o"}}"#)));
            });
        }),
        ("of votes", &|bench| {
            bench.decision(0);
            (0..20_000).for_each(|n| {
                quiet(bench.say(
                    "Vote",
                    &n.to_string(),
                    r#"{"proposal_id":"p","vote":"approve","reason":"r"}"#,
                ));
            });
        }),
        ("of long payloads", &|bench| {
            bench.decision(0);
            let reason = "x".repeat(100_000);
            (0..100).for_each(|_| {
                quiet(bench.say("Objection", "a", &format!(r#"{{"proposal_id":"p","reason":"{reason}"}}"#)));
            });
        }),
        ("that ended", &|bench| {
            for n in 0..1_000 {
                let session = format!("s{n}");
                bench.start(&session, "", &SessionStartPayload::default());
                bench.send(&envelope(&session, "Message", "m", "a", "resolve"));
            }
        }),
    ];
    for (shape, fill) in shapes {
        let (held, counted) = held(fill);
        // A table that has just grown has room for as much again.
        assert!(
            held <= counted + counted / 4 + 8_192,
            "sessions {shape} hold {held} bytes and count as {counted}"
        );
        println!("{shape}: {held} held, {counted} counted");
    }
}
