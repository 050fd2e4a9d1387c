//! The unit of a systemd user service. Pure text.

/// The unit's file name.
pub(crate) const NAME: &str = "rl-console.service";

/// What differs from one machine to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The program, as an absolute path.
    pub(crate) program: String,
    /// Its arguments, `serve` included.
    pub(crate) args: Vec<String>,
    /// Variables that the shell of the installation had and the service would not have.
    pub(crate) variables: Vec<(String, String)>,
}

/// Before `ExecStart`.
const HEAD: &str = "\
# Printed by `rl-console service`. `rl-console doctor` tells whether it is still what the program ships.
[Unit]
Description=rl-console station
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
";

/// After it. Codes 2 and 3 say that the command line or the configuration is wrong, or that another station
/// holds the data folder: to start again mends neither. Nothing here needs a namespace, which an unprivileged
/// user may not get, and nothing takes a folder away that the data, a pack or a recording may lie in.
const TAIL: &str = "\
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 3
TimeoutStartSec=300
KillMode=mixed
TimeoutStopSec=20
WatchdogSec=60
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
";

const EXEC: &str = "ExecStart=";
const ENVIRONMENT: &str = "Environment=";

impl Unit {
    /// The file's text.
    pub(crate) fn text(&self) -> String {
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| format!("{ENVIRONMENT}{}\n", quoted(&format!("{name}={value}"), false)));
        let words = std::iter::once(&self.program).chain(&self.args).map(|word| quoted(word, true));
        let exec = words.collect::<Vec<_>>().join(" ");
        format!("{HEAD}{}{EXEC}{exec}\n{TAIL}", variables.collect::<String>())
    }
}

/// A word as systemd reads it back: `%` begins a specifier, and on a command line `$` a variable.
fn quoted(word: &str, on_command_line: bool) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@,=".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '%' => quoted.push_str("%%"),
            '$' if on_command_line => quoted.push_str("$$"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// The program that a unit starts, if it names one.
pub(crate) fn binary(unit: &str) -> Option<String> {
    let line = unit.lines().find_map(|line| line.trim().strip_prefix(EXEC))?;
    let mut letters = line.trim_start().chars().peekable();
    let is_quoted = letters.next_if_eq(&'"').is_some();
    let mut program = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted => break,
            ' ' if !is_quoted => break,
            '\\' => program.extend(letters.next()),
            '%' | '$' => {
                letters.next_if_eq(&letter);
                program.push(letter);
            }
            letter => program.push(letter),
        }
    }
    (!program.is_empty()).then_some(program)
}

/// Whether a unit is what this program ships, whatever it starts with which arguments and variables.
pub(crate) fn is_as_shipped(unit: &str) -> bool {
    let own = |line: &&str| !line.starts_with(EXEC) && !line.starts_with(ENVIRONMENT);
    unit.lines().filter(own).eq(HEAD.lines().chain(TAIL.lines()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(program: &str, args: &[&str]) -> Unit {
        Unit {
            program: program.to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            variables: Vec::new(),
        }
    }

    #[test]
    fn the_unit_starts_the_program_with_its_arguments_and_variables() {
        let mut unit = unit("/usr/bin/rl-console", &["--data", "/h/my show", "serve"]);
        unit.variables.push(("RL_CONSOLE_LOG".to_owned(), "debug".to_owned()));
        unit.variables.push(("RL_CONSOLE_MPP_BROADCASTER_LOGIN".to_owned(), "50% $me \"x\"".to_owned()));
        let text = unit.text();
        assert!(text.contains("\nType=notify\nEnvironment=RL_CONSOLE_LOG=debug\n"), "{text}");
        assert!(
            text.contains("\nEnvironment=\"RL_CONSOLE_MPP_BROADCASTER_LOGIN=50%% $me \\\"x\\\"\"\n"),
            "{text}"
        );
        assert!(
            text.contains(
                "\nExecStart=/usr/bin/rl-console --data \"/h/my show\" serve\nRestart=on-failure\n"
            ),
            "{text}"
        );
        assert!(is_as_shipped(&text));
        assert!(!is_as_shipped(&text.replace("WatchdogSec=60\n", "")));
        assert!(!is_as_shipped(&text.replace("UMask=0077", "UMask=0022")));
        assert!(!is_as_shipped(""));
    }

    #[test]
    fn the_program_is_read_back_as_it_was_written() {
        for program in ["/usr/bin/rl-console", "/h/my tools/rl-console", "/h/100%/$x/\"q\"\\b"] {
            assert_eq!(binary(&unit(program, &["serve"]).text()).as_deref(), Some(program));
        }
        assert_eq!(binary("[Service]\nExecStart=\n"), None);
        assert_eq!(binary(""), None);
    }
}
