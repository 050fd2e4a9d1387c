//! Keeps what this process knows, tokens among it, from other processes of the same user.

/// Nobody but root looks into this process from now on: no debugger attaches, no memory and no descriptors
/// are read by way of `/proc`, no core is dumped. A program that it starts is open to that again, as `execve`
/// has it. Where the system has no such thing, nothing is changed.
pub(super) fn close() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
    {
        super::report::print_note(&format!(
            "warning: the memory of this process is not kept private: {error}"
        ));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[test]
    fn this_process_is_closed_and_what_it_starts_is_not() {
        super::close();
        assert_eq!(dumpable_behavior(), Ok(DumpableBehavior::NotDumpable));
        // PR_GET_DUMPABLE.
        let ask = "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))";
        let Ok(told) = std::process::Command::new("python3").args(["-c", ask]).output() else { return };
        assert_eq!(String::from_utf8_lossy(&told.stdout).trim(), "1", "{told:?}");
    }
}
