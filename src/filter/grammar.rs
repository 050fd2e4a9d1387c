//! The language in short, for people.

/// The language in short: what is written, and what it finds. Help of the console and of the command line
/// shows it.
pub const GRAMMAR: &[(&str, &str)] = &[
    ("boss", "the word anywhere, ignoring case; \"two words\" in quotes"),
    ("queue:boss", "a text that contains it"),
    ("queue=boss  queue!=boss", "a text that equals it, or differs"),
    ("state:pending", "a state by its name"),
    ("trace:a41f", "an id by its start or end"),
    ("age>2s  age<=1.5m", "a span of time: ms s m h d; also = != < >="),
    ("bytes>=1KiB", "a size: B KB KiB MB MiB GB GiB"),
    ("pending>3  id=17", "a number"),
    ("at>=18:04  at:18:04:05", "the last such time of day, or an RFC 3339 time"),
    ("topic:rlp/runs/*/events", "a topic: * is one level, ** one or more"),
    ("reason~time.?out", "a regular expression, ignoring case"),
    ("user:none  user:any", "no value, any value"),
    ("a b  a and b  a or b  not a", "both, both, either, without; ( ) group"),
];
