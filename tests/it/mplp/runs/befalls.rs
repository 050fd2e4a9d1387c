//! Runs that anything befalls: their records are clean.

use std::collections::BTreeMap;

use super::simulate;

fn befalls(seeds: u64) {
    let mut tally = BTreeMap::new();
    for seed in 0..seeds {
        simulate(seed, &mut tally);
    }
    // What is not met is not tested: of a hundred seeds at least so many, of others half their share.
    let least = [
        ("sa", 30),
        ("map", 50),
        ("completed", 20),
        ("failed", 50),
        ("cancelled", 10),
        ("restart", 10),
        ("live", 150),
        ("confirm approved", 10),
        ("confirm rejected", 10),
        ("confirm cancelled", 3),
        ("session of several, ended", 20),
        ("session of several, open", 20),
        ("session of one, ended", 5),
        ("session of one, open", 20),
    ];
    for (what, least) in least {
        let (met, least) = (tally.get(what).copied().unwrap_or(0), (least * seeds).div_ceil(200));
        assert!(u64::from(met) >= least, "{what}: {tally:?}");
    }
}

#[test]
fn whatever_befalls_a_run_its_record_is_clean() {
    befalls(50);
}

#[test]
#[ignore = "minutes without optimization"]
fn whatever_befalls_many_runs_their_records_are_clean() {
    befalls(200);
}
