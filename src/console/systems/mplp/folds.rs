//! What of a record is unfolded: lists, objects, and the values within those.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::record::{HeldRecord, HeldRow};
use crate::{
    dissect::{
        Tree,
        mplp::object::{Ways, blamed, nearest},
    },
    schema::{JsonText, PathStep},
};

/// Objects that are unfolded at once; the one that was unfolded first is folded then.
const OPEN_MAX: usize = 64;

/// The values of an object.
#[derive(Debug)]
pub(crate) enum Values {
    /// The object is not here: so many bytes are still to be asked for.
    Wanted(u64),
    /// They are still to be read.
    Unread,
    /// The worker reads them; the number of the job.
    Reading(u64),
    Read(Tree),
    /// They cannot be shown: why.
    Failed(&'static str),
}

/// An object that is unfolded.
#[derive(Debug)]
pub(crate) struct OpenObject {
    pub(crate) values: Values,
    /// The values within it that are unfolded.
    pub(crate) unfolded: BTreeSet<usize>,
    /// The ways to those that are to be unfolded once it is read.
    pub(crate) reopen: Vec<Vec<PathStep>>,
    /// What its values are within.
    pub(crate) ways: Ways,
    /// The findings of its values, by their places among its own.
    pub(crate) blamed: HashMap<usize, Vec<usize>>,
    /// Which of all it was unfolded as.
    number: u64,
}

/// What is unfolded.
#[derive(Debug, Default)]
pub(crate) struct Folds {
    lists: BTreeSet<String>,
    /// Whether the findings of the bundle are folded.
    is_bundle_folded: bool,
    objects: BTreeMap<usize, OpenObject>,
    opened: u64,
}

impl Folds {
    /// Whether a list is unfolded.
    pub(crate) fn has_list(&self, name: &str) -> bool {
        self.lists.contains(name)
    }

    /// Folds or unfolds a list.
    pub(crate) fn set_list(&mut self, name: &str, is_open: bool) {
        if is_open {
            self.lists.insert(name.to_owned());
        } else {
            self.lists.remove(name);
        }
    }

    /// Whether the findings of the bundle are listed.
    pub(crate) const fn has_bundle(&self) -> bool {
        !self.is_bundle_folded
    }

    /// Folds or unfolds the findings of the bundle.
    pub(crate) const fn set_bundle(&mut self, is_open: bool) {
        self.is_bundle_folded = !is_open;
    }

    /// An object that is unfolded.
    pub(crate) fn object(&self, row: usize) -> Option<&OpenObject> {
        self.objects.get(&row)
    }

    /// An object that is unfolded, to be changed.
    pub(crate) fn object_mut(&mut self, row: usize) -> Option<&mut OpenObject> {
        self.objects.get_mut(&row)
    }

    /// Folds an object.
    pub(crate) fn close(&mut self, row: usize) {
        self.objects.remove(&row);
    }

    /// Unfolds an object, and in it the values that these ways lead to; the rows that are folded for it.
    pub(crate) fn open(&mut self, row: usize, of: &HeldRow, reopen: Vec<Vec<PathStep>>) -> Vec<usize> {
        let values = match (&of.object, of.omitted_bytes) {
            (Some(_), _) => Values::Unread,
            (None, Some(bytes)) => Values::Wanted(bytes),
            (None, None) => Values::Failed("not sent by the station"),
        };
        self.opened += 1;
        let (unfolded, ways, blamed) = (BTreeSet::new(), Ways::default(), HashMap::new());
        self.objects.insert(row, OpenObject { values, unfolded, reopen, ways, blamed, number: self.opened });
        self.make_room(OPEN_MAX, usize::MAX)
    }

    /// Folds those that were unfolded first while there are too many, or too many values in them: their rows.
    /// The last one stays.
    fn make_room(&mut self, objects_max: usize, nodes_max: usize) -> Vec<usize> {
        let mut folded = Vec::new();
        let nodes =
            |objects: &BTreeMap<usize, OpenObject>| objects.values().map(OpenObject::nodes).sum::<usize>();
        while self.objects.len() > 1 && (self.objects.len() > objects_max || nodes(&self.objects) > nodes_max)
        {
            let first = self.objects.iter().min_by_key(|(_, object)| object.number).map(|(row, _)| *row);
            if let Some(row) = first {
                self.objects.remove(&row);
                folded.push(row);
            }
        }
        folded
    }

