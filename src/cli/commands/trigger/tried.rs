//! `trigger test`: when triggers would have fired in a recording.

use serde::Serialize;

use crate::{
    cli::{args::TriggerTestArgs, context::Context, error::Error, recording_error::RecordingError, report},
    dissect::summary_line,
    port::TriggerSpec,
    recording::{self, RecordedItem},
    station::Trigger,
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
    let open = |why| RecordingError::Open { path: args.file.clone(), why };
    for item in recording::read(&args.file).map_err(open)? {
        match item {
            Ok(RecordedItem::Entry(of)) => {
                let entry = of.as_ref();
                for trigger in &mut triggers {
                    if trigger.fires(entry) {
                        let row = Row {
                            trigger: trigger.spec().name.clone(),
                            at_ms: entry.entry.at.wall,
                            entry: entry.entry.seq.0,
                            text: summary_line(entry.entry).into_owned(),
                        };
                        let clock = context.local_clock();
                        context.out.row(&row, |row| {
                            format!(
                                "{}  {}  entry {}: {}",
                                clock.show(row.at_ms),
                                row.trigger,
                                row.entry,
                                row.text
                            )
                        })?;
                    }
                }
            }
            Ok(RecordedItem::Snapshot { .. }) => {}
            Err(damage) => report::print_note(&format!("warning: {}: {damage}", args.file.display())),
        }
    }
    Ok(())
}
