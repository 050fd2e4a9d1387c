//! Answers in parts, so that a long one holds up nothing else of the session's queue.

use crate::words;
use serde::{Deserialize, Serialize};

use super::{
    VERSION,
    bytes::{Bin, WireError, envelope, expect_version, payload},
    question::Reply,
};

/// Bytes of an answer that one part carries at most.
pub const PART_BYTES_MAX: usize = 256 << 10;

/// The type of an answer's body.
const RESPONSE_TYPE: &str = "toolresult.operator.response.v1";

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// In words.
    Reply(Box<Reply>),
    /// A snapshot in its recorded form.
    Snapshot(Vec<u8>),
}

impl Response {
    /// One in words.
    #[must_use]
    pub fn reply(reply: Reply) -> Self {
        Self::Reply(Box::new(reply))
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "its name on the wire")]
struct Part<'a> {
    v: u64,
    part: u32,
    parts: u32,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    json: Option<&'a str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    snapshot: Option<Bin<'a>>,
}

/// The bodies of an answer's parts, in order; never none. `part` counts from 0; JSON is cut between
/// characters.
///
/// # Errors
/// [`WireError::TooLong`] beyond so many bytes.
pub fn parts(answer: Response, bytes_max: u64) -> Result<impl Iterator<Item = Vec<u8>> + use<>, WireError> {
    parts_as_shown(answer, bytes_max, &|text| text)
}

/// The bodies of an answer's parts for one who is shown the words as `shown` makes them.
///
/// # Errors
/// Those of [`parts`].
pub fn parts_as_shown(
    answer: Response,
    bytes_max: u64,
    shown: &dyn Fn(String) -> String,
) -> Result<impl Iterator<Item = Vec<u8>> + use<>, WireError> {
    let content = match answer {
        Response::Reply(reply) => Content::Json(shown(
            serde_json::to_string(&reply).map_err(|error| WireError::Malformed(error.to_string()))?,
        )),
        Response::Snapshot(bytes) => Content::Snapshot(bytes),
    };
    let bytes = content.len() as u64;
    if bytes > bytes_max {
        return Err(WireError::TooLong { bytes, bytes_max, limit: "limits.port.answer_bytes_max" });
    }
    let mut ends = Vec::new();
    while ends.last().is_none_or(|end| *end < content.len()) {
        ends.push(content.cut(ends.last().map_or(0, |end| *end) + PART_BYTES_MAX));
    }
    let parts = u32::try_from(ends.len()).unwrap_or(u32::MAX);
    let mut from = 0;
    Ok((0..).zip(ends).map(move |(part, end)| {
        let range = std::mem::replace(&mut from, end)..end;
        let (json, snapshot) = match &content {
            Content::Json(text) => (text.get(range), None),
            Content::Snapshot(bytes) => (None, bytes.get(range).map(Bin)),
        };
        envelope(RESPONSE_TYPE, &Part { v: VERSION, part, parts, json, snapshot })
    }))
}

/// An answer that is cut into parts.
enum Content {
    Json(String),
    Snapshot(Vec<u8>),
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Self::Json(text) => text.len(),
            Self::Snapshot(bytes) => bytes.len(),
        }
    }

    /// The last place up to this one where it may be cut.
    fn cut(&self, at: usize) -> usize {
        match self {
            Self::Json(text) => words::floor(text, at),
            Self::Snapshot(bytes) => at.min(bytes.len()),
        }
    }
}

/// Puts an answer together again.
#[derive(Debug, Default)]
pub struct Assembly {
    parts: Option<u32>,
    next: u32,
    is_json: bool,
    bytes: Vec<u8>,
}

