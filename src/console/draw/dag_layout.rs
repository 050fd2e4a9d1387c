//! A plan as it is drawn: one line a node, layer by layer from the top, with the ways between nodes as lanes
//! at the left.
//!
//! ```text
//! ┌──● fetch
//! ├┬▸● sift      a lane begins at the node that gives, and ends at the last that takes;
//! └│▸● count     where many feed one, it begins at the first that gives and ends at the one that takes
//!  └▸● write
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::glyphs::Glyphs;
use crate::runs::Plan;

/// Lanes that are drawn; ways in further ones are counted.
const LANES_MAX: usize = 16;

/// What stands in a lane at a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lane {
    #[default]
    Blank,
    /// It goes by.
    Pass,
    /// It begins at this node.
    Begin,
    /// It meets this node, and goes on.
    Join,
    /// It ends at this node.
    End,
}

/// The line of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeLine {
    /// Its place in the plan.
    pub(crate) index: usize,
    /// How far from the beginning it stands among the nodes of its opening: the length of the longest way to
    /// it.
    pub(crate) layer: usize,
    /// Openings that it lies in.
    pub(crate) depth: usize,
    /// Whether something feeds it.
    has_input: bool,
    /// Whether ways of it are in lanes that are not drawn.
    has_more: bool,
    lanes: Box<[Lane]>,
}

/// A plan as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DagLayout {
    /// The nodes, from the top.
    pub(crate) lines: Vec<NodeLine>,
    /// Lanes that are not drawn.
    pub(crate) hidden: usize,
}

/// What a lane stands for: all that one node gives, or all that one takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LaneOwner {
    From(usize),
    To(usize),
}

impl DagLayout {
    /// The picture of a plan. Edges that lead nowhere, or round, are left out.
    pub(crate) fn of(plan: &Plan) -> Self {
        let count = plan.nodes.len();
        let parent = |place: usize| {
            plan.nodes[place].parent.map(|parent| parent as usize).filter(|parent| *parent < place)
        };
        let edges: BTreeSet<(usize, usize)> = plan
            .edges
            .iter()
            .map(|edge| (edge.from as usize, edge.to as usize))
            .filter(|(from, to)| from != to && *from < count && *to < count)
            .collect();
        let layers = layers(count, &edges);
        let mut depths = Vec::with_capacity(count);
        for place in 0..count {
            depths
                .push(parent(place).map_or(0, |parent: usize| depths.get(parent).copied().unwrap_or(0) + 1));
        }
        let order = order(count, &edges, &layers, parent);
        let mut at = vec![0; count];
        for (line, place) in order.iter().enumerate() {
            at[*place] = line;
        }
        let forward: Vec<_> = edges.iter().copied().filter(|(from, to)| at[*from] < at[*to]).collect();
        let mut lines: Vec<NodeLine> = order
            .iter()
            .map(|place| NodeLine {
                index: *place,
                layer: layers[*place],
                depth: depths[*place],
                has_input: false,
                has_more: false,
                lanes: Box::default(),
            })
            .collect();
        let hidden = draw_lanes(&mut lines, &forward, &at);
        Self { lines, hidden }
    }
}

