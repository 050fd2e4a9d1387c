//! `gate edit`: what takes a held frame's place, made of the frame's own JSON or of bytes.

use serde::Serialize;

use super::decide::command;
use crate::{
    cli::{
        args::GateEditArgs,
        commands::inject::{foreseen_words, needs_yes, not_asked},
        context::Context,
        error::Error,
        frame_input::{json_of, raw_bytes, refused, set},
        inject_error::InjectError,
        operator,
    },
    dissect::frame_json::{Fill, Format, Json, RmpUnits, Setup, codec, parts},
    macp::Rpc,
    port::{
        GateCommand, GateOutcome, InterceptedFrame, InterceptedRow, JudgedRow, Page, PageBytes, Query, Stand,
        Way,
    },
    rmp::{MAGIC, PREFIX_BYTES},
    tap::entry::Link,
    time::Wall,
    words::counted,
};

/// The frame that was edited.
#[derive(Serialize)]
struct Row {
    edited: u64,
    bytes: usize,
    /// What was foreseen of it on the connection of the frame in whose place it went.
    foreseen: Box<JudgedRow>,
}

pub(super) fn run(context: &mut Context, args: &GateEditArgs) -> Result<(), Error> {
    let Context { settings, clock, out, .. } = context;
    let setup = Setup { registry: &settings.registry, limits: &settings.limits, now_ms: None };
    // Before the station is asked: what is wrong with it is no matter of the frame.
    let given = match (&args.raw, &args.file) {
        (Some(raw), _) => Given::Bytes(raw_bytes(raw)?),
        (None, Some(file)) => Given::Json(json_of(Some(file))?),
        (None, None) => Given::Nothing,
    };
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let query = Query::InterceptedFrame { frame: args.frame };
        let Page::InterceptedFrame(held) = operator::query(&station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        let bytes = match given {
            Given::Bytes(bytes) => bytes,
            Given::Json(json) => edited(setup, &held, Some(json), &args.set, clock.now().wall)?,
            Given::Nothing => edited(setup, &held, None, &args.set, clock.now().wall)?,
        };
        let stand = Stand::Intercepted(args.frame);
        let query = Query::Judge { stand, bytes: PageBytes(bytes.clone()) };
        let Page::Judged(foreseen) = operator::query(&station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        // What is not whole is refused by the gate, whatever is asked for.
        if needs_yes(&foreseen) && foreseen.not_whole.is_none() && !args.yes {
            return Err(not_asked(&foreseen));
        }
        let row = Row { edited: args.frame, bytes: bytes.len(), foreseen };
        let edit = GateCommand::Edit { frame: args.frame, bytes: PageBytes(bytes), keeps: args.keep };
        let GateOutcome::Released { .. } = command(&station, edit).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        out.row(&row, |row| {
            let bytes = counted(row.bytes as u64, "byte");
            format!("frame {} edited: {bytes}  foreseen: {}", row.edited, foreseen_words(&row.foreseen))
        })
    })
}

/// What is given of an edit besides what is set.
enum Given {
    Bytes(Vec<u8>),
    Json(Json),
    Nothing,
}

/// The bytes of a held frame with its last part changed: the message, where one announces it.
fn edited(
    setup: Setup<'_>,
    held: &InterceptedFrame,
    json: Option<Json>,
    settings: &[(String, Json)],
    now: Wall,
) -> Result<Vec<u8>, Error> {
    let of_bytes = |message: &str| {
        Error::usage(format!("frame {}: {message}", held.row.frame), "edit its bytes with --raw HEX")
    };
    let format = format(held).ok_or_else(|| of_bytes("an answer of the runtime has no JSON of its own"))?;
    let mut parts =
        parts(format, setup, &held.bytes.0).ok_or_else(|| of_bytes("it cannot be read as JSON"))?;
    let (_, text) = parts.pop().ok_or_else(|| of_bytes("it is empty"))?;
    let own = Json::read(&text).map_err(|message| InjectError::NotAFrame {
        what: format!("frame {}", held.row.frame),
        message,
        hint: "edit its bytes with --raw HEX".to_owned(),
    })?;
    let mut json = json.map_or_else(|| own.clone(), |json| with_header(json, &own));
    for (path, value) in settings {
        set(&mut json, path, value.clone())?;
    }
    let codec = codec(format, setup);
    let last = codec.encode(&json.to_text(), &Fill::at(now, 1)).map_err(|why| refused(&*codec, &why))?;
    let mut bytes: Vec<u8> = parts.into_iter().flat_map(|(wire, _)| wire.to_vec()).collect();
    bytes.extend(last.wire);
    Ok(bytes)
}

/// JSON without a header, with that of a frame.
fn with_header(mut json: Json, own: &Json) -> Json {
    if let Some(header) = own.at("header") {
        json.fill("header", header.clone());
    }
    json
}

