//! The language in short, for people.

/// The language in short: what is written, and what it finds. Help of the console and of the command line
/// shows it.
pub const GRAMMAR: &[(&str, &str)] = &[
    ("boss", "the word anywhere, whatever its case; \"two words\" in quotes"),
    ("queue:boss", "a text that has it"),
    ("queue=boss  queue!=boss", "a text that is it, or is not, letter by letter"),
    ("state:pending", "a state by its name"),
    ("trace:a41f", "an id by how it begins or ends"),
    ("age>2s  age<=1.5m", "a span of time: ms s m h d; also = != < >="),
    ("bytes>=1KiB", "a size: B KB KiB MB MiB GB GiB"),
    ("pending>3  id=17", "a number"),
    ("at>=18:04  at:18:04:05", "a time of day that has passed last, or one by RFC 3339"),
    ("topic:rlp/runs/*/events", "a topic: * is one level, ** one or more"),
    ("reason~time.?out", "a regular expression, whatever its case"),
    ("user:none  user:any", "what has no value, what has one"),
    ("a b  a and b  a or b  not a", "both, both, either, without; ( ) group"),
];
