use super::*;

/// The example of the W3C's text (§3.2.4).
const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn reads_a_header_and_writes_it_again() {
    let parent: TraceParent = EXAMPLE.parse().unwrap();
    assert_eq!(parent.version, 0);
    assert_eq!(parent.trace_id[..3], [0x4b, 0xf9, 0x2f]);
    assert_eq!(parent.parent_id, [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]);
    assert!(parent.is_sampled());
    assert_eq!(parent.to_string(), EXAMPLE);
}

#[test]
fn flags_that_nobody_knows_are_no_fault() {
    for (flags, is_sampled) in [("00", false), ("01", true), ("02", false), ("ff", true), ("fe", false)] {
        let parent: TraceParent = EXAMPLE.replace("-01", &format!("-{flags}")).parse().unwrap();
        assert_eq!(parent.is_sampled(), is_sampled, "{flags}");
    }
}

#[test]
fn later_versions_may_have_more_fields() {
    let later = |rest: &str| format!("cc{}{rest}", &EXAMPLE[2..]).parse::<TraceParent>();
    for rest in ["", "-", "-what the future is like", "-é"] {
        assert_eq!(later(rest).unwrap().version, 0xcc, "{rest}");
    }
    assert_eq!(later(".x"), Err(TraceParentError::NoDash("trace-flags")));
    assert_eq!(later("0"), Err(TraceParentError::NoDash("trace-flags")));
}

#[test]
fn refuses_what_the_grammar_does_not_allow() {
    use TraceParentError as E;
    let zero_trace = format!("00-{:032}-00f067aa0ba902b7-01", 0);
    let zero_parent = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{:016}-01", 0);
    let (longer, more) = (format!("{EXAMPLE}0"), format!("{EXAMPLE}-x"));
    let upper = EXAMPLE.to_uppercase();
    let (blank, behind) = (format!(" {EXAMPLE}"), format!("{EXAMPLE} "));
    let faults = [
        ("", E::Short(0)),
        (&EXAMPLE[..54], E::Short(54)),
        (&zero_trace, E::Zero("trace-id")),
        (&zero_parent, E::Zero("parent-id")),
        (&longer, E::Long),
        (&more, E::Long),
        (&behind, E::Long),
        (&upper, E::NotHex("trace-id")),
        (&blank, E::NotHex("version")),
        ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", E::Version),
        ("FF-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", E::NotHex("version")),
        ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-011", E::NotHex("trace-id")),
        ("00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", E::NoDash("version")),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01", E::NoDash("trace-id")),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01", E::NoDash("parent-id")),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", E::NotHex("trace-flags")),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-é", E::NotHex("trace-flags")),
    ];
    for (text, fault) in faults {
        assert_eq!(text.parse::<TraceParent>(), Err(fault), "{text:?}");
    }
}

#[test]
fn hands_on_the_trace_and_the_end_of_the_span() {
    // The ids 32a0fa55-0214-4e55-a58e-85fa8ca2a24b and 231a506c-5299-4756-8032-343653addc14.
    let trace_id = 0x32a0_fa55_0214_4e55_a58e_85fa_8ca2_a24b_u128.to_be_bytes();
    let span_id = 0x231a_506c_5299_4756_8032_3436_53ad_dc14_u128.to_be_bytes();
    let parent = TraceParent::of_span(&trace_id, &span_id);
    assert_eq!(parent.to_string(), "00-32a0fa5502144e55a58e85fa8ca2a24b-8032343653addc14-01");
    assert_eq!(parent.to_string().parse(), Ok(parent));
}

#[test]
fn what_is_given_is_kept_as_it_came_or_left_out_with_why() {
    assert_eq!(GivenTraceParent::read(EXAMPLE).valid(), Some(EXAMPLE));
    // A later version, with what this one does not know: verbatim, up to 512 bytes.
    let later = |len: usize| format!("cc{}-{}", &EXAMPLE[2..], "x".repeat(len - 56));
    assert_eq!(GivenTraceParent::read(&later(512)).valid(), Some(later(512).as_str()));
    let long = GivenTraceParent::read(&later(513));
    assert_eq!((long.valid(), long.left_out()), (None, Some("traceparent has 513 bytes, more than 512")));
    let upper = GivenTraceParent::read(&EXAMPLE.to_uppercase());
    let why = "the trace-id of traceparent is not in lowercase hexadecimal digits";
    assert_eq!((upper.valid(), upper.left_out()), (None, Some(why)));
    let number = GivenTraceParent::no_text("an integer");
    assert_eq!(number.left_out(), Some("traceparent is an integer, not a string"));
}
