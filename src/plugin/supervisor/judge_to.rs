//! What would hang on a frame of ours that is put into a plugin's stdin.

use super::{
    Supervisor,
    judge::{Framed, head, shortfall},
};
use crate::{
    ids::PluginId,
    judged::{Judged, Pending},
    plugin::{
        capability::Hook,
        rpc::{self, Message, RequestId},
        session::{OpenRequest, Process},
    },
    tap::entry,
};

impl Supervisor {
    pub(super) fn judge_to(&self, id: &PluginId, process: &Process, framed: Framed) -> Judged {
        let mut judged = match framed {
            Framed::Unfinished { missing_bytes, taken_bytes } => {
                let if_cut = "the plugin is left with an unfinished frame";
                let judged = Judged::pending(head(id), Pending { missing_bytes, if_cut });
                Judged { taken_bytes, ..judged }
            }
            Framed::Broken(broken) => {
                let mut judged = Judged::certain(head(id), entry::Verdict::Sent);
                judged.taken_bytes = broken.wire.len();
                judged.shortfall = Some(shortfall(&broken));
                let effect = "no frame: what follows on its stdin may be unreadable to the plugin";
                (judged.effect, judged.is_harmful) = (Some(effect.to_owned()), true);
                judged
            }
            Framed::Whole(frame) => {
                let incoming = rpc::read(&frame.body());
                let limit = self.settings.limits.id_bytes_max;
                let head = rpc::head(id.clone(), &incoming, limit);
                let mut judged = Judged::certain(entry::Head::Plugin(head), entry::Verdict::Sent);
                judged.taken_bytes = frame.wire().len();
                let hanging = match &incoming.message {
                    Ok(message) => hangs_on_message(process, message),
                    Err(_) => {
                        Some((true, "no JSON-RPC message: the plugin may answer an error, or end".into()))
                    }
                };
                (judged.is_harmful, judged.effect) = hanging.map_or((false, None), |(is, it)| (is, Some(it)));
                judged
            }
        };
        judged.receiver(|| id.to_string());
        judged.the_peers()
    }
}

/// What hangs on a message as far as the host knows, and whether that may harm the plugin.
fn hangs_on_message(process: &Process, message: &Message) -> Option<(bool, String)> {
    match message {
        Message::Request { id, method, .. } => Some(match awaited(process, id) {
            Some(open) => (true, format!("its answer would be taken for that of {open}")),
            None if &**method == "shutdown" => {
                let text = "its answer fits no request that waits; a plugin that then ends is unhealthy";
                (true, text.to_owned())
            }
            None => (false, "its answer fits no request that waits, and would be passed over".to_owned()),
        }),
        Message::Notification { method, .. } if &**method == "exit" => {
            (!process.is_ending()).then(|| (true, "a plugin that ends unasked is unhealthy".to_owned()))
        }
        Message::Notification { method, .. } => {
            let hook = Hook::from_name(method)?;
            let is_taken = process.hooks.contains(&hook);
            (!is_taken).then(|| (false, format!("it does not take {}", hook.name())))
        }
        Message::Answer { id_text, .. } => {
            let waits = process.calls.iter().any(|call| Some(&call.id) == id_text.as_ref());
            Some(if waits {
                (true, "it waits for get_credential: ours would be a second answer".to_owned())
            } else {
                (false, "no call of it with this id waits here".to_owned())
            })
        }
    }
}

/// Which request of ours has this id and waits.
fn awaited(process: &Process, id: &RequestId) -> Option<&'static str> {
    let number = id.text().parse().ok()?;
    match process.open.get(&number) {
        Some(OpenRequest::Initialize) => Some("initialize"),
        Some(OpenRequest::Shutdown) => Some("shutdown"),
        Some(OpenRequest::Action { .. }) => Some("an action"),
        None => process.pings.as_ref().filter(|pings| pings.is_open(number)).map(|_| "a ping"),
    }
}
