//! `trigger test`: when triggers would have fired in a recording.

use std::{path::Path, sync::Arc};

use serde::Serialize;

use crate::{
    cli::{args::TriggerTestArgs, context::Context, error::Error, recording_error::RecordingError, report},
    dissect::summary_line,
    port::TriggerSpec,
    recording::{self, RecordedItem, RecordingSet, SetCursor, SetReader},
    station::Trigger,
    tap::recorded::OwnedEntry,
    time::Wall,
};

/// The name of the trigger that `--when` is.
const TRIED: &str = "when";

/// It would have fired.
#[derive(Serialize)]
struct Row {
    trigger: String,
    at_ms: Wall,
    entry: u64,
    text: String,
}

pub(super) fn run(context: &mut Context, args: &TriggerTestArgs) -> Result<(), Error> {
    let specs = match &args.when.when {
        Some(when) => vec![TriggerSpec {
            mark: true,
            cooldown_s: args.when.cooldown_s,
            per_hour_max: args.when.per_hour_max,
            ..TriggerSpec::new(TRIED, when)
        }],
        None => context.settings.triggers.clone(),
    };
    if specs.is_empty() {
        return Err(Error::usage("the configuration has no triggers", "name a filter: --when FILTER"));
    }
    let made: Result<Vec<Trigger>, String> = specs.into_iter().map(|spec| Trigger::new(spec, true)).collect();
    let mut triggers = made.map_err(|why| Error::usage(why, "`rl-console help filter` lists the fields"))?;
    if args.file.is_dir() {
        return of_folder(context, &args.file, &mut triggers);
    }
    let open = |why| RecordingError::Open { path: args.file.clone(), why };
    for item in recording::read(&args.file).map_err(open)? {
        match item {
            Ok(RecordedItem::Entry(of)) => print(context, &of, &mut triggers)?,
            Ok(RecordedItem::Snapshot { .. }) => {}
            Err(damage) => report::print_note(&format!("warning: {}: {damage}", args.file.display())),
        }
    }
    Ok(())
}

/// Over the recordings of a folder, in the order of time.
fn of_folder(context: &mut Context, folder: &Path, triggers: &mut [Trigger]) -> Result<(), Error> {
    let set = RecordingSet::open(&[folder.to_owned()]).map_err(RecordingError::of_set)?;
    for note in set.notes() {
        report::print_note(&format!("warning: {note}"));
    }
    let set = Arc::new(set);
    let mut reader = SetReader::new(Arc::clone(&set));
    let mut start = 0;
    while start < set.len() {
        triggers.iter_mut().for_each(Trigger::begin_start);
        let mut cursor = SetCursor::at(&set, start);
        while let Some(item) = cursor.next(&mut reader) {
            match item.map(|placed| placed.item) {
                Ok(RecordedItem::Entry(of)) => print(context, &of, triggers)?,
                Ok(RecordedItem::Snapshot { .. }) => {}
                Err(damage) => report::print_note(&format!("warning: {damage}")),
            }
        }
        start = set.start_of(start).end.max(start + 1);
    }
    Ok(())
}

/// Prints the triggers that an entry would have fired.
fn print(context: &mut Context, of: &OwnedEntry, triggers: &mut [Trigger]) -> Result<(), Error> {
    let entry = of.as_ref();
    for trigger in triggers {
        if !trigger.fires(entry) {
            continue;
        }
        let row = Row {
            trigger: trigger.spec().name.clone(),
            at_ms: entry.entry.at.wall,
            entry: entry.entry.seq.0,
            text: summary_line(entry.entry).into_owned(),
        };
        let clock = context.local_clock();
        context.out.row(&row, |row| {
            format!("{}  {}  entry {}: {}", clock.show(row.at_ms), row.trigger, row.entry, row.text)
        })?;
    }
    Ok(())
}
