//! One cell of a table.

use std::borrow::Cow;

use crate::console::draw::{class::Class, theme::Role};

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: Cow<'static, str>,
    pub(crate) role: Role,
    pub(crate) class: Class,
    /// Whether it is cut within where it has no room, for its like differ at their ends.
    pub(crate) is_cut_within: bool,
}

impl Cell {
    /// A cell that anybody may see.
    pub(crate) fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role, class: Class::Public, is_cut_within: false }
    }

    /// A cell of another class.
    pub(crate) fn of_class(text: impl Into<Cow<'static, str>>, role: Role, class: Class) -> Self {
        Self { text: text.into(), role, class, is_cut_within: false }
    }

    /// A text in a role, with its end kept where it has no room.
    pub(crate) fn cut_within(self) -> Self {
        Self { is_cut_within: true, ..self }
    }
}
