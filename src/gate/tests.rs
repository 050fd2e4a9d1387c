//! The gate by itself, under a virtual clock.

use std::{cell::Cell, sync::Arc};

use bytes::Bytes;

use super::{
    ArmError, Cleared, Decision, Gate, Held, Look, Matcher, NewRule, NotHeld, Offer, Offered, OnTimeout,
    Owner, Release, Taken, Then, Waits,
};
use crate::{
    ids::{ConnectionId, Peer},
    limits,
    tap::entry::{
        Direction, Head, Link, Verdict,
        gate::Passing,
        mpp::{self, FrameType},
        station::OperatedBy,
    },
    time::{Mono, Now},
};

const LIMITS: limits::Gate = limits::Gate {
    intercepted_max: 2,
    intercepted_bytes_max: 100,
    hold_ms_max: 30_000,
    rules_max: 2,
    rule_ms_max: 600_000,
};

/// A frame whose verdict costs something.
struct Frame {
    kind: FrameType,
    has_head: bool,
    is_secret: bool,
    judged: Cell<u32>,
}

impl Frame {
    fn of(kind: FrameType) -> Self {
        Self { kind, has_head: true, is_secret: false, judged: Cell::new(0) }
    }

    fn head_of(&self) -> Head {
        Head::Mpp(mpp::Head { kind: Some(self.kind), ..mpp::Head::default() })
    }
}

impl Look for Frame {
    fn head(&self) -> Option<Head> {
        self.has_head.then(|| self.head_of())
    }

    fn judged(&self) -> (Head, Verdict) {
        self.judged.set(self.judged.get() + 1);
        (self.head_of(), Verdict::Mpp(mpp::Verdict::Accepted))
    }

    fn is_secret(&self) -> bool {
        self.is_secret
    }
}

/// A rule for `applied` frames that come.
fn rule() -> NewRule {
    NewRule {
        by: OperatedBy::own_console(),
        owner: Owner::OwnConsole,
        filter: Arc::from("kind:applied"),
        links: vec![Link::Mpp],
        direction: Some(Direction::Inbound),
        asks_verdict: false,
        matcher: Arc::new(|entry, _| {
            let crate::tap::entry::What::Frame(frame) = &entry.entry.what else { return false };
            matches!(&frame.head, Head::Mpp(head) if head.kind == Some(FrameType::Applied))
        }),
        class_matcher: None,
        then: Then::Intercept,
        on_timeout: OnTimeout::Pass,
        frames_max: None,
        per_mille: 1_000,
        seed: 1,
        for_ms: u64::MAX,
    }
}

fn offered(gate: &Gate, now: Now, frame: &Frame, bytes: &[u8]) -> Offered {
    let peer = Peer::new("127.0.0.1:1");
    let offer = Offer { link: Link::Mpp, direction: Direction::Inbound, peer: &peer, bytes, origin: None };
    gate.offer(now, &offer, frame)
}

fn asks_verdict(gate: &Gate, now: Now, frame: &Frame) -> bool {
    let peer = Peer::new("127.0.0.1:1");
    let (link, direction) = (Link::Mpp, Direction::Inbound);
    gate.asks_verdict(now, &Offer { link, direction, peer: &peer, bytes: b"x", origin: None }, frame)
}

fn offer(gate: &Gate, now: Now, frame: &Frame, bytes: &[u8]) -> Option<Taken> {
    offered(gate, now, frame, bytes).taken().map(|taken| *taken)
}

