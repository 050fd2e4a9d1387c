//! What reading an opening costs (the bound: 5,000 nodes read and checked in at most 100 ms).
//!
//! `cargo bench --bench opening` prints criterion's times of one opening of 5,000 nodes and 10,000 edges:
//! read and checked, with a fault in every hundredth node, with a param set in its text, and drawn.

use std::{fmt::Write as _, hint::black_box};

use criterion::Criterion;
use rl_console::{
    limits::Runs,
    runs::{
        Plan,
        openings::{Map, NoLibrary, Opening, drawing, merge_params},
    },
};

const NODES: usize = 5_000;

/// An opening in which each node feeds the next and one further on.
fn text(agent: impl Fn(usize) -> &'static str) -> String {
    let mut out =
        "version: 0\nname: large\nparams:\n  city: Berlin\npolicy: {budget_tokens: 1000000}\nnodes:\n"
            .to_owned();
    for at in 0..NODES {
        let _ = writeln!(
            out,
            "  - {{id: n{at}, use: '{}:echo', with: {{text: 'news of {{{{params.city}}}}'}}, retry: {{max_attempts: 3}}}}",
            agent(at)
        );
    }
    out.push_str("edges:\n");
    for (from, to) in (1..NODES).map(|to| (to - 1, to)).chain((7..NODES).map(|to| (to - 7, to))) {
        let _ = writeln!(out, "  - {{from: n{from}.out, to: n{to}.in}}");
    }
    out
}

fn main() {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let limits = Runs::default();
    let load = |text: &str| Opening::load(text, None, &Map::new(), &NoLibrary, &limits);

    let whole = text(|_| "agent");
    let opening = load(&whole);
    assert_eq!(opening.as_ref().map(|it| it.nodes.len()).map_err(ToString::to_string), Ok(NODES));
    criterion
        .bench_function("opening/read and check 5,000 nodes", |b| b.iter(|| load(black_box(&whole)).is_ok()));

    let faulty = text(|at| if at % 100 == 0 { "agnet" } else { "agent" });
    criterion.bench_function("opening/read and check 5,000 nodes with 50 faults", |b| {
        b.iter(|| load(black_box(&faulty)).is_ok());
    });

    let overrides: Map = [("city".to_owned(), "Oslo".into())].into_iter().collect();
    criterion.bench_function("opening/set a param", |b| {
        b.iter(|| merge_params(black_box(&whole), &overrides, &limits).is_ok());
    });

    if let Ok(opening) = opening {
        criterion.bench_function("opening/plan and draw", |b| {
            b.iter(|| drawing::text(&opening.name, &Plan::from(black_box(&opening))));
        });
    }
    criterion.final_summary();
}
