//! One edge.

use super::{
    super::{
        Edge, FaultKind, Literal, PortRef,
        expression::{self, SyntaxError, cut},
    },
    fields::{Fields, Part, Sink},
    text::{Nodes, plain_port},
};
use crate::runs::yaml::{Located, Value};

/// Reads an edge; nothing when it has a fault.
pub(super) fn edge(item: &Located, nodes: &Nodes, sink: &mut Sink<'_>) -> Option<Edge> {
    let Value::Map(map) = &item.value else {
        no_map(item, sink);
        return None;
    };
    let fields = Fields::new(map, item.at, Part::Edge, &["from", "to"], sink);
    let from = fields
        .required("from", "write `from: node.port`", sink)
        .and_then(|it| source(&fields, it, nodes, sink));
    let to = fields.required("to", "write `to: node.port`", sink).and_then(|it| {
        let text = fields.text(it, "to", "a port, written `node.port`", sink)?;
        plain_port(text, it.at, nodes, false, sink)
    });
    let ((from, when), to) = from.zip(to)?;
    Some(Edge { from: from.node, from_port: from.port, when, to: to.node, to_port: to.port })
}

fn source(
    fields: &Fields<'_>,
    value: &Located,
    nodes: &Nodes,
    sink: &mut Sink<'_>,
) -> Option<(PortRef, Option<Literal>)> {
    let Value::Text(text) = &value.value else {
        fields.wrong(value, "from", "a port, written `node.port`", None, sink);
        return None;
    };
    match expression::predicate(text) {
        Ok((port, literal)) => nodes.port(port, value.at, true, sink).map(|port| (port, literal)),
        Err(SyntaxError::Port { written, fix }) => {
            sink.add(value.at, FaultKind::Port { written }, fix);
            None
        }
        Err(SyntaxError::Literal { why, fix }) => {
            sink.add(value.at, FaultKind::Predicate { written: cut(text), why }, fix);
            None
        }
    }
}

fn no_map(item: &Located, sink: &mut Sink<'_>) {
    if !matches!(item.value, Value::Faulty) {
        let (key, part) = ("edges".to_owned(), Part::Opening.to_string());
        let kind = FaultKind::WrongType {
            key,
            part,
            takes: "a list of maps with `from` and `to`",
            found: item.value.article(),
        };
        sink.add(item.at, kind, Some("write `- {from: node.port, to: node.port}`".to_owned()));
    }
}
