//! Which subcommand of `trigger` it is.

use serde::Serialize;

use super::tried;
use crate::{
    cli::{
        args::{TriggerAction, TriggerAddArgs},
        context::Context,
        error::Error,
        operator,
    },
    port::{
        Command, Operator as _, Outcome, Page, Query, TriggerCommand, TriggerOutcome, TriggerRow, TriggerSpec,
    },
    station::trigger_filter,
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
    match trigger_filter(&spec) {
        Ok(_) => Ok(spec),
        Err(why) => Err(Error::usage(why, "`rl-console trigger add --help` lists what there is")),
    }
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
    rows.iter().try_for_each(|row| context.out.row(row, line))
}

fn line(row: &TriggerRow) -> String {
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
    format!(
        "{}  {}  {}  fired {}, {coalesced} more found{missed}  ({from})",
        spec.name,
        spec.when,
        does.join(", "),
        counted(*fired, "time")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trigger_missed_is_in_its_line_where_there_is_any() {
        let spec = TriggerSpec { mark: true, ..TriggerSpec::new("warned", "kind:notice") };
        let row = TriggerRow { spec, is_configured: false, fired: 2, coalesced: 4, missed: 0, last_ms: None };
        assert_eq!(line(&row), "warned  kind:notice  mark  fired 2 times, 4 more found  (added)");
        let missed = line(&TriggerRow { missed: 3, ..row });
        assert_eq!(
            missed,
            "warned  kind:notice  mark  fired 2 times, 4 more found, 3 entries missed  (added)"
        );
    }
}
