//! Makes frames of JSON, and JSON of frames, for the workbench: small ones at once, larger ones beside the
//! screen's thread.

use std::sync::LazyLock;

use crate::{
    console::worker::Worker,
    dissect::frame_json::{
        self, Breakage, Fill, Format, FrameFault, Places, RmpUnits, Setup, codec, indented,
    },
    limits::Limits,
    registry::Registry,
    time::Wall,
};

/// The schemas that are known without those that a configuration adds.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::default);

/// A frame that is to be made, or read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameJob {
    /// What its answer finds its text by.
    pub(crate) number: u64,
    pub(crate) format: Format,
    pub(crate) work: FrameWork,
    pub(crate) limits: Box<Limits>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FrameWork {
    /// Make the bytes that a JSON says.
    Encode {
        text: String,
        /// What goes in front of it.
        before: Before,
        fill: Fill,
        /// What is broken of it then, in this order.
        breakages: Vec<Breakage>,
    },
    /// Read bytes as the JSON that is edited.
    Decode { bytes: Vec<u8>, reads: Reads },
    /// Leave out of a JSON what is filled in, and give it other ids.
    Refresh { text: String, at: Wall },
    /// Break bytes on purpose.
    Break { bytes: Vec<u8>, breakage: Breakage },
    /// Find the values of a JSON in the bytes that were made of it.
    Place { text: String, bytes: Vec<u8> },
}

/// What goes in front of a frame that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Nothing,
    /// The frame that says on which topic it is published.
    Publish(String),
    /// The frames that announce it, as they are.
    Frames(Vec<u8>),
}

/// What bytes are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// A frame to make another of, with ids and times of this moment.
    Frame(Wall),
    /// The same behind the frame that says on which topic it is published.
    Published(Wall),
    /// A frame that is held, with what it has; behind those that announce it.
    Held,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FrameAnswer {
    Made(Result<MadeFrame, JsonFault>),
    /// The JSON, or why there is none.
    Read(Result<String, String>),
    /// The JSON with other ids; nothing where it is none.
    Refreshed(Option<String>),
    /// The bytes, or why they cannot be broken so.
    Broken(Result<Vec<u8>, String>),
    /// Which bytes the values of the JSON are.
    Placed(Places),
}

/// The bytes of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MadeFrame {
    pub(crate) wire: Vec<u8>,
    /// Why its core would refuse it, as far as the bytes say; of a frame that is broken on purpose, nothing.
    pub(crate) fault: Option<FrameFault>,
}

/// What keeps a frame from being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonFault {
    /// The line and the column from 1, where they are known.
    pub(crate) place: Option<(usize, usize)>,
    pub(crate) text: String,
}

impl FrameJob {
    /// Bytes or characters that it works on.
    pub(crate) fn size(&self) -> usize {
        match &self.work {
            FrameWork::Encode { text, .. } | FrameWork::Refresh { text, .. } => text.len(),
            FrameWork::Place { text, bytes } => text.len().max(bytes.len()),
            FrameWork::Decode { bytes, .. } | FrameWork::Break { bytes, .. } => bytes.len(),
        }
    }

    /// Does it.
    pub(crate) fn run(&self) -> FrameAnswer {
        let setup = Setup { registry: &REGISTRY, limits: &self.limits, now_ms: None };
        let codec = codec(self.format, setup);
        match &self.work {
            FrameWork::Encode { text, before, fill, breakages } => {
                let made = codec.encode(text, fill).map_err(|why| JsonFault::of(text, &why));
                FrameAnswer::Made(made.and_then(|made| {
                    let before = match before {
                        Before::Nothing => Vec::new(),
                        Before::Publish(topic) => fill.publish(topic),
                        Before::Frames(frames) => frames.clone(),
                    };
                    let offset = before.len();
                    let wire = [before, made.wire].concat();
                    let shifted =
                        made.fault.map(|fault| FrameFault { offset: fault.offset + offset, ..fault });
                    let mut made = MadeFrame { wire, fault: shifted };
                    for breakage in breakages {
                        let broken = self.broken(*breakage, &made.wire);
                        let wire = broken.map_err(|text| JsonFault { place: None, text })?;
                        made = MadeFrame { wire, fault: None };
                    }
                    Ok(made)
                }))
            }
            FrameWork::Decode { bytes, reads } => FrameAnswer::Read(match reads {
                Reads::Frame(at) => self.read(bytes, false, *at),
                Reads::Published(at) => self.read(bytes, true, *at),
                Reads::Held => self.read_held(bytes),
            }),
            FrameWork::Refresh { text, at } => FrameAnswer::Refreshed(frame_json::refreshed(text, *at).ok()),
            FrameWork::Break { bytes, breakage } => FrameAnswer::Broken(self.broken(*breakage, bytes)),
            FrameWork::Place { text, bytes } => FrameAnswer::Placed(Places::new(self.format, text, bytes)),
        }
    }

    fn broken(&self, breakage: Breakage, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let none = || format!("this frame has nothing to break by {}", breakage.name());
        breakage.apply(self.format, bytes).ok_or_else(none)
    }

    fn read_held(&self, bytes: &[u8]) -> Result<String, String> {
        let setup = Setup { registry: &REGISTRY, limits: &self.limits, now_ms: None };
        let last = frame_json::parts(self.format, setup, bytes).and_then(|mut parts| parts.pop());
        last.map(|(_, text)| indented(&text)).ok_or_else(|| "they are no whole frame".to_owned())
    }

