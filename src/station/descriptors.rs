//! Open files: every connection of a port is one, and the journal and the operator need some at any moment.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    admission::{Cut, fit_tables},
    limits::Limits,
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
    let tables: [(&str, &mut u64); 5] = [
        ("limits.mpp.connections_max", &mut limits.mpp.connections_max),
        ("limits.rmp.connections_max", &mut limits.rmp.connections_max),
        ("limits.rmp.leaving_max", &mut limits.rmp.leaving_max),
        ("limits.macp.connections_max", &mut limits.macp.connections_max),
        ("limits.metrics.connections_max", &mut limits.metrics.connections_max),
    ];
    let mut places: Vec<u64> = tables.iter().map(|(_, places)| **places).collect();
    let cuts = fit_tables(&mut places, open_files_max);
    let told = |Cut { index, wanted, left }: &Cut| {
        let key = tables.get(*index).map_or("", |(key, _)| *key);
        format!(
            "{key} is {left} in place of {wanted}: the system allows {open_files_max} open files (raise the hard limit, `ulimit -Hn` or LimitNOFILE=, and start again)"
        )
    };
    let told = cuts.iter().map(told).collect();
    for ((_, table), left) in tables.into_iter().zip(places) {
        *table = left;
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
            + limits.rmp.leaving_max
            + limits.macp.connections_max
            + limits.metrics.connections_max;
        assert!(sum <= 1_024 - 256, "{limits:?}");
        assert_eq!(told.len(), 5, "{told:?}");
        let rmp = limits.rmp.connections_max;
        assert!(
            told[1].starts_with(&format!("limits.rmp.connections_max is {rmp} in place of 1024:")),
            "{told:?}"
        );
    }

    #[test]
    fn the_soft_limit_is_raised_to_the_hard_one() {
        fit(&mut Limits::default());
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!(current, maximum);
    }
}
