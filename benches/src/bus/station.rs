//! rl-console's own bus: the shipped binary's `serve`, over its Unix socket, in RMP v0.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use color_eyre::eyre::{Result, ensure};
use rl_console_benches::{
    console,
    server::{Server, Start, Tree},
};

use crate::{
    rmp::{self, Delivered, Value},
    stream::{Place, Stream},
    system::{Publisher, Subscriber, System, TOPIC, Window},
};

/// All below the 1,024 messages that a subscriber's queue takes: more in one burst would be a loss.
const WINDOWS: &[Window] = &[Some(64), Some(256), Some(512), Some(1_000)];
const SUB: u64 = 1;

/// A station.
pub(crate) struct Station {
    server: Server,
    place: Place,
}

impl Station {
    /// Starts `program` with a data folder below `folder`, and `config` as its configuration.
    ///
    /// # Errors
    /// It is there but does not start.
    pub(crate) fn start(program: &Path, folder: &Path, config: &str) -> Result<Start<Self>> {
        if !program.is_file() {
            return Ok(Start::Missing(format!(
                "{} (cargo build --profile dist, or --station PATH)",
                program.display()
            )));
        }
        let folder = folder.join("station");
        std::fs::create_dir(&folder)?;
        let mut command = console::command(program, &folder);
        if !config.is_empty() {
            // The folder stands for the user's own configuration folder.
            let below = folder.join("rl-console");
            std::fs::create_dir(&below)?;
            std::fs::write(below.join("config.toml"), config)?;
        }
        let (server, ready) = console::serve(&mut command, &folder.join("station.log"))?;
        let Some(path) = ready["rmp"].as_str() else {
            return Ok(Start::Missing(format!("bus in {}", program.display())));
        };
        Ok(Start::Running(Self { server, place: Place::Unix(PathBuf::from(path)) }))
    }

    fn connect(&self) -> Result<Stream> {
        let mut stream = Stream::connect(&self.place)?;
        let hello =
            [("v", Value::Number(1)), ("client", Value::Text("bench")), ("kind", Value::Text("agent"))];
        ask(&mut stream, &rmp::control("Hello", &hello, 1), "Welcome")?;
        Ok(stream)
    }
}

/// Sends a control frame and waits for the answer that it must have.
fn ask(stream: &mut Stream, question: &[u8], variant: &str) -> Result<()> {
    stream.write_all(question)?;
    let answer = stream.read_until(|read| rmp::first(read).is_some())?;
    ensure!(rmp::is(&answer, variant), "the station answered {:?}", String::from_utf8_lossy(&answer));
    Ok(())
}

impl System for Station {
    fn name(&self) -> &'static str {
        "rl-console"
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn windows(&self) -> &'static [Window] {
        WINDOWS
    }

    fn publisher(&self, body_bytes: usize) -> Result<Publisher> {
        Ok(Publisher {
            stream: self.connect()?,
            template: rmp::publish(TOPIC, body_bytes),
            cut: Box::new(Delivered::of(body_bytes)),
        })
    }

    fn subscriber(&self, topic: &str, body_bytes: usize) -> Result<Subscriber> {
        let mut stream = self.connect()?;
        let subscribe = [("sub", Value::Number(SUB)), ("topic", Value::Text(topic))];
        ask(&mut stream, &rmp::control("Subscribe", &subscribe, 2), "Ok")?;
        Ok(Subscriber { stream, cut: Box::new(Delivered::of(body_bytes)) })
    }
}
