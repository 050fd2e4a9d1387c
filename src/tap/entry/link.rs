//! Whose boundary an entry tells of.

use super::names::names;

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
            /// The plugin host.
            Plugin plugin "the plugin host" Head Verdict;
            /// The lifecycle records of runs and sessions.
            Mplp mplp "the lifecycle records";
        }
    };
}

pub(crate) use links;

macro_rules! declare {
    ($( $(#[$doc:meta])* $Link:ident $module:ident $title:literal $($Frames:ident)*; )*) => {
        names! {
            /// Whose boundary an entry tells of.
            Link {
                $( $(#[$doc])* $Link = stringify!($module), )*
            }
        }

        impl Link {
            /// What serves the link, as a sentence names it.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $( Self::$Link => $title, )* }
            }
        }
    };
}

links!(declare);
