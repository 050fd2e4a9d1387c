//! Any text as a manifest. The part behind a NUL stands in for every schema's file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::mpp::manifest::Pack;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let text = parts.next().unwrap_or_default();
    let schema = parts.next().unwrap_or_default();
    match Pack::parse(text, &mut |_| Ok(schema.to_vec())) {
        Ok(pack) => {
            assert!(pack.events.values().all(|event| pack.queues.contains_key(&event.queue)));
            for event in pack.events.values() {
                let _ = event.check("{\"a\":[1,{\"b\":null}]}");
            }
            for decl in pack.state.values() {
                let _ = decl.check("[1,\"x\",{}]");
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.is_sorted_by_key(|error| (error.line, error.column)));
        }
    }
});
