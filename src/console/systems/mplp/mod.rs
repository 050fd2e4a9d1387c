//! The lifecycle records: the panes that show that of a run or session as a tree.

mod about;
mod actions;
mod confirmations;
mod details;
mod folds;
mod going;
mod keys;
mod lines;
mod pages;
pub(crate) mod panes;
mod part;
mod record;
mod requests;
pub(crate) mod state;
pub(crate) mod system;
