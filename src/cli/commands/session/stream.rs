//! `session stream`: lines of stdin as messages of one stream, and what answers them.

use std::{
    collections::VecDeque,
    io::{self, BufRead as _, Read as _},
};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::line::{Defaults, read};
use crate::{
    cli::{
        args::SessionStreamArgs,
        context::Context,
        error::Error,
        operator,
        output::Output,
        report,
        runtime::{Answers, Runtime},
        session_error::SessionError,
        signals::Signals,
        table::visible,
    },
    macp::proto::v1::Envelope,
    time::Clock,
};

/// Bytes of one line at most.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// Lines that are read ahead.
const LINES_AHEAD: usize = 16;
/// Messages that wait for their answers; past them no line is read.
const IN_FLIGHT_MAX: usize = 256;

/// A line of stdin, or why there is none.
type Line = Result<String, Error>;

/// An answer as scripts read it.
#[derive(Serialize)]
struct Answer<'a> {
    message_type: &'a str,
    message_id: &'a str,
    session_id: &'a str,
    mode: &'a str,
    sender: &'a str,
    timestamp_unix_ms: i64,
    /// As it came; its text where it is no JSON.
    payload: Box<RawValue>,
}

/// A line that is no message.
#[derive(Serialize)]
#[serde(tag = "event", rename = "not_sent")]
struct NotSent<'a> {
    line: u64,
    why: &'a str,
}

pub(super) fn run(context: &mut Context, args: SessionStreamArgs) -> Result<(), Error> {
    let SessionStreamArgs { session, sender } = args;
    let who = sender
        .as_deref()
        .map_or_else(|| "session stream".to_owned(), |sender| format!("session stream of {sender}"));
    let bytes_max = context.settings.limits.macp.payload_bytes_max;
    let Context { settings, out, clock, .. } = context;
    operator::block_on(async {
        let mut signals = Signals::listen()?;
        let runtime = Runtime::connect(settings, &who).await?;
        let (messages, sent) = mpsc::channel(IN_FLIGHT_MAX);
        let answers = runtime.stream(sent).await?;
        let defaults = Defaults { session, sender };
        let mut talk = Talk {
            defaults,
            bytes_max,
            clock: *clock,
            out,
            asked: VecDeque::new(),
            line: 0,
            all: 0,
            refused: 0,
        };
        let lines = lines()?;
        tokio::select! {
            () = signals.end() => {}
            ended = talk.hold(lines, messages, answers) => ended?,
        }
        talk.out.flush()?;
        match talk.refused {
            0 => Ok(()),
            refused => Err(SessionError::Some { refused, all: talk.all }.into()),
        }
    })
}

/// The lines of stdin, read by a thread of their own.
fn lines() -> Result<mpsc::Receiver<Line>, Error> {
    let (tell, told) = mpsc::channel(LINES_AHEAD);
    let read = move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut bytes = Vec::new();
            let line = match stdin.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut bytes) {
                Ok(0) => return,
                Ok(_) if bytes.len() as u64 > LINE_BYTES_MAX => Err(Error::Input {
                    what: "stdin".to_owned(),
                    message: format!("a line is longer than {LINE_BYTES_MAX} bytes"),
                    hint: "write one message per line".to_owned(),
                }),
                Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) => Err(Error::io("stdin")(error)),
            };
            let is_end = line.is_err();
            if tell.blocking_send(line).is_err() || is_end {
                return;
            }
        }
    };
    std::thread::Builder::new().name("stdin".to_owned()).spawn(read).map_err(Error::io("a thread"))?;
    Ok(told)
}

/// The messages of a stream, and the answers to them.
struct Talk<'a> {
    defaults: Defaults,
    bytes_max: u64,
    clock: Clock,
    out: &'a mut Output,
    /// The words of messages that wait for their answers, in their order.
    asked: VecDeque<String>,
    line: u64,
    all: u64,
    refused: u64,
}

impl Talk<'_> {
    async fn hold(
        &mut self,
        mut lines: mpsc::Receiver<Line>,
        messages: mpsc::Sender<Envelope>,
        mut answers: Answers,
    ) -> Result<(), Error> {
        let mut messages = Some(messages);
        loop {
            let may_read = messages.is_some() && self.asked.len() < IN_FLIGHT_MAX;
            tokio::select! {
                answer = answers.next() => match answer? {
                    Some(answer) => self.answered(&answer)?,
                    None if self.asked.is_empty() => return Ok(()),
                    None => return Err(Error::UnexpectedAnswer),
                },
                line = lines.recv(), if may_read => match line {
                    None => messages = None,
                    Some(line) => {
                        let next = self.next(&line?)?;
                        if let (Some(envelope), Some(messages)) = (next, &messages) {
                            // There is room: no more wait than the channel takes. Where nobody takes them,
                            // the stream says why.
                            let _ = messages.try_send(envelope);
                        }
                    }
                },
            }
        }
    }

    /// The message of a line, if it is one.
    fn next(&mut self, line: &str) -> Result<Option<Envelope>, Error> {
        self.line += 1;
        match read(line.trim_end(), &self.defaults, self.clock.now().wall, self.bytes_max) {
            Ok(Some(envelope)) => {
                self.all += 1;
                self.asked.push_back(format!("{} of {}", envelope.message_type, envelope.sender));
                Ok(Some(envelope))
            }
            Ok(None) => Ok(None),
            Err(why) => {
                self.all += 1;
                self.refused += 1;
                if self.out.is_json() {
                    self.out.row(&NotSent { line: self.line, why: &why }, |_| String::new())?;
                    self.out.flush()?;
                } else {
                    report::print_note(&format!("line {} not sent: {why}", self.line));
                }
                Ok(None)
            }
        }
    }

    fn answered(&mut self, answer: &Envelope) -> Result<(), Error> {
        let what = self.asked.pop_front().unwrap_or_default();
        let is_refused = answer.message_type == "Error";
        self.refused += u64::from(is_refused);
        let text = String::from_utf8_lossy(&answer.payload);
        let payload = RawValue::from_string(text.clone().into_owned())
            .or_else(|_| serde_json::value::to_raw_value(&text));
        let row = Answer {
            message_type: &answer.message_type,
            message_id: &answer.message_id,
            session_id: &answer.session_id,
            mode: &answer.mode,
            sender: &answer.sender,
            timestamp_unix_ms: answer.timestamp_unix_ms,
            payload: payload.map_err(|error| Error::Output(error.into()))?,
        };
        self.out.row(&row, |row| visible(&answer_text(row, &what)))?;
        self.out.flush()
    }
}

fn answer_text(answer: &Answer<'_>, what: &str) -> String {
    let payload: serde_json::Value = serde_json::from_str(answer.payload.get()).unwrap_or_default();
    let text =
        |name: &str| payload.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let (session, id) =
        (if answer.session_id.is_empty() { "-" } else { answer.session_id }, answer.message_id);
    match answer.message_type {
        "Ack" => {
            let is_duplicate = payload.get("duplicate").and_then(serde_json::Value::as_bool) == Some(true);
            let became = if is_duplicate { "duplicate" } else { "accepted" };
            format!(
                "{session}  {what}  {became}  {}  {}",
                text("session_state").to_lowercase(),
                id.strip_prefix("ack-").unwrap_or(id)
            )
        }
        "Error" => format!(
            "{session}  {what}  refused  {}: {}  {}",
            text("code"),
            text("message"),
            id.strip_prefix("err-").unwrap_or(id)
        ),
        other => format!("{session}  {what}  {other}  {}  {id}", answer.payload.get()),
    }
}
