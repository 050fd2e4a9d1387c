//! Carries a snapshot on by the tap's entries. Live, attached and replayed views are all made by this one
//! fold.

use std::sync::Arc;

use super::{
    plan::PlanPart,
    snapshot::{AskView, NodeView, Progress, RunView, Snapshot},
};
use crate::{
    ids::TraceId,
    limits,
    tap::entry::{
        Entry, Transition as Any, What,
        runs::{NodeRef, NodeState, RunState, Transition},
    },
    time::{Mono, Now, Wall},
    words,
};

impl Snapshot {
    /// Takes in one entry of the runs' link that follows this snapshot; entries of other links change
    /// nothing. `text` is what lies beside a transition. A snapshot at any moment and the entries behind
    /// it make the engine's own, within the windows that `limits` sets.
    pub fn apply(&mut self, entry: &Entry, text: &str, limits: &limits::Runs) {
        if let What::Transition(Any::Runs(transition)) = &entry.what {
            self.follow(transition, entry.at, text, limits);
        }
    }

    /// Takes in one transition that follows this snapshot.
    pub fn follow(&mut self, transition: &Transition, at: Now, text: &str, limits: &limits::Runs) {
        match transition {
            Transition::Submitted { run, name, by, nodes } => {
                self.totals.submitted += 1;
                // Runs that failed by a fault of ours and were started again tell of what they left.
                self.runs.retain(|view| view.run != *run || view.state.is_end());
                self.runs.push_back(RunView {
                    run: *run,
                    name: Arc::clone(name),
                    by: by.clone(),
                    state: RunState::Running,
                    submitted_at: at,
                    ended_at: None,
                    why: None,
                    planned: *nodes,
                    done: None,
                    plan: Arc::default(),
                    nodes: Vec::new(),
                    events: 0,
                    artifacts: 0,
                    tokens: 0,
                });
                self.plan(*run, at, text);
                self.keep_within(limits);
            }
            Transition::Planned { run } => {
                self.plan(*run, at, text);
                self.keep_within(limits);
            }
            Transition::Rejected { .. } => self.totals.rejected += 1,
            Transition::StateChange { run, node, state, attempt } => {
                self.on_moved(*run, node, (*state, *attempt), at, cut(text, limits));
            }
            // Its numbers go on over a restart.
            Transition::Event { run, number, .. } => {
                self.with(*run, |view| view.events = view.events.max(*number));
            }
            Transition::Progressed { run, node, done, total } => self.with(*run, |view| {
                if let Some(node) = view.nodes.get_mut(node.index as usize) {
                    node.progress = Some(Progress { done: *done, total: *total });
                    node.why = cut(text, limits);
                }
            }),
            Transition::Asked { run, action, node, expires_at, question, inputs } => {
                let (summary, takes) = (cut(question, limits).unwrap_or_default(), Arc::clone(inputs));
                let (run, action, node, expires_at) = (*run, *action, node.clone(), *expires_at);
                self.asks.push_back(AskView { action, run, node, summary, takes, asked_at: at, expires_at });
                while self.asks.len() as u64 > limits.shown_asks_max {
                    self.asks.pop_front();
                    self.asks_unshown += 1;
                }
            }
            Transition::Decided { action, .. } => {
                match self.asks.iter().position(|ask| ask.action == *action) {
                    Some(place) => drop(self.asks.remove(place)),
                    None => self.asks_unshown = self.asks_unshown.saturating_sub(1),
                }
            }
            Transition::Saved { run, .. } => self.with(*run, |view| view.artifacts += 1),
            Transition::Spent { run, tokens } => self.with(*run, |view| view.tokens = *tokens),
            Transition::Done { run, nodes } => self.with(*run, |view| view.done = Some(*nodes)),
            Transition::Braked { held, .. } => self.held = *held,
            Transition::Cancelling { run, .. } => self.with(*run, |view| view.state = RunState::Cancelling),
            Transition::Ended { run, state } => self.on_ended(*run, *state, at, text, limits),
        }
    }

    /// The run of this name; of two, the later.
    fn with(&mut self, run: TraceId, change: impl FnOnce(&mut RunView)) {
        if let Some(view) = self.runs.iter_mut().rev().find(|view| view.run == run) {
            change(view);
        }
    }

