//! `ls`: a subcommand for each list of the port's table, with the flags that narrow it.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand, error::ErrorKind, value_parser};

use super::{
    commands::rows,
    ls_flags::{self, Narrowed},
};
use crate::{
    cli::filter,
    port::{List, Query},
    time::Now,
};

/// `ls LIST`.
#[derive(Clone, Debug)]
pub(crate) struct LsArgs {
    pub(crate) list: List,
    /// Only rows that this filter lets through.
    pub(crate) filter: Option<String>,
    /// At most so many rows.
    pub(crate) limit: Option<u64>,
    /// What narrows it, behind the list's name and before it.
    flags: Vec<ArgMatches>,
}

impl LsArgs {
    /// The query that asks for what is narrowed so, and what narrows it beyond that.
    pub(crate) fn narrowed(&self, now: Now) -> (Query, Narrowed<'_>) {
        let mut narrowed = Narrowed { flags: &self.flags, now, filter: None };
        (ls_flags::query(self.list, &mut narrowed), narrowed)
    }

    fn new(list: List, behind: &ArgMatches, before: Vec<ArgMatches>) -> Self {
        Self {
            list,
            filter: behind.get_one("filter").cloned(),
            limit: behind.get_one("limit").copied(),
            flags: [behind.clone()].into_iter().chain(before).collect(),
        }
    }
}

impl Subcommand for LsArgs {
    fn augment_subcommands(command: Command) -> Command {
        let lists = List::ALL.iter().map(|list| list_command(*list));
        let [filter, limit] = shared("100 for invocations, refunds, runs and sessions, otherwise all");
        command
            .after_long_help(filter::help(List::ALL))
            .args([filter.global(true), limit.global(true)])
            .args(before_the_list())
            .subcommands(lists)
            .subcommand_value_name("LIST")
            .disable_help_subcommand(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        named(name).is_some()
    }
}

impl FromArgMatches for LsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, behind)| Some((named(name)?, behind)));
        let (list, behind) = chosen.ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        // They are read as if they stood behind it: what is wrong with one is said in the same words.
        let line = [OsString::from(list.name())].into_iter().chain(given_before(matches));
        let before = list_command(list).try_get_matches_from(line)?;
        Ok(Self::new(list, behind, vec![before]))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `session ls`: `ls sessions`.
#[derive(Clone, Debug)]
pub(crate) struct SessionLsArgs(pub(crate) LsArgs);

impl clap::Args for SessionLsArgs {
    fn augment_args(command: Command) -> Command {
        let list = List::Sessions;
        command.args(ls_flags::args(list)).args(shared("100")).after_long_help(filter::help(&[list]))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SessionLsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(LsArgs::new(List::Sessions, matches, Vec::new())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn named(name: &str) -> Option<List> {
    List::ALL.iter().copied().find(|list| list.name() == name)
}

fn list_command(list: List) -> Command {
    Command::new(list.name())
        .about(list.about().trim_end_matches('.'))
        .args(ls_flags::args(list))
        .after_long_help(filter::help(&[list]))
}

/// The flags of every list.
fn shared(default: &str) -> [Arg; 2] {
    let filter = Arg::new("filter").long("filter").value_name("TEXT").allow_hyphen_values(true).help(
        "Only rows that match this filter, such as `queue:boss state:failed age<10m`; --help describes the \
         syntax and fields",
    );
    let limit = Arg::new("limit").long("limit").value_name("N").allow_negative_numbers(true);
    let about = format!("Print at most this many rows, the newest [default: {default}]");
    [filter, limit.value_parser(rows).help(about)]
}

/// The flags of all lists, as they may also stand before the list's name.
fn before_the_list() -> Vec<Arg> {
    let hidden = |(name, takes_value)| {
        let flag = Arg::new(name).long(name).hide(true);
        if takes_value { flag.value_parser(value_parser!(OsString)) } else { flag.action(ArgAction::SetTrue) }
    };
    ls_flags::all().into_iter().map(hidden).collect()
}

/// What stood before the list's name, as it was written.
fn given_before(matches: &ArgMatches) -> Vec<OsString> {
    let given = |(name, takes_value)| {
        let flag = OsString::from(format!("--{name}"));
        if takes_value {
            matches.get_one::<OsString>(name).map_or_else(Vec::new, |value| vec![flag, value.clone()])
        } else if matches.get_flag(name) {
            vec![flag]
        } else {
            Vec::new()
        }
    };
    ls_flags::all().into_iter().flat_map(given).collect()
}
