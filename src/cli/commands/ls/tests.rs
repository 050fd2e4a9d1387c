use super::*;
use crate::{
    cli::{operator::tests::Scripted, output::tests::Printed},
    ids::{InvocationId, RefundId, SessionId, TraceId},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    port::{AdapterRow, EventRow, HealthRow, InvocationRow, QueueRow, RefundRow, StateKeyRow},
    schema::JsonText,
    store::invocations::Source,
    time::Wall,
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
    operator::block_on(list(&station, listing, &clock, &mut printed.output(true))).unwrap();
    (printed.text(), station.queries.into_inner().unwrap())
}

fn whole(query: Query, page: Page) -> String {
    printed(&Listing::Whole { query, limit: None }, [page]).0
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
    let adapter = AdapterRow { peer: "127.0.0.1:5".into(), connected_at_ms: NOW, pack_id: "com.example.a".into(), last_in_ms: NOW };
    assert_eq!(
        whole(Query::Adapters, Page::Adapters(vec![adapter])),
        "{\"peer\":\"127.0.0.1:5\",\"connected_at_ms\":1790000000000,\"pack_id\":\"com.example.a\",\"last_in_ms\":1790000000000}\n"
    );
    let health = HealthRow { part: "mpp".to_owned(), well: false, detail: "down".to_owned() };
    assert_eq!(whole(Query::Health, Page::Health(vec![health])), "{\"part\":\"mpp\",\"well\":false,\"detail\":\"down\"}\n");
}

#[test]
fn an_invocation_and_a_refund_carry_their_source() {
    let listing = Listing::Invocations { state: None, queue: None, other_manifest: false, limit: 1 };
    let (text, _) = printed(&listing, [Page::Invocations { rows: vec![invocation(9)], more: true }]);
    assert_eq!(
        text,
        concat!(
            r#"{"id":9,"queue":"default","event":"give_item","state":"applied","params":{"item_id":4},"result":null,"reason":null,"#,
            r#""source":{"kind":"bits","redemption":"r1","user":"bob"},"trace_id":"trace:0191d3c2-7a41-7f00-8000-00000000a41f","#,
            r#""enqueued_at_ms":1790000000000,"updated_at_ms":1790000000000}"#,
            "\n"
        )
    );
    let refund = RefundRow { id: RefundId(2), invocation_id: InvocationId(9), source: source(), status: RefundStatus::Skipped, at_ms: NOW };
    let (text, _) = printed(&Listing::Refunds { status: None, limit: 100 }, [Page::Refunds { rows: vec![refund], more: false }]);
    assert!(
        text.starts_with(r#"{"id":2,"invocation_id":9,"source":{"kind":"bits","redemption":"r1","user":"bob"},"status":"skipped""#),
        "{text}"
    );
}

#[test]
fn a_long_list_is_asked_for_in_pages_until_its_limit_or_its_end() {
    let page = |ids: std::ops::Range<u64>, more| Page::Invocations { rows: ids.rev().map(invocation).collect(), more };
    let listing = Listing::Invocations { state: Some(RowState::Applied), queue: None, other_manifest: false, limit: 1_500 };
    let (text, queries) = printed(&listing, [page(1_001..2_001, true), page(1..1_001, true)]);
    assert_eq!(text.lines().count(), 1_500);
    let asked = |beyond, limit| Query::Invocations {
        state: Some(RowState::Applied),
        queue: None,
        beyond,
        oldest_first: false,
        other_manifest: false,
        limit,
    };
    assert_eq!(queries, [asked(None, 1_000), asked(Some(InvocationId(1_001)), 500)]);
    let everything = Listing::Invocations { state: None, queue: None, other_manifest: false, limit: u64::MAX };
    let (text, queries) = printed(&everything, [page(3..5, true), page(1..3, false)]);
    assert_eq!((text.lines().count(), queries.len()), (4, 2));
    assert_eq!(printed(&Listing::Invocations { state: None, queue: None, other_manifest: false, limit: 0 }, []).1, []);
}

#[test]
fn people_get_a_table() {
    let station = Scripted::pages([Page::Invocations { rows: vec![invocation(9)], more: false }]);
    let printed = Printed::default();
    let listing = Listing::Invocations { state: None, queue: None, other_manifest: false, limit: 100 };
    operator::block_on(list(&station, &listing, &LocalClock::new(NOW), &mut printed.output(false))).unwrap();
    let text = printed.text();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("id  queue    event      state    source"));
    assert!(lines.next().unwrap().starts_with(" 9  default  give_item  applied  bits bob"));
}

#[test]
fn what_narrows_must_fit_what_is_listed() {
    let args =
        |what, state: Option<&str>| LsArgs { what, state: state.map(str::to_owned), queue: None, other_manifest: false, limit: None };
    assert!(Listing::of(&args(LsWhat::Queues, Some("pending"))).is_err());
    assert!(Listing::of(&args(LsWhat::Invocations, Some("manual"))).is_err());
    assert_eq!(
        Listing::of(&args(LsWhat::Refunds, Some("manual"))).unwrap(),
        Listing::Refunds { status: Some(RefundStatus::Manual), limit: 100 }
    );
    assert_eq!(
        Listing::of(&args(LsWhat::Invocations, None)).unwrap(),
        Listing::Invocations { state: None, queue: None, other_manifest: false, limit: 100 }
    );
}