/// What holds an `applied` that comes.
fn held(gate: &Gate, now: Now, bytes: &[u8]) -> (u64, Held) {
    match offer(gate, now, &Frame::of(FrameType::Applied), bytes) {
        Some(Taken { notice, waits: Waits::Held(held) }) => (notice.number, held),
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_what_a_rule_covers_is_asked_about_and_only_what_it_matches_is_judged() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    let is_armed = |link, direction| gate.is_armed(link, direction);
    assert!(
        !is_armed(Link::Mpp, Direction::Inbound) && !Gate::none().is_armed(Link::Mpp, Direction::Inbound)
    );
    let number = gate.arm(now, rule()).unwrap();
    assert!(is_armed(Link::Mpp, Direction::Inbound));
    assert!(!is_armed(Link::Mpp, Direction::Outbound) && !is_armed(Link::Rmp, Direction::Inbound));
    let (done, applied) = (Frame::of(FrameType::Done), Frame::of(FrameType::Applied));
    assert!(offer(&gate, now, &done, b"done").is_none() && done.judged.get() == 0);
    let taken = offer(&gate, now, &applied, b"applied").unwrap();
    assert_eq!((taken.notice.rule, taken.notice.hold_ms, applied.judged.get()), (number, Some(30_000), 1));
    assert_eq!(taken.notice.frame.verdict, Verdict::Mpp(mpp::Verdict::Accepted));
    assert!(gate.disarm(number) && !gate.disarm(number) && !is_armed(Link::Mpp, Direction::Inbound));
}

#[test]
fn what_carries_a_token_passes_whatever_rules_there_are() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    gate.arm(now, rule()).unwrap();
    let secret = Frame { is_secret: true, ..Frame::of(FrameType::Applied) };
    assert!(matches!(offered(&gate, now, &secret, b"secret"), Offered::Passes), "its class is not cleared");
    assert!(gate.held().is_empty());
    held(&gate, now, b"another");
}

#[test]
fn a_frame_goes_as_an_operator_decides_and_once() {
    let gate = Gate::new(LIMITS, false);
    let (now, by) = (Now::at_ms(0), OperatedBy::own_console());
    gate.arm(now, rule()).unwrap();
    let (number, mut frame) = held(&gate, now, b"one");
    assert_eq!((gate.held().len(), frame.try_release()), (1, None));
    gate.decide(number, Decision::Edit(Bytes::from_static(b"two")), &by, None).unwrap();
    let release = frame.try_release().unwrap();
    assert_eq!((release.how, release.bytes.as_deref()), (Passing::Edited, Some(&b"two"[..])));
    assert_eq!(release.by, Some(by.clone()));
    assert_eq!(gate.decide(number, Decision::Drop, &by, None), Err(NotHeld { number }));
    assert_eq!(gate.left_counts().0[Passing::Edited.index()], 1);
}

#[test]
fn too_many_frames_and_too_many_bytes_pass_and_are_counted() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    gate.arm(now, rule()).unwrap();
    let applied = Frame::of(FrameType::Applied);
    let (_, first) = held(&gate, now, &[b'x'; 60]);
    assert!(offer(&gate, now, &applied, &[b'x'; 41]).is_none(), "101 bytes of 100");
    let (_, second) = held(&gate, now, &[b'x'; 40]);
    assert!(offer(&gate, now, &applied, b"").is_none(), "three frames of two");
    assert_eq!((gate.left_counts().1, gate.rules(now)[0].passed_full), (2, 2));
    // A connection that is gone holds no place.
    drop((first, second));
    held(&gate, now, &[b'x'; 100]);
}

#[test]
fn time_releases_frames_and_disarms_rules() {
    let gate = Gate::new(LIMITS, false);
    gate.arm(Now::at_ms(0), NewRule { for_ms: 40_000, ..rule() }).unwrap();
    gate.arm(Now::at_ms(0), NewRule { on_timeout: OnTimeout::Drop, ..rule() }).unwrap();
    let (_, mut first) = held(&gate, Now::at_ms(1_000), b"a");
    assert_eq!(gate.expire(Now::at_ms(30_999).mono), Some(Now::at_ms(31_000).mono));
    assert_eq!(first.try_release(), None);
    assert_eq!(gate.expire(Now::at_ms(31_000).mono), Some(Now::at_ms(40_000).mono));
    assert_eq!(first.try_release().map(|it| it.how), Some(Passing::TimedOut));
    assert_eq!(gate.expire(Now::at_ms(40_000).mono), Some(Now::at_ms(600_000).mono));
    let (_, mut second) = held(&gate, Now::at_ms(41_000), b"b");
    let _ = gate.expire(Now::at_ms(71_000).mono);
    assert_eq!(second.try_release().map(|it| it.how), Some(Passing::Dropped), "as its rule says");
    assert_eq!(gate.expire(Now::at_ms(600_000).mono), None);
    assert!(gate.rules(Now::at_ms(600_000)).is_empty());
}

