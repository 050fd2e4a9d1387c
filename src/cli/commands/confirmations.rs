//! How a node that asks a person is answered, said where its run is followed.

use crate::{
    cli::{operator, report},
    ids::TraceId,
    port::{ConfirmationRow, Operator, Page, Query},
    runs::NodeState,
};

/// The node that an event says is asking.
pub(super) fn node_asking(meta: &serde_json::Value) -> Option<&str> {
    let state = meta.get("state")?.as_str()?;
    meta.get("node_id")?.as_str().filter(|_| state == NodeState::Asking.name())
}

/// Says on stderr how a node's question is answered, while it waits. Nothing where the station does not tell
/// whoever follows.
pub(super) async fn print_hint(station: &dyn Operator, run: TraceId, node: &str) {
    if let Ok(Page::Confirmations(rows)) = operator::query(station, Query::Confirmations).await
        && let Some(words) = hint_text(&rows, run, node)
    {
        report::print_note(&words);
    }
}

fn hint_text(rows: &[ConfirmationRow], run: TraceId, node: &str) -> Option<String> {
    let row = rows.iter().find(|row| row.run == run && row.node == node)?;
    let action = row.action;
    Some(format!(
        "{node} needs approval (auto-rejected without an answer): `rl-console run approve {action}` or \
         `rl-console run reject {action}`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::ActionId, time::Wall};

    #[test]
    fn both_answers_are_named_with_the_question() {
        let run = TraceId(uuid::Uuid::from_u128(7));
        let row = |action: u128, run, node: &str| ConfirmationRow {
            action: ActionId(uuid::Uuid::from_u128(action)),
            run,
            node: node.to_owned(),
            summary: "send it?".to_owned(),
            takes: None,
            asked_at_ms: Wall(0),
            expires_at_ms: Wall(9),
        };
        let rows =
            [row(1, TraceId(uuid::Uuid::from_u128(8)), "send"), row(2, run, "other"), row(3, run, "send")];
        let words = hint_text(&rows, run, "send").unwrap();
        let action = ActionId(uuid::Uuid::from_u128(3));
        assert!(
            words.contains(&format!("`rl-console run approve {action}` or `rl-console run reject {action}`")),
            "{words}"
        );
        assert_eq!(hint_text(&rows[..2], run, "send"), None, "it is answered meanwhile");
    }

    #[test]
    fn only_a_status_of_a_node_that_asks_is_a_question() {
        let meta = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(node_asking(&meta(r#"{"state":"asking","node_id":"send"}"#)), Some("send"));
        assert_eq!(node_asking(&meta(r#"{"state":"running","node_id":"send"}"#)), None);
        assert_eq!(node_asking(&meta(r#"{"state":"asking"}"#)), None);
    }
}
