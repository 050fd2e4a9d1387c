//! A value as it was written, and what a key takes.

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
};

use serde::Serialize;

use super::file::Position;
use crate::{console::input::Keymap, port::TriggerSpec, rmp::Registry, station::check_redact};

/// A configured value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    /// A whole number.
    Integer(u64),
    /// Yes or no.
    Flag(bool),
    /// A text: a name, a path, an address.
    Text(String),
    /// Several texts: keys.
    List(Vec<String>),
    /// Filters of panes with keys.
    Filters(Vec<FilterEntry>),
    /// What the station looks for, and does then.
    Triggers(Vec<TriggerSpec>),
    /// Nothing.
    Absent,
}

/// A named filter, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FilterEntry {
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) pane: String,
    pub(crate) filter: String,
    /// Where its key is written.
    #[serde(skip)]
    pub(crate) at: Position,
}

impl fmt::Display for FilterEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, key, pane, filter, at: _ } = self;
        write!(f, "{name} = {{ key = {key:?}, pane = {pane:?}, filter = {filter:?} }}")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(texts) => write!(f, "{texts:?}"),
            Self::Triggers(all) => {
                let names: Vec<_> = all.iter().map(|spec| spec.name.as_str()).collect();
                write!(f, "[{}]", names.join(", "))
            }
            Self::Filters(filters) if filters.is_empty() => f.write_str("{}"),
            Self::Filters(filters) => {
                let filters: Vec<_> = filters.iter().map(ToString::to_string).collect();
                write!(f, "{{ {} }}", filters.join(", "))
            }
            Self::Absent => f.write_str("-"),
        }
    }
}

const ENDPOINT: &str = "takes a port, such as 9464, or an IP address and port, such as \"127.0.0.1:9464\"";

/// Reads an [`Kind::Endpoint`]: a port alone is one of 127.0.0.1.
///
/// # Errors
/// What would have been taken.
pub(crate) fn endpoint(text: &str) -> Result<SocketAddr, String> {
    let alone = text.parse().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    text.parse().or(alone).map_err(|_| ENDPOINT.to_owned())
}

