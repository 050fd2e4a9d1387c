//! The flags that narrow lists, made from the port's table: what each type of narrowing takes.

use std::{collections::BTreeMap, ffi::OsStr};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};

use super::runs::ago;
use crate::{
    ids::QueueName,
    macp::{Ending, Mode, SessionState, registry},
    port::{List, Query, RunRow, tables},
    runs::RunState,
    tap::entry::{
        alerts::AlertState,
        mpp::{RefundStatus, RowState},
    },
    time::{Now, Wall},
};

/// The flags of a list as they were given.
#[derive(Debug)]
pub(crate) struct Narrowed<'a> {
    /// Where they are, the first that has one first.
    pub(super) flags: &'a [ArgMatches],
    pub(super) now: Now,
    /// What a value says beyond what a query can: a filter.
    pub(crate) filter: Option<&'static str>,
}

impl Narrowed<'_> {
    fn value<T: Clone + Send + Sync + 'static>(&self, flag: &str) -> Option<T> {
        self.flags.iter().find_map(|flags| flags.get_one::<T>(flag).cloned())
    }

    /// A state that is shown by a word of its own.
    fn state<T: Clone + Send + Sync + 'static>(&mut self, flag: &str) -> Option<T> {
        let (state, filter) = self.value::<(T, Option<&'static str>)>(flag)?;
        self.filter = filter;
        Some(state)
    }
}

/// Makes the flags of each list, and the query that they ask for.
macro_rules! flags {
    (
        whole { $(
            $(#[doc = $whole_about:literal])+
            $Whole:ident $whole_name:literal of $whole_link:ident: $WholeRow:ident;
        )* }
        paged { $(
            $(#[doc = $about:literal])+
            $Paged:ident $name:literal of $link:ident: $Row:ident by $key:ident: $Key:ty {
                $(
                    $(#[doc = $field_about:literal])+ $(#[serde($($serde:tt)*)])?
                    $flag:literal $field:ident: $ty:ty,
                )*
            }
            sent { $($sent:tt)* }
        )* }
    ) => {
        /// The flags of a list.
        pub(super) fn args(list: List) -> Vec<Arg> {
            match list {
                $( List::$Whole => Vec::new(), )*
                $( List::$Paged => vec![
                    $( <$ty as Flag>::takes(arg($flag, concat!($($field_about),+))), )*
                ], )*
            }
        }

        /// The flags of all lists by name, and whether they take a value.
        pub(super) fn all() -> BTreeMap<&'static str, bool> {
            [ $( $( (id($flag), $flag.contains(' ')), )* )* ].into_iter().collect()
        }

        /// The query that the flags of a list ask for.
        pub(super) fn query(list: List, narrowed: &mut Narrowed<'_>) -> Query {
            match list {
                $( List::$Whole => Query::$Whole, )*
                $( List::$Paged => Query::$Paged {
                    $( $field: <$ty as Flag>::read(id($flag), narrowed), )*
                    beyond: None,
                    oldest_first: false,
                    filter: None,
                    limit: 0,
                }, )*
            }
        }
    };
}

tables!(flags);

/// `state` of `--state STATE`.
fn id(flag: &'static str) -> &'static str {
    flag.split_once(' ').map_or(flag, |(long, _)| long).trim_start_matches("--")
}

fn arg(flag: &'static str, about: &'static str) -> Arg {
    let arg = Arg::new(id(flag)).long(id(flag)).help(about.trim().trim_end_matches('.'));
    match flag.split_once(' ') {
        Some((_, value)) => arg.value_name(value),
        None => arg,
    }
}

/// What narrows a list, as a flag gives it.
trait Flag: Sized {
    /// The flag with what it takes.
    fn takes(arg: Arg) -> Arg;

    /// What was given; without it nothing is narrowed.
    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self;
}

impl Flag for bool {
    fn takes(arg: Arg) -> Arg {
        arg.action(ArgAction::SetTrue)
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.flags.iter().any(|flags| flags.get_flag(flag))
    }
}

impl Flag for Option<String> {
    fn takes(arg: Arg) -> Arg {
        arg
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value(flag)
    }
}

impl Flag for Option<QueueName> {
    fn takes(arg: Arg) -> Arg {
        arg
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value::<String>(flag).as_deref().map(QueueName::new)
    }
}

impl Flag for Option<Wall> {
    fn takes(arg: Arg) -> Arg {
        arg.value_parser(ago)
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        let ago = narrowed.value::<u64>(flag)?;
        Some(Wall(narrowed.now.wall.0.saturating_sub(ago)))
    }
}

impl Flag for Option<RowState> {
    fn takes(arg: Arg) -> Arg {
        arg.value_parser(Named {
            names: RowState::ALL.map(RowState::name).to_vec(),
            read: RowState::from_name,
        })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value(flag)
    }
}

impl Flag for Option<AlertState> {
    fn takes(arg: Arg) -> Arg {
        let names = AlertState::ALL.map(AlertState::name).to_vec();
        arg.value_parser(Named { names, read: AlertState::from_name })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value(flag)
    }
}

impl Flag for Option<RefundStatus> {
    fn takes(arg: Arg) -> Arg {
        let names = RefundStatus::ALL.map(RefundStatus::name).to_vec();
        arg.value_parser(Named { names, read: RefundStatus::from_name })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value(flag)
    }
}

impl Flag for Option<Mode> {
    /// Any name that a session may have it under.
    fn takes(arg: Arg) -> Arg {
        let names = Mode::ALL.iter().map(|mode| mode.short()).collect();
        arg.value_parser(Named { names, read: |name| registry::resolve(name).map(|(_, mode)| mode) })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.value(flag)
    }
}

impl Flag for Option<RunState> {
    fn takes(arg: Arg) -> Arg {
        let names = RunState::ALL.iter().map(|state| state.name()).chain([RunRow::ASKS]).collect();
        let read = |name: &str| match name {
            RunRow::ASKS => Some((RunState::Running, Some("state:asks"))),
            name => RunState::from_name(name)
                .map(|state| (state, (state == RunState::Running).then_some("state:running"))),
        };
        arg.value_parser(Named { names, read })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.state(flag)
    }
}

impl Flag for Option<SessionState> {
    fn takes(arg: Arg) -> Arg {
        let endings = Ending::ALL.iter().map(|ending| ending.name());
        let names = [SessionState::Open.name()].into_iter().chain(endings).collect();
        let read = |name: &str| match Ending::from_name(name) {
            Some(Ending::Resolved) => Some((SessionState::Resolved, None)),
            Some(Ending::TtlExpired) => Some((SessionState::Expired, Some("ending:expired"))),
            Some(Ending::Cancelled) => Some((SessionState::Expired, Some("ending:cancelled"))),
            Some(Ending::LogDamaged) => Some((SessionState::Expired, Some("ending:damaged"))),
            None => SessionState::from_name(name).map(|state| (state, None)),
        };
        arg.value_parser(Named { names, read })
    }

    fn read(flag: &str, narrowed: &mut Narrowed<'_>) -> Self {
        narrowed.state(flag)
    }
}

/// A value by its name; help and completion have the names.
#[derive(Clone)]
struct Named<T> {
    names: Vec<&'static str>,
    read: fn(&str) -> Option<T>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        if let Some(found) = value.to_str().and_then(self.read) {
            return Ok(found);
        }
        // Says what is wrong, and what is near.
        PossibleValuesParser::new(self.names.clone()).parse_ref(command, arg, value)?;
        Err(clap::Error::new(ErrorKind::InvalidValue).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().copied().map(PossibleValue::new)))
    }
}
