//! rl-console: the operator console that hosts and shows everything a stream's automation runs on.
//!
//! The map of the crate, floor by floor; each imports only from below (`tests/architecture.rs` checks it):
//!
//! 1. [`ids`], [`limits`], [`time`], [`schema`], [`registry`], `msgpack`, [`field`], [`filter`],
//!    [`words`], [`manual`], [`admission`], [`private_files`], [`w3c`]: identities, bounds, clocks, JSON
//!    Schema, the schemas of messages and ports, the shape of MsgPack, what records are made of, the language
//!    that finds them, texts and counts in words, how a manual is read, who may hold a connection, files that
//!    are this user's alone, and the trace context that requests carry.
//! 2. [`tap`], [`store`], [`judged`], [`gate`]: the ordered stream of all that happens; what outlives the
//!    process; what would be made of a frame; what may stop one on its way.
//! 3. [`mpp`], [`rmp`], [`macp`], [`runs`], [`plugin`], [`mplp`], [`recording`]: the protocols' cores with
//!    their hosts, openings and their runs; recordings of the tap.
//! 4. [`port`], `dissect`: the one way to act on a station and to ask it; what bytes and entries mean.
//! 5. [`console`] and [`station`]: what the operator sees; what runs.
//! 6. [`cli`]: the command line.
//!
//! # Adding a system
//!
//! A system is written in folders of its own, alike in all of them: its core with its host, its entries
//! (`tap/entry`, `tap/recorded`), its rows and snapshot (`port`, `port/recorded`), what its bytes mean
//! (`dissect`), its host and the rules of its alerts (`station`), what the console keeps of it and draws
//! (`console/model`, `console/systems`), and the columns of its lists (`cli/commands/ls`; their JSON is the
//! rows' own). Their `mod.rs` name them. The files below list all systems, and are edited in this order;
//! `tests/architecture/adding.rs` checks that they do.
//!
//! ## Every system
//!
//! 1. `tap/entry/link.rs`: its link, with its module and title; `Head Verdict` where frames cross it.
//! 2. `tap/tap.proto`: its link's code, its transition in `Entry.what`, its part of `Snapshot`.
//! 3. `limits/table.rs`: its limits.
//! 4. `port/systems.rs`: its row, for snapshots, commands, refusals, and what to do when it is down.
//! 5. `port/tables.rs`: its lists, for queries, `ls` with its flags, and paged panes.
//! 6. `station/hosts.rs`: its host, where it starts and ends among the others, and the rules of its alerts.
//! 7. `console/model/table.rs`: what the model keeps of it, and what to do about its alerts.
//! 8. `console/draw/theme/role.rs`: its colour.
//! 9. `console/input/pane_id.rs`: its panes.
//! 10. `console/input/view_id.rs`: its view.
//! 11. `console/input/action.rs`: the action that shows its view.
//! 12. `console/input/keymap/table.rs`: that action's key, and which keys its panes take.
//! 13. `console/systems/station/log.rs`: its name among those that notices come from.
//! 14. `console/systems/table.rs`: its chip, and what it keeps on the screen.
//!
//! ## A system that has it
//!
//! - `tap/recorded/frame.rs`, `port/ladder.rs`: frames, and their steps in a trace.
//! - `dissect/table.rs`: the texts of the clauses that its peers can break.
//! - `dissect/frame_json/format.rs`, `cli/args/frames.rs`: its frames as JSON and back.
//! - `dissect/redact/redactor.rs`: where values are in its frames, so that recordings can mask them.
//! - `store/op.rs`, `store/record.rs`, `store/apply.rs`, `store/migrations.rs`, `store/handle.rs`: what
//!   outlives the process.
//! - `port/query.rs`: queries of one record.
//! - `cli/args/ls_flags.rs`: flags of a new type that narrow its lists.
//! - `station/commands.rs`, `cli/error.rs`: commands, and the exit code of what refuses them.
//! - `cli/config/key.rs`, `cli/config/settings.rs`: keys of the configuration.
//! - `station/alerts/watch.rs`: thresholds of alerts that are configured.
//! - `cli/commands/events/event.rs`, `cli/commands/events/text.rs`: events that `serve` and `--plain` tell.
//! - `cli/commands/events/of_tap.rs`, `cli/commands/events/line.rs`: the transitions that they come from.

pub mod admission;
pub mod cli;
pub mod console;
mod dissect;
pub mod field;
pub mod filter;
pub mod gate;
pub mod ids;
pub mod judged;
pub mod limits;
pub mod macp;
pub mod manual;
pub mod mplp;
pub mod mpp;
mod msgpack;
pub mod plugin;
pub mod port;
pub mod private_files;
pub mod recording;
pub mod registry;
pub mod rmp;
pub mod runs;
pub mod schema;
pub mod station;
pub mod store;
pub mod tap;
pub mod time;
pub mod w3c;
pub mod words;
