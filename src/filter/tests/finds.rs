//! What filters find.

use jiff::tz::TimeZone;

use super::sample::{NOW_MS, Sample, filter, finds, now, sample};
use crate::time::{Now, Wall};

fn all_find(texts: &[&str]) {
    for text in texts {
        assert!(finds(text), "{text} should find it");
    }
}

fn none_finds(texts: &[&str]) {
    for text in texts {
        assert!(!finds(text), "{text} should not find it");
    }
}

#[test]
fn words_are_found_anywhere_but_in_figures_and_secrets() {
    all_find(&[
        "",
        "  ",
        "boss",
        "GRÜNE",
        "\"boss_fight 7\"",
        "flight",
        "1234",
        "23",
        "a41f",
        "runs/trace",
        "0191D3",
        "boss in_flight 12",
    ]);
    none_finds(&["1024", "2500", "1.5", "hush", "bossy", "boss nothing"]);
}

#[test]
fn texts_are_found_by_a_part_or_as_a_whole() {
    all_find(&[
        "name:boss",
        "name:\"FIGHT 7\"",
        "name=\"Grüne Boss_Fight 7\"",
        "name!=boss",
        "name~^gr.ne",
        r#"name~"boss_\w+ \d""#,
        "name~(boss|x)",
    ]);
    none_finds(&["name:bosses", "name=\"grüne boss_fight 7\"", "name!=\"Grüne Boss_Fight 7\"", "name~^boss"]);
}

#[test]
fn states_are_found_by_name_whatever_its_case() {
    all_find(&[
        "state:in_flight",
        "state=IN_FLIGHT",
        "state!=pending",
        "state~flight$",
        "state:any",
        "not state:\"none\"",
    ]);
    none_finds(&["state:pending", "state!=in_flight", "state:none", "state:\"none\""]);
}

#[test]
fn ids_are_found_by_their_ends_and_serials_as_a_whole() {
    all_find(&[
        "trace:a41f",
        "trace:A41F",
        "trace:0191d3c2-7a",
        "trace:trace:0191",
        "trace=0191d3c27a417f00800000000000a41f",
        "trace!=a41f",
    ]);
    all_find(&["trace~7a41", "id:1234", "id=#1234", "id!=123", "id>1233", "id>=1234", "id<=1234"]);
    none_finds(&[
        "trace:7a41",
        "trace=a41f",
        "trace!=0191d3c2-7a41-7f00-8000-00000000a41f",
        "id:123",
        "id<1234",
        "id>1234",
    ]);
}

#[test]
fn figures_are_compared_with_their_units() {
    all_find(&["age>2s", "age>=2500ms", "age=2.5s", "age<1m", "age<=0.5h", "age<1d", "age!=2s", "age:2.5S"]);
    all_find(&[
        "bytes>=1KiB",
        "bytes=1kib",
        "bytes>1KB",
        "bytes<1MB",
        "bytes<1GiB",
        "bytes=1024",
        "bytes:1024B",
        "bytes<1.5KiB",
    ]);
    all_find(&["count=1.5", "count>1", "count<1e3", "count>-1", "count!=2"]);
    none_finds(&["age>2.5s", "age<2s", "bytes<1KiB", "bytes>1KiB", "bytes>=1MiB", "count>1.5", "count:1"]);
}

#[test]
fn a_moment_is_as_long_as_it_is_exact() {
    all_find(&[
        "at:18:05",
        "at:18:05:00",
        "at>=18:05",
        "at>18:04",
        "at<18:05:01",
        "at<=18:05",
        "at!=18:04",
        "at>18:04:59",
    ]);
    all_find(&[
        "at:2026-11-21T18:05Z",
        "at=2026-11-21T20:05:00+02:00",
        "at<2026-11-21T18:05:00.001Z",
        "at:2026-11-21T18:05:00.000Z",
    ]);
    none_finds(&[
        "at>18:05",
        "at<18:05",
        "at:18:04",
        "at:18:05:01",
        "at>2026-11-21T18:05Z",
        "at:18:06",
        "at>=18:05:01",
    ]);
}

#[test]
fn a_time_of_day_is_the_last_one_that_has_passed() {
    let yesterday = Sample { at: Some(NOW_MS - 86_400_000 + 4_000_000), ..Sample::default() };
    assert!(
        filter("at:19:11").admits(&yesterday, now()),
        "19:11 is still to come today, so it is yesterday's"
    );
    let sooner = Now { wall: Wall(5), ..Now::default() };
    assert!(!filter("at:19:11").admits(&yesterday, sooner));
}

