//! What could be written next.

use super::sample::specs;
use crate::{
    field::Class,
    filter::{Completion, complete},
};

/// Completes where `|` stands; queue names and the like come from a fixed list.
fn completed(text: &str) -> Completion {
    let cursor = text.find('|').unwrap();
    let seen = |field: usize| match specs()[field].name {
        "name" => ["bob", "alice", "al baz", "Alva"].map(str::to_owned).to_vec(),
        "id" => vec!["17".to_owned()],
        "token" => vec!["hush".to_owned()],
        _ => Vec::new(),
    };
    complete(&text.replace('|', ""), cursor, specs(), &seen)
}

fn texts(text: &str) -> Vec<String> {
    completed(text).candidates.into_iter().map(|candidate| candidate.text).collect()
}

#[test]
fn completes_fields_with_their_usual_operator_and_the_words_that_join() {
    assert_eq!(
        texts("|"),
        ["name:", "count>", "age>", "bytes>", "at>=", "state:", "id:", "trace:", "topic:", "not"]
    );
    assert_eq!(texts("t|"), ["trace:", "topic:", "count>", "bytes>", "at>=", "state:"]);
    assert_eq!(texts("boss a|"), ["age>", "at>=", "name:", "state:", "trace:", "and"]);
    assert_eq!(texts("boss o|")[..2], ["count>", "topic:"]);
    assert_eq!(texts("(boss) o|").last().unwrap(), "or");
    assert!(!texts("boss or o|").contains(&"or".to_owned()) && texts("(n|").contains(&"not".to_owned()));
    assert_eq!(completed("x na|me y").replace, 2..6);
    assert_eq!(completed("(na|)").replace, 1..3);
}

#[test]
fn completes_the_operators_of_a_field_by_what_it_measures() {
    assert_eq!(texts("name|"), ["name:", "name=", "name!=", "name~"]);
    assert_eq!(texts("age|"), ["age>", "age>=", "age<", "age<=", "age=", "age!=", "age:"]);
    assert_eq!(completed("age|").candidates[0].about, "more than");
}

#[test]
fn completes_states_units_and_values_that_were_seen() {
    assert_eq!(
        texts("state:|"),
        ["state:pending", "state:in_flight", "state:\"none\"", "state:none", "state:any"]
    );
    assert_eq!(texts("x state!=p|"), ["state!=pending"]);
    assert_eq!(texts("age>2|"), ["age>2ms", "age>2s", "age>2m", "age>2h", "age>2d"]);
    assert_eq!(texts("age>2m|"), ["age>2ms", "age>2m"]);
    assert_eq!(texts("bytes>1.5k|"), ["bytes>1.5KB", "bytes>1.5KiB"]);
    assert_eq!(texts("name:al|"), ["name:alice", "name:\"al baz\"", "name:Alva"]);
    assert_eq!(texts("name:\"al |"), ["name:\"al baz\""]);
    assert_eq!(texts("name=b|"), ["name=bob", "name=\"al baz\""]);
    assert_eq!(texts("id:|"), ["id:17", "id:none", "id:any"]);
    assert_eq!(completed("name:b|").candidates[0].class, Class::Login);
    assert_eq!(completed("x name:\"al |b\" y").replace, 2..13);
}

#[test]
fn offers_nothing_where_nothing_is_known_and_never_a_secret() {
    for text in ["name~a|", "zzz:a|", "\"qu|", "age~|", "age>|", "token:|", "token:h|"] {
        assert_eq!(texts(text), Vec::<String>::new(), "{text}");
    }
    assert!(!texts("tok|").contains(&"token:".to_owned()));
}
