//! The thread that a host is served on.

use std::{panic::AssertUnwindSafe, thread::JoinHandle, time::Duration};

use tokio::{
    runtime::{Builder, Runtime},
    sync::{mpsc, oneshot},
};

/// Serves a host on a thread of its own, with a runtime of its own. A panic or an error ends this host alone:
/// `failed` is called with the reason, once the runtime and all that it held is gone. What `failed` owns is
/// dropped when the thread ends, however it does.
///
/// # Errors
/// Why there is no thread.
pub(super) fn spawn(
    name: &str,
    serve: impl FnOnce(&Runtime) -> Result<(), String> + Send + 'static,
    failed: impl FnOnce(&str) + Send + 'static,
) -> Result<JoinHandle<()>, String> {
    let run = move || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string());
        let served = runtime.and_then(|runtime| {
            std::panic::catch_unwind(AssertUnwindSafe(|| serve(&runtime)))
                .unwrap_or_else(|_| Err("internal error; please report the log".to_owned()))
        });
        if let Err(why) = served {
            failed(&why);
        }
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|error| error.to_string())
}

/// Asks a host to end, and waits for its thread. One that does not answer in time is left behind.
pub(super) fn stop<R>(
    thread: JoinHandle<()>,
    requests: &mpsc::Sender<R>,
    request: impl FnOnce(oneshot::Sender<()>) -> R,
    runtime: &Runtime,
    within: Duration,
) {
    let (answer, answered) = oneshot::channel();
    let stop = async {
        if requests.send(request(answer)).await.is_ok() {
            let _ = answered.await;
        }
    };
    if runtime.block_on(async { tokio::time::timeout(within, stop).await }).is_ok() {
        let _ = thread.join();
    }
}
