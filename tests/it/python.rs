//! What runs the scenarios of clients in Python, which share nothing with this crate, against the real
//! binary.

use std::{
    ffi::OsStr,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Where `.ci/run` puts what `requirements.txt` names.
pub(crate) const ENVIRONMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/python/bin/python");

/// One client's scenarios, and what they need.
pub(crate) struct Runner {
    /// Below `tests/it/python`.
    pub(crate) script: &'static str,
    /// The interpreters that are tried before those at hand.
    pub(crate) pythons: fn() -> Vec<PathBuf>,
    /// The module that is imported of it, and its name.
    pub(crate) modules: (&'static str, &'static str),
    /// Where this is `required`, a scenario that cannot be run fails.
    pub(crate) required_by: &'static str,
}

impl Runner {
    /// A Python that has what it takes; nothing, with the reason printed, where there is none and none is
    /// required.
    pub(crate) fn python(&self) -> Option<PathBuf> {
        let (modules, named) = self.modules;
        let has_modules = |python: &PathBuf| {
            let asked = Command::new(python)
                .args(["-c", &format!("import {modules}")])
                .stderr(Stdio::null())
                .status();
            asked.is_ok_and(|status| status.success())
        };
        let found = (self.pythons)()
            .into_iter()
            .chain(["python3", "/usr/bin/python3"].map(PathBuf::from))
            .find(has_modules);
        if found.is_none() {
            let required = std::env::var_os(self.required_by).is_some_and(|value| value == "required");
            assert!(!required, "there is no Python with {named}, and {} requires it", self.required_by);
            std::io::stderr()
                .write_all(format!("skipped: there is no Python with {named}\n").as_bytes())
                .unwrap();
        }
        found
    }

    /// What it prints, which it is to be content with; nothing where it is skipped.
    fn run(&self, args: &[&OsStr]) -> Option<String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/python").join(self.script);
        let output = Command::new(self.python()?)
            .arg("-B")
            .arg(script)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(output.status.success(), "{said}");
        Some(said)
    }

    /// Runs a scenario with these arguments; whether it was not skipped.
    pub(crate) fn holds<A: AsRef<OsStr>>(&self, args: &[A]) -> bool {
        self.run(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>()).is_some()
    }

    /// Whether these are all the scenarios that there are.
    pub(crate) fn lists(&self, scenarios: &[&str]) {
        let Some(said) = self.run(&["--list".as_ref()]) else { return };
        let mut listed: Vec<&str> = said.lines().collect();
        let mut run = scenarios.to_vec();
        listed.sort_unstable();
        run.sort_unstable();
        assert_eq!(listed, run);
    }
}

/// A test for each scenario, which calls `holds` with its name, and one that none is missing.
macro_rules! scenarios {
    ($runner:expr; $($scenario:ident)*) => {
        $(
            #[test]
            fn $scenario() {
                holds(stringify!($scenario));
            }
        )*

        #[test]
        fn every_scenario_is_run() {
            $runner.lists(&[$(stringify!($scenario)),*]);
        }
    };
}
pub(crate) use scenarios;
