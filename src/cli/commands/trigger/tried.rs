//! `trigger test`: when triggers would have fired in a recording.

use std::{path::Path, sync::Arc};

use serde::Serialize;

use crate::{
    cli::{
        args::TriggerTestArgs, asked, context::Context, error::Error, operator,
        recording_error::RecordingError, report,
    },
    dissect::summary_line,
    port::{Page, Query, TriggerRow, TriggerSpec},
    recording::{self, RecordedItem, SetCursor, SetReader},
    station::Trigger,
    tap::recorded::OwnedEntry,
    time::Wall,
    words::counted,
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
        None => known(context)?,
    };
    if specs.is_empty() {
        return Err(Error::usage("there are no triggers", "name a filter: --when FILTER"));
    }
    let made: Result<Vec<Trigger>, String> = specs.into_iter().map(|spec| Trigger::new(spec, true)).collect();
    let mut triggers = made.map_err(|why| Error::usage(why, "`rl-console help filter` lists the fields"))?;
    if args.file.is_dir() {
        of_folder(context, &args.file, &mut triggers)?;
    } else {
        of_file(context, &args.file, &mut triggers)?;
    }
    if !context.out.is_json() {
        context.out.flush()?;
        for trigger in &triggers {
            report::print_note(&summary(&trigger.row()));
        }
    }
    Ok(())
}

/// The triggers of the configuration, and those that were added to the station that runs.
fn known(context: &Context) -> Result<Vec<TriggerSpec>, Error> {
    let asked = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::query(&station, Query::Triggers).await
    });
    let mut specs = context.settings.triggers.clone();
    match asked {
        Ok(Page::Triggers(rows)) => {
            let added = rows.into_iter().filter(|row| !row.is_configured);
            specs.extend(added.map(|row| row.spec));
        }
        Ok(_) => return Err(Error::UnexpectedAnswer),
        // It is asked where it answers: none is needed.
        Err(_) if context.out.is_json() => {}
        Err(_) => report::print_note(
            "note: no station answers: only the triggers of the configuration are tried, not those that were \
             added",
        ),
    }
    Ok(specs)
}

/// How often one would have fired, and what it found besides.
fn summary(row: &TriggerRow) -> String {
    let TriggerRow { spec, fired, coalesced, .. } = row;
    let TriggerSpec { name, cooldown_s, per_hour_max, .. } = spec;
    match (fired, coalesced) {
        (0, _) => format!("{name}: nothing matches"),
        (_, 0) => format!("{name}: fires {}", counted(*fired, "time")),
        _ => format!(
            "{name}: fires {}, {coalesced} more found within its cooldown of {cooldown_s} s, or above \
             {per_hour_max} an hour",
            counted(*fired, "time")
        ),
    }
}

fn of_file(context: &mut Context, file: &Path, triggers: &mut [Trigger]) -> Result<(), Error> {
    let open = |why| RecordingError::Open { path: file.to_owned(), why };
    let is_being_written = recording::is_being_written(file);
    for item in recording::read(file).map_err(open)? {
        match item {
            Ok(RecordedItem::Entry(of)) => print(context, &of, triggers)?,
            Ok(RecordedItem::Snapshot { .. }) => {}
            Err(damage) => asked::print_damage(file, &damage, is_being_written),
        }
    }
    Ok(())
}

/// Over the recordings of a folder, in the order of time.
fn of_folder(context: &mut Context, folder: &Path, triggers: &mut [Trigger]) -> Result<(), Error> {
    let set = asked::open_files(&[folder.to_owned()])?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trigger_found_and_did_not_fire_for_is_said() {
        let spec = TriggerSpec { mark: true, ..TriggerSpec::new("when", "kind:notice") };
        let row = Trigger::new(spec, true).unwrap().row();
        assert_eq!(summary(&row), "when: nothing matches");
        let once = TriggerRow { fired: 1, ..row };
        assert_eq!(summary(&once), "when: fires 1 time");
        let more = summary(&TriggerRow { coalesced: 7, ..once });
        let limits = "within its cooldown of 10 s, or above 30 an hour";
        assert_eq!(more, format!("when: fires 1 time, 7 more found {limits}"));
    }
}
