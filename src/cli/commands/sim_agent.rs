//! `sim agent`: carries the simulated agent's messages over the bus.

use std::{fs::File, io::Read as _, path::Path, time::Duration};

use crate::{
    cli::{
        args::SimAgentArgs,
        context::Context,
        error::Error,
        operator,
        output::Output as Stdout,
        signals::Signals,
        sim::agent::{Agent, Event, Output, SCRIPT_BYTES_MAX, Script},
        socket::{self, ClientIdentity},
    },
    limits,
    rmp::{
        client::{self, Client, Hello, Subscription},
        topic::Topic,
    },
    time::Clock,
};

/// The first wait before another try; each further one is twice as long.
const WAIT_MIN: Duration = Duration::from_millis(250);
/// The longest wait before another try.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How long to sleep where nothing is due.
const NOTHING_DUE: Duration = Duration::from_secs(60);

pub(in crate::cli) fn run(context: &mut Context, args: &SimAgentArgs) -> Result<(), Error> {
    let topic = format!("agent/{}", args.name);
    if let Err(fault) = Topic::check(&topic) {
        return Err(Error::usage(
            format!("`{}` is not a valid agent name: {topic}: {fault}", args.name),
            "use A-Z a-z 0-9 . _ : -",
        ));
    }
    let script = args.script.as_deref().map_or_else(|| Ok(Script::default()), script)?;
    let agent = Agent::new(script, context.settings.registry.clone(), args.seed);
    let hello = Hello::agent(&format!("sim agent {}", args.name));
    let settings = context.settings.clone();
    let Context { clock, out, .. } = context;
    operator::block_on(async {
        let signals = Signals::listen()?;
        let mut driver =
            Driver { agent, topic, hello, limits: settings.limits.client, clock: *clock, signals, out };
        // Where the station is may change while it is away.
        let ended = driver.run(args.reconnect, || ClientIdentity::of(&settings)).await;
        let summary = driver.agent.ended();
        driver.print_event(&summary)?;
        ended
    })
}

fn script(path: &Path) -> Result<Script, Error> {
    let what = path.display().to_string();
    let mut text = String::new();
    let file = File::open(path).map_err(Error::io(what.clone()))?;
    file.take(SCRIPT_BYTES_MAX + 1).read_to_string(&mut text).map_err(Error::io(what.clone()))?;
    let hint = || "`rl-console help agents` describes the script".to_owned();
    if text.len() as u64 > SCRIPT_BYTES_MAX {
        return Err(Error::Input {
            what,
            message: format!("larger than {SCRIPT_BYTES_MAX} bytes"),
            hint: hint(),
        });
    }
    Script::parse(&text).map_err(|fault| Error::Input { what, message: fault.to_string(), hint: hint() })
}

/// Carries values between the agent and the world.
struct Driver<'a> {
    agent: Agent,
    topic: String,
    hello: Hello,
    limits: limits::Client,
    clock: Clock,
    signals: Signals,
    out: &'a mut Stdout,
}

impl Driver<'_> {
    async fn run(&mut self, reconnect: bool, said: impl Fn() -> ClientIdentity) -> Result<(), Error> {
        let mut wait = WAIT_MIN;
        loop {
            let (ended, was_serving) = self.session(&said()).await;
            let error = match ended {
                Ok(()) => return Ok(()),
                Err(error) if reconnect && is_passing(&error) => error,
                Err(error) => return Err(error),
            };
            if was_serving {
                wait = WAIT_MIN;
            }
            self.print_event(&Event::Disconnected { why: error.to_string() })?;
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

    /// One session from its beginning to its end; also whether requests could come.
    async fn session(&mut self, said: &ClientIdentity) -> (Result<(), Error>, bool) {
        let connecting = async {
            let client = socket::connect(said, self.hello.clone(), self.limits).await?;
            let requests = client.subscribe(&self.topic).await?;
            Ok::<_, Error>((client, requests))
        };
        let connected = tokio::select! {
            () = self.signals.end() => return (Ok(()), false),
            connected = connecting => connected,
        };
        let (client, mut requests) = match connected {
            Ok(connected) => connected,
            Err(error) => return (Err(error), false),
        };
        let served = self.serve(&client, &mut requests).await;
        self.agent.on_lost();
        if served.is_ok() {
            drop(requests);
            client.close().await;
        }
        (served, true)
    }

    async fn serve(&mut self, client: &Client, requests: &mut Subscription) -> Result<(), Error> {
        self.print_event(&Event::Subscribed {
            topic: self.topic.clone(),
            session: client.welcome().session.0,
        })?;
        let mut batch = Vec::new();
        let (mut refused, mut lost) = (0, 0);
        loop {
            while let Some(output) = self.agent.poll_output() {
                match output {
                    Output::Publish { topic, message } => drop(client.post(&topic, &message).await?),
                    Output::Tell(event) => self.out.row(&event, Event::line)?,
                }
            }
            let (refused_now, latest) = client.refusals();
            if let (true, Some(latest)) = (refused_now > refused, latest) {
                self.out.row(
                    &Event::Refused { refused: refused_now - refused, last: latest.to_string() },
                    Event::line,
                )?;
                refused = refused_now;
            }
            let lost_now = requests.lost();
            if lost_now > lost {
                self.out.row(&Event::Lost { messages: lost_now - lost, lost: lost_now }, Event::line)?;
                lost = lost_now;
            }
            self.out.flush()?;
            let due = self.agent.next_due().map_or(NOTHING_DUE, |due| self.clock.until(due));
            tokio::select! {
                () = self.signals.end() => return Ok(()),
                came = requests.next_batch(&mut batch) => {
                    if came == 0 {
                        return Err(client::Error::Closed(client.closed().await).into());
                    }
                    for delivery in batch.drain(..) {
                        self.agent.on_delivery(self.clock.now(), &delivery);
                    }
                }
                () = tokio::time::sleep(due) => self.agent.on_timeout(self.clock.now()),
            }
        }
    }

    fn print_event(&mut self, event: &Event) -> Result<(), Error> {
        self.out.row(event, Event::line)?;
        self.out.flush()
    }
}

/// Whether trying again can help.
fn is_passing(error: &Error) -> bool {
    matches!(
        error,
        Error::Unreachable { .. }
            | Error::Bus(
                client::Error::Closed(_) | client::Error::TimedOut { .. } | client::Error::Unreachable { .. }
            )
    )
}
