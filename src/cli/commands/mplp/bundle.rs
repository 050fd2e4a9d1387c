//! Files that are judged together, as the bundle of one record.

use std::{
    collections::BTreeMap,
    io::{self, Read as _},
};

use serde_json::Value;

use super::{
    input::{Begun, begin, shown},
    rows::{InputRow, Place, Report},
    validate::{BUNDLE_LIMIT, By, expanded, hint_of, one_value, said, too_long, unreadable},
};
use crate::{
    cli::error::Error,
    mplp::{
        Assembled, Finding, NotJudged, RecordContext, SchemaId, assemble, bundle,
        bundle::{BundleMember, member_of, objects_of},
        detect, is_bundle, judge, judge_bundle, read,
    },
    schema::PathStep,
};

/// The objects of several files, each with its place.
struct Gathered {
    objects: Vec<(SchemaId, Value)>,
    places: Vec<Place>,
    /// Bytes that objects to come may still have. A bundle that is judged by itself has none of them.
    bytes_left: usize,
    /// Whether a file was a bundle by itself.
    has_bundle: bool,
}

/// Judges files and those of folders as one bundle. A bundle among them is judged by itself.
pub(super) fn files(label: &str, given: &[String], by: By, report: &mut Report<'_>) -> Result<(), Error> {
    let (_, not_judged) = report.counts();
    let mut gathered = Gathered {
        objects: Vec::new(),
        places: Vec::new(),
        bytes_left: by.bundle.bytes_max,
        has_bundle: false,
    };
    for input in given {
        match expanded(input) {
            Ok(files) => files.iter().try_for_each(|file| gathered.file(file, by, report))?,
            Err(error) => unreadable(input, &error, report)?,
        }
    }
    let Gathered { objects, places, has_bundle, .. } = gathered;
    if objects.is_empty() {
        if !has_bundle && report.counts().1 == not_judged {
            let hint = "give files named .json or .ndjson, or a folder of them";
            report.not_judged(&Place::file(label), "contains no object", hint)?;
        }
        return Ok(());
    }
    let by_member = by_member(objects.iter().map(|(schema, _)| *schema).zip(&places));
    match assemble(objects, by.profile) {
        Ok(assembled) => {
            let not_judged = report.counts().1 - not_judged;
            judge_all(label, &assembled, (&by_member, &places), not_judged, by, report)
        }
        Err(second) => {
            let error = format!("a second {} in one bundle", second.kind);
            let place = places.get(second.place).cloned().unwrap_or_else(|| Place::file(label));
            report.not_judged(&place, &error, "judge the files of each record apart")
        }
    }
}

/// Members of a bundle, with their index where they are lists.
type Places<'a> = BTreeMap<(&'static str, Option<usize>), &'a Place>;

/// Where the objects are that stand at the places of a bundle's members.
fn by_member<'a>(objects: impl Iterator<Item = (SchemaId, &'a Place)>) -> Places<'a> {
    let (mut places, mut counts) = (Places::new(), BTreeMap::<&str, usize>::new());
    for (schema, place) in objects {
        match member_of(schema) {
            Some((name, BundleMember::One(_))) => {
                places.entry((name, None)).or_insert(place);
            }
            Some((name, _)) => {
                let index = counts.entry(name).or_default();
                places.insert((name, Some(*index)), place);
                *index += 1;
            }
            None => {}
        }
    }
    places
}

/// Where the object of a finding is.
fn place_of(places: &Places<'_>, finding: &Finding) -> Option<Place> {
    let mut steps = finding.path.steps().iter();
    let Some(PathStep::Name(member)) = steps.next() else { return None };
    let index = match steps.next() {
        Some(PathStep::Index(index)) => Some(*index),
        _ => None,
    };
    let (name, _) = bundle::BUNDLE_MEMBERS.into_iter().find(|(name, _)| **name == **member)?;
    let found = places.get(&(name, index)).or_else(|| places.get(&(name, None)))?;
    Some(Place::clone(found))
}