/// Whether a shell would find a program in it.
fn is_command_line(text: &str) -> bool {
    shlex::split(text).is_some_and(|words| words.first().is_some_and(|program| !program.is_empty()))
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole number in this range.
    Integer {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// `true` or `false`.
    Flag,
    /// Any text but an empty one.
    Text,
    /// A path; `~/` is the home folder, and in a file it starts at the file's folder.
    Path,
    /// A path, or an empty text for none.
    PathOrNone,
    /// An IP address.
    Address,
    /// An IP address with a port, or a port of this machine alone.
    Endpoint,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A key, or a list of keys; in a variable they are separated by spaces.
    Keys,
    /// A table of schemas' numbers with their types; in a variable `NUMBER=TYPE`, separated by spaces.
    Schemas,
    /// Tables of filters with keys, in a file alone.
    Filters,
    /// What the station looks for.
    Triggers,
    /// Paths, each as a [`Kind::Path`]; in a variable they are separated by colons.
    Paths,
    /// Rules of what is masked in recordings; in a variable they are separated by semicolons.
    RedactRules,
    /// A semantic version.
    Version,
    /// A program and its arguments, split as a shell does.
    CommandLine,
}

impl Kind {
    /// Reads a text: a variable's value.
    ///
    /// # Errors
    /// What would have been taken.
    pub(crate) fn read(self, text: &str) -> Result<Value, String> {
        let value = match self {
            Self::Integer { .. } => text.parse().map(Value::Integer).map_err(|_| self.takes())?,
            Self::Flag => match text {
                "true" | "1" | "yes" | "on" => Value::Flag(true),
                "false" | "0" | "no" | "off" => Value::Flag(false),
                _ => return Err(self.takes()),
            },
            Self::Text
            | Self::Path
            | Self::PathOrNone
            | Self::Address
            | Self::Endpoint
            | Self::Version
            | Self::CommandLine
            | Self::Choice(_) => Value::Text(text.to_owned()),
            Self::Paths => {
                let paths = text.split(':').filter(|path| !path.is_empty());
                Value::List(paths.map(str::to_owned).collect())
            }
            Self::RedactRules => {
                let rules = text.split(';').map(str::trim).filter(|rule| !rule.is_empty());
                Value::List(rules.map(str::to_owned).collect())
            }
            Self::Filters | Self::Triggers => return Err(self.takes()),
            Self::Keys | Self::Schemas => Value::List(text.split_whitespace().map(str::to_owned).collect()),
        };
        self.check(value)
    }

    /// Judges a value.
    ///
    /// # Errors
    /// What would have been taken.
    pub(crate) fn check(self, value: Value) -> Result<Value, String> {
        let value = match (value, self) {
            (Value::Text(only), Self::Keys | Self::Paths | Self::RedactRules) => Value::List(vec![only]),
            (Value::Integer(port), Self::Endpoint) => Value::Text(port.to_string()),
            (value, _) => value,
        };
        if let (Value::List(keys), Self::Keys) = (&value, self) {
            let faults: Vec<String> = keys.iter().filter_map(|key| Keymap::check(key).err()).collect();
            return if faults.is_empty() {
                Ok(value)
            } else {
                Err(format!("takes a key, or a list of keys: {}", faults.join(", ")))
            };
        }
        if let (Value::List(entries), Self::Schemas) = (&value, self) {
            let mut registry = Registry::default();
            let faults: Vec<String> = entries
                .iter()
                .filter_map(|entry| registry.add_entry(entry).err())
                .map(|it| it.to_string())
                .collect();
            return if faults.is_empty() {
                Ok(value)
            } else {
                Err(format!("{}: {}", self.takes(), faults.join(", ")))
            };
        }
        if let (Value::List(rules), Self::RedactRules) = (&value, self) {
            return match check_redact(rules) {
                Ok(()) => Ok(value),
                Err(why) => Err(format!("{}: {why}", self.takes())),
            };
        }
        let fits = match (&value, self) {
            (Value::Integer(number), Self::Integer { min, max }) => (min..=max).contains(number),
            (Value::Flag(_), Self::Flag)
            | (Value::Text(_), Self::PathOrNone)
            | (Value::Filters(_), Self::Filters)
            | (Value::Triggers(_), Self::Triggers) => true,
            (Value::Text(text), Self::Text | Self::Path) => !text.is_empty(),
            (Value::List(paths), Self::Paths) => paths.iter().all(|path| !path.is_empty()),
            (Value::Text(text), Self::Version) => text.parse::<semver::Version>().is_ok(),
            (Value::Text(text), Self::CommandLine) => is_command_line(text),
            (Value::Text(text), Self::Address) => text.parse::<std::net::IpAddr>().is_ok(),
            (Value::Text(text), Self::Endpoint) => endpoint(text).is_ok(),
            (Value::Text(text), Self::Choice(_)) => self.accepted_values().contains(&text.as_str()),
            _ => false,
        };
        if fits { Ok(value) } else { Err(self.takes()) }
    }

    /// The words that it takes, where it takes only some.
    pub(crate) fn accepted_values(self) -> Vec<&'static str> {
        match self {
            Self::Choice(words) => words.to_vec(),
            Self::Integer { .. }
            | Self::Flag
            | Self::Text
            | Self::Path
            | Self::PathOrNone
            | Self::Address
            | Self::Endpoint
            | Self::Keys
            | Self::Filters
            | Self::Triggers
            | Self::Paths
            | Self::RedactRules
            | Self::Version
            | Self::CommandLine
            | Self::Schemas => Vec::new(),
        }
    }

    /// What it takes, for people.
    pub(crate) fn takes(self) -> String {
        match self {
            Self::Integer { min, max } => format!("takes a whole number from {min} to {max}"),
            Self::Flag => "takes true or false".to_owned(),
            Self::Text => "takes a non-empty string".to_owned(),
            Self::Path => "takes a path".to_owned(),
            Self::Paths => "takes a path, or a list of paths".to_owned(),
            Self::RedactRules => {
                "takes a list of filters with paths, such as [\"event:give_item $.user\"]".to_owned()
            }
            Self::Version => "takes a semantic version, such as \"7.8.6\"".to_owned(),
            Self::CommandLine => {
                "takes a program and its arguments with matching quotes, such as \"pass show twitch\""
                    .to_owned()
            }
            Self::PathOrNone => "takes a path, or \"\" for none".to_owned(),
            Self::Keys => "takes a key such as \"ctrl-x\", or a list of keys".to_owned(),
            Self::Triggers => {
                "takes tables (in a file), each with name, when and what is done then".to_owned()
            }
            Self::Filters => "takes tables (in a file), each with key, pane and filter".to_owned(),
            Self::Schemas => "takes a table of schemas, such as 0x1000 = \"artifact.map.tile.v1\"".to_owned(),
            Self::Address => "takes an IP address, such as \"127.0.0.1\"".to_owned(),
            Self::Endpoint => ENDPOINT.to_owned(),
            Self::Choice(_) => {
                let words = self.accepted_values().iter().map(|word| format!("{word:?}")).collect::<Vec<_>>();
                format!("takes {}", words.join(" or "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_out_of_its_kind_says_what_is_taken() {
        let port = Kind::Integer { min: 0, max: 65_535 };
        assert_eq!(port.read("7777"), Ok(Value::Integer(7777)));
        assert_eq!(port.read("70000").unwrap_err(), "takes a whole number from 0 to 65535");
        assert!(port.read("-1").is_err());
        assert_eq!(Kind::Flag.read("on"), Ok(Value::Flag(true)));
        assert!(Kind::Flag.read("maybe").is_err());
        assert!(Kind::Address.read("localhost").is_err());
        assert_eq!(Kind::Choice(&["stay", "exit"]).read("go").unwrap_err(), "takes \"stay\" or \"exit\"");
        assert!(Kind::Path.read("").is_err());
        assert_eq!(Kind::Endpoint.read("9464"), Ok(Value::Text("9464".to_owned())));
        assert_eq!(Kind::Endpoint.check(Value::Integer(9464)), Ok(Value::Text("9464".to_owned())));
        assert!(Kind::Endpoint.check(Value::Integer(70_000)).is_err());
        assert!(Kind::Endpoint.read("localhost:1").unwrap_err().starts_with("takes a port"));
        let list = |paths: &[&str]| Ok(Value::List(paths.iter().map(|&path| path.to_owned()).collect()));
        assert_eq!(Kind::Paths.read("a:/b::"), list(&["a", "/b"]));
        assert_eq!(Kind::Paths.check(Value::Text("a:b".to_owned())), list(&["a:b"]));
        assert!(Kind::Paths.check(Value::List(vec![String::new()])).is_err());
        assert!(Kind::Version.read("7.8.6").is_ok() && Kind::Version.read("7.8").is_err());
        assert!(Kind::CommandLine.read("pass 'show x'").is_ok());
        assert!(Kind::CommandLine.read("pass 'show").is_err() && Kind::CommandLine.read(" ").is_err());
        assert_eq!(endpoint("9464"), Ok("127.0.0.1:9464".parse().unwrap()));
        assert_eq!(endpoint("[::]:1"), Ok("[::]:1".parse().unwrap()));
        assert_eq!(
            Kind::Keys.read("ctrl-x  f5"),
            Ok(Value::List(vec!["ctrl-x".to_owned(), "f5".to_owned()]))
        );
        assert_eq!(Kind::Keys.read(""), Ok(Value::List(Vec::new())));
        assert!(Kind::Keys.read("ctrl-x,f5").is_err());
        let rules = Kind::RedactRules.read("event:a $.b; topic:c/* $").unwrap();
        assert_eq!(rules, Value::List(vec!["event:a $.b".to_owned(), "topic:c/* $".to_owned()]));
        assert!(Kind::RedactRules.read("event:a").unwrap_err().contains("a filter and a path"));
        assert_eq!(Kind::Schemas.read("300=critique.*"), Ok(Value::List(vec!["300=critique.*".to_owned()])));
        assert!(
            Kind::Schemas
                .read("9=critique.*")
                .unwrap_err()
                .ends_with(": schema_id 9 (0x0009) is already defined as intent.control.v1")
        );
    }
}