impl Assembly {
    /// Takes the body of the next part; the answer once it is whole.
    ///
    /// # Errors
    /// Why the answer cannot be had any more.
    pub fn take(&mut self, body: &[u8], bytes_max: u64) -> Result<Option<Response>, WireError> {
        let Part { v, part, parts, json, snapshot } = payload(body)?;
        expect_version(v)?;
        let malformed = |why: &str| Err(WireError::Malformed(why.to_owned()));
        let (bytes, is_json) = match (json, snapshot) {
            (Some(json), None) => (json.as_bytes(), true),
            (None, Some(Bin(snapshot))) => (snapshot, false),
            _ => return malformed("a part has either `json` or `snapshot`"),
        };
        if part != self.next {
            return Err(WireError::OutOfOrder { expected: self.next, got: part });
        }
        if part >= parts || self.parts.is_some_and(|known| known != parts || self.is_json != is_json) {
            return malformed("its parts belong to two answers");
        }
        let len = (self.bytes.len() + bytes.len()) as u64;
        if len > bytes_max {
            return Err(WireError::TooLong { bytes: len, bytes_max, limit: "limits.port.answer_bytes_max" });
        }
        (self.parts, self.is_json) = (Some(parts), is_json);
        self.next += 1;
        self.bytes.extend_from_slice(bytes);
        if self.next < parts {
            return Ok(None);
        }
        let bytes = std::mem::take(&mut self.bytes);
        if !is_json {
            return Ok(Some(Response::Snapshot(bytes)));
        }
        let reply =
            serde_json::from_slice(&bytes).map_err(|error| WireError::Malformed(error.to_string()))?;
        Ok(Some(Response::Reply(Box::new(reply))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::TraceId,
        port::{
            Command, Page, PortError, Query,
            wire::{Question, StationInfo, may_ask, read_question, write_question},
        },
        rmp::Kind,
        runs,
        time::Now,
    };

    const ROOM: u64 = 64 << 20;

    fn through(answer: &Response) -> (usize, Response) {
        let mut assembly = Assembly::default();
        let bodies: Vec<_> = parts(answer.clone(), ROOM).unwrap().collect();
        let (last, first) = bodies.split_last().unwrap();
        for body in first {
            assert_eq!(assembly.take(body, ROOM), Ok(None));
        }
        (bodies.len(), assembly.take(last, ROOM).unwrap().unwrap())
    }

    #[test]
    fn a_question_is_read_as_it_was_put() {
        for question in [
            Question::About,
            Question::Snapshot,
            Question::Query(Query::Queues),
            Question::Command(Command::RecordStop),
        ] {
            assert_eq!(read_question(&write_question(&question, ROOM).unwrap()), Ok(question));
        }
        let json = serde_json::to_string(&Question::Query(Query::Queues)).unwrap();
        assert_eq!(
            (json.as_str(), serde_json::to_string(&Question::Snapshot).unwrap().as_str()),
            (r#"{"query":"queues"}"#, r#""snapshot""#)
        );
    }

    #[test]
    fn a_question_of_a_newer_version_is_a_bad_request() {
        let body = crate::rmp::encode::body(
            "intent.operator.request.v1",
            &serde_json::json!({"v": 1, "json": "\"dance\""}),
            None::<&()>,
        );
        let Err(PortError::BadRequest(why)) = read_question(&body.unwrap()) else {
            panic!("it is understood")
        };
        assert!(why.contains("unknown variant `dance`"), "{why}");
        let body = crate::rmp::encode::body(
            "intent.operator.request.v1",
            &serde_json::json!({"v": 2, "json": "\"about\""}),
            None::<&()>,
        );
        assert!(
            matches!(read_question(&body.unwrap()), Err(PortError::BadRequest(why)) if why.contains("version 2"))
        );
        assert!(matches!(read_question(b"\x93"), Err(PortError::BadRequest(_))));
    }

    #[test]
    fn a_question_that_fits_no_message_is_refused_with_its_length() {
        let about = |bytes_max| write_question(&Question::About, bytes_max);
        let len = about(ROOM).unwrap().len() as u64;
        assert!(about(len).is_ok());
        assert!(matches!(about(len - 1), Err(WireError::TooLong { bytes, .. }) if bytes == len));
    }

    #[test]
    fn a_short_answer_is_one_part_and_a_long_one_many() {
        let about = StationInfo {
            name: "friday-night".to_owned(),
            data: "/data/friday-night".to_owned(),
            pid: 7,
            start: "a".to_owned(),
            version: "0.1.0".to_owned(),
            now: Now::at_ms(5),
        };
        let answers = [
            (1, Response::Reply(Box::new(Reply::About(about)))),
            (1, Response::Reply(Box::new(Reply::Page(Page::Queues(vec![]))))),
            (
                3,
                Response::Reply(Box::new(Reply::Error(PortError::BadRequest(
                    "ä".repeat(PART_BYTES_MAX + 9),
                )))),
            ),
            (1, Response::Snapshot(vec![])),
            (2, Response::Snapshot(vec![7; PART_BYTES_MAX + 1])),
        ];
        for (parts, answer) in answers {
            assert_eq!(through(&answer), (parts, answer));
        }
    }

    #[test]
    fn parts_out_of_order_or_beyond_the_bound_are_refused() {
        let answer = Response::Snapshot(vec![7; 2 * PART_BYTES_MAX]);
        let bodies: Vec<_> = parts(answer.clone(), ROOM).unwrap().collect();
        assert_eq!(
            Assembly::default().take(&bodies[1], ROOM),
            Err(WireError::OutOfOrder { expected: 0, got: 1 })
        );
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take(&bodies[0], 300_000), Ok(None));
        assert!(matches!(assembly.take(&bodies[1], 300_000), Err(WireError::TooLong { .. })));
        assert!(matches!(parts(answer, 300_000).map(Iterator::count), Err(WireError::TooLong { .. })));
    }

    #[test]
    fn each_kind_may_ask_what_its_token_is_for() {
        let enqueue = Question::Command(Command::Mpp(crate::mpp::Command::Enqueue { rows: vec![] }));
        let run = TraceId(uuid::Uuid::nil());
        let submit = Question::Command(Command::Runs(runs::Command::Submit {
            request: run,
            opening_yaml: String::new(),
            traceparent: None,
        }));
        let cancel = Question::Command(Command::Runs(runs::Command::Cancel { run }));
        let record = Question::Command(Command::RecordStop);
        let questions = [
            Question::About,
            Question::Snapshot,
            Question::Query(Query::Health),
            enqueue,
            record,
            submit,
            cancel,
        ];
        let may = |kind| questions.each_ref().map(|question| may_ask(kind, question).is_ok());
        assert_eq!(may(Kind::Tui), [true; 7]);
        assert_eq!(may(Kind::Ui), [true; 7]);
        assert_eq!(may(Kind::Viewer), [true, true, true, false, false, false, false]);
        assert_eq!(may(Kind::Cue), [true, false, false, true, false, true, false]);
        assert_eq!(may(Kind::Agent), [false; 7]);
    }
}
