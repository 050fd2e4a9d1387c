//! Reads one configuration file, every value with its place.

use std::{collections::BTreeMap, ops::Range, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ConfigError,
    key::{Key, nearest},
    value::{Kind, Value},
};

/// Where the keys are named. `config show` cannot, while a file is broken.
const EVERY_KEY: &str = "the keys are data, [mpp], [console] and [limits.*]; without this file `rl-console config show` lists them all";

/// The size over which a file is not read.
const BYTES_MAX: u64 = 1 << 20;

/// The values of one file by key, each with its line.
pub(super) type FileValues = BTreeMap<&'static str, (Value, usize)>;

/// Reads a file; one that does not exist has no values.
///
/// # Errors
/// What is wrong, at its line and column.
pub(super) fn read(path: &Path) -> Result<FileValues, ConfigError> {
    let unreadable = |what: String| ConfigError {
        place: path.display().to_string(),
        what,
        hint: "mend the file or its rights, or move it away".to_owned(),
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() > BYTES_MAX => return Err(unreadable(format!("it has over {BYTES_MAX} bytes"))),
        Ok(_) => {}
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(FileValues::new());
        }
        Err(error) => return Err(unreadable(format!("it cannot be read: {error}"))),
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(format!("it cannot be read: {error}")))?;
    parse(path, &text)
}

/// Reads the text of a file.
pub(super) fn parse(path: &Path, text: &str) -> Result<FileValues, ConfigError> {
    let file = File { path, text };
    let table = DeTable::parse(text).map_err(|error| {
        let what = format!("this is not TOML: {}", error.message());
        file.error(&error.span().unwrap_or(0..0), what, EVERY_KEY.to_owned())
    })?;
    let mut values = FileValues::new();
    file.walk("", table.get_ref(), &mut values)?;
    Ok(values)
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn walk(&self, prefix: &str, table: &DeTable<'_>, values: &mut FileValues) -> Result<(), ConfigError> {
        for (name, value) in table {
            let full = if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            let is_table_of_keys = Key::all().any(|key| key.name.strip_prefix(&full).is_some_and(|rest| rest.starts_with('.')));
            if let Some(key) = Key::find(&full) {
                values.insert(key.name, (self.value(key, value)?, self.place(&value.span()).0));
            } else if let (true, DeValue::Table(inner)) = (is_table_of_keys, value.get_ref()) {
                self.walk(&full, inner, values)?;
            } else if is_table_of_keys {
                return Err(self.error(&name.span(), format!("`{full}` is a table"), format!("write it as [{full}]")));
            } else {
                return Err(self.unknown(&full, &name.span()));
            }
        }
        Ok(())
    }

    fn value(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Value, ConfigError> {
        let read = match value.get_ref() {
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                u64::from_str_radix(&digits, number.radix()).ok().map(Value::Integer)
            }
            DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
            DeValue::String(text) => Some(Value::Text(text.to_string())),
            _ => None,
        };
        let taken = read.ok_or_else(|| key.kind.takes()).and_then(|value| key.kind.check(value));
        let taken = taken.map_err(|takes| self.error(&value.span(), format!("`{}` {takes}", key.name), key.doc.trim().to_owned()))?;
        Ok(match (key.kind, taken) {
            (Kind::Path, Value::Text(path)) => Value::Text(self.beside(&path)),
            (_, value) => value,
        })
    }

    /// A path in a file starts at the file's folder.
    fn beside(&self, path: &str) -> String {
        match self.path.parent() {
            Some(folder) if !path.starts_with("~/") => folder.join(path).to_string_lossy().into_owned(),
            _ => path.to_owned(),
        }
    }

    fn unknown(&self, name: &str, span: &Range<usize>) -> ConfigError {
        let names = || Key::all().map(|key| key.name);
        let leaf = name.rsplit('.').next().unwrap_or(name);
        let near = nearest(name, names()).or_else(|| names().find(|key| key.rsplit('.').next() == Some(leaf)));
        let hint = near.map_or_else(|| EVERY_KEY.to_owned(), |near| format!("did you mean `{near}`?"));
        self.error(span, format!("there is no key `{name}`"), hint)
    }

    fn error(&self, span: &Range<usize>, what: String, hint: String) -> ConfigError {
        let (line, column) = self.place(span);
        ConfigError { place: format!("{}:{line}:{column}", self.path.display()), what, hint }
    }

    /// Line and column of a byte, from 1.
    fn place(&self, span: &Range<usize>) -> (usize, usize) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<FileValues, ConfigError> {
        super::parse(Path::new("/c/config.toml"), text)
    }

    #[test]
    fn reads_every_kind_of_value_with_its_line() {
        let values = parse(
            "data = \"d\"\n[mpp]\nport = 7_778\npack = \"/p/pack.toml\"\n[console]\nascii = true\n[limits.tap]\nreaders_max = 0x10\n",
        );
        let values = values.unwrap();
        assert_eq!(values["data"], (Value::Text("/c/d".to_owned()), 1));
        assert_eq!(values["mpp.port"], (Value::Integer(7778), 3));
        assert_eq!(values["mpp.pack"], (Value::Text("/p/pack.toml".to_owned()), 4));
        assert_eq!(values["console.ascii"], (Value::Flag(true), 6));
        assert_eq!(values["limits.tap.readers_max"], (Value::Integer(16), 8));
    }

    #[test]
    fn an_unknown_key_is_an_error_at_its_place_with_a_suggestion() {
        let error = parse("[mpp]\n  prot = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:2:3: there is no key `mpp.prot`");
        assert_eq!(error.hint, "did you mean `mpp.port`?");
        let error = parse("port = 1\n").unwrap_err();
        assert_eq!(error.hint, "did you mean `mpp.port`?");
        let error = parse("[quux]\na = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:1:2: there is no key `quux`");
    }

    #[test]
    fn a_wrong_value_is_an_error_at_its_place() {
        let error = parse("[mpp]\nport = \"x\"\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:2:8: `mpp.port` takes a whole number from 0 to 65535");
        let error = parse("mpp = 1\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:1:1: `mpp` is a table");
        let error = parse("[limits.mpp]\nconnections_max = -3\n").unwrap_err();
        assert_eq!(error.to_string(), "/c/config.toml:2:19: `limits.mpp.connections_max` takes a whole number from 1 to 4096");
        assert!(parse("[mpp\n").unwrap_err().to_string().starts_with("/c/config.toml:1:"));
    }
}
