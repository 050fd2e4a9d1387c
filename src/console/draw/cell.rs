//! One cell of a table.

use std::borrow::Cow;

use crate::console::draw::{class::Class, theme::Role};

/// Where a text is cut that has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// At its end.
    End,
    /// Within, for its like differ at their ends.
    Within,
    /// At its end; where not even its first word has room, that one within.
    FirstWordWithin,
}

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: Cow<'static, str>,
    pub(crate) role: Role,
    pub(crate) class: Class,
    pub(crate) cut: Cut,
}

impl Cell {
    /// A cell that anybody may see.
    pub(crate) fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role, class: Class::Public, cut: Cut::End }
    }

    /// A cell of another class.
    pub(crate) fn of_class(text: impl Into<Cow<'static, str>>, role: Role, class: Class) -> Self {
        Self { text: text.into(), role, class, cut: Cut::End }
    }

    /// A text in a role, with its end kept where it has no room.
    pub(crate) fn cut_within(self) -> Self {
        Self { cut: Cut::Within, ..self }
    }

    /// A text in a role, with the end of its first word kept where that one has no room.
    pub(crate) fn cut_in_first_word(self) -> Self {
        Self { cut: Cut::FirstWordWithin, ..self }
    }
}