    fn read(&self, bytes: &[u8], is_published: bool, at: Wall) -> Result<String, String> {
        let setup = Setup { registry: &REGISTRY, limits: &self.limits, now_ms: None };
        // What is published comes as the units of a session.
        let format = if is_published { Format::Rmp(RmpUnits::Session) } else { self.format };
        let codec = codec(format, setup);
        let mut decoder = codec.decoder();
        decoder.push(bytes);
        let mut next = || decoder.next().or_else(|| decoder.finish());
        let before = if is_published { next().map_or(0, |unit| unit.wire.len()) } else { 0 };
        let unit = next().ok_or_else(|| "there are no bytes".to_owned())?;
        if before + unit.wire.len() == bytes.len() {
            Ok(unit.to_edit(at))
        } else {
            Err(format!("a frame ends after {} of the {} bytes", unit.wire.len(), bytes.len()))
        }
    }
}

impl JsonFault {
    /// The fault of a text; its place is where the text is no JSON, or at the member that is named.
    fn of(text: &str, why: &str) -> Self {
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            let message = error.to_string();
            let words = message.split(" at line ").next().unwrap_or(&message).to_owned();
            return Self { place: Some((error.line(), error.column())), text: words };
        }
        let words = why.split(" at line ").next().unwrap_or(why).to_owned();
        let named = why.split('`').nth(1).and_then(|path| path.rsplit('.').next());
        let place = named.and_then(|name| {
            let quoted = format!("\"{name}\"");
            let (line, column) =
                text.lines().enumerate().find_map(|(line, text)| Some((line, text.find(&quoted)?)))?;
            Some((line + 1, column + 1))
        });
        Self { place, text: words }
    }
}

/// The smallest JSON that makes a frame of a format.
pub(crate) fn example(format: Format, limits: &Limits, at: Wall) -> String {
    let setup = Setup { registry: &REGISTRY, limits, now_ms: None };
    let example = codec(format, setup).example();
    frame_json::refreshed(example, at).unwrap_or_else(|_| example.to_owned())
}

/// The thread that does it.
pub(crate) fn frame_worker() -> Worker<FrameJob, FrameAnswer> {
    Worker::new("workbench", |job| job.run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_found_where_the_text_is_no_json_or_at_the_member_that_is_named() {
        let fault = JsonFault::of("{\n  \"body\": x\n}", "x");
        assert_eq!(fault.place, Some((2, 11)));
        let fault = JsonFault::of("{\n  \"boddy\": 1\n}", "unknown field `boddy` at line 2 column 9");
        assert_eq!(fault, JsonFault { place: Some((2, 3)), text: "unknown field `boddy`".to_owned() });
    }

    #[test]
    fn a_frame_is_read_and_made_again_byte_for_byte() {
        let wire = b"{\"mpp\":2,\"type\":\"pull\",\"queue\":\"default\"}\n".to_vec();
        let limits = Box::new(Limits::default());
        let job = |work| FrameJob { number: 1, format: Format::Mpp, work, limits: limits.clone() };
        let FrameAnswer::Read(Ok(text)) =
            job(FrameWork::Decode { bytes: wire.clone(), reads: Reads::Frame(Wall(1)) }).run()
        else {
            panic!("not read")
        };
        let encode = |breakages| FrameWork::Encode {
            text: text.clone(),
            before: Before::Nothing,
            fill: Fill::at(Wall(1), 1),
            breakages,
        };
        let made = |breakages| match job(encode(breakages)).run() {
            FrameAnswer::Made(Ok(MadeFrame { wire, fault, .. })) => (wire, fault),
            other => panic!("{other:?}"),
        };
        assert_eq!(made(Vec::new()), (wire.clone(), None));
        assert_eq!(made(vec![Breakage::NoLf]), (wire[..wire.len() - 1].to_vec(), None));
    }

    #[test]
    fn a_held_message_keeps_its_ids_and_times_and_the_frame_that_announces_it() {
        let fill = Fill::at(Wall(1_000), 7);
        let setup_limits = Limits::default();
        let setup = Setup { registry: &REGISTRY, limits: &setup_limits, now_ms: None };
        let format = Format::Rmp(RmpUnits::Session);
        let json = r#"{"header":{"ttl_ms":600000},"body":{"type":"observation.note.v1","payload":{"n":1}}}"#;
        let message = codec(format, setup).encode(json, &fill).unwrap().wire;
        let announces = fill.publish("a/b");
        let wire = [&announces[..], &message].concat();
        let limits = Box::new(Limits::default());
        let job = |work| FrameJob { number: 1, format, work, limits: limits.clone() };
        let FrameAnswer::Read(Ok(text)) =
            job(FrameWork::Decode { bytes: wire.clone(), reads: Reads::Held }).run()
        else {
            panic!("not read")
        };
        assert!(text.contains("\"msg_id\"") && text.contains("600000"), "{text}");
        let before = Before::Frames(announces);
        let later = Fill::at(Wall(9_000), 8);
        let encode = FrameWork::Encode { text, before, fill: later, breakages: Vec::new() };
        let FrameAnswer::Made(Ok(made)) = job(encode).run() else { panic!("not made") };
        assert_eq!(made.wire, wire);
    }
}
