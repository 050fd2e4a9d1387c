//! Answers that are read from the entries of a recording: they are what the states have, and the same from
//! whichever place the recording begins.

use std::{ops::Range, path::Path, sync::Arc, time::Duration};

use super::{
    state::ReplayState,
    test_recordings::{block_on, held, shipped},
    tests::info,
    *,
};
use crate::{
    ids::{InvocationId, Seq},
    limits::Limits,
    plugin::{self, LogSource},
    port::{
        InvocationRow, ListRow as _, LogKind, Operator as _, Page, PageRows, Paging, PluginLogRow, PortError,
        Query, RefundRow, ReplayPlace, RunEventRow, SessionLogRow, Snapshot, Speed,
    },
    recording::{RecordingSet, test_files::TestFile},
    schema::JsonText,
    tap::{
        entry::{
            Entry, Link, Transition, What,
            mpp::{self, RowState},
        },
        recorded::OwnedEntry,
    },
    time::Clock,
};

/// A night in which much happened.
struct Night {
    first: Snapshot,
    entries: Vec<OwnedEntry>,
    folder: tempfile::TempDir,
}

fn night() -> Night {
    let (_, first, entries) = shipped("bad.mcap");
    Night { first, entries, folder: tempfile::tempdir().unwrap() }
}

impl Night {
    /// A replay at the end of a recording that begins behind so many entries, and lacks some.
    fn from(&self, index: usize, lacks: Range<usize>) -> ReplayPort {
        self.on_screen(index, lacks).that_answers_all()
    }

    /// The same, as a screen has it.
    fn on_screen(&self, index: usize, lacks: Range<usize>) -> ReplayPort {
        let path = self.folder.path().join(format!("{index}.{}.{}.mcap", lacks.start, lacks.end));
        if !path.exists() {
            self.write(&path, index, lacks);
        }
        held(&path, ReplayPlace::End, Speed::ONE)
    }

    fn write(&self, path: &Path, index: usize, lacks: Range<usize>) {
        let mut file = TestFile::begin(path, &info(0, None), 16_384);
        let mut state = ReplayState::of(self.first.clone());
        for (at, entry) in self.entries.iter().enumerate() {
            if at == index || (!lacks.is_empty() && at == lacks.end) {
                let snapshot = state.snapshot();
                file.keyframe(snapshot.at, &snapshot.encode());
            }
            if at >= index && !lacks.contains(&at) {
                file.entry(entry.as_ref(), None);
            }
            state.take(entry.as_ref(), &Limits::default());
        }
        file.finish();
    }

    fn state(&self) -> Snapshot {
        let mut state = ReplayState::of(self.first.clone());
        for entry in &self.entries {
            state.take(entry.as_ref(), &Limits::default());
        }
        state.snapshot()
    }
}

fn asked(port: &ReplayPort, query: Query) -> Page {
    block_on(port.query(query)).unwrap()
}

fn invocations(port: &ReplayPort, paging: Paging) -> PageRows<InvocationRow> {
    InvocationRow::read(asked(port, Query::all(InvocationRow::LIST).page(paging))).unwrap()
}

fn all(port: &ReplayPort) -> Vec<InvocationRow> {
    invocations(port, Paging { beyond: None, oldest_first: true, filter: None, limit: 0 }).rows
}

fn events(port: &ReplayPort, run: crate::ids::TraceId, after: u64, limit: u64) -> (Vec<RunEventRow>, bool) {
    match asked(port, Query::RunEvents { run, after, limit }) {
        Page::RunEvents { rows, more } => (rows, more),
        page => panic!("{page:?}"),
    }
}

fn log(port: &ReplayPort, session: &str, after: u64, limit: u64) -> (Vec<SessionLogRow>, bool) {
    match asked(port, Query::SessionLog { session: session.to_owned(), after, limit }) {
        Page::SessionLog { rows, more } => (rows, more),
        page => panic!("{page:?}"),
    }
}

