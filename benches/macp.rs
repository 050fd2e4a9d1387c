//! What a message costs the kernel, in a session of 10 evaluations and in one of 100,000 (the bound: the
//! same, ± 20 %).
//!
//! `cargo bench --bench macp` prints criterion's times of one evaluation and of one vote taken in a decision,
//! and of one contribution among 10 and 1,000 participants; then, with its bound, what lifecycle records add
//! to a message of a session that is none of a run's (nothing beyond the noise): a vote with and without a
//! trace context, in the kernel and by calls to stations that tell records on the bus and that do not.
//! `-- pairs` measures the latter alone.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "macp/pairs.rs"]
mod pairs;

use bytes::Bytes;
use criterion::Criterion;
use prost::Message as _;
use rl_console::{
    limits::Macp,
    macp::{
        kernel::{Input, Kernel, Lookup, Output},
        proto::v1::{Envelope, SessionStartPayload},
    },
    time::Now,
};

/// A trace context as a client has it (W3C Trace Context §3.2).
const TRACEPARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

struct Fixture {
    kernel: Kernel,
    sent: u64,
    /// The `traceparent` of each call.
    traceparent: Option<&'static str>,
}

impl Fixture {
    fn new() -> Self {
        let limits = Macp {
            session_messages_max: u64::MAX,
            session_bytes_max: u64::MAX,
            bytes_max: u64::MAX,
            ..Macp::default()
        };
        let limits = Macp { unsaved_bytes_max: u64::MAX, ..limits };
        Self { kernel: Kernel::new(Now::at_ms(0), limits), sent: 0, traceparent: None }
    }

    fn send(&mut self, mode: &str, message_type: &str, sender: &str, payload: impl Into<Bytes>) {
        self.sent += 1;
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            mode: mode.to_owned(),
            message_type: message_type.to_owned(),
            message_id: format!("message {}", self.sent),
            session_id: "session".to_owned(),
            sender: sender.to_owned(),
            timestamp_unix_ms: 0,
            payload: payload.into(),
        };
        let bytes = Bytes::from(envelope.encode_to_vec());
        self.kernel.handle(
            Now::at_ms(1),
            &Input::Message {
                envelope: &envelope,
                bytes,
                parsed: None,
                peer_sessions: 0,
                lookup: Lookup::NotAsked,
                traceparent: self.traceparent,
            },
        );
        let mut was_taken = false;
        while let Some(output) = self.kernel.poll_output() {
            was_taken |= matches!(output, Output::Persist { .. });
        }
        assert!(was_taken, "{message_type} was not taken");
    }

    fn start(&mut self, mode: &str, participants: Vec<String>) {
        let payload =
            SessionStartPayload { participants, ttl_ms: 86_400_000, ..SessionStartPayload::default() };
        self.send(mode, "SessionStart", "a", payload.encode_to_vec());
    }

    fn evaluate(&mut self) {
        self.send(
            "",
            "Evaluation",
            "b",
            r#"{"proposal_id":"p","recommendation":"APPROVE","confidence":0.9,"reason":"well"}"#,
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            messages();
            pairs::print()
        }
        ["pairs"] => pairs::print(),
        _ => {
            messages();
            Ok(())
        }
    }
}

/// Criterion's times of a message.
fn messages() {
    let mut criterion = Criterion::default().configure_from_args();
    for evaluations in [10, 100_000] {
        let mut bench = Fixture::new();
        bench.start("decision", Vec::new());
        bench.send("", "Proposal", "a", r#"{"proposal_id":"p","option":"go"}"#);
        (0..evaluations).for_each(|_| bench.evaluate());
        criterion.bench_function(&format!("macp/a vote behind {evaluations} evaluations"), |b| {
            b.iter(|| bench.send("", "Vote", "b", r#"{"proposal_id":"p","vote":"approve","reason":"well"}"#));
        });
    }
    for evaluations in [10, 100_000] {
        let mut bench = Fixture::new();
        bench.start("decision", Vec::new());
        bench.send("", "Proposal", "a", r#"{"proposal_id":"p","option":"go"}"#);
        (0..evaluations).for_each(|_| bench.evaluate());
        criterion.bench_function(&format!("macp/an evaluation behind {evaluations}"), |b| {
            b.iter(|| bench.evaluate());
        });
    }
    for participants in [10, 1_000] {
        let mut bench = Fixture::new();
        let names: Vec<String> = (0..participants).map(|n| format!("agent {n}")).collect();
        bench.start("multi_round", names.clone());
        for (n, name) in names.iter().enumerate() {
            bench.send("", "Contribute", name, format!(r#"{{"value":"{n}"}}"#));
        }
        let mut n = 0;
        criterion.bench_function(&format!("macp/a contribution among {participants}"), |b| {
            b.iter(|| {
                n += 1;
                bench.send("", "Contribute", &names[n % participants], format!(r#"{{"value":"{n}"}}"#));
            });
        });
    }
    criterion.final_summary();
}
