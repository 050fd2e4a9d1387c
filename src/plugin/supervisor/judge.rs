//! What would be made of bytes that a plugin has not sent yet.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    Supervisor,
    events::{error_frame, head_of_method},
    foresee::Foreseen,
    frames::{Decision, Refused},
};
use crate::{
    ids::PluginId,
    judged::{Answer, Doubt, Judged, Pending, Shortfall},
    limits::{PLUGIN_FRAME_BYTES_MAX, PLUGIN_HEADER_BYTES_MAX},
    plugin::{
        Code, Head, Lint, NotJudged, Stand, Verdict, Violation,
        framing::{Broken, Frame, Framer},
        rpc,
        session::{Phase, Process},
    },
    tap::entry,
    time::Now,
};

/// The most that is looked at: the longest frame.
const LOOKED_AT_BYTES_MAX: usize = PLUGIN_HEADER_BYTES_MAX + PLUGIN_FRAME_BYTES_MAX;

/// The first frame of some bytes, as the framer has it.
pub(super) enum Framed {
    Whole(Frame),
    Unfinished { missing_bytes: Option<u64>, taken_bytes: usize },
    Broken(Broken),
}

impl Supervisor {
    /// What would be made of the first frame of some bytes, headers and all, changing nothing. Numbers and
    /// times in its answers are those of now.
    ///
    /// # Errors
    /// [`NotJudged`] where nothing runs that could have sent it, or could take it.
    pub fn judge(&self, now: Now, stand: &Stand, bytes: &[u8]) -> Result<Judged, NotJudged> {
        let id = stand.plugin();
        let plugin = self.plugin(id).ok_or_else(|| NotJudged::UnknownPlugin(id.clone()))?;
        let process = plugin.process().filter(|process| process.phase != Phase::Killed);
        let process = process.ok_or_else(|| NotJudged::NotRunning(id.clone()))?;
        let framed = first_frame(bytes);
        Ok(match stand {
            Stand::From(_) => match framed {
                Framed::Whole(frame) => self.judge_frame(now, id, process, &frame),
                Framed::Unfinished { missing_bytes, taken_bytes } => {
                    let if_cut =
                        if taken_bytes == 0 { "nothing has come" } else { Violation::EndInFrame.text() };
                    let pending = Pending { missing_bytes, if_cut };
                    let judged = Judged::pending(head(id), pending);
                    Judged { taken_bytes, ..judged }
                }
                Framed::Broken(broken) => self.judge_broken(now, id, process, &broken),
            },
            Stand::To(_) => self.judge_to(id, process, framed),
        })
    }

    fn judge_broken(&self, now: Now, id: &PluginId, process: &Process, broken: &Broken) -> Judged {
        let verdict = entry::Verdict::Plugin(Verdict::Broken(broken.violation));
        let mut judged = Judged::certain(head(id), verdict);
        judged.taken_bytes = broken.wire.len();
        judged.shortfall = Some(shortfall(broken));
        judged.ends = Some(broken.violation.text().to_owned());
        judged.effect = Some(self.after_fault(now, id, process));
        judged
    }

    fn judge_frame(&self, now: Now, id: &PluginId, process: &Process, frame: &Frame) -> Judged {
        let incoming = rpc::read(&frame.body());
        let (head, _) = self.head_of(id, process, &incoming);
        let bare_lf = frame.has_bare_lf().then_some(Lint::BareLf);
        let lints: Vec<_> = bare_lf.into_iter().chain(incoming.lints).map(Lint::text).collect();
        let decision = self.decide(now, id, process, incoming.message);
        let verdict = entry::Verdict::Plugin(decision.verdict());
        let mut judged = Judged::certain(entry::Head::Plugin(head), verdict);
        judged.taken_bytes = frame.wire().len();
        let mut judged = self.judge_decision(now, id, process, judged, &decision);
        if !lints.is_empty() {
            let effect = judged.effect.map(|effect| format!("{effect}; ")).unwrap_or_default();
            judged.effect = Some(format!("{effect}{}", lints.join("; ")));
        }
        judged
    }