fn lines(port: &ReplayPort, plugin: &str, after: u64, limit: u64) -> (Vec<PluginLogRow>, bool) {
    match asked(port, Query::PluginLog { plugin: plugin.into(), after, limit }) {
        Page::PluginLog { rows, more } => (rows, more),
        page => panic!("{page:?}"),
    }
}

/// All rows, one page after the other.
fn paged<R>(mut page: impl FnMut(u64) -> (Vec<R>, bool), number: impl Fn(&R) -> u64) -> Vec<R> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let (rows, more) = page(after);
        after = rows.last().map_or(after, &number);
        all.extend(rows);
        if !more {
            return all;
        }
    }
}

#[test]
fn invocations_are_as_the_states_have_them_with_what_their_frames_and_commands_say() {
    let night = night();
    let port = night.from(0, 0..0);
    let (state, rows) = (night.state().mpp, all(&port));
    assert!(rows.len() > 10, "{}", rows.len());
    for ended in &state.recent {
        let row = rows.iter().find(|row| row.id == ended.id).unwrap();
        let reason = ended.reason.as_deref();
        assert_eq!((row.state, row.reason.as_deref()), (ended.state, reason), "{row:?}");
        assert_eq!((row.updated_at_ms, Some(row.trace_id)), (ended.at.wall, ended.trace), "{row:?}");
    }
    for (id, live) in &state.live {
        let row = rows.iter().find(|row| row.id == *id).unwrap();
        assert_eq!((row.state, row.updated_at_ms), (live.state, live.since.wall), "{row:?}");
    }
    for (name, queue) in &state.queues {
        let pending = rows.iter().filter(|row| row.queue == *name && row.state == RowState::Pending);
        assert_eq!(pending.count() as u64, queue.pending + queue.other_manifest, "{name}");
    }
    assert!(rows.iter().all(|row| row.params != JsonText::null()), "{rows:#?}");
    assert!(rows.iter().any(|row| row.result.is_some()) && rows.iter().any(|row| row.refund.is_some()));
    for row in &rows {
        let Page::Invocation(Some(one)) = asked(&port, Query::Invocation { id: row.id }) else { panic!() };
        assert_eq!(*one, *row);
    }
    let unknown = Query::Invocation { id: InvocationId(u64::MAX) };
    assert_eq!(asked(&port, unknown), Page::Invocation(None));
}

#[test]
fn invocations_come_in_pages_of_either_order_narrowed_and_filtered() {
    let night = night();
    let port = night.from(0, 0..0);
    let rows = all(&port);
    for oldest_first in [true, false] {
        let (mut found, mut beyond) = (Vec::new(), None);
        loop {
            let filter = (found.len() % 2 == 1).then(|| "id>=1".to_owned());
            let page = invocations(&port, Paging { beyond, oldest_first, filter, limit: 3 });
            found.extend(page.rows.iter().map(|row| row.id.0));
            beyond = page.beyond.or(page.rows.last().map(|row| row.id.0)).filter(|_| page.more);
            if beyond.is_none() {
                break;
            }
        }
        let mut expected: Vec<u64> = rows.iter().map(|row| row.id.0).collect();
        if !oldest_first {
            expected.reverse();
        }
        assert_eq!(found, expected);
    }
    let first = &rows[0];
    let narrowed = Query::Invocations {
        state: Some(first.state),
        queue: Some(first.queue.clone()),
        beyond: None,
        oldest_first: true,
        other_manifest: false,
        filter: Some(format!("event={}", first.event)),
        limit: 0,
    };
    let page = InvocationRow::read(asked(&port, narrowed.clone())).unwrap();
    let is_it = |row: &&InvocationRow| {
        (row.state, &row.queue, &row.event) == (first.state, &first.queue, &first.event)
    };
    assert!(page.rows.iter().eq(rows.iter().filter(is_it)) && !page.rows.is_empty());
    let mut other = narrowed;
    if let Query::Invocations { other_manifest, .. } = &mut other {
        *other_manifest = true;
    }
    assert_eq!(block_on(port.query(other)).unwrap_err().code(), "not_recorded");
}

