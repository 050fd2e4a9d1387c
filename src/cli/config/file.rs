//! Reads one configuration file, every value with its place.

use crate::{
    cli::run::check_subcommand,
    console::{
        check_filter,
        input::{keymap::NamedFilter, pane_id::PaneId},
    },
    port::TriggerSpec,
    station::check_triggers,
    words::nearest,
};
use std::{collections::BTreeMap, ops::Range, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ConfigFault,
    error::LISTED,
    key::Key,
    value::{FilterEntry, Kind, Value},
};

/// The size over which a file is not read.
const BYTES_MAX: u64 = 1 << 20;

/// The values of one file by key, each with its place.
pub(super) type FileValues = BTreeMap<&'static str, (Value, Position)>;

/// A place in a file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Reads a file; one that does not exist has no values. What is wrong is added to `faults`, at its line and
/// column.
pub(super) fn read(path: &Path, faults: &mut Vec<ConfigFault>) -> FileValues {
    let mut unreadable = |what: String| {
        let hint = "fix the file or its permissions, or move it away".to_owned();
        faults.push(ConfigFault { location: path.display().to_string(), what, hint });
        FileValues::new()
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() > BYTES_MAX => return unreadable(format!("larger than {BYTES_MAX} bytes")),
        Ok(_) => {}
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return FileValues::new();
        }
        Err(error) => return unreadable(format!("cannot be read: {error}")),
    }
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text, faults),
        Err(error) => unreadable(format!("cannot be read: {error}")),
    }
}

/// Reads the text of a file. What is wrong is added to `faults`.
pub(super) fn parse(path: &Path, text: &str, faults: &mut Vec<ConfigFault>) -> FileValues {
    let file = File { path, text };
    let mut values = FileValues::new();
    match DeTable::parse(text) {
        Ok(table) => file.walk("", table.get_ref(), &mut values, faults),
        Err(error) => {
            let what = format!("invalid TOML: {}", error.message());
            faults.push(file.fault(&error.span().unwrap_or(0..0), what, format!("fix that line; {LISTED}")));
        }
    }
    values
}