    fn judge_decision(
        &self,
        now: Now,
        id: &PluginId,
        process: &Process,
        mut judged: Judged,
        decision: &Decision,
    ) -> Judged {
        match decision {
            Decision::Answer { number, outcome } => {
                let foreseen = self.foresee_answer(now, id, process, *number, outcome);
                let until = process.open_until(*number);
                let judged = taken_over(judged, foreseen).as_of_now(&[Doubt::AnotherPeer]);
                judged.until(now, until)
            }
            Decision::Ignore(lint, _) => {
                judged.effect = Some(lint.text().to_owned());
                let is_certain = matches!(lint, Lint::UnknownNotification);
                if is_certain { judged } else { judged.as_of_now(&[]) }
            }
            Decision::Refuse(refused) => {
                let Refused { request, is_answered, code, message, retry_after_ms } = refused;
                if *is_answered {
                    let answer = error_frame(id, request.as_ref(), *code, message, *retry_after_ms);
                    judged.answers.push(answered(answer));
                }
                let until = retry_after_ms.map(|ms| now.mono + std::time::Duration::from_millis(ms));
                let judged = if is_of_bytes(*code) { judged } else { judged.as_of_now(&[]) };
                judged.until(now, until)
            }
            Decision::Do { request, call } => {
                if let Some(request) = request {
                    judged.answers.extend(self.reply_to(id, request, call).map(answered));
                }
                self.foresee_call(now, id, taken_as_of_now(judged), call)
            }
        }
    }
}

/// What is wrong with the bytes alone, whatever else holds.
const fn is_of_bytes(code: Code) -> bool {
    matches!(code, Code::ParseError | Code::InvalidRequest | Code::MethodNotFound)
}

fn taken_as_of_now(judged: Judged) -> Judged {
    judged.as_of_now(&[])
}

fn taken_over(mut judged: Judged, foreseen: Foreseen) -> Judged {
    judged.answers.extend(foreseen.frames.into_iter().map(answered));
    judged.ends = foreseen.ends;
    judged.effect = foreseen.effect;
    judged
}

fn answered((bytes, head): (Bytes, Head)) -> Answer {
    Answer { head: entry::Head::Plugin(head), bytes: bytes.to_vec() }
}

pub(super) fn head(id: &PluginId) -> entry::Head {
    entry::Head::Plugin(Head::new(id.clone()))
}

fn first_frame(bytes: &[u8]) -> Framed {
    let looked_at = bytes.get(..LOOKED_AT_BYTES_MAX).unwrap_or(bytes);
    let mut framer = Framer::new();
    framer.push(looked_at);
    match framer.poll_frame() {
        Ok(Some(frame)) => Framed::Whole(frame),
        Ok(None) => {
            let missing_bytes = framer.missing_bytes().map(|bytes| bytes as u64);
            Framed::Unfinished { missing_bytes, taken_bytes: looked_at.len() }
        }
        Err(broken) => Framed::Broken(broken),
    }
}

/// Where a header line breaks the stream; nothing of what it says is repeated.
pub(super) fn shortfall(broken: &Broken) -> Shortfall {
    let expected = match broken.violation {
        Violation::NoLength => "a Content-Length before the blank line",
        Violation::TwoLengths => "one Content-Length",
        Violation::LengthNotDecimal => "a decimal number",
        Violation::NoColon => "a name, a colon and a value",
        Violation::HeadersTooLong => "a blank line within 4,096 bytes",
        Violation::BodyTooLong => "a length of at most 4194304",
        Violation::EndInFrame => "the rest of the frame",
    };
    let line = match broken.violation {
        Violation::HeadersTooLong | Violation::EndInFrame => broken.wire.len(),
        _ => {
            let before = broken.wire.get(..broken.wire.len().saturating_sub(1)).unwrap_or_default();
            memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)
        }
    };
    Shortfall { expected: expected.to_owned(), got: broken.violation.text().to_owned(), byte: line }
}

/// The head of a notification of ours.
pub(super) fn notified(id: &PluginId, method: &'static str, frame: Bytes) -> (Bytes, Head) {
    (frame, head_of_method(id, &Arc::from(method)))
}
