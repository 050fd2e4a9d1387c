//! `publish`: one message, or frames as they are.

use serde::Serialize;

use crate::{
    cli::{
        args::PublishArgs,
        context::Context,
        error::Error,
        hex_text, input, operator,
        output::Output,
        socket::{self, ClientIdentity},
    },
    ids::TraceId,
    limits::Limits,
    port::{Operator as _, Page, Query},
    rmp::{
        self, Family, HEADER_BYTES, Header, PREFIX_BYTES, RawFrame,
        client::{Client, Message},
        encode, json,
    },
    station::OperatorClient,
    words::counted,
};

/// Bytes of JSON or hex digits that a byte of a body may take.
const TEXT_BYTES_A_BYTE: u64 = 8;
/// Bytes of an input besides.
const INPUT_BYTES_MORE: u64 = 1 << 20;

/// What bounds an input.
const BOUND: &str = "the limit of a body is `limits.rmp.body_bytes_max`";

/// The output for each message.
#[derive(Serialize)]
struct Published<'a> {
    topic: &'a str,
    msg_id: u64,
    trace_id: TraceId,
    bytes: usize,
    ack: bool,
    /// Subscriptions that the topic has; an operator alone may know.
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribers: Option<u32>,
}

/// The message to publish.
enum Input {
    Message(Message),
    Frames(Vec<u8>),
}

pub(in crate::cli) fn run(context: &mut Context, args: &PublishArgs) -> Result<(), Error> {
    let bytes_max = context
        .settings
        .limits
        .rmp
        .body_bytes_max
        .saturating_mul(TEXT_BYTES_A_BYTE)
        .saturating_add(INPUT_BYTES_MORE);
    let input = match (&args.body, &args.frame) {
        (Some(body), _) => Input::Message(message(context, args, &text(body, bytes_max)?)?),
        (None, frame) => Input::Frames(frames(frame.as_deref().unwrap_or_default(), bytes_max)?),
    };
    let said = ClientIdentity::of(&context.settings);
    let hello = socket::hello(&context.settings, &args.peer, "publish")?;
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let client = socket::connect(&said, hello, settings.limits.client).await?;
        let done = match &input {
            Input::Message(message) => one(&client, args, message, &settings.limits, out).await,
            Input::Frames(frames) => many(&client, args, frames, &settings.limits, out).await,
        };
        client.close().await;
        done
    })
}

async fn one(
    client: &Client,
    args: &PublishArgs,
    message: &Message,
    limits: &Limits,
    out: &mut Output,
) -> Result<(), Error> {
    let PublishArgs { topic, no_ack, .. } = args;
    let msg_id =
        if *no_ack { client.post(topic, message).await? } else { client.publish(topic, message).await? };
    let bytes = encode::frame_bytes(message.body.len());
    let subscribers = if *no_ack { None } else { subscribers(client, topic, limits).await };
    out.row(&Published { topic, msg_id, trace_id: message.trace_id, bytes, ack: !no_ack, subscribers }, line)
}

async fn many(
    client: &Client,
    args: &PublishArgs,
    frames: &[u8],
    limits: &Limits,
    out: &mut Output,
) -> Result<(), Error> {
    let PublishArgs { topic, no_ack, .. } = args;
    let mut rest = frames;
    while !rest.is_empty() {
        let (frame, behind) = cut(rest);
        rest = behind;
        if *no_ack {
            client.post_frame(topic, frame).await?;
        } else {
            client.publish_frame(topic, frame).await?;
        }
        let header = RawFrame::split(frame).map(|raw| Header::from(&raw.header));
        let (msg_id, trace_id) =
            header.map_or((0, TraceId(uuid::Uuid::nil())), |header| (header.msg_id, header.trace_id));
        // Asked once, behind the last of them.
        let subscribers =
            if *no_ack || !rest.is_empty() { None } else { subscribers(client, topic, limits).await };
        out.row(&Published { topic, msg_id, trace_id, bytes: frame.len(), ack: !no_ack, subscribers }, line)?;
        out.flush()?;
    }
    Ok(())
}

/// How many subscriptions a topic has on which a message was taken just now. The answer to a `Publish` does
/// not tell, and only operators may ask; nothing depends on it.
async fn subscribers(client: &Client, topic: &str, limits: &Limits) -> Option<u32> {
    if !client.welcome().kind.is_operator() {
        return None;
    }
    let station = OperatorClient::over(client.clone(), limits).await.ok()?;
    let Ok(Page::Topics(rows)) = station.query(Query::Topics).await else { return None };
    rows.iter().find(|row| row.topic.as_str() == topic).map(|row| row.subscribers)
}

fn line(row: &Published<'_>) -> String {
    let taken = match (row.ack, row.subscribers) {
        (false, _) => ", no answer requested".to_owned(),
        (true, None) => String::new(),
        (true, Some(0)) => ", no subscribers".to_owned(),
        (true, Some(count)) => format!(", {}", counted(count, "subscription")),
    };
    // What became of it is seen where there is room for little.
    format!("{}  {}{taken}  msg_id {}  {}", row.topic, counted(row.bytes, "byte"), row.msg_id, row.trace_id)
}

