//! Frames of MPP v2, both ways: one JSON object a line (mpp-v2, framing).
//!
//! `body` is the object, `body_bytes` the whole line where another object, another spelling or another end of
//! the line stands there.

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{
    codec::{Codec, Decoder, Encoded, Members, Unit},
    fault::FrameFault,
    json::Json,
    part::{Part, PartCodec, encode_bytes, some_json, text_of},
};
use crate::{
    dissect::{
        breach::{Breach, clause_text},
        given::given,
        json,
        mpp::{ENVELOPE, Field, fault_field, fields, violation_remedy},
        rmp::frame_json::Fill,
        tree::{Kind, Tree, TreeBuilder},
    },
    limits::MPP_FRAME_BYTES_MAX,
    mpp::{
        Fault, FrameType, HelloReason, Violation,
        frame::{Phase, Refusal, decode, decode_outbound},
        framing::{Framed, Framer},
    },
    words::cut_marked,
};

/// Values of a line that are looked through for the one at fault.
const NODES_MAX: usize = 20_000;
/// Bytes of a value at fault that are quoted.
const GOT_BYTES_MAX: u64 = 96;
/// Bytes of a value that are read to be quoted.
const READ_BYTES_MAX: usize = 256;

/// Lines.
#[derive(Debug)]
pub(super) struct MppCodec;

impl PartCodec for MppCodec {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(bytes).ok()?;
        Json::read(text).ok().map(|line| line.to_text())
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let mut line = Json::read(json)?;
        line.fill("mpp", Json::Plain("2".to_owned()));
        Ok((line.to_text() + "\n").into_bytes())
    }
}

given! {
    /// What `encode` is given.
    struct Given<'a> beside ["type" _type, "from" _from] {
        #[serde(borrow, default, deserialize_with = "some_json")]
        body: Option<&'a RawValue>,
        #[serde(default)]
        body_bytes: Option<String>,
    }
}

impl Codec for MppCodec {
    fn decoder(&self) -> Box<dyn Decoder + '_> {
        Box::new(Lines::new(true))
    }

    fn checker(&self) -> Box<dyn Decoder + '_> {
        Box::new(Lines::new(false))
    }

    fn encode(&self, json: &str, _: &Fill) -> Result<Encoded, String> {
        let given: Given<'_> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let wire = Part::join("body", text_of(given.body), given.body_bytes.as_deref(), self)?;
        let wire = wire.ok_or("`body` or `body_bytes` is required")?;
        Ok(Encoded::judged(wire, self.checker()))
    }

    fn frame_bytes_max(&self) -> u64 {
        MPP_FRAME_BYTES_MAX as u64
    }

    fn example(&self) -> &'static str {
        r#"{"body":{"type":"pull","queue":"default"}}"#
    }
}

/// A stream of lines.
struct Lines {
    framer: Framer,
    /// What was read and not given to the framer.
    input: Vec<u8>,
    at: usize,
    offset: u64,
    has_members: bool,
}

impl Lines {
    fn new(has_members: bool) -> Self {
        Self { framer: Framer::new(), input: Vec::new(), at: 0, offset: 0, has_members }
    }
}

impl Decoder for Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..std::mem::take(&mut self.at));
        self.input.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Unit> {
        loop {
            let found = self.framer.next().map(|framed| match framed {
                Framed::Line(line) => (Bytes::copy_from_slice(line), None),
                Framed::TooLarge(line) => (Bytes::copy_from_slice(line), Some(Violation::TooLarge)),
            });
            if let Some((wire, violation)) = found {
                let offset = self.offset;
                self.offset += wire.len() as u64;
                return Some(match violation {
                    None => whole(wire, offset, self.has_members),
                    Some(violation) => broken(wire, offset, of_violation(violation, None)),
                });
            }
            let rest = self.input.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                return None;
            }
            let room = self.framer.spare();
            let taken = room.len().min(rest.len());
            room.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            self.framer.filled(taken);
            self.at += taken;
        }
    }

    fn finish(&mut self) -> Option<Unit> {
        let wire = Bytes::copy_from_slice(self.framer.pending());
        (!wire.is_empty()).then(|| {
            let fault = FrameFault {
                name: "INVALID_FRAME".into(),
                clause: "mpp-v2, framing".into(),
                says: clause_text("mpp-v2, framing").into(),
                message: "the input ends inside a line".to_owned(),
                expected: "a line that ends with LF".to_owned(),
                got: "the end of the input".to_owned(),
                offset: wire.len(),
                ends_stream: true,
                hint: None,
            };
            broken(wire, self.offset, fault)
        })
    }
}

/// A line that the framer cut.
fn whole(wire: Bytes, offset: u64, has_members: bool) -> Unit {
    let (kind, fault) = judge(&wire);
    let mut members = Members::default();
    if !has_members {
        return Unit { wire, offset, fault, members };
    }
    let part = Part::of(&wire, &MppCodec);
    members.add("type", kind.map(FrameType::name));
    members.add("from", kind.map(sender));
    members.add_json("body", part.json);
    members.add("body_bytes", part.bytes);
    Unit { wire, offset, fault, members }
}

/// What no frame was cut of.
fn broken(wire: Bytes, offset: u64, fault: FrameFault) -> Unit {
    let mut members = Members::default();
    members.add("body_bytes", Some(encode_bytes(&wire)));
    let fault = FrameFault { ends_stream: true, ..fault };
    Unit { wire, offset, fault: Some(fault), members }
}

