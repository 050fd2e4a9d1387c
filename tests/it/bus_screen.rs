//! The bus on a real screen: who comes, what is published, what the tap has of it, and a peer that is
//! dropped.

use std::path::Path;

use rl_console::rmp::{
    SchemaId,
    client::{Client, Hello, Message},
};

use crate::terminal::console;

#[test]
fn a_peer_and_what_it_publishes_are_seen_and_it_is_dropped() {
    let (folder, _token, mut terminal) = console(160, 50);
    terminal.wait("the bus is up", |screen| screen.contains("RMP ● 0 peers"));
    let path = std::fs::read_to_string(folder.path().join("rmp.path")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (client, mut greetings) = runtime.block_on(async {
        let client = Client::connect(Path::new(path.trim()), Hello::agent("greeter")).await.unwrap();
        let greetings = client.subscribe("greetings/*").await.unwrap();
        (client, greetings)
    });
    let hello =
        Message::of(SchemaId::OBSERVATION, "observation.greeting.v1", &serde_json::json!({"text": "hello"}))
            .unwrap();
    runtime.block_on(async {
        client.publish("greetings/world", &hello).await.unwrap();
        assert!(greetings.next().await.is_some());
    });
    terminal.keys("3");
    terminal.wait("topic, subscription and peer", |screen| {
        ["[3 Bus]", "greetings/world", "OBSERVATION", "greetings/*", "greeter", "RMP ● 1 peer "]
            .iter()
            .all(|words| screen.contains(words))
    });
    terminal.keys("8");
    terminal.wait("its publication", |screen| {
        screen.contains("greetings/world OBSERVATION #") && screen.contains("observation.greeting.v1")
    });
    terminal.keys("3\t\t\t");
    terminal.wait("the peers", |screen| screen.contains("▸ Peers"));
    terminal.keys("K");
    terminal.shows("Disconnect greeter?");
    terminal.keys("y");
    terminal.shows("greeter disconnected from the bus");
    terminal.shows("RMP ● 0 peers");
    terminal.keys("9");
    terminal.shows("by an operator");
    assert!(runtime.block_on(client.publish("greetings/world", &hello)).is_err(), "its session is over");
}
