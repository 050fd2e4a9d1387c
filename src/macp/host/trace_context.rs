//! The trace context of a call: the `traceparent` in its metadata, and notices of those that are left out
//! (ruling MPLP 18).

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tonic::metadata::MetadataMap;

use super::run::Tell;
use crate::{
    tap::entry::station::Level,
    time::{Mono, Now},
    w3c::GivenTraceParent,
    words::{counted, cut},
};

/// The name of the header (W3C Trace Context §3.2).
const HEADER: &str = "traceparent";

/// The least time between two notices; those in between are counted.
const PAUSE: Duration = Duration::from_secs(1);

/// Bytes of a session's id that a notice says.
const ID_BYTES_MAX: u64 = 256;

/// The `traceparent` of a call, if it has one. Of a stream's call it is that of each session that begins on
/// the stream. Two of them are no valid one.
pub(super) fn given(metadata: &MetadataMap) -> Option<GivenTraceParent> {
    let mut headers = metadata.get_all(HEADER).iter();
    let header = headers.next()?;
    let more = headers.count();
    if more > 0 {
        return Some(GivenTraceParent::LeftOut(format!("{} in one call", counted(more + 1, HEADER))));
    }
    Some(match header.to_str() {
        Ok(text) => GivenTraceParent::read(text),
        Err(_) => GivenTraceParent::no_text("bytes"),
    })
}

/// Tells of each `traceparent` of a session that began without it, and of many at once only how many.
pub(super) struct LeftOutNotices {
    notice: Tell,
    state: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    last: Option<Mono>,
    /// Those since that nothing was said of.
    untold: u64,
}

impl LeftOutNotices {
    pub(super) fn new(notice: Tell) -> Self {
        Self { notice, state: Mutex::default() }
    }

    pub(super) fn report(&self, now: Now, session: &str, why: &str) {
        let untold = {
            // Nothing here leaves it half done.
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.last.is_some_and(|last| now.mono.since(last) < PAUSE) {
                state.untold += 1;
                return;
            }
            state.last = Some(now.mono);
            std::mem::take(&mut state.untold)
        };
        let id = cut(session, ID_BYTES_MAX);
        let more =
            if untold > 0 { format!(" (and {untold} more since the last notice)") } else { String::new() };
        (self.notice)(Level::Warn, &format!("session {id} has no trace context: {why}{more}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_call_has_one_header_that_is_valid_or_none() {
        let mut metadata = MetadataMap::new();
        assert_eq!(given(&metadata), None);
        metadata.insert(HEADER, VALID.parse().unwrap());
        assert_eq!(given(&metadata).unwrap().valid(), Some(VALID));
        metadata.append(HEADER, VALID.parse().unwrap());
        assert_eq!(given(&metadata).unwrap().left_out(), Some("2 traceparents in one call"));
        metadata.insert(HEADER, "00-0".parse().unwrap());
        assert_eq!(given(&metadata).unwrap().left_out(), Some("traceparent has 4 bytes, fewer than 55"));
    }

    #[test]
    fn many_that_are_left_out_are_one_notice_a_second_with_their_number() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&said);
        let notices = LeftOutNotices::new(Box::new(move |level, text: &str| {
            into.lock().unwrap().push((level, text.to_owned()));
        }));
        for (ms, id) in [(0, "a"), (1, "b"), (999, "c"), (1_000, "d"), (2_500, "e")] {
            notices.report(Now::at_ms(ms), id, "why");
        }
        let said = said.lock().unwrap();
        let expected = [
            "session a has no trace context: why",
            "session d has no trace context: why (and 2 more since the last notice)",
            "session e has no trace context: why",
        ];
        assert_eq!(*said, expected.map(|text| (Level::Warn, text.to_owned())));
    }
}