/// The first frame as its `frame_len` says, and what follows it; all of it where that is more than there is.
fn cut(bytes: &[u8]) -> (&[u8], &[u8]) {
    let frame_len = bytes
        .first_chunk::<PREFIX_BYTES>()
        .map_or(usize::MAX, |prefix| usize::try_from(u32::from_be_bytes(*prefix)).unwrap_or(usize::MAX));
    bytes.split_at_checked(frame_len.saturating_add(PREFIX_BYTES)).unwrap_or((bytes, &[]))
}

/// The message that a JSON text stands for: its payload where a type is given, else its whole body.
fn message(context: &Context, args: &PublishArgs, text: &str) -> Result<Message, Error> {
    let hint = match args.of_type {
        Some(_) => "give the payload alone, as JSON such as {\"text\":\"hello\"}",
        None => {
            "give a body such as {\"type\":\"error.report.v1\",\"payload\":{}}, or its payload alone with --type"
        }
    };
    // It may have been said by --json as well as by --body.
    let wrong = |message: String| Error::usage(format!("body: {message}"), hint);
    let value = json::parse(text).map_err(|error| wrong(error.to_string()))?;
    let body = match &args.of_type {
        Some(of_type) => encode::body::<_, ()>(of_type, &value, None),
        None => encode::value(&value),
    };
    let body = body.map_err(|error| wrong(error.to_string()))?;
    let limits = &context.settings.limits.rmp;
    let depth_max = usize::try_from(limits.body_depth_max).unwrap_or(usize::MAX);
    let of_type =
        rmp::Body::decode(&body, depth_max).map_err(|fault| wrong(fault.to_string()))?.kind().to_owned();
    let schema_id = context.settings.registry.id_of(&of_type);
    let schema_id = schema_id.ok_or_else(|| no_schema(&of_type))?;
    let message = Message::new(schema_id, body).for_ms(args.ttl_ms);
    Ok(match args.trace {
        Some(trace) => message.in_trace(trace),
        None => message,
    })
}

/// That a type is none that a schema takes, with those that are.
fn no_schema(of_type: &str) -> Error {
    let families = Family::ALL.iter().map(|family| family.label()).collect::<Vec<_>>().join(", ");
    let hint = format!(
        "a type is <family>.<kind>.v<N>; known families are {families}. Declare others by schema_id under \
         `[rmp.registry]` in the configuration of both sides"
    );
    Error::usage(format!("body: no schema for the type {of_type:?}"), hint)
}

/// Frames out of hex digits, or out of a file of those or of bytes.
fn frames(said: &str, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let wrong =
        |what: &str| Error::usage(format!("--frame: {what}"), "`rl-console encode` creates frames from JSON");
    let bytes = match said.strip_prefix('@') {
        Some(path) => input::file(path, bytes_max, BOUND)?,
        None => said.as_bytes().to_vec(),
    };
    let is_hex = bytes.first().copied().is_some_and(hex_text::begins);
    if !is_hex {
        return if said.starts_with('@') && !bytes.is_empty() {
            Ok(bytes)
        } else {
            Err(wrong("contains no frame"))
        };
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("not text"))?;
    let lines = text.lines().map(hex_text::line).collect::<Option<Vec<_>>>();
    let frames = lines.ok_or_else(|| wrong("not pairs of hex digits"))?.concat();
    let (first, _) = cut(&frames);
    if first.len() < PREFIX_BYTES + HEADER_BYTES {
        Err(wrong("a frame has at least 68 bytes"))
    } else {
        Ok(frames)
    }
}

fn text(said: &str, bytes_max: u64) -> Result<String, Error> {
    let bytes = input::bytes_of(said, bytes_max, BOUND)?;
    String::from_utf8(bytes).map_err(|_| Error::usage("body: not UTF-8", "encode the JSON as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_no_schema_takes_is_answered_with_the_families_and_the_registry() {
        let error = no_schema("greeting.foo.v1");
        assert!(!error.to_string().contains("--body"), "{error}");
        assert!(
            error.hint().contains("observation, intent, toolresult")
                && error.hint().contains("[rmp.registry]"),
            "{}",
            error.hint()
        );
    }

    #[test]
    fn frames_are_cut_as_they_say_and_what_is_left_stays_whole() {
        let two = [&[0, 0, 0, 2, 7, 7][..], &[0, 0, 0, 1, 8]].concat();
        assert_eq!(cut(&two), (&two[..6], &two[6..]));
        assert_eq!(cut(&two[6..]), (&two[6..], &[][..]));
        assert_eq!(cut(&[0, 0, 0, 9, 1]), (&[0, 0, 0, 9, 1][..], &[][..]));
        assert_eq!(cut(&[0, 0]), (&[0, 0][..], &[][..]));
    }

    #[test]
    fn frames_come_as_hex_or_from_a_file_of_either() {
        let whole = [vec![0, 0, 0, 64], vec![0; 64]].concat();
        let digits = crate::words::hex(&whole);
        let file = tempfile::NamedTempFile::new().unwrap();
        let from_file = format!("@{}", file.path().display());
        for content in [digits.as_bytes(), &whole] {
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(frames(&from_file, 10_000).unwrap(), whole);
        }
        assert_eq!(frames(&digits, 10_000).unwrap(), whole);
        for wrong in ["", "zz", "00", &digits[1..]] {
            assert_eq!(frames(wrong, 10_000).unwrap_err().exit() as u8, 2, "{wrong:?}");
        }
        assert_eq!(frames(&from_file, 10).unwrap_err().code(), "bad_input");
        assert_eq!(frames("@/nonexistent/x", 10).unwrap_err().code(), "file");
    }
}
