//! `sim adapter`: carries the simulated adapter's frames over TCP.

use std::{path::Path, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::pack;
use crate::{
    cli::{
        args::SimAdapterArgs,
        config::Settings,
        context::Context,
        env::{self, Secret},
        error::Error,
        operator,
        output::Output as Stdout,
        runtime::{self, BridgeEndpoint},
        signals::Signals,
        sim::{Adapter, AdapterProfile, End, Event, Facts, Input, Output},
    },
    mpp::{
        HelloReason,
        framing::{Framed, Framer},
    },
    private_files,
    time::Clock,
};

/// The first wait before another try; each further one is twice as long.
const WAIT_MIN: Duration = Duration::from_millis(250);
/// The longest wait before another try.
const WAIT_MAX: Duration = Duration::from_secs(5);

pub(in crate::cli) fn run(context: &mut Context, args: SimAdapterArgs) -> Result<(), Error> {
    if args.fail_rate + args.refund_rate > 1.0 {
        return Err(Error::usage(
            "the sum of --fail-rate and --refund-rate is more than 1",
            "lower one of them",
        ));
    }
    let token = token(args.token_file.as_deref(), context.env.bridge_token.clone())?;
    let facts = Facts::of(&pack::load(&context.settings.pack)?);
    if let Some(addr) = args.addr.as_deref() {
        check_addr(addr)?;
    }
    let latency = Duration::from_millis(args.latency);
    let SimAdapterArgs { addr, fail_rate, refund_rate, seed, logs_per_s, reconnect, .. } = args;
    let manner = AdapterProfile { latency, fail_rate, refund_rate, seed, logs_per_s };
    let Context { clock, out, settings, .. } = context;
    operator::block_on(async {
        let signals = Signals::listen()?;
        let adapter = Adapter::new(facts, manner, token);
        let mut driver = Driver { adapter, named: addr, settings, clock: *clock, signals, out };
        let ended = driver.run(reconnect).await;
        let summary = driver.adapter.ended();
        driver.print_event(&summary)?;
        ended
    })
}

/// The token, from a file or the environment, and never from an argument: other users can list those.
fn token(file: Option<&Path>, variable: Option<Secret>) -> Result<Secret, Error> {
    const HINT: &str =
        "create one with `rl-console pair`, and pass it with --token-file or RL_CONSOLE_BRIDGE_TOKEN";
    let Some(path) = file else {
        return variable
            .ok_or_else(|| Error::usage(format!("no bridge token: {} is not set", env::BRIDGE_TOKEN), HINT));
    };
    let text = private_files::open_named_secret(path)
        .and_then(private_files::read_small_text)
        .map_err(Error::io(path.display().to_string()))?;
    Secret::new(&text).ok_or_else(|| Error::usage(format!("{} contains no token", path.display()), HINT))
}

fn check_addr(addr: &str) -> Result<(), Error> {
    let parts = addr.rsplit_once(':');
    if parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) {
        return Ok(());
    }
    Err(Error::usage(format!("`{addr}` is not an address"), "give HOST:PORT, such as --addr 127.0.0.1:7777"))
}

/// Where to connect, and whether the data folder's station listens there.
#[derive(Clone, Debug)]
struct Target {
    addr: String,
    is_ours: bool,
}

/// How one connection ended.
enum Ended {
    /// By a signal.
    Asked,
    /// By the adapter, with its reason.
    Over(End),
    /// It could not be made, or was lost.
    Lost { why: String },
}

/// Carries values between the adapter and the world.
struct Driver<'a> {
    adapter: Adapter,
    /// `--addr`.
    named: Option<String>,
    settings: &'a Settings,
    clock: Clock,
    signals: Signals,
    out: &'a mut Stdout,
}

