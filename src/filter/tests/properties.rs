//! What holds for any filter and any text: printing and reading agree, finding agrees with the plainest
//! reading of the grammar, and nothing panics.

use jiff::{Timestamp, tz::TimeZone};
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::sample::{NOW_MS, STATES, Sample, now, specs};
use crate::{
    field::{Kind, Record, Value},
    filter::{
        Filter,
        ast::{Comparison, Expr, IdMatch, Test},
        complete,
        find::Needle,
        operand::{Moment, Operand},
        parse::parse,
        print::print,
        regex::Matcher,
        topic::Pattern,
    },
};

/// Texts that meet each other often, and odd ones.
fn text() -> impl Strategy<Value = String> {
    const COMMON: &[&str] = &[
        "a", "b", "ab", "A", "and", "or", "NOT", "none", "any", "name:a", ">", "a b", "(", "\"", "\\", "\\n",
        "\n", "ß", "İ", "K", "é",
    ];
    prop_oneof![4 => select(COMMON).prop_map(str::to_owned), 1 => "\\PC{1,6}", 1 => "[ab\\\\\"() :=<~\t]{1,6}"]
}

fn topic() -> impl Strategy<Value = String> {
    vec(select(&["a", "b", "ab", "x:1"][..]), 1..5).prop_map(|levels| levels.join("/"))
}

fn pattern() -> impl Strategy<Value = String> {
    vec(select(&["a", "b", "x:1", "*", "**"][..]), 1..5).prop_map(|levels| levels.join("/"))
}

fn regex() -> impl Strategy<Value = String> {
    select(&["a", "^a", "b$", "a|b", "(a|b)+", "\\d", "a b", "[()\"]", ".", "\\\\", "x{2}"][..])
        .prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = String> {
    "[0-9a-c]{1,3}"
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison::{Above, AtLeast, AtMost, Below, Is, IsNot};
    select(&[Is, IsNot, Below, AtMost, Above, AtLeast][..])
}

fn moment() -> impl Strategy<Value = Moment> {
    let span = select(&[1_000_u64, 60_000][..]);
    let of_day = (0..86_400_u64, span.clone())
        .prop_map(|(second, span_ms)| Moment::OfDay { ms: second * 1_000 / span_ms * span_ms, span_ms });
    let at = (NOW_MS - 200_000..NOW_MS + 1_000, prop_oneof![Just(1), span])
        .prop_map(|(ms, span_ms)| Moment::At { ms: ms / span_ms * span_ms, span_ms });
    prop_oneof![of_day, at]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![3 => (-3..4_i8).prop_map(|number| f64::from(number) / 2.0), 1 => prop::num::f64::NORMAL]
}

fn figure() -> impl Strategy<Value = u64> {
    prop_oneof![4 => select(&[0_u64, 1, 2, 3, 999, 1_000, 1_024, 2_500, 60_000][..]), 1 => any::<u64>()]
}

fn needle() -> impl Strategy<Value = Needle> {
    text().prop_map(Needle::new)
}

fn test_of(kind: Kind) -> BoxedStrategy<Test> {
    let with = |operand: BoxedStrategy<Operand>| {
        (comparison(), operand).prop_map(|(comparison, operand)| Test::Compare(comparison, operand)).boxed()
    };
    let matches = || regex().prop_map(|text| Test::Matches(Matcher::parse(&text).unwrap()));
    let by_kind = match kind {
        Kind::Text => prop_oneof![
            needle().prop_map(Test::Has),
            text().prop_map(Test::Is),
            text().prop_map(Test::IsNot),
            matches()
        ]
        .boxed(),
        Kind::State(names) => prop_oneof![
            select(names).prop_map(|name| Test::Is(name.to_owned())),
            select(names).prop_map(|name| Test::IsNot(name.to_owned())),
            matches()
        ]
        .boxed(),
        Kind::Topic => prop_oneof![
            pattern().prop_map(|text| Test::Fits(Pattern::parse(&text).unwrap())),
            topic().prop_map(Test::Is),
            topic().prop_map(Test::IsNot),
            matches()
        ]
        .boxed(),
        Kind::Id => prop_oneof![
            (select(&[IdMatch::Part, IdMatch::Whole, IdMatch::Not][..]), id())
                .prop_map(|(how, id)| Test::Id { how, id }),
            matches()
        ]
        .boxed(),
        Kind::Number => with(number().prop_map(Operand::Number).boxed()),
        Kind::Duration => with(figure().prop_map(Operand::Duration).boxed()),
        Kind::Bytes => with(figure().prop_map(Operand::Bytes).boxed()),
        Kind::Serial => with(figure().prop_map(Operand::Serial).boxed()),
        Kind::Time => with(moment().prop_map(Operand::Time).boxed()),
    };
    prop_oneof![6 => by_kind, 1 => Just(Test::Absent), 1 => Just(Test::Present)].boxed()
}

fn expr() -> impl Strategy<Value = Expr> {
    let of_field = (0..specs().len()).prop_flat_map(|field| {
        test_of(specs()[field].kind).prop_map(move |test| Expr::Field { field, test })
    });
    let leaf = prop_oneof![1 => needle().prop_map(Expr::Word), 4 => of_field];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| Expr::Not(Box::new(one))),
            vec(inner.clone(), 2..4).prop_map(Expr::All),
            vec(inner, 2..4).prop_map(Expr::Any),
        ]
    })
}

