//! Reads messages of plugins: the headers, a line each, then JSON with the place of every value.

use crate::{
    dissect::{
        decoder::{Decoder, Subject},
        json,
        tree::{Kind, Node, Text, TreeBuilder},
    },
    field::Class,
    plugin::{Head, Verdict},
    tap::entry::{Frame, Head as AnyHead, Verdict as AnyVerdict},
};

/// A message.
pub(crate) struct PluginMessage;

impl Decoder for PluginMessage {
    fn name(&self) -> &'static str {
        "JSON-RPC 2.0, framed"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let bytes = &subject.bytes;
        let body = body_of(bytes);
        let headers = builder.tree().nodes.len();
        add_headers(bytes, body, builder);
        if let Some(words) = subject.frame().and_then(header_fault)
            && let Some(node) = builder.tree().nodes.get_mut(headers)
        {
            node.blame(words);
        }
        let at = builder.tree().nodes.len();
        if body < bytes.len() {
            json::read_within(bytes, body..bytes.len(), "body", builder);
        }
        let tree = builder.tree();
        (at..tree.nodes.len()).for_each(|index| {
            if !is_protocol_word(&tree.nodes[index].name, bytes) {
                tree.classify(index, Class::Payload);
            }
        });
    }
}

/// Members of the envelope whose values are the protocol's own words.
const PUBLIC: [&str; 4] = ["jsonrpc", "id", "method", "code"];

fn is_protocol_word(name: &Text, bytes: &[u8]) -> bool {
    let name = name.read(bytes, 64);
    PUBLIC.contains(&name.trim_matches('"'))
}

/// What is wrong with the headers.
fn header_fault(frame: &Frame) -> Option<&'static str> {
    match (&frame.head, &frame.verdict) {
        (AnyHead::Plugin(Head { .. }), AnyVerdict::Plugin(Verdict::Broken(violation))) => {
            Some(violation.text())
        }
        _ => None,
    }
}

/// The headers, and the line that ends them where it is not CR LF as it should be.
fn add_headers(bytes: &[u8], body: usize, builder: &mut TreeBuilder) {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut at = 0;
    while at < body {
        let rest = &bytes[at..body];
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(body, |line| at + line + 1);
        let whole = &bytes[at..end];
        let line = whole.strip_suffix(b"\r\n").or_else(|| whole.strip_suffix(b"\n")).unwrap_or(whole);
        let is_cut = !whole.ends_with(b"\n");
        let has_crlf = whole.ends_with(b"\r\n");
        if !(line.is_empty() && has_crlf) {
            let range = offset(at)..offset(at + line.len());
            let name = if line.is_empty() { "end of headers" } else { "header" };
            let node = Node {
                value: Text::Bytes(range.clone()),
                ..Node::new(Text::literal(name), Kind::Text, range)
            };
            builder.leaf(if has_crlf || is_cut { node } else { node.with_note("it ends with LF alone") });
        }
        at = end;
    }
}

/// Where the body of a message begins: behind the first empty line; at 0 where the bytes have no headers.
pub(in crate::dissect) fn body_of(bytes: &[u8]) -> usize {
    if bytes.first().is_none_or(|first| matches!(first, b'{' | b'[')) {
        return 0;
    }
    let mut at = 0;
    while at < bytes.len() {
        let Some(line) = bytes[at..].iter().position(|byte| *byte == b'\n') else { return bytes.len() };
        let is_empty = bytes[at..at + line].iter().all(|byte| *byte == b'\r');
        at += line + 1;
        if is_empty {
            return at;
        }
    }
    bytes.len()
}
