//! The lines of a record that are not folded away, in their order.

use std::sync::Arc;

use super::{
    folds::{Folds, OpenObject, Values},
    keys::{PartId, PartOf},
    record::{HeldRecord, HeldRow},
};
use crate::{
    dissect::{Tree, mplp::object::nearest},
    mplp::Finding,
    schema::{JsonText, PathStep},
};

/// What findings of no object's own are listed under.
pub(super) const BUNDLE: &str = "bundle";

/// A line. Lines are ordered as they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Line {
    /// The findings of the bundle.
    Bundle,
    BundleFinding(usize),
    /// Of the rows.
    Of(RowLine),
    /// What is not loaded.
    Rest,
}

/// A line of a row: by its place among those that are held, then in the order of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowLine {
    pub(crate) row: usize,
    pub(crate) kind: RowLineKind,
}

/// A line of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowLineKind {
    /// The list that the row is the first of.
    List,
    /// The row itself.
    Whole,
    /// A finding of it.
    Finding(usize),
    /// A value within it.
    Value(usize),
    /// Why its values are not shown, or that there are more.
    Note,
}

impl Line {
    pub(crate) const fn of(row: usize, kind: RowLineKind) -> Self {
        Self::Of(RowLine { row, kind })
    }
}

/// The lines of a record. While its rows are narrowed by a filter, every list is unfolded, and what is wrong
/// with an object is listed below it.
pub(crate) fn lines(record: &HeldRecord, folds: &Folds, is_narrowed: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    if !record.of_bundle.is_empty() {
        lines.push(Line::Bundle);
        if is_narrowed || folds.has_bundle() {
            lines.extend((0..record.of_bundle.len()).map(Line::BundleFinding));
        }
    }
    let mut is_open = false;
    for member in &record.members {
        is_open = is_narrowed || !member.is_list || folds.has_list(&member.name);
        if member.is_list {
            lines.push(Line::of(member.first, RowLineKind::List));
        }
        for row in (member.first..member.end).filter(|_| is_open) {
            push_row(&mut lines, row, &record.rows[row], folds.object(row), is_narrowed);
        }
    }
    if record.has_more() && (is_open || !record.has_objects()) {
        lines.push(Line::Rest);
    }
    lines
}

fn push_row(lines: &mut Vec<Line>, row: usize, of: &HeldRow, object: Option<&OpenObject>, is_narrowed: bool) {
    lines.push(Line::of(row, RowLineKind::Whole));
    if object.is_some() || is_narrowed {
        let finding = |at| Line::of(row, RowLineKind::Finding(at));
        lines.extend((0..of.findings.len()).map(finding));
    }
    let Some(object) = object else { return };
    let Values::Read(tree) = &object.values else {
        lines.push(Line::of(row, RowLineKind::Note));
        return;
    };
    let mut index = 1;
    while let Some(node) = tree.nodes.get(index) {
        lines.push(Line::of(row, RowLineKind::Value(index)));
        let is_folded = tree.is_folder(index) && !object.unfolded.contains(&index);
        index = if is_folded { node.end } else { index + 1 };
    }
    if tree.is_cut {
        lines.push(Line::of(row, RowLineKind::Note));
    }
}

/// A record with what of it is unfolded.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) record: &'a HeldRecord,
    pub(crate) folds: &'a Folds,
    pub(crate) is_narrowed: bool,
}

impl<'a> Shown<'a> {
    /// What names the part of a line.
    pub(crate) fn id(self, line: Line) -> PartId {
        let id = |path: Arc<str>, part| PartId { of: self.record.of.clone(), path, part };
        let RowLine { row, kind } = match line {
            Line::Bundle => return id(BUNDLE.into(), PartOf::List),
            Line::BundleFinding(at) => return id(BUNDLE.into(), PartOf::Finding(at)),
            Line::Rest => return id("".into(), PartOf::Rest),
            Line::Of(line) => line,
        };
        let path = || self.record.rows.get(row).map_or_else(|| "".into(), |row| Arc::clone(&row.path));
        match kind {
            RowLineKind::List => {
                let member = self.record.members.iter().find(|member| member.first == row);
                id(member.map_or_else(|| "".into(), |member| Arc::clone(&member.name)), PartOf::List)
            }
            RowLineKind::Whole => id(path(), PartOf::Whole),
            RowLineKind::Finding(at) => id(path(), PartOf::Finding(at)),
            RowLineKind::Note => id(path(), PartOf::Note),
            RowLineKind::Value(index) => id(path(), PartOf::Value(self.way(row, index))),
        }
    }

    /// The line of a part, whether it is folded away or not.
    pub(crate) fn line(self, id: &PartId) -> Option<Line> {
        if id.of != self.record.of {
            return None;
        }
        match &id.part {
            PartOf::List if &*id.path == BUNDLE => Some(Line::Bundle),
            PartOf::Finding(at) if &*id.path == BUNDLE => Some(Line::BundleFinding(*at)),
            PartOf::Rest => Some(Line::Rest),
            PartOf::List => {
                let member = self.record.members.iter().find(|member| member.name == id.path)?;
                Some(Line::of(member.first, RowLineKind::List))
            }
            part => {
                let row = self.record.row_of(&id.path)?;
                let kind = match part {
                    PartOf::Finding(at) => RowLineKind::Finding(*at),
                    PartOf::Note => RowLineKind::Note,
                    PartOf::Value(way) => {
                        let (tree, bytes) = self.values(row)?;
                        RowLineKind::Value(Some(nearest(tree, bytes, way)).filter(|index| *index > 0)?)
                    }
                    PartOf::Whole | PartOf::List | PartOf::Rest => RowLineKind::Whole,
                };
                Some(Line::of(row, kind))
            }
        }
    }

