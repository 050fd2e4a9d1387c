//! A judgement.

use super::doubt::{Certainty, Doubt};
use crate::{
    tap::entry::{Head, Verdict},
    time::{Mono, Now},
};

/// Names of receivers that a judgement lists, and of those passed over; the rest is counted.
pub const NAMES_MAX: usize = 64;

/// What would be made of a frame if it came now.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What it is, as far as that could be read.
    pub head: Head,
    /// What would be made of it; [`Pending`] while its end has not come.
    pub verdict: Result<Verdict, Pending>,
    /// What is wrong with its bytes, where the decoder says more than the verdict.
    pub shortfall: Option<Shortfall>,
    /// What would go back over the same connection or call, in order.
    pub answers: Vec<Answer>,
    /// Why the connection, call or process would be ended over it.
    pub ends: Option<String>,
    /// Who would receive it, by name, at most [`NAMES_MAX`].
    pub to: Vec<String>,
    /// How many receivers there are.
    pub to_count: u64,
    /// Who would be left out although the frame is meant for them, at most [`NAMES_MAX`].
    pub passed_over: Vec<PassedOver>,
    /// How many are left out.
    pub passed_over_count: u64,
    /// What the judgement would change there, in a line: `46 applied, queue main free`.
    pub effect: Option<String>,
    /// Whether it may harm the peer that it goes to, as the effect says: it acts where nobody asked for it,
    /// or the peer may end over it.
    pub is_harmful: bool,
    /// Until when it holds if nothing else happens.
    pub holds_until: Option<Now>,
    /// Whose word it is.
    pub certainty: Certainty,
    /// What it cannot know.
    pub doubts: Vec<Doubt>,
    /// Bytes that the judged frame takes of those given; what is behind them is not judged.
    pub taken_bytes: usize,
}

/// The end of a frame has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// How many more bytes are awaited at least, where that is known.
    pub missing_bytes: Option<u64>,
    /// What is made of it when the connection ends here.
    pub if_cut: &'static str,
}

/// Where the bytes of a frame are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// What is expected there.
    pub expected: String,
    /// What is there.
    pub got: String,
    /// The byte, counted from the frame's first one.
    pub byte: usize,
}

/// A frame that would go back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is.
    pub head: Head,
    /// Its bytes; numbers and times in it are those of now.
    pub bytes: Vec<u8>,
}

/// One who is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// Who.
    pub name: String,
    /// Why: its rights, a duplicate, a full queue.
    pub why: &'static str,
}

impl Judged {
    /// A judgement that hangs on the bytes alone.
    #[must_use]
    pub fn certain(head: Head, verdict: Verdict) -> Self {
        Self {
            head,
            verdict: Ok(verdict),
            shortfall: None,
            answers: Vec::new(),
            ends: None,
            to: Vec::new(),
            to_count: 0,
            passed_over: Vec::new(),
            passed_over_count: 0,
            effect: None,
            is_harmful: false,
            holds_until: None,
            certainty: Certainty::Certain,
            doubts: Vec::new(),
            taken_bytes: 0,
        }
    }

    /// Bytes whose frame is not whole yet.
    #[must_use]
    pub fn pending(head: Head, pending: Pending) -> Self {
        let mut judged = Self::certain(head, Verdict::Sent);
        judged.verdict = Err(pending);
        judged
    }

    /// It as one that hangs on the state that others change.
    #[must_use]
    pub fn as_of_now(mut self, doubts: &[Doubt]) -> Self {
        self.certainty = self.certainty.max(Certainty::AsOfNow);
        for doubt in doubts {
            if !self.doubts.contains(doubt) {
                self.doubts.push(*doubt);
            }
        }
        self
    }

    /// Notes that it holds until `at` at the latest: of two moments the earlier counts.
    pub fn hold_until(&mut self, at: Now) {
        self.holds_until = Some(self.holds_until.filter(|until| until.mono < at.mono).unwrap_or(at));
    }

    /// It as one that time alone makes another at `at`, where there is such a moment.
    #[must_use]
    pub fn until(mut self, now: Now, at: Option<Mono>) -> Self {
        let Some(at) = at else { return self };
        self.hold_until(now.after(at.since(now.mono)));
        self.as_of_now(&[Doubt::Time])
    }

    /// It as one on which the peer decides.
    #[must_use]
    pub fn the_peers(mut self) -> Self {
        self.certainty = Certainty::ThePeers;
        self.doubts = vec![Doubt::Peer, Doubt::Transport];
        self
    }

    /// One more who would receive it.
    pub fn receiver(&mut self, name: impl FnOnce() -> String) {
        self.to_count += 1;
        if self.to.len() < NAMES_MAX {
            self.to.push(name());
        }
    }

    /// One more who is left out.
    pub fn pass_over(&mut self, why: &'static str, name: impl FnOnce() -> String) {
        self.passed_over_count += 1;
        if self.passed_over.len() < NAMES_MAX {
            self.passed_over.push(PassedOver { name: name(), why });
        }
    }
}
