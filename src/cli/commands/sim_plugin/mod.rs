//! `sim plugin`: a plugin for rehearsals and tests, written from the specification (streamnook-plugin-v1). It
//! shares nothing with the host of plugins, so that each checks the other.
//!
//! - `folder`: the folder that is written, with the manifest and the entry.
//! - `wire`: frames over stdin and stdout, in one thread that never waits for one of them alone.
//! - `plugin`: what the plugin says and answers.
//! - `bring_back`: what it does with a token.
//! - `bad_frame`, `leftovers`, `panel`: what it sends, starts and shows.

mod bad_frame;
mod bring_back;
mod folder;
mod leftovers;
mod panel;
mod plugin;
mod run;
mod wire;

pub(in crate::cli) use run::run;
