//! What a frame was foreseen to come to, beside what it came to.

use super::{JudgedRow, SentFrame, ToldEntry};
use crate::{tap::entry::Link, words::counted};

/// What the station publishes comes to those that subscribe to its topic, whoever caused it.
const BROADCAST: &str = "Publish";

/// Whether a frame of this verdict was not taken.
pub(crate) fn is_refusal(verdict: &str) -> bool {
    matches!(verdict, "refused" | "late")
}

impl JudgedRow {
    /// Whether the frame is foreseen as not taken.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.code.is_some() || is_refusal(&self.verdict)
    }

    /// What is ended where the frame ends something, in words.
    #[must_use]
    pub fn ended(&self) -> &'static str {
        match self.link.as_str() {
            "macp" => "the call",
            "plugin" => "the plugin's process",
            _ => "the connection",
        }
    }

    /// Whether nothing is foreseen, as more of the frame is awaited.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.verdict == "pending"
    }

    /// Why what a frame came to is not compared with this.
    #[must_use]
    pub fn uncompared(&self, sent: &SentFrame) -> Option<&'static str> {
        if self.is_pending() {
            return Some("its end was not foreseen");
        }
        let mut own = sent.own_entries();
        let is_foreseen = own.next().is_none_or(ToldEntry::is_refused) || own.next().is_none();
        (!is_foreseen).then_some("of several frames the first was foreseen")
    }

    /// In what a frame came to something else than this; nothing where it is equal, or is not compared.
    /// Values in the bytes of its answers are in [`ToldEntry::differs`](super::ToldEntry::differs).
    #[must_use]
    pub fn differences(&self, sent: &SentFrame) -> Vec<String> {
        if self.uncompared(sent).is_some() {
            return Vec::new();
        }
        if sent.own().is_none() {
            return vec![sent.silence().to_owned()];
        }
        let mut found: Vec<String> = self.verdict_differs(sent).into_iter().collect();
        let delivered = sent.own().and_then(|own| own.subscribers);
        if let Some(count) = delivered.filter(|count| *count != self.to_count) {
            found.push(format!("delivered to {} instead of {}", counted(count, "subscriber"), self.to_count));
        }
        // A status is the end of its call.
        let is_ended = sent.closed.is_some() || sent.answers().any(|told| told.is_status);
        // A plugin's process is killed some time after the frame for which it is.
        let ends_later = self.ends.is_some() && self.link == Link::Plugin.name();
        if !ends_later && self.ends.is_some() != is_ended {
            let words = if is_ended { "it was closed" } else { "it stayed open" };
            found.push(words.to_owned());
        }
        found.extend(self.answers_differ(sent));
        found
    }

    /// How it ended, where that is foreseen.
    fn verdict_differs(&self, sent: &SentFrame) -> Option<String> {
        let instead = |was: &str, foreseen: &str| Some(format!("{was} instead of {foreseen}"));
        let named = |code: Option<&str>| code.unwrap_or("no fault").to_owned();
        let (code, foreseen) = (sent.code(), self.code.as_deref());
        if code != foreseen {
            return instead(&named(code), &named(foreseen));
        }
        let verdict = sent.verdict()?;
        if verdict != self.verdict {
            return instead(verdict, &self.verdict);
        }
        let (clause, foreseen) = (sent.clause()?, self.clause.as_deref()?);
        if clause == foreseen { None } else { instead(clause, foreseen) }
    }

    /// What answers, in its order.
    fn answers_differ(&self, sent: &SentFrame) -> Vec<String> {
        let is_answer = |kind: &&str| *kind != BROADCAST;
        let foreseen = || self.answers.iter().map(|answer| answer.kind.as_str()).filter(is_answer);
        let answers = || sent.answers().filter(|told| !told.is_status);
        let came = || answers().map(|told| told.kind.as_str()).filter(is_answer);
        if foreseen().eq(came()) {
            return Vec::new();
        }
        let mut unforeseen: Vec<&str> = came().collect();
        let mut found = Vec::new();
        for kind in foreseen() {
            match unforeseen.iter().position(|came| *came == kind) {
                Some(at) => drop(unforeseen.remove(at)),
                None => found.push(format!("no {kind} came")),
            }
        }
        found.extend(unforeseen.iter().map(|kind| format!("{kind} came as well")));
        if found.is_empty() {
            found.push("the answers came in another order".to_owned());
        }
        found
    }
}

impl ToldEntry {
    /// Whether the frame was not taken.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.verdict.as_deref().is_some_and(is_refusal)
    }
}

