//! Attacks on the control plane and on runs (rmp-v0 §9, §10; rulings RMP 10 to 14). A client that keeps to
//! them has its run worked on all the while.

use fastrand::Rng;
use rl_console::limits;
use rmpv::Value;

use super::{
    garbage::damaged,
    operator_bounds::{lists, stops_here},
};
use crate::{
    rmp_bus::frames::map,
    runs::test_station::{Client, TestStation, completed, id, success},
};

const SEED: u64 = 18;

fn opening(agent: &str, timeout_ms: u64) -> String {
    format!(
        "version: 0\nname: one\npolicy: {{timeout_ms: {timeout_ms}}}\n\
         nodes:\n  - {{id: a, use: agent:{agent}}}\nedges: []\n"
    )
}

/// Has a run worked on, whose id nobody else has, and reads it to its end.
#[track_caller]
fn works(client: &mut Client, number: u128) {
    let events = client.run((1 << 100) + number, &opening("well", 60_000));
    assert!(success(&events), "{events:?}");
}

/// An operator is answered, and ends the station.
#[track_caller]
fn operated(mut fixture: TestStation) {
    let station = fixture.take();
    stops_here(fixture.folder.path(), station);
}

fn request(client: &mut Client, run: u128, yaml: &str) {
    client.request(run, "RunSubmit", vec![("request_id", id(run)), ("opening_yaml", yaml.into())]);
}

#[test]
fn a_flood_of_submissions_is_refused_past_the_bound_and_runs_go_on() {
    let fixture = TestStation::open();
    let _well = fixture.agent("well", |_| vec![completed(vec![("out", 1.into())])]);
    let _silent = fixture.agent("silent", |_| Vec::new());
    let mut flood = fixture.agent_client();
    let open_max = u128::from(limits::Runs::default().open_max);
    // All but one of the places.
    for run in 1..open_max {
        request(&mut flood, run, &opening("silent", 60_000));
    }
    for _ in 1..open_max {
        assert_eq!(flood.answer().variant, "RunAccepted");
    }
    works(&mut fixture.agent_client(), 1);
    lists(fixture.folder.path());
    for run in open_max..open_max + 50 {
        request(&mut flood, run, &opening("silent", 60_000));
    }
    // It hears what its neighbour is answered too.
    let of_flood = open_max..open_max + 50;
    let answers = std::iter::repeat_with(|| flood.answer()).filter(|answer| of_flood.contains(&answer.trace));
    for (run, answer) in of_flood.clone().zip(answers) {
        let is_last_place = run == open_max;
        assert_eq!(answer.variant, if is_last_place { "RunAccepted" } else { "RunRejected" });
        assert!(is_last_place || answer.text("reason").contains("limits.runs.open_max"), "{answer:?}");
    }
    // A place that is free again is given to whoever asks.
    flood.request(1 << 99, "RunCancel", vec![("trace_id", id(1))]);
    assert_eq!(flood.answer().variant, "RunCancelled");
    works(&mut fixture.agent_client(), 2);
    operated(fixture);
}

#[test]
fn garbage_for_openings_is_answered_each_time_and_runs_go_on() {
    let fixture = TestStation::open();
    let _well = fixture.agent("well", |_| vec![completed(vec![("out", 1.into())])]);
    let mut client = fixture.agent_client();
    let bomb = (1..12).fold("a0: &a0 [x, x]\n".to_owned(), |yaml, n| {
        let same = format!("*a{}, ", n - 1).repeat(9);
        format!("{yaml}a{n}: &a{n} [{same}x]\n")
    });
    let nodes = |count: usize| -> String {
        let lines: Vec<_> = (0..count).map(|n| format!("  - {{id: n{n}, use: agent:well}}\n")).collect();
        lines.concat()
    };
    let made = [
        String::new(),
        bomb,
        "[".repeat(20_000),
        format!("version: 0\nname: {}\nnodes: []\nedges: []\n", "x".repeat(100_000)),
        format!("version: 0\nname: many\nnodes:\n{}edges: []\n", nodes(20_000)),
        "version: 0\nname: own\nnodes: [{id: a, use: opening:own}]\nedges: []\n".to_owned(),
        "version: 0\nname: ring\nnodes: [{id: a, use: agent:well}]\nedges: [{from: a.out, to: a.in}]\n"
            .to_owned(),
    ];
    for (run, yaml) in (1..).zip(&made) {
        let answer = client.submit(run, yaml);
        let said: String = yaml.chars().take(60).collect();
        assert_eq!((answer.variant.as_str(), answer.trace), ("RunRejected", run), "{said}");
        assert!(answer.text("reason").len() < 4_096, "{said}");
    }
    works(&mut client, 1);
    let mut random = Rng::with_seed(SEED);
    let templates = [opening("nobody", 1_000).into_bytes()];
    for run in 100..200 {
        let yaml = String::from_utf8_lossy(&damaged(&templates, &mut random)).into_owned();
        request(&mut client, run, &yaml);
        let answer = client.answer();
        assert!(["RunAccepted", "RunRejected"].contains(&answer.variant.as_str()), "{answer:?}");
        assert_eq!(answer.trace, run);
    }
    works(&mut client, 2);
    operated(fixture);
}

#[test]
fn garbage_for_answers_ends_no_run_but_its_own() {
    let fixture = TestStation::open();
    let _well = fixture.agent("well", |_| vec![completed(vec![("out", 1.into())])]);
    let one = |name: &str, value: Value| map(vec![(name, value)]);
    let deep = (0..100).fold(Value::Nil, |value, _| Value::Array(vec![value]));
    let garbage = [
        Value::Nil,
        Value::from(u64::MAX),
        Value::Array(vec![Value::Nil; 1_000]),
        map(Vec::new()),
        map(vec![("Completed", Value::Nil), ("Failed", Value::Nil)]),
        one("Completed", Value::Nil),
        one("Completed", map(vec![("ports", "out".into())])),
        one("Completed", map(vec![("ports", one("out", Value::Array(vec![Value::Nil])))])),
        one("Failed", map(vec![("retryable", 7.into()), ("reason", Value::Nil)])),
        one("Nothing", deep),
    ];
    let (all, count) = (garbage.to_vec(), garbage.len());
    let _liar = fixture.agent("liar", move |_| all.clone());
    let mut garbage = garbage.into_iter();
    let _mixed = fixture.agent("mixed", move |_| garbage.next().into_iter().collect());
    let mut client = fixture.agent_client();
    for run in 1..=count as u128 {
        // Whatever it is taken for, the run comes to its end.
        client.run(run, &opening("mixed", 300));
    }
    lists(fixture.folder.path());
    client.run(100, &opening("liar", 300));
    works(&mut client, 1);
    operated(fixture);
}
