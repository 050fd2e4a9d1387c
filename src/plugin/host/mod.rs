//! The processes of plugins, and the thread that serves them.

pub mod guard;