impl SentFrame {
    /// Whether the frame was not taken.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.verdict().is_some_and(is_refusal)
    }

    /// Why nothing is known of a frame of which the tap has told nothing.
    #[must_use]
    pub fn silence(&self) -> &'static str {
        if self.is_held() {
            "held at the gate"
        } else if self.lost > 0 {
            "its entries were lost: the tap is busy"
        } else {
            "no entry of it came in time"
        }
    }

    /// The values in which its answers are not as was foreseen, ids and times among them, each answer's
    /// behind its type.
    #[must_use]
    pub fn other_values(&self) -> Vec<String> {
        let told = self.answers().filter(|told| !told.differs.is_empty());
        told.map(|told| format!("{}: {}", told.kind, told.differs.join(", "))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::AnswerRow;

    fn foreseen(answers: &[&str]) -> JudgedRow {
        let answers = answers.iter().map(|kind| AnswerRow { kind: (*kind).to_owned(), hex: String::new() });
        JudgedRow { answers: answers.collect(), ..JudgedRow::of("accepted") }
    }

    fn told(kind: &str) -> ToldEntry {
        ToldEntry::of(kind)
    }

    fn own(verdict: &str, code: Option<&str>, clause: Option<&str>) -> ToldEntry {
        let (code, clause) = (code.map(str::to_owned), clause.map(str::to_owned));
        ToldEntry { is_own: true, verdict: Some(verdict.to_owned()), code, clause, ..told("Publish") }
    }

    fn sent(own: ToldEntry, answers: &[&str]) -> SentFrame {
        let told = std::iter::once(own).chain(answers.iter().map(|kind| told(kind))).collect();
        SentFrame { told, ..SentFrame::default() }
    }

    fn differences(foreseen: &[&str], came: &[&str]) -> Vec<String> {
        self::foreseen(foreseen).differences(&sent(own("accepted", None, None), came))
    }

    #[test]
    fn answers_are_compared_by_their_types_and_their_order() {
        assert!(differences(&["Ok", "Message"], &["Ok", "Message"]).is_empty());
        assert_eq!(differences(&["Ok"], &[]), ["no Ok came"]);
        assert_eq!(differences(&["Ok"], &["Ok", "Message"]), ["Message came as well"]);
        assert_eq!(differences(&["Ok", "Ok"], &["Ok"]), ["no Ok came"]);
        assert_eq!(
            differences(&["Ok", "Message"], &["Message", "Ok"]),
            ["the answers came in another order"]
        );
        assert!(differences(&["Ok"], &["Publish", "Ok"]).is_empty(), "that comes to subscribers");
    }

    #[test]
    fn an_end_is_compared_by_verdict_error_and_clause_and_by_whether_the_connection_is_closed() {
        let mut judged = foreseen(&[]);
        (judged.verdict, judged.code) = ("refused".to_owned(), Some("Late".to_owned()));
        judged.clause = Some("§4.2".to_owned());
        let became = |own| judged.differences(&sent(own, &[]));
        assert!(became(own("refused", Some("Late"), Some("§4.2"))).is_empty());
        assert!(became(own("refused", Some("Late"), None)).is_empty(), "it names none");
        assert_eq!(became(own("refused", Some("Late"), Some("§5"))), ["§5 instead of §4.2"]);
        assert_eq!(became(own("refused", Some("Full"), Some("§5"))), ["Full instead of Late"]);
        assert_eq!(became(own("accepted", None, None)), ["no fault instead of Late"]);
        let closed = SentFrame {
            closed: Some("over".to_owned()),
            ..sent(own("refused", Some("Late"), Some("§4.2")), &[])
        };
        assert_eq!(judged.differences(&closed), ["it was closed"]);
        judged.ends = Some("over".to_owned());
        assert!(judged.differences(&closed).is_empty());
        assert_eq!(
            foreseen(&[]).differences(&sent(own("duplicate", None, None), &[])),
            ["duplicate instead of accepted"]
        );
    }

    #[test]
    fn a_frame_of_which_nothing_was_told_says_why_unless_its_end_was_still_to_come() {
        let mut judged = foreseen(&[]);
        assert_eq!(judged.differences(&SentFrame::default()), ["no entry of it came in time"]);
        let lost = SentFrame { lost: 3, ..SentFrame::default() };
        assert_eq!(judged.differences(&lost), ["its entries were lost: the tap is busy"]);
        judged.verdict = "pending".to_owned();
        assert!(judged.differences(&SentFrame::default()).is_empty());
        let cut = SentFrame {
            closed: Some("over".to_owned()),
            ..sent(own("refused", Some("TruncatedHeader"), None), &["Error"])
        };
        assert!(judged.differences(&cut).is_empty(), "nothing was foreseen of its end");
    }

    #[test]
    fn a_status_is_the_end_of_its_call_and_no_answer() {
        let mut judged = foreseen(&[]);
        (judged.verdict, judged.code) = ("refused".to_owned(), Some("NOT_FOUND".to_owned()));
        judged.ends = Some("NOT_FOUND: no such session".to_owned());
        let mut frame = sent(own("refused", Some("NOT_FOUND"), None), &[]);
        assert_eq!(judged.differences(&frame), ["it stayed open"]);
        let answer = ToldEntry { code: Some("NOT_FOUND".to_owned()), ..told("GetSession") };
        frame.told.push(ToldEntry { is_status: true, ..answer.clone() });
        assert!(judged.differences(&frame).is_empty());
        frame.told.pop();
        frame.told.push(answer);
        assert_eq!(judged.differences(&frame), ["it stayed open", "GetSession came as well"], "a message");
        frame.told.pop();
        judged.link = "plugin".to_owned();
        assert!(judged.differences(&frame).is_empty(), "its process is killed later");
    }

    #[test]
    fn of_several_frames_at_once_the_first_alone_was_foreseen() {
        let judged = foreseen(&[]);
        let mut frame = sent(own("accepted", None, None), &["Ok"]);
        assert_eq!(judged.uncompared(&frame), None);
        frame.told.push(own("refused", Some("Duplicate"), None));
        assert!(judged.uncompared(&frame).is_some() && judged.differences(&frame).is_empty());
        let told = vec![own("refused", Some("Unauthorized"), None), own("late", None, None)];
        frame = SentFrame { told, ..SentFrame::default() };
        assert_eq!((frame.verdict(), frame.code()), (Some("refused"), Some("Unauthorized")));
        assert_eq!(judged.differences(&frame), ["Unauthorized instead of no fault"], "the first");
    }

    #[test]
    fn values_are_named_behind_the_type_of_their_answer() {
        let differs = vec!["header.msg_id".to_owned(), "ts".to_owned()];
        let mut frame = sent(own("accepted", None, None), &["Ok"]);
        frame.told.push(ToldEntry { differs, ..told("Message") });
        assert_eq!(frame.other_values(), ["Message: header.msg_id, ts"]);
        assert!(foreseen(&["Ok", "Message"]).differences(&frame).is_empty());
    }
}
