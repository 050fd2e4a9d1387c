//! Any text as an opening, also with params set in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rl_console::{
    limits::Runs,
    runs::{
        Plan,
        openings::{Map, NoLibrary, Opening, drawing, merge_params},
    },
};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let limits = Runs::default();
    let overrides: Map = [("a".to_owned(), serde_json::json!({"b": [1, "c: d"]}))].into_iter().collect();
    let given = Opening::load(text, None, &overrides, &NoLibrary, &limits);
    match &given {
        Ok(opening) => {
            let plan = Plan::from(opening);
            let json = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
            let _ = (drawing::text(&opening.name, &plan), drawing::mermaid(&plan));
        }
        Err(faults) => {
            let lines = text.split(['\n', '\r']).count() + 1;
            assert!(faults.list().iter().all(|it| it.at.line as usize <= lines));
        }
    }
    if let Ok(merged) = merge_params(text, &overrides, &limits)
        && let Ok(given) = given
        && let Ok(set) = Opening::load(&merged, None, &Map::new(), &NoLibrary, &limits)
    {
        assert_eq!(set, given);
    }
});
