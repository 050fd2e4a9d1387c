//! The lists of the table, and what is alike in all of them: names, fields, pages.

use serde::Serialize;

use super::{Page, tables::tables};
use crate::{
    field::{Fields, Spec},
    ids::{InvocationId, RefundId},
};

/// Declares the lists of the table, and that their rows are rows of a list.
macro_rules! declare {
    (
        whole { $(
            $(#[doc = $whole_about:literal])+
            $Whole:ident $whole_name:literal of $whole_link:ident: $WholeRow:ident;
        )* }
        paged { $(
            $(#[doc = $about:literal])+
            $Paged:ident $name:literal of $link:ident: $Row:ident by $key:ident: $Key:ty { $($narrowed:tt)* }
            sent { $($sent:tt)* }
        )* }
    ) => {
        /// A list of what a station holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum List {
            $( $(#[doc = $whole_about])+ $Whole, )*
            $( $(#[doc = $about])+ $Paged, )*
        }

        impl List {
            /// Every list.
            pub const ALL: &[Self] = &[ $( Self::$Whole, )* $( Self::$Paged, )* ];

            /// Its name, as `ls` and the wire have it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$Whole => $whole_name, )* $( Self::$Paged => $name, )* }
            }

            /// The row.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $( Self::$Whole => concat!($($whole_about),+).trim_ascii(), )*
                    $( Self::$Paged => concat!($($about),+).trim_ascii(), )*
                }
            }

            /// Whether it comes in pages.
            #[must_use]
            pub const fn is_paged(self) -> bool {
                match self { $( Self::$Whole => false, )* $( Self::$Paged => true, )* }
            }

            /// The fields of its rows.
            #[must_use]
            pub const fn specs(self) -> &'static [Spec] {
                match self {
                    $( Self::$Whole => <crate::port::$WholeRow as Fields>::SPECS, )*
                    $( Self::$Paged => <crate::port::$Row as Fields>::SPECS, )*
                }
            }
        }

        $(
            impl ListRow for crate::port::$WholeRow {
                const LIST: List = List::$Whole;

                fn key(&self) -> Option<u64> {
                    None
                }

                fn read(page: Page) -> Option<PageRows<Self>> {
                    match page {
                        Page::$Whole(rows) => Some(PageRows { rows, more: false, beyond: None }),
                        _ => None,
                    }
                }

                fn page(page: PageRows<Self>) -> Page {
                    Page::$Whole(page.rows)
                }
            }
        )*

        $(
            impl ListRow for crate::port::$Row {
                const LIST: List = List::$Paged;

                fn key(&self) -> Option<u64> {
                    Some(self.$key.number())
                }

                fn read(page: Page) -> Option<PageRows<Self>> {
                    match page {
                        Page::$Paged { rows, more, beyond } => {
                            Some(PageRows { rows, more, beyond: beyond.map(Key::number) })
                        }
                        _ => None,
                    }
                }

                fn page(PageRows { rows, more, beyond }: PageRows<Self>) -> Page {
                    Page::$Paged { rows, more, beyond: beyond.map(Key::of) }
                }
            }
        )*
    };
}

tables!(declare);

/// Which page of a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// Only rows beyond the one of this key, in the direction of the order: where the last page ended.
    pub beyond: Option<u64>,
    /// Oldest first.
    pub oldest_first: bool,
    /// Only rows that this filter lets through.
    pub filter: Option<String>,
    /// At most so many; cut to `limits.port.page_rows_max`.
    pub limit: u64,
}

/// Rows of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRows<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// Whether there are more beyond the last.
    pub more: bool,
    /// Of a filtered page, the key of the last row that was looked at.
    pub beyond: Option<u64>,
}

/// A row of a list.
pub trait ListRow: Fields + Serialize + Sized {
    /// The list.
    const LIST: List;

    /// Its place in a list that comes in pages.
    fn key(&self) -> Option<u64>;

    /// The rows of a page; nothing of a page of something else.
    fn read(page: Page) -> Option<PageRows<Self>>;

    /// The page of these rows.
    fn page(rows: PageRows<Self>) -> Page;
}

/// A key of rows: a number.
pub(super) trait Key: Copy {
    fn of(number: u64) -> Self;
    fn number(self) -> u64;
}

impl Key for u64 {
    fn of(number: u64) -> Self {
        number
    }

    fn number(self) -> u64 {
        self
    }
}

impl Key for InvocationId {
    fn of(number: u64) -> Self {
        Self(number)
    }

    fn number(self) -> u64 {
        self.0
    }
}

impl Key for RefundId {
    fn of(number: u64) -> Self {
        Self(number)
    }

    fn number(self) -> u64 {
        self.0
    }
}
