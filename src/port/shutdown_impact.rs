//! What becomes of runs and sessions when a station ends.

use crate::words::counted;

/// Runs that are named one by one.
const NAMED: usize = 6;

/// What goes on at a station beside what its bridge has in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShutdownImpact {
    /// Runs that have not ended, each by its name and digits.
    pub(crate) runs: Vec<String>,
    /// Questions that wait for a person.
    pub(crate) questions: u64,
    /// Sessions that are open.
    pub(crate) sessions: u64,
}

impl ShutdownImpact {
    /// Whether nothing goes on.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What becomes of it; nothing where nothing goes on.
    pub(crate) fn describe(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.runs.is_empty() {
            let shown = self.runs.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = self.runs.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let ends = if self.runs.len() == 1 { "ends" } else { "end" };
            words.push(format!(
                "{} {ends} as failed and cannot be resumed: {shown}{more}.",
                counted(self.runs.len(), "run")
            ));
        }
        if self.questions > 0 {
            let is = if self.questions == 1 { "is" } else { "are" };
            words.push(format!("{} {is} pending, and will be lost.", counted(self.questions, "approval")));
        }
        if self.sessions > 0 {
            let (stays, ttl) = if self.sessions == 1 {
                ("stays", "its TTL keeps running")
            } else {
                ("stay", "their TTLs keep running")
            };
            words.push(format!(
                "{} {stays} open, but unreachable until the next start; {ttl}.",
                counted(self.sessions, "session")
            ));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_that_goes_on_is_counted_and_what_does_not_is_left_out() {
        assert!(ShutdownImpact::default().is_empty() && ShutdownImpact::default().describe().is_empty());
        let one = ShutdownImpact { runs: vec!["ask 22c3".to_owned()], questions: 1, sessions: 1 };
        assert_eq!(
            one.describe(),
            [
                "1 run ends as failed and cannot be resumed: ask 22c3.",
                "1 approval is pending, and will be lost.",
                "1 session stays open, but unreachable until the next start; its TTL keeps running.",
            ]
        );
        let many =
            ShutdownImpact { runs: (1..=8).map(|n| format!("r {n}")).collect(), questions: 0, sessions: 2 };
        assert_eq!(
            many.describe(),
            [
                "8 runs end as failed and cannot be resumed: r 1, r 2, r 3, r 4, r 5, r 6 and 2 more.",
                "2 sessions stay open, but unreachable until the next start; their TTLs keep running.",
            ]
        );
    }
}
