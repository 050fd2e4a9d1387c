//! A client of the bus: connect, publish, subscribe, request (rmp-v0 §1, §9; rulings RMP 1, 8).
//!
//! ```text
//! Client ─▶ Sending ─▶ one writer that gathers ─▶ socket ─▶ Receiving ─▶ a bounded queue a subscription ─▶ Subscription
//!           └── Session, without I/O ─────────────────────────────┘
//! ```
//!
//! [`Session`] is the protocol without I/O: bytes in and out. [`Client`] carries it over a Unix socket on a
//! tokio runtime. Messages are cut out of what was read without being copied. Connecting again after a loss
//! is the caller's: a session is over once it is lost, every call then says why, and its subscriptions end.
//!
//! ```no_run
//! use std::{path::Path, time::Duration};
//!
//! use rl_console::rmp::{
//!     SchemaId,
//!     client::{Client, Hello, Message},
//! };
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::connect(Path::new("/run/runloop/rmp.sock"), Hello::agent("greeter")).await?;
//!
//! // What others publish.
//! let mut greetings = client.subscribe("greetings/*").await?;
//!
//! // One message, and the broker's answer to it; then many, whose answers nobody waits for.
//! let hello = Message::of(SchemaId::OBSERVATION, "observation.greeting.v1", &serde_json::json!({"text": "hello"}))?;
//! client.publish("greetings/world", &hello).await?;
//! client.post_all("greetings/world", &vec![hello; 100]).await?;
//!
//! // One at a time, or all that wait at once.
//! if let Some(delivery) = greetings.next().await {
//!     println!("{} {}", delivery.topic, delivery.header().msg_id);
//! }
//! let mut batch = Vec::new();
//! greetings.next_batch(&mut batch).await;
//!
//! // A question, and the first message on the topic of its answers.
//! let question = Message::of(SchemaId::INTENT, "intent.weather.v1", &serde_json::json!({"reply_topic": "weather/replies/1"}))?;
//! let answer = client.request("weather", "weather/replies/1", &question, Duration::from_secs(2)).await?;
//! println!("{}", answer.body()?.kind());
//!
//! client.close().await;
//! # Ok(())
//! # }
//! ```

mod delivery;
mod fault;
mod hello;
mod host;
mod message;
mod receive_half;
mod send_half;
mod session;
#[cfg(test)]
mod tests;

pub use delivery::Delivery;
pub use fault::{RefusalReply, SendError, Violation};
pub use hello::{Hello, Welcome};
pub use host::{Client, CloseReason, Error, Subscription};
pub use message::{Message, TTL_MS};
pub use receive_half::{Event, ReceiveHalf};
pub use send_half::SendHalf;
pub use session::{Session, Start};
