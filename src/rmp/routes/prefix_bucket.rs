//! The subscriptions of one form of pattern, by its prefix.

use hashbrown::{HashMap, hash_map::Entry};

use super::Route;
use crate::ids::TopicName;

/// Routes by the prefix of their patterns.
#[derive(Debug, Default)]
pub(super) struct PrefixBucket {
    routes: HashMap<TopicName, Vec<Route>>,
    /// Prefixes there are, by their segments; the empty one has none.
    by_depth: [usize; DEPTHS],
}

/// A topic has 16 segments at most, and so has a prefix.
const DEPTHS: usize = 17;

impl PrefixBucket {
    /// Puts a route down and tells its place.
    pub(super) fn put(&mut self, prefix: &str, route: Route) -> usize {
        let routes = match self.routes.entry(TopicName::new(prefix)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                if let Some(prefixes) = self.by_depth.get_mut(depth(prefix)) {
                    *prefixes += 1;
                }
                entry.insert(Vec::new())
            }
        };
        routes.push(route);
        routes.len() - 1
    }

    /// Takes the route at a place away, and tells the one that took its place, if one did.
    pub(super) fn take(&mut self, prefix: &str, index: usize) -> Option<Route> {
        let routes = self.routes.get_mut(prefix)?;
        if index < routes.len() {
            routes.swap_remove(index);
        }
        let moved = routes.get(index).copied();
        if routes.is_empty() {
            self.routes.remove(prefix);
            if let Some(prefixes) = self.by_depth.get_mut(depth(prefix)) {
                *prefixes = prefixes.saturating_sub(1);
            }
        }
        moved
    }

    /// The routes of a prefix.
    pub(super) fn at(&self, prefix: &str) -> &[Route] {
        self.routes.get(prefix).map_or(&[], Vec::as_slice)
    }

    /// Whether any prefix has so many segments.
    pub(super) fn has_depth(&self, depth: usize) -> bool {
        self.by_depth.get(depth).is_some_and(|prefixes| *prefixes > 0)
    }
}

fn depth(prefix: &str) -> usize {
    if prefix.is_empty() { 0 } else { prefix.bytes().filter(|byte| *byte == b'/').count() + 1 }
}
