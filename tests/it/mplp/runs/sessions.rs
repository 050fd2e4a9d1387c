//! Sessions of the traces of simulated runs, as the station tells them and as it reads them for an export.

use rl_console::{
    ids::TraceId,
    macp::{Effect, Ending, Mode},
    mplp::{
        Profile, SchemaId,
        lifecycle::{
            Item, SessionRecord,
            run::RunRecord,
            session::{SessionBegin, SessionEnd, SessionMessage},
        },
    },
    time::Wall,
};

use super::settings;

const NAMES: [&str; 3] = ["alice", "bob", "carol"];

/// A session, what was said in it, and how it ended.
pub(super) struct Session {
    begin: SessionBegin,
    messages: Vec<SessionMessage>,
    end: Option<SessionEnd>,
    /// Its record as it is told, and whether that of its run has it.
    live: SessionRecord,
    is_added: bool,
}

impl Session {
    /// One in which everybody may take part, or some, or one alone.
    pub(super) fn begin(rng: &mut fastrand::Rng, number: usize, run: TraceId, at: Wall) -> Self {
        let mode = [Mode::Decision, Mode::MultiRound][rng.usize(..2)];
        let listed = rng.usize(..=NAMES.len());
        let begin = SessionBegin {
            session: format!("s{number}"),
            trace: Some(run),
            mode,
            mode_name: mode.name().to_owned(),
            mode_version: "1.0.0".to_owned(),
            configuration_version: "cfg-1".to_owned(),
            policy_version: String::new(),
            by: NAMES[0].to_owned(),
            intent: ["", "which map?"][rng.usize(..2)].to_owned(),
            participants: NAMES[..listed].iter().map(|&it| it.to_owned()).collect(),
            traceparent: None,
            context: None,
            at,
            expires_at: Wall(at.0 + 60_000),
        };
        let live = SessionRecord::begin(begin.clone(), &settings());
        Self { begin, messages: Vec::new(), end: None, live, is_added: false }
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    fn next_number(&self) -> u64 {
        self.messages.len() as u64 + 2
    }

    /// Somebody who may says something.
    pub(super) fn say(&mut self, rng: &mut fastrand::Rng, at: Wall) {
        let among =
            if self.begin.participants.is_empty() { NAMES.len() } else { self.begin.participants.len() };
        let proposal = || ["p1", "p2"][usize::from(at.0.is_multiple_of(2))].into();
        let (message_type, effect) = match (self.begin.mode, rng.u8(..6)) {
            (Mode::MultiRound, _) => ("Contribute", Effect::Contributed { round: rng.u64(1..4) }),
            (_, 0) => ("Proposal", Effect::Proposed { proposal: proposal() }),
            (_, 1) => {
                let recommendation = "APPROVE".into();
                ("Evaluation", Effect::Evaluated { proposal: proposal(), recommendation, confidence: 0.5 })
            }
            (_, 2) => ("Objection", Effect::Objected { proposal: proposal(), severity: "high".into() }),
            (_, 3) => ("Vote", Effect::Voted { proposal: proposal(), vote: "approve".into() }),
            (_, 4) => ("Commitment", Effect::Committed),
            _ => ("Note", Effect::Nothing),
        };
        let number = self.next_number();
        let message = SessionMessage {
            number,
            message_id: format!("m{number}"),
            message_type: message_type.to_owned(),
            sender: NAMES[rng.usize(..among)].to_owned(),
            effect,
            text: "why not".to_owned(),
            payload: "{\"text\":\"why not\"}".to_owned(),
            at,
        };
        self.messages.push(message.clone());
        self.live.message(message);
    }

    pub(super) fn finish(&mut self, rng: &mut fastrand::Rng, at: Wall) {
        let ending = [Ending::Resolved, Ending::TtlExpired, Ending::Cancelled][rng.usize(..3)];
        let is_resolved = ending == Ending::Resolved;
        let end = SessionEnd {
            number: Some(self.next_number()),
            ending,
            why: (!is_resolved).then(|| "nobody came".to_owned()),
            resolution: is_resolved.then(|| "{\"action\":\"play it\"}".to_owned()),
            messages_missing: 0,
            at,
        };
        self.end = Some(end.clone());
        self.live.end(end);
    }

    fn is_settled(&self) -> bool {
        self.has_ended() || self.has_collab()
    }

    pub(super) fn has_collab(&self) -> bool {
        self.live.profile() == Profile::Map
    }

    /// Its objects as they are now.
    fn objects(&mut self) -> Vec<Item> {
        self.is_added = true;
        let mut items = self.live.items_for_run();
        items.retain(|it| matches!(it.schema, SchemaId::Role | SchemaId::Dialog | SchemaId::Collab));
        items
    }

    /// What the record of its run takes of it, read from the beginning.
    fn read(&self) -> Vec<Item> {
        let mut record = SessionRecord::begin(self.begin.clone(), &settings());
        self.messages.iter().for_each(|message| record.message(message.clone()));
        if let Some(end) = &self.end {
            record.end(end.clone());
        }
        record.items_for_run()
    }
}

/// Tells what is new of the sessions of a run, as its live record has it: they are added in the order in
/// which they began, each once it is known what it adds, and all of them as they are at the run's end.
pub(super) fn tell(live: &mut RunRecord, sessions: &mut [Session], is_end: bool) -> Vec<Item> {
    let mut told: Vec<Item> = sessions.iter_mut().flat_map(|it| it.live.poll_events()).collect();
    for session in sessions {
        if is_end || !session.is_added && session.is_settled() {
            told.extend(live.add_session(session.objects()));
        } else if !session.is_added {
            break;
        }
    }
    told
}

/// Adds the sessions of a run to the record that is exported.
pub(super) fn read(record: &mut RunRecord, sessions: &[Session]) {
    for session in sessions {
        record.add_session(session.read());
    }
}
