//! Rules and held frames as lists.

use crate::{
    dissect::{frame_verdict, gate::expires_at, kind_of, summary_line},
    gate::{HeldView, RuleView},
    ids::Seq,
    port::{GateError, GateRuleRow, InterceptedFrame, InterceptedRow, Page, PageBytes, PortError, Way},
    station::local::Inner,
    tap::entry::{Direction, Entry, What},
};

const fn way(direction: Direction) -> Way {
    match direction {
        Direction::Inbound => Way::In,
        Direction::Outbound => Way::Out,
    }
}

/// The rules that are armed.
pub(in crate::station) fn rules(inner: &Inner) -> Page {
    let rules = inner.gate.rules(inner.clock.now()).into_iter();
    Page::GateRules(rules.map(|rule| row(inner, &rule)).collect())
}

fn row(inner: &Inner, rule: &RuleView) -> GateRuleRow {
    GateRuleRow {
        rule: rule.number,
        filter: inner.tap.text_without_tokens(&rule.filter).into_owned(),
        way: rule.direction.map(way),
        then: rule.then,
        on_timeout: rule.on_timeout,
        by: rule.by.to_string(),
        since_ms: rule.since.wall,
        until_ms: rule.until.wall,
        taken: rule.taken,
        frames_max: rule.frames_max,
        passed_full: rule.passed_full,
        rewrites: rule.rewrites,
    }
}

/// The frames that are held.
pub(in crate::station) fn held(inner: &Inner) -> Page {
    Page::Intercepted(inner.gate.held().into_iter().map(held_row).collect())
}

/// One of them, whole.
pub(in crate::station) fn frame(inner: &Inner, number: u64) -> Result<Page, PortError> {
    let held = inner.gate.held().into_iter().find(|held| held.number == number);
    let held = held.ok_or(PortError::Gate(GateError::NotIntercepted { frame: number }))?;
    let bytes = PageBytes(held.bytes.to_vec());
    Ok(Page::InterceptedFrame(Box::new(InterceptedFrame { row: held_row(held), bytes })))
}

fn held_row(held: HeldView) -> InterceptedRow {
    let HeldView { number, rule, link, frame, since, until, on_timeout, bytes } = held;
    let (direction, peer) = (frame.direction, frame.peer.clone());
    let kind = kind_of(&frame.head).to_owned();
    let what = What::Frame(frame);
    let entry = Entry { seq: Seq(0), at: since, link, trace: None, cause: None, what };
    let of = frame_verdict(&entry);
    InterceptedRow {
        frame: number,
        rule,
        link,
        way: way(direction),
        peer,
        kind,
        line: summary_line(&entry).into_owned(),
        bytes: bytes.len() as u64,
        verdict: of.as_ref().map(|of| of.word.to_owned()).unwrap_or_default(),
        clause: of.and_then(|of| of.clause.map(str::to_owned)),
        since_ms: since.wall,
        until_ms: until.wall,
        on_timeout,
        expires_at_ms: expires_at(link, &bytes),
    }
}
