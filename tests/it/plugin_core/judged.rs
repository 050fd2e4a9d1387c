//! What was judged of a frame before it came, next to what became of it.

use bytes::Bytes;
use rl_console::{
    judged::Judged,
    plugin::{NotJudged, Verdict},
    tap::entry,
};

/// What became of a frame of a plugin.
#[derive(Debug)]
pub(crate) struct Handled<'a> {
    pub(crate) verdict: Verdict,
    /// Its bytes.
    pub(crate) wire: &'a [u8],
    /// What was sent to the plugin over it, in order.
    pub(crate) sent: Vec<&'a Bytes>,
    /// Whether the process is killed, before it and after it.
    pub(crate) is_killed: (bool, bool),
}

/// Checks a judgement against what the supervisor then did.
pub(crate) fn agrees(judged: Result<Judged, NotJudged>, handled: &Handled<'_>) {
    let (was_killed, is_killed) = handled.is_killed;
    let judged = match judged {
        Ok(judged) => judged,
        Err(why) => {
            assert!(was_killed && handled.sent.is_empty(), "{why}");
            return;
        }
    };
    assert_eq!(judged.verdict, Ok(entry::Verdict::Plugin(handled.verdict)), "judged as it is handled");
    assert_eq!(judged.taken_bytes, handled.wire.len());
    let answers: Vec<_> = judged.answers.iter().map(|answer| &answer.bytes[..]).collect();
    assert_eq!(handled.sent, answers, "{judged:?}");
    assert_eq!(judged.ends.is_some(), is_killed && !was_killed, "{judged:?}");
}
