//! The column that a field has in a table.

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At its start.
    Left,
    /// At its end, as figures do.
    Right,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its head; empty where what is below speaks for itself.
    pub title: &'static str,
    /// Its width in cells of the screen; the least, where it grows.
    pub columns: u16,
    /// Its share of what is left over; none for a fixed width.
    pub grows: u16,
    /// Where its text stands.
    pub align: Align,
    /// The table's width below which it is left out.
    pub from: u16,
}

impl Column {
    /// A column of this width.
    #[must_use]
    pub const fn fixed(title: &'static str, columns: u16) -> Self {
        Self { title, columns, grows: 0, align: Align::Left, from: 0 }
    }

    /// A column of at least this width that takes a share of what is left.
    #[must_use]
    pub const fn growing(title: &'static str, columns: u16, grows: u16) -> Self {
        Self { title, columns, grows, align: Align::Left, from: 0 }
    }

    /// This column, its text at its end.
    #[must_use]
    pub const fn right(mut self) -> Self {
        self.align = Align::Right;
        self
    }

    /// This column, left out of narrower tables.
    #[must_use]
    pub const fn from(mut self, columns: u16) -> Self {
        self.from = columns;
        self
    }
}
