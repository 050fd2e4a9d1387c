//! What a peer shows to be let in is shown to nobody else (DESIGN 4): not on the tap, not in a recording,
//! not in a snapshot.

use std::fmt::Write as _;

use rl_console::tap::Reader;

use super::{Bus, Peer, frames};

/// No token of this station: what hides it is what is known of a Hello.
const SECRET: &str = "another-stations-token";

fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

/// All that the tap tells until a session of this client's name, or any, is over.
fn told(reader: &mut Reader) -> String {
    use rl_console::tap::entry::{Transition, What, rmp};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut told = String::new();
    loop {
        while let Some(batch) = reader.read() {
            for entry in batch.iter() {
                writeln!(told, "{:?} {}", entry.entry, String::from_utf8_lossy(entry.bytes)).unwrap();
                let what = &entry.entry.what;
                if matches!(what, What::Transition(Transition::Rmp(rmp::Transition::Disconnected { .. }))) {
                    return told;
                }
            }
        }
        runtime.block_on(reader.ready());
    }
}

/// What is told of a peer that sends these bytes and goes.
fn told_of(bus: &Bus, bytes: &[u8]) -> String {
    let mut reader = bus.station.as_ref().unwrap().port().entries().unwrap();
    let mut peer = Peer::connect(&bus.path());
    peer.send(bytes);
    peer.stream.shutdown(std::net::Shutdown::Write).unwrap();
    while peer.try_hear().is_some() {}
    told(&mut reader)
}

#[test]
fn a_json_hello_that_says_more_than_its_kind_is_withheld() {
    let bus = Bus::open();
    let bare = r#"{"Hello":{"kind":"Agent"}}"#;
    let told = told_of(&bus, &unit(bare));
    assert!(told.contains(bare), "what says its kind alone is shown: {told}");
    let (agent, again) = (unit(bare), |json: &str| [unit(bare), unit(json)].concat());
    for bytes in [
        unit(&format!(r#"{{"Hello":{{"kind":"Tui","token":"{SECRET}"}}}}"#)),
        unit(&format!(r#"{{"Hello":{{"{SECRET}":1,"kind":"Tui"}}}}"#)),
        unit(&format!(r#"{{"Hello":{{"kind":"Tui","more":["{SECRET}"]}}}}"#)),
        unit(&format!(r#"{{"Hello":{{"kind":"{SECRET}"}}}}"#)),
        unit(&format!(r#"{{"Hello":"{SECRET}"}}"#)),
        // On a session that is open, and behind its end.
        again(&format!(r#"{{"Hello":{{"kind":"Tui","token":"{SECRET}"}}}}"#)),
        again(&format!(r#"{{"Hello":{{"token":"{SECRET}"}}}}"#)),
        [
            unit(r#"{"Unsubscribe":{"sub_id":1}}"#),
            unit(&format!(r#"{{"Hello":{{"kind":"Tui","token":"{SECRET}"}}}}"#)),
        ]
        .concat(),
        [agent.clone(), unit("{}"), unit(&format!(r#"{{"Hello":"{SECRET}"}}"#))].concat(),
    ] {
        let told = told_of(&bus, &bytes);
        assert!(!told.contains(SECRET), "{}: {told}", String::from_utf8_lossy(&bytes));
        assert!(told.contains("withheld"), "{}: {told}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn every_place_of_a_token_in_a_hello_is_masked() {
    let bus = Bus::open();
    let token = bus.token(rl_console::station::bus::TokenKind::Operator);
    let hello = |fields: Vec<(&str, rmpv::Value)>| frames::control(1, "Hello", fields);
    for secret in [SECRET, &token] {
        let named = format!("tool {secret}");
        let fields = |client: &str, more: &str| {
            let fields = vec![
                ("v", 1.into()),
                ("client", client.into()),
                ("kind", "tui".into()),
                (more, more.into()),
                ("token", secret.into()),
            ];
            hello(fields)
        };
        for bytes in [
            fields("test", "x"),
            fields(&named, "x"),
            fields("test", secret),
            [fields("test", "x"), fields(&named, secret)].concat(),
        ] {
            let told = told_of(&bus, &bytes);
            assert!(!told.contains(secret) && told.contains("***"), "{told}");
        }
    }
    let _peer = Peer::greeted_as(&bus.path(), &format!("tool {token}"), "tui", Some(&token));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let snapshot = runtime.block_on(bus.station.as_ref().unwrap().port().snapshot()).unwrap();
    let shown = format!("{snapshot:?}");
    assert!(shown.contains("tool ***") && !shown.contains(&token), "{shown}");
}
