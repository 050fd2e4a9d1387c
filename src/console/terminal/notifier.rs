//! Being heard by somebody who looks elsewhere: the terminal's bell, and the notification that it is asked
//! for. Neither answers, and none takes the focus.

use std::time::Duration;

use super::clipboard::{clipboard, wrapped};
use crate::{
    console::{
        draw::text::visible,
        settings::{AlertRules, Desktop, config::Passthrough},
    },
    tap::entry::alerts::Alert,
    time::Mono,
};

/// The least time between two times of being heard.
const NOTIFY_INTERVAL_MIN: Duration = Duration::from_secs(3);
/// Characters of a notification; a terminal cuts long ones in its own way, or shows none at all.
const TEXT_CHARS_MAX: usize = 160;

const BELL: u8 = 0x07;
const TITLE: &str = "rl-console";

/// Makes alerts heard, once each, and not all the time.
#[derive(Debug)]
pub(crate) struct Notifier {
    passthrough: Passthrough,
    notified_at: Option<Mono>,
    /// The first alert that was not told yet, and how many there are.
    pending: Option<(String, usize)>,
}

impl Notifier {
    /// One that has said nothing yet.
    pub(crate) const fn new(passthrough: Passthrough) -> Self {
        Self { passthrough, notified_at: None, pending: None }
    }

    /// The bytes that make these new alerts heard. What comes too soon after the last time is told together,
    /// when its time has come: it is to be called once a second.
    pub(crate) fn notify<'a>(
        &mut self,
        raised: impl Iterator<Item = &'a Alert>,
        rules: AlertRules,
        now: Mono,
    ) -> Vec<u8> {
        for alert in raised {
            let (_, count) = self.pending.get_or_insert_with(|| (alert.text.to_string(), 0));
            *count += 1;
        }
        if self.notified_at.is_some_and(|at| now.since(at) < NOTIFY_INTERVAL_MIN) {
            return Vec::new();
        }
        let Some((first, count)) = self.pending.take() else { return Vec::new() };
        self.notified_at = Some(now);
        let words = if count > 1 { format!("{count} alerts; {first}") } else { first };
        let mut bytes = Vec::new();
        if rules.bell {
            bytes.push(BELL);
        }
        bytes.extend(notification(rules.desktop, &words, self.passthrough));
        bytes
    }

    /// The bytes that put this into the clipboard.
    pub(crate) fn copy(&self, text: &[u8]) -> Vec<u8> {
        clipboard(text, self.passthrough)
    }
}

/// The sequence that asks for a notification.
fn notification(desktop: Desktop, words: &str, through: Passthrough) -> Vec<u8> {
    let words = sanitized(words);
    let sequence = match desktop {
        Desktop::Off => return Vec::new(),
        Desktop::Osc9 => format!("\x1b]9;{TITLE}: {words}\x07"),
        Desktop::Osc777 => format!("\x1b]777;notify;{TITLE};{words}\x07"),
    };
    wrapped(sequence.as_bytes(), through)
}

/// The text with nothing in it that could end the sequence, part its fields, or steer anything.
fn sanitized(words: &str) -> String {
    let words: String = words.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let words = visible(&words, false).replace(';', ",");
    if words.chars().count() <= TEXT_CHARS_MAX {
        return words;
    }
    words.chars().take(TEXT_CHARS_MAX - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tap::entry::{Link, alerts::AlertManner},
        time::Now,
    };

    fn alert(text: &str) -> Alert {
        Alert {
            id: 1,
            name: "port_down".into(),
            link: Link::Mpp,
            subject: "mpp".into(),
            manner: AlertManner::Lasting,
            since: Now::at_ms(0),
            text: text.into(),
            last: None,
            is_quiet: false,
            raised_at: Now::at_ms(0),
            acknowledged_at: None,
            resolved_at: None,
        }
    }

    fn at(s: u64) -> Mono {
        Now::at_ms(s * 1_000).mono
    }

    #[test]
    fn one_bell_for_each_new_alert_and_never_one_after_the_other() {
        let mut herald = Notifier::new(Passthrough::None);
        let rules = AlertRules::default();
        let (one, two) = (alert("one"), alert("two"));
        assert_eq!(herald.notify([].into_iter(), rules, at(0)), b"");
        assert_eq!(herald.notify([&one].into_iter(), rules, at(1)), b"\x07");
        assert_eq!(herald.notify([&two].into_iter(), rules, at(2)), b"");
        assert_eq!(herald.notify([&one].into_iter(), rules, at(3)), b"");
        assert_eq!(herald.notify([].into_iter(), rules, at(4)), b"\x07", "what came meanwhile rings once");
        assert_eq!(herald.notify([].into_iter(), rules, at(60)), b"");
        let silent = AlertRules { bell: false, ..rules };
        assert_eq!(herald.notify([&one].into_iter(), silent, at(61)), b"");
    }

    #[test]
    fn a_notification_is_asked_for_in_the_terminals_own_way() {
        let rules = |desktop| AlertRules { bell: false, desktop };
        let gone = alert("adapter 127.0.0.1:5 is gone");
        let tell = |desktop, through| {
            let mut herald = Notifier::new(through);
            String::from_utf8(herald.notify([&gone].into_iter(), rules(desktop), at(0))).unwrap()
        };
        assert_eq!(
            tell(Desktop::Osc9, Passthrough::None),
            "\x1b]9;rl-console: adapter 127.0.0.1:5 is gone\x07"
        );
        assert_eq!(
            tell(Desktop::Osc777, Passthrough::None),
            "\x1b]777;notify;rl-console;adapter 127.0.0.1:5 is gone\x07"
        );
        assert_eq!(
            tell(Desktop::Osc9, Passthrough::Tmux),
            "\x1bPtmux;\x1b\x1b]9;rl-console: adapter 127.0.0.1:5 is gone\x07\x1b\\"
        );
        assert_eq!(tell(Desktop::Off, Passthrough::None), "");
        let mut herald = Notifier::new(Passthrough::None);
        let bytes = herald.notify([&gone, &alert("two")].into_iter(), rules(Desktop::Osc9), at(0));
        assert_eq!(bytes, b"\x1b]9;rl-console: 2 alerts, adapter 127.0.0.1:5 is gone\x07");
    }

    #[test]
    fn what_a_peer_chose_can_neither_end_the_sequence_nor_steer_the_terminal() {
        let evil = "4;1;a\x07b\x1b\\c\u{9c}d\u{202e}e";
        for (desktop, through) in [
            (Desktop::Osc9, Passthrough::None),
            (Desktop::Osc777, Passthrough::None),
            (Desktop::Osc777, Passthrough::Tmux),
        ] {
            let rules = AlertRules { bell: false, desktop };
            let bytes = Notifier::new(through).notify([&alert(evil)].into_iter(), rules, at(0));
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains("4,1,a b \\c d<202e>e\x07"), "{text:?}");
            assert_eq!(text.matches('\x07').count(), 1, "{text:?}");
        }
        let long = sanitized(&"é".repeat(10_000));
        assert_eq!(long.chars().count(), TEXT_CHARS_MAX);
    }
}
