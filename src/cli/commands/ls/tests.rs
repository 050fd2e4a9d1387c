use clap::Parser as _;

use super::*;
use crate::{
    cli::{
        args::{Cli, Command},
        operator::tests::Scripted,
        output::tests::Printed,
    },
    ids::{InvocationId, RefundId, SessionId, TraceId},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    port::{HealthStatus, Page},
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::{RefundStatus, RowState},
    time::Wall,
};

const NOW: Wall = Wall(1_790_000_000_000);

fn source() -> Source {
    Source { kind: "bits".to_owned(), redemption: Some("r1".to_owned()), user: Some("bob".to_owned()) }
}

fn invocation(id: u64) -> InvocationRow {
    InvocationRow {
        damage: None,
        refund: None,
        requeued_from: None,
        id: InvocationId(id),
        queue: "default".into(),
        event: "give_item".into(),
        state: RowState::Applied,
        params: JsonText::parse(r#"{"item_id":4}"#).unwrap(),
        result: None,
        reason: None,
        source: source(),
        trace_id: "0191d3c2-7a41-7f00-8000-00000000a41f".parse::<TraceId>().unwrap(),
        enqueued_at_ms: NOW,
        updated_at_ms: NOW,
        other_manifest: None,
    }
}

fn printed(listing: &Listing, pages: impl IntoIterator<Item = Page>) -> (String, Vec<Query>) {
    let station = Scripted::pages(pages);
    let printed = Printed::default();
    let clock = LocalClock::new(NOW);
    let mut out = printed.output(true);
    operator::block_on(listing.print(&station, None, Printer { clock: &clock, out: &mut out, table: None }))
        .unwrap();
    drop(out);
    (printed.text(), station.queries.into_inner().unwrap())
}

/// What a command line asks for behind `ls`.
fn parsed(line: &str) -> Result<LsArgs, clap::Error> {
    let cli = Cli::try_parse_from(["rl-console", "ls"].into_iter().chain(line.split(' ')))?;
    let Some(Command::Ls(args)) = cli.command else { panic!("{line}") };
    Ok(args)
}

fn listing(line: &str) -> Listing {
    Listing::of(&parsed(line).unwrap(), Now::at_ms(0)).unwrap()
}

fn whole(list: &str, page: Page) -> String {
    printed(&listing(list), [page]).0
}

#[test]
fn the_session_that_lists_is_not_listed() {
    use crate::{
        ids::{ConnectionId, Peer},
        port::{Dropped, PeerRow},
    };
    let peer = |session| PeerRow {
        session: ConnectionId(session),
        client: None,
        kind: None,
        dialect: None,
        peer: Peer::new("uid 1"),
        connected_at_ms: NOW,
        subscriptions: 0,
        published: 0,
        delivered: 0,
        queued_messages: 0,
        queued_bytes: 0,
        dropped: Dropped::default(),
        refused: 0,
    };
    let station = Scripted::pages([Page::Peers(vec![peer(1), peer(2)])]);
    let (clock, printed) = (LocalClock::new(NOW), Printed::default());
    let mut out = printed.output(true);
    let to = Printer { clock: &clock, out: &mut out, table: None };
    operator::block_on(listing("peers").print(&station, Some(ConnectionId(2)), to)).unwrap();
    drop(out);
    assert_eq!(printed.text().lines().count(), 1);
    assert!(printed.text().starts_with("{\"session\":1,"), "{}", printed.text());
}

#[test]
fn violations_say_since_when_they_are_counted() {
    let row = crate::port::ViolationRow {
        clause: "rmp-v0 §6".to_owned(),
        count: 3,
        last_at_ms: NOW,
        violation: "UnknownSchema".to_owned(),
        who: "writer (session 7)".to_owned(),
        session: Some(crate::ids::ConnectionId(7)),
        peer: crate::ids::Peer::new("uid 1"),
        frame: Some("publish".to_owned()),
        told: None,
        since_ms: NOW,
    };
    let clock = LocalClock::new(NOW);
    let note_of = |rows: &[crate::port::ViolationRow], of| TableRow::note(rows, &clock, of).unwrap();
    let note = |rows: &[crate::port::ViolationRow]| note_of(rows, CountedOf::Station);
    assert!(
        note(std::slice::from_ref(&row))
            .starts_with(&format!("violations since {}, within", clock.show(NOW)))
    );
    assert!(note(&[]).starts_with("no violations, within the tap's ring (limits.tap."));
    let of_recording = "in the recording, until the moment that is asked about";
    assert_eq!(note_of(&[], CountedOf::Recording), format!("no violations, {of_recording}"));
    let since = format!("violations since {}, {of_recording}", clock.show(NOW));
    assert_eq!(note_of(std::slice::from_ref(&row), CountedOf::Recording), since);
    let json: serde_json::Value =
        serde_json::from_str(&whole("violations", Page::Violations(vec![row]))).unwrap();
    let members: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let expected =
        ["clause", "count", "frame", "last_at_ms", "peer", "session", "since_ms", "told", "violation", "who"];
    let mut sorted = members.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
}

#[test]
fn topics_that_are_not_listed_are_said_to_be_there() {
    let clock = LocalClock::new(NOW);
    let mut snapshot = crate::rmp::Snapshot::default();
    snapshot.topics.insert("a/b".into(), crate::rmp::TopicView::default());
    snapshot.totals.topics = 5_008;
    let rows = crate::port::topic_rows(&snapshot);
    assert_eq!(
        (TopicRow::note(&rows, &clock, CountedOf::Station), TopicRow::note(&[], &clock, CountedOf::Station)),
        (
            Some(
                "showing 1 of 5008 topics; older ones were evicted (limits.rmp.shown_topics_max)".to_owned()
            ),
            None
        )
    );
    assert!(whole("topics", Page::Topics(rows)).ends_with(",\"left_out\":5007}\n"));
    snapshot.totals.topics = 1;
    let rows = crate::port::topic_rows(&snapshot);
    assert_eq!(TopicRow::note(&rows, &clock, CountedOf::Station), None);
    assert!(!whole("topics", Page::Topics(rows)).contains("left_out"));
}

#[test]
fn rows_have_the_promised_fields_in_the_promised_order() {
    let queue = QueueRow {
        queue: "boss".into(),
        ready_after: Some(ReadyAfter::Done),
        pending: 3,
        other_manifest: 1,
        in_flight: None,
        parked: true,
        held: false,
        draining: true,
        head_at_ms: None,
    };
    assert_eq!(
        whole("queues", Page::Queues(vec![queue])),
        "{\"queue\":\"boss\",\"ready_after\":\"done\",\"pending\":3,\"other_manifest\":1,\"in_flight\":null,\"parked\":true,\"held\":false,\"draining\":true}\n"
    );
    let event = EventRow {
        event: "heal_party".into(),
        queue: "default".into(),
        title: Some("Heal the party".to_owned()),
        schema: Some(JsonText::parse(r#"{"type":"object"}"#).unwrap()),
    };
    assert_eq!(
        whole("events", Page::Events(vec![event])),
        "{\"event\":\"heal_party\",\"queue\":\"default\",\"title\":\"Heal the party\",\"schema\":{\"type\":\"object\"}}\n"
    );
    let mut state = StateKeyRow {
        key: "resets".into(),
        value: JsonText::parse("3.0").unwrap(),
        scope: None,
        persist: true,
        writer: None,
        written_by: None,
        at_ms: None,
    };
    let first = r#"{"key":"resets","value":3.0,"scope":null,"persist":true"#;
    assert_eq!(whole("state", Page::State(vec![state.clone()])), format!("{first}}}\n"));
    (state.writer, state.at_ms) = (Some(Writer::Adapter), Some(NOW));
    state.written_by = Some(WrittenBy::Adapter { peer: "127.0.0.1:5".into(), session_id: SessionId(42) });
    let written = r#""writer":"adapter","written_by":{"adapter":{"peer":"127.0.0.1:5","session_id":42}},"at_ms":1790000000000"#;
    assert_eq!(whole("state", Page::State(vec![state])), format!("{first},{written}}}\n"));
    let adapter = AdapterRow {
        peer: "127.0.0.1:5".into(),
        connected_at_ms: NOW,
        pack_id: "com.example.a".into(),
        last_in_ms: NOW,
    };
    assert_eq!(
        whole("adapters", Page::Adapters(vec![adapter])),
        "{\"peer\":\"127.0.0.1:5\",\"connected_at_ms\":1790000000000,\"pack_id\":\"com.example.a\",\"last_in_ms\":1790000000000}\n"
    );
    let health = HealthRow {
        component: "mpp".to_owned(),
        status: HealthStatus::Degraded,
        figures: "2 queues".to_owned(),
        detail: "unpaired".to_owned(),
    };
    assert_eq!(
        whole("health", Page::Health(vec![health])),
        "{\"part\":\"mpp\",\"well\":true,\"detail\":\"unpaired\",\"status\":\"degraded\",\"figures\":\"2 queues\"}\n"
    );
}

#[test]
fn an_invocation_and_a_refund_carry_their_source() {
    let (text, _) = printed(
        &listing("invocations --limit 1"),
        [Page::Invocations { rows: vec![invocation(9)], more: true, beyond: None }],
    );
    assert_eq!(
        text,
        concat!(
            r#"{"id":9,"queue":"default","event":"give_item","state":"applied","params":{"item_id":4},"result":null,"reason":null,"#,
            r#""source":{"kind":"bits","redemption":"r1","user":"bob"},"trace_id":"trace:0191d3c2-7a41-7f00-8000-00000000a41f","#,
            r#""enqueued_at_ms":1790000000000,"updated_at_ms":1790000000000}"#,
            "\n"
        )
    );
    let refund = RefundRow {
        damage: None,
        id: RefundId(2),
        invocation_id: InvocationId(9),
        source: source(),
        status: RefundStatus::Skipped,
        at_ms: NOW,
    };
    let (text, _) =
        printed(&listing("refunds"), [Page::Refunds { rows: vec![refund], more: false, beyond: None }]);
    assert!(
        text.starts_with(r#"{"id":2,"invocation_id":9,"source":{"kind":"bits","redemption":"r1","user":"bob"},"status":"skipped""#),
        "{text}"
    );
}

#[test]
fn a_long_list_is_asked_for_in_pages_until_its_limit_or_its_end() {
    let page = |ids: std::ops::Range<u64>, more| Page::Invocations {
        rows: ids.rev().map(invocation).collect(),
        more,
        beyond: None,
    };
    let (text, queries) = printed(
        &listing("invocations --state applied --limit 1500"),
        [page(1_001..2_001, true), page(1..1_001, true)],
    );
    assert_eq!(text.lines().count(), 1_500);
    let asked = |beyond, limit| Query::Invocations {
        state: Some(RowState::Applied),
        queue: None,
        beyond,
        oldest_first: false,
        other_manifest: false,
        filter: None,
        limit,
    };
    assert_eq!(queries, [asked(None, 1_000), asked(Some(InvocationId(1_001)), 500)]);
    let (text, queries) =
        printed(&listing("invocations --limit 18446744073709551615"), [page(3..5, true), page(1..3, false)]);
    assert_eq!((text.lines().count(), queries.len()), (4, 2));
    assert_eq!(printed(&listing("invocations --limit 0"), []).1, []);
}

#[test]
fn people_get_a_table() {
    let station =
        Scripted::pages([Page::Invocations { rows: vec![invocation(9)], more: false, beyond: None }]);
    let printed = Printed::default();
    let (clock, mut out) = (LocalClock::new(NOW), printed.output(false));
    let to = Printer { clock: &clock, out: &mut out, table: None };
    operator::block_on(listing("invocations").print(&station, None, to)).unwrap();
    drop(out);
    let text = printed.text();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("id  queue    event      state    source"));
    assert!(lines.next().unwrap().starts_with(" 9  default  give_item  applied  bits bob"));
}

#[test]
fn what_narrows_must_fit_what_is_listed() {
    for line in [
        "queues --state pending",
        "--state pending queues",
        "invocations --state manual",
        "--state manual invocations",
        "refunds --queue boss",
        "runs --mode decision",
        "sessions --name poll",
        "invocations --since 1h",
        "refunds --other-manifest",
        "sessions --mode nothing",
    ] {
        let error = parsed(line).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{line}: {error}");
    }
    let narrowed = |line: &str| {
        let Listing { query, filter, limit, .. } = listing(line);
        (query, filter.as_ref().map(Filter::canonical), limit)
    };
    let refunds =
        |status| Query::Refunds { status, beyond: None, oldest_first: false, filter: None, limit: 0 };
    assert_eq!(narrowed("refunds --state manual"), (refunds(Some(RefundStatus::Manual)), None, None));
    assert_eq!(narrowed("invocations"), (Query::all(List::Invocations), None, None));
}

#[test]
fn flags_stand_before_the_list_or_behind_it() {
    for (before, behind) in [
        ("--state done invocations", "invocations --state done"),
        (
            "--queue boss --other-manifest invocations --limit 3",
            "invocations --limit 3 --other-manifest --queue boss",
        ),
        ("--limit 3 --filter pending>2 queues", "queues --filter pending>2 --limit 3"),
        (
            "--since 1h --mode multi_round sessions --state open",
            "sessions --state open --mode multi_round --since 1h",
        ),
        ("--json --name poll runs", "runs --name poll --json"),
    ] {
        assert_eq!(listing(before), listing(behind), "{before}");
    }
}

#[test]
fn a_state_that_is_shown_is_asked_for_as_it_is_stored_and_a_filter() {
    use crate::{
        macp::{Mode, SessionState},
        runs::RunState,
    };
    let asked = |line: &str| {
        let Listing { query, filter, .. } = listing(line);
        let filter = filter.as_ref().map(Filter::canonical);
        match query {
            Query::Runs { state, .. } => (state.map(RunState::name), filter),
            Query::Sessions { state, .. } => (state.map(SessionState::name), filter),
            other => panic!("{other:?}"),
        }
    };
    let only = |text: &str| Some(text.to_owned());
    assert_eq!(asked("runs --state asks"), (Some("running"), only("state:awaiting")));
    assert_eq!(asked("runs --state failed"), (Some("failed"), None));
    assert_eq!(asked("sessions --state cancelled").1, only("ending:cancelled"));
    assert_eq!(asked("runs --state running --filter nodes>2").1, only("nodes>2 state:running"));
    for name in ["decision", "macp.mode.decision.v1"] {
        assert!(
            matches!(
                listing(&format!("sessions --mode {name}")).query,
                Query::Sessions { mode: Some(Mode::Decision), .. }
            ),
            "{name}"
        );
    }
}

/// Invocations that a filter lets through, newest first.
fn filtered(text: &str) -> Listing {
    let filter = filter::read(text, List::Invocations, Now::at_ms(0)).unwrap();
    Listing { filter: Some(filter), ..listing("invocations") }
}

#[test]
fn a_filter_goes_with_the_question_and_pages_go_on_where_the_station_stopped() {
    let page = |ids: &[u64], more, beyond| Page::Invocations {
        rows: ids.iter().copied().map(invocation).collect(),
        more,
        beyond: Some(InvocationId(beyond)),
    };
    // The second page has no row at all, but says how far the station looked.
    let (text, queries) =
        printed(&filtered("user:bob id!=7"), [page(&[9], true, 8), page(&[], true, 5), page(&[2], false, 1)]);
    assert_eq!(text.lines().count(), 2);
    let asked = |query: &Query| match query {
        Query::Invocations { filter, beyond, .. } => (filter.clone().unwrap(), *beyond),
        other => panic!("{other:?}"),
    };
    let asked: Vec<_> = queries.iter().map(asked).collect();
    let filter = "user:bob id!=7".to_owned();
    assert_eq!(
        asked,
        [(filter.clone(), None), (filter.clone(), Some(InvocationId(8))), (filter, Some(InvocationId(5)))]
    );
    let stuck = printed(&filtered("id>0"), [page(&[], true, 8), page(&[], true, 8)]);
    assert_eq!(stuck.1.len(), 2);
}

#[test]
fn what_a_station_that_knows_no_filters_gives_is_filtered_here() {
    let old = Page::Invocations {
        rows: vec![invocation(9), invocation(8), invocation(7)],
        more: false,
        beyond: None,
    };
    let (text, _) = printed(&filtered("not id:8"), [old]);
    assert_eq!(
        text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>(),
        ["{\"id\":9", "{\"id\":7"]
    );
}

#[test]
fn a_list_that_comes_whole_is_filtered_before_it_is_cut() {
    let row = |component: &str, status| HealthRow {
        component: component.to_owned(),
        status,
        figures: String::new(),
        detail: String::new(),
    };
    let (ok, degraded) = (HealthStatus::Ok, HealthStatus::Degraded);
    let (text, _) = printed(
        &listing("health --filter status:degraded --limit 1"),
        [Page::Health(vec![row("mpp", ok), row("store", degraded), row("tap", degraded)])],
    );
    assert!(text.starts_with("{\"part\":\"store\",") && text.lines().count() == 1, "{text}");
}

#[test]
fn a_filter_is_of_the_fields_of_what_is_listed() {
    let args = |list: &str| parsed(&format!("{list} --filter pending>2")).unwrap();
    assert!(Listing::of(&args("queues"), Now::at_ms(0)).is_ok());
    let Err(Error::Filter(error)) = Listing::of(&args("invocations"), Now::at_ms(0)) else {
        panic!("it has no such field")
    };
    assert_eq!(error.fault.at, 0..7);
}

#[test]
fn people_see_what_is_open_first_and_scripts_what_is_newest() {
    use crate::cli::commands::short_ids::tests::row;
    let run = |number, ended| RunRow { ended_at_ms: ended, ..row(number, u128::from(number)) };
    let page = |rows, more| Page::Runs { rows, more, beyond: None };
    let listed = |line: &str, is_json, pages: Vec<Page>| {
        let (station, printed) = (Scripted::pages(pages), Printed::default());
        let (clock, mut out) = (LocalClock::new(NOW), printed.output(is_json));
        let to = Printer { clock: &clock, out: &mut out, table: None };
        operator::block_on(listing(line).print(&station, None, to)).unwrap();
        drop(out);
        let filters: Vec<_> = station
            .queries
            .into_inner()
            .unwrap()
            .into_iter()
            .map(|query| match query {
                Query::Runs { filter, limit, .. } => (filter.unwrap_or_default(), limit),
                other => panic!("{other:?}"),
            })
            .collect();
        (printed.text(), filters)
    };
    let open = RunRow { state: crate::runs::RunState::Running, ..run(3, None) };
    let two = vec![page(vec![open], false), page(vec![run(9, Some(NOW))], false)];
    let (text, asked) = listed("runs", false, two);
    let rows: Vec<_> = text.lines().skip(1).collect();
    assert!(
        rows[0].contains("003  poll     running    1970")
            && rows[1].contains("009  poll     succeeded  1970"),
        "{text}"
    );
    assert_eq!(asked[0].0, "not (state:succeeded or state:failed or state:cancelled)");
    assert_eq!(asked[1].0, "state:succeeded or state:failed or state:cancelled");
    let (_, asked) = listed(
        "runs --limit 1 --filter by:bob",
        false,
        vec![page(vec![run(3, None)], false), page(vec![run(9, Some(NOW))], false)],
    );
    assert!(asked[1].0.contains("by:bob"), "how many more there are is asked of both: {asked:?}");
    let (_, asked) = listed("runs", true, vec![page(vec![run(9, Some(NOW))], false)]);
    assert_eq!(asked, [(String::new(), 100)], "scripts get the newest first, as ever");
}