#[test]
fn of_a_recording_that_began_later_a_row_has_what_its_states_have() {
    let night = night();
    let whole = all(&night.from(0, 0..0));
    let rows = all(&night.from(night.entries.len() / 2, 0..0));
    assert!(!rows.is_empty() && rows.len() <= whole.len());
    for row in rows {
        let of_whole = whole.iter().find(|it| it.id == row.id).unwrap();
        assert_eq!((row.state, row.updated_at_ms), (of_whole.state, of_whole.updated_at_ms));
        assert_eq!((&row.queue, row.trace_id), (&of_whole.queue, of_whole.trace_id));
        let is_known = |row: &InvocationRow| row.params != JsonText::null();
        assert!(!is_known(&row) || row.params == of_whole.params);
        assert!(row.source.kind.is_empty() || row.source == of_whole.source);
    }
}

#[test]
fn what_became_of_a_row_is_not_said_where_that_was_lost() {
    let night = night();
    let (whole, count) = (all(&night.from(0, 0..0)), night.entries.len());
    for lacks in [count / 4..count / 3, count / 2..count * 3 / 4, count / 3..count - 10] {
        for row in all(&night.from(0, lacks.clone())) {
            let of_whole = whole.iter().find(|it| it.id == row.id).unwrap();
            assert_eq!(row.state, of_whole.state, "{lacks:?}: {row:?}");
        }
    }
}

#[test]
fn the_events_of_a_run_are_those_it_reported_with_what_was_published() {
    let night = night();
    let port = night.from(0, 0..0);
    let state = night.state().runs;
    assert!(!state.runs.is_empty());
    for view in &state.runs {
        let (rows, more) = events(&port, view.run, 0, 0);
        assert!(!more && rows.iter().map(|row| row.number).eq(1..=view.events), "{rows:#?}");
        assert!(rows.iter().all(|row| row.meta.value()["ts_ms"] == row.at_ms.0), "{rows:#?}");
        assert!(rows.iter().any(|row| row.meta.value().get("state").is_some()));
        assert_eq!(paged(|after| events(&port, view.run, after, 2), |row| row.number), rows);
        let (later, _) = events(&night.from(night.entries.len() / 2, 0..0), view.run, 0, 0);
        let behind: Vec<_> = rows.iter().skip(rows.len() - later.len()).collect();
        assert!(
            later.iter().zip(behind).all(|(it, row)| (it.number, &it.message) == (row.number, &row.message))
        );
    }
    assert_eq!(events(&port, crate::ids::TraceId(uuid::Uuid::nil()), 0, 0), (Vec::new(), false));
}

#[test]
fn the_log_of_a_session_has_its_messages_and_its_end_by_their_numbers() {
    let night = night();
    let port = night.from(0, 0..0);
    let state = night.state().macp;
    assert!(state.sessions.values().any(|view| view.end.is_some()));
    for view in state.sessions.values() {
        let (rows, more) = log(&port, &view.session.id, 0, 0);
        let ends = u64::from(view.end.is_some());
        assert!(!more && rows.iter().map(|row| row.number).eq(1..=1 + view.messages + ends), "{rows:#?}");
        assert_eq!(rows[0].message_type.as_deref(), Some("SessionStart"));
        assert_eq!(rows[0].payload.value()["intent"], *view.intent);
        let messages = rows.iter().filter(|row| row.kind == LogKind::Incoming);
        assert!(messages.clone().all(|row| row.timestamp_ms.is_some() && row.payload != JsonText::null()));
        assert_eq!(messages.count() as u64, 1 + view.messages);
        assert_eq!(paged(|after| log(&port, &view.session.id, after, 2), |row| row.number), rows);
        for begins in [night.entries.len() / 3, night.entries.len() / 2] {
            let (later, _) = log(&night.from(begins, 0..0), &view.session.id, 0, 0);
            assert!(later.iter().eq(rows.iter().skip(rows.len() - later.len())), "{later:#?}");
        }
    }
    assert_eq!(log(&port, "none", 0, 0), (Vec::new(), false));
}