impl Driver<'_> {
    async fn run(&mut self, reconnect: bool) -> Result<(), Error> {
        let mut wait = WAIT_MIN;
        loop {
            let target = match self.target() {
                Err(error @ Error::Unreachable { .. }) if reconnect => Err(error.to_string()),
                target => Ok(target?),
            };
            let (ended, was_serving) = match &target {
                Ok(target) => self.connection(&target.addr).await?,
                Err(why) => {
                    self.print_event(&Event::Disconnected { why: why.clone() })?;
                    (Ended::Lost { why: why.clone() }, false)
                }
            };
            match (ended, &target) {
                (Ended::Asked, _) => return Ok(()),
                (Ended::Over(end), Ok(target)) if !reconnect || is_final(&end) => {
                    return Err(refused(end, target));
                }
                (Ended::Lost { why }, Ok(target)) if !reconnect => return Err(unreachable(target, &why)),
                (Ended::Over(_) | Ended::Lost { .. }, _) => {}
            }
            if was_serving {
                wait = WAIT_MIN;
            }
            self.print_event(&Event::Reconnecting {
                in_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            })?;
            tokio::select! {
                () = self.signals.end() => return Ok(()),
                () = tokio::time::sleep(wait) => {}
            }
            wait = (wait * 2).min(WAIT_MAX);
        }
    }

    /// Where the station is now: one that was started again may listen elsewhere.
    fn target(&self) -> Result<Target, Error> {
        let BridgeEndpoint { addr, is_ours } = match &self.named {
            None => runtime::bridge(self.settings)?,
            Some(named) => match named.parse() {
                Ok(addr) => BridgeEndpoint::named(addr, self.settings),
                Err(_) => return Ok(Target { addr: named.clone(), is_ours: false }),
            },
        };
        Ok(Target { addr: addr.to_string(), is_ours })
    }

    /// One connection from its beginning to its end; also whether its handshake succeeded.
    async fn connection(&mut self, addr: &str) -> Result<(Ended, bool), Error> {
        let connected = tokio::select! {
            () = self.signals.end() => return Ok((Ended::Asked, false)),
            connected = TcpStream::connect(addr) => connected,
        };
        let mut stream = match connected {
            Ok(stream) => stream,
            Err(error) => {
                let why = error.to_string();
                self.print_event(&Event::Disconnected { why: why.clone() })?;
                return Ok((Ended::Lost { why }, false));
            }
        };
        // Without it frames wait for each other; a system that refuses is only slower.
        stream.set_nodelay(true).unwrap_or_default();
        self.print_event(&Event::Connected { addr: addr.to_owned() })?;
        self.adapter.handle(self.clock.now(), Input::Connected);
        let ended = self.serve(&mut stream).await;
        let was_serving = self.adapter.is_serving();
        self.adapter.handle(self.clock.now(), Input::Closed);
        let ended = ended?;
        if let Ended::Lost { why } = &ended {
            self.print_event(&Event::Disconnected { why: why.clone() })?;
        }
        Ok((ended, was_serving))
    }

    async fn serve(&mut self, stream: &mut TcpStream) -> Result<Ended, Error> {
        let mut framer = Framer::new();
        loop {
            if let Some(ended) = self.drain(stream).await? {
                return Ok(ended);
            }
            let due = self.adapter.next_due();
            let read = tokio::select! {
                () = self.signals.end() => return Ok(Ended::Asked),
                read = stream.read(framer.spare()) => Some(read),
                () = tokio::time::sleep(due.map_or(WAIT_MAX, |due| self.clock.until(due))) => None,
            };
            match read {
                None => self.adapter.handle(self.clock.now(), Input::Timeout),
                Some(Ok(0)) => {
                    return Ok(Ended::Lost { why: "the station closed the connection".to_owned() });
                }
                Some(Ok(bytes)) => {
                    framer.filled(bytes);
                    while let Some(framed) = framer.next() {
                        match framed {
                            Framed::Line(line) => self.adapter.handle(self.clock.now(), Input::Line(line)),
                            Framed::TooLarge(_) => {
                                return Ok(Ended::Over(End::Fault(
                                    "received a frame over 65536 bytes".to_owned(),
                                )));
                            }
                        }
                    }
                }
                Some(Err(error)) => return Ok(Ended::Lost { why: error.to_string() }),
            }
        }
    }

    /// Does everything that the adapter wants done; what is to be sent leaves as one piece.
    async fn drain(&mut self, stream: &mut TcpStream) -> Result<Option<Ended>, Error> {
        let mut frames = Vec::new();
        let mut ended = None;
        while let Some(output) = self.adapter.poll_output() {
            match output {
                Output::Send(frame) => frames.extend_from_slice(&frame),
                Output::Tell(event) => self.out.row(&event, Event::line)?,
                Output::End(end) => ended = Some(Ended::Over(end)),
            }
        }
        self.out.flush()?;
        let written = tokio::select! {
            () = self.signals.end() => return Ok(Some(Ended::Asked)),
            written = stream.write_all(&frames) => written,
        };
        match written {
            // Where the station has closed already, its last frame says why better than this does; it is read
            // next.
            Err(error) if ended.is_none() && error.kind() != std::io::ErrorKind::BrokenPipe => {
                Ok(Some(Ended::Lost { why: error.to_string() }))
            }
            _ => Ok(ended),
        }
    }

    fn print_event(&mut self, event: &Event) -> Result<(), Error> {
        self.out.row(event, Event::line)?;
        self.out.flush()
    }
}