fn judge_all(
    label: &str,
    assembled: &Assembled,
    (by_member, places): (&Places<'_>, &[Place]),
    not_judged: u64,
    by: By,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let (before, _) = report.counts();
    let max = by.bundle.findings_max;
    let findings = judge_bundle(&assembled.bundle, by.profile, max);
    report.findings(&Place::file(label), &findings, |finding| place_of(by_member, finding))?;
    let alone = RecordContext { profile: by.profile, bundle: None };
    for (place, schema, value) in &assembled.others {
        let findings = judge(*schema, value, alone, max);
        let own = places.get(*place).cloned().unwrap_or_else(|| Place::file(label));
        report.findings(&own, &findings, |_| None)?;
    }
    let broken = report.counts().0 - before;
    report.input(&InputRow {
        file: label.to_owned(),
        valid: broken == 0 && not_judged == 0,
        schema: "bundle",
        objects: objects_of(&assembled.bundle) + assembled.others.len() as u64,
        broken,
        not_judged,
    })
}

impl Gathered {
    /// Takes the objects of a file in.
    fn file(&mut self, given: &str, by: By, report: &mut Report<'_>) -> Result<(), Error> {
        let file = shown(given);
        let bytes_max = by.bundle.bytes_max;
        let begun = begin(given, bytes_max).and_then(|begun| whole(begun, bytes_max));
        let (bytes, is_of_lines) = match begun {
            Ok(Some(read)) => read,
            Ok(None) => return too_long(file, by, report),
            Err(error) => return unreadable(file, &error, report),
        };
        if !is_of_lines {
            return self.value(&bytes, Place::file(file), by, report).map(drop);
        }
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let is_blank = line.trim_ascii().is_empty();
            if !is_blank && !self.value(line, Place::line(file, number), by, report)? {
                break;
            }
        }
        Ok(())
    }

    /// Takes one object in, or judges a bundle; whether there was room for it.
    fn value(&mut self, bytes: &[u8], place: Place, by: By, report: &mut Report<'_>) -> Result<bool, Error> {
        let why = match read(bytes, by.object) {
            Ok(value) => match by.schema.or_else(|| detect(&value)) {
                Some(schema) => {
                    let Some(left) = self.bytes_left.checked_sub(bytes.len()) else {
                        let error =
                            format!("the files together have more than {} bytes", by.bundle.bytes_max);
                        return report.not_judged(&place, &error, BUNDLE_LIMIT).map(|()| false);
                    };
                    self.bytes_left = left;
                    self.objects.push((schema, value));
                    self.places.push(place);
                    return Ok(true);
                }
                None if is_bundle(&value) => None,
                None => Some(NotJudged::NotKnown),
            },
            Err(NotJudged::NotJson(error)) => Some(NotJudged::NotJson(error)),
            Err(_) if place.line.is_none() => None,
            Err(why) => Some(why),
        };
        if let Some(why) = why {
            return report.not_judged(&place, &said(&why, &place), hint_of(&why)).map(|()| true);
        }
        self.has_bundle = true;
        one_value(&place.file, bytes, by, report).map(|()| true)
    }
}

/// All bytes of an input that was begun, and whether they are lines; nothing where they are too many.
fn whole(begun: Begun, bytes_max: usize) -> io::Result<Option<(Vec<u8>, bool)>> {
    match begun {
        Begun::One(bytes) => Ok(Some((bytes, false))),
        Begun::TooLong => Ok(None),
        Begun::Lines(mut head, rest) => {
            let left = bytes_max.saturating_sub(head.len()) as u64;
            let count = rest.take(left.saturating_add(1)).read_to_end(&mut head)? as u64;
            Ok((count <= left).then_some((head, true)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::{cli::output::tests::Printed, mplp::InputLimits};

    const CONTEXT: &str = r#"{"meta":{"protocol_version":"1.0.0","schema_version":"2.0.0"},
        "context_id":"9b2f4c7e-1d3a-4f60-8a5b-0c1d2e3f4a5b","title":"a night","status":"active",
        "root":{"domain":"stream","environment":"live"}}"#;
    const ROLE: &str = r#"{"meta":{"protocol_version":"1.0.0","schema_version":"2.0.0"},
        "role_id":"9b2f4c7e-1d3a-4f60-8a5b-0c1d2e3f4a5b","name":"writer"}"#;

    /// What is printed of a folder's files, where all objects together may have so many bytes.
    fn judged(folder: &Path, bytes_max: usize) -> String {
        let object = InputLimits { bytes_max: 10_000, depth_max: 20, findings_max: 20 };
        let by = By { schema: None, profile: None, object, bundle: InputLimits { bytes_max, ..object } };
        let printed = Printed::default();
        let given = [folder.display().to_string()];
        let mut out = printed.output(false);
        files("all", &given, by, &mut Report::new(&mut out, "")).unwrap();
        printed.text().replace(&format!("{}/", folder.display()), "")
    }

    #[test]
    fn what_is_judged_together_is_bounded_together_and_a_bundle_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let bundle = format!(r#"{{"mplp":"1.0.0","profile":"sa","context":{CONTEXT}}}"#);
        file("a.json", &bundle);
        file("b.json", CONTEXT);
        file("c.ndjson", &format!("\n{0}\n{0}\n{0}\n", ROLE.replace('\n', "")));
        let role = ROLE.len() - 1;
        let of_a = "a.json: bundle of 1 object OK\n";
        assert_eq!(judged(folder.path(), 10_000), format!("{of_a}all: bundle of 4 objects OK\n"));
        assert_eq!(
            judged(folder.path(), CONTEXT.len() + 3 * role),
            format!("{of_a}all: bundle of 4 objects OK\n"),
            "the bundle has none of their bytes"
        );
        let bytes_max = CONTEXT.len() + 2 * role - 1;
        assert!(bytes_max > 3 * role + 4 && bytes_max > bundle.len(), "each file is small enough");
        let why = format!("not judged: the files together have more than {bytes_max} bytes; {BUNDLE_LIMIT}");
        assert_eq!(
            judged(folder.path(), bytes_max),
            format!("{of_a}c.ndjson:3: {why}\nall: bundle of 2 objects not valid\n")
        );
        file("a.json", &format!("{}{bundle}", " ".repeat(bytes_max)));
        let text = judged(folder.path(), bytes_max);
        assert!(text.starts_with(&format!("a.json: not judged: larger than {bytes_max} bytes; ")), "{text}");
    }
}
