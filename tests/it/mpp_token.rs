//! Where a bridge token stands in a line, to be masked before anybody sees it.

use std::ops::Range;

use rl_console::mpp::frame::token_ranges;

const HELLO: &str = r#"{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"sha256:abc","bridge_token":"s3cret"}"#;

fn masked(line: &str, ranges: &[Range<u32>]) -> String {
    let mut bytes = line.as_bytes().to_vec();
    for range in ranges {
        bytes[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()].fill(b'*');
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_hellos_token_is_masked_wherever_it_stands() {
    let ranges = token_ranges(HELLO.as_bytes()).unwrap();
    assert_eq!(masked(HELLO, &ranges), HELLO.replace("s3cret", "******"));

    let line = r#"{"bridge_token":"first","mpp":1,"type":"hello","pack_id":"s3cret","x":{"s3cret":"as3cretb"},"bridge_token": "s3\u0063ret"}"#;
    let shown = masked(line, &token_ranges(line.as_bytes()).unwrap());
    assert_eq!(
        shown,
        r#"{"bridge_token":"*****","mpp":1,"type":"hello","pack_id":"******","x":{"******":"a******b"},"bridge_token": "***********"}"#
    );

    let line = r#"{"mpp":2,"type":"hello","bridge_token":["s3cret", 1]}"#;
    assert_eq!(
        masked(line, &token_ranges(line.as_bytes()).unwrap()),
        r#"{"mpp":2,"type":"hello","bridge_token":*************}"#
    );
}

#[test]
fn a_first_line_whose_token_cannot_be_found_is_to_be_withheld() {
    for line in [
        "",
        "s3cret\n",
        "[\"s3cret\"]",
        r#"{"mpp":2,"type":"hello","bridge_tokn":"s3cret"}"#,
        r#"{"mpp":2,"type":"helo","bridge_token":"s3cret"}"#,
        r#"{"mpp":2,"bridge_token":"s3cret"}"#,
        r#"{"mpp":2,"type":"hello","bridge_token":"s3cret""#,
        r#"{"mpp":2,"type":"hello","bridge_token":"s3cret"}{}"#,
    ] {
        assert_eq!(token_ranges(line.as_bytes()), None, "{line}");
    }
    assert_eq!(token_ranges(b"{\"type\":\"hello\",\"bridge_token\":\"s3cret\xff\"}"), None);
}

#[test]
fn a_hello_with_more_tokens_or_places_of_one_than_are_looked_for_is_to_be_withheld() {
    let tokens = r#","bridge_token":"a""#.repeat(3_000);
    let places = format!(r#","bridge_token":"a","x":"{}""#, "a".repeat(60_000));
    for more in [tokens, places] {
        assert_eq!(token_ranges(format!(r#"{{"mpp":2,"type":"hello"{more}}}"#).as_bytes()), None);
    }
}