#[test]
fn messages_behind_a_loss_have_their_numbers_too() {
    let night = night();
    let whole = night.from(0, 0..0);
    let count = night.entries.len();
    let port = night.from(0, count / 3..count / 2);
    for view in night.state().macp.sessions.values() {
        let (of_whole, _) = log(&whole, &view.session.id, 0, 0);
        let (rows, _) = log(&port, &view.session.id, 0, 0);
        assert!(rows.iter().all(|row| of_whole.contains(row)), "{rows:#?}\n{of_whole:#?}");
    }
}

#[test]
fn lines_that_the_state_has_no_more_are_numbered_back_from_those_that_it_has() {
    let mut night = night();
    let (plugin, last) = (night.state().plugin.plugins.keys().next().unwrap().clone(), night.entries.len());
    let end = night.entries[last - 1].entry.clone();
    for number in 1..=500_u32 {
        let (seq, plugin) = (Seq(end.seq.0 + u64::from(number)), plugin.clone());
        let at = end.at.after(Duration::from_micros(10 * u64::from(number)));
        let logged =
            plugin::Transition::Logged { plugin, level: plugin::Level::Info, source: LogSource::Log };
        let what = What::Transition(Transition::Plugin(logged));
        let entry = Entry { seq, at, link: Link::Plugin, trace: None, cause: None, what };
        night.entries.push(OwnedEntry { entry, bytes: format!("line {number}").into_bytes() });
    }
    let before = night.state().plugin.plugins[&plugin].counts.log_lines - 500;
    for begins in [0, last, last + 100] {
        let port = night.from(begins, 0..0);
        let (rows, _) = lines(&port, plugin.as_str(), 0, 0);
        assert!(rows.len() >= night.entries.len() - begins.max(last) && rows.len() < 800);
        for row in rows.iter().filter(|row| row.number > before) {
            assert_eq!(row.text, format!("line {}", row.number - before), "from {begins}");
        }
        assert_eq!(paged(|after| lines(&port, plugin.as_str(), after, 70), |row| row.number), rows);
    }
}

#[test]
fn the_log_of_a_plugin_goes_on_before_the_lines_that_the_state_has() {
    let night = night();
    let port = night.from(0, 0..0);
    let state = night.state().plugin;
    assert!(state.plugins.values().any(|view| !view.log.is_empty()));
    for (plugin, view) in &state.plugins {
        let (rows, more) = lines(&port, plugin.as_str(), 0, 0);
        assert!(!more && rows.iter().map(|row| row.number).eq(1..=view.counts.log_lines), "{rows:#?}");
        for (row, line) in rows.iter().rev().zip(view.log.iter().rev()) {
            assert_eq!((row.number, &*row.text, row.at_ms), (line.number, &*line.text, line.at.wall));
        }
        assert_eq!(paged(|after| lines(&port, plugin.as_str(), after, 2), |row| row.number), rows);
    }
    assert_eq!(lines(&port, "none", 0, 0), (Vec::new(), false));
}

/// What is asked by screens and is read from all entries.
fn asked_by_screens() -> Vec<Query> {
    let run = crate::ids::TraceId(uuid::Uuid::nil());
    let paging = || Paging { beyond: None, oldest_first: false, filter: None, limit: 0 };
    vec![
        Query::all(InvocationRow::LIST).page(paging()),
        Query::all(RefundRow::LIST).page(paging()),
        Query::State,
        Query::Invocation { id: InvocationId(1) },
        Query::RunEvents { run, after: 0, limit: 0 },
        Query::SessionLog { session: "s-1".to_owned(), after: 0, limit: 0 },
        Query::PluginLog { plugin: "sim.plugin".into(), after: 0, limit: 0 },
    ]
}

#[test]
fn a_screen_is_answered_from_all_entries_while_the_replay_holds() {
    let night = night();
    let (on_screen, off_screen) = (night.on_screen(0, 0..0), night.from(0, 0..0));
    for query in asked_by_screens() {
        let answers = [&on_screen, &off_screen].map(|port| asked(port, query.clone()));
        assert_eq!(format!("{:?}", answers[0]), format!("{:?}", answers[1]));
    }
    // Which manifest a row is of is in no recording, asked for wherever.
    let of_stale = Query::Invocations {
        state: None,
        queue: None,
        beyond: None,
        oldest_first: false,
        other_manifest: true,
        filter: None,
        limit: 0,
    };
    for port in [on_screen, off_screen] {
        let refused = block_on(port.query(of_stale.clone())).unwrap_err();
        assert!(matches!(refused, PortError::NotRecorded { .. }), "{refused}");
    }
}

