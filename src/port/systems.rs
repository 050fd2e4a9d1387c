//! The systems that take commands, each declared once: from this table come its variants of
//! [`Command`](super::Command), [`Outcome`](super::Outcome) and [`PortError`](super::PortError).

/// Hands the table to a macro: a system's name, the module that has its `Command`, `Outcome` and `Refusal`,
/// and what a refusal of it is called on the wire.
macro_rules! systems {
    ($declare:ident) => {
        $declare! {
            /// By the MPP bridge.
            Mpp mpp refuses Refused;
            /// By the runs.
            Runs runs refuses Run;
            /// By the MACP runtime.
            Macp macp refuses Session;
        }
    };
}

pub(super) use systems;
