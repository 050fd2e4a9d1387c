//! Rules and held frames as lists.

use std::time::Duration;

use crate::{
    dissect::{frame_verdict, gate::expires_at, kind_of, summary_line},
    gate::{HeldView, RuleView},
    ids::Seq,
    port::{GateError, GateRuleRow, InterceptedFrame, InterceptedRow, Page, PageBytes, PortError, Way},
    station::{host::Asking, local::Inner, pages::query_store},
    tap::entry::{Direction, Entry, Head, What, macp::SessionState},
    time::Wall,
};

/// How long the list of held frames waits for the store to say when a session expires.
const STORE_PATIENCE: Duration = Duration::from_millis(200);

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
pub(in crate::station) async fn held(asking: Asking<'_>) -> Page {
    let (mut rows, mut is_stalled) = (Vec::new(), false);
    for held in asking.inner.gate.held() {
        rows.push(held_row(asking, held, &mut is_stalled).await);
    }
    Page::Intercepted(rows)
}

/// One of them, whole.
pub(in crate::station) async fn frame(asking: Asking<'_>, number: u64) -> Result<Page, PortError> {
    let held = asking.inner.gate.held().into_iter().find(|held| held.number == number);
    let held = held.ok_or(PortError::Gate(GateError::NotIntercepted { frame: number }))?;
    let bytes = PageBytes(held.bytes.to_vec());
    let row = held_row(asking, held, &mut false).await;
    Ok(Page::InterceptedFrame(Box::new(InterceptedFrame { row, bytes })))
}

/// A store that did not answer in time is not asked again.
async fn held_row(asking: Asking<'_>, held: HeldView, is_stalled: &mut bool) -> InterceptedRow {
    let expires_at = match &held.frame.head {
        Head::Macp(call) => {
            let session = call.session.as_deref().filter(|_| !*is_stalled);
            let asked = tokio::time::timeout(STORE_PATIENCE, session_expires_at(asking, session)).await;
            *is_stalled |= asked.is_err();
            asked.ok().flatten()
        }
        _ => expires_at(held.link, &held.bytes),
    };
    let now = asking.inner.clock.now().wall;
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
        expires_at_ms: expires_at,
        ttl_in_ms: expires_at.map(|at| at.0.saturating_sub(now.0)),
    }
}

/// When an open session expires; nothing of one that the store does not have, or cannot read now.
async fn session_expires_at(asking: Asking<'_>, session: Option<&str>) -> Option<Wall> {
    let session = session?.to_owned();
    let found = query_store(|done| asking.running.store.session(session, done)).await.ok()??;
    (found.state() == SessionState::Open).then_some(found.expires_at)
}
