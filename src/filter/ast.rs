//! What a filter says.

use super::{find::Needle, operand::Operand, regex::Matcher, topic::Pattern};

/// A filter's meaning.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A text anywhere.
    Word(Needle),
    /// A test of the field at this place.
    Field { field: usize, test: Test },
    /// What does not fit.
    Not(Box<Self>),
    /// What fits each of at least two.
    All(Vec<Self>),
    /// What fits one of at least two.
    Any(Vec<Self>),
}

/// A test of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// There is no value.
    Absent,
    /// There is one.
    Present,
    /// A text has it.
    Has(Needle),
    /// A text, state or topic is it.
    Is(String),
    /// A text, state or topic is another, or is not.
    IsNot(String),
    /// An id, without hyphens, in lower case.
    Id { how: IdMatch, id: String },
    /// A topic fits.
    Fits(Pattern),
    /// A figure compared with another.
    Compare(Comparison, Operand),
    /// A regular expression.
    Matches(Matcher),
}

/// How an id is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdMatch {
    /// It begins or ends so.
    Part,
    /// It is all of it.
    Whole,
    /// It is another, or is not.
    Not,
}

/// How figures are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Is,
    IsNot,
    Below,
    AtMost,
    Above,
    AtLeast,
}

impl Expr {
    /// Calls this for every test of a field.
    pub(super) fn visit(&self, seen: &mut dyn FnMut(usize, &Test)) {
        match self {
            Self::Word(_) => {}
            Self::Field { field, test } => seen(*field, test),
            Self::Not(one) => one.visit(seen),
            Self::All(all) | Self::Any(all) => all.iter().for_each(|one| one.visit(seen)),
        }
    }

    /// The terms of which each has to fit, as far as they test such fields alone.
    pub(super) fn part_on(&self, is_on: &dyn Fn(usize) -> bool) -> Option<Self> {
        if let Self::All(all) = self {
            let mut parts: Vec<Self> = all.iter().filter_map(|one| one.part_on(is_on)).collect();
            return if parts.len() > 1 { Some(Self::All(parts)) } else { parts.pop() };
        }
        let mut is_all = !self.has_word();
        self.visit(&mut |field, _| is_all &= is_on(field));
        is_all.then(|| self.clone())
    }

    /// Whether it looks for a word in every field.
    pub(super) fn has_word(&self) -> bool {
        match self {
            Self::Word(_) => true,
            Self::Field { .. } => false,
            Self::Not(one) => one.has_word(),
            Self::All(all) | Self::Any(all) => all.iter().any(Self::has_word),
        }
    }

    /// Calls this for every test of a field, to change it.
    pub(super) fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Test)) {
        match self {
            Self::Word(_) => {}
            Self::Field { test, .. } => change(test),
            Self::Not(one) => one.visit_mut(change),
            Self::All(all) | Self::Any(all) => all.iter_mut().for_each(|one| one.visit_mut(change)),
        }
    }
}
