//! From the command line to an exit code.

use std::{ffi::OsString, net::SocketAddr, process::ExitCode};

use clap::{
    CommandFactory as _,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{
    args::{
        AdapterAction, AttachArgs, Cli, Command, ConfigAction, HostAction, InvocationAction, PeerAction,
        PluginFolderArgs, ReplayArgs, ScreenArgs, SimPeer, with_body,
    },
    asked,
    commands::{self, brake::Brakes},
    config::stray_variables,
    context::Context,
    env::Env,
    error::{Error, Exit},
    freed_memory, job_control,
    output::Output,
    private_memory,
    reach::Reach,
    report,
};
use crate::time::Clock;

/// Runs the program: parses the command line, does what it asks, says on stderr why it did not, and gives the
/// exit code.
#[must_use]
pub fn run() -> ExitCode {
    let clock = Clock::start();
    private_memory::close();
    freed_memory::give_back();
    let env = Env::read();
    let args: Vec<OsString> = with_body(std::env::args_os().collect());
    let cli = match Cli::read(&args) {
        Ok(cli) => cli,
        Err(error) => return misused(&error, &args).into(),
    };
    let (json, reach) = (cli.global.json, Reach::of(&cli.global));
    reach.set();
    match dispatch(cli, env, clock) {
        Ok(()) => Exit::Done.into(),
        Err(error) if error.is_broken_pipe() => error.exit().into(),
        Err(error) => {
            report::report(&error, json, &reach);
            error.exit().into()
        }
    }
}

fn dispatch(cli: Cli, env: Env, clock: Clock) -> Result<(), Error> {
    let Cli { mut global, record, metrics, rehearsal, plain, screen, plugins, command } = cli;
    let command = command.map(Command::current);
    asked::check(&global, command.as_ref())?;
    global.metrics = metrics_of(metrics, command.as_ref())?;
    global.rehearsal = rehearsal_of(rehearsal, global.data.is_some(), command.as_ref())?;
    global.screen = screen_of(screen, command.as_ref(), plain)?;
    global.plugins = plugins_of(plugins, command.as_ref())?;
    let mut out = Output::stdout(global.json, Reach::of(&global));
    let done = match command {
        Some(_) if plain => Err(Error::usage(
            "--plain cannot be used with a subcommand: it runs the console without a screen",
            "use `rl-console --plain`, or `rl-console serve` for notable events only",
        )),
        None if plain => {
            let mut context = Context::new(global, env, clock, out)?;
            let done = commands::serve::plain(&mut context, record);
            return done.and(context.out.flush());
        }
        Some(Command::ContinueJob { pid }) => job_control::continue_job(pid),
        Some(Command::Completions(args)) => commands::completions::run(&args, &mut out),
        Some(Command::Man(args)) => commands::man::run(&args, &env, &mut out),
        Some(Command::Help(args)) => commands::help::run(&args, &env, &mut out),
        Some(Command::Config(ConfigAction::Show { defaults: true, .. })) => {
            commands::config::defaults(&env, &mut out)
        }
        Some(Command::Sim(SimPeer::Plugin(args))) => commands::sim_plugin::run(&args, clock, &mut out),
        Some(Command::Doctor) => commands::doctor::run(&global, &env, clock, &mut out),
        command => {
            let mut context = Context::new(global, env, clock, out)?;
            warn_of_stray_variables(&context);
            let done = with_configuration(&mut context, command, record);
            return done.and(context.out.flush());
        }
    };
    done.and(out.flush())
}

/// `--metrics`, where a station is started.
fn metrics_of(metrics: Option<SocketAddr>, command: Option<&Command>) -> Result<Option<SocketAddr>, Error> {
    match command {
        None => Ok(metrics),
        Some(Command::Serve(args)) => Ok(args.metrics.or(metrics)),
        Some(Command::Service(args)) => Ok(args.metrics.or(metrics)),
        Some(_) if metrics.is_some() => Err(Error::usage(
            "--metrics can only be used with the console, `serve` and `service`",
            "a running station serves metrics where its own --metrics says; `rl-console ls health` shows \
             the address",
        )),
        Some(_) => Ok(None),
    }
}

/// `--rehearsal`, where a station is started in a data folder that was named.
fn rehearsal_of(rehearsal: bool, has_data: bool, command: Option<&Command>) -> Result<bool, Error> {
    let is_asked = match command {
        None => rehearsal,
        Some(Command::Serve(args)) => args.rehearsal || rehearsal,
        Some(_) if rehearsal => {
            return Err(Error::usage(
                "--rehearsal can only be used with the console and `serve`",
                "start a station with it, in a data folder of its own",
            ));
        }
        Some(_) => false,
    };
    if is_asked && !has_data {
        return Err(Error::usage(
            "--rehearsal needs a data folder of its own",
            "name one with --data DIR, so that no fault is made on live data",
        ));
    }
    Ok(is_asked)
}

/// `--plugins` and `--no-plugins`, where a station is started.
fn plugins_of(plugins: PluginFolderArgs, command: Option<&Command>) -> Result<PluginFolderArgs, Error> {
    let own = match command {
        None => return Ok(plugins),
        Some(Command::Serve(args)) => &args.plugins,
        Some(Command::Service(args)) => &args.plugins,
        Some(_) if plugins == PluginFolderArgs::default() => return Ok(plugins),
        Some(_) => {
            return Err(Error::usage(
                "--plugins and --no-plugins can only be used with the console, `serve` and `service`",
                "`rl-console plugin dev DIR` runs a plugin at a running station",
            ));
        }
    };
    Ok(if *own == PluginFolderArgs::default() { plugins } else { own.clone() })
}

/// The flags of a console, where one is opened.
fn screen_of(screen: ScreenArgs, command: Option<&Command>, plain: bool) -> Result<ScreenArgs, Error> {
    let or = |given: &Option<String>, other: Option<String>| given.clone().or(other);
    match command {
        None if !plain || screen == ScreenArgs::default() => Ok(screen),
        Some(
            Command::Attach(AttachArgs { screen: own, .. }) | Command::Replay(ReplayArgs { screen: own, .. }),
        ) => Ok(ScreenArgs {
            view: or(&own.view, screen.view),
            filter: or(&own.filter, screen.filter),
            theme: or(&own.theme, screen.theme),
        }),
        Some(_) if screen == ScreenArgs::default() => Ok(screen),
        None | Some(_) => Err(Error::usage(
            "--view, --filter and --theme go with the console, `attach` and `replay`",
            "`ls` takes a filter behind its list: `rl-console ls queues --filter FILTER`",
        )),
    }
}

/// Tells people of variables of ours that set nothing.
fn warn_of_stray_variables(context: &Context) {
    if context.flags.json {
        return;
    }
    for (name, near) in stray_variables(&context.env) {
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        report::print_note(&format!("warning: unknown variable {name}{near}"));
    }
}

/// `--record` is of those alone that start a station.
fn check_record(is_given: bool, command: Option<&Command>) -> Result<(), Error> {
    if is_given && !matches!(command, None | Some(Command::Serve(_))) {
        return Err(Error::usage(
            "--record can only be used with the console and `serve`",
            "record a running station with `rl-console record OUT.mcap`",
        ));
    }
    Ok(())
}

fn with_configuration(
    context: &mut Context,
    command: Option<Command>,
    record: Option<std::path::PathBuf>,
) -> Result<(), Error> {
    check_record(record.is_some(), command.as_ref())?;
    match command {
        None => commands::console::run(context, record),
        Some(Command::Serve(args)) => commands::serve::run(context, args.record.or(record)),
        Some(Command::Attach(args)) => commands::attach::run(context, args),
        Some(Command::Service(args)) => commands::service::run(context, &args),
        Some(Command::Pair(args)) => commands::pair::run(context, &args),
        Some(Command::Invoke(args)) => commands::invoke::run(context, args),
        Some(Command::Ls(args)) => commands::ls::run(context, &args),
        Some(Command::Submit(args)) => commands::submit::run(context, &args),
        Some(Command::Run(action)) => commands::run::run(context, &action),
        Some(Command::Session(action)) => commands::session::run(context, action),
        Some(Command::Plugin(action)) => commands::plugin::run(context, action),
        Some(Command::Stream(action)) => commands::stream::run(context, action),
        Some(Command::Trace(args)) => commands::trace::run(context, &args),
        Some(Command::Opening(action)) => commands::opening::run(context, &action),
        Some(Command::Invocation(action)) => invocation(context, action),
        Some(Command::Hold(args)) => commands::brake::run(context, Brakes::Hold, args.queue),
        Some(Command::Resume(args)) => {
            let brakes = if args.keep_drain { Brakes::Release } else { Brakes::Resume };
            commands::brake::run(context, brakes, args.queue)
        }
        Some(Command::Drain(args)) => commands::brake::run(context, Brakes::Drain, args.queue),
        Some(Command::Adapter(AdapterAction::Disconnect)) => commands::disconnect::adapter(context),
        Some(Command::Peer(PeerAction::Disconnect(args))) => commands::disconnect::peer(context, &args),
        Some(Command::Alert(what)) => commands::alert::run(context, what),
        Some(Command::Status(args)) => commands::status::run(context, &args),
        Some(Command::Stop(args)) => commands::stop::run(context, &args),
        Some(Command::Host(HostAction::Restart(args))) => commands::restart::run(context, &args),
        Some(Command::Record(args)) => commands::record::run(context, &args),
        Some(Command::Replay(args)) => commands::replay::run(context, &args),
        Some(Command::Recording(action)) => commands::recording::run(context, &action),
        Some(Command::Clip(args)) => commands::clip::run(context, &args),
        Some(Command::Mark(args)) => commands::mark::run(context, args),
        Some(Command::Backup(args)) => commands::backup::run(context, &args),
        Some(Command::Pack(action)) => commands::pack::run(context, action),
        Some(Command::Decode(args)) => commands::decode::run(context, &args),
        Some(Command::Encode(args)) => commands::encode::run(context, &args),
        Some(Command::Inject(args)) => commands::inject::run(context, &args),
        Some(Command::Snippet(action)) => commands::snippet::run(context, &action),
        Some(Command::Trigger(action)) => commands::trigger::run(context, action),
        Some(Command::Gate(action)) => commands::gate::run(context, &action),
        Some(Command::Mplp(action)) => commands::mplp::run(context, &action),
        Some(Command::Publish(args)) => commands::publish::run(context, &args),
        Some(Command::Tail(args)) => commands::tail::run(context, &args),
        Some(Command::Sim(peer)) => simulate(context, peer),
        Some(Command::Keys) => commands::keys::run(context),
        Some(Command::Config(action)) => commands::config::run(context, &action),
        // Done already, without a configuration; and earlier names, which are the present ones by here.
        Some(
            Command::Completions(_)
            | Command::Man(_)
            | Command::Help(_)
            | Command::Doctor
            | Command::ContinueJob { .. }
            | Command::Cancel(_)
            | Command::Settle(_)
            | Command::Approve(_)
            | Command::Reject(_)
            | Command::Kick(_)
            | Command::Restart(_),
        ) => Ok(()),
    }
}

fn invocation(context: &mut Context, action: InvocationAction) -> Result<(), Error> {
    match action {
        InvocationAction::Cancel(args) => commands::cancel::run(context, &args),
        InvocationAction::Settle(args) => commands::settle::run(context, &args),
        InvocationAction::Requeue(args) => commands::requeue::run(context, &args),
    }
}

/// Runs a simulated peer; that of a plugin needs no configuration, and runs already.
fn simulate(context: &mut Context, peer: SimPeer) -> Result<(), Error> {
    match peer {
        SimPeer::Adapter(args) => commands::sim::run(context, args),
        SimPeer::Agent(args) => commands::sim_agent::run(context, &args),
        SimPeer::Session(args) => commands::sim_session::run(context, &args),
        SimPeer::Plugin(_) => Ok(()),
    }
}

/// Whether a command line that was not understood asks for JSON.
fn asks_for_json(args: &[OsString]) -> bool {
    args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// Says why a command line was not understood; help and version are no errors.
fn misused(error: &clap::Error, args: &[OsString]) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // Whoever reads it may have gone: nothing is lost then.
        error.print().unwrap_or_default();
        return Exit::Done;
    }
    let reach = Reach::of_args(args);
    reach.set();
    if asks_for_json(args) {
        report::report(&usage(error, args), true, &reach);
    } else {
        error.print().unwrap_or_default();
        if let Some(hint) = cancel_by_id(error, args).or_else(|| possible(error, args)) {
            report::print_note("");
            report::print_note(&format!("  hint: {hint}"));
        }
    }
    Exit::Usage
}

