//! Whether a file is a program of this system.
//!
//! What executes a program on behalf of the C library gives a file of no known format to `/bin/sh`, which
//! makes a program of another system a shell script that fails in some line. It is refused before that.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

/// How a file begins that names its interpreter.
const SCRIPT: &[u8] = b"#!";
/// How a program of Linux begins.
const ELF: &[u8] = b"\x7fELF";
/// Where the kind of machine is named in it.
const MACHINE: std::ops::Range<usize> = 18..20;
/// The 32-bit machines whose programs x86-64 and ARM64 execute too: Intel 80386 and ARM, as they are
/// written on a little-endian machine.
const NARROWER: [[u8; 2]; 2] = [[3, 0], [40, 0]];
/// Bytes that are looked at.
const HEAD_BYTES: usize = 20;
/// Formats that the operator has taught the system.
const TAUGHT: &str = "/proc/sys/fs/binfmt_misc";

/// Refuses a file that no system call executes. What cannot be looked at is left to the system.
///
/// # Errors
/// [`Errno::NOEXEC`].
pub(super) fn check(program: &OsStr) -> Result<(), Errno> {
    let Some(head) = find(program).and_then(|path| head(&path)) else { return Ok(()) };
    let own = head_of_own().unwrap_or_default();
    if is_program(&head, &own) || is_taught() { Ok(()) } else { Err(Errno::NOEXEC) }
}

fn is_program(head: &[u8], own: &[u8]) -> bool {
    let machine = |head: &[u8]| head.get(MACHINE).map(<[u8]>::to_vec);
    head.starts_with(SCRIPT)
        || head.starts_with(ELF)
            && machine(head).is_some_and(|of| {
                machine(own).is_none_or(|own| own == of) || NARROWER.iter().any(|it| it[..] == of)
            })
}

/// Where a program is found: by its path, or in `PATH`.
fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(program.into());
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn head_of_own() -> Option<Vec<u8>> {
    head(Path::new("/proc/self/exe"))
}

fn head(path: &Path) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::with_capacity(HEAD_BYTES);
    File::open(path).ok()?.take(u64::try_from(HEAD_BYTES).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether the system knows more formats than its own: emulators and virtual machines are set up that way.
fn is_taught() -> bool {
    let entries = fs::read_dir(TAUGHT).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name != "register" && name != "status")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_other_files_by_their_first_bytes() {
        let elf = |machine: u8| {
            let mut head = ELF.to_vec();
            head.resize(HEAD_BYTES, 0);
            head[MACHINE.start] = machine;
            head
        };
        for program in [&elf(62)[..], &elf(3), b"#!/bin/sh", b"#!"] {
            assert!(is_program(program, &elf(62)), "{program:?}");
        }
        for other in [&elf(183)[..], &elf(62)[..10], b"", b"#", b"MZ\x90\0\x03", b"print('hello')"] {
            assert!(!is_program(other, &elf(62)), "{other:?}");
        }
        assert!(is_program(&elf(183), &[]), "its own kind is not known");
        assert!(is_program(&head_of_own().unwrap(), &head_of_own().unwrap()));
    }

    #[test]
    fn what_cannot_be_looked_at_is_left_to_the_system() {
        for program in ["/nowhere/main", "no-such-program-anywhere", "/", "sh"] {
            assert_eq!(check(program.as_ref()), Ok(()), "{program}");
        }
    }
}