#[test]
fn rules_go_with_who_armed_them_and_what_they_hold_passes() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    let session = Owner::Session(ConnectionId(7));
    let first = gate.arm(now, NewRule { owner: session, frames_max: Some(1), ..rule() }).unwrap();
    let (_, mut frame) = held(&gate, now, b"a");
    assert!(gate.rules(now).is_empty(), "it has taken all that it was to take");
    let second = gate.arm(now, NewRule { owner: session, ..rule() }).unwrap();
    assert_eq!(gate.disarm_of(|owner| owner == Owner::OwnConsole), [0; 0]);
    assert_eq!(gate.disarm_of(|owner| owner == session), [second]);
    assert_eq!(frame.try_release(), Some(Release::as_it_was()), "held by rule {first}");
}

#[test]
fn faults_are_refused_while_the_show_is_on_and_rules_have_a_bound() {
    let live = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    let delay = Then::Delay { ms: 1, jitter_ms: 0 };
    for then in [Then::Drop, Then::Duplicate, Then::Cut, delay, Then::FailStore { ms: 1 }] {
        assert_eq!(live.arm(now, NewRule { then, ..rule() }), Err(ArmError::RehearsalOnly));
    }
    live.arm(now, rule()).unwrap();
    live.arm(now, rule()).unwrap();
    assert_eq!(live.arm(now, rule()), Err(ArmError::Full { armed: 2 }));
}

#[test]
fn a_rehearsals_faults_are_drawn_by_their_seed() {
    let taken = |seed| {
        let gate = Gate::new(LIMITS, true);
        let now = Now::at_ms(0);
        gate.arm(now, NewRule { then: Then::Drop, per_mille: 300, seed, ..rule() }).unwrap();
        let applied = Frame::of(FrameType::Applied);
        (0..1_000).map(|_| offer(&gate, now, &applied, b"x").is_some()).collect::<Vec<_>>()
    };
    let count = taken(1).into_iter().filter(|is_taken| *is_taken).count();
    assert!((200..400).contains(&count), "{count} of 1,000 at 30 %");
    assert_eq!(taken(1), taken(1));
    assert_ne!(taken(1), taken(2));
}

#[test]
fn a_kept_edit_is_made_of_what_follows_and_what_it_cannot_change_is_held() {
    let gate = Gate::new(LIMITS, false);
    let (now, by) = (Now::at_ms(0), OperatedBy::own_console());
    gate.arm(now, rule()).unwrap();
    let (number, _frame) = held(&gate, now, b"a1");
    let rewrite =
        Arc::new(|bytes: &[u8]| bytes.strip_prefix(b"a").map(|rest| Bytes::from([b"b", rest].concat())));
    gate.decide(number, Decision::Pass, &by, Some(rewrite)).unwrap();
    let applied = Frame::of(FrameType::Applied);
    let Some(Taken { notice, waits: Waits::Not(release) }) = offer(&gate, now, &applied, b"a2") else {
        panic!("it goes at once")
    };
    assert_eq!((notice.hold_ms, release.how), (None, Passing::Edited));
    assert_eq!(release.bytes.as_deref(), Some(&b"b2"[..]));
    assert!(gate.rules(now)[0].rewrites);
    held(&gate, now, b"c3");
}

#[test]
fn a_delay_is_no_longer_than_a_frame_is_held() {
    let gate = Gate::new(limits::Gate { hold_ms_max: 1_000, ..LIMITS }, true);
    gate.arm(Now::at_ms(0), NewRule { then: Then::Delay { ms: 5_000, jitter_ms: 10 }, ..rule() }).unwrap();
    let taken = offer(&gate, Now::at_ms(0), &Frame::of(FrameType::Applied), b"x").unwrap();
    assert_eq!(taken.notice.hold_ms, Some(1_000));
    let Waits::Held(mut held) = taken.waits else { panic!("a delayed frame waits") };
    let _ = gate.expire(Now::at_ms(999).mono);
    assert_eq!(held.try_release(), None);
    let _ = gate.expire(Now::at_ms(1_000).mono);
    assert_eq!(held.try_release().map(|release| release.how), Some(Passing::Delayed));
}

/// A rule that asks for the verdict of `applied` frames alone.
fn rule_of_class() -> NewRule {
    let class_matcher = Some(rule().matcher);
    NewRule { asks_verdict: true, matcher: Arc::new(|_, _| false), class_matcher, ..rule() }
}

