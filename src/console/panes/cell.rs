//! One cell of a table.

use std::borrow::Cow;

use crate::console::{class::Class, theme::Role};

/// One cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: Cow<'static, str>,
    pub(crate) role: Role,
    pub(crate) class: Class,
}

impl Cell {
    /// A cell that anybody may see.
    pub(crate) fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role, class: Class::Public }
    }

    /// A cell of another class.
    pub(crate) fn of_class(text: impl Into<Cow<'static, str>>, role: Role, class: Class) -> Self {
        Self { text: text.into(), role, class }
    }
}