/// How far from the beginning each node stands. What lies on a circle stands behind everything else.
fn layers(count: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let mut waits = vec![0_usize; count];
    for (_, to) in edges {
        waits[*to] += 1;
    }
    let mut layers = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|place| waits[*place] == 0).collect();
    let mut settled = 0;
    while let Some(place) = ready.pop() {
        settled += 1;
        for (_, to) in edges.range((place, 0)..(place + 1, 0)) {
            layers[*to] = layers[*to].max(layers[place] + 1);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    if settled < count {
        let last = layers.iter().max().copied().unwrap_or(0) + 1;
        for (layer, _) in layers.iter_mut().zip(&waits).filter(|(_, waits)| **waits > 0) {
            *layer = last;
        }
    }
    layers
}

/// The nodes from the top: layer by layer, in a layer as what feeds them stands; those of a nested opening
/// behind the node that nests it.
fn order(
    count: usize,
    edges: &BTreeSet<(usize, usize)>,
    layers: &[usize],
    parent: impl Fn(usize) -> Option<usize>,
) -> Vec<usize> {
    let mut first_feeder = vec![None; count];
    for (from, to) in edges {
        first_feeder[*to].get_or_insert(*from);
    }
    let mut scopes: BTreeMap<Option<usize>, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (place, layer) in layers.iter().enumerate() {
        scopes.entry(parent(place)).or_default().entry(*layer).or_default().push(place);
    }
    let mut stood = vec![usize::MAX; count];
    let mut sorted: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (scope, by_layer) in scopes {
        let mut all = Vec::new();
        for mut layer in by_layer.into_values() {
            layer
                .sort_by_key(|place| (first_feeder[*place].map_or(0, |feeder: usize| stood[feeder]), *place));
            for place in layer {
                stood[place] = all.len();
                all.push(place);
            }
        }
        sorted.insert(scope, all);
    }
    let mut order = Vec::with_capacity(count);
    let mut open: Vec<std::vec::IntoIter<usize>> =
        sorted.remove(&None).map(Vec::into_iter).into_iter().collect();
    while let Some(scope) = open.last_mut() {
        let Some(place) = scope.next() else {
            open.pop();
            continue;
        };
        order.push(place);
        open.extend(sorted.remove(&Some(place)).map(Vec::into_iter));
    }
    order
}

/// Gives each way a lane and draws it into the lines; how many found none.
fn draw_lanes(lines: &mut [NodeLine], edges: &[(usize, usize)], at: &[usize]) -> usize {
    let (mut gives, mut takes) = (vec![0_usize; at.len()], vec![0_usize; at.len()]);
    for (from, to) in edges {
        gives[*from] += 1;
        takes[*to] += 1;
    }
    // The lines that each way meets: where one gives to many it is one lane, and where many give to one too.
    let mut ways: BTreeMap<LaneOwner, BTreeSet<usize>> = BTreeMap::new();
    for (from, to) in edges {
        lines[at[*to]].has_input = true;
        let way = if takes[*to] > gives[*from] { LaneOwner::To(*to) } else { LaneOwner::From(*from) };
        ways.entry(way).or_default().extend([at[*from], at[*to]]);
    }
    let mut ways: Vec<BTreeSet<usize>> = ways.into_values().collect();
    ways.sort_by_key(|met| (met.first().copied(), met.last().copied()));
    let mut hidden = 0;
    // The line at which each lane is free again.
    let mut free: Vec<usize> = Vec::new();
    for met in ways {
        let (Some(first), Some(last)) = (met.first().copied(), met.last().copied()) else { continue };
        let lane = free.iter().position(|until| *until < first).unwrap_or(free.len());
        if lane >= LANES_MAX {
            hidden += 1;
            for line in met {
                lines[line].has_more = true;
            }
            continue;
        }
        if lane == free.len() {
            free.push(last);
        } else {
            free[lane] = last;
        }
        for (line, drawn) in (first..=last).zip(&mut lines[first..=last]) {
            if drawn.lanes.len() <= lane {
                widen(drawn, lane + 1);
            }
            drawn.lanes[lane] = match line {
                _ if line == first => Lane::Begin,
                _ if line == last => Lane::End,
                _ if met.contains(&line) => Lane::Join,
                _ => Lane::Pass,
            };
        }
    }
    // Every line has as many columns, so that the nodes stand below one another.
    let columns = free.len();
    for line in lines {
        widen(line, columns);
    }
    hidden
}

/// Gives a line so many lanes.
fn widen(line: &mut NodeLine, columns: usize) {
    let mut all = std::mem::take(&mut line.lanes).into_vec();
    all.resize(columns, Lane::Blank);
    line.lanes = all.into_boxed_slice();
}

impl NodeLine {
    /// The columns before the node: so many of its lanes at most, and the way from them to it.
    pub(crate) fn gutter(&self, glyphs: &Glyphs, lanes_max: usize) -> String {
        let mut drawn = String::new();
        let mut is_touched = false;
        for lane in self.lanes.iter().take(lanes_max) {
            let [begin, join, end, begin_on, join_on, end_on] = glyphs.lanes;
            drawn.push_str(match (lane, is_touched) {
                (Lane::Blank, false) => " ",
                (Lane::Blank, true) => glyphs.horizontal,
                (Lane::Pass, _) => glyphs.vertical,
                (Lane::Begin, false) => begin,
                (Lane::Join, false) => join,
                (Lane::End, false) => end,
                (Lane::Begin, true) => begin_on,
                (Lane::Join, true) => join_on,
                (Lane::End, true) => end_on,
            });
            is_touched |= matches!(lane, Lane::Begin | Lane::Join | Lane::End);
        }
        let way = if is_touched { glyphs.horizontal } else { " " };
        for _ in 0..self.depth * 2 {
            drawn.push_str(way);
        }
        let is_met = |lane: &Lane| matches!(lane, Lane::Begin | Lane::Join | Lane::End);
        let has_more = self.has_more || self.lanes.iter().skip(lanes_max).any(is_met);
        if !self.lanes.is_empty() || has_more {
            drawn.push_str(match (has_more, is_touched && self.has_input) {
                (true, _) => glyphs.ellipsis,
                (false, true) => glyphs.into,
                (false, false) => way,
            });
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use crate::console::draw::glyphs;
    use std::sync::Arc;

    use super::*;
    use crate::runs::{PlanEdge, PlanNode};

    fn plan(nodes: &[Option<u32>], edges: &[(u32, u32)]) -> Plan {
        let node = |(at, parent): (usize, &Option<u32>)| PlanNode {
            id: format!("n{at}").into(),
            uses: "agent:x".into(),
            parent: *parent,
        };
        let edge = |(from, to): &(u32, u32)| PlanEdge {
            from: *from,
            from_port: Arc::from("out"),
            to: *to,
            to_port: Arc::from("in"),
            when: None,
        };
        Plan { nodes: nodes.iter().enumerate().map(node).collect(), edges: edges.iter().map(edge).collect() }
    }

    fn drawn(plan: &Plan) -> Vec<String> {
        let line = |line: &NodeLine| format!("{}{}", line.gutter(&glyphs::UNICODE, LANES_MAX), line.index);
        DagLayout::of(plan).lines.iter().map(line).collect()
    }

    #[test]
    fn one_that_gives_to_many_has_one_lane_and_many_that_give_to_one_have_one() {
        let fan = plan(&[None; 5], &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
        assert_eq!(drawn(&fan), ["┌──0", "├┬▸1", "├┼▸2", "└┼▸3", " └▸4"]);
    }

    #[test]
    fn a_chain_and_what_goes_by_it_are_told_apart() {
        let chain = plan(&[None; 3], &[(0, 1), (1, 2)]);
        assert_eq!(drawn(&chain), ["┌──0", "└┬▸1", " └▸2"]);
        let beside = plan(&[None; 4], &[(0, 2), (1, 3)]);
        assert_eq!(drawn(&beside), ["┌──0", "│┌─1", "└│▸2", " └▸3"]);
    }

    #[test]
    fn nodes_of_a_nested_opening_stand_behind_the_node_that_nests_it() {
        let nested = plan(&[None, Some(0), Some(0), None], &[(1, 2), (0, 3)]);
        assert_eq!(drawn(&nested), ["┌──0", "│┌───1", "│└──▸2", "└─▸3"]);
    }

    #[test]
    fn what_has_no_edges_has_no_lanes_and_a_circle_or_a_bad_place_breaks_nothing() {
        assert_eq!(drawn(&plan(&[None; 2], &[])), ["0", "1"]);
        assert_eq!(drawn(&Plan::default()), Vec::<String>::new());
        let round = plan(&[None, Some(7), None], &[(0, 2), (2, 0), (1, 1), (1, 9)]);
        assert_eq!(DagLayout::of(&round).lines.len(), 3);
    }

    #[test]
    fn every_node_stands_once_and_behind_what_feeds_it_however_wide_the_plan_is() {
        let mut edges = Vec::new();
        for at in 1..1_000_u32 {
            edges.extend([(at / 2, at), (at / 3, at), (at.saturating_sub(7), at)]);
        }
        let picture = DagLayout::of(&plan(&[None; 1_000], &edges));
        let mut at = vec![None; 1_000];
        for (line, drawn) in picture.lines.iter().enumerate() {
            assert_eq!(at[drawn.index].replace(line), None);
        }
        for (from, to) in edges.into_iter().filter(|(from, to)| from != to) {
            assert!(at[from as usize] < at[to as usize], "{from} {to}");
        }
        assert!(picture.hidden > 0 && picture.lines.iter().all(|line| line.lanes.len() == LANES_MAX));
    }
}