/// `cancel 99` means an invocation in all likelihood, and `cancel session` another subcommand.
fn cancel_by_id(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let is_cancel = args.iter().skip(1).any(|arg| arg == "cancel");
    if is_cancel && word == "session" {
        return Some("`rl-console session cancel ID`".to_owned());
    }
    let id: u64 = word.parse().ok().filter(|_| is_cancel)?;
    Some(format!("`rl-console invocation cancel {id}`"))
}

/// What there is where a subcommand is missing, or another one was named.
fn possible(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let is_of_subcommand = matches!(
        error.kind(),
        ErrorKind::InvalidSubcommand
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if !is_of_subcommand {
        return None;
    }
    let grammar = Cli::command();
    let mut at = &grammar;
    for arg in args.iter().skip(1) {
        at = at.find_subcommand(arg).unwrap_or(at);
    }
    let names = at.get_subcommands().filter(|it| !it.is_hide_set()).map(clap::Command::get_name);
    let names: Vec<_> = names.collect();
    (at.get_name() != grammar.get_name() && !names.is_empty()).then(|| format!("one of {}", names.join(", ")))
}

/// A misuse as one message and one hint.
fn usage(error: &clap::Error, args: &[OsString]) -> Error {
    let rendered = error.render().to_string();
    let mut paragraph =
        rendered.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        "a subcommand or argument is missing".clone_into(&mut paragraph);
    }
    let message = paragraph.strip_prefix("error: ").unwrap_or(&paragraph);
    let near = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let near =
        near.into_iter().find_map(|kind| error.get(kind)).map(|value| format!("did you mean {value}?"));
    let near = cancel_by_id(error, args).or(near).or_else(|| possible(error, args));
    Error::usage(message, near.unwrap_or_else(|| "see `rl-console --help`".to_owned()))
}

