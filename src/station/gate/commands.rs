//! What operators do at the gate.

use bytes::Bytes;

use super::matcher::{self, RuleFilter};
use crate::{
    gate::{ArmError, Decision, HeldView, NewRule, NotHeld, Owner, Rewrite, Then},
    ids::ConnectionId,
    limits::Limits,
    mpp, plugin,
    port::{Arm, GateCommand, GateError, GateOutcome, Outcome, PortError, Way},
    rmp::{self, Dialect},
    station::{
        local::{Inner, Operating},
        past::beside_where_long,
    },
    tap::entry::{Direction, Head, Link},
};

/// Per mille of all.
const ALL: u16 = 1_000;

/// Does what an operator asks of the gate.
pub(in crate::station) async fn command(
    inner: &Inner,
    operating: Operating<'_>,
    command: GateCommand,
) -> Result<Outcome, PortError> {
    let done = match command {
        GateCommand::Arm(arm) => armed(inner, operating, &arm),
        GateCommand::Disarm { rule } => disarmed(inner, operating, rule),
        GateCommand::Pass { frames } => decided(inner, operating, frames, &Decision::Pass),
        GateCommand::Drop { frames } => decided(inner, operating, frames, &Decision::Drop),
        GateCommand::Edit { frame, bytes, keeps } => {
            edited(inner, operating, frame, Bytes::from(bytes.0), keeps).await?
        }
    };
    done.map(Outcome::Gate).map_err(|error| {
        operating.refused(&format!("gate: {error}"));
        PortError::Gate(error)
    })
}

/// A console is gone: its rules go with it, and what they hold passes.
pub(in crate::station) fn owner_gone(inner: &Inner, owner: Owner) {
    owners_gone(inner, |of| of == owner);
}

/// The bus is down, and so are all of its sessions with a lower number.
pub(in crate::station) fn sessions_gone(inner: &Inner, below: ConnectionId) {
    owners_gone(inner, |owner| matches!(owner, Owner::Session(session) if session < below));
}

fn owners_gone(inner: &Inner, is_gone: impl Fn(Owner) -> bool) {
    let rules = inner.gate.disarm_of(is_gone);
    if !rules.is_empty() {
        let rules = crate::words::counted(rules.len() as u64, "rule");
        let text = format!("gate: the console that armed them is gone: {rules} disarmed");
        inner.status.notice(crate::tap::entry::station::Level::Warn, &text);
    }
}

fn armed(inner: &Inner, operating: Operating<'_>, arm: &Arm) -> Result<GateOutcome, GateError> {
    let now = inner.clock.now();
    let filter = matcher::read(&arm.filter, now)?;
    let mut links = filter.links.clone();
    if matches!(arm.then, Then::Duplicate) {
        // A call has one answer.
        links.retain(|link| *link != Link::Macp);
    }
    let direction = arm.way.map(direction);
    if !filter.may_match(&links, direction, now) {
        return Err(GateError::NothingToDo);
    }
    let RuleFilter { text, asks_verdict, matcher, class_matcher, .. } = filter;
    let owner = match (arm.stays, operating.by.session) {
        (true, _) => Owner::Nobody,
        (false, None) => Owner::OwnConsole,
        (false, Some(session)) => Owner::Session(session),
    };
    let rule = NewRule {
        by: operating.by.clone(),
        owner,
        filter: text,
        links,
        direction,
        asks_verdict,
        matcher,
        class_matcher,
        then: arm.then,
        on_timeout: arm.on_timeout,
        frames_max: arm.frames_max,
        per_mille: arm.per_mille.unwrap_or(ALL),
        seed: arm.seed.unwrap_or_default(),
        for_ms: arm.for_ms.unwrap_or(u64::MAX),
    };
    let rule = inner.gate.arm(now, rule).map_err(|error| match error {
        ArmError::Full { armed } => GateError::GateFull { armed },
        ArmError::RehearsalOnly => GateError::RehearsalOnly { what: arm.then.name().to_owned() },
    })?;
    if matches!(owner, Owner::Session(session) if inner.workbench.is_over(session)) {
        // It ended meanwhile: its rules were looked for before this one was armed.
        owner_gone(inner, owner);
    }
    operating.report(&format!("gate: rule {rule} armed: {} {}", arm.then.words(), arm.filter));
    Ok(GateOutcome::Armed { rule })
}

