//! Which subcommand of `trigger` it is.

use serde::Serialize;

use super::tried;
use crate::{
    cli::{
        args::{TriggerAction, TriggerAddArgs},
        context::Context,
        error::Error,
        operator, report,
        run::check_subcommand,
        table::{Align, LocalClock, Table},
    },
    port::{
        Command, Operator as _, Outcome, Page, Query, TriggerCommand, TriggerOutcome, TriggerRow, TriggerSpec,
    },
    station::trigger_filter,
    time::Wall,
};

/// Its columns; `more` is what it found and did nothing for.
const COLUMNS: &[(&str, Align)] = &[
    ("trigger", Align::Left),
    ("when", Align::Left),
    ("does", Align::Left),
    ("fired", Align::Right),
    ("more", Align::Right),
    ("missed", Align::Right),
    ("rests until", Align::Time),
    ("from", Align::Left),
];

/// What was done.
#[derive(Serialize)]
struct Done<'a> {
    trigger: &'a str,
    done: &'static str,
}

pub(in crate::cli) fn run(context: &mut Context, action: TriggerAction) -> Result<(), Error> {
    match action {
        TriggerAction::Ls => list(context),
        TriggerAction::Add(args) => {
            let spec = spec(args)?;
            let name = spec.name.clone();
            act(context, &name, TriggerCommand::Add(spec))
        }
        TriggerAction::Rm { name } => act(context, &name.clone(), TriggerCommand::Remove { name }),
        TriggerAction::Test(args) => tried::run(context, &args),
    }
}

fn spec(args: TriggerAddArgs) -> Result<TriggerSpec, Error> {
    let TriggerAddArgs { name, when, mark, clip, alert, run } = args;
    let text =
        when.when.ok_or_else(|| Error::usage("a trigger looks for something", "name it: --when FILTER"))?;
    let spec = TriggerSpec {
        mark,
        clip,
        alert,
        run,
        cooldown_s: when.cooldown_s,
        per_hour_max: when.per_hour_max,
        ..TriggerSpec::new(&name, &text)
    };
    if let Err(why) = trigger_filter(&spec) {
        return Err(Error::usage(why, "`rl-console trigger add --help` lists what there is"));
    }
    check_subcommand(&spec.run)
        .map_err(|error| Error::usage(format!("`{name}`: --run: {error}"), error.hint()))?;
    Ok(spec)
}

fn act(context: &mut Context, name: &str, command: TriggerCommand) -> Result<(), Error> {
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(Command::Trigger(command)).await?)
    })?;
    let done = match outcome {
        Outcome::Trigger(TriggerOutcome::Added { .. }) => "added",
        Outcome::Trigger(TriggerOutcome::Removed) => "removed",
        _ => return Err(Error::UnexpectedAnswer),
    };
    context.out.row(&Done { trigger: name, done }, |it| format!("trigger {} {}", it.trigger, it.done))
}

fn list(context: &mut Context) -> Result<(), Error> {
    let page = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        operator::query(&station, Query::Triggers).await
    })?;
    let Page::Triggers(rows) = page else { return Err(Error::UnexpectedAnswer) };
    if rows.is_empty() && !context.out.is_json() {
        report::print_note("no triggers: `rl-console trigger add --help` shows how to add one");
    }
    let (now, clock) = (context.clock.now().wall, context.local_clock());
    if context.out.is_json() {
        return rows.iter().try_for_each(|row| context.out.row(row, |_| String::new()));
    }
    let mut table =
        Table::new(COLUMNS).timed(&clock).fitting(context.out.columns()).sparing(&["from", "more"]);
    let lines = table.page(rows.iter().map(|row| cells(row, now, &clock)).collect());
    lines.iter().try_for_each(|line| context.out.line(line))
}

fn cells(row: &TriggerRow, now: Wall, clock: &LocalClock) -> Vec<String> {
    let TriggerRow { spec, is_configured, fired, coalesced, missed, .. } = row;
    let clip = spec.clip.map(|clip| format!("clip {},{}", clip.before_s, clip.after_s));
    let run = (!spec.run.is_empty()).then(|| format!("run {}", spec.run.join(" ")));
    let words = [("mark", spec.mark), ("alert", spec.alert)];
    let plain = words.into_iter().filter(|(_, is_set)| *is_set).map(|(word, _)| word.to_owned());
    let does: Vec<String> = plain.chain(clip).chain(run).collect();
    vec![
        spec.name.clone(),
        spec.when.clone(),
        does.join(", "),
        fired.to_string(),
        coalesced.to_string(),
        missed.to_string(),
        row.rests_until_ms.filter(|until| *until > now).map_or_else(String::new, |until| clock.show(until)),
        if *is_configured { "configuration" } else { "added" }.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{port::ClipSpan, time::Now};

    #[test]
    fn what_a_trigger_does_and_until_when_it_rests_is_in_its_row() {
        let clip = Some(ClipSpan { before_s: 30, after_s: 5 });
        let run = vec!["hold".to_owned(), "boss".to_owned()];
        let spec = TriggerSpec { mark: true, clip, run, ..TriggerSpec::new("warned", "kind:notice") };
        let until = Now::at_ms(2_000).wall;
        let row = TriggerRow {
            spec,
            is_configured: false,
            fired: 2,
            coalesced: 4,
            missed: 3,
            last_ms: None,
            rests_until_ms: Some(until),
        };
        let now = Now::at_ms(1_000).wall;
        let clock = LocalClock::new(now);
        let shown = clock.show(until);
        let of = |row: &TriggerRow, now| cells(row, now, &clock);
        let does = "mark, clip 30,5, run hold boss";
        assert_eq!(of(&row, now), ["warned", "kind:notice", does, "2", "4", "3", &shown, "added"]);
        let configured = TriggerRow { is_configured: true, ..row };
        assert_eq!(of(&configured, until)[6..], ["", "configuration"], "it did");
        assert_eq!(COLUMNS.len(), of(&configured, now).len());
    }
}
