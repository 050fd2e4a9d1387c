//! Which ends are those that were foreseen.

use super::run::Row;
use crate::port::{AnswerRow, JudgedRow, SentFrame, ToldEntry};

/// A frame that is accepted and answered so.
fn foreseen(answers: &[&str]) -> Box<JudgedRow> {
    let answer = |kind: &&str| AnswerRow { kind: (*kind).to_owned(), hex: String::new() };
    Box::new(JudgedRow { answers: answers.iter().map(answer).collect(), ..JudgedRow::of("accepted") })
}

fn told(kind: &str, verdict: Option<&str>) -> ToldEntry {
    ToldEntry {
        is_own: verdict.is_some(),
        direction: Some("in".to_owned()),
        verdict: verdict.map(str::to_owned),
        ..ToldEntry::of(kind)
    }
}

fn differs(told: Vec<ToldEntry>, closed: Option<&str>, foreseen: Box<JudgedRow>) -> bool {
    let sent = SentFrame { told, closed: closed.map(str::to_owned), ..SentFrame::default() };
    Row::sent(1, &sent, foreseen).is_different()
}

#[test]
fn an_end_is_as_foreseen_by_its_verdict_its_answers_and_whether_the_connection_is_closed() {
    let publish = |verdict| told("Publish", Some(verdict));
    let ok = || told("Ok", None);
    assert!(!differs(vec![publish("accepted"), ok()], None, foreseen(&["Ok"])));
    assert!(differs(vec![publish("duplicate"), ok()], None, foreseen(&["Ok"])));
    assert!(differs(vec![publish("accepted")], None, foreseen(&["Ok"])));
    assert!(differs(vec![publish("accepted"), ok()], None, foreseen(&["Error"])));
    assert!(differs(vec![publish("accepted"), ok()], Some("it left"), foreseen(&["Ok"])));
}

#[test]
fn a_frame_without_a_verdict_has_not_ended_differently() {
    assert!(!differs(Vec::new(), None, foreseen(&["Ok"])));
    assert!(!differs(vec![told("intercepted", None)], None, foreseen(&["Ok"])), "it waits at the gate");
}
