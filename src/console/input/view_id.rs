//! The views: what the whole screen is about.

/// The views, for a macro that makes something of all of them, in the order of their keys: each with its key,
/// its name, the action that shows it, and where it is declared.
macro_rules! view_table {
    ($make:ident) => {
        $make! {
            /// Everything at a glance.
            Deck = "Deck", ViewDeck in deck::VIEW,
            /// The MPP bridge.
            Bridge = "Bridge", ViewBridge in bridge::system::VIEW,
            /// The RMP bus.
            Bus = "Bus", ViewBus in bus::system::VIEW,
            /// Openings and their runs.
            Runs = "Runs", ViewRuns in runs::system::VIEW,
            /// Sessions in which agents decide together.
            Sessions = "Sessions", ViewSessions in sessions::system::VIEW,
            /// Plugins and their health.
            Plugins = "Plugins", ViewPlugins in plugins::system::VIEW,
            /// The ladder of one trace.
            Trace = "Trace", ViewTrace in trace::pane::VIEW,
            /// Every entry of the tap.
            Wire = "Wire", ViewWire in wire::pane::VIEW,
            /// What a person should read.
            Journal = "Journal", ViewJournal in station::system::VIEW,
        }
    };
}
pub(crate) use view_table;

/// Makes the views' keys.
macro_rules! view_ids {
    ($(
        $(#[doc = $doc:literal])* $view:ident = $name:literal, $action:ident in $($place:ident)::+
    ),* $(,)?) => {
        /// A view, by its number key.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum ViewId {
            $( $(#[doc = $doc])* $view, )*
        }

        impl ViewId {
            /// All of them, in the order of their keys.
            pub(crate) const ALL: [Self; [$( Self::$view ),*].len()] = [$( Self::$view, )*];

            /// Its name.
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$view => $name, )* }
            }
        }
    };
}

view_table!(view_ids);
