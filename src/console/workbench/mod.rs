//! The workbench: a frame of any protocol, edited as JSON or as bytes, with what its core would make of it
//! now, sent through a door of the station's workbench and followed to what became of it.
//!
//! ```text
//!  captured frame ─▶ JSON ─▶ bytes ─▶ broken bytes ─▶ judged, with every edit
//!                      ▲       │                        │
//!                      └─ F5 ──┘                        └─▶ sent ─▶ what became of it
//! ```

pub(crate) mod actions;
pub(crate) mod at_gate;
mod bench;
mod breaking;
mod bytes;
mod choices;
mod draw;
mod draw_form;
mod draw_verdict;
mod followed;
mod form;
mod frame_list;
mod from_snippet;
mod gate_edit;
mod in_form;
mod layer;
mod lists;
mod making;
mod marked;
mod panel;
mod saved;
mod sending;
mod snippet_name;
mod snippets;
mod state;
mod verdict;
mod way;

pub(crate) use bench::Workbench;
pub(crate) use choices::Choice;
pub(crate) use followed::{follow, on_frame};
pub(crate) use frame_list::on_snippets;
pub(crate) use saved::{check_draft, check_sent, restore};
pub(crate) use state::State;