/// Who sends frames of a type (mpp-v2, frame directions).
const fn sender(kind: FrameType) -> &'static str {
    match kind {
        FrameType::HelloAck | FrameType::Invocation => "bridge",
        FrameType::Heartbeat | FrameType::ProtocolError => "adapter or bridge",
        _ => "adapter",
    }
}

/// The type of a line, and why whoever it is for would refuse it. A `hello` is judged as the first line of a
/// connection, any other as a later one.
fn judge(wire: &[u8]) -> (Option<FrameType>, Option<FrameFault>) {
    let refusal = match decode(wire, Phase::Later) {
        Ok(frame) => return (Some(frame.kind()), None),
        Err(refusal) => refusal,
    };
    let refused = |refusal: &Refusal| Some(of_refusal(refusal, wire));
    let kind = refusal.head.kind;
    let fault = match kind {
        Some(FrameType::Hello) => decode(wire, Phase::First).err().and_then(|refusal| refused(&refusal)),
        Some(FrameType::HelloAck | FrameType::Invocation) => {
            decode_outbound(wire).err().map(|violation| of_violation(violation, Some((wire, kind))))
        }
        _ => refused(&refusal),
    };
    (kind, fault)
}

fn of_refusal(refusal: &Refusal, wire: &[u8]) -> FrameFault {
    let place = Some((wire, refusal.head.kind));
    match refusal.fault {
        Fault::Protocol { violation, .. } => {
            FrameFault { message: refusal.message.to_string(), ..of_violation(violation, place) }
        }
        Fault::Hello(reason) => of_hello(reason, place),
        Fault::ByAdapter => of_violation(Violation::NoType, place),
    }
}

/// A `hello` that is answered by `ok: false`: of what one line says, it is the version alone.
fn of_hello(reason: HelloReason, place: Option<(&[u8], Option<FrameType>)>) -> FrameFault {
    let breach = Breach::Hello(reason);
    FrameFault {
        name: reason.code().into(),
        clause: breach.clause().into(),
        says: clause_text(breach.clause()).into(),
        message: breach.text(),
        ..of_violation(Violation::Version, place)
    }
}

/// A violation, found in a line of this type.
fn of_violation(violation: Violation, place: Option<(&[u8], Option<FrameType>)>) -> FrameFault {
    let code = violation.code();
    let clause = violation.clause();
    let (wire, kind) = place.unwrap_or_default();
    let field = fault_field(violation);
    let (offset, got) = match violation {
        Violation::TooLarge => (MPP_FRAME_BYTES_MAX, format!("{MPP_FRAME_BYTES_MAX} bytes without LF")),
        _ => found(violation, field, wire),
    };
    FrameFault {
        name: code.code().into(),
        clause: clause.into(),
        says: clause_text(clause).into(),
        message: violation.to_string(),
        expected: expected(violation, field, kind),
        got,
        offset,
        ends_stream: false,
        hint: Some(violation_remedy(violation)),
    }
}

/// What belongs into a field.
fn expected(violation: Violation, name: &str, kind: Option<FrameType>) -> String {
    let of_type = kind.map_or(&[][..], fields);
    let named = |field: &&Field| field.name == name;
    let field = ENVELOPE.iter().chain(of_type).find(named);
    match (violation, field) {
        (Violation::NotUtf8, _) => "UTF-8".to_owned(),
        (Violation::NotJson | Violation::NotObject, _) => "one JSON object".to_owned(),
        (Violation::TooLarge, _) => format!("a line of at most {MPP_FRAME_BYTES_MAX} bytes, its LF included"),
        (_, Some(field)) => {
            let text = field.expected.describe();
            format!("`{name}`: {}", text.strip_prefix("expected ").unwrap_or(text))
        }
        (_, None) => violation_remedy(violation).to_owned(),
    }
}

/// The byte at which a violation is found, and what is there.
fn found(violation: Violation, name: &str, wire: &[u8]) -> (usize, String) {
    if let Err(error) = std::str::from_utf8(wire) {
        let at = error.valid_up_to();
        return (at, wire.get(at).map(|byte| format!("{byte:02x}")).unwrap_or_default());
    }
    let mut builder = TreeBuilder::new(NODES_MAX);
    json::read(wire, "line", &mut builder);
    let tree = builder.finish();
    let at = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let value = |index: usize| {
        let node = &tree.nodes[index];
        let text = node.value.read(wire, READ_BYTES_MAX).into_owned();
        (at(node.range.start), cut_marked(text.trim_end(), GOT_BYTES_MAX).into_owned())
    };
    match violation {
        Violation::NotJson => {
            let wrong = tree.nodes.iter().rposition(|node| node.note.as_ref().is_some_and(|it| it.is_wrong));
            wrong.map_or((0, String::new()), value)
        }
        Violation::NotObject => tree.nodes.first().map_or((0, String::new()), |_| value(0)),
        _ => match member(&tree, wire, name) {
            Some(index) => value(index),
            // Where it would have to be.
            None => (
                tree.nodes.first().map_or(0, |root| at(root.range.end).saturating_sub(1)),
                format!("no `{name}`"),
            ),
        },
    }
}

/// The last member of the line's object that has a name.
fn member(tree: &Tree, wire: &[u8], name: &str) -> Option<usize> {
    tree.nodes.first().filter(|root| root.kind == Kind::Object)?;
    tree.children(0).filter(|index| tree.nodes[*index].name.read(wire, 64).trim_matches('"') == name).last()
}
