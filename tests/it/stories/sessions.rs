//! Agents decide together, and the person at the screen sees it and ends what goes wrong.

use prost::Message as _;
use rl_console::macp::proto::v1::{
    Envelope, SendRequest, SessionStartPayload, macp_runtime_service_client::MacpRuntimeServiceClient,
};
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

use super::word_after;
use crate::terminal::console;

/// A client that speaks for several agents.
pub(super) struct Agents {
    runtime: Runtime,
    client: MacpRuntimeServiceClient<Channel>,
    sent: u32,
}

impl Agents {
    pub(super) fn connect(addr: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let channel = runtime.block_on(Endpoint::new(format!("http://{addr}")).unwrap().connect()).unwrap();
        Self { runtime, client: MacpRuntimeServiceClient::new(channel), sent: 0 }
    }

    /// Sends a message; the code of its rejection, if it was rejected.
    fn say(
        &mut self,
        session: &str,
        (mode, kind): (&str, &str),
        sender: &str,
        payload: Vec<u8>,
    ) -> Option<String> {
        self.sent += 1;
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            mode: mode.to_owned(),
            message_type: kind.to_owned(),
            message_id: format!("m-{}", self.sent),
            session_id: session.to_owned(),
            sender: sender.to_owned(),
            timestamp_unix_ms: 0,
            payload: payload.into(),
        };
        let answer =
            self.runtime.block_on(self.client.send(SendRequest { envelope: Some(envelope) })).unwrap();
        answer.into_inner().ack.unwrap().error.map(|error| error.code)
    }

    pub(super) fn start(&mut self, session: &str, mode: &str, intent: &str) {
        let participants = ["ann", "bob"].map(str::to_owned).to_vec();
        let start = SessionStartPayload {
            intent: intent.to_owned(),
            participants,
            ttl_ms: 600_000,
            ..SessionStartPayload::default()
        };
        assert_eq!(self.say(session, (mode, "SessionStart"), "ann", start.encode_to_vec()), None);
    }

    pub(super) fn decide(
        &mut self,
        session: &str,
        kind: &str,
        sender: &str,
        payload: &str,
    ) -> Option<String> {
        self.say(session, ("decision", kind), sender, payload.as_bytes().to_vec())
    }
}

#[test]
fn a_session_moves_on_the_screen_and_is_ended_with_a_reason() {
    let (_folder, _token, mut terminal) = console(160, 50);
    terminal.wait("the port answers", |screen| screen.contains("MACP ●"));
    // Who wants to take part finds the address behind the chip.
    terminal.keys("\x1b[Z\x1b[C\x1b[C\r");
    let screen = terminal.wait("the runtime's report", |screen| {
        screen.contains("MACP runtime") && screen.contains("listening")
    });
    let mut agents = Agents::connect(&word_after(&screen, "listening"));
    terminal.keys("q5");
    terminal.shows("no sessions yet");
    agents.start("s-1", "decision", "which boss comes next");
    terminal.wait("it is there", |screen| screen.contains("▶ s-1") && screen.contains("proposal"));
    agents.decide("s-1", "Proposal", "ann", r#"{"proposal_id":"p1","option":"summon the dragon"}"#);
    agents.decide(
        "s-1",
        "Objection",
        "bob",
        r#"{"proposal_id":"p1","reason":"too early","severity":"high"}"#,
    );
    agents.decide("s-1", "Vote", "bob", r#"{"proposal_id":"p1","vote":"approve","reason":"why not"}"#);
    terminal.wait("its proposal, its votes and who is waited for", |screen| {
        ["summon the dragon", "1 approve", "1 high", "voting", "waiting for ann"]
            .iter()
            .all(|wanted| screen.contains(wanted))
    });
    terminal.keys("x");
    terminal.wait("the question", |screen| {
        screen.contains("Cancel s-1?") && screen.contains("1 of 2 have voted")
    });
    terminal.keys("r");
    terminal.keys("the stream is over\r");
    terminal.shows("reason: the stream is over");
    terminal.keys("y");
    terminal.wait("its end, and the reason in its log", |screen| {
        screen.contains("— s-1")
            && screen.contains("CANCELLED")
            && screen.contains("the stream is over")
            && screen.contains("0 open")
    });
    assert_eq!(
        agents.decide("s-1", "Vote", "ann", r#"{"proposal_id":"p1","vote":"approve"}"#).as_deref(),
        Some("SESSION_NOT_OPEN")
    );
    // Rounds move too, and come to something by themselves.
    agents.start("s-2", "multi_round", "a name for the pet");
    for (sender, value) in [("ann", "Pixel"), ("bob", "Voxel"), ("bob", "Pixel")] {
        let payload = format!(r#"{{"value":"{value}"}}"#).into_bytes();
        assert_eq!(agents.say("s-2", ("multi_round", "Contribute"), sender, payload), None);
    }
    terminal.wait("what they agree on", |screen| {
        screen.contains("✓ s-2") && screen.contains("resolved") && screen.contains("Pixel")
    });
    // The rejected vote is on the Wire, with what was wrong.
    terminal.keys("8/ code:SESSION_NOT_OPEN\r");
    terminal.wait("the rejection, and its answer", |screen| {
        screen.contains("SESSION_NOT_OPEN (SessionNotOpen): Vote")
            && screen.contains("SESSION_NOT_OPEN: Vote by ann in s-1")
    });
}