const fn direction(way: Way) -> Direction {
    match way {
        Way::In => Direction::Inbound,
        Way::Out => Direction::Outbound,
    }
}

fn disarmed(inner: &Inner, operating: Operating<'_>, rule: Option<u64>) -> Result<GateOutcome, GateError> {
    let rules = match rule {
        Some(rule) if inner.gate.disarm(rule) => vec![rule],
        Some(rule) => return Err(GateError::NoRule { rule }),
        None => inner.gate.disarm_all(),
    };
    for rule in &rules {
        operating.report(&format!("gate: rule {rule} disarmed"));
    }
    Ok(GateOutcome::Disarmed { rules })
}

/// Decides on frames; on all of them where none is named. Those that passed meanwhile are no fault of a
/// command about several.
fn decided(
    inner: &Inner,
    operating: Operating<'_>,
    frames: Vec<u64>,
    decision: &Decision,
) -> Result<GateOutcome, GateError> {
    let is_one = frames.len() == 1;
    let is_all = frames.is_empty() && *decision == Decision::Pass;
    let frames = if is_all { inner.gate.held().iter().map(|held| held.number).collect() } else { frames };
    let mut released = Vec::new();
    for frame in frames {
        match inner.gate.decide(frame, decision.clone(), operating.by, None) {
            Ok(()) => released.push(frame),
            Err(NotHeld { number }) if is_one => return Err(GateError::NotIntercepted { frame: number }),
            Err(NotHeld { .. }) => {}
        }
    }
    Ok(GateOutcome::Released { frames: released })
}

/// Lets other bytes pass in the place of a frame. They are read where no one else waits, when they are long.
async fn edited(
    inner: &Inner,
    operating: Operating<'_>,
    frame: u64,
    bytes: Bytes,
    keeps: bool,
) -> Result<Result<GateOutcome, GateError>, PortError> {
    let held = inner.gate.held().into_iter().find(|held| held.number == frame);
    let Some(held) = held else { return Ok(Err(GateError::NotIntercepted { frame })) };
    let is_armed = inner.gate.rules(inner.clock.now()).iter().any(|rule| rule.number == held.rule);
    let (limits, clock) = (inner.limits, inner.clock);
    let (length, edit) = (held.bytes.len().max(bytes.len()), bytes.clone());
    let read = move || -> Result<Option<Rewrite>, GateError> {
        is_whole(&limits, &held, &edit).map_err(|why| GateError::NotWhole { why, link: Some(held.link) })?;
        if !keeps {
            return Ok(None);
        }
        if !is_armed {
            return Err(GateError::NotKept { why: format!("rule {} is disarmed", held.rule) });
        }
        matcher::rewrite(&limits, clock, &held, &edit).map(Some)
    };
    let read = beside_where_long(&inner.limits, length, read).await?;
    Ok(read.and_then(|rewrite| {
        inner.injected_traces.begin(&inner.tap);
        let decided = inner.gate.decide(frame, Decision::Edit(bytes), operating.by, rewrite);
        decided.map_err(|NotHeld { number }| GateError::NotIntercepted { frame: number })?;
        Ok(GateOutcome::Released { frames: vec![frame] })
    }))
}

/// Whether bytes have a frame's end, whatever is wrong with the frame itself; else what is missing.
pub(in crate::station) fn is_whole(limits: &Limits, held: &HeldView, bytes: &Bytes) -> Result<(), String> {
    let more = |taken: usize| match bytes.len().saturating_sub(taken) {
        0 => Ok(()),
        more => Err(format!("{more} bytes follow it")),
    };
    match held.link {
        Link::Mpp => match mpp::framing::first(bytes) {
            Some(mpp::framing::Framed::Line(line)) => more(line.len()),
            Some(mpp::framing::Framed::TooLarge(_)) => Ok(()),
            None => Err("the line has no LF".to_owned()),
        },
        Link::Rmp => {
            let dialect = match &held.frame.head {
                Head::Rmp(unit) => unit.dialect,
                _ => Dialect::Frames,
            };
            rmp::framing::whole(bytes, dialect, limits.rmp.body_bytes_max)
                .map_err(|missing| format!("they end within a frame: at least {missing} more are missing"))
        }
        Link::Plugin => {
            let mut framer = plugin::framing::Framer::new();
            framer.push(bytes);
            match framer.poll_frame() {
                Ok(Some(frame)) => more(frame.wire().len()),
                Ok(None) => Err("its end is missing".to_owned()),
                Err(_) => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