/// How a held frame is written; nothing of one that has no JSON of its own.
fn format(held: &InterceptedFrame) -> Option<Format> {
    let InterceptedRow { link, way, kind, .. } = &held.row;
    Some(match (link, way) {
        (Link::Mpp, _) => Format::Mpp,
        (Link::Plugin, _) => Format::Plugin,
        (Link::Rmp, _) if has_magic(&held.bytes.0) => Format::Rmp(RmpUnits::Session),
        (Link::Rmp, _) => Format::Rmp(RmpUnits::Json),
        (Link::Macp, Way::In) => Format::Macp(Rpc::from_name(kind)?),
        _ => return None,
    })
}

/// Whether a unit of the bus is a binary frame.
fn has_magic(unit: &[u8]) -> bool {
    unit.get(PREFIX_BYTES..).is_some_and(|frame| frame.starts_with(&MAGIC))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        ids::Peer,
        limits::Limits,
        port::OnTimeout,
        rmp::{
            Registry,
            control::{self, FromClient},
        },
    };

    fn held(link: Link, way: Way, kind: &str, bytes: &[u8]) -> InterceptedFrame {
        let row = InterceptedRow {
            frame: 7,
            rule: 1,
            link,
            way,
            peer: Peer::new("a"),
            kind: kind.to_owned(),
            line: String::new(),
            bytes: bytes.len() as u64,
            verdict: String::new(),
            clause: None,
            since_ms: Wall(0),
            until_ms: Wall(0),
            on_timeout: OnTimeout::Pass,
            expires_at_ms: None,
            ttl_in_ms: None,
        };
        InterceptedFrame { row, bytes: PageBytes(bytes.to_vec()) }
    }

    fn with(held: &InterceptedFrame, json: Option<&Value>, set: &[(&str, Value)]) -> Result<Vec<u8>, Error> {
        let (registry, limits) = (Registry::default(), Limits::default());
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        let json_of = |value: &Value| Json::read(&value.to_string()).unwrap();
        let set: Vec<_> = set.iter().map(|(path, value)| ((*path).to_owned(), json_of(value))).collect();
        edited(setup, held, json.map(json_of), &set, Wall(9))
    }

    #[test]
    fn a_line_is_edited_by_its_members_or_replaced() {
        let line = held(Link::Mpp, Way::In, "done", b"{\"mpp\":2,\"type\":\"done\",\"id\":4}\n");
        let read = |bytes: Vec<u8>| {
            assert_eq!(bytes.last(), Some(&b'\n'));
            serde_json::from_slice::<Value>(&bytes).unwrap()
        };
        let set = with(&line, None, &[("body.id", json!(5))]).unwrap();
        assert_eq!(read(set), json!({"mpp": 2, "type": "done", "id": 5}));
        let other = json!({"body": {"type": "failed", "id": 4, "reason": "x"}});
        let replaced = with(&line, Some(&other), &[("body.reason", json!("y"))]).unwrap();
        assert_eq!(read(replaced), json!({"mpp": 2, "type": "failed", "id": 4, "reason": "y"}));
    }

    #[test]
    fn of_a_message_of_the_bus_what_announces_it_stays() {
        let fill = Fill::at(Wall(1_000), 1);
        let mut publish = Vec::new();
        let header = control::header(1_000, fill.trace_id, 5);
        control::append(&mut publish, &header, &FromClient::Publish { topic: "a/b", ack: true });
        let (registry, limits) = (Registry::default(), Limits::default());
        let setup = Setup { registry: &registry, limits: &limits, now_ms: None };
        let frames = codec(Format::Rmp(RmpUnits::Frames), setup);
        let body = json!({"body": {"type": "observation.greeting.v1", "payload": {"n": 1}}});
        let message = frames.encode(&body.to_string(), &fill).unwrap().wire;
        let unit = held(Link::Rmp, Way::In, "publish", &[&publish[..], &message].concat());
        let after = with(&unit, None, &[("body.payload.n", json!(2))]).unwrap();
        assert!(after.starts_with(&publish), "what announces it is as it was");
        // The header is the message's own.
        assert_eq!(after[publish.len()..][..PREFIX_BYTES + 64], message[..PREFIX_BYTES + 64]);
        let value = parts(Format::Rmp(RmpUnits::Session), setup, &after).unwrap().pop().unwrap().1;
        assert_eq!(serde_json::from_str::<Value>(&value).unwrap()["body"]["payload"], json!({"n": 2}));
        let replaced = with(&unit, Some(&body), &[]).unwrap();
        assert_eq!(replaced, unit.bytes.0, "a file without a header keeps the frame's");
    }

    #[test]
    fn what_has_no_json_is_edited_by_its_bytes() {
        for held in [
            held(Link::Macp, Way::Out, "Send", b""),
            held(Link::Mpp, Way::In, "?", b"no end"),
            held(Link::Rmp, Way::In, "?", &[0, 0, 0, 9, 1]),
        ] {
            let error = with(&held, None, &[("body.x", json!(1))]).unwrap_err();
            assert_eq!((error.code(), error.hint()), ("usage", "edit its bytes with --raw HEX".to_owned()));
        }
    }
}