#[test]
fn a_frame_whose_class_no_rule_matches_is_not_judged() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    let version = gate.arm(now, rule_of_class()).unwrap();
    let (done, applied) = (Frame::of(FrameType::Done), Frame::of(FrameType::Applied));
    let passes = offered(&gate, now, &done, b"done");
    assert!(matches!(passes, Offered::ClassPasses { version: it } if it == version), "{passes:?}");
    assert!(!asks_verdict(&gate, now, &done) && asks_verdict(&gate, now, &applied));
    assert_eq!((done.judged.get(), applied.judged.get()), (0, 0), "their heads are enough");
    let passes = offered(&gate, now, &applied, b"applied");
    assert!(matches!(passes, Offered::Passes), "another of its class may match: {passes:?}");
    assert_eq!((done.judged.get(), applied.judged.get()), (0, 1));
    gate.arm(now, NewRule { class_matcher: None, ..rule_of_class() }).unwrap();
    let passes = offered(&gate, now, &done, b"done");
    assert!(matches!(passes, Offered::Passes), "one rule looks at all of it: {passes:?}");
    assert!(asks_verdict(&gate, now, &done));
}

#[test]
fn a_class_is_cleared_until_a_rule_is_armed() {
    let gate = Gate::new(LIMITS, false);
    let now = Now::at_ms(0);
    let first = gate.arm(now, rule_of_class()).unwrap();
    let mut cleared = Cleared::default();
    assert!(!cleared.has(&gate, b"a"));
    cleared.add(first, b"a");
    cleared.add(first, b"b");
    assert!(cleared.has(&gate, b"a") && cleared.has(&gate, b"b") && cleared.has(&gate, b"b"));
    assert!(!cleared.has(&gate, b"c"));
    let class_matcher: Option<Matcher> = None;
    let second = gate.arm(now, NewRule { class_matcher, ..rule() }).unwrap();
    assert!(!cleared.has(&gate, b"a") && !cleared.has(&gate, b"b"));
    cleared.add(second, b"b");
    assert!(cleared.has(&gate, b"b") && !cleared.has(&gate, b"a"));
    assert!(gate.disarm(second) && cleared.has(&gate, b"b"), "fewer rules match no more");
    // It is bounded, in classes and in bytes.
    for class in 0..10_000_u32 {
        cleared.add(second, &class.to_be_bytes());
    }
    assert!(!cleared.has(&gate, b"b"));
    let long = [b'x'; 513];
    cleared.add(second, &long);
    assert!(!cleared.has(&gate, &long));
}

#[test]
fn a_frame_that_lets_the_store_fail_passes_at_once() {
    let gate = Gate::new(limits::Gate { hold_ms_max: 1_000, ..LIMITS }, true);
    let (tell, failing) = std::sync::mpsc::sync_channel(4);
    gate.fail_store_by(move |until, rule| tell.send((until, rule)).unwrap());
    for (ms, until_ms) in [(300, 307), (5_000, 1_007)] {
        let then = Then::FailStore { ms };
        let rule = gate.arm(Now::at_ms(0), NewRule { then, ..rule() }).unwrap();
        let taken = offer(&gate, Now::at_ms(7), &Frame::of(FrameType::Applied), b"x").unwrap();
        let Waits::Not(release) = taken.waits else { panic!("it does not wait") };
        assert_eq!((release, taken.notice.hold_ms), (Release::as_it_was(), None));
        assert_eq!(failing.try_recv(), Ok((Now::at_ms(until_ms).mono, rule)));
        assert!(gate.disarm(rule));
        assert_eq!(failing.try_recv(), Ok((Mono(0), rule)), "it ends with its rule");
    }
}