    /// Adds a part of a plan. What does not read as one is left out: the run is shown without.
    fn plan(&mut self, run: TraceId, at: Now, text: &str) {
        let Ok(part) = serde_json::from_str::<PlanPart>(text) else { return };
        if let Some(wall) = part.submitted_at_ms {
            self.submitted_before(run, wall);
        }
        if let Some(wall) = part.cut_at_ms {
            self.with(run, |view| view.ended_at = Some(Now { mono: Mono(0), wall }));
        }
        self.with(run, |view| {
            let plan = Arc::make_mut(&mut view.plan);
            let room = (view.planned as usize).saturating_sub(plan.nodes.len());
            plan.extend(part, room);
            view.nodes.resize(plan.nodes.len(), NodeView::new(at));
        });
    }

    /// A run of before this start has its place and its time among the others of then.
    fn submitted_before(&mut self, run: TraceId, wall: Wall) {
        let Some(at) = self.runs.iter().rposition(|view| view.run == run) else { return };
        let Some(mut view) = self.runs.remove(at) else { return };
        view.submitted_at = Now { mono: Mono(0), wall };
        let place = self.runs.iter().rposition(|other| other.submitted_at.wall <= wall);
        self.runs.insert(place.map_or(0, |place| place + 1), view);
    }

    fn on_moved(
        &mut self,
        run: TraceId,
        node: &NodeRef,
        (state, attempt): (NodeState, u32),
        at: Now,
        why: Option<Arc<str>>,
    ) {
        self.with(run, |view| {
            let Some(node) = view.nodes.get_mut(node.index as usize) else { return };
            if attempt != node.attempt || state != NodeState::Running {
                node.progress = None;
            }
            if state == NodeState::Running && node.ran_at.is_none() {
                node.ran_at = Some(at);
            }
            (node.state, node.attempt, node.since, node.why) = (state, attempt, at, why);
        });
    }

    fn on_ended(&mut self, run: TraceId, state: RunState, at: Now, text: &str, limits: &limits::Runs) {
        match state {
            RunState::Succeeded => self.totals.succeeded += 1,
            RunState::Cancelled => self.totals.cancelled += 1,
            _ => self.totals.failed += 1,
        }
        self.with(run, |view| {
            // One that a stop cut ended before this start, which tells of it now.
            let wall = view.ended_at.map_or(at.wall, |cut| cut.wall);
            (view.state, view.ended_at, view.why) = (state, Some(Now { wall, ..at }), cut(text, limits));
        });
        self.asks.retain(|ask| ask.run != run);
        self.keep_within(limits);
    }

    /// Lets go of what does not fit the windows.
    fn keep_within(&mut self, limits: &limits::Runs) {
        while self.runs.len() as u64 > limits.shown_max {
            let Some(place) = self.ended_first(|_| true) else { break };
            self.runs.remove(place);
        }
        let mut shown: u64 = self.runs.iter().map(|view| view.nodes.len() as u64).sum();
        while shown > limits.shown_nodes_max {
            let has_nodes = |view: &RunView| !view.nodes.is_empty();
            let Some(place) = self.ended_first(has_nodes).or_else(|| self.runs.iter().position(has_nodes))
            else {
                break;
            };
            let Some(view) = self.runs.get_mut(place) else { break };
            if view.state.is_end() {
                view.done = view.done_nodes();
            }
            shown = shown.saturating_sub(view.nodes.len() as u64);
            (view.plan, view.nodes) = (Arc::default(), Vec::new());
        }
    }

    /// The place of the run that ended first, of those that are meant.
    fn ended_first(&self, is_meant: impl Fn(&RunView) -> bool) -> Option<usize> {
        let ended = self.runs.iter().enumerate().filter(|(_, view)| is_meant(view));
        ended.filter_map(|(place, view)| Some((view.ended_at?.mono, place))).min().map(|(_, place)| place)
    }
}

