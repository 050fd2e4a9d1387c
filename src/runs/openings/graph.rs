//! Graphs: an order in which every node comes behind what feeds it, and the cycles that forbid one.

use std::{cmp::Reverse, collections::BinaryHeap};

/// The order of a graph's nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Every node once, behind those that feed it, else by index. With cycles, each is entered at its least
    /// node.
    pub nodes: Vec<usize>,
    /// For each node the length of the longest way to it.
    pub ranks: Vec<usize>,
    /// Cycles that have no node in common, each from its least node on; empty for what can be run.
    pub cycles: Vec<Vec<usize>>,
}

/// Orders the nodes `0..count`; edges are (from, to) within them, others are left out.
#[must_use]
pub fn order(count: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Order {
    let mut graph = Graph {
        next: vec![Vec::new(); count],
        before: vec![Vec::new(); count],
        waits: vec![0; count],
        ranks: vec![0; count],
    };
    for (from, to) in edges.into_iter().filter(|&(from, to)| from < count && to < count) {
        graph.next[from].push(to);
        graph.before[to].push(from);
        graph.waits[to] += 1;
    }
    let mut out = Order::default();
    let mut is_done = vec![false; count];
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..count).filter(|&it| graph.waits[it] == 0).map(Reverse).collect();
    let mut least = 0;
    loop {
        while let Some(Reverse(node)) = ready.pop() {
            if !std::mem::replace(&mut is_done[node], true) {
                out.nodes.push(node);
                graph.settle(node, &mut ready);
            }
        }
        while is_done.get(least) == Some(&true) {
            least += 1;
        }
        if least == count {
            break;
        }
        let cycle = graph.cycle(least, &is_done);
        // Entered here, the rest is ordered as if the cycle were none.
        ready.extend(cycle.iter().copied().map(Reverse));
        out.cycles.push(cycle);
    }
    out.ranks = graph.ranks;
    out
}

struct Graph {
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    waits: Vec<usize>,
    ranks: Vec<usize>,
}

impl Graph {
    fn settle(&mut self, node: usize, ready: &mut BinaryHeap<Reverse<usize>>) {
        let rank = self.ranks[node] + 1;
        for &to in &self.next[node] {
            self.waits[to] -= 1;
            if self.waits[to] == 0 {
                ready.push(Reverse(to));
            }
            self.ranks[to] = self.ranks[to].max(rank);
        }
    }

    /// The cycle that a node which never gets ready hangs on. Such a node always has another before it.
    fn cycle(&self, from: usize, is_done: &[bool]) -> Vec<usize> {
        let mut seen = vec![usize::MAX; is_done.len()];
        let mut path = Vec::new();
        let mut node = from;
        while seen[node] == usize::MAX {
            seen[node] = path.len();
            path.push(node);
            node = self.before[node].iter().copied().find(|&it| !is_done[it]).unwrap_or(node);
        }
        let mut cycle = path.split_off(seen[node]);
        cycle.reverse();
        let least = cycle.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
        cycle.rotate_left(least);
        cycle
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_by_what_feeds_what_and_else_by_index() {
        let found = order(5, [(4, 0), (0, 1), (4, 1), (3, 2)]);
        assert_eq!(found.nodes, [3, 2, 4, 0, 1]);
        assert_eq!(found.ranks, [1, 2, 1, 0, 0]);
        assert!(found.cycles.is_empty());
    }

    #[test]
    fn names_each_cycle_from_its_least_node() {
        let found = order(7, [(0, 1), (3, 1), (1, 2), (2, 3), (3, 4), (5, 5), (4, 6)]);
        assert_eq!(found.cycles, [vec![1, 2, 3], vec![5]]);
        assert_eq!(found.nodes.len(), 7);
    }

    proptest! {
        #[test]
        fn every_edge_of_an_ordered_graph_leads_forward(
            edges in prop::collection::vec((0_usize..30, 0_usize..30), 0..60),
        ) {
            let found = order(30, edges.iter().copied());
            let mut nodes = found.nodes.clone();
            nodes.sort_unstable();
            prop_assert_eq!(nodes, (0..30).collect::<Vec<_>>());
            for cycle in &found.cycles {
                for (at, from) in cycle.iter().enumerate() {
                    let to = cycle[(at + 1) % cycle.len()];
                    prop_assert!(edges.contains(&(*from, to)));
                }
            }
            let at = |node: usize| found.nodes.iter().position(|it| *it == node);
            if found.cycles.is_empty() {
                for (from, to) in edges {
                    prop_assert!(at(from) < at(to));
                    prop_assert!(found.ranks[from] < found.ranks[to]);
                }
            } else {
                // What has a cycle has no order: some edge always leads back.
                prop_assert!(edges.iter().any(|(from, to)| at(*from) >= at(*to)));
            }
        }
    }
}
