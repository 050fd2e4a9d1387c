//! Whose boundary an entry tells of.

use serde::{Deserialize, Serialize};

/// Hands the table of links to a macro: a link, the module of its vocabulary, what serves it as a sentence
/// names it, and heads and verdicts of its own if frames cross it.
///
/// `Mpp mpp "the MPP bridge" Head Verdict` makes [`Link::Mpp`] with the name `mpp`, `Head::Mpp(mpp::Head)`,
/// `Verdict::Mpp(mpp::Verdict)`, `Transition::Mpp(mpp::Transition)`, and the recorded form of the last.
macro_rules! links {
    ($declare:ident) => {
        $declare! {
            /// The station itself: hosts coming and going, store, recordings, notices.
            Station station "the station";
            /// The MPP bridge.
            Mpp mpp "the MPP bridge" Head Verdict;
            /// The RMP broker.
            Rmp rmp "the bus" Head Verdict;
            /// The runs of openings.
            Runs runs "the control plane";
            /// The MACP runtime.
            Macp macp "the MACP runtime" Head Verdict;
        }
    };
}

pub(in crate::tap) use links;

macro_rules! declare {
    ($( $(#[$doc:meta])* $Link:ident $module:ident $title:literal $($Frames:ident)*; )*) => {
        /// Whose boundary an entry tells of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Link {
            $( $(#[$doc])* $Link, )*
        }

        impl Link {
            /// Every link, in the order of their index.
            pub const ALL: [Self; Self::NAMES.len()] = [ $( Self::$Link, )* ];

            /// Their names, in this order.
            pub const NAMES: [&'static str; [ $( $title, )* ].len()] = [ $( stringify!($module), )* ];

            /// What serves the link, as a sentence names it.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $( Self::$Link => $title, )* }
            }
        }
    };
}

links!(declare);

impl Link {
    /// The link of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|link| link.name() == name)
    }

    /// The index of this link in arrays that hold one item a link.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name shown to people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.index()]
    }
}