fn unreachable(target: &Target, why: &str) -> Error {
    let hint = "start a station with `rl-console serve`, or give its address with --addr".to_owned();
    Error::Unreachable { message: format!("{}: {why}", target.addr), hint }
}

/// Whether trying again cannot help.
fn is_final(end: &End) -> bool {
    let passes = [HelloReason::AlreadyConnected, HelloReason::Unpaired].map(HelloReason::code);
    matches!(end, End::Refused(reason) if !passes.contains(&reason.as_str()))
}

fn refused(end: End, Target { addr, is_ours }: &Target) -> Error {
    let (message, hint) = match end {
        End::Refused(reason) => {
            let hint = match reason.as_str() {
                "invalid_token" if !is_ours => {
                    "another station may be listening there: choose its data folder with --data, or use its \
                     token"
                }
                "invalid_token" => "the token was rotated; create a new one with `rl-console pair --rotate`",
                "manifest_hash_mismatch" | "pack_id_mismatch" => "use the station's pack: --pack",
                "unpaired" => "run `rl-console pair` first",
                "already_connected" => "`rl-console adapter disconnect` disconnects the other adapter",
                _ => "use an adapter with the station's protocol version",
            };
            (format!("the station at {addr} refused the handshake: {reason}"), hint)
        }
        End::ProtocolError(error) => (
            format!("the station closed the connection: {error}"),
            "this is a bug in the simulator or the station; please report it",
        ),
        End::Fault(fault) => (
            format!("the station violated the protocol: {fault}"),
            "this is a bug in the station; please report it",
        ),
    };
    Error::Adapter { message, hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_from_a_file_before_the_environment() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "from-file\n").unwrap();
        let variable = Secret::new("from-env");
        assert_eq!(token(Some(file.path()), variable.clone()).unwrap().reveal(), "from-file");
        assert_eq!(token(None, variable).unwrap().reveal(), "from-env");
        assert_eq!(token(None, None).unwrap_err().exit() as u8, 2);
    }

    #[test]
    fn only_what_can_pass_is_tried_again() {
        let refused = |reason: &str| End::Refused(reason.to_owned());
        assert!(!is_final(&refused("already_connected")));
        assert!(!is_final(&refused("unpaired")));
        assert!(is_final(&refused("invalid_token")));
        assert!(!is_final(&End::ProtocolError(String::new())));
    }

    #[test]
    fn an_address_needs_host_and_port() {
        assert!(check_addr("localhost:1").is_ok());
        assert!(check_addr("localhost").is_err() && check_addr(":1").is_err());
    }

    #[test]
    fn a_new_token_is_advised_only_where_the_station_is_ours() {
        let hint = |is_ours| {
            let target = Target { addr: "127.0.0.1:7777".to_owned(), is_ours };
            refused(End::Refused("invalid_token".to_owned()), &target).hint()
        };
        assert!(hint(true).contains("`rl-console pair --rotate`"));
        assert!(!hint(false).contains("rotate") && hint(false).contains("--data"), "{}", hint(false));
    }
}