fn record() -> impl Strategy<Value = Sample> {
    (
        (option::of(text()), option::of(number()), option::of(figure()), option::of(figure())),
        (option::of(NOW_MS - 200_000..NOW_MS), option::of(select(STATES)), option::of(figure())),
        (option::of("(trace:)?[0-9a-c]{2}-?[0-9a-c]{0,2}"), option::of(topic()), option::of(text())),
    )
        .prop_map(|((name, count, age, bytes), (at, state, id), (trace, topic, token))| Sample {
            name,
            count,
            age,
            bytes,
            at,
            state,
            id,
            trace,
            topic,
            token,
        })
}

/// The grammar read as plainly as can be, with nothing of the evaluator's own.
mod naive {
    use super::*;

    fn lower(text: &str) -> String {
        text.chars().flat_map(char::to_lowercase).collect()
    }

    fn has(text: &str, part: &str) -> bool {
        text.char_indices().any(|(at, _)| lower(&text[at..]).starts_with(&lower(part)))
    }

    fn fits(pattern: &[&str], topic: &[&str]) -> bool {
        match (pattern, topic) {
            ([], []) | (["**"], [_, ..]) => true,
            (["**", rest @ ..], [_, further @ ..]) => fits(rest, further) || fits(pattern, further),
            (["*", rest @ ..], [_, further @ ..]) => fits(rest, further),
            ([one, rest @ ..], [other, further @ ..]) => one == other && fits(rest, further),
            _ => false,
        }
    }

    fn levels(text: &str) -> Vec<&str> {
        text.split('/').collect()
    }

    fn digits(text: &str) -> String {
        text.trim_start_matches("trace:").replace('-', "").to_lowercase()
    }

    /// Compares by the text that an operand is written as, on the side of the value.
    fn compares<T: PartialOrd>(comparison: Comparison, value: &T, first: &T, last: &T) -> bool {
        match comparison {
            Comparison::Is => value >= first && value <= last,
            Comparison::IsNot => value < first || value > last,
            Comparison::Below => value < first,
            Comparison::AtMost => value <= last,
            Comparison::Above => value > last,
            Comparison::AtLeast => value >= first,
        }
    }

    fn moment(moment: Moment) -> (u64, u64) {
        match moment {
            Moment::At { ms, span_ms } => (ms, ms + span_ms - 1),
            Moment::OfDay { ms, span_ms } => {
                let midnight = "2026-11-21T00:00Z".parse::<Timestamp>().unwrap();
                let days = [0, 1]
                    .map(|ago| u64::try_from(midnight.as_millisecond()).unwrap() - ago * 86_400_000 + ms);
                let start = days.into_iter().find(|start| *start <= NOW_MS).unwrap();
                (start, start + span_ms - 1)
            }
        }
    }