#[test]
fn times_of_day_are_anchored_in_the_zone_of_who_wrote_them() {
    let zone = TimeZone::fixed(jiff::tz::offset(2));
    let anchored = filter("at:20:05 or at>20:06 or age>1s").anchored(now(), &zone);
    assert_eq!(anchored.canonical(), "at=2026-11-21T18:05Z or at>2026-11-20T18:06Z or age>1s");
    assert_eq!(anchored.text(), "at:20:05 or at>20:06 or age>1s");
    assert!(anchored.admits(&sample(), now().after(std::time::Duration::from_secs(90_000))));
    assert!(!filter("at>18:04").anchored(now(), &zone).depends_on_now());
}

#[test]
fn topics_are_found_by_patterns() {
    all_find(&[
        "topic:rlp/runs/**",
        "topic:rlp/runs/*/events",
        "topic:**",
        "topic=rlp/runs/trace:1/events",
        "topic!=rlp",
        "topic~events$",
    ]);
    none_finds(&["topic:rlp/runs/*", "topic:rlp/runs", "topic=rlp/runs/**", "topic:*"]);
}

#[test]
fn not_binds_closest_then_and_then_or() {
    all_find(&[
        "boss or nothing",
        "nothing or boss and flight",
        "not nothing boss",
        "not (nothing or x)",
        "NOT nothing AND boss",
        "x x or boss",
    ]);
    all_find(&["not not boss", "((boss))", "boss(flight)", "\"boss\" and(flight)"]);
    none_finds(&["nothing or x", "not boss or x", "(boss or x) nothing", "boss and nothing", "\"not\" boss"]);
}

#[test]
fn what_is_missing_fails_every_test_but_unlike_and_not() {
    let nothing = Sample::default();
    let finds = |text: &str| filter(text).admits(&nothing, now());
    for field in [
        "name:x",
        "name=x",
        "name~.",
        "count>=0",
        "age<9d",
        "bytes>=0",
        "at<18:00",
        "state:pending",
        "id<9",
        "trace:a",
        "topic:**",
    ] {
        assert!(!finds(field), "{field}");
        assert!(finds(&format!("not {field}")), "not {field}");
    }
    for field in [
        "name!=x",
        "count!=0",
        "age!=9d",
        "bytes!=0",
        "at!=18:00",
        "state!=pending",
        "id!=9",
        "trace!=a",
        "topic!=a",
    ] {
        assert!(finds(field), "{field}");
    }
    for name in ["name", "count", "age", "bytes", "at", "state", "id", "trace", "topic"] {
        assert!(finds(&format!("{name}:none")) && !finds(&format!("{name}:any")), "{name}");
        assert!(
            !super::sample::finds(&format!("{name}:none")) && super::sample::finds(&format!("{name}:any")),
            "{name}"
        );
    }
}

#[test]
fn says_whether_time_alone_changes_what_it_finds() {
    for text in ["age>2s", "boss or not age<1h", "at>18:04"] {
        assert!(filter(text).depends_on_now(), "{text}");
    }
    for text in ["", "boss", "bytes>1", "age:any", "at>2026-11-21T18:05Z", "state:pending"] {
        assert!(!filter(text).depends_on_now(), "{text}");
    }
}

#[test]
fn a_filter_is_printed_in_one_way() {
    for (text, canonical) in [
        ("  ", ""),
        ("a AND  b", "a b"),
        ("(a or (b c))", "a or b c"),
        ("(a b) c", "(a b) c"),
        ("not (a or b)", "not (a or b)"),
        ("\"boss\" \"two words\" \"or\"", "boss \"two words\" \"or\""),
        ("state=PENDING name:\"none\" name:none", "state:pending name:\"none\" name:none"),
        ("age>1500ms age>=120s bytes:2048 bytes<1500", "age>1500ms age>=2m bytes=2KiB bytes<1500B"),
        ("count:1.50 id:#7 trace:A-B", "count=1.5 id=7 trace:ab"),
        ("at>=2026-11-21T20:05+02:00 at<18:04:05", "at>=2026-11-21T18:05Z at<18:04:05"),
        (r#"name~"a\"b" name~(a|b) name=\d"#, r#"name~"a\"b" name~(a|b) name=\d"#),
    ] {
        assert_eq!(filter(text).canonical(), canonical, "{text}");
        assert_eq!(filter(canonical).canonical(), canonical);
    }
}

#[test]
fn the_part_on_some_fields_lets_through_all_that_the_whole_does() {
    let part = |text: &str| {
        let part = filter(text).part_on(&["name", "state"])?;
        Some(part.canonical())
    };
    assert_eq!(part("name:a state:none count>4").as_deref(), Some("name:a state:none"));
    assert_eq!(part("name:a count>4 some_word").as_deref(), Some("name:a"));
    assert_eq!(part("(name:a or state:none) count>4").as_deref(), Some("name:a or state:none"));
    assert_eq!(part("not name:a").as_deref(), Some("not name:a"));
    for text in ["name:a or count>4", "not (name:a count>4)", "count>4", "some_word", "not some_word", ""] {
        assert_eq!(part(text), None, "{text}");
    }
}
