//! Every message, with its place.

use super::sample::{fault, specs};
use crate::filter::{DEPTH_MAX, Filter, TEXT_BYTES_MAX};

/// What the fault points at, and what it says.
fn fault_of(text: &str) -> (String, String) {
    let fault = fault(text);
    (text[fault.at].to_owned(), fault.words)
}

#[test]
fn says_what_is_wrong_and_points_at_it() {
    for (text, at, words) in [
        ("a \"b c", "\"b c", "the quote is not closed"),
        ("\"a\"b", "b", "a space is missing after the quoted text"),
        (
            "ab\"c",
            "\"",
            "a quote within a word: put quotes around all of the word, and `\\\"` for the quote itself",
        ),
        (
            "a >2s",
            ">",
            "`>` needs a field right before it, without a space, as in `field>…`; quoted it is a word",
        ),
        ("a age>= b", ">=", "the value is missing after `age>=`"),
        ("(age>)", ">", "the value is missing after `age>`"),
        ("name:(a)", ":", "the value is missing after `name:`"),
        ("a (b", "(", "this `(` is not closed by `)`"),
        ("(", "(", "this `(` is not closed by `)`"),
        ("a) b", ")", "this closes a group that was not opened by `(`"),
        (") b", ")", "this closes a group that was not opened by `(`"),
        ("a () b", "()", "the parentheses are empty"),
        ("a and", "and", "`and` needs a term after it; in quotes it is a word"),
        ("a or and b", "or", "`or` needs a term after it; in quotes it is a word"),
        ("(a OR )", "OR", "`OR` needs a term after it; in quotes it is a word"),
        ("not", "not", "`not` needs a term after it; in quotes it is a word"),
        ("or a", "or", "`or` needs a term before it; in quotes it is a word"),
        ("( and a)", "and", "`and` needs a term before it; in quotes it is a word"),
        ("a \"\"", "\"\"", "an empty word matches everything"),
        (
            "name:\"\"",
            "\"\"",
            "an empty text matches everything: `name:any` finds rows with a value, `name=\"\"` empty ones",
        ),
        ("trace:-", "-", "this is not part of an id"),
        ("age~2", "~", "`age` is a duration: it takes > >= < <= = != :"),
        ("a state>pending", ">", "`state` is a state: it takes : = != ~"),
        ("name<x", "<", "`name` is a text: it takes : = != ~"),
        ("id~7", "~", "`id` is a serial number: it takes : = != > >= < <="),
        ("at~7", "~", "`at` is a time: it takes >= > < <= : = !="),
        (
            "state:pendign",
            "pendign",
            "`state` is never `pendign`: did you mean `pending`? There are pending, in_flight, none",
        ),
        ("state:\"x y\"", "\"x y\"", "`state` is never `x y`: there are pending, in_flight, none"),
        ("count>x", "x", "`x` is not a number: write it like `3` or `1.5`"),
        ("count>1e999", "1e999", "`1e999` is not a number: write it like `3` or `1.5`"),
        ("count>inf", "inf", "`inf` is not a number: write it like `3` or `1.5`"),
        ("id:x", "x", "`x` is not a serial number: write it like `17`"),
        ("age>2", "2", "`2` needs a unit of time: `2s`, or ms, m, h, d"),
        ("age>2y", "2y", "`2y` needs a unit of time: `2s`, or ms, m, h, d"),
        ("age>soon", "soon", "`soon` is not a duration: write it like `2s` or `1.5m` (ms, s, m, h, d)"),
        ("age>1.2.3s", "1.2.3s", "`1.2.3s` is not a duration: write it like `2s` or `1.5m` (ms, s, m, h, d)"),
        ("age>999999999999999d", "999999999999999d", "`999999999999999d` is too long a time"),
        ("bytes>x", "x", "`x` is not a size: write it like `512` or `1.5KiB` (B, KB, KiB, MB, MiB, GB, GiB)"),
        ("bytes>2q", "2q", "`2q` has no unit of size: `2KiB`, or B, KB, MB, MiB, GB, GiB"),
        ("bytes>99999999999999999999", "99999999999999999999", "`99999999999999999999` is too large a size"),
        (
            "at>25:00",
            "25:00",
            "`25:00` is not a time: write it like `18:04`, `18:04:05` or `2026-11-21T18:04:05Z`",
        ),
        ("at>18", "18", "`18` is not a time: write it like `18:04`, `18:04:05` or `2026-11-21T18:04:05Z`"),
        (
            "at>18:+4",
            "18:+4",
            "`18:+4` is not a time: write it like `18:04`, `18:04:05` or `2026-11-21T18:04:05Z`",
        ),
        (
            "at>2026-13-21T18:04Z",
            "2026-13-21T18:04Z",
            "`2026-13-21T18:04Z` is not a time: write it like `18:04`, `18:04:05` or `2026-11-21T18:04:05Z`",
        ),
        (
            "at>2026-11-21T18:04",
            "2026-11-21T18:04",
            "`2026-11-21T18:04` has no time zone: end it with `Z` or an offset such as `+02:00`",
        ),
        ("at>1969-11-21T18:04Z", "1969-11-21T18:04Z", "`1969-11-21T18:04Z` is before 1970"),
        ("name~a(b", "(", "invalid regular expression: unclosed group"),
        (r#"name~"a b*{2""#, "{2", "invalid regular expression: unclosed counted repetition"),
        (
            r"name~(\w{1000}){1000}",
            r"(\w{1000}){1000}",
            "the regular expression is too large: make its repetitions smaller",
        ),
        ("topic:a//b", "", "a level of the topic is empty: separate names with single `/`"),
        (
            "topic:a/b*",
            "b*",
            "`*` matches one whole level and `**` one or more; use `~` to match within a level",
        ),
        ("topic:a/ü", "ü", "no topic has `ü`: a level is of letters, digits and `._:-`"),
        ("topic:a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/b", "b", "a topic has at most 16 levels"),
    ] {
        assert_eq!(fault_of(text), (at.to_owned(), words.to_owned()), "{text}");
    }
    let long = format!("topic:{}", "a".repeat(256));
    assert_eq!(fault(&long).words, "a topic has at most 255 bytes");
}

#[test]
fn a_field_that_is_not_there_is_told_with_those_that_are() {
    let (at, words) = fault_of("boss stat:pending");
    assert_eq!(at, "stat");
    assert_eq!(
        words,
        "there is no field `stat`: did you mean `state`? There are name, count, age, bytes, at, state, id, trace, topic, token; to look for \
         the text, write \"stat:pending\""
    );
    assert!(fault_of("http://x").1.ends_with("to look for the text, write \"http://x\""));
    assert!(fault_of("zzz:\"x\"").1.starts_with("there is no field `zzz`: there are name, count"));
}

#[test]
fn length_and_depth_are_bounded() {
    let longest = "a".repeat(TEXT_BYTES_MAX);
    assert!(Filter::parse(&longest, specs()).is_ok());
    let over = format!("{}ü", "a".repeat(TEXT_BYTES_MAX - 1));
    assert_eq!(fault(&over).at, TEXT_BYTES_MAX - 1..TEXT_BYTES_MAX + 1);
    assert_eq!(fault(&over).words, "a filter has at most 1024 bytes");
    let nested = |depth| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Filter::parse(&nested(DEPTH_MAX), specs()).is_ok());
    let deeper = fault(&nested(DEPTH_MAX + 1));
    assert_eq!(
        (deeper.at, deeper.words.as_str()),
        (DEPTH_MAX..DEPTH_MAX + 1, "groups and `not` nest at most 32 deep")
    );
    assert_eq!(fault(&format!("{}a", "not ".repeat(33))).at, 128..131);
}