#[test]
fn while_it_plays_a_screen_is_told_to_hold_it_and_what_prints_the_list() {
    let night = night();
    let path = night.folder.path().join("plays.mcap");
    night.write(&path, 0, 0..0);
    let set = Arc::new(RecordingSet::open(&[path]).unwrap());
    let start = ReplayStart { place: ReplayPlace::Start, speed: Speed::ONE, is_held: false };
    let plays = ReplayPort::open(set, start, Clock::start(), Limits::default()).unwrap();
    for query in asked_by_screens() {
        let refused = block_on(plays.query(query)).unwrap_err();
        assert_eq!(refused.code(), "not_recorded");
        let hint = refused.hint();
        assert!(hint.starts_with("hold the replay") && hint.ends_with("` prints them"), "{refused}");
    }
}

#[test]
fn refunds_are_those_that_were_recorded_with_the_source_of_their_invocations() {
    let night = night();
    let port = night.from(0, 0..0);
    let refunds =
        |paging: Paging| RefundRow::read(asked(&port, Query::all(RefundRow::LIST).page(paging))).unwrap();
    let paging = |beyond, limit| Paging { beyond, oldest_first: false, filter: None, limit };
    let all_refunds = refunds(paging(None, 0)).rows;
    let recorded = night.entries.iter().rev().filter_map(|entry| match &entry.entry.what {
        What::Transition(Transition::Mpp(mpp::Transition::RefundRecorded { refund, id, status })) => {
            Some((*refund, *id, *status, entry.entry.at.wall))
        }
        _ => None,
    });
    let found = all_refunds.iter().map(|row| (row.id, row.invocation_id, row.status, row.at_ms));
    assert!(!all_refunds.is_empty() && found.eq(recorded), "{all_refunds:#?}");
    let invocations = all(&port);
    for refund in &all_refunds {
        let of = invocations.iter().find(|row| row.id == refund.invocation_id).unwrap();
        assert_eq!(refund.source, of.source);
    }
    assert!(all_refunds.iter().any(|row| !row.source.kind.is_empty()));
    let first = refunds(paging(None, 1));
    assert_eq!((&first.rows[..], first.more), (&all_refunds[..1], all_refunds.len() > 1));
    let last = all_refunds.last().unwrap();
    assert_eq!(refunds(paging(Some(last.id.0), 0)).rows, []);
    // At its beginning there are none yet.
    let set = Arc::new(RecordingSet::open(&[night.folder.path().join("0.0.0.mcap")]).unwrap());
    let start = ReplayStart { place: ReplayPlace::Start, speed: Speed::ONE, is_held: true };
    let begins = ReplayPort::open(set, start, Clock::start(), Limits::default()).unwrap();
    let none = asked(&begins, Query::all(RefundRow::LIST).page(paging(None, 0)));
    assert_eq!(RefundRow::read(none).unwrap().rows, []);
}

#[test]
fn the_packs_state_is_the_last_value_of_each_key_that_was_written() {
    let night = night();
    let Page::State(rows) = asked(&night.from(0, 0..0), Query::State) else { unreachable!() };
    let mut written = std::collections::BTreeMap::new();
    for entry in &night.entries {
        if let What::Transition(Transition::Mpp(mpp::Transition::StateWritten { key, persist })) =
            &entry.entry.what
        {
            let value = entry.as_ref().text().into_owned();
            written.insert(key.clone(), (value, *persist, Some(entry.entry.at.wall)));
        }
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|row| (row.key, (row.value.as_str().to_owned(), row.persist, row.at_ms)))
        .collect();
    assert_eq!(rows, written.into_iter().collect::<Vec<_>>());
    assert!(!rows.is_empty());
}
