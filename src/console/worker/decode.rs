//! Reads large subjects beside the screen's thread.

use crate::{
    console::worker::Worker,
    dissect::{
        decoder::{Subject, decode},
        tree::Tree,
    },
};

/// A subject that is to be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecodeJob {
    /// What its answer finds its inspector by.
    pub(crate) number: u64,
    pub(crate) subject: Subject,
    /// Values that are read at most.
    pub(crate) nodes_max: usize,
}

/// The thread that reads them.
pub(crate) fn decode_worker() -> Worker<DecodeJob, Tree> {
    Worker::new("inspector", |job| decode(&job.subject, job.nodes_max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dissect::tests::framed,
        tap::entry::{Direction, Verdict},
    };

    #[test]
    fn the_last_subject_is_read_and_those_before_it_are_answered_or_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut worker = decode_worker();
        let subject = |id: usize| {
            framed(
                format!("{{\"mpp\":2,\"type\":\"done\",\"id\":{id}}}").as_bytes(),
                Direction::Outbound,
                Verdict::Sent,
            )
        };
        let job = |id| DecodeJob { number: 1, subject: subject(id), nodes_max: 100 };
        let mut answers: Vec<_> = (0..200).map(|id| Box::pin(worker.begin(job(id)))).collect();
        let last = runtime.block_on(answers.pop().unwrap());
        assert_eq!(last, Some(decode(&subject(199), 100)));
        for (id, answer) in answers.into_iter().enumerate() {
            let tree = runtime.block_on(answer);
            assert!(tree.is_none_or(|tree| tree == decode(&subject(id), 100)), "{id}");
        }
    }
}