    /// The way within its object to a value.
    pub(crate) fn way(self, row: usize, index: usize) -> Vec<PathStep> {
        let (Some((tree, bytes)), Some(object)) = (self.values(row), self.folds.object(row)) else {
            return Vec::new();
        };
        object.ways.to(tree, bytes, index)
    }

    /// The values of a row that is unfolded, with its bytes.
    pub(crate) fn values(self, row: usize) -> Option<(&'a Tree, &'a [u8])> {
        let Values::Read(tree) = &self.folds.object(row)?.values else { return None };
        let object = self.record.rows.get(row)?.object.as_ref()?;
        Some((tree, JsonText::as_str(object).as_bytes()))
    }

    /// Whether what is behind a line is folded away; nothing where nothing is.
    pub(crate) fn is_folded(self, line: Line) -> Option<bool> {
        let RowLine { row, kind } = match line {
            Line::Bundle => return Some(!self.is_narrowed && !self.folds.has_bundle()),
            Line::BundleFinding(_) | Line::Rest => return None,
            Line::Of(line) => line,
        };
        match kind {
            RowLineKind::List => {
                let member = self.record.members.iter().find(|member| member.first == row)?;
                Some(!self.is_narrowed && !self.folds.has_list(&member.name))
            }
            RowLineKind::Whole => Some(self.folds.object(row).is_none()),
            RowLineKind::Value(index) => {
                let (tree, _) = self.values(row)?;
                let object = self.folds.object(row)?;
                tree.is_folder(index).then(|| !object.unfolded.contains(&index))
            }
            RowLineKind::Finding(_) | RowLineKind::Note => None,
        }
    }

    /// The line that a line is within.
    pub(crate) fn parent(self, line: Line) -> Option<Line> {
        let RowLine { row, kind } = match line {
            Line::Bundle | Line::Rest => return None,
            Line::BundleFinding(_) => return Some(Line::Bundle),
            Line::Of(line) => line,
        };
        match kind {
            RowLineKind::List => None,
            RowLineKind::Whole => {
                let mut members = self.record.members.iter();
                let member = members.find(|member| (member.first..member.end).contains(&row))?;
                member.is_list.then_some(Line::of(member.first, RowLineKind::List))
            }
            RowLineKind::Value(index) => {
                let parent = self.folds.object(row)?.ways.parent(index).filter(|parent| *parent > 0);
                let kind = parent.map_or(RowLineKind::Whole, RowLineKind::Value);
                Some(Line::of(row, kind))
            }
            RowLineKind::Finding(_) | RowLineKind::Note => Some(Line::of(row, RowLineKind::Whole)),
        }
    }

    /// How deep a line lies.
    pub(crate) fn depth(self, line: Line) -> usize {
        let RowLine { row, kind } = match line {
            Line::Bundle | Line::Rest => return 0,
            Line::BundleFinding(_) => return 1,
            Line::Of(line) => line,
        };
        let of_row = usize::from(self.record.rows.get(row).is_some_and(|row| row.path.contains('[')));
        match kind {
            RowLineKind::List => 0,
            RowLineKind::Whole => of_row,
            RowLineKind::Finding(_) | RowLineKind::Note => of_row + 1,
            RowLineKind::Value(index) => {
                let node = self.values(row).and_then(|(tree, _)| tree.nodes.get(index));
                of_row + node.map_or(1, |node| usize::from(node.depth))
            }
        }
    }

    /// The finding that is marked at a line: of what is folded away, the first; and how many there are.
    pub(crate) fn findings(self, line: Line) -> (Option<&'a Finding>, usize) {
        let all = |findings: &'a [Finding]| (findings.first(), findings.len());
        let RowLine { row, kind } = match line {
            Line::Bundle => return all(&self.record.of_bundle),
            Line::BundleFinding(at) => return (self.record.of_bundle.get(at), 1),
            Line::Rest => return (None, 0),
            Line::Of(line) => line,
        };
        let Some(of_row) = self.record.rows.get(row) else { return (None, 0) };
        match kind {
            RowLineKind::Whole => all(&of_row.findings),
            RowLineKind::Finding(at) => (of_row.findings.get(at), 1),
            RowLineKind::Note => (None, 0),
            RowLineKind::List => {
                let member = self.record.members.iter().find(|member| member.first == row);
                let rows = member.map_or(&[][..], |member| &self.record.rows[member.first..member.end]);
                let count = rows.iter().map(|row| row.findings.len()).sum();
                (rows.iter().find_map(|row| row.findings.first()), count)
            }
            RowLineKind::Value(index) => {
                let Some(object) = self.folds.object(row) else { return (None, 0) };
                let end = match self.values(row).and_then(|(tree, _)| tree.nodes.get(index)) {
                    Some(node) if !object.unfolded.contains(&index) => node.end,
                    _ => index + 1,
                };
                let of_value =
                    |(at, places): (&usize, &Vec<usize>)| (index..end).contains(at).then(|| places.clone());
                let mut places: Vec<usize> = object.blamed.iter().filter_map(of_value).flatten().collect();
                places.sort_unstable();
                (places.first().and_then(|at| of_row.findings.get(*at)), places.len())
            }
        }
    }
}
