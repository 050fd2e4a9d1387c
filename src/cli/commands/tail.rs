//! `tail`: what is published, as it comes.

use serde::Serialize;

use super::tail_recorded;
use crate::{
    cli::{
        args::TailArgs,
        context::Context,
        error::Error,
        output::Output,
        signals::Signals,
        socket,
        socket::ClientIdentity,
        table::{LocalClock, visible},
    },
    dissect::rmp::frame_json::{BodyJson, shown},
    ids::{TopicName, TraceId},
    limits,
    rmp::{
        Body, HEADER_BYTES, Header, PREFIX_BYTES,
        client::{Delivery, Subscription},
    },
    time::Wall,
    words::counted,
};

/// Containers within containers of a body whose type is read.
const DEPTH_MAX: usize = 512;

/// One message as scripts read it.
#[derive(Serialize)]
pub(super) struct Row {
    topic: TopicName,
    schema_id: u16,
    #[serde(rename = "type")]
    of_type: String,
    trace_id: TraceId,
    msg_id: u64,
    created_at_ms: u64,
    ttl_ms: u64,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shown")]
    body: Option<rmpv::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<String>,
}

/// What scripts are told besides.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    /// Messages that are published from now on come.
    Subscribed { topics: &'a [String], session: u64 },
    /// Messages that this program had no room for.
    Lost { messages: u64, lost: u64 },
}

impl Row {
    /// A message of so many bytes, with its body where that is asked for.
    pub(super) fn new(
        topic: TopicName,
        header: Header,
        bytes: usize,
        (body, is_decoded): (&[u8], bool),
        limits: &limits::Rmp,
    ) -> Self {
        let of_type =
            Body::decode(body, DEPTH_MAX).map_or_else(|_| "?".to_owned(), |it| it.kind().to_owned());
        let BodyJson { value, bytes: body_bytes } =
            if is_decoded { BodyJson::of(body, limits) } else { BodyJson::default() };
        Self {
            topic,
            schema_id: header.schema_id.0,
            of_type,
            trace_id: header.trace_id,
            msg_id: header.msg_id,
            created_at_ms: header.created_at_ms,
            ttl_ms: header.ttl_ms,
            bytes,
            body: value,
            body_bytes,
        }
    }

    /// For people.
    pub(super) fn line(&self, clock: &LocalClock) -> String {
        line(clock, self)
    }
}

pub(in crate::cli) fn run(context: &mut Context, args: &TailArgs) -> Result<(), Error> {
    if context.settings.asked.is_some() {
        return tail_recorded::run(context, args);
    }
    let said = ClientIdentity::of(&context.settings);
    let hello = socket::hello(&context.settings, &args.peer, "tail")?;
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    // Whoever reads stdout slowly holds this thread up, not the one that reads from the bus: what is lost is
    // counted.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let client = socket::connect(&said, hello, settings.limits.client).await?;
        let subscription = client.subscribe_all(args.topics.iter().map(String::as_str)).await?;
        if out.is_json() {
            out.row(
                &Event::Subscribed { topics: &args.topics, session: client.welcome().session.0 },
                |_| String::new(),
            )?;
            out.flush()?;
        }
        let printer = Printer { clock, limits: &settings.limits.rmp, decode: args.decode, out };
        tokio::select! {
            () = signals.end() => {}
            ended = print(subscription, printer, args.count) => match ended? {
                Ended::Counted => {}
                Ended::Over => return Err(crate::rmp::client::Error::Closed(client.closed().await).into()),
            },
        }
        client.close().await;
        Ok(())
    })
}

enum Ended {
    /// As many came as were asked for.
    Counted,
    /// The session is over.
    Over,
}

async fn print(
    mut subscription: Subscription,
    mut printer: Printer<'_>,
    count: Option<u64>,
) -> Result<Ended, Error> {
    let mut left = count.unwrap_or(u64::MAX);
    let mut batch = Vec::new();
    let mut lost = 0;
    loop {
        if subscription.next_batch(&mut batch).await == 0 {
            return Ok(Ended::Over);
        }
        for delivery in batch.drain(..) {
            printer.message(&delivery)?;
            left -= 1;
            if left == 0 {
                printer.out.flush()?;
                return Ok(Ended::Counted);
            }
        }
        let lost_now = subscription.lost();
        if lost_now > lost {
            printer.lost(lost_now - lost, lost_now)?;
            lost = lost_now;
        }
        printer.out.flush()?;
    }
}

struct Printer<'a> {
    clock: LocalClock,
    limits: &'a limits::Rmp,
    decode: bool,
    out: &'a mut Output,
}

impl Printer<'_> {
    fn message(&mut self, delivery: &Delivery) -> Result<(), Error> {
        let body = delivery.wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default();
        let (topic, bytes) = (delivery.topic.clone(), delivery.wire.len());
        let row = Row::new(topic, delivery.header(), bytes, (body, self.decode), self.limits);
        let clock = &self.clock;
        self.out.row(&row, |row| row.line(clock))
    }

    fn lost(&mut self, messages: u64, lost: u64) -> Result<(), Error> {
        self.out.row(&Event::Lost { messages, lost }, |_| {
            format!("… {} lost (output too slow; {lost} in total)", counted(messages, "message"))
        })
    }
}

fn line(clock: &LocalClock, row: &Row) -> String {
    let Row { topic, of_type, trace_id, msg_id, bytes, .. } = row;
    let at = clock.show(Wall(row.created_at_ms));
    let mut line = format!("{at}  {topic}  {}  {trace_id}  {msg_id}  {bytes} B", visible(of_type));
    if let Some(value) = &row.body {
        let body = serde_json::to_string(&crate::rmp::json::JsonView(value)).unwrap_or_default();
        line.push_str("  ");
        line.push_str(&visible(&body));
    } else if let Some(bytes) = &row.body_bytes {
        line.push_str("  base64:");
        line.push_str(bytes);
    }
    line
}
