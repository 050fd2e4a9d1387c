//! Interleaved rounds: every subject has its turn, then the next round begins. So what the machine does
//! meanwhile hits all of them alike.

use std::{collections::BTreeMap, path::Path};

use color_eyre::eyre::Result;
use rl_console_benches::{
    placement::Placement,
    server::{Start, Tree, wait_until_quiet},
};

use crate::{
    Options,
    echo::Echo,
    figures::{Laps, Round},
    jetstream::JetStream,
    rabbitmq::RabbitMq,
    redis_streams::RedisStreams,
    report,
    station::Station,
    subject::{Plan, Subject, Variant},
};

/// The rounds of each variant, in the order of the subjects.
#[derive(Default)]
pub(crate) struct Rounds {
    /// The variants that were measured.
    pub(crate) variants: Vec<Variant>,
    /// Their rounds by name; the n-th of each belong together.
    pub(crate) rounds: BTreeMap<&'static str, Vec<Round>>,
}

impl Rounds {
    fn add(&mut self, variant: &Variant, round: Round) {
        if !self.variants.contains(variant) {
            self.variants.push(*variant);
        }
        self.rounds.entry(variant.name).or_default().push(round);
    }
}

/// Starts every subject that is asked for and installed, runs all rounds in `placement`, and stops them.
///
/// # Errors
/// The placement is refused. A subject that fails is reported and left out from then on.
pub(crate) fn measure(options: &Options, placement: Placement, folder: &Path) -> Result<Rounds> {
    let _placed = placement.enter()?;
    let mut subjects = start(options, folder);
    let trees: Vec<Tree> = subjects.iter().map(|subject| subject.tree()).collect();
    let plan = Plan { warm: options.warm_up(), cycles: options.cycles };
    let mut rounds = Rounds::default();
    for round in 1..=options.rounds {
        report::progress(&format!("{}: round {round} of {}", placement.name(), options.rounds));
        subjects.retain_mut(|subject| {
            for variant in subject.variants().iter().filter(|variant| options.wants(variant.name)) {
                match one_round(subject.as_mut(), variant, plan, &trees) {
                    Ok(figures) => rounds.add(variant, figures),
                    Err(error) => {
                        report::progress(&format!("{}: given up: {error:#}", variant.name));
                        return false;
                    }
                }
            }
            true
        });
    }
    Ok(rounds)
}

fn one_round(subject: &mut dyn Subject, variant: &Variant, plan: Plan, all: &[Tree]) -> Result<Round> {
    subject.fill(variant, plan)?;
    wait_until_quiet(all);
    let mut laps = Laps::new(subject.tree(), plan, variant);
    subject.run(variant, plan, &mut laps)?;
    laps.round()
}

fn start(options: &Options, folder: &Path) -> Vec<Box<dyn Subject>> {
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    if options.wants_any("station") {
        keep(&mut subjects, "station", Station::start(&options.station, folder));
    }
    if options.wants_any("rabbitmq") {
        keep(&mut subjects, "rabbitmq", RabbitMq::start(folder));
    }
    if options.wants_any("jetstream") {
        keep(&mut subjects, "jetstream", JetStream::start(folder));
    }
    if options.wants_any("redis") {
        keep(&mut subjects, "redis", RedisStreams::start(folder));
    }
    if options.wants_any("echo") {
        keep(&mut subjects, "echo", Echo::start(folder));
    }
    subjects
}

fn keep<S: Subject + 'static>(subjects: &mut Vec<Box<dyn Subject>>, name: &str, start: Result<Start<S>>) {
    match start {
        Ok(Start::Running(subject)) => subjects.push(Box::new(subject)),
        Ok(Start::Missing(what)) => report::progress(&format!("{name}: skipped, there is no {what}")),
        Err(error) => report::progress(&format!("{name}: skipped, it does not start: {error:#}")),
    }
}
