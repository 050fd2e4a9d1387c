//! Reads entries that are no frames: a transition's fields, and the text beside it where it has one.

use std::borrow::Cow;

use super::{
    decoder::{Decoder, Subject},
    gate, json,
    table::{of_head, of_transition},
    tree::{Kind, Node, Text, TreeBuilder},
};
use crate::{field::Class, tap::entry::What, words::format};

/// Transitions, and what the tap says of itself.
pub(crate) struct TransitionDecoder;

impl Decoder for TransitionDecoder {
    fn name(&self) -> &'static str {
        "state change"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let told = details_of(&subject.entry.what);
        builder.open(Node::new(Text::literal(told.name), Kind::Group, 0..0));
        for node in told.fields {
            builder.leaf(node);
        }
        if let Some((name, class, is_json)) = told.text.filter(|_| !subject.bytes.is_empty()) {
            add_text(subject, builder, name, class, is_json);
        }
        builder.close();
    }
}

/// The text beside a transition.
fn add_text(subject: &Subject, builder: &mut TreeBuilder, name: &'static str, class: Class, is_json: bool) {
    if is_json {
        let at = builder.tree().nodes.len();
        json::read(&subject.bytes, name, builder);
        let tree = builder.tree();
        (at..tree.nodes.len()).for_each(|index| tree.classify(index, class));
        return;
    }
    let all = 0..u32::try_from(subject.bytes.len()).unwrap_or(u32::MAX);
    builder.leaf(
        Node { value: Text::Bytes(all.clone()), ..Node::new(Text::literal(name), Kind::Text, all) }
            .with_class(class),
    );
}

/// An entry that is no frame: its name, its fields, and what its text is.
pub(crate) struct TransitionDetails {
    name: &'static str,
    fields: Vec<Node>,
    /// What the text beside it is, who may see it, and whether it is JSON.
    text: Option<(&'static str, Class, bool)>,
}

impl TransitionDetails {
    /// Who may see the text beside it.
    pub(crate) fn text_class(&self) -> Class {
        self.text.map_or(Class::Payload, |(_, class, _)| class)
    }

    /// It with a text beside it.
    pub(crate) const fn with_text(mut self, text: &'static str, class: Class) -> Self {
        self.text = Some((text, class, false));
        self
    }

    /// It with a text that is JSON.
    pub(crate) const fn with_json(mut self, text: &'static str, class: Class) -> Self {
        self.text = Some((text, class, true));
        self
    }
}

/// The name of an entry: a frame's type, or what changed.
pub(crate) fn name_of(what: &What) -> &'static str {
    match what {
        What::Frame(frame) => of_head(&frame.head).name(),
        _ => details_of(what).name,
    }
}

fn details_of(what: &What) -> TransitionDetails {
    match what {
        What::Frame(_) => plain("frame", Vec::new()),
        What::Transition(transition) => of_transition(transition).details(),
        What::Intercepted(it) => gate::intercepted_details(it),
        What::Passed(it) => gate::passed_details(it),
        What::Committed { through } => plain(
            "committed",
            vec![
                Node::fact("through", through.to_string())
                    .with_note("all tickets up to this one are durable"),
            ],
        ),
        What::Unsent { frames, bytes } => plain(
            "unsent",
            vec![Node::fact("frames", frames.to_string()), Node::fact("bytes", format::bytes(*bytes))],
        ),
        What::Loss { count } => {
            let fact = Node::fact("entries", count.to_string()).with_note(
                "evicted before they were recorded or read (limits.tap.ring_bytes_max), or damaged",
            );
            plain("loss", vec![fact])
        }
    }
}

pub(crate) const fn plain(name: &'static str, fields: Vec<Node>) -> TransitionDetails {
    TransitionDetails { name, fields, text: None }
}

/// An entry with fields and without a text, those of its subject first.
pub(crate) fn extended(
    name: &'static str,
    mut fields: Vec<Node>,
    more: impl IntoIterator<Item = Node>,
) -> TransitionDetails {
    fields.extend(more);
    plain(name, fields)
}

pub(crate) const fn with_text(
    name: &'static str,
    fields: Vec<Node>,
    text: &'static str,
    class: Class,
) -> TransitionDetails {
    TransitionDetails { name, fields, text: Some((text, class, false)) }
}

pub(crate) fn text_node(name: &'static str, value: impl Into<Cow<'static, str>>) -> Node {
    Node::fact(name, value)
}

pub(crate) fn shown(name: &'static str, value: &impl ToString) -> Node {
    text_node(name, value.to_string())
}

pub(crate) fn number(name: &'static str, value: u64) -> Node {
    Node { kind: Kind::Number, ..text_node(name, value.to_string()) }
}
