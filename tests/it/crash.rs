//! The station is killed at random moments under load of all four systems, a hundred times.

mod mixed;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
    time::Duration,
};

use rl_console::{
    ids::InvocationId,
    mpp::{Command as MppCommand, NewInvocation, Outcome as MppOutcome, manifest::Pack},
    port::{Command, Operator, Outcome, Page, Query},
    station::OperatorClient,
};
use tempfile::tempdir;

use crate::real::{Adapter, Station, pair};

const KILLS: u64 = 100;

/// Small and seeded, so that a failure can be had again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// How long a station may take to acknowledge its first rows, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Enqueues until the station is gone, and tells of the first rows that were acknowledged; the ids of all
/// that were.
fn enqueue_until_gone(data: &Path, round: u64, first: &SyncSender<()>) -> Vec<InvocationId> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut acknowledged = Vec::new();
        let Ok(client) = OperatorClient::connect(data).await else { return acknowledged };
        for batch in 0.. {
            let rows = (0..10)
                .map(|row| {
                    let event = if row % 3 == 0 { "spawn_boss" } else { "give_item" };
                    let mut row_of = NewInvocation::new(event);
                    row_of.params = Some(sample_params(event));
                    row_of.key = Some(format!("{round}-{batch}-{row}"));
                    row_of
                })
                .collect();
            match client.command(Command::Mpp(MppCommand::Enqueue { rows })).await {
                Ok(Outcome::Mpp(MppOutcome::Enqueued(rows))) => {
                    acknowledged.extend(rows.into_iter().map(|row| row.unwrap().id));
                    let _ = first.try_send(());
                }
                Ok(other) => panic!("{other:?}"),
                Err(_) => break,
            }
        }
        acknowledged
    })
}

fn sample_params(event: &str) -> rl_console::schema::JsonText {
    let params = match event {
        "give_item" => r#"{"item_id":4,"count":1}"#,
        _ => r#"{"boss":"dragon"}"#,
    };
    rl_console::schema::JsonText::parse(params).unwrap()
}

/// Serves both queues until the station is gone or has nothing left; the ids by queue in the order in which
/// they came.
fn serve_until_gone(
    station: &std::net::SocketAddr,
    token: &str,
    until_idle: bool,
) -> BTreeMap<String, Vec<u64>> {
    let mut received: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let Some(mut adapter) = Adapter::ready_for(&Pack::sample(), *station, token) else { return received };
    if until_idle {
        adapter.socket().set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    }
    for queue in ["default", "boss"] {
        if adapter.send(&format!(r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#)).is_err() {
            return received;
        }
    }
    while let Some(frame) = adapter.receive() {
        if frame["type"] != "invocation" {
            continue;
        }
        let (id, queue) = (frame["id"].as_u64().unwrap(), frame["queue"].as_str().unwrap().to_owned());
        received.entry(queue.clone()).or_default().push(id);
        let answer = [
            format!(r#"{{"mpp":2,"type":"ack","id":{id}}}"#),
            format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#),
            format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#),
            format!(r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#),
        ];
        if adapter.send(&answer.join("\n")).is_err() {
            break;
        }
    }
    received
}

fn all_rows(data: &Path) -> BTreeMap<u64, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = OperatorClient::connect(data).await.unwrap();
        let mut states = BTreeMap::new();
        let mut beyond = None;
        loop {
            let query = Query::Invocations {
                state: None,
                queue: None,
                beyond,
                oldest_first: true,
                other_manifest: false,
                filter: None,
                limit: 1_000,
            };
            let Page::Invocations { rows, more, .. } = client.query(query).await.unwrap() else {
                panic!("another page")
            };
            beyond = rows.last().map(|row| row.id);
            for row in rows {
                assert!(states.insert(row.id.0, row.state.name().to_owned()).is_none(), "{} twice", row.id);
            }
            if !more {
                return states;
            }
        }
    })
}

#[test]
fn kills_lose_nothing_and_repeat_only_what_was_in_flight() {
    kills_lose_nothing(KILLS / 10);
}

#[test]
#[ignore = "ten times the test above"]
fn a_hundred_kills_lose_nothing_and_repeat_only_what_was_in_flight() {
    kills_lose_nothing(KILLS);
}

fn kills_lose_nothing(kills: u64) {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let token = pair(&data);
    let mut random = Random(0x5eed_0000_0000_0001);
    let mut acknowledged = BTreeSet::new();
    let mut others_acknowledged = mixed::Acknowledged::default();
    let mut rounds = Vec::new();
    for round in 0..kills {
        let station = Station::start(&data);
        let addr = station.mpp;
        let moment = Duration::from_millis(random.below(40));
        let (first, has_begun) = sync_channel(1);
        let macp = station.ready["macp"].as_str().unwrap().parse().unwrap();
        let (ids, received, others) = std::thread::scope(|scope| {
            let data = &data;
            let enqueuer = scope.spawn(move || enqueue_until_gone(data, round, &first));
            let server = scope.spawn(|| serve_until_gone(&addr, &token, false));
            let bus = scope.spawn(move || mixed::bus_until_gone(data, round));
            let session = scope.spawn(move || mixed::session_until_gone(macp, round));
            // Every other time work has begun, however slow the machine is.
            if round % 2 == 0 {
                let _ = has_begun.recv_timeout(PATIENCE);
            }
            std::thread::sleep(moment);
            station.kill();
            let others = [bus.join().unwrap(), session.join().unwrap()];
            (enqueuer.join().unwrap(), server.join().unwrap(), others)
        });
        for it in others {
            others_acknowledged.extend(it);
        }
        acknowledged.extend(ids.iter().map(|id| id.0));
        rounds.push(received);
    }
    let station = Station::start(&data);
    let mut states = BTreeMap::new();
    // Silence alone is no end on a slow machine.
    for _ in 0..30 {
        rounds.push(serve_until_gone(&station.mpp, &token, true));
        states = all_rows(&data);
        if states.values().all(|state| state == "done" || state == "applied") {
            break;
        }
    }

    assert!(
        acknowledged.len() as u64 > kills,
        "the load was too small to show anything: {}",
        acknowledged.len()
    );
    for id in &acknowledged {
        let state = states.get(id).unwrap_or_else(|| panic!("{id} was acknowledged and is lost"));
        assert!(state == "done" || state == "applied", "{id} is {state}");
    }
    repeated_only_what_was_in_flight(&rounds);
    mixed::nothing_is_lost(
        &data,
        station.ready["macp"].as_str().unwrap().parse().unwrap(),
        &others_acknowledged,
        kills,
    );
    station.terminate();
}

/// An id may come again only when it was the last that its queue's adapter was sent before a kill.
fn repeated_only_what_was_in_flight(rounds: &[BTreeMap<String, Vec<u64>>]) {
    let mut settled: BTreeSet<u64> = BTreeSet::new();
    for round in rounds {
        for (queue, ids) in round {
            for pair in ids.windows(2) {
                assert!(pair[0] < pair[1], "queue {queue}: {} after {}", pair[1], pair[0]);
            }
            for id in ids {
                assert!(
                    !settled.contains(id),
                    "queue {queue}: {id} came again though the next one had left before the kill"
                );
            }
            settled.extend(ids.iter().rev().skip(1));
        }
    }
}
