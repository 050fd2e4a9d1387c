//! Writes frames to the terminal, on a thread of its own: when the terminal blocks, only this thread does.

use std::{
    io::{self, Write},
    sync::Arc,
    thread,
};

use super::{mailbox::Mailbox, ui_thread::mark_ui_thread};
use crate::time::Clock;

/// Starts the writer. It ends when the mailbox is closed or the terminal refuses bytes.
pub(crate) fn spawn(
    mailbox: Arc<Mailbox>,
    mut sink: impl Write + Send + 'static,
    clock: Clock,
) -> io::Result<()> {
    thread::Builder::new().name("console-writer".to_owned()).spawn(move || {
        let _mark = mark_ui_thread();
        while let Some(frame) = mailbox.take(|| clock.now().mono) {
            if sink.write_all(&frame).and_then(|()| sink.flush()).is_err() {
                mailbox.fail();
                return;
            }
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Condvar, Mutex, mpsc},
        time::Duration,
    };

    use super::*;

    /// A terminal that takes nothing until it is let.
    #[derive(Clone, Default)]
    struct Stalled(Arc<Valve>);

    /// Whether it is open, with what went through, and news of both.
    type Valve = (Mutex<(bool, Vec<u8>)>, Condvar);

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut state = self.0.0.lock().unwrap();
            while !state.0 {
                state = self.0.1.wait(state).unwrap();
            }
            state.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn wait_until(mailbox: &Mailbox, is: impl Fn(&Mailbox) -> bool) {
        while !is(mailbox) {
            thread::yield_now();
        }
    }

    #[test]
    fn a_stalled_terminal_blocks_nothing_and_loses_no_frame() {
        let (mailbox, terminal) = (Arc::new(Mailbox::default()), Stalled::default());
        spawn(Arc::clone(&mailbox), terminal.clone(), Clock::start()).unwrap();
        assert_eq!(mailbox.put(b"one ".to_vec()), Ok(1));
        wait_until(&mailbox, Mailbox::is_free);
        assert_eq!(mailbox.put(b"two ".to_vec()), Ok(2));
        assert!(!mailbox.is_free());
        assert_eq!(
            mailbox.put(b"three".to_vec()),
            Err(b"three".to_vec()),
            "the slot is taken: the frame comes back at once"
        );
        assert!(!mailbox.close(Duration::ZERO), "what was handed over is still on its way");
        terminal.0.0.lock().unwrap().0 = true;
        terminal.0.1.notify_all();
        assert!(mailbox.close(Duration::from_secs(60)));
        assert_eq!(terminal.0.0.lock().unwrap().1, b"one two ");
        assert_eq!(
            mailbox.take_write_starts().into_iter().map(|(number, _)| number).collect::<Vec<_>>(),
            [1, 2]
        );
    }

    #[test]
    fn a_terminal_that_refuses_bytes_is_noticed() {
        struct Dead(mpsc::SyncSender<()>);
        impl Write for Dead {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                self.0.send(()).unwrap();
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mailbox = Arc::new(Mailbox::default());
        let (tried, attempts) = mpsc::sync_channel(1);
        spawn(Arc::clone(&mailbox), Dead(tried), Clock::start()).unwrap();
        mailbox.put(b"one".to_vec()).unwrap();
        attempts.recv().unwrap();
        wait_until(&mailbox, Mailbox::has_failed);
        assert!(!mailbox.is_free());
    }
}
