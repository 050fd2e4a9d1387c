//! An opening with those that it nests in one text, so that it can be sent to where its file is not (ruling
//! RMP 14).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Faults, Map, library,
    merge::{set_in, tree},
};
use crate::{
    limits::Runs,
    runs::yaml::{self, Located, Value},
};

/// The key under which a text carries the openings that it nests, each by its name, as a text of its own.
pub(super) const OPENINGS: &str = "openings";

/// Why openings could not be put into a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// One that is there cannot be read.
    #[error("cannot read the opening `{name}`: {why}")]
    Unread {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// With them it is no text that a station takes.
    #[error("it cannot be sent with its nested openings: {0}")]
    Text(Faults),
}

/// Puts the openings that a text nests, and those that they nest, into its `openings`. `beside` gives the
/// text of the one of a name; where it gives nothing, the name is left to whoever loads the text, and so is a
/// text that cannot be read. What the text carries already stays.
///
/// # Errors
/// [`BundleError`].
pub fn bundle(
    text: &str,
    mut beside: impl FnMut(&str) -> Result<Option<String>, String>,
    limits: &Runs,
) -> Result<String, BundleError> {
    let Ok(whole) = tree(text, limits) else { return Ok(text.to_owned()) };
    let carried = inline_openings(&whole);
    let mut left: Vec<String> = names(&whole);
    let inner = carried.values().filter_map(|text| tree(text, limits).ok());
    left.extend(inner.flat_map(|tree| names(&tree)));
    let mut seen: BTreeSet<String> = carried.keys().map(|name| (*name).to_owned()).collect();
    let (mut found, mut bytes) = (Map::new(), text.len() as u64);
    while let Some(name) = left.pop() {
        if !seen.insert(name.clone()) || bytes > limits.yaml_bytes_max {
            continue;
        }
        let nested = beside(&name).map_err(|why| BundleError::Unread { name: name.clone(), why })?;
        let Some(nested) = nested else { continue };
        bytes = bytes.saturating_add(nested.len() as u64);
        left.extend(tree(&nested, limits).map(|tree| names(&tree)).unwrap_or_default());
        found.insert(name, nested.into());
    }
    if found.is_empty() {
        return Ok(text.to_owned());
    }
    set_in(text, &whole, OPENINGS, &found, yaml::block_entry, limits).map_err(BundleError::Text)
}

/// The openings that a text carries.
fn inline_openings(tree: &Located) -> BTreeMap<&str, &str> {
    let Value::Map(root) = &tree.value else { return BTreeMap::new() };
    let Some(Value::Map(openings)) = root.value(OPENINGS).map(|it| &it.value) else { return BTreeMap::new() };
    let texts = openings.pairs.iter().filter_map(|(key, value)| match &value.value {
        Value::Text(text) => Some((&*key.name, &**text)),
        _ => None,
    });
    texts.collect()
}

