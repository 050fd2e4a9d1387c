//! Open files: every connection of a port is one, and the journal and the operator need some at any moment.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    admission::{Cut, TableSize, fit_tables},
    limits::Limits,
    station::metrics::REFUSALS_MAX,
};

/// Raises the soft limit of open files to the hard one, and cuts the tables of connections that do not fit
/// into it; what was cut, each in a sentence that says what to do.
pub(super) fn fit(limits: &mut Limits) -> Vec<String> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let Some(max) = (if raised { maximum } else { current }) else { return Vec::new() };
    fit_into(limits, max)
}

fn fit_into(limits: &mut Limits, open_files_max: u64) -> Vec<String> {
    // Each with the least that its setting takes, or a few where that is less.
    let tables: [(&str, &mut u64, u64); 6] = [
        ("limits.mpp.connections_max", &mut limits.mpp.connections_max, 4),
        ("limits.rmp.connections_max", &mut limits.rmp.connections_max, 8),
        ("limits.rmp.operator_connections_max", &mut limits.rmp.operator_connections_max, 4),
        ("limits.rmp.leaving_max", &mut limits.rmp.leaving_max, 8),
        ("limits.macp.connections_max", &mut limits.macp.connections_max, 4),
        ("limits.metrics.connections_max", &mut limits.metrics.connections_max, 4),
    ];
    let mut places: Vec<TableSize> =
        tables.iter().map(|(_, count, least)| TableSize { count: **count, least: *least }).collect();
    let cuts = fit_tables(&mut places, open_files_max.saturating_sub(REFUSALS_MAX));
    let told = |Cut { index, wanted, left }: &Cut| {
        let key = tables.get(*index).map_or("", |(key, ..)| *key);
        format!(
            "{key} reduced from {wanted} to {left}: the system allows {open_files_max} open files (raise \
             the hard limit with `ulimit -Hn` or LimitNOFILE=, and restart)"
        )
    };
    let told = cuts.iter().map(told).collect();
    for ((_, table, _), left) in tables.into_iter().zip(places) {
        *table = left.count;
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_do_not_fit_are_cut_and_that_is_said() {
        let mut limits = Limits::default();
        assert_eq!(fit_into(&mut limits, 65_536), Vec::<String>::new());
        assert_eq!(limits, Limits::default());
        let told = fit_into(&mut limits, 1_024);
        let sum = limits.mpp.connections_max
            + limits.rmp.connections_max
            + limits.rmp.operator_connections_max
            + limits.rmp.leaving_max
            + limits.macp.connections_max
            + limits.metrics.connections_max;
        assert!(sum <= 1_024 - 256 - REFUSALS_MAX, "{limits:?}");
        assert_eq!(told.len(), 6, "{told:?}");
        let rmp = limits.rmp.connections_max;
        assert!(
            told[1].starts_with(&format!("limits.rmp.connections_max reduced from 1024 to {rmp}:")),
            "{told:?}"
        );
    }

    #[test]
    fn what_is_cut_stays_within_the_ranges_of_its_settings() {
        let (mut limits, mut checked) = (Limits::default(), Limits::default());
        for sentence in fit_into(&mut limits, 64) {
            let mut words = sentence.split(' ');
            let (key, left) =
                (words.next().unwrap(), words.nth(4).unwrap().trim_end_matches(':').parse().unwrap());
            checked.set(key, left).unwrap();
        }
        assert_eq!(limits, checked);
    }

    #[test]
    fn the_soft_limit_is_raised_to_the_hard_one() {
        fit(&mut Limits::default());
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!(current, maximum);
    }
}
