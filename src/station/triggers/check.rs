//! What is wrong with triggers, said before they are looked for.

use std::collections::BTreeSet;

use crate::{dissect::EntryRecord, field::Fields as _, filter::Filter, port::TriggerSpec};

/// Triggers at one time.
pub(super) const TRIGGERS_MAX: usize = 64;
/// How often one may fire in an hour at most: each is remembered for that long.
const PER_HOUR_MAX: u64 = 3_600;
/// The longest name of a trigger, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// The longest of its texts, in bytes.
const TEXT_BYTES_MAX: usize = 4_096;
/// Arguments of what it runs.
const ARGUMENTS_MAX: usize = 64;
/// Seconds of a clip, of either side.
const CLIP_S_MAX: u64 = 3_600;

/// What a trigger looks for.
///
/// # Errors
/// What is wrong with the trigger.
pub fn trigger_filter(spec: &TriggerSpec) -> Result<Filter, String> {
    let TriggerSpec { name, when, run, clip, .. } = spec;
    let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(is_name) {
        return Err(format!(
            "a name has 1 to {NAME_BYTES_MAX} letters, digits, `-`, `_` and `.`, not `{name}`"
        ));
    }
    if !spec.mark && clip.is_none() && !spec.alert && run.is_empty() {
        return Err(format!("`{name}` does nothing: it needs mark, clip, alert or run"));
    }
    let longest = run.iter().map(String::len).chain([when.len()]).max().unwrap_or_default();
    if run.len() > ARGUMENTS_MAX || longest > TEXT_BYTES_MAX {
        return Err(format!(
            "`{name}`: at most {ARGUMENTS_MAX} arguments, and {TEXT_BYTES_MAX} bytes in each text"
        ));
    }
    if clip.is_some_and(|clip| clip.before_s > CLIP_S_MAX || clip.after_s > CLIP_S_MAX) {
        return Err(format!("`{name}`: a clip has at most {CLIP_S_MAX} s before and after"));
    }
    if clip.is_some_and(|clip| clip.before_s == 0 && clip.after_s == 0) {
        return Err(format!("`{name}`: a clip has at least 1 s before or after"));
    }
    if !(1..=PER_HOUR_MAX).contains(&spec.per_hour_max) {
        return Err(format!("`{name}`: it fires 1 to {PER_HOUR_MAX} times in an hour"));
    }
    let filter = Filter::parse(when, EntryRecord::SPECS)
        .map_err(|fault| format!("`{name}`: the filter cannot be read: {fault}"))?;
    if filter.is_empty() { Err(format!("`{name}` looks for nothing")) } else { Ok(filter) }
}

/// Whether all are valid, each with a name of its own, and no more than 64.
///
/// # Errors
/// A trigger is not valid, two have one name, or there are too many.
pub fn check_triggers(all: &[TriggerSpec]) -> Result<(), String> {
    if all.len() > TRIGGERS_MAX {
        return Err(format!("{} triggers, more than {TRIGGERS_MAX}", all.len()));
    }
    let mut names = BTreeSet::new();
    for spec in all {
        trigger_filter(spec)?;
        if !names.insert(&spec.name) {
            return Err(format!("two triggers are called `{}`", spec.name));
        }
    }
    Ok(())
}
