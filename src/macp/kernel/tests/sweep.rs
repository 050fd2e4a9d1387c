//! Sessions that the sweep expires are told of on the wire as without it.

use super::{
    closing::{endings, with_ttl},
    test_kernel::{TestKernel, accepted, acked, envelope, start},
};
use crate::{
    ids::Ticket,
    limits,
    macp::{
        Code, Ending, SessionState,
        kernel::{Acked, Answer, Input, Kernel, Lookup},
        proto::v1::Envelope,
    },
    time::Now,
};

#[test]
fn the_sweep_ends_what_is_over_and_nothing_on_the_wire_tells_of_it() {
    let drive = |sweeps: bool| {
        let mut fixture = TestKernel::new();
        let mut told = Vec::new();
        accepted(&fixture.send(&start("s", "m1", &with_ttl(100))));
        accepted(&fixture.send(&start("t", "m1", &with_ttl(500))));
        for ms in [100, 101, 102, 499] {
            fixture.ms = ms;
            if sweeps {
                fixture.input(Input::Timeout);
            }
            told.push(fixture.send_text("s", "Unheard", "m1", "a", ""));
            told.push(fixture.send(&start("s", "m1", &with_ttl(0))));
            told.push(fixture.send(&start("s", "m9", &with_ttl(0))));
            if ms > 101 {
                told.push(fixture.send_text("s", "Unheard", "m2", "a", ""));
            }
            told.push(fixture.send_text("t", "Unheard", &format!("x{ms}"), "a", ""));
        }
        told.push(fixture.cancel("s", ""));
        (told.iter().map(ack_summary).collect::<Vec<_>>(), endings(&fixture))
    };
    assert_eq!(drive(true), drive(false));
}

/// What the wire tells of an acknowledgement.
fn ack_summary(ack: &Acked) -> (Option<Code>, bool, Option<SessionState>, u64) {
    (ack.error.as_ref().map(|(fault, _)| fault.code()), ack.is_duplicate, ack.state, ack.at_ms)
}

/// Where a session is when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    InMemory,
    InTheStore,
    AfterRestart,
    InTheStoreAfterRestart,
}

/// What is told of a session whose TTL is over: of a duplicate, of a start of its id, of what notices, and of
/// the first two again.
fn told_of_expired(
    sweeps: bool,
    asked: Asked,
    notice: &str,
) -> Vec<(Option<Code>, bool, Option<SessionState>, u64)> {
    let mut fixture = TestKernel::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    accepted(&fixture.send(&start("s", "m1", &with_ttl(100))));
    fixture.ms = 101;
    if sweeps {
        fixture.input(Input::Timeout);
    }
    fixture.durable();
    let restart = |fixture: &mut TestKernel| {
        let replayed = fixture.replayed();
        let (log, ms) = (std::mem::take(&mut fixture.log), fixture.ms);
        *fixture = TestKernel { kernel: replayed, log, ms, ..TestKernel::with(limits::Macp::default()) };
        while fixture.kernel.poll_output().is_some() {}
    };
    if asked == Asked::AfterRestart {
        restart(&mut fixture);
    }
    let mut moved = None;
    if sweeps && matches!(asked, Asked::InTheStore | Asked::InTheStoreAfterRestart) {
        let row = fixture.evict().remove(0);
        if asked == Asked::InTheStoreAfterRestart {
            let state = if row.row.is_unnoticed { SessionState::Open } else { row.row.state() };
            fixture = TestKernel { ms: fixture.ms, ..TestKernel::new() };
            fixture.kernel.add_evicted("s", row.row.number, state);
        }
        moved = Some(row);
    }
    let mut told = Vec::new();
    let mut ask = |fixture: &mut TestKernel, message: &Envelope| {
        let kept = moved.as_ref().map(|it| it.stored_session(&message.message_id));
        let lookup = kept.as_ref().map_or(Lookup::NotAsked, |kept| Lookup::Found(Some(kept)));
        told.push(ack_summary(&acked(fixture.receive_with(message, lookup))));
    };
    let twice = [envelope("s", "Unheard", "m1", "a", ""), start("s", "m9", &with_ttl(0))];
    for round in 0..2 {
        for message in &twice {
            ask(&mut fixture, message);
        }
        if round == 0 && notice == "message" {
            ask(&mut fixture, &envelope("s", "Unheard", "m2", "a", ""));
        } else if round == 0 {
            let kept = moved.as_ref().map(|it| it.stored_session(""));
            let lookup = kept.as_ref().map_or(Lookup::NotAsked, |kept| Lookup::Found(Some(kept)));
            let input = if notice == "cancel" {
                Input::Cancel { session: "s", reason: "", by: "", lookup }
            } else {
                Input::Look { session: "s", lookup }
            };
            match fixture.input(input).unwrap().unwrap() {
                Answer::Session { metadata, .. } => {
                    assert_eq!(metadata.state, SessionState::Expired, "{asked:?}");
                }
                answer => assert_eq!(acked(answer).state, Some(SessionState::Expired), "{asked:?}"),
            }
        }
        if round == 0 && asked == Asked::AfterRestart {
            restart(&mut fixture);
        }
    }
    told
}

