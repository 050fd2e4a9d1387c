//! Core NATS through its client crate.

use std::sync::mpsc::SyncSender;

use color_eyre::eyre::{Result, ensure};
use futures_util::StreamExt;
use rl_console_benches::server::Tree;

use crate::{
    library::{Flow, Library, Silence, run, soon},
    nats::Nats,
    system::{System, TOPIC, numbers},
};

/// Messages that are taken at once, as far as they are there.
const CHUNK_MAX: usize = 256;

impl Library for Nats {
    fn name(&self) -> &'static str {
        "async-nats"
    }

    fn tree(&self) -> Tree {
        System::tree(self)
    }

    fn windows(&self) -> &'static [u64] {
        &[256, 1_024, 4_096, 16_384]
    }

    fn publish(&self, flow: &Flow) -> Result<()> {
        run(async {
            let client = async_nats::connect(self.url()).await?;
            let mut sent = 0;
            loop {
                let count = flow.room(sent).await;
                if count == 0 {
                    return Ok(client.flush().await?);
                }
                for number in (numbers(count)..).take(usize::try_from(count)?) {
                    client.publish(TOPIC, flow.body(number).into()).await?;
                }
                sent += count;
            }
        })
    }

    fn receive(&self, flow: &Flow, ready: SyncSender<()>) -> Result<()> {
        run(async {
            let client = async_nats::connect(self.url()).await?;
            let mut messages = client.subscribe(TOPIC).await?.ready_chunks(CHUNK_MAX);
            client.flush().await?;
            // The answer to a ping comes behind the subscription.
            ready.send(())?;
            let (mut tally, mut silence) = (flow.tally(), Silence::default());
            while !flow.is_over(&tally) {
                match soon(messages.next()).await {
                    Some(chunk) => {
                        ensure!(chunk.is_some(), "the subscription ended");
                        silence.broken();
                        chunk
                            .into_iter()
                            .flatten()
                            .for_each(|message| flow.take(&mut tally, &message.payload));
                    }
                    None => silence.goes_on()?,
                }
            }
            Ok(())
        })
    }
}
