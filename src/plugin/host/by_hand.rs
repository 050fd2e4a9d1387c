//! Frames that are put into a plugin's pipes by hand. The host hands whole frames over in either direction,
//! so that they are always at a border.

use std::sync::Arc;

use bytes::Bytes;

use super::shared::Host;
use crate::{
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
        let mut framer = Framer::new();
        framer.push(bytes);
        match framer.poll_frame() {
            Ok(Some(frame)) if frame.wire().len() == bytes.len() => self.frame(plugin, process, frame),
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
}
