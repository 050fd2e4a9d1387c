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
        table::LocalClock,
    },
    port::{
        Command, Operator as _, Outcome, Page, Query, TriggerCommand, TriggerOutcome, TriggerRow, TriggerSpec,
    },
    station::trigger_filter,
    time::Wall,
    words::counted,
};

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
    rows.iter().try_for_each(|row| context.out.row(row, |row| line(row, now, &clock)))
}

fn line(row: &TriggerRow, now: Wall, clock: &LocalClock) -> String {
    let TriggerRow { spec, is_configured, fired, coalesced, missed, .. } = row;
    let clip = spec.clip.map(|clip| format!("clip {},{}", clip.before_s, clip.after_s));
    let run = (!spec.run.is_empty()).then(|| format!("run {}", spec.run.join(" ")));
    let words = [("mark", spec.mark), ("alert", spec.alert)];
    let plain = words.into_iter().filter(|(_, is_set)| *is_set).map(|(word, _)| word.to_owned());
    let does: Vec<String> = plain.chain(clip).chain(run).collect();
    let from = if *is_configured { "configuration" } else { "added" };
    let missed = match missed {
        0 => String::new(),
        lost => format!(", {} missed", counted(*lost, "entry")),
    };
    let rests = match row.rests_until_ms.filter(|until| *until > now) {
        Some(until) => format!(", rests until {}: {} an hour", clock.show(until), spec.per_hour_max),
        None => String::new(),
    };
    format!(
        "{}  {}  {}  fired {}, {coalesced} more found{missed}{rests}  ({from})",
        spec.name,
        spec.when,
        does.join(", "),
        counted(*fired, "time")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    #[test]
    fn what_a_trigger_missed_and_until_when_it_rests_is_in_its_line_where_there_is_any() {
        let spec = TriggerSpec { mark: true, ..TriggerSpec::new("warned", "kind:notice") };
        let row = TriggerRow {
            spec,
            is_configured: false,
            fired: 2,
            coalesced: 4,
            missed: 0,
            last_ms: None,
            rests_until_ms: None,
        };
        let now = Now::at_ms(1_000).wall;
        let clock = LocalClock::new(now);
        let line = |row: &TriggerRow| line(row, now, &clock);
        let plain = "warned  kind:notice  mark  fired 2 times, 4 more found";
        assert_eq!(line(&row), format!("{plain}  (added)"));
        let missed = line(&TriggerRow { missed: 3, ..row.clone() });
        assert_eq!(missed, format!("{plain}, 3 entries missed  (added)"));
        let until = Now::at_ms(2_000).wall;
        let rests = line(&TriggerRow { rests_until_ms: Some(until), ..row.clone() });
        assert_eq!(rests, format!("{plain}, rests until {}: 30 an hour  (added)", clock.show(until)));
        assert_eq!(line(&TriggerRow { rests_until_ms: Some(now), ..row.clone() }), line(&row), "it did");
    }
}
