//! Rows that cannot be read as they were written.

use super::kit::{Kit, ask, moved, open, rows};
use crate::{
    ids::InvocationId,
    store::{
        InvocationFilter, RefundFilter,
        invocations::Changed,
        macp::SessionFilter,
        op::{Done, Op},
        runs::RunFilter,
    },
    tap::entry::mpp::RowState,
    time::Wall,
};

fn harm(kit: &Kit, statement: &'static str) {
    kit.handle.touch(move |conn| {
        conn.execute_batch(statement).unwrap();
    });
}

fn cancel(kit: &Kit, id: u64) -> Changed {
    let op = Op::Change {
        ids: vec![InvocationId(id)],
        from: RowState::Pending,
        to: RowState::Failed,
        reason: Some("cancelled".to_owned()),
        refund: true,
        at: Wall(9),
    };
    match kit.commit(op).unwrap() {
        Done::Changed(mut changed) => changed.remove(0),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_damaged_row_is_read_as_such_among_others_and_can_be_cancelled() {
    for (column, harmed) in [
        ("params", "UPDATE invocations SET params = 'no JSON' WHERE id = 2"),
        ("trace", "UPDATE invocations SET trace = x'00ff' WHERE id = 2"),
        ("source_kind", "UPDATE invocations SET source_kind = CAST(x'ff41' AS TEXT) WHERE id = 2"),
        ("user", "UPDATE invocations SET user = CAST(x'41ff' AS TEXT) WHERE id = 2"),
        ("event", "UPDATE invocations SET event = CAST(x'ff' AS TEXT) WHERE id = 2"),
        ("enqueued_at_ms", "UPDATE invocations SET enqueued_at_ms = -1 WHERE id = 2"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kit = open(folder.path());
        kit.enqueue(rows(1..=3));
        harm(&kit, harmed);
        let fetched = kit.fetch(0, 64, true).rows;
        let damaged: Vec<_> = fetched.iter().map(|row| (row.id.0, row.damage.is_some())).collect();
        assert_eq!(damaged, [(1, false), (2, true), (3, false)], "{column}");
        let all = kit.all();
        let damage = all[1].damage.clone().unwrap_or_default();
        assert!(damage.starts_with(&format!("{column} is unreadable: ")), "{column}: {damage}");
        assert!(all[0].damage.is_none() && all[2].damage.is_none(), "{column}");
        assert!(matches!(cancel(&kit, 2), Changed::Changed { refund: Some(_), .. }), "{column}");
        assert_eq!(kit.states()[1], (2, RowState::Failed), "{column}");
        let refunds =
            ask(|done| kit.handle.refunds(RefundFilter { limit: 9, ..RefundFilter::default() }, done));
        assert_eq!(refunds.unwrap().rows.len(), 1, "{column}");
    }
}

#[test]
fn a_row_without_a_known_state_or_manifest_is_shown_and_the_next_start_fails_it() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.enqueue(rows(1..=8));
    harm(
        &kit,
        "UPDATE invocations SET state = 'aaa' WHERE id = 1; UPDATE invocations SET state = 'e' WHERE id = 2;
         UPDATE invocations SET state = 'zzz', reason = 'mine' WHERE id = 3; UPDATE invocations SET state = '' WHERE id = 4;
         UPDATE invocations SET state = 'donee' WHERE id = 5; UPDATE invocations SET manifest = 77 WHERE id = 6",
    );
    let damaged: Vec<_> = kit.all().into_iter().map(|row| row.damage.is_some()).collect();
    assert_eq!(damaged, [true, true, true, true, true, true, false, false]);
    assert!(matches!(cancel(&kit, 6), Changed::Changed { .. }));
    let kit = kit.kill_and_reopen(folder.path());
    let failed = RowState::Failed;
    let pending = RowState::Pending;
    let states: Vec<_> = kit.states().into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, [failed, failed, failed, failed, failed, failed, pending, pending]);
    let filter = InvocationFilter { state: Some(failed), limit: 9, ..InvocationFilter::default() };
    let reasons: Vec<_> = kit.rows(filter).into_iter().rev().map(|row| row.reason.unwrap()).collect();
    let lost = "damaged: its state could not be read";
    assert_eq!(reasons, [lost, lost, "mine", lost, lost, "cancelled"]);
}

#[test]
fn what_a_start_cannot_read_of_a_pack_is_left_out_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut kit = open(folder.path());
    kit.enqueue(rows(1..=2));
    kit.journalled(moved(1, RowState::Applied));
    kit.flush();
    harm(
        &kit,
        "INSERT INTO state_values VALUES ('dev.test', 'bad', 'no JSON', NULL, 1), ('dev.test', 'good', '1', NULL, 1);
         INSERT INTO brakes VALUES (CAST(x'ff' AS TEXT), 7, 0);
         UPDATE invocations SET result = 'no JSON' WHERE id = 1",
    );
    let kit = kit.kill_and_reopen(folder.path());
    let restored = &kit.opened.restored;
    assert_eq!(restored.state.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["good"]);
    assert!(restored.left_applied[0].damage.is_some() && restored.brakes.len() == 1);
    let [brake, state] = &kit.opened.notices[..] else { unreachable!("{:?}", kit.opened.notices) };
    assert!(brake.contains("the stored brake of queue") && brake.contains("queue is unreadable"), "{brake}");
    assert!(state.contains("damaged state value `bad`"), "{state}");
}