/// A text as it is shown: nothing for an empty one, and no more than the limit.
fn cut(text: &str, limits: &limits::Runs) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| Arc::from(words::cut(text, limits.shown_text_bytes_max)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::ActionId,
        runs::{Asker, AskerKind},
        store::runs::RunRow,
    };

    fn run(n: u64) -> TraceId {
        TraceId(uuid::Uuid::from_u128(u128::from(n)))
    }

    fn by() -> Asker {
        Asker { kind: AskerKind::Tui, client: Arc::from("c") }
    }

    fn node(place: u32) -> NodeRef {
        NodeRef { index: place, id: Arc::from(format!("n{place}")) }
    }

    fn submit(snapshot: &mut Snapshot, n: u64, nodes: u32, limits: &limits::Runs) {
        let plan: Vec<_> = (0..nodes).map(|n| format!(r#"{{"id":"n{n}","use":"agent:x"}}"#)).collect();
        let submitted = Transition::Submitted { run: run(n), name: Arc::from("o"), by: by(), nodes };
        let (first, rest) = plan.split_at(plan.len() / 2);
        snapshot.follow(&submitted, Now::at_ms(n), &format!(r#"{{"nodes":[{}]}}"#, first.join(",")), limits);
        let edges = r#""edges":[{"from":0,"from_port":"out","to":1,"to_port":"in"}]"#;
        let text = format!(r#"{{"nodes":[{}],{edges}}}"#, rest.join(","));
        snapshot.follow(&Transition::Planned { run: run(n) }, Now::at_ms(n), &text, limits);
    }

    fn end(snapshot: &mut Snapshot, n: u64, state: RunState, limits: &limits::Runs) {
        snapshot.follow(&Transition::Ended { run: run(n), state }, Now::at_ms(100 + n), "because", limits);
    }

    #[test]
    fn a_run_that_a_restart_cut_has_its_place_and_its_time_among_those_of_before() {
        let limits = limits::Runs::default();
        let at = |n| Now::at_ms(n).wall;
        let row = |n, (from, to)| RunRow {
            number: n,
            run: run(n),
            opening: crate::ids::OpeningId(uuid::Uuid::nil()),
            name: "o".to_owned(),
            by: AskerKind::Tui,
            client: "c".to_owned(),
            state: RunState::Failed,
            why: Some("because".to_owned()),
            nodes: 3,
            done: 1,
            tokens: 0,
            events: 0,
            artifacts: 0,
            submitted_at: at(from),
            ended_at: Some(at(to)),
            rated: None,
        };
        let mut snapshot = Snapshot::restored(&[row(1, (0, 500)), row(3, (2_000, 9_000))], &limits);
        let submitted = Transition::Submitted { run: run(2), name: Arc::from("cut"), by: by(), nodes: 2 };
        let text = format!(r#"{{"submitted_at_ms":{},"cut_at_ms":{}}}"#, at(1_000).0, at(2_500).0);
        for _ in 0..2 {
            // Runs that failed by a fault of ours are started again, and tell of it once more.
            snapshot.follow(&submitted, Now::at_ms(21_000), &text, &limits);
        }
        assert_eq!(snapshot.runs.iter().map(|view| view.run).collect::<Vec<_>>(), [1, 2, 3].map(run));
        snapshot.follow(
            &Transition::Ended { run: run(2), state: RunState::Failed },
            Now::at_ms(21_000),
            "interrupted by a stop of the station",
            &limits,
        );
        let now = Now::at_ms(22_000);
        let lived: Vec<_> = snapshot.runs.iter().map(|view| view.duration(now).as_millis()).collect();
        assert_eq!(lived, [500, 1_500, 7_000], "not while the station was down");
        assert!(!snapshot.runs[1].ended_at.unwrap().is_of_before(), "it is news: an alert counts it");
        assert!(snapshot.runs[0].nodes.is_empty() && snapshot.runs[0].done_nodes() == Some(1));
        assert_eq!((snapshot.totals.submitted, snapshot.totals.failed), (2, 1), "of this start");
        assert!(snapshot.runs[2].ended_at.unwrap().is_of_before(), "no alert counts it");
    }

    #[test]
    fn a_run_is_seen_from_its_plan_to_its_end() {
        let limits = limits::Runs { shown_text_bytes_max: 64, ..limits::Runs::default() };
        let mut snapshot = Snapshot::default();
        submit(&mut snapshot, 1, 3, &limits);
        let moved = |state, attempt| Transition::StateChange { run: run(1), node: node(2), state, attempt };
        snapshot.follow(&moved(NodeState::Running, 1), Now::at_ms(5), "", &limits);
        let progressed =
            Transition::Progressed { run: run(1), node: node(2), done: Some(1.0), total: Some(4.0) };
        snapshot.follow(&progressed, Now::at_ms(6), "reading", &limits);
        let view = snapshot.run(run(1)).unwrap();
        assert_eq!((view.plan.nodes.len(), view.plan.edges.len(), view.nodes.len()), (3, 1, 3));
        let progress = Some(Progress { done: Some(1.0), total: Some(4.0) });
        assert_eq!((view.nodes[2].progress, view.nodes[2].why.as_deref()), (progress, Some("reading")));
        snapshot.follow(&moved(NodeState::Retrying, 1), Now::at_ms(7), &"x".repeat(100), &limits);
        let view = &snapshot.run(run(1)).unwrap().nodes[2];
        assert_eq!(
            (view.state, view.ran_at, view.progress),
            (NodeState::Retrying, Some(Now::at_ms(5)), None)
        );
        assert_eq!(view.why.as_ref().map(|why| why.len()), Some(64));
        let asked = Transition::Asked {
            run: run(1),
            action: ActionId(uuid::Uuid::nil()),
            node: node(0),
            expires_at: Wall(9),
            question: Arc::from("send?"),
            inputs: Arc::default(),
        };
        snapshot.follow(&asked, Now::at_ms(8), "send?", &limits);
        assert_eq!(snapshot.asks.len(), 1);
        end(&mut snapshot, 1, RunState::Failed, &limits);
        let view = snapshot.run(run(1)).unwrap();
        assert_eq!(
            (view.state, view.why.as_deref(), snapshot.asks.len()),
            (RunState::Failed, Some("because"), 0)
        );
        assert_eq!((snapshot.totals.submitted, snapshot.totals.failed), (1, 1));
    }

    #[test]
    fn questions_past_the_bound_are_counted_until_they_end() {
        let limits = limits::Runs { shown_asks_max: 2, ..limits::Runs::default() };
        let mut snapshot = Snapshot::default();
        submit(&mut snapshot, 1, 3, &limits);
        let action = |n: u128| ActionId(uuid::Uuid::from_u128(n));
        let asked = |n| Transition::Asked {
            run: run(1),
            action: action(n),
            node: node(0),
            expires_at: Wall(9),
            question: Arc::default(),
            inputs: Arc::default(),
        };
        let decided = |n| Transition::Decided {
            run: run(1),
            action: action(n),
            verdict: crate::runs::Verdict::Approved,
            by: None,
        };
        let stands = |snapshot: &Snapshot| {
            (
                snapshot.asks.iter().map(|ask| ask.action.0.as_u128()).collect::<Vec<_>>(),
                snapshot.asks_unshown,
            )
        };
        (1..=4).for_each(|n| snapshot.follow(&asked(n), Now::at_ms(1), "", &limits));
        assert_eq!(stands(&snapshot), (vec![3, 4], 2));
        snapshot.follow(&decided(3), Now::at_ms(1), "", &limits);
        snapshot.follow(&decided(1), Now::at_ms(1), "", &limits);
        assert_eq!(stands(&snapshot), (vec![4], 1));
        snapshot.follow(&decided(2), Now::at_ms(1), "", &limits);
        assert_eq!(stands(&snapshot), (vec![4], 0));
    }

    #[test]
    fn the_runs_that_ended_first_go_first_and_open_ones_stay() {
        let limits = limits::Runs { shown_max: 3, ..limits::Runs::default() };
        let mut snapshot = Snapshot::default();
        for n in 1..=4 {
            submit(&mut snapshot, n, 2, &limits);
        }
        assert_eq!(snapshot.runs.len(), 4, "open runs are shown however many");
        end(&mut snapshot, 3, RunState::Succeeded, &limits);
        end(&mut snapshot, 2, RunState::Cancelled, &limits);
        submit(&mut snapshot, 5, 2, &limits);
        let shown: Vec<_> = snapshot.runs.iter().map(|view| view.run).collect();
        assert_eq!(shown, [run(1), run(4), run(5)]);
    }

    #[test]
    fn past_the_bound_on_nodes_plans_go_and_runs_stay() {
        let limits = limits::Runs { shown_nodes_max: 10, ..limits::Runs::default() };
        let mut snapshot = Snapshot::default();
        for n in 1..=3 {
            submit(&mut snapshot, n, 4, &limits);
            if n == 2 {
                end(&mut snapshot, 2, RunState::Succeeded, &limits);
            }
        }
        let shown: Vec<_> = snapshot
            .runs
            .iter()
            .map(|view| (view.planned, view.nodes.len(), view.plan.edges.len()))
            .collect();
        assert_eq!(shown, [(4, 4, 1), (4, 0, 0), (4, 4, 1)]);
        let done = |snapshot: &Snapshot| snapshot.runs.iter().map(RunView::done_nodes).collect::<Vec<_>>();
        assert_eq!(done(&snapshot), [Some(0); 3], "one that has ended keeps how many were done");
        submit(&mut snapshot, 4, 9, &limits);
        assert_eq!(done(&snapshot), [None, Some(0), None, Some(0)], "of one that goes on that is not known");
        snapshot.follow(&Transition::Done { run: run(1), nodes: 3 }, Now::at_ms(200), "", &limits);
        end(&mut snapshot, 1, RunState::Succeeded, &limits);
        assert_eq!(done(&snapshot)[0], Some(3), "until it ends");
    }
}