#[test]
fn a_session_that_the_sweep_expired_is_told_of_as_without_it_wherever_it_is() {
    for notice in ["message", "cancel", "look"] {
        let lazy = told_of_expired(false, Asked::InMemory, notice);
        assert_eq!(lazy[0].2, Some(SessionState::Open), "nobody was told before");
        assert_eq!(lazy.last().unwrap().2, Some(SessionState::Expired));
        for asked in [Asked::InMemory, Asked::InTheStore, Asked::AfterRestart, Asked::InTheStoreAfterRestart]
        {
            assert_eq!(told_of_expired(true, asked, notice), lazy, "{asked:?}, {notice}");
        }
        assert_eq!(told_of_expired(false, Asked::AfterRestart, notice), lazy, "{notice}");
    }
}

#[test]
fn that_somebody_was_told_of_an_end_is_durable_before_it_is_told() {
    let mut fixture = TestKernel::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    accepted(&fixture.send(&start("s", "m1", &with_ttl(100))));
    fixture.ms = 101;
    fixture.input(Input::Timeout);
    fixture.durable();
    let moved = fixture.evict().remove(0);
    let before = fixture.kernel.last_ticket();
    let late = |fixture: &mut TestKernel, id: &str| {
        let kept = moved.stored_session(id);
        acked(fixture.receive_with(&envelope("s", "Unheard", id, "a", ""), Lookup::Found(Some(&kept))))
    };
    let first = late(&mut fixture, "m2");
    assert!(first.after > before && first.after == fixture.kernel.last_ticket());
    assert_eq!(
        (late(&mut fixture, "m3").after, late(&mut fixture, "m1").after),
        (first.after, first.after),
        "what is told later hangs on it"
    );
    // So does what is refused before the store is asked; a signal tells nothing of it.
    let refused =
        fixture.send(&Envelope { macp_version: "v1".to_owned(), ..envelope("s", "Unheard", "m4", "a", "") });
    assert_eq!((refused.state, refused.after), (Some(SessionState::Expired), first.after));
    assert_eq!(fixture.send_text("s", "Signal", "m5", "a", "").after, Ticket(0));
    assert_eq!((fixture.kernel.take_noticed(), fixture.log.len()), (vec![moved.row.number], 3));
    // After a crash before the row is written, the log says so.
    let mut again = Kernel::new(Now::at_ms(0), limits::Macp::default());
    again.add_evicted("s", moved.row.number, SessionState::Open);
    for (number, record) in &fixture.log {
        again.replay(*number, record).unwrap();
    }
    assert_eq!((again.take_noticed(), again.in_memory()), (vec![moved.row.number], 0));
}

#[test]
fn the_sweep_is_due_just_behind_each_expiry() {
    let mut fixture = TestKernel::new();
    assert_eq!(fixture.kernel.timeout(), None);
    accepted(&fixture.send(&start("late", "m", &with_ttl(200))));
    accepted(&fixture.send(&start("soon", "m", &with_ttl(100))));
    assert_eq!(fixture.kernel.timeout(), Some(Now::at_ms(101).mono));
    fixture.ms = 100;
    fixture.input(Input::Timeout);
    assert_eq!(fixture.kernel.open(), 2);
    fixture.ms = 101;
    fixture.input(Input::Timeout);
    assert_eq!(fixture.kernel.open(), 1);
    let ended = endings(&fixture);
    assert_eq!(ended, [("soon".to_owned(), Ending::TtlExpired, String::new())]);
    assert_eq!(fixture.kernel.timeout(), Some(Now::at_ms(201).mono));
}

#[test]
fn a_wall_clock_that_was_set_is_gone_by_once_no_open_session_hangs_on_how_it_was() {
    const HOUR_MS: u64 = 3_600_000;
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m1", &with_ttl(500))));
    let before = fixture.unix_ms();
    fixture.wall_ahead_ms = HOUR_MS;
    fixture.ms = 400;
    let told = fixture.send(&start("t", "m1", &with_ttl(500)));
    assert_eq!(told.at_ms, before + 400, "nothing that is open expires for it");
    assert_eq!(fixture.state_of("s"), Ok(SessionState::Open));
    accepted(&fixture.cancel("s", ""));
    accepted(&fixture.cancel("t", ""));
    fixture.ms = 410;
    let told = fixture.send(&start("u", "m1", &with_ttl(500)));
    assert_eq!(told.at_ms, before + HOUR_MS + 410, "a session that begins goes by the clock as it is");
    fixture.ms = 905;
    assert_eq!(fixture.state_of("u"), Ok(SessionState::Open));
    fixture.ms = 911;
    assert_eq!(fixture.state_of("u"), Ok(SessionState::Expired));
    fixture.input(Input::Timeout);
    // Back again; those that ended are as old as before.
    fixture.wall_ahead_ms = 0;
    fixture.ms = 920;
    let told = fixture.send(&start("v", "m1", &with_ttl(500)));
    assert_eq!(told.at_ms, before + 920);
    fixture.ms = 920 + limits::Macp::default().closed_ms_max + 1;
    fixture.durable();
    assert_eq!(fixture.evict().len(), 3, "they leave memory in their time");
}

#[test]
fn less_than_a_second_is_no_jump() {
    let mut fixture = TestKernel::new();
    let before = fixture.unix_ms();
    fixture.wall_ahead_ms = 1_000;
    assert_eq!(fixture.send(&start("s", "m1", &with_ttl(500))).at_ms, before);
}
