//! Finds the values that rules name in the tree of what a frame, a row or a command says.

use std::{borrow::Cow, ops::Range};

use super::{
    encoding::{Encoding, binary},
    lexer,
    path::{Path, Step},
    plan,
    rule::{Facts, RedactRules, Rule},
};
use crate::{
    dissect::{
        json,
        tree::{Kind, Node, TOO_DEEP, Text, Tree, TreeBuilder, slice},
    },
    msgpack::Walk,
};

/// Values of a frame that are looked through; one that has more is masked whole.
pub(super) const NODES_MAX: usize = 65_536;

/// Bytes of a name, and of what an object says of itself, that are compared.
const NAME_BYTES_MAX: usize = 512;

/// What carries something of its own: a path also begins there.
const CARRIERS: [&str; 9] =
    ["params", "payload", "result", "value", "body", "args", "with", "inputs", "data"];

/// The parts of a call where a path begins: the envelope, what it carries, and the JSON of that.
const PARTS: [&str; 3] = ["envelope", "payload", "json"];

/// Places from which paths begin that are compared with each other.
const ROOTS_MAX: usize = 256;

/// What is said of the bytes that a tree is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub(super) encoding: Encoding,
    /// The rules that are for all of it, by their places.
    pub(super) admitted: u64,
    /// What it is known to be about.
    pub(super) facts: &'a Facts,
    /// Whether rules are for what may be meant too: so it is in texts, whose origin is not known.
    pub(super) is_loose: bool,
    /// Members of the outermost object that are the protocol's, and stay.
    pub(super) kept: &'static [&'static str],
    /// In how many texts it is.
    pub(super) depth: usize,
}

impl<'a> Scope<'a> {
    /// Bytes of a frame that these rules are for.
    pub(super) const fn of_frame(encoding: Encoding, admitted: u64, kept: &'static [&'static str]) -> Self {
        const NOTHING: &Facts = &Facts { event: None, topic: None };
        Self { encoding, admitted, facts: NOTHING, is_loose: false, kept, depth: 0 }
    }

    /// A text that is JSON.
    pub(super) const fn of_text(facts: &'a Facts) -> Self {
        Self { encoding: Encoding::Json, admitted: 0, facts, is_loose: true, kept: &[], depth: 0 }
    }
}

/// A value to be masked, by its place in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) range: Range<usize>,
    pub(super) encoding: Encoding,
    /// Whether a rule names it, and it is not masked for what it may hold.
    pub(super) is_named: bool,
}

/// A text or binary within, which may be JSON or a plan itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inner {
    /// Without quotes.
    pub(super) range: Range<usize>,
    /// Whether it is a string of JSON, with escapes.
    pub(super) is_escaped: bool,
    /// What the objects around it say.
    pub(super) facts: Facts,
}

/// What a tree has to be masked: values, and texts in which there may be more.
#[derive(Debug, Default)]
pub(super) struct MaskTargets {
    pub(super) targets: Vec<Target>,
    pub(super) inner: Vec<Inner>,
}

/// A tree with the bytes that it is of.
struct Values<'a> {
    tree: &'a Tree,
    bytes: &'a [u8],
    encoding: Encoding,
    /// What holds each node.
    parents: Vec<Option<usize>>,
    /// How many are faulty in front of each node, and in all.
    faults: Vec<usize>,
}

/// Finds in a tree what rules name.
pub(super) fn find(tree: &Tree, bytes: &[u8], rules: &RedactRules, scope: Scope<'_>) -> MaskTargets {
    let values = Values::of(tree, bytes, scope.encoding);
    let (mut found, mut roots) = (MaskTargets::default(), Vec::new());
    // Each open object that says something, where it ends, and what that is.
    let mut around: Vec<(usize, usize, Facts)> = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        while around.pop_if(|(_, end, _)| *end <= at).is_some() {}
        let parent = values.parent(at);
        let is_below_anchor = parent.is_some_and(|parent| {
            values.parent(parent).is_none() || around.last().is_some_and(|(of, ..)| *of == parent)
        });
        let outer = around.last().map_or(scope.facts, |(.., facts)| facts);
        let own = values.facts(at);
        let says = !own.is_empty();
        let facts = own.within(outer);
        let is_anchor = parent.is_none() || says || values.is_part(at);
        let is_carrier = (scope.is_loose || is_below_anchor) && CARRIERS.contains(&&*values.name(at));
        if is_anchor || is_carrier {
            // A text within one that is whole is whole, whatever it looks like.
            let is_cut = scope.depth == 0 && values.is_cut(at);
            for (number, rule) in rules.iter().enumerate() {
                if is_for(rule, number, &facts, scope) || (is_cut && rule.may_admit_cut(&facts)) {
                    roots.push(Root { number, at, rule, named: values.named(at, &rule.path, scope) });
                }
            }
        }
        if is_too_deep(node) {
            found.targets.extend(values.target(at).map(|target| Target { is_named: false, ..target }));
        }
        found.inner.extend(values.inner(at, node, &facts));
        if says {
            around.push((at, node.end, facts));
        }
    }
    for root in &roots {
        values.targets(root, &roots, scope, &mut found.targets);
    }
    if tree.is_cut {
        found.targets.extend(whole_target(bytes, rules, scope));
    }
    // What is learned first, then what is masked for what it may hold.
    found.targets.sort_unstable_by_key(|it| (!it.is_named, it.range.start, it.range.end));
    found.targets.dedup();
    found
}