/// What is wrong with the text of a file.
#[cfg(test)]
pub(crate) fn faults_of(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    parse(Path::new("config.toml"), text, &mut faults);
    faults.iter().map(ToString::to_string).collect()
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn walk(
        &self,
        prefix: &str,
        table: &DeTable<'_>,
        values: &mut FileValues,
        faults: &mut Vec<ConfigFault>,
    ) {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let full = if prefix.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{prefix}.{}", name.get_ref())
            };
            let is_table_of_keys =
                Key::all().any(|key| key.name.strip_prefix(&full).is_some_and(|rest| rest.starts_with('.')));
            if let Some(key) = Key::find(&full).filter(|key| key.kind == Kind::Triggers) {
                match self.triggers(&value.span()) {
                    Ok(all) => {
                        drop(values.insert(key.name, (Value::Triggers(all), self.position(&name.span()))));
                    }
                    Err(fault) => faults.push(fault),
                }
            } else if let Some(key) = Key::find(&full).filter(|key| key.kind == Kind::Filters) {
                let filters = self.filters(value, &name.span(), faults);
                values.insert(key.name, (Value::Filters(filters), self.position(&name.span())));
            } else if let Some(key) = Key::find(&full) {
                match self.value(key, value) {
                    Ok(taken) => drop(values.insert(key.name, (taken, self.position(&value.span())))),
                    Err(fault) => faults.push(fault),
                }
            } else if let (true, DeValue::Table(inner)) = (is_table_of_keys, value.get_ref()) {
                self.walk(&full, inner, values, faults);
            } else if is_table_of_keys {
                faults.push(self.fault(
                    &name.span(),
                    format!("`{full}` is a table, not a value"),
                    format!("write it as [{full}]"),
                ));
            } else {
                let is_table = matches!(value.get_ref(), DeValue::Table(_));
                faults.push(self.unknown(&full, &name.span(), is_table));
            }
        }
    }

    fn value(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Value, ConfigFault> {
        let written = value.get_ref();
        let read = match written {
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                u64::from_str_radix(&digits, number.radix()).ok().map(Value::Integer)
            }
            DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
            DeValue::String(text) => Some(Value::Text(text.to_string())),
            DeValue::Array(items) => {
                let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map(Value::List)
            }
            DeValue::Table(entries) if key.kind == Kind::Schemas => {
                let texts = entries
                    .iter()
                    .map(|(id, rule)| Some(format!("{}={}", id.get_ref(), rule.get_ref().as_str()?)));
                texts.collect::<Option<_>>().map(Value::List)
            }
            _ => None,
        };
        let taken = read.ok_or_else(|| key.kind.takes()).and_then(|value| key.kind.check(value));
        let hint = || key.hint(written.as_str().unwrap_or_default());
        let taken =
            taken.map_err(|takes| self.fault(&value.span(), format!("`{}` {takes}", key.name), hint()))?;
        Ok(match (key.kind, taken) {
            (Kind::Path, Value::Text(path)) => Value::Text(self.beside(&path)),
            (Kind::PathOrNone, Value::Text(path)) if !path.is_empty() => Value::Text(self.beside(&path)),
            (Kind::Paths, Value::List(paths)) => {
                Value::List(paths.iter().map(|path| self.beside(path)).collect())
            }
            (_, value) => value,
        })
    }

    /// The named filters; what is wrong with one is added to `faults`, and it is left out.
    /// The triggers of the file.
    fn triggers(&self, at: &Range<usize>) -> Result<Vec<TriggerSpec>, ConfigFault> {
        #[derive(serde::Deserialize)]
        struct OfFile {
            triggers: Vec<TriggerSpec>,
        }
        let hint = || "`rl-console help recording#triggers` shows one".to_owned();
        let read: Result<OfFile, _> = toml::from_str(self.text);
        let OfFile { triggers } = read.map_err(|error| {
            let span = error.span().unwrap_or_else(|| at.clone());
            self.fault(&span, format!("`{}`: {}", Key::TRIGGERS, error.message()), hint())
        })?;
        check_triggers(&triggers)
            .map_err(|why| self.fault(at, format!("`{}`: {why}", Key::TRIGGERS), hint()))?;
        for TriggerSpec { name, run, .. } in &triggers {
            check_subcommand(run).map_err(|error| {
                self.fault(at, format!("`{}`: `{name}`: run: {error}", Key::TRIGGERS), error.hint())
            })?;
        }
        Ok(triggers)
    }

    fn filters(
        &self,
        value: &Spanned<DeValue<'_>>,
        name: &Range<usize>,
        faults: &mut Vec<ConfigFault>,
    ) -> Vec<FilterEntry> {
        let DeValue::Table(entries) = value.get_ref() else {
            let what = format!("`{}` {}", Key::FILTERS, Kind::Filters.takes());
            faults.push(self.fault(name, what, "write [console.filters.NAME]".to_owned()));
            return Vec::new();
        };
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let read = entries.into_iter().filter_map(|(name, value)| {
            let read = self.filter(name.get_ref(), &name.span(), value);
            read.map_err(|fault| faults.push(fault)).ok()
        });
        read.collect()
    }

    fn filter(
        &self,
        name: &str,
        span: &Range<usize>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<FilterEntry, ConfigFault> {
        const MEMBERS: [&str; 3] = ["key", "pane", "filter"];
        let full = format!("{}.{name}", Key::FILTERS);
        let DeValue::Table(members) = value.get_ref() else {
            return Err(self.fault(
                span,
                format!("`{full}` is a table, not a value"),
                format!("write it as [{full}]"),
            ));
        };
        if let Some((stray, _)) = members.iter().find(|(it, _)| !MEMBERS.contains(&it.get_ref().as_ref())) {
            let near = nearest(stray.get_ref(), MEMBERS);
            let hint = near.map_or_else(
                || "a filter has key, pane and filter".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(self.fault(&stray.span(), format!("unknown key `{full}.{}`", stray.get_ref()), hint));
        }
        let text = |member: &'static str| {
            let found =
                members.iter().find(|(it, _)| it.get_ref().as_ref() == member).map(|(_, value)| value);
            let missing = || {
                let at = found.map_or_else(|| span.clone(), Spanned::span);
                let what = format!("`{full}` needs a string for `{member}`");
                self.fault(&at, what, format!("write {member} = \"...\" under [{full}]"))
            };
            let read = found.and_then(|value| Some((value.get_ref().as_str()?.to_owned(), value.span())));
            read.ok_or_else(missing)
        };
        let ((key, key_at), (pane, pane_at), (filter, filter_at)) =
            (text("key")?, text("pane")?, text("filter")?);
        let named = |error| self.fault(&pane_at, format!("`{full}.pane`: unknown pane `{pane}`"), error);
        let known = PaneId::by_configured_name(&pane).map_err(named)?;
        check_filter(known, &filter).map_err(|why| {
            let hint = format!(
                "press `/` in {}: it completes fields and values; `?` lists the fields",
                known.name()
            );
            self.fault(&filter_at, format!("`{full}.filter` is not valid for {}: {why}", known.name()), hint)
        })?;
        NamedFilter::new(name, &key, known, &filter).map_err(|why| {
            let hint = "write a key as x, X, ctrl-x, alt-x, f5, shift-tab or space".to_owned();
            self.fault(&key_at, format!("`{full}.key`: {why}"), hint)
        })?;
        Ok(FilterEntry { name: name.to_owned(), key, pane, filter, at: self.position(&key_at) })
    }

    /// A path in a file starts at the file's folder.
    fn beside(&self, path: &str) -> String {
        match self.path.parent() {
            Some(folder) if !path.starts_with("~/") => folder.join(path).to_string_lossy().into_owned(),
            _ => path.to_owned(),
        }
    }

    fn unknown(&self, name: &str, span: &Range<usize>, is_table: bool) -> ConfigFault {
        if is_table {
            let tables = Key::tables();
            let hint = match nearest(name, tables.iter().map(String::as_str)) {
                Some(near) => format!("did you mean [{near}]?"),
                None => format!("valid tables are {}; {LISTED}", tables.join(", ")),
            };
            return self.fault(span, format!("unknown table [{name}]"), hint);
        }
        let names = || Key::all().map(|key| key.name);
        let leaf = name.rsplit('.').next().unwrap_or(name);
        let near =
            nearest(name, names()).or_else(|| names().find(|key| key.rsplit('.').next() == Some(leaf)));
        let hint = near.map_or_else(|| LISTED.to_owned(), |near| format!("did you mean `{near}`?"));
        self.fault(span, format!("unknown key `{name}`"), hint)
    }

    fn fault(&self, span: &Range<usize>, what: String, hint: String) -> ConfigFault {
        let Position { line, column } = self.position(span);
        ConfigFault { location: format!("{}:{line}:{column}", self.path.display()), what, hint }
    }

    /// Line and column of a byte, from 1.
    fn position(&self, span: &Range<usize>) -> Position {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Position { line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values, or the first fault.
    fn parse(text: &str) -> Result<FileValues, ConfigFault> {
        let mut faults = Vec::new();
        let values = super::parse(Path::new("/c/config.toml"), text, &mut faults);
        if faults.is_empty() { Ok(values) } else { Err(faults.remove(0)) }
    }

    #[test]
    fn every_fault_of_a_file_is_told_and_the_rest_is_read() {
        let mut faults = Vec::new();
        let values = super::parse(
            Path::new("/c/config.toml"),
            "[mpp]\nprot = 1\nport = 2\n[console]\nascii = 3\n",
            &mut faults,
        );
        assert_eq!((values["mpp.port"].0.clone(), faults.len()), (Value::Integer(2), 2));
    }

    #[test]
    fn keys_are_a_text_or_a_list_of_texts() {
        let values =
            parse("[console.keys]\nhold-all = \"F5\"\nkick = [\"ctrl-k\", \"f8\"]\nzoom = []\n").unwrap();
        let list = |keys: &[&str]| Value::List(keys.iter().map(|&key| key.to_owned()).collect());
        assert_eq!(values["console.keys.hold-all"].0, list(&["F5"]));
        assert_eq!(
            values["console.keys.disconnect"],
            (list(&["ctrl-k", "f8"]), Position { line: 3, column: 8 })
        );
        assert_eq!(values["console.keys.zoom"].0, list(&[]));
        let error = parse("[console.keys]\nkick = [\"ctrl-k\", \"hyper-k\"]\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "/c/config.toml:2:8: `console.keys.disconnect` takes a key, or a list of keys: there is no key \
             `hyper-k`"
        );
        assert!(
            parse("[console.keys]\nkick = 7\n").is_err() && parse("[console.keys]\nkick = [7]\n").is_err()
        );
        assert_eq!(
            parse("[console.keys]\ndisconect = \"x\"\n").unwrap_err().hint,
            "did you mean `console.keys.disconnect`?"
        );
    }

    #[test]
    fn schemas_are_a_table_of_numbers_and_types() {
        let values =
            parse("[rmp.registry]\n0x1000 = \"artifact.map.tile.v1\"\n300 = \"critique.*\"\n").unwrap();
        let (Value::List(entries), Position { line: 1, .. }) = &values["rmp.registry"] else {
            unreachable!("{values:?}")
        };
        assert_eq!(entries.iter().collect::<std::collections::BTreeSet<_>>().len(), 2);
        assert!(entries.contains(&"0x1000=artifact.map.tile.v1".to_owned()));
        for wrong in
            ["10 = \"error.*\"", "x = \"error.*\"", "70000 = \"error.*\"", "300 = \"error\"", "300 = 7"]
        {
            let fault = parse(&format!("[rmp.registry]\n{wrong}\n")).unwrap_err();
            assert!(fault.what.starts_with("`rmp.registry` takes a table of schemas"), "{fault}");
        }
    }

    #[test]
    fn no_hint_names_what_fails_for_the_same_reason() {
        assert!(parse("[mpp\n").unwrap_err().hint.contains("config show --defaults"));
        let unknown = parse("[foo]\na = 1\n").unwrap_err();
        assert!(
            unknown.hint.starts_with("valid tables are console, console.alerts, console.keys, limits."),
            "{}",
            unknown.hint
        );
        assert!(
            unknown.hint.contains(" mpp, plugins, plugins.twitch_android, recording, rmp, runs, runtime; `rl-console config show --defaults`"),
            "{}",
            unknown.hint
        );
        assert_eq!(parse("[consle]\n").unwrap_err().hint, "did you mean [console]?");
    }

    #[test]
    fn reads_every_kind_of_value_with_its_line() {
        let values = parse(
            "data = \"d\"\n[mpp]\nport = 7_778\npack = \"/p/pack.toml\"\n[console]\nascii = true\n[limits.tap]\nreaders_max = 0x10\n",
        );
        let values = values.unwrap();
        let value = |key: &str| (values[key].0.clone(), values[key].1.line);
        assert_eq!(value("data"), (Value::Text("/c/d".to_owned()), 1));
        assert_eq!(value("mpp.port"), (Value::Integer(7778), 3));
        assert_eq!(value("mpp.pack"), (Value::Text("/p/pack.toml".to_owned()), 4));
        assert_eq!(value("console.ascii"), (Value::Flag(true), 6));
        assert_eq!(value("limits.tap.readers_max"), (Value::Integer(16), 8));
    }

    #[test]
    fn an_unknown_key_is_an_error_at_its_place_with_a_suggestion() {
        let error = parse("[mpp]\n  prot = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:2:3: unknown key `mpp.prot`");
        assert_eq!(error.hint, "did you mean `mpp.port`?");
        let error = parse("port = 1\n").unwrap_err();
        assert_eq!(error.hint, "did you mean `mpp.port`?");
        let error = parse("[quux]\na = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:1:2: unknown table [quux]");
    }

    #[test]
    fn a_wrong_value_is_an_error_at_its_place() {
        let error = parse("[mpp]\nport = \"x\"\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:2:8: `mpp.port` takes a whole number from 0 to 65535");
        let error = parse("mpp = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:1:1: `mpp` is a table, not a value");
        let error = parse("[limits.mpp]\nconnections_max = -3\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "/c/config.toml:2:19: `limits.mpp.connections_max` takes a whole number from 1 to 4096"
        );
        assert!(parse("[mpp\n").unwrap_err().to_string().starts_with("/c/config.toml:1:"));
    }
}
