//! What bounds a rule that is being written: how many frames, how long, which share of them, and by what that
//! is drawn. What is left empty has no bound of its own.

use crossterm::event::KeyEvent;

use crate::{
    console::ui::Line,
    limits,
    port::{
        Arm,
        rule_bounds::{armed_for_ms, frames_max, per_mille, seed},
    },
};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Frames,
    Seconds,
    Percent,
    Seed,
}

impl Bound {
    /// All, in the order in which they are written.
    pub(super) const ALL: [Self; 4] = [Self::Frames, Self::Seconds, Self::Percent, Self::Seed];

    /// Its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Frames => "max frames",
            Self::Seconds => "seconds",
            Self::Percent => "percent",
            Self::Seed => "seed",
        }
    }

    /// What holds where nothing is written.
    pub(super) fn unset(self, limits: &limits::Gate) -> String {
        match self {
            Self::Frames => "any".to_owned(),
            Self::Seconds => (limits.rule_ms_max / 1_000).to_string(),
            Self::Percent => "100".to_owned(),
            Self::Seed => "0".to_owned(),
        }
    }

    /// What is wrong with what is written there.
    fn fault(self, text: &str) -> Option<String> {
        let read = match self {
            Self::Frames => frames_max(text).map(drop),
            Self::Seconds => armed_for_ms(text).map(drop),
            Self::Percent => per_mille(text).map(drop),
            Self::Seed => seed(text).map(drop),
        };
        read.err()
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Bounds([Line; 4]);

impl Bounds {
    /// None is written.
    pub(super) fn unset() -> Self {
        Self(Bound::ALL.map(|_| Line::new("")))
    }

    /// The line of one.
    pub(super) const fn line(&self, bound: Bound) -> &Line {
        let [frames, seconds, percent, seed] = &self.0;
        match bound {
            Bound::Frames => frames,
            Bound::Seconds => seconds,
            Bound::Percent => percent,
            Bound::Seed => seed,
        }
    }

    const fn line_mut(&mut self, bound: Bound) -> &mut Line {
        let [frames, seconds, percent, seed] = &mut self.0;
        match bound {
            Bound::Frames => frames,
            Bound::Seconds => seconds,
            Bound::Percent => percent,
            Bound::Seed => seed,
        }
    }

    /// What is written of one; nothing where that is nothing.
    pub(super) fn text(&self, bound: Bound) -> Option<&str> {
        Some(self.line(bound).text().trim()).filter(|text| !text.is_empty())
    }

    /// Takes a key that edits a line.
    pub(super) fn key(&mut self, bound: Bound, key: KeyEvent) {
        self.line_mut(bound).input(key);
    }

    /// Takes pasted text.
    pub(super) fn paste(&mut self, bound: Bound, text: &str) {
        self.line_mut(bound).paste(text);
    }

    /// What is wrong with one.
    pub(super) fn fault_of(&self, bound: Bound) -> Option<String> {
        self.text(bound).and_then(|text| bound.fault(text))
    }

    /// The first of them in which something is wrong, and what.
    pub(super) fn fault(&self) -> Option<String> {
        let fault = |bound: Bound| self.fault_of(bound).map(|why| format!("{}: {why}", bound.name()));
        Bound::ALL.into_iter().find_map(fault)
    }

    /// A rule with these bounds; without those in which something is wrong.
    pub(super) fn bound(&self, rule: Arm) -> Arm {
        Arm {
            frames_max: self.text(Bound::Frames).and_then(|text| frames_max(text).ok()),
            for_ms: self.text(Bound::Seconds).and_then(|text| armed_for_ms(text).ok()),
            per_mille: self.text(Bound::Percent).and_then(|text| per_mille(text).ok()),
            seed: self.text(Bound::Seed).and_then(|text| seed(text).ok()),
            ..rule
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: [&str; 4]) -> Bounds {
        let mut bounds = Bounds::unset();
        for (bound, text) in Bound::ALL.into_iter().zip(texts) {
            bounds.paste(bound, text);
        }
        bounds
    }

    #[test]
    fn what_is_left_empty_bounds_nothing() {
        assert_eq!(Bounds::unset().fault(), None);
        assert_eq!(Bounds::unset().bound(Arm::default()), Arm::default());
    }

    #[test]
    fn what_is_written_bounds_the_rule() {
        let bounds = written([" 12 ", "2.5", "12.5%", "7"]);
        assert_eq!(bounds.fault(), None);
        let wanted = Arm {
            frames_max: Some(12),
            for_ms: Some(2_500),
            per_mille: Some(125),
            seed: Some(7),
            ..Arm::default()
        };
        assert_eq!(bounds.bound(Arm::default()), wanted);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_name() {
        for (texts, why) in [
            (["0", "", "", ""], "max frames: takes a whole number of frames, 1 or more"),
            (["1", "0", "", ""], "seconds: takes more than 0 seconds"),
            (["1", "soon", "", ""], "seconds: not a number of seconds"),
            (["1", "1", "101", ""], "percent: takes 0.1 to 100"),
            (["1", "1", "1", "-1"], "seed: takes a whole number from 0 to 18446744073709551615"),
        ] {
            assert_eq!(written(texts).fault().as_deref(), Some(why), "{texts:?}");
        }
    }
}
