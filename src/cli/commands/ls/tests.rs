use super::*;
use crate::{
    cli::{operator::tests::Scripted, output::tests::Printed},
    ids::{InvocationId, RefundId, SessionId, TraceId},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    port::{AdapterRow, EventRow, HealthRow, InvocationRow, QueueRow, RefundRow, StateKeyRow},
    schema::JsonText,
    store::invocations::Source,
    time::{Now, Wall},
};

const NOW: Wall = Wall(1_790_000_000_000);

fn source() -> Source {
    Source { kind: "bits".to_owned(), redemption: Some("r1".to_owned()), user: Some("bob".to_owned()) }
}

fn invocation(id: u64) -> InvocationRow {
    InvocationRow {
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
    operator::block_on(list(&station, listing, None, &clock, Now::at_ms(0), &mut printed.output(true)))
        .unwrap();
    (printed.text(), station.queries.into_inner().unwrap())
}

fn whole(query: Query, page: Page) -> String {
    printed(&Listing::Whole { query, filter: None, limit: None }, [page]).0
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
    let Page::Peers(rows) = without(Page::Peers(vec![peer(1), peer(2)]), Some(ConnectionId(2))) else {
        unreachable!()
    };
    assert_eq!(rows.iter().map(|row| row.session.0).collect::<Vec<_>>(), [1]);
}

#[test]
fn topics_that_are_not_listed_are_said_to_be_there() {
    let mut snapshot = crate::rmp::Snapshot::default();
    snapshot.topics.insert("a/b".into(), crate::rmp::TopicView::default());
    snapshot.totals.topics = 5_008;
    let rows = crate::port::topic_rows(&snapshot);
    assert_eq!(
        (left_out(&rows), left_out(&[])),
        (Some("1 of 5008 topics are shown: of the others nothing is known any more (limits.rmp.shown_topics_max)".to_owned()), None)
    );
    assert!(whole(Query::Topics, Page::Topics(rows)).ends_with(",\"left_out\":5007}\n"));
    snapshot.totals.topics = 1;
    let rows = crate::port::topic_rows(&snapshot);
    assert_eq!(left_out(&rows), None);
    assert!(!whole(Query::Topics, Page::Topics(rows)).contains("left_out"));
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
        whole(Query::Queues, Page::Queues(vec![queue])),
        "{\"queue\":\"boss\",\"ready_after\":\"done\",\"pending\":3,\"other_manifest\":1,\"in_flight\":null,\"parked\":true,\"held\":false,\"draining\":true}\n"
    );
    let event = EventRow {
        event: "heal_party".into(),
        queue: "default".into(),
        title: Some("Heal the party".to_owned()),
        schema: Some(JsonText::parse(r#"{"type":"object"}"#).unwrap()),
    };
    assert_eq!(
        whole(Query::Events, Page::Events(vec![event])),
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
    assert_eq!(whole(Query::State, Page::State(vec![state.clone()])), format!("{first}}}\n"));
    (state.writer, state.at_ms) = (Some(Writer::Adapter), Some(NOW));
    state.written_by = Some(WrittenBy::Adapter { peer: "127.0.0.1:5".into(), session_id: SessionId(42) });
    let written = r#""writer":"adapter","written_by":{"adapter":{"peer":"127.0.0.1:5","session_id":42}},"at_ms":1790000000000"#;
    assert_eq!(whole(Query::State, Page::State(vec![state])), format!("{first},{written}}}\n"));
    let adapter = AdapterRow {
        peer: "127.0.0.1:5".into(),
        connected_at_ms: NOW,
        pack_id: "com.example.a".into(),
        last_in_ms: NOW,
    };
    assert_eq!(
        whole(Query::Adapters, Page::Adapters(vec![adapter])),
        "{\"peer\":\"127.0.0.1:5\",\"connected_at_ms\":1790000000000,\"pack_id\":\"com.example.a\",\"last_in_ms\":1790000000000}\n"
    );
    let health = HealthRow { part: "mpp".to_owned(), well: false, detail: "down".to_owned() };
    assert_eq!(
        whole(Query::Health, Page::Health(vec![health])),
        "{\"part\":\"mpp\",\"well\":false,\"detail\":\"down\"}\n"
    );
}

#[test]
fn an_invocation_and_a_refund_carry_their_source() {
    let listing =
        Listing::Invocations { state: None, queue: None, other_manifest: false, filter: None, limit: 1 };
    let (text, _) =
        printed(&listing, [Page::Invocations { rows: vec![invocation(9)], more: true, beyond: None }]);
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
        id: RefundId(2),
        invocation_id: InvocationId(9),
        source: source(),
        status: RefundStatus::Skipped,
        at_ms: NOW,
    };
    let (text, _) = printed(
        &Listing::Refunds { status: None, filter: None, limit: 100 },
        [Page::Refunds { rows: vec![refund], more: false, beyond: None }],
    );
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
    let listing = Listing::Invocations {
        state: Some(RowState::Applied),
        queue: None,
        other_manifest: false,
        filter: None,
        limit: 1_500,
    };
    let (text, queries) = printed(&listing, [page(1_001..2_001, true), page(1..1_001, true)]);
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
    let everything = Listing::Invocations {
        state: None,
        queue: None,
        other_manifest: false,
        filter: None,
        limit: u64::MAX,
    };
    let (text, queries) = printed(&everything, [page(3..5, true), page(1..3, false)]);
    assert_eq!((text.lines().count(), queries.len()), (4, 2));
    assert_eq!(
        printed(
            &Listing::Invocations { state: None, queue: None, other_manifest: false, filter: None, limit: 0 },
            []
        )
        .1,
        []
    );
}

#[test]
fn people_get_a_table() {
    let station =
        Scripted::pages([Page::Invocations { rows: vec![invocation(9)], more: false, beyond: None }]);
    let printed = Printed::default();
    let listing =
        Listing::Invocations { state: None, queue: None, other_manifest: false, filter: None, limit: 100 };
    operator::block_on(list(
        &station,
        &listing,
        None,
        &LocalClock::new(NOW),
        Now::at_ms(0),
        &mut printed.output(false),
    ))
    .unwrap();
    let text = printed.text();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("id  queue    event      state    source"));
    assert!(lines.next().unwrap().starts_with(" 9  default  give_item  applied  bits bob"));
}

#[test]
fn what_narrows_must_fit_what_is_listed() {
    let args = |what, state: Option<&str>| LsArgs { state: state.map(str::to_owned), ..LsArgs::of(what) };
    assert!(Listing::of(&args(LsWhat::Queues, Some("pending")), Now::at_ms(0)).is_err());
    assert!(Listing::of(&args(LsWhat::Invocations, Some("manual")), Now::at_ms(0)).is_err());
    assert_eq!(
        Listing::of(&args(LsWhat::Refunds, Some("manual")), Now::at_ms(0)).unwrap(),
        Listing::Refunds { status: Some(RefundStatus::Manual), filter: None, limit: 100 }
    );
    assert_eq!(
        Listing::of(&args(LsWhat::Invocations, None), Now::at_ms(0)).unwrap(),
        Listing::Invocations { state: None, queue: None, other_manifest: false, filter: None, limit: 100 }
    );
}

/// Invocations that a filter lets through, newest first.
fn filtered(text: &str, limit: u64) -> Listing {
    let filter = filter::read(text, LsWhat::Invocations, Now::at_ms(0)).unwrap();
    Listing::Invocations { state: None, queue: None, other_manifest: false, filter: Some(filter), limit }
}

#[test]
fn a_filter_goes_with_the_question_and_pages_go_on_where_the_station_stopped() {
    let page = |ids: &[u64], more, beyond| Page::Invocations {
        rows: ids.iter().copied().map(invocation).collect(),
        more,
        beyond: Some(InvocationId(beyond)),
    };
    // The second page has no row at all, but says how far the station looked.
    let (text, queries) = printed(
        &filtered("user:bob id!=7", 100),
        [page(&[9], true, 8), page(&[], true, 5), page(&[2], false, 1)],
    );
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
    let stuck = printed(&filtered("id>0", 100), [page(&[], true, 8), page(&[], true, 8)]);
    assert_eq!(stuck.1.len(), 2);
}

#[test]
fn what_a_station_that_knows_no_filters_gives_is_filtered_here() {
    let old = Page::Invocations {
        rows: vec![invocation(9), invocation(8), invocation(7)],
        more: false,
        beyond: None,
    };
    let (text, _) = printed(&filtered("not id:8", 100), [old]);
    assert_eq!(
        text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>(),
        ["{\"id\":9", "{\"id\":7"]
    );
}

#[test]
fn a_list_that_comes_whole_is_filtered_before_it_is_cut() {
    let row = |part: &str, well| HealthRow { part: part.to_owned(), well, detail: String::new() };
    let filter = Some(filter::read("well:no", LsWhat::Health, Now::at_ms(0)).unwrap());
    let listing = Listing::Whole { query: Query::Health, filter, limit: Some(1) };
    let (text, _) =
        printed(&listing, [Page::Health(vec![row("mpp", true), row("store", false), row("tap", false)])]);
    assert_eq!(text, "{\"part\":\"store\",\"well\":false,\"detail\":\"\"}\n");
}

#[test]
fn a_filter_is_of_the_fields_of_what_is_listed() {
    let args = |what| LsArgs { filter: Some("pending>2".to_owned()), ..LsArgs::of(what) };
    assert!(Listing::of(&args(LsWhat::Queues), Now::at_ms(0)).is_ok());
    let Err(Error::Filter(error)) = Listing::of(&args(LsWhat::Invocations), Now::at_ms(0)) else {
        panic!("it has no such field")
    };
    assert_eq!(error.fault.at, 0..7);
}
