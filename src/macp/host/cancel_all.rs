//! All sessions that somebody holds are cancelled, and those that come meanwhile: how far it came.

use crate::{ids::Ticket, macp::Refusal};

/// How often it is looked for further ones: who opens them faster than they end is to be stopped first.
const ROUNDS_MAX: usize = 16;

/// What became of them.
#[derive(Debug, Default)]
pub(super) struct CancelAll {
    /// How many have ended.
    pub(super) done: u64,
    /// What must be durable for all of them.
    pub(super) last: Option<Ticket>,
    /// Why the last of those that could not be ended did not.
    pub(super) why: Option<Refusal>,
    rounds: usize,
    /// How many had ended before this round.
    before: u64,
}

impl CancelAll {
    /// Begins another round, unless the one before brought nothing, or there were enough.
    pub(super) fn begins_round(&mut self) -> bool {
        let begins = self.rounds == 0 || (self.done > self.before && self.rounds < ROUNDS_MAX);
        (self.before, self.rounds) = (self.done, self.rounds + 1);
        begins
    }

    /// One was to end: whatever came of it, the others have their turns.
    pub(super) fn note(&mut self, ended: Result<Ticket, Refusal>) {
        match ended {
            Ok(after) => (self.done, self.last) = (self.done + 1, Some(after)),
            // It ended by itself.
            Err(Refusal::UnknownSession(_)) => {}
            Err(why) => self.why = Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_cancelled_keeps_no_other_from_it() {
        let stuck = || Refusal::NotNow("the store is full".to_owned());
        let mut all = CancelAll::default();
        assert!(all.begins_round());
        all.note(Err(Refusal::UnknownSession("gone".to_owned())));
        all.note(Err(stuck()));
        all.note(Ok(Ticket(1)));
        assert!(all.begins_round(), "others may have come");
        all.note(Err(stuck()));
        all.note(Ok(Ticket(2)));
        assert_eq!((all.done, all.last, &all.why), (2, Some(Ticket(2)), &Some(stuck())));
        assert!(all.begins_round());
        all.note(Err(stuck()));
        assert!(!all.begins_round(), "nothing more can be");
        let mut fast = CancelAll::default();
        let rounds = (0..100).take_while(|n| {
            let begins = fast.begins_round();
            fast.note(Ok(Ticket(*n)));
            begins
        });
        assert_eq!(rounds.count(), ROUNDS_MAX, "who opens them faster than they end");
    }
}
