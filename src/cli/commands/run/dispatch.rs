//! Which of them is asked for.

use super::{artifacts::artifacts, events, export, rate, show};
use crate::cli::{
    args::RunAction,
    asked,
    commands::{decide, short_ids, submit},
    context::Context,
    error::Error,
    operator,
};

pub(in crate::cli) fn run(context: &mut Context, action: &RunAction) -> Result<(), Error> {
    match action {
        RunAction::Cancel(args) => submit::cancel(context, args),
        RunAction::Approve(args) => decide::run(context, args, true),
        RunAction::Reject(args) => decide::run(context, args, false),
        action => look(context, action),
    }
}

fn look(context: &mut Context, action: &RunAction) -> Result<(), Error> {
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = asked::ask(settings).await?;
        match action {
            RunAction::Show { run, traceparent: true, .. } => {
                show::traceparent(&station, short_ids::run(&station, run).await?, out).await
            }
            RunAction::Show { run, yaml, .. } => {
                let run = short_ids::run(&station, run).await?;
                let states = station.recorded_state().await?.map(|state| show::states_of(&state, run));
                show::show(&station, (run, states), *yaml, &clock, out).await
            }
            RunAction::Events { run, level, kind, follow } => {
                let run = short_ids::run(&station, run).await?;
                // Nothing follows in a recording.
                let follow = *follow && settings.asked.is_none();
                let asked = events::EventQuery { level: *level, kinds: kind, follow };
                events::events(&station, run, &asked, &clock, out).await
            }
            RunAction::Artifacts { run, out: folder } => {
                let run = short_ids::run(&station, run).await?;
                artifacts(&station, run, folder.as_deref(), &clock, out).await
            }
            RunAction::Export(args) => {
                let run = short_ids::run(&station, &args.run).await?;
                export::export(&station, run, args, settings, out).await
            }
            RunAction::Rate(args) => {
                rate::rate(&station, short_ids::run(&station, &args.run).await?, args, out).await
            }
            // They act, and ask in their own way.
            RunAction::Cancel(_) | RunAction::Approve(_) | RunAction::Reject(_) => Ok(()),
        }
    })
}
