//! Which parts of a frame are its headers, and where its payload is.

use crate::{
    dissect::{decoder::Subject, tree::Tree},
    tap::entry::Link,
};

/// Bytes of a name that are looked at.
const NAME_BYTES_MAX: usize = 16;

/// The nodes of a tree that one comes for, and those that one seldom does.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The headers, with fields of their own.
    pub(super) headers: Vec<usize>,
    /// The payload: of a frame with a message, that of the message.
    pub(super) payload: Option<usize>,
}

impl Outline {
    /// The outline of what a frame of the bus or of the coordination runtime says. Other links have none.
    pub(super) fn of(tree: &Tree, subject: &Subject) -> Self {
        let mut outline = Self::default();
        if subject.frame().is_none() || !matches!(subject.entry.link, Link::Rmp | Link::Macp) {
            return outline;
        }
        let is_named = |index: usize, wanted: &str| {
            let node = tree.nodes.get(index);
            node.is_some_and(|node| node.name.read(&subject.bytes, NAME_BYTES_MAX) == wanted)
        };
        let mut index = 0;
        while let Some(node) = tree.nodes.get(index) {
            let is_body = is_named(index, "body") || is_named(index, "payload");
            if is_body {
                outline.payload =
                    tree.children(index).find(|child| is_named(*child, "payload")).or(Some(index));
            } else if is_named(index, "header") && tree.is_folder(index) {
                outline.headers.push(index);
            }
            // What a payload calls a header is its own.
            index = if is_body || outline.headers.last() == Some(&index) { node.end } else { index + 1 };
        }
        outline
    }
}