/// Whether the words that a trigger runs are a subcommand with its flags, as the station runs it; none are
/// nothing to run.
///
/// # Errors
/// What is wrong with them.
pub(super) fn check_subcommand(words: &[String]) -> Result<(), Error> {
    if words.is_empty() {
        return Ok(());
    }
    let line = ["rl-console", "--data", "."].into_iter().chain(words.iter().map(String::as_str));
    let line = with_body(line.map(OsString::from).collect());
    match Cli::read(&line) {
        Ok(Cli { command: None, .. }) => {
            Err(Error::usage("no subcommand is named", "see `rl-console --help`"))
        }
        Ok(Cli { global, command, .. }) => asked::check(&global, command.map(Command::current).as_ref()),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => Ok(()),
        Err(error) => Err(usage(&error, &line)),
    }
}

#[cfg(test)]
mod first_paint;

#[cfg(test)]
mod tests {
    use super::*;

    fn misuse(line: &str) -> (String, String) {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = usage(&Cli::read(&args).unwrap_err(), &args);
        (error.to_string(), error.hint())
    }

    #[test]
    fn a_misuse_is_one_message_and_one_hint() {
        assert_eq!(misuse("rl-console --prot 1").1, "did you mean --port?");
        assert_eq!(
            misuse("rl-console ls queue"),
            ("unrecognized subcommand 'queue'".to_owned(), "did you mean queues?".to_owned())
        );
        assert_eq!(misuse("rl-console cancel 99").1, "`rl-console invocation cancel 99`");
        assert_eq!(misuse("rl-console cancel session s1").1, "`rl-console session cancel ID`");
        assert_eq!(
            misuse("rl-console ls invocations --limit -1").0,
            "invalid value '-1' for '--limit <N>': takes a whole number of rows, 0 or more"
        );
        assert!(misuse("rl-console ls").1.starts_with("one of queues, events, "));
        assert_eq!(misuse("rl-console config sho").1, "did you mean show?");
        assert_eq!(misuse("rl-console config x").1, "one of show, themes");
        assert_eq!(misuse("rl-console cancel").0, "a subcommand or argument is missing");
        assert!(
            misuse("rl-console invoke").0.starts_with("the following required arguments were not provided:")
        );
    }

    #[test]
    fn what_a_trigger_runs_is_a_subcommand_with_its_flags() {
        let checked = |line: &str| {
            let words: Vec<String> = line.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect();
            check_subcommand(&words).map_err(|error| error.to_string())
        };
        for line in ["", "hold boss", "publish a/b --type t --json {\"n\":1}", "kick adapter"] {
            assert_eq!(checked(line), Ok(()), "{line}");
        }
        assert_eq!(checked("nosuch"), Err("unrecognized subcommand 'nosuch'".to_owned()));
        assert!(checked("hold --nosuch").unwrap_err().contains("--nosuch"));
        assert!(checked("--plain").unwrap_err().contains("no subcommand"));
    }

    #[test]
    fn json_is_seen_wherever_it_stands_before_a_double_dash() {
        let args = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(asks_for_json(&args("rl-console ls --json --bogus")));
        assert!(!asks_for_json(&args("rl-console ls -- --json")));
    }
}
