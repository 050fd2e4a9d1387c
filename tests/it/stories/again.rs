//! An effect that failed is given once more.

use serde_json::json as value;

use crate::{
    real::{Adapter, json},
    terminal::{console, mpp_addr},
};

const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

#[test]
fn the_effect_failed_so_i_give_it_again() {
    let (folder, token, mut terminal) = console(120, 40);
    let mut adapter = Adapter::ready(mpp_addr(folder.path()), &token);
    adapter.send(PULL).unwrap();
    let redeem =
        ["invoke", "heal_party", "--source", "channel_points", "--redemption", "r-1", "--user", "ada"];
    let first = json(folder.path(), &redeem)[0]["id"].as_u64().unwrap();
    assert_eq!(adapter.receive().unwrap()["id"], value!(first));
    adapter.send(&format!(r#"{{"mpp":2,"type":"failed","id":{first},"reason":"the ROM hung"}}"#)).unwrap();
    terminal.wait("it failed", |screen| screen.contains("✗ failed"));
    // The pane where it is seen says by which key it is given again.
    terminal.tab_to("e again");
    terminal.keys("e");
    let question = terminal.shows(&format!("Requeue {first}?"));
    assert!(question.contains("heal_party is failed") && question.contains("refund: none"), "{question}");
    terminal.keys("y");
    terminal.shows(&format!("{first} requeued as "));
    adapter.send(PULL).unwrap();
    let again = adapter.receive().unwrap();
    assert_eq!(again["event"], "heal_party");
    let rows = json(folder.path(), &["ls", "invocations"]);
    assert_eq!((&rows[0]["id"], &rows[0]["requeued_from"]), (&again["id"], &value!(first)));
    assert_eq!(rows[0]["source"], value!({"kind": "channel_points", "user": "ada"}));
}
