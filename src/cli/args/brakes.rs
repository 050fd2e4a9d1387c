//! The flags of the show's brakes.

use clap::Args;

use crate::ids::QueueName;

/// `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The queue; all queues when omitted.
    #[arg(value_parser = queue_name)]
    pub(crate) queue: Option<QueueName>,

    /// End the hold only; draining queues continue to refuse new work.
    #[arg(long)]
    pub(crate) keep_drain: bool,
}

/// `hold`, `drain`.
#[derive(Debug, Args)]
pub(crate) struct QueueArgs {
    /// The queue; all queues when omitted.
    #[arg(value_parser = queue_name)]
    pub(crate) queue: Option<QueueName>,
}

#[expect(clippy::unnecessary_wraps, reason = "the shape that clap asks for")]
pub(super) fn queue_name(text: &str) -> Result<QueueName, std::convert::Infallible> {
    Ok(QueueName::new(text))
}
