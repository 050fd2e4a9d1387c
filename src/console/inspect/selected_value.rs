//! The choice in an entry, as text: the selected value, or its bytes.

use super::inspector::{Inspector, Part, Side};
use crate::{
    console::{copy::pairs, draw::class::Class},
    dissect::{
        frame_json::names_of,
        tree::{Kind, Text, Tree, slice},
    },
};

impl Inspector {
    /// The selected value as it was meant: a string without its quotes and escapes, an object or a list as
    /// the JSON that it is. While the keys go to the bytes, those of the selected value in hex, or the
    /// one under the cursor where no value has it. Why not, where it is or holds a secret.
    pub(crate) fn selected_value(&self) -> Result<String, &'static str> {
        if self.side == Side::Hex {
            return self.selected_bytes();
        }
        let Some((row, node)) = self.row().and_then(|row| Some((row, self.node(row)?))) else {
            return Err("nothing selected");
        };
        if self.tree(row.part).is_some_and(|tree| holds_secret(tree, row.index)) {
            return Err("it contains a secret: secrets are never copied");
        }
        let bytes = match (&node.value, node.kind) {
            (Text::Literal(words), _) => return Ok(words.clone().into_owned()),
            (Text::None, _) => return Err("it is empty"),
            (Text::Bytes(range), _) => slice(&self.subject.bytes, range),
        };
        let text = String::from_utf8_lossy(bytes);
        let meant = (node.kind == Kind::Text).then(|| serde_json::from_str::<String>(&text).ok()).flatten();
        Ok(meant.unwrap_or_else(|| text.into_owned()))
    }

    /// The names of the selected value and of what holds it, the outermost first; none of what no byte says.
    pub(crate) fn selected_names(&self) -> Vec<String> {
        let row = self.row().filter(|row| row.part == Part::Decoded);
        let tree = row.and_then(|row| Some((self.tree(row.part)?, row.index)));
        tree.map_or_else(Vec::new, |(tree, index)| names_of(tree, &self.subject.bytes, index))
    }

    fn selected_bytes(&self) -> Result<String, &'static str> {
        let (lit, at_hand) = (self.highlighted_bytes(), self.row());
        let (range, is_secret) = match at_hand.filter(|_| lit.contains(&self.byte)) {
            Some(row) => (lit, self.tree(row.part).is_some_and(|tree| holds_secret(tree, row.index))),
            None => (self.byte..self.byte.saturating_add(1), false),
        };
        if is_secret {
            return Err("they contain a secret: secrets are never copied");
        }
        Ok(pairs(slice(&self.subject.bytes, &range)))
    }
}

fn holds_secret(tree: &Tree, index: usize) -> bool {
    let end = tree.nodes.get(index).map_or(index, |node| node.end);
    tree.nodes.iter().take(end).skip(index).any(|node| node.class == Class::Secret)
}
