//! The grammar as a whole: what it takes and what it does not.

use clap::Parser as _;

use super::{Cli, Command};
use crate::tap::entry::{Link, mpp::RowState};

fn parse(line: &str) -> Result<Command, clap::Error> {
    Cli::try_parse_from(std::iter::once("rl-console").chain(line.split(' '))).map(|cli| cli.command.unwrap())
}

#[test]
fn invoke_takes_an_event_or_a_file_and_not_both() {
    assert!(parse("invoke").is_err());
    assert!(parse("invoke give_item --from x").is_err());
    assert!(parse("invoke --from - --user bob").is_err());
    assert!(parse("invoke --from -").is_ok());
    let Command::Invoke(args) = parse("invoke give_item --wait done --timeout 1.5").unwrap() else {
        unreachable!()
    };
    assert_eq!(args.wait, Some(RowState::Done));
    assert_eq!(args.timeout, Some(1_500));
    assert!(parse("invoke give_item --timeout 1").is_err());
    assert!(parse("invoke give_item --wait over").is_err());
    assert!(parse("invoke give_item --wait done --timeout -1").is_err());
}

#[test]
fn the_help_of_host_restart_names_every_host() {
    let help = parse("host restart --help").unwrap_err().to_string();
    for link in Link::ALL {
        let is_named = help.contains(&format!("- {}:", link.name())) && help.contains(link.title());
        assert_eq!(is_named, link != Link::Station, "{help}");
    }
    assert!(parse("host restart station").is_err());
}

/// A line of every subcommand, and of every form that the manual has of it.
const LINES: &[&str] = &[
    "serve",
    "serve --metrics 9464",
    "serve --metrics [::1]:9464",
    "service",
    "service --install --force --metrics 9464",
    "pair --rotate",
    "pair --out token",
    "ls invocations --state done --limit 5000",
    "ls queues",
    "ls events",
    "ls state",
    "ls refunds --state manual",
    "ls adapters",
    "ls health",
    "invocation cancel 1 2 3 --reason late --refund",
    "invocation settle 4 done",
    "invocation settle 4 failed",
    "invocation requeue 4 5 --even-if-refunded",
    "hold",
    "hold boss",
    "resume",
    "resume boss --keep-drain",
    "drain default",
    "adapter disconnect",
    "peer disconnect 18",
    "record",
    "host restart mpp",
    "status",
    "status --short",
    "stop",
    "stop --yes --force",
    "record out.mcap --for 2",
    "backup file.db",
    "pack check p.toml",
    "pack hash p.toml",
    "pack migrate",
    "sim adapter --addr 127.0.0.1:1 --pack p --token-file t --latency 5 --fail-rate 0.5 --refund-rate 1 --seed 9 --logs-per-s 50000 --reconnect",
    "sim plugin --into dir --id a.b --crash-after 1.5 --exit-code 3 --hang-pings --stop-reading --flood logs",
    "sim plugin --into dir --slow-start 20 --refuse --ignore-shutdown --ignore-exit --close-stdout --fork",
    "sim plugin --into dir --bad-frame no_colon --ask-credential --seed 9",
    "decode",
    "decode -",
    "decode frames.bin --now now",
    "decode --hex 00 --now 1731456000000 --json",
    "encode",
    "encode frame.json --raw --broken",
    "encode - --hex",
    "decode --link mpp lines.txt",
    "decode --link rmp --dialect session frames.bin",
    "decode --link rmp --dialect frames --hex 00",
    "encode --link rmp --dialect json --broken",
    "decode --link macp --rpc Initialize --hex 00",
    "encode --link macp --rpc StreamSession",
    "encode --link plugin --raw",
    "publish agent/writer --body {} --type intent.generic.v1 --ttl-ms 500 --ack",
    "publish a --frame 00 --no-ack --as ui --token-file t",
    "tail rlp/** agent/* --decode --count 3 --as viewer",
    "sim agent writer --script s.toml --seed 3 --reconnect",
    "submit o.yaml -p a=1 --param b=two=2 --params {} --follow --timeout 5 --as cue",
    "submit - --wait",
    "run cancel trace:0191d3c2-7a41-7f00-8000-00000000a41f",
    "ls sessions --state open --mode decision --since 1h --filter participants>2",
    "session start s1 --as alice --mode decision --participant alice --participant bob --intent x --ttl 600 --context {} --root a=b",
    "session start --as alice --mode-version 1 --configuration-version 2 --policy-version 3 --id m1",
    "session send s1 --as alice propose p1 go --rationale x --supporting-data @f",
    "session send s1 --as bob --id m2 evaluate p1 approve --confidence 0.9 --reason x",
    "session send s1 object p1 high --reason x --as carol",
    "session send s1 vote p1 approve --as bob",
    "session send s1 --as alice commit go --commitment c1 --scope team --reason x --mode-version 1",
    "session send s1 --as alice contribute blue",
    "session send s1 --as alice --type Message --payload resolve",
    "session stream",
    "session stream s1 --as alice",
    "session cancel s1 --reason late",
    "session show s1 --log --after 3 --limit 10",
    "session export s1 --mplp out.json --force",
    "session ls --state open --mode multi_round --since 1h --limit 3",
    "sim session --mode mixed --participants 5 --sessions 3 --at-once 2 --pace 0 --seed 7 --prefix x --cancel-rate 0.1 --leave-rate 0.1 --reconnect",
    "ls runs --state failed --name poll --since 1h30m --filter took>5s",
    "run show a41f --yaml",
    "run events a41f --level warn --kind status --kind log --follow",
    "run artifacts a41f --out d",
    "run export a41f --mplp out.json --ndjson --force",
    "run export a41f --mplp -",
    "run export a41f --learning out.ndjson",
    "opening check a.yaml b.yaml -p a=1",
    "opening graph - --mermaid",
    "serve --plugins dir --plugins other",
    "serve --no-plugins",
    "ls plugins --filter state:up",
    "plugin show",
    "plugin show a.b",
    "plugin check dir",
    "plugin check dir --run --command cmd",
    "plugin install dir",
    "plugin install dir --yes --grant log,notify --command cmd",
    "plugin dev dir --grant log --command cmd",
    "plugin remove a.b",
    "plugin remove a.b --purge",
    "plugin enable a.b",
    "plugin disable a.b",
    "plugin restart a.b",
    "plugin grant a.b log,notify",
    "plugin revoke a.b log",
    "plugin allow a.b",
    "plugin allow a.b --always",
    "plugin deny a.b",
    "plugin set a.b volume -7",
    "plugin set a.b volume --default",
    "plugin logs a.b",
    "plugin logs a.b -f --lines 20",
    "plugin audit a.b",
    "plugin invoke a.act --args {} --plugin a.b --timeout 600",
    "plugin event a.b on_watch_tick {}",
    "stream set ann --id 1 --name Ann --game Chess --game-id 2 --viewers 3 --started 2026-01-01T00:00:00Z",
    "stream stop",
    "stream live -",
    "stream live file",
    "stream session add s1",
    "stream session rm s1",
    "stream chat hello",
    "stream chat --as bob hello",
    "stream chat -",
    "stream show",
    "gate arm link:mpp",
    "gate arm link:mpp --in --then intercept --on-timeout drop --max 3 --for 2.5",
    "gate arm link:rmp --out --then delay=200ms±50 --percent 12.5 --seed 7",
    "gate ls",
    "gate pass",
    "gate pass 1 2",
    "gate drop 1 2",
    "gate edit 1 --raw 7b7d0a --keep",
    "gate edit 1 - --set body.id=2 --set body.x=y",
    "gate edit 1 frame.json",
    "gate disarm",
    "gate disarm 1",
    "gate watch",
    "mplp validate a.json - d --schema plan --profile map --findings-max 5 --json",
    "mplp validate a.ndjson --schema events/mplp-sa-event.schema.json",
    "mplp schemas",
    "mplp schema learning-sample-core",
    "mplp schema common/metadata.schema.json",
    "mplp invariants --json",
    "mplp station",
    "mplp station --mplp out.json --ndjson --force",
    "doctor",
    "config show --origin",
    "config show --defaults",
    "keys",
    "completions zsh",
    "man",
    "man out",
];

