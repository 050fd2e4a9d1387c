//! A peer of the bus over a blocking socket, that speaks by the bytes of the specification.

use std::{
    collections::VecDeque,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use super::frames::{self, Frame};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    msg_id: u64,
    /// What came before an answer that was waited for: the Deliver and its message.
    delivered: VecDeque<(Frame, Frame)>,
}

impl Peer {
    /// Connects and says nothing.
    pub(crate) fn connect(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, msg_id: 0, delivered: VecDeque::new() }
    }

    /// Connects, says Hello as this kind and takes the Welcome.
    pub(crate) fn greeted(path: &Path, kind: &str, token: Option<&str>) -> Self {
        Self::greeted_as(path, "test", kind, token)
    }

    /// The same by a name.
    pub(crate) fn greeted_as(path: &Path, client: &str, kind: &str, token: Option<&str>) -> Self {
        let mut peer = Self::connect(path);
        let mut fields = vec![("v", 1.into()), ("client", client.into()), ("kind", kind.into())];
        fields.extend(token.map(|token| ("token", token.into())));
        peer.say("Hello", fields);
        assert_eq!(peer.hear().name(), "Welcome");
        peer
    }

    pub(crate) fn next_id(&mut self) -> u64 {
        self.msg_id += 1;
        self.msg_id
    }

    /// Says a control message, and tells its number.
    pub(crate) fn say(&mut self, name: &str, fields: Vec<(&str, rmpv::Value)>) -> u64 {
        let id = self.next_id();
        self.send(&frames::control(id, name, fields));
        id
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Publishes a frame, and tells the number of the Publish.
    pub(crate) fn publish(&mut self, topic: &str, ack: bool, frame: &[u8]) -> u64 {
        let id = self.next_id();
        let publish = frames::control(id, "Publish", vec![("topic", topic.into()), ("ack", ack.into())]);
        self.send(&[&publish, frame].concat());
        id
    }

    /// Subscribes and waits for the Ok. What other subscriptions deliver before it is kept.
    pub(crate) fn subscribe(&mut self, sub: u64, topic: &str) {
        let id = self.say("Subscribe", vec![("sub", sub.into()), ("topic", topic.into())]);
        let mut answer = self.hear();
        while answer.name() == "Deliver" {
            let message = self.hear();
            self.delivered.push_back((answer, message));
            answer = self.hear();
        }
        assert_eq!((answer.name(), answer.number("re")), ("Ok".to_owned(), id), "{answer:?}");
    }

    /// The next frame.
    pub(crate) fn hear(&mut self) -> Frame {
        self.try_hear().unwrap_or_else(|| panic!("the broker closed the connection"))
    }

    /// The next frame; none where the broker closed.
    pub(crate) fn try_hear(&mut self) -> Option<Frame> {
        let mut prefix = [0; 4];
        match self.stream.read_exact(&mut prefix) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("nothing came in {PATIENCE:?}")
            }
            Err(_) => return None,
        }
        let mut wire = prefix.to_vec();
        wire.resize(4 + u32::from_be_bytes(prefix) as usize, 0);
        self.stream.read_exact(&mut wire[4..]).unwrap();
        Some(Frame { wire })
    }

    /// The next Deliver's subscription and topic, with the message behind it.
    pub(crate) fn delivered(&mut self) -> (u64, String, Frame) {
        let (deliver, message) = self.delivered.pop_front().unwrap_or_else(|| {
            let deliver = self.hear();
            assert_eq!(deliver.name(), "Deliver", "{deliver:?}");
            (deliver, self.hear())
        });
        (deliver.number("sub"), deliver.text("topic"), message)
    }
}
