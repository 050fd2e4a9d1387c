//! What the pass is driven by: for each schema and profile a table of nodes, made at its first use.

use std::sync::OnceLock;

use crate::mplp::{SchemaId, rule::Profile};

use super::{compile::compile, names::Names, text::TextChecks};

/// Kinds of values, a bit each.
pub(super) mod kind {
    pub(in super::super) const NULL: u8 = 1;
    pub(in super::super) const BOOLEAN: u8 = 1 << 1;
    /// A number without a fraction.
    pub(in super::super) const INTEGER: u8 = 1 << 2;
    /// A number with a fraction.
    pub(in super::super) const FRACTION: u8 = 1 << 3;
    pub(in super::super) const STRING: u8 = 1 << 4;
    pub(in super::super) const ARRAY: u8 = 1 << 5;
    pub(in super::super) const OBJECT: u8 = 1 << 6;
    pub(in super::super) const ALL: u8 = (1 << 7) - 1;
}

/// The place of a node in its table.
pub(super) type NodeId = usize;

/// What is asked of a value.
#[derive(Debug)]
pub(super) enum Node {
    /// Nothing is asked of it: every value is clean.
    Any,
    /// More than the pass knows is asked of it: the judge looks closer.
    Closer,
    /// What is asked of it, all of which the pass knows.
    Asks(Box<Asks>),
}

/// What is asked of a value, by its kind.
#[derive(Debug)]
pub(super) struct Asks {
    /// The kinds that are allowed.
    pub(super) kinds: u8,
    /// What is asked of a text.
    pub(super) text: TextChecks,
    /// The least that a number may be.
    pub(super) least: Option<i64>,
    /// The most that a number may be.
    pub(super) most: Option<i64>,
    /// What is asked of an object.
    pub(super) object: ObjectAsks,
    /// What is asked of an array.
    pub(super) list: ListAsks,
}

/// What is asked of an object. Members are bits, by their places among the names.
#[derive(Debug)]
pub(super) struct ObjectAsks {
    /// The members of which something is asked.
    pub(super) names: Names,
    /// What is asked of each.
    pub(super) members: Box<[NodeId]>,
    /// Those that must be there.
    pub(super) required: u64,
    /// Groups of which one must be there as a whole, of each list.
    pub(super) alternatives: Box<[Box<[u64]>]>,
    /// Whether others are forbidden.
    pub(super) is_closed: bool,
}

/// What is asked of an array.
#[derive(Debug)]
pub(super) struct ListAsks {
    /// What is asked of each item.
    pub(super) item: NodeId,
    /// The fewest items that it may have.
    pub(super) items_min: usize,
    /// Whether no item may be there twice.
    pub(super) is_unique: bool,
}

/// Those of all schemas, without a profile and in each.
static TABLES: [[OnceLock<Table>; SchemaId::ALL.len()]; 3] =
    [const { [const { OnceLock::new() }; SchemaId::ALL.len()] }; 3];

/// The nodes of a schema; the first is that of the whole object.
#[derive(Debug)]
pub(super) struct Table(pub(super) Box<[Node]>);

impl Table {
    /// The table of a schema and what rules ask in a profile.
    pub(super) fn of(schema: SchemaId, profile: Option<Profile>) -> &'static Self {
        let row = match profile {
            None => &TABLES[0],
            Some(Profile::Sa) => &TABLES[1],
            Some(Profile::Map) => &TABLES[2],
        };
        row[schema.place()].get_or_init(|| compile(schema, profile))
    }

    /// Whether any is made.
    #[cfg(test)]
    pub(super) fn is_used() -> bool {
        TABLES.iter().flatten().any(|it| it.get().is_some())
    }

    /// A node. One that is not there is not known.
    #[inline]
    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.0.get(id).unwrap_or(&Node::Closer)
    }
}
