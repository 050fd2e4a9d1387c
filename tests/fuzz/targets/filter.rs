//! Any text as a filter, and completed anywhere.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::{
    field::{Record, Value, fields},
    filter::{Filter, complete},
    time::{Now, Wall},
};

struct Sample;

fields! {
    Sample {
        "name", Text, Login, "a text" => |_, _| Value::text("Boss fight");
        "count", Number, Public, "a number" => |_, _| Value::Number(1.5);
        "age", Duration, Public, "a span of time" => |_, _| Value::Duration(2_500);
        "bytes", Bytes, Public, "a size" => |_, _| Value::Bytes(1_024);
        "at", Time, Public, "a moment" => |_, now| Value::Time(Wall(now.wall.0));
        "state", State(&["pending", "done"]), Public, "a state" => |_, _| Value::text("done");
        "id", Serial, Public, "a number" => |_, _| Value::Serial(17);
        "trace", Id, Public, "an id" => |_, _| Value::text("trace:0191-a41f");
        "topic", Topic, Public, "a topic" => |_, _| Value::text("rlp/runs/a/events");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Filter::parse(text, Sample.specs()) {
        Ok(filter) => {
            let admits = filter.admits(&Sample, Now::at_ms(0));
            let canonical = filter.canonical();
            // What is printed may be longer than may be read: numbers and quotes are written out.
            if let Ok(again) = Filter::parse(&canonical, Sample.specs()) {
                assert_eq!(again.canonical(), canonical);
                assert_eq!(again.admits(&Sample, Now::at_ms(0)), admits);
            } else {
                assert!(canonical.len() > rl_console::filter::TEXT_BYTES_MAX);
            }
        }
        Err(fault) => assert!(text.get(fault.at).is_some()),
    }
    for cursor in 0..text.len().min(64) {
        let completion = complete(text, cursor, Sample.specs(), &|_| vec!["Boss fight".to_owned()]);
        assert!(text.get(completion.replace).is_some());
    }
});
