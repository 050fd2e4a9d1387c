//! The systems that a station hosts, each declared once: from this table come the fields of
//! [`Snapshot`](super::Snapshot) and its recorded form, the variants of [`Command`](super::Command),
//! [`Outcome`](super::Outcome) and [`PortError`](super::PortError) of those that take commands, and what to
//! do about a host that is down or up.

/// Hands the table to a macro: a system's link, the module that has its `Snapshot`, and if it takes commands
/// its `Command` and `Outcome`, and what a refusal of it is called on the wire.
macro_rules! systems {
    ($declare:ident) => {
        $declare! {
            /// Of the MPP bridge.
            Mpp mpp (Command Outcome Refused) {
                down: "`rl-console host restart mpp` restarts the bridge; `rl-console doctor` says more",
                hangs: "`rl-console adapter disconnect` disconnects an adapter that hangs",
            }
            /// Of the RMP broker.
            Rmp rmp {
                down: "free its socket, or start the station with another: --socket PATH; `rl-console doctor` says more",
                hangs: "`rl-console peer disconnect SESSION` disconnects a peer that hangs; `rl-console ls peers` lists them",
            }
            /// Of the runs.
            Runs runs (Command Outcome Run) {
                down: "`rl-console host restart runs` restarts the control plane; `rl-console doctor` says more",
                hangs: "`rl-console run cancel RUN` cancels a run that hangs; `rl-console ls runs` lists them",
            }
            /// Of the MACP runtime.
            Macp macp (Command Outcome Session) {
                down: "`rl-console host restart macp` restarts the MACP runtime; `rl-console doctor` says more",
                hangs: "`rl-console session cancel SESSION` cancels a session that hangs; `rl-console ls sessions` lists them",
            }
            /// Of the plugin host.
            Plugin plugin (Command Outcome Plugin) {
                down: "`rl-console host restart plugin` restarts the plugin host; `rl-console doctor` says more",
                hangs: "`rl-console plugin restart PLUGIN` restarts a plugin that hangs; `rl-console ls plugins` lists them",
            }
            /// Of the lifecycle records.
            Mplp mplp (Command Outcome Record) {
                down: "`rl-console host restart mplp` restarts them; `rl-console doctor` says more",
                hangs: "`rl-console host restart mplp` restarts them",
            }
        }
    };
}

pub(super) use systems;
