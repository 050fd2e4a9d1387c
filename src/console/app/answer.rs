//! What the loop waits for.

use std::{future::Future, pin::Pin};

use futures_util::FutureExt as _;

use crate::{
    console::{app::past_loader::PastAnswer, settings::OpenedRecording, ui::event::Event},
    port::{Page, PortError, Snapshot},
};

/// Something that comes back from the station, or from beside this thread.
pub(crate) enum Answer {
    Event(Event),
    Snapshot(Result<Box<Snapshot>, PortError>),
    /// The newest rows, once, when the console comes up.
    History(Result<Page, PortError>),
    /// The frames that the gate holds, with every snapshot.
    Intercepted(Result<Page, PortError>),
    /// A recording that was to be opened, or why it is not.
    Recording(Result<OpenedRecording, String>),
    /// What was before it came up.
    Past(PastAnswer),
    /// What is void where the replay is at another place by then.
    Of(u64, Box<Self>),
}

/// The answer that an event will be.
pub(crate) fn answer(event: impl Future<Output = Event> + 'static) -> Pin<Box<dyn Future<Output = Answer>>> {
    Box::pin(event.map(Answer::Event))
}
