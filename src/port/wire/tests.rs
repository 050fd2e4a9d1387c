//! What consoles and stations of the version before say, and what a later version's is answered.

use serde_json::{Value, json};

use super::{Assembly, Question, Reply, Response, WireError, bytes::envelope, read_question};
use crate::{
    ids::{InvocationId, RefundId},
    macp::{Mode, SessionState},
    port::{Page, PortError, Query},
    runs::RunState,
    tap::entry::{
        Link,
        mpp::{RefundStatus, RowState},
    },
    time::Wall,
};

const ROOM: u64 = 1 << 20;

fn asked(question: &Value) -> Result<Question, PortError> {
    read_question(&envelope("intent.operator.request.v1", &json!({"v": 1, "json": question.to_string()})))
}

fn answered(reply: &Value) -> Result<Option<Response>, WireError> {
    let part = json!({"v": 1, "part": 0, "parts": 1, "json": reply.to_string()});
    Assembly::default().take(&envelope("toolresult.operator.response.v1", &part), ROOM)
}

#[test]
fn every_list_is_asked_for_as_the_version_before_asks() {
    let filter = Some("age>2s".to_owned());
    let (beyond, oldest_first, limit, since_ms) = (Some(7), true, 10, Some(Wall(5)));
    let lists = [
        (json!("queues"), Query::Queues),
        (json!("events"), Query::Events),
        (json!("state"), Query::State),
        (json!("adapters"), Query::Adapters),
        (json!("health"), Query::Health),
        (json!("topics"), Query::Topics),
        (json!("peers"), Query::Peers),
        (json!("clients"), Query::Clients),
        (json!("subscriptions"), Query::Subscriptions),
        (json!("drops"), Query::Drops),
        (json!("violations"), Query::Violations),
        (json!("findings"), Query::Findings),
        (json!("confirmations"), Query::Confirmations),
        (
            json!({"invocations": {"state": "pending", "queue": "boss", "beyond": 7, "oldest_first": true, "other_manifest": true, "filter": "age>2s", "limit": 10}}),
            Query::Invocations {
                state: Some(RowState::Pending),
                queue: Some("boss".into()),
                beyond: beyond.map(InvocationId),
                oldest_first,
                other_manifest: true,
                filter: filter.clone(),
                limit,
            },
        ),
        (
            json!({"refunds": {"status": "manual", "before": 7, "oldest_first": true, "filter": "age>2s", "limit": 10}}),
            Query::Refunds {
                status: Some(RefundStatus::Manual),
                beyond: beyond.map(RefundId),
                oldest_first,
                filter: filter.clone(),
                limit,
            },
        ),
        (
            json!({"runs": {"state": "running", "name": "poll", "since_ms": 5, "beyond": 7, "oldest_first": true, "filter": "age>2s", "limit": 10}}),
            Query::Runs {
                state: Some(RunState::Running),
                name: Some("poll".to_owned()),
                since_ms,
                beyond,
                oldest_first,
                filter: filter.clone(),
                limit,
            },
        ),
        (
            json!({"sessions": {"state": "open", "mode": "decision", "since_ms": 5, "beyond": 7, "oldest_first": true, "filter": "age>2s", "limit": 10}}),
            Query::Sessions {
                state: Some(SessionState::Open),
                mode: Some(Mode::Decision),
                since_ms,
                beyond,
                oldest_first,
                filter,
                limit,
            },
        ),
    ];
    for (text, query) in lists {
        assert_eq!(serde_json::to_value(&query).unwrap(), text);
        assert_eq!(asked(&json!({"query": text})), Ok(Question::Query(query)));
    }
}

#[test]
fn a_query_without_what_came_later_is_read() {
    for (text, list) in [
        (
            json!({"invocations": {"state": null, "queue": null, "beyond": null, "oldest_first": false, "limit": 10}}),
            "invocations",
        ),
        (json!({"refunds": {"status": null, "before": null, "limit": 10}}), "refunds"),
        (json!({"runs": {"limit": 10}}), "runs"),
        (json!({"sessions": {"limit": 10}}), "sessions"),
    ] {
        let Ok(Question::Query(query)) = asked(&json!({"query": text})) else { panic!("{list}") };
        assert_eq!(serde_json::to_value(query).unwrap(), text, "what is not used is left out, as before");
    }
}

#[test]
fn a_page_of_the_version_before_is_read() {
    for (text, page) in [
        (json!({"queues": []}), Page::Queues(Vec::new())),
        (json!({"confirmations": []}), Page::Confirmations(Vec::new())),
        (
            json!({"invocations": {"rows": [], "more": true, "beyond": 7}}),
            Page::Invocations { rows: Vec::new(), more: true, beyond: Some(InvocationId(7)) },
        ),
        (
            json!({"runs": {"rows": [], "more": false}}),
            Page::Runs { rows: Vec::new(), more: false, beyond: None },
        ),
    ] {
        assert_eq!(serde_json::to_value(&page).unwrap(), text);
        assert_eq!(answered(&json!({"page": text})), Ok(Some(Response::reply(Reply::Page(page)))));
    }
}

#[test]
fn what_a_station_says_of_a_host_is_read_whichever_version_it_is_of() {
    for (host, link) in
        [("the bus's socket", Link::Rmp), ("the MACP runtime", Link::Macp), ("mpp", Link::Mpp)]
    {
        let down = json!({"error": {"host_down": {"host": host, "why": "it has stopped"}}});
        let error = PortError::HostDown { link, why: "it has stopped".to_owned() };
        assert_eq!(answered(&down), Ok(Some(Response::reply(Reply::Error(error)))));
    }
}

#[test]
fn what_a_later_version_says_is_refused_with_what_is_not_known() {
    for (reply, unknown) in [
        (json!({"error": {"host_down": {"host": "the gateway", "why": "it has stopped"}}}), "`the gateway`"),
        (json!({"error": {"host_up": {"host": "gateways"}}}), "`gateways`"),
        (json!({"page": {"gateways": []}}), "`gateways`"),
        (json!({"outcome": {"gateways": {}}}), "`gateways`"),
    ] {
        let refused = answered(&reply);
        assert!(matches!(&refused, Err(WireError::Malformed(why)) if why.contains(unknown)), "{refused:?}");
    }
    let refused = asked(&json!({"query": "gateways"}));
    assert!(matches!(&refused, Err(PortError::BadRequest(why)) if why.contains("`gateways`")), "{refused:?}");
}
