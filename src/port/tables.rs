//! The lists that a station gives, each declared once: its row, what narrows it, and the flags that say so.
//! From this table come [`Query`](super::Query) and [`Page`](super::Page) as they cross the wire,
//! [`List`](super::List) with its fields, and in the command line the subcommands of `ls` with their flags,
//! help and completion.

/// Hands the table to a macro: a list, the link whose it is, and its rows. It comes whole, or in pages: then
/// its rows have a key, in whose order they come, and it may be narrowed. What narrows it has its flag, what
/// it takes beside it, and its type.
///
/// Query and page have the list's name on the wire, in snake case. `sent` has the serde attributes of where a
/// page begins and of its order, which differ as they came one after the other: what a station of an earlier
/// version does not know is left out where it is not used. The comments are what help says.
macro_rules! tables {
    ($declare:ident) => {
        $declare! {
            whole {
                /// Queues, with what is pending, in flight, parked, held.
                Queues "queues" of Mpp: QueueRow;
                /// The events of the pack, each with its queue and the schema of its parameters.
                Events "events" of Mpp: EventRow;
                /// The pack-state values that adapters wrote.
                State "state" of Mpp: StateKeyRow;
                /// The connected adapter.
                Adapters "adapters" of Mpp: AdapterRow;
                /// How each part of the station is.
                Health "health" of Station: HealthRow;
                /// Who is connected to the ports, with the sessions and subscriptions that each holds.
                Clients "clients" of Station: ClientRow;
                /// Rules that are armed at the gate.
                GateRules "gate-rules" of Station: GateRuleRow;
                /// Frames that the gate holds, the oldest first.
                Intercepted "intercepted" of Station: InterceptedRow;
                /// The topics of the bus, with what was published and dropped on each.
                Topics "topics" of Rmp: TopicRow;
                /// The peers of the bus, with their kinds and queues.
                Peers "peers" of Rmp: PeerRow;
                /// The subscriptions of the bus.
                Subscriptions "subscriptions" of Rmp: SubscriptionRow;
                /// Messages of the bus that did not reach their subscribers, by reason, topic and culprit,
                /// the latest first.
                Drops "drops" of Rmp: DropRow;
                /// What peers broke, by clause, as far as the tap keeps it.
                Violations "violations" of Station: ViolationRow;
                /// Findings in the MPLP messages of the bus, by rule, as far as the tap keeps them.
                Findings "findings" of Station: FindingRow;
                /// Nodes of runs that wait for a person, the oldest first.
                Confirmations "confirmations" of Runs: ConfirmationRow;
                /// Plugins, with their state, pings, restarts and what they use.
                Plugins "plugins" of Plugin: PluginRow;
            }
            paged {
                /// Invocations, newest first.
                Invocations "invocations" of Mpp: InvocationRow by id: crate::ids::InvocationId {
                    /// Only those in this state.
                    "--state STATE" state: Option<crate::tap::entry::mpp::RowState>,
                    /// Only those of this queue.
                    "--queue QUEUE" queue: Option<crate::ids::QueueName>,
                    /// Only those that were enqueued under another manifest than the one in force;
                    /// `--state pending` shows those that wait for it.
                    #[serde(default, skip_serializing_if = "is_unset")]
                    "--other-manifest" other_manifest: bool,
                }
                sent { beyond oldest_first }

                /// Refund records, newest first.
                Refunds "refunds" of Mpp: RefundRow by id: crate::ids::RefundId {
                    /// Only those with this status.
                    "--state STATE" status: Option<crate::tap::entry::mpp::RefundStatus>,
                }
                sent {
                    #[serde(rename = "before")] beyond
                    #[serde(default, skip_serializing_if = "is_unset")] oldest_first
                }

                /// Runs of openings, newest first.
                Runs "runs" of Runs: RunRow by number: u64 {
                    /// Only those in this state.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--state STATE" state: Option<crate::runs::RunState>,
                    /// Only those of openings with this name.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--name NAME" name: Option<String>,
                    /// Only those that were submitted this long ago or later, as in 90s, 10m, 1h30m or 2d.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--since AGO" since_ms: Option<crate::time::Wall>,
                }
                sent {
                    #[serde(default, skip_serializing_if = "Option::is_none")] beyond
                    #[serde(default, skip_serializing_if = "is_unset")] oldest_first
                }

                /// Sessions in which agents decide together, newest first.
                Sessions "sessions" of Macp: SessionRow by number: u64 {
                    /// Only those in this state.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--state STATE" state: Option<crate::macp::SessionState>,
                    /// Only those of this mode.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--mode MODE" mode: Option<crate::macp::Mode>,
                    /// Only those that began this long ago or later, as in 90s, 10m, 1h30m or 2d.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--since AGO" since_ms: Option<crate::time::Wall>,
                }
                sent {
                    #[serde(default, skip_serializing_if = "Option::is_none")] beyond
                    #[serde(default, skip_serializing_if = "is_unset")] oldest_first
                }

                /// Alerts, newest first.
                Alerts "alerts" of Station: AlertRow by id: u64 {
                    /// Only those in this state.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--state STATE" state: Option<crate::tap::entry::alerts::AlertState>,
                    /// Only those that were raised this long ago or later, as in 90s, 10m, 1h30m or 2d.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    "--since AGO" since_ms: Option<crate::time::Wall>,
                }
                sent {
                    #[serde(default, skip_serializing_if = "Option::is_none")] beyond
                    #[serde(default, skip_serializing_if = "is_unset")] oldest_first
                }
            }
        }
    };
}

pub(crate) use tables;