    fn passes(wanted: &Test, value: &Value<'_>) -> bool {
        if let Value::None = value {
            return matches!(
                wanted,
                Test::Absent
                    | Test::IsNot(_)
                    | Test::Id { how: IdMatch::Not, .. }
                    | Test::Compare(Comparison::IsNot, _)
            );
        }
        match (wanted, value) {
            (Test::Absent, _) => false,
            (Test::Present, _) => true,
            (Test::Has(part), Value::Text(text)) => has(text, part.text()),
            (Test::Is(other), Value::Text(text)) => text == other,
            (Test::IsNot(other), Value::Text(text)) => text != other,
            (Test::Fits(pattern), Value::Text(text)) => fits(&levels(pattern.text()), &levels(text)),
            (Test::Matches(matcher), Value::Text(text)) => {
                regex::Regex::new(&format!("(?i:{})", matcher.text())).unwrap().is_match(text)
            }
            (Test::Id { how: IdMatch::Part, id }, Value::Text(text)) => {
                digits(text).starts_with(id) || digits(text).ends_with(id)
            }
            (Test::Id { how: IdMatch::Whole, id }, Value::Text(text)) => digits(text) == *id,
            (Test::Id { how: IdMatch::Not, id }, Value::Text(text)) => digits(text) != *id,
            (Test::Compare(how, Operand::Number(other)), Value::Number(value)) => {
                compares(*how, value, other, other)
            }
            (Test::Compare(how, Operand::Duration(other)), Value::Duration(value))
            | (Test::Compare(how, Operand::Bytes(other)), Value::Bytes(value))
            | (Test::Compare(how, Operand::Serial(other)), Value::Serial(value)) => {
                compares(*how, value, other, other)
            }
            (Test::Compare(how, Operand::Time(at)), Value::Time(value)) => {
                let (first, last) = moment(*at);
                compares(*how, &value.0, &first, &last)
            }
            _ => panic!("{wanted:?} of {value:?}"),
        }
    }

    pub(super) fn admits(expr: &Expr, record: &Sample) -> bool {
        match expr {
            Expr::Word(word) => [
                &record.name,
                &record.trace,
                &record.topic,
                &record.state.map(str::to_owned),
                &record.id.map(|id| id.to_string()),
            ]
            .into_iter()
            .flatten()
            .any(|text| has(text, word.text())),
            Expr::Field { field, test } => passes(test, &record.value(*field, now())),
            Expr::Not(one) => !admits(one, record),
            Expr::All(all) => all.iter().filter(|one| !admits(one, record)).count() == 0,
            Expr::Any(all) => all.iter().filter(|one| admits(one, record)).count() > 0,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_printed_reads_as_the_same_filter(expr in expr()) {
        let text = print(&expr, specs());
        prop_assume!(text.len() <= crate::filter::TEXT_BYTES_MAX);
        let read = parse(&text, specs());
        prop_assert_eq!(read, Ok(Some(expr)), "{}", text);
    }

    #[test]
    fn finds_what_the_plainest_reading_finds(expr in expr(), records in vec(record(), 1..8)) {
        let text = print(&expr, specs());
        prop_assume!(text.len() <= crate::filter::TEXT_BYTES_MAX);
        let filter = Filter::parse(&text, specs()).unwrap();
        for record in records {
            prop_assert_eq!(
                filter.admits(&record, now()),
                naive::admits(&expr, &record),
                "{} of {:?}",
                text,
                record
            );
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(
        text in "\\PC{0,40}|[ -~]{0,60}|((name|age|state|at|topic|id)(:|=|~|>)?[a-z0-9:\"()*/ ]{0,8} ?){0,
        6}", cursor in 0_usize..80,
    ) {
        match Filter::parse(&text, specs()) {
            Ok(filter) => {
                let canonical = filter.canonical();
                prop_assert_eq!(Filter::parse(&canonical, specs()).unwrap().canonical(), canonical);
                let _ = filter.admits(&super::sample::sample(), now());
                let _ = filter.anchored(now(), &TimeZone::UTC);
            }
            Err(fault) => {
                prop_assert!(text.get(fault.at.clone()).is_some(), "{:?} of {:?}", fault, text);
                prop_assert!(!fault.words.is_empty());
            }
        }
        let completion = complete(&text, cursor, specs(), &|_| vec!["a b".to_owned(), "c".to_owned()]);
        prop_assert!(text.get(completion.replace).is_some());
        let _ = Filter::and(&text, "id=1");
    }

    #[test]
    fn a_value_is_found_by_its_term(record in record()) {
        for (field, spec) in specs().iter().enumerate() {
            let term = Filter::term(spec, &record.value(field, now()));
            let filter = Filter::parse(&term, specs());
            prop_assert!(
                filter.as_ref().is_ok_and(|filter| filter.admits(&record, now())),
                "{} of {:?}: {:?}",
                term,
                record,
                filter
            );
        }
    }
}