/// All of what has too many values, where a rule may be for those that were not looked through.
fn whole_target(bytes: &[u8], rules: &RedactRules, scope: Scope<'_>) -> Option<Target> {
    let unsaid = Facts::default();
    let is_meant =
        |(number, rule): (usize, &Rule)| is_for(rule, number, &unsaid, scope) || rule.may_admit_cut(&unsaid);
    let encoding = match scope.encoding {
        Encoding::Protobuf => Encoding::Unread,
        other => other,
    };
    let target = Target { range: 0..bytes.len(), encoding, is_named: false };
    rules.iter().enumerate().any(is_meant).then_some(target)
}

/// Whether a JSON has a value where one of these paths leads, or cannot be read to its end.
pub(super) fn may_have(text: &[u8], paths: &[&str]) -> bool {
    let mut builder = TreeBuilder::new(NODES_MAX);
    json::read(text, "text", &mut builder);
    let tree = builder.finish();
    let values = Values::of(&tree, text, Encoding::Json);
    let leads = |path: &&str| Path::parse(path).map_or(true, |path| !values.resolve(0, &path, 0).is_empty());
    values.is_broken() || paths.iter().any(leads)
}

/// Where a rule's path begins, and the values that it leads to.
struct Root<'a> {
    number: usize,
    at: usize,
    rule: &'a Rule,
    named: Vec<usize>,
}

/// Whether a rule is for what says this of itself.
fn is_for(rule: &Rule, number: usize, facts: &Facts, scope: Scope<'_>) -> bool {
    let is_admitted = (scope.admitted >> number) & 1 == 1;
    is_admitted || rule.admits_facts(facts) || (scope.is_loose && rule.may_admit(facts))
}

/// Whether what it holds is not read.
fn is_too_deep(node: &Node) -> bool {
    node.note.as_ref().is_some_and(|note| note.text == TOO_DEEP)
}

fn is_faulty(node: &Node) -> bool {
    node.kind == Kind::Broken || node.note.as_ref().is_some_and(|note| note.is_wrong)
}

fn parents(tree: &Tree) -> Vec<Option<usize>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let of = |(at, node): (usize, &Node)| {
        while open.pop_if(|(_, end)| *end <= at).is_some() {}
        let parent = open.last().map(|(parent, _)| *parent);
        open.push((at, node.end));
        parent
    };
    tree.nodes.iter().enumerate().map(of).collect()
}

fn whole(range: &Range<u32>) -> Range<usize> {
    let at = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    at(range.start)..at(range.end)
}

impl<'a> Values<'a> {
    fn of(tree: &'a Tree, bytes: &'a [u8], encoding: Encoding) -> Self {
        let count = |before: &mut usize, node: &Node| {
            *before += usize::from(is_faulty(node));
            Some(*before)
        };
        let faults = std::iter::once(0).chain(tree.nodes.iter().scan(0, count)).collect();
        Self { tree, bytes, encoding, parents: parents(tree), faults }
    }

    /// Whether anything of it is broken or missing.
    fn is_broken(&self) -> bool {
        self.tree.is_cut || self.faults.last().is_some_and(|faults| *faults > 0)
    }

    fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().flatten()
    }

    fn node(&self, at: usize) -> Option<&'a Node> {
        self.tree.nodes.get(at)
    }

    /// The name of a value, without quotes and escapes.
    fn name(&self, at: usize) -> Cow<'a, str> {
        let Some(node) = self.node(at) else { return Cow::Borrowed("") };
        self.plain(at, &node.name)
    }

    /// A name or text of a value, without quotes and escapes.
    fn plain(&self, at: usize, text: &'a Text) -> Cow<'a, str> {
        let text = text.read(self.bytes, NAME_BYTES_MAX);
        if self.encoding_of(at) == Encoding::Json { unquoted(text) } else { text }
    }

    /// What an object says of itself.
    fn facts(&self, at: usize) -> Facts {
        let mut facts = Facts::default();
        if self.node(at).is_none_or(|node| node.kind != Kind::Object) {
            return facts;
        }
        for child in self.tree.children(at) {
            let Some(node) = self.node(child).filter(|node| node.kind == Kind::Text) else { continue };
            let slot = match &*self.name(child) {
                "event" => &mut facts.event,
                "topic" => &mut facts.topic,
                _ => continue,
            };
            *slot = Some(self.plain(child, &node.value).into_owned());
        }
        facts
    }

    /// Whether it is a part of a call where a path begins.
    fn is_part(&self, at: usize) -> bool {
        let is_one = |node: &Node| PARTS.iter().any(|name| node.name == Text::literal(*name));
        self.encoding == Encoding::Protobuf && self.node(at).is_some_and(is_one)
    }

    /// How a value is written.
    fn encoding_of(&self, at: usize) -> Encoding {
        if self.encoding != Encoding::Protobuf {
            return self.encoding;
        }
        let mut holders = std::iter::successors(Some(at), |at| self.parent(*at));
        let is_json = |at: usize| self.node(at).is_some_and(|node| node.name == Text::literal("json"));
        if holders.any(is_json) { Encoding::Json } else { Encoding::Protobuf }
    }

    /// The bytes of a value without its name.
    fn target(&self, at: usize) -> Option<Target> {
        let node = self.node(at)?;
        let (range, encoding) = (whole(&node.range), self.encoding_of(at));
        if node.kind == Kind::Broken {
            return Some(Target { range, encoding: Encoding::Unread, is_named: false });
        }
        let range = match (encoding, &node.value) {
            (Encoding::Json, Text::Bytes(value)) => whole(value),
            (Encoding::MsgPack, _) if self.is_named(at) => {
                let mut walk = Walk::new(self.bytes.get(range.clone())?, 1 << 10);
                walk.skip(1).ok()?;
                range.start + walk.at()..range.end
            }
            _ => range,
        };
        Some(Target { range, encoding, is_named: true })
    }

    fn is_named(&self, at: usize) -> bool {
        self.parent(at).and_then(|parent| self.node(parent)).is_some_and(|parent| parent.kind == Kind::Object)
    }

    /// The values that a path leads to from a place on.
    fn named(&self, root: usize, path: &Path, scope: Scope<'_>) -> Vec<usize> {
        let mut named = self.resolve(root, path, 0);
        if scope.is_loose && begins_with_carrier(path) {
            named.extend(self.resolve(root, path, 1));
        }
        named
    }

    /// Adds the values that a rule names. Where a part of what it would look through is not there, so that
    /// one may be cut, that is all of it.
    fn targets(&self, root: &Root<'_>, all: &[Root<'_>], scope: Scope<'_>, targets: &mut Vec<Target>) {
        for at in &root.named {
            self.add(*at, scope, targets);
        }
        if !(self.tree.is_cut || self.has_fault(root.at)) {
            return;
        }
        let is_unsure = if root.named.is_empty() {
            !self.is_found_within(root, all)
        } else {
            root.rule.path.is_of_several() || root.named.iter().any(|at| self.has_fault(*at))
        };
        if is_unsure {
            let first = targets.len();
            self.add(root.at, scope, targets);
            targets.iter_mut().skip(first).for_each(|target| target.is_named = false);
        }
    }

    /// Whether a rule's path leads to a value from another place within this one.
    fn is_found_within(&self, root: &Root<'_>, all: &[Root<'_>]) -> bool {
        let within = root.at..self.node(root.at).map_or(root.at, |node| node.end);
        let is_within = |other: &Root<'_>| {
            other.number == root.number && other.named.iter().any(|at| within.contains(at))
        };
        all.len() <= ROOTS_MAX && all.iter().any(is_within)
    }

    /// Adds a value; of the outermost object all but what is the protocol's.
    fn add(&self, at: usize, scope: Scope<'_>, targets: &mut Vec<Target>) {
        let outermost = |at: usize| self.parent(at).is_none();
        let is_kept =
            |at: usize| self.parent(at).is_some_and(outermost) && scope.kept.contains(&&*self.name(at));
        let holds_kept =
            outermost(at) && !scope.kept.is_empty() && self.tree.is_folder(at) && !self.tree.is_cut;
        let is_mixed = self.encoding_of(at) == Encoding::Protobuf && self.tree.is_folder(at);
        if holds_kept || is_mixed {
            self.tree.children(at).for_each(|child| self.add(child, scope, targets));
        } else if !is_kept(at) {
            targets.extend(self.target(at));
        }
    }

    /// Whether it may say more of itself than is there, or than can be read.
    fn is_cut(&self, at: usize) -> bool {
        let is_container = self.node(at).is_some_and(|node| matches!(node.kind, Kind::Object | Kind::Array));
        is_container && self.encoding_of(at) != Encoding::Protobuf && self.has_fault(at)
    }

    fn has_fault(&self, at: usize) -> bool {
        let end = self.node(at).map_or(at, |node| node.end);
        self.faults.get(at) != self.faults.get(end)
    }

    /// The values that a path leads to, without its first steps.
    fn resolve(&self, root: usize, path: &Path, skipped: usize) -> Vec<usize> {
        let mut reached = vec![self.content(root)];
        for step in path.steps().iter().skip(skipped) {
            let next = reached.iter().flat_map(|at| self.tree.children(*at).enumerate());
            let is_meant = |(index, child): &(usize, usize)| {
                let is_value =
                    self.node(*child).is_some_and(|it| !matches!(it.kind, Kind::Broken | Kind::Missing));
                is_value
                    && match step {
                        Step::All => true,
                        Step::Item(item) => index == item && !self.is_named(*child),
                        Step::Member(name) => self.is_named(*child) && self.name(*child) == name.as_str(),
                    }
            };
            reached = next.filter(is_meant).map(|(_, child)| self.content(child)).collect();
        }
        reached
    }

    /// A value, or the JSON that is all of it.
    fn content(&self, at: usize) -> usize {
        let mut children = self.tree.children(at);
        match (self.encoding, children.next(), children.next()) {
            (Encoding::Protobuf, Some(only), None)
                if self.node(only).is_some_and(|node| node.name == Text::literal("json")) =>
            {
                only
            }
            _ => at,
        }
    }

    /// A text or binary that begins as JSON does, or that is a plan.
    fn inner(&self, at: usize, node: &Node, facts: &Facts) -> Option<Inner> {
        if node.end > at + 1 {
            return None;
        }
        let encoding = self.encoding_of(at);
        let (range, is_escaped) = match (node.kind, encoding, &node.value) {
            (Kind::Text, Encoding::Json, Text::Bytes(value)) => {
                let text = slice(self.bytes, value);
                let content = text.strip_prefix(b"\"")?;
                let start = whole(value).start + 1;
                let len = content.len() - usize::from(text.len() > 1 && content.ends_with(b"\""));
                (start..start + len, true)
            }
            (Kind::Text, _, Text::Bytes(value)) => (whole(value), false),
            (Kind::Bytes, Encoding::MsgPack, _) => {
                let Target { range, .. } = self.target(at)?;
                let content = binary(self.bytes.get(range.clone())?)?;
                (range.start + content.start..range.start + content.end, false)
            }
            _ => return None,
        };
        let content = self.bytes.get(range.clone())?;
        let is_read = lexer::is_json(content) || plan::is_plan(content);
        is_read.then(|| Inner { range, is_escaped, facts: facts.clone() })
    }
}

/// Whether a path goes on from what carries something: rows have that by itself.
fn begins_with_carrier(path: &Path) -> bool {
    match path.steps() {
        [Step::Member(name), _, ..] => CARRIERS.contains(&name.as_str()),
        _ => false,
    }
}

/// A name or text without its quotes and escapes.
fn unquoted(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_quoted = text.starts_with('"');
    if !is_quoted && !text.contains('\\') {
        return text;
    }
    let inner = text.strip_prefix('"').unwrap_or(&text);
    let inner = inner.strip_suffix('"').filter(|_| is_quoted).unwrap_or(inner);
    let (plain, _) = lexer::unescaped(inner.as_bytes());
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}