#[test]
fn every_subcommand_of_the_manual_is_there() {
    for line in LINES {
        parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

#[test]
fn what_a_subcommand_does_not_take_is_refused() {
    for line in [
        "invocation cancel",
        "service --force",
        "serve --metrics localhost",
        "ls queues --limit -1",
        "config show --origin --defaults",
        "decode a --hex 00",
        "decode --now yesterday",
        "publish a",
        "publish a --body {} --frame 00",
        "publish a --body {} --ttl-ms 0",
        "publish a --body {} --ack --no-ack",
        "publish a --body {} --as station",
        "tail",
        "tail a --count 0",
        "sim agent",
        "sim session --participants 0",
        "sim plugin",
        "sim plugin --into dir --flood sand",
        "session",
        "session show",
        "session export s1",
        "session send",
        "session start --ttl soon --as a",
        "submit",
        "submit a --param b",
        "run show a4f",
        "run export a41f",
        "run export a41f --mplp a --learning b",
        "run export a41f --learning b --ndjson",
        "run show a41g",
        "ls runs --since soon",
        "opening check",
        "gate",
        "gate arm",
        "gate arm link:mpp --in --out",
        "gate arm link:mpp --then delay",
        "gate arm link:mpp --max 0",
        "gate arm link:mpp --percent 101",
        "gate drop",
        "gate edit 1",
        "gate edit 1 file --raw 00",
        "gate edit 1 --set body.id=2 --raw 00",
        "mplp",
        "mplp validate",
        "mplp validate a --schema plam",
        "mplp validate a --profile one",
        "mplp validate a --findings-max 0",
        "mplp schema",
        "encode --hex --raw",
        "decode --link tcp",
        "decode --link macp --rpc Sent",
        "decode --dialect text",
        "invocation settle 4 maybe",
        "sim adapter --fail-rate 1.1",
        "sim adapter --logs-per-s 0",
        "plugin",
        "plugin install",
        "plugin check dir --patience 5",
        "plugin grant a.b",
        "plugin set a.b volume",
        "plugin set a.b volume 7 --default",
        "plugin event a.b on_watch_tick",
        "guard",
        "stream",
        "stream set",
        "stream set ann --viewers many",
        "stream session add",
        "stream chat",
        "adapter",
        "peer disconnect",
        "ls",
        "man a b",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}
