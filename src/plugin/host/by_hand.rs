//! Frames that are put into a plugin's pipes by hand. The host hands whole frames over in either direction,
//! so that they are at a border, except while the gate holds a frame of the plugin's.

use std::{rc::Rc, sync::Arc};

use bytes::Bytes;

use super::{
    child::Child,
    gated::{FrameOfPlugin, Goes},
    shared::Host,
};
use crate::{
    gate::Stopped,
    ids::PluginId,
    plugin::{framing::Framer, supervisor::ProcessInput},
    tap::{
        PutError,
        entry::{Direction, FrameOrigin},
    },
};

impl Host {
    /// Puts bytes there as if the plugin had written them, or a frame as if the host had.
    pub(super) fn put(
        &mut self,
        plugin: &PluginId,
        direction: Direction,
        bytes: Bytes,
        origin: Arc<FrameOrigin>,
    ) -> Result<(), PutError> {
        let process = self.core.process_number(plugin).ok_or(PutError::Gone)?;
        self.putting = Some((direction, origin));
        let done = match direction {
            Direction::Inbound => self.put_in(plugin, process, &bytes),
            Direction::Outbound => {
                let now = self.clock.now();
                let done = self.core.put(now, plugin, bytes);
                self.drain(now, None, &[]);
                done
            }
        };
        self.putting = None;
        done
    }

    fn put_in(&mut self, plugin: &PluginId, process: u64, bytes: &[u8]) -> Result<(), PutError> {
        let child = self.children.get(plugin).filter(|(number, _)| *number == process);
        let child = child.map(|(_, child)| Rc::clone(child)).ok_or(PutError::Gone)?;
        if child.is_frame_held.get() {
            // Nothing overtakes a frame that the gate holds.
            return Err(PutError::MidFrame { bytes: 0 });
        }
        let mut framer = Framer::new();
        framer.push(bytes);
        match framer.poll_frame() {
            Ok(Some(frame)) if frame.wire().len() == bytes.len() => {
                if let Goes::Held(held) = self.take_frame(plugin, process, frame) {
                    self.hold_put(plugin, process, child, held);
                }
            }
            Ok(Some(frame)) => {
                let more = bytes.len().saturating_sub(frame.wire().len());
                return Err(PutError::NotWhole(format!("{more} bytes follow the first frame")));
            }
            Ok(None) => {
                let missing = framer.missing_bytes().map_or_else(
                    || "the headers have no end".to_owned(),
                    |missing| format!("{missing} bytes of the body are missing"),
                );
                return Err(PutError::NotWhole(missing));
            }
            Err(broken) => self.process_input(plugin, process, ProcessInput::Broken(broken)),
        }
        Ok(())
    }

    /// Lets a frame that was put there wait at the gate; what the plugin writes meanwhile waits too.
    fn hold_put(&self, plugin: &PluginId, process: u64, child: Rc<Child>, stopped: Stopped<FrameOfPlugin>) {
        let Stopped { held, notice, frame } = stopped;
        child.is_frame_held.set(true);
        let (own, plugin) = (self.own.clone(), plugin.clone());
        tokio::task::spawn_local(async move {
            let release = child.released(held).await;
            if let Some(host) = own.upgrade() {
                host.borrow_mut().pass_frame(&plugin, process, notice, frame, release);
            }
            child.is_frame_held.set(false);
            child.released.notify_one();
        });
    }
}
