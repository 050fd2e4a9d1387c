use super::*;

#[track_caller]
fn judged(judge: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
    for text in good {
        assert!(judge(text), "{text:?} is refused");
    }
    for text in bad {
        assert!(!judge(text), "{text:?} is accepted");
    }
}

#[test]
fn date_times_are_those_of_rfc_3339() {
    judged(
        is_date_time,
        &[
            "2026-01-28T15:30:00Z",
            "2026-01-28t15:30:00z",
            "2026-01-28T15:30:00.000Z",
            "2026-01-28T15:30:00.123456789012+05:30",
            "2026-01-28T15:30:00-00:00",
            "2026-01-28T15:30:00+23:59",
            "2024-02-29T00:00:00Z",
            "2000-02-29T00:00:00Z",
            "0000-02-29T00:00:00Z",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1991-01-01T00:59:60.5+01:00",
            "1991-01-01T05:29:60+05:30",
        ],
        &[
            "",
            "2026-01-28",
            "2026-01-28 15:30:00Z",
            "2026-01-28_15:30:00Z",
            "2026-01-28T15:30:00",
            "2026-01-28T15:30Z",
            "2026-01-28T15:30:00+01",
            "2026-01-28T15:30:00+0100",
            "2026-01-28T15:30:00+01:0",
            "2026-01-28T15:30:00+24:00",
            "2026-01-28T15:30:00+01:60",
            "2026-01-28T15:30:00.Z",
            "2026-01-28T15:30:00.5",
            "2026-01-28T15:30:00,5Z",
            "2026-1-28T15:30:00Z",
            "2026-00-28T15:30:00Z",
            "2026-13-28T15:30:00Z",
            "2026-01-00T15:30:00Z",
            "2026-01-32T15:30:00Z",
            "2026-04-31T15:30:00Z",
            "2026-02-29T15:30:00Z",
            "1900-02-29T15:30:00Z",
            "2026-01-28T24:00:00Z",
            "2026-01-28T15:60:00Z",
            "2026-01-28T15:30:60Z",
            "2026-01-28T23:59:61Z",
            "1990-12-31T23:59:60+01:00",
            "1990-12-31T22:59:60Z",
            "2026-01-28T15:30:00Z ",
            "2026-01-28T15:30:00Z\n",
            "+002026-01-28T15:30:00Z",
            "\u{662}026-01-28T15:30:00Z",
            "2026-01-28T15:30:0é",
            "1769614200",
        ],
    );
}

#[test]
fn uuids_are_of_any_version_and_case_and_v4_is_one_alone() {
    let any = ["123e4567-e89b-12d3-a456-426614174000", "5A0E8400-E29B-41D4-A716-446655440000"];
    judged(is_uuid, &any, &["", "5a0e8400e29b41d4a716446655440000", "5a0e8400-e29b-41d4-a716-44665544000g"]);
    judged(
        is_uuid_v4,
        &["5a0e8400-e29b-41d4-a716-446655440000", "00000000-0000-4000-b000-000000000000"],
        &any,
    );
    judged(is_uuid, &["00000000-0000-0000-0000-000000000000"], &["{123e4567-e89b-12d3-a456-426614174000}"]);
    judged(
        is_uuid_v4,
        &[],
        &["5a0e8400-e29b-41d4-c716-446655440000", "5a0e8400-e29b-41d4-a716-446655440000\n"],
    );
}

#[test]
fn uris_are_those_of_rfc_3986_with_a_scheme() {
    judged(
        is_uri,
        &[
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "http://www.ietf.org/rfc/rfc2396.txt",
            "ldap://[2001:db8::7]/c=GB?objectClass?one",
            "mailto:John.Doe@example.com",
            "news:comp.infosystems.www.servers.unix",
            "tel:+1-816-555-1212",
            "telnet://192.0.2.16:80/",
            "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
            "x:",
            "file:///etc/hosts",
            "a+b-c.d1://u:p%20w@h:/p;a=1/@:?q/?#f/?",
            "http://[v1.a:b]/",
            "http://[::ffff:192.0.2.1]:8080",
            "http://%41.test/",
        ],
        &[
            "",
            ":",
            "//host/path",
            "/path",
            "1x:y",
            "x y:z",
            "http://a b/",
            "http://host:port/",
            "http://[::1",
            "http://[::1]x",
            "http://[1::2::3]/",
            "http://[fe80::1%25eth0]/",
            "http://[v.a]/",
            "http://[]/",
            "http://a@b@c/",
            "http://h/%4",
            "http://h/%zz",
            "http://h/[x]",
            "http://h/#a#b",
            "http://h/é",
            "http://h/\n",
            "http://h/\"",
            "http://h/{x}",
            "http://h\\x",
        ],
    );
}

#[test]
fn emails_are_mailboxes_of_rfc_5321() {
    let long = format!("{}@x.test", "a".repeat(64));
    let (longer, far) = (format!("{}@x.test", "a".repeat(65)), format!("a@{}x.test", "y.".repeat(125)));
    judged(
        is_email,
        &[
            "ada@example.test",
            "a.b+c!#$%&'*/=?^_`{|}~-@x-1.test",
            "\"a b@\\\"c\"@x.test",
            "\"\"@x.test",
            "ada@localhost",
            "ada@1.2",
            "ada@[192.0.2.1]",
            "ada@[IPv6:2001:db8::1]",
            "ada@[ipv6:::ffff:192.0.2.1]",
            "ada@[tag:anything]",
            &long,
        ],
        &[
            "",
            "ada",
            "ada@",
            "@x.test",
            ".a@x.test",
            "a.@x.test",
            "a..b@x.test",
            "a b@x.test",
            "a@b@x.test",
            "\"a@x.test",
            "\"a\"b@x.test",
            "\"a\u{7f}\"@x.test",
            "ada@-x.test",
            "ada@x-.test",
            "ada@x..test",
            "ada@x_y.test",
            "ada@x.test.",
            "ada@[192.0.2]",
            "ada@[192.0.2.256]",
            "ada@[IPv6:1:2:3:4:5:6:7::]",
            "ada@[IPv6:zz]",
            "ada@[tag:]",
            "ada@[x y:z]",
            "Ada <ada@x.test>",
            "ada@é.test",
            "ada@x.test\n",
            &longer,
            &far,
        ],
    );
}