#[test]
fn the_store_writes_again_when_who_let_it_fail_goes_or_all_is_disarmed() {
    let gate = Gate::new(LIMITS, true);
    let (tell, failing) = std::sync::mpsc::sync_channel(4);
    gate.fail_store_by(move |until, rule| tell.send((until, rule)).unwrap());
    let console = Owner::Session(ConnectionId(3));
    let fail = |owner| {
        let then = Then::FailStore { ms: 300 };
        let new = NewRule { then, owner, frames_max: Some(1), ..rule() };
        let rule = gate.arm(Now::at_ms(0), new).unwrap();
        offer(&gate, Now::at_ms(7), &Frame::of(FrameType::Applied), b"x").unwrap();
        assert_eq!(failing.try_recv(), Ok((Now::at_ms(307).mono, rule)));
        rule
    };
    let first = fail(console);
    assert!(gate.disarm_of(|owner| owner == Owner::OwnConsole).is_empty());
    assert!(failing.try_recv().is_err(), "another one went");
    assert_eq!(gate.disarm_of(|owner| owner == console), [first]);
    assert_eq!(failing.try_recv(), Ok((Mono(0), first)));
    let second = fail(Owner::Nobody);
    assert_eq!(gate.disarm_all(), [second]);
    assert_eq!(failing.try_recv(), Ok((Mono(0), second)));
    assert!(gate.disarm_all().is_empty() && failing.try_recv().is_err(), "once");
    let third = fail(Owner::Nobody);
    assert!(gate.disarm(third), "it has taken all that it was to take, and the store fails still");
    assert_eq!(failing.try_recv(), Ok((Mono(0), third)));
    assert!(!gate.disarm(third));
    let fourth = fail(Owner::Nobody);
    assert_eq!(gate.expire(Now::at_ms(306).mono), Some(Now::at_ms(307).mono));
    assert_eq!(gate.expire(Now::at_ms(307).mono), None);
    assert!(!gate.disarm(fourth) && failing.try_recv().is_err(), "the store writes by itself");
}

/// What the store is told, where it keeps the refusal that ends last, as it does.
#[test]
fn the_store_fails_by_the_rules_that_are_left_however_many_let_it_fail() {
    let gate = Gate::new(LIMITS, true);
    let refused = Arc::new(std::sync::Mutex::new(None::<(Mono, u64)>));
    let store = Arc::clone(&refused);
    gate.fail_store_by(move |until, rule| {
        let mut held = store.lock().unwrap();
        let longer = held.filter(|(end, of)| *of != rule && *end >= until);
        *held = longer.or(Some((until, rule)));
    });
    let fail = |ms| {
        let new = NewRule { then: Then::FailStore { ms }, frames_max: Some(1), ..rule() };
        let rule = gate.arm(Now::at_ms(0), new).unwrap();
        offer(&gate, Now::at_ms(0), &Frame::of(FrameType::Applied), b"x").unwrap();
        rule
    };
    let is_by = |ms, rule| *refused.lock().unwrap() == Some((Now::at_ms(ms).mono, rule));
    let (long, short) = (fail(600), fail(100));
    assert!(is_by(600, long));
    assert!(gate.disarm(long) && is_by(100, short), "the shorter one goes on");
    assert!(gate.disarm(short) && is_by(0, short));
    let both = [fail(600), fail(100)];
    assert_eq!(gate.disarm_all(), both);
    assert_eq!(refused.lock().unwrap().unwrap().0, Mono(0));
    // Of more than there may be rules, the one that ends first ends at once.
    let (first, second, third) = (fail(100), fail(200), fail(300));
    assert!(is_by(300, third) && !gate.disarm(first));
    assert!(gate.disarm(third) && is_by(200, second));
}

#[test]
fn a_rule_that_does_not_draw_a_frame_or_has_no_room_leaves_it_to_the_next() {
    let gate = Gate::new(limits::Gate { rules_max: 3, ..LIMITS }, true);
    let now = Now::at_ms(0);
    gate.arm(now, NewRule { then: Then::Drop, per_mille: 0, ..rule() }).unwrap();
    let intercepts = gate.arm(now, rule()).unwrap();
    let drops = gate.arm(now, NewRule { then: Then::Drop, ..rule() }).unwrap();
    let applied = Frame::of(FrameType::Applied);
    let by = |bytes: &[u8]| offer(&gate, now, &applied, bytes).map(|taken| (taken.notice.rule, taken.waits));
    let (first, _held) = by(&[b'x'; 90]).unwrap();
    assert_eq!(first, intercepts);
    let (second, _) = by(&[b'x'; 90]).unwrap();
    assert_eq!((second, gate.rules(now)[1].passed_full), (drops, 1));
}