    /// The next object that is not here, with its bytes.
    pub(crate) fn wanted(&self) -> Option<(usize, u64)> {
        self.objects.iter().find_map(|(row, object)| match object.values {
            Values::Wanted(bytes) => Some((*row, bytes)),
            _ => None,
        })
    }

    /// The next object that is to be read, unless one is being read.
    pub(crate) fn unread(&self) -> Option<usize> {
        if self.objects.values().any(|object| matches!(object.values, Values::Reading(_))) {
            return None;
        }
        self.objects.iter().find(|(_, object)| matches!(object.values, Values::Unread)).map(|(row, _)| *row)
    }

    /// Takes the values of an object; the rows that are folded for them.
    pub(crate) fn set_values(
        &mut self,
        row: usize,
        of: &HeldRow,
        tree: Tree,
        nodes_max: usize,
    ) -> Vec<usize> {
        let Some(object) = self.objects.get_mut(&row) else { return Vec::new() };
        let bytes = of.object.as_ref().map_or("", JsonText::as_str).as_bytes();
        object.blamed = blamed(&tree, bytes, &of.path, of.findings.iter().map(|finding| &finding.path));
        object.ways = Ways::of(&tree);
        for way in object.reopen.drain(..) {
            let index = nearest(&tree, bytes, &way);
            if object.ways.to(&tree, bytes, index) == way {
                object.unfolded.insert(index);
            }
        }
        // What is wrong is what is looked for.
        for index in object.blamed.keys() {
            let mut at = *index;
            while let Some(parent) = object.ways.parent(at).filter(|parent| *parent > 0) {
                object.unfolded.insert(parent);
                at = parent;
            }
        }
        object.values = Values::Read(tree);
        self.make_room(OPEN_MAX, nodes_max)
    }

    /// The object that the worker reads under this number.
    pub(crate) fn reading(&self, number: u64) -> Option<usize> {
        let mut objects = self.objects.iter();
        objects
            .find(|(_, it)| matches!(it.values, Values::Reading(job) if job == number))
            .map(|(row, _)| *row)
    }

    /// What is to be unfolded of a later state of the record: the objects of the same paths, and in those the
    /// same values.
    pub(crate) fn carried_over(&mut self, from: &HeldRecord, to: &HeldRecord) -> Self {
        let mut folds = Self {
            lists: std::mem::take(&mut self.lists),
            is_bundle_folded: self.is_bundle_folded,
            objects: BTreeMap::new(),
            opened: self.opened,
        };
        let mut objects: Vec<_> = std::mem::take(&mut self.objects).into_iter().collect();
        objects.sort_by_key(|(_, object)| object.number);
        for (row, object) in objects {
            let Some(old) = from.rows.get(row) else { continue };
            let Some(place) = to.row_of(&old.path) else { continue };
            let new = &to.rows[place];
            let is_same = matches!(object.values, Values::Read(_))
                && old.object == new.object
                && old.findings == new.findings;
            if is_same {
                folds.objects.insert(place, object);
            } else {
                // None that is folded for it was fetched: what is too large for a page is asked for again.
                folds.open(place, new, object.unfolded_ways(old));
            }
        }
        folds
    }
}

impl OpenObject {
    fn nodes(&self) -> usize {
        match &self.values {
            Values::Read(tree) => tree.nodes.len(),
            _ => 0,
        }
    }

    /// The ways to what is unfolded in it.
    fn unfolded_ways(&self, of: &HeldRow) -> Vec<Vec<PathStep>> {
        let bytes = of.object.as_ref().map_or("", JsonText::as_str).as_bytes();
        match &self.values {
            Values::Read(tree) => {
                self.unfolded.iter().map(|index| self.ways.to(tree, bytes, *index)).collect()
            }
            _ => self.reopen.clone(),
        }
    }
}
