//! What a theme gives a colour to.

use ratatui::style::Modifier;

use crate::tap::entry::Link;

macro_rules! roles {
    ($( $(#[doc = $doc:literal])* $variant:ident = $name:literal $(like $parent:ident)? ),* $(,)?) => {
        /// What a colour is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Role {
            $( $(#[doc = $doc])* $variant, )*
        }

        impl Role {
            /// All of them.
            pub(super) const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// Its name in a theme's file.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// The role whose looks it has where a theme says nothing; none for those that every theme must
            /// give.
            pub(super) const fn parent(self) -> Option<Self> {
                match self { $( Self::$variant => roles!(@parent $($parent)?), )* }
            }
        }
    };
    (@parent $parent:ident) => { Some(Self::$parent) };
    (@parent) => { None };
}

roles! {
    /// Behind everything.
    Background = "background",
    /// Text that is read first.
    Text = "text",
    /// Text that is read second.
    Muted = "muted" like Text,
    /// Names: keys, titles, commands.
    Accent = "accent",
    /// Well.
    Ok = "ok",
    /// Needs a look.
    Warn = "warn",
    /// Failed.
    Bad = "bad",
    /// The station's own.
    Station = "station" like Accent,
    /// The MPP bridge's.
    Mpp = "mpp" like Accent,
    /// The RMP broker's.
    Rmp = "rmp" like Accent,
    /// The runs'.
    Runs = "runs" like Rmp,
    /// The MACP runtime's.
    Macp = "macp" like Rmp,
    /// The plugins'.
    Plugin = "plugin" like Rmp,
    /// The lifecycle records'.
    Mplp = "mplp" like Runs,
    /// Around panes.
    Border = "border" like Muted,
    /// Around the focused pane.
    Focus = "focus" like Accent,
    /// The selected row: its colour is that of the bar, for it is always drawn in reverse video.
    Selection = "selection" like Text,
}

impl Role {
    /// The colour of a link.
    pub(crate) const fn of(link: Link) -> Self {
        match link {
            Link::Station => Self::Station,
            Link::Mpp => Self::Mpp,
            Link::Rmp => Self::Rmp,
            Link::Runs => Self::Runs,
            Link::Macp => Self::Macp,
            Link::Plugin => Self::Plugin,
            Link::Mplp => Self::Mplp,
        }
    }

    /// The role with this name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// What tells it from plain text where there are no colours.
    pub(super) const fn weight(self) -> Modifier {
        match self {
            Self::Muted | Self::Border => Modifier::DIM,
            Self::Accent | Self::Warn | Self::Focus => Modifier::BOLD,
            Self::Bad => Modifier::BOLD.union(Modifier::UNDERLINED),
            Self::Background
            | Self::Text
            | Self::Ok
            | Self::Station
            | Self::Mpp
            | Self::Rmp
            | Self::Runs
            | Self::Macp
            | Self::Plugin
            | Self::Mplp
            | Self::Selection => Modifier::empty(),
        }
    }
}