/// The openings that a text nests, as far as it can be read.
fn names(tree: &Located) -> Vec<String> {
    let Value::Map(root) = &tree.value else { return Vec::new() };
    let Some(Value::List(nodes)) = root.value("nodes").map(|it| &it.value) else { return Vec::new() };
    let name = |node: &Located| {
        let Value::Map(node) = &node.value else { return None };
        let Value::Text(used) = &node.value("use")?.value else { return None };
        used.strip_prefix("opening:").filter(|name| library::is_opening_name(name)).map(str::to_owned)
    };
    nodes.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::runs::openings::{Library, NoLibrary, Opening};

    /// The one that lies nowhere but with the station.
    struct Elsewhere(String);

    impl Library for Elsewhere {
        fn read(&self, name: &str, beside: Option<&Path>) -> Result<(String, PathBuf), String> {
            assert_eq!((name, beside), ("elsewhere", None));
            Ok((self.0.clone(), PathBuf::from("/o/elsewhere.yaml")))
        }
    }

    fn nesting(name: &str, nested: &[&str]) -> String {
        let nodes = nested
            .iter()
            .enumerate()
            .map(|(at, nested)| format!("  - {{id: n{at}, use: \"opening:{nested}\"}}\n"));
        let nodes: String = nodes.collect();
        let nodes = if nodes.is_empty() { "  - {id: a, use: agent:echo}\n".to_owned() } else { nodes };
        format!("# {name}\nversion: 0\nname: {name}\nnodes:\n{nodes}edges: []\n")
    }

    fn bundled(text: &str, files: &[(&str, String)]) -> String {
        let beside = |name: &str| Ok(files.iter().find(|(it, _)| *it == name).map(|(_, text)| text.clone()));
        bundle(text, beside, &Runs::default()).unwrap()
    }

    fn load(text: &str, library: &dyn Library) -> Result<Opening, Faults> {
        Opening::load(text, None, &Map::new(), library, &Runs::default())
    }

    #[test]
    fn what_lies_beside_goes_with_the_text_and_so_does_what_that_nests() {
        let text = nesting("outer", &["one", "two", "elsewhere"]);
        let files = [
            ("one", nesting("one", &["two"])),
            ("two", nesting("two", &[])),
            ("three", nesting("three", &[])),
        ];
        let whole = bundled(&text, &files);
        assert!(whole.starts_with(&text), "what stands before stays where it is");
        assert!(whole.contains("  one: |\n    # one\n    version: 0\n"), "{whole}");
        assert!(!whole.contains("three"));
        let faults = load(&whole, &NoLibrary).unwrap_err();
        assert_eq!(faults.list().len(), 1, "the other is the station's: {faults}");
        let opening = load(&whole, &Elsewhere(nesting("elsewhere", &[]))).unwrap();
        assert_eq!(opening.nodes_count(), 3 + 2 + 1 + 1);
        assert_eq!(bundled(&whole, &files), whole, "what it carries stays");
        assert_eq!(bundled(&nesting("plain", &[]), &files), nesting("plain", &[]));
        assert_eq!(
            bundled("nodes: [", &files),
            "nodes: [",
            "what cannot be read is judged where it is loaded"
        );
    }

    #[test]
    fn a_fault_of_one_is_told_at_its_own_line_and_a_ring_is_one() {
        let broken = format!("{}colour: red\n", nesting("one", &[]));
        let faults = load(&bundled(&nesting("outer", &["one"]), &[("one", broken)]), &NoLibrary).unwrap_err();
        assert!(
            faults.to_string().starts_with("one.yaml:7:1: unknown key `colour` in an opening"),
            "{faults}"
        );
        let ring = [("a", nesting("a", &["b"])), ("b", nesting("b", &["a"]))];
        let faults = load(&bundled(&nesting("outer", &["a"]), &ring), &NoLibrary).unwrap_err();
        assert!(faults.to_string().contains("openings nest each other: a → b → a"), "{faults}");
    }

    #[test]
    fn a_text_that_no_block_takes_is_carried_all_the_same() {
        for odd in [
            nesting("one", &[]).replace('\n', "\r\n"),
            format!("\n{}\n\n", nesting("one", &[])),
            format!("{}#\u{7f}", nesting("one", &[])),
        ] {
            let whole = bundled(&nesting("outer", &["one"]), &[("one", odd.clone())]);
            let tree = tree(&whole, &Runs::default()).unwrap();
            assert_eq!(inline_openings(&tree)["one"], odd);
        }
        let outer = "{version: 0, name: outer, nodes: [{id: a, use: \"opening:one\"}], edges: []}";
        assert_eq!(
            load(&bundled(outer, &[("one", nesting("one", &[]))]), &NoLibrary).unwrap().nodes_count(),
            2
        );
    }

    #[test]
    fn what_cannot_be_read_or_is_too_long_is_told() {
        let text = nesting("outer", &["one"]);
        let unread = bundle(&text, |_| Err("no permission".to_owned()), &Runs::default()).unwrap_err();
        assert_eq!(unread.to_string(), "cannot read the opening `one`: no permission");
        let limits = Runs { yaml_bytes_max: 1_024, ..Runs::default() };
        let long = format!("{}# {}\n", nesting("one", &[]), "x".repeat(1_000));
        assert!(matches!(bundle(&text, |_| Ok(Some(long.clone())), &limits), Err(BundleError::Text(_))));
    }
}
