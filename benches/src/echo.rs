//! The floor under every figure: two processes that hand each other as many bytes as one cycle has, and do
//! nothing else.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
};

use color_eyre::eyre::{Result, WrapErr};
use rl_console_benches::server::{Server, Start, Tree};

use crate::{
    figures::Laps,
    subject::{Manner, Plan, READ_MAX, Subject, Variant},
    wire,
};

const VARIANTS: &[Variant] = &[Variant { name: "echo", queues: 1, manner: Manner::Together }];

/// The most bytes that the server takes for one question or gives as one answer.
const FRAME_BYTES_MAX: usize = 65_536;

/// A server in a process of its own, and a client with one question in flight.
pub(crate) struct Echo {
    server: Server,
    addr: SocketAddr,
}

impl Echo {
    /// Starts the server: this program again, as `echo-server`.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn start(folder: &Path) -> Result<Start<Self>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("echo-server");
        command.args([
            "--ask",
            &wire::settlement().len().to_string(),
            "--answer",
            &wire::invocation().len().to_string(),
        ]);
        let (server, out) = Server::start_piped(&mut command, &folder.join("echo.log"))?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let addr = line
            .trim()
            .parse()
            .wrap_err_with(|| format!("the echo server did not say its address: {}", server.words()))?;
        Ok(Start::Running(Self { server, addr }))
    }
}

impl Subject for Echo {
    fn variants(&self) -> &'static [Variant] {
        VARIANTS
    }

    fn tree(&self) -> Tree {
        self.server.tree()
    }

    fn fill(&mut self, _: &Variant, _: Plan) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()> {
        let mut stream = TcpStream::connect(self.addr)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_MAX))?;
        let ask = wire::settlement();
        let mut answer = vec![0; wire::invocation().len()];
        for _ in 0..plan.per_queue(variant.queues) {
            stream.write_all(ask.as_bytes())?;
            stream.read_exact(&mut answer)?;
            laps.lap(0)?;
        }
        Ok(())
    }
}

/// Answers every `ask` bytes with `answer` bytes, one connection after the other, until it is killed. Prints
/// its address first.
///
/// # Errors
/// It cannot listen, or a size is out of range.
pub(crate) fn serve(ask: usize, answer: usize, mut out: impl Write) -> Result<()> {
    color_eyre::eyre::ensure!(
        (1..=FRAME_BYTES_MAX).contains(&ask) && answer <= FRAME_BYTES_MAX,
        "sizes go up to {FRAME_BYTES_MAX}"
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    writeln!(out, "{}", listener.local_addr()?)?;
    out.flush()?;
    let (mut asked, answered) = (vec![0; ask], vec![b'x'; answer]);
    for stream in listener.incoming() {
        let mut stream = stream?;
        stream.set_nodelay(true)?;
        // The client closing is the end of its round.
        while stream.read_exact(&mut asked).is_ok() && stream.write_all(&answered).is_ok() {}
    }
    Ok(())
}