#[test]
fn damaged_refunds_runs_and_sessions_do_not_stop_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    harm(
        &kit,
        "INSERT INTO refunds VALUES (1, -4, 'bits', NULL, NULL, 'what', 1), (2, 4, 'bits', NULL, NULL, 'manual', 1);
         INSERT INTO runs (number, run, opening, name, by_kind, client, state, nodes, tokens, events, artifacts, submitted_at_ms, yaml, plan)
         VALUES (1, x'01', x'02', 'a', 'who', 'c', 'where', 1, 1, 1, 1, 1, '', 'no JSON'),
                (2, zeroblob(16), zeroblob(16), 'b', 'agent', 'c', 'running', -1, 1, 1, 1, 1, '', '{}');
         INSERT INTO run_events VALUES (2, 1, 'what', 'loud', 'm', 'no JSON', -1), (2, 2, 'log', NULL, 'm', '{}', 1);
         INSERT INTO run_artifacts VALUES (2, 1, 'n', 'p', 'k', -9, x'c0', -1), (2, 2, 'n', 'p', 'k', 5, x'c0', 1);
         INSERT INTO control_answers VALUES (1, x'00', 'Submit', x'c0', 1), (2, zeroblob(16), 'Submit', x'c0', 1);
         INSERT INTO macp_sessions (number, id, mode, mode_name, ending, sender, intent, participants, messages, started_at_ms,
            expires_at_ms, mode_version, configuration_version, policy_version, trace, gone)
         VALUES (1, 's', 'what', 'm', 'how', 'a', 'i', -1, 1, 1, 1, '1', '1', '1', x'00', 1),
                (2, 't', 'macp.mode.decision.v1', 'm', NULL, 'a', 'i', 1, 1, 1, 1, '1', '1', '1', NULL, 0)",
    );
    let refunds = ask(|done| {
        kit.handle.refunds(RefundFilter { limit: 9, oldest_first: true, ..RefundFilter::default() }, done)
    });
    let refunds: Vec<_> = refunds.unwrap().rows.into_iter().map(|refund| refund.damage.is_some()).collect();
    assert_eq!(refunds, [true, false]);
    let runs =
        ask(|done| kit.handle.runs(RunFilter { limit: 9, oldest_first: true, ..RunFilter::default() }, done));
    let runs: Vec<_> = runs.unwrap().rows.into_iter().map(|run| run.why.unwrap_or_default()).collect();
    assert!(runs[0].starts_with("damaged: run ") && runs[1].starts_with("damaged: nodes "), "{runs:?}");
    let run = crate::ids::TraceId(uuid::Uuid::nil());
    let events = ask(|done| kit.handle.run_events(run, 0, 9, done)).unwrap().rows;
    assert!(events[0].message.starts_with("damaged: level ") && events[1].message == "m", "{events:?}");
    assert_eq!(ask(|done| kit.handle.run_artifacts(run, 0, 9, done)).unwrap().rows.len(), 2);
    let restored = ask(|done| kit.handle.restored_runs(9, 1 << 20, 9, done)).unwrap();
    assert_eq!((restored.open.len(), restored.answers.len()), (2, 1));
    let sessions = ask(|done| {
        kit.handle.sessions(SessionFilter { limit: 9, oldest_first: true, ..SessionFilter::default() }, done)
    });
    let sessions: Vec<_> = sessions.unwrap().rows.into_iter().map(|row| row.why).collect();
    assert!(sessions[0].as_ref().is_some_and(|why| why.starts_with("damaged: mode ")), "{sessions:?}");
    assert_eq!(sessions[1], None);
    assert!(ask(|done| kit.handle.restored_macp(|_| true, done)).is_ok());
}
