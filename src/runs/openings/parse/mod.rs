//! From the located tree to an opening, with every fault of it.
//!
//! - `fields`: values of the types that keys take.
//! - `load`: the loader, which reads nested openings and counts what all of them take.
//! - `text`: one text from top to bottom.
//! - `node`, `edge`, `with`: its parts.

mod edge;
mod fields;
mod load;
mod node;
mod text;
mod with;

pub(super) use load::bounds;
pub(crate) use node::ASKS;
