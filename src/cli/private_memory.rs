//! Keeps what this process knows, tokens among it, from other processes of the same user.

/// Nobody but root looks into this process from now on: no debugger attaches, no memory and no descriptors
/// are read by way of `/proc`, no core is dumped. A program that it starts is open to that again, as `execve`
/// has it. Where the system has no such thing, nothing is changed.
pub(super) fn close() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
    {
        super::report::print_note(&format!(
            "warning: cannot protect the memory of this process from core dumps and swap: {error}"
        ));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write as _;

    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn this_process_is_closed_and_what_it_starts_is_not() {
        super::close();
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
        let name = concat!(module_path!(), "::a_process_that_is_started_tells_how_it_is");
        let (_, name) = name.split_once("::").unwrap();
        let told = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--ignored", "--nocapture"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&told.stdout);
        assert!(text.contains(&format!("it is {:?}", DumpableBehavior::Dumpable)), "{told:?}");
    }

    #[test]
    #[ignore = "it is started by the test above, in a process of its own"]
    fn a_process_that_is_started_tells_how_it_is() {
        writeln!(std::io::stdout(), "it is {:?}", dumpable_behavior().unwrap()).unwrap();
    }
}
