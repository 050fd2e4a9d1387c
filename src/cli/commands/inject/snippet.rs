//! What a snippet says, as the flags of `inject` say it.

use crate::{
    cli::{
        args::{FrameLink, InjectArgs},
        env::Env,
        error::Error,
        inject_error::{InjectError, NOT_STAGED},
        report::{Warning, print_warning},
        snippet_files::SnippetFiles,
    },
    dissect::snippets::{Foreseen, Snippet, SnippetDoor, SnippetLink},
    port::JudgedRow,
};

/// The links that have snippets, as flags and as snippets name them.
const LINKS: [(FrameLink, SnippetLink); 4] = [
    (FrameLink::Mpp, SnippetLink::Mpp),
    (FrameLink::Rmp, SnippetLink::Rmp),
    (FrameLink::Macp, SnippetLink::Macp),
    (FrameLink::Plugin, SnippetLink::Plugin),
];

/// What to add where no plugin is named.
const FROM_PLUGIN: &str = "--from PLUGIN: `rl-console ls plugins` lists them; \
                           `rl-console sim plugin --into DIR` and `rl-console plugin dev DIR` start one";
const TO_PLUGIN: &str = "--to PLUGIN: `rl-console ls plugins` lists them; \
                         `rl-console sim plugin --into DIR` and `rl-console plugin dev DIR` start one";

/// How long a judgement must hold to be compared with what a snippet shows, in milliseconds.
const BRIEF_MS: u64 = 1_000;

/// The flags with what a snippet says behind them, and the snippet.
pub(super) struct Given {
    pub(super) args: InjectArgs,
    pub(super) snippet: Option<Snippet>,
}

impl Given {
    /// # Errors
    /// There is no such snippet, or a flag is missing of which it cannot know.
    pub(super) fn new(env: &Env, args: &InjectArgs) -> Result<Self, Error> {
        let Some(name) = &args.snippet else { return Ok(Self { args: args.clone(), snippet: None }) };
        let link = args.link.and_then(|link| LINKS.iter().find(|(it, _)| *it == link)).map(|(_, link)| *link);
        let snippet = SnippetFiles::new(env).find(name, link)?.snippet.clone();
        let link = LINKS.iter().find(|(_, it)| *it == snippet.link).map(|(link, _)| *link);
        let args = InjectArgs { link, ..args.clone() };
        Ok(Self { args: with_snippet(args, &snippet)?, snippet: Some(snippet) })
    }

    /// Whether what a snippet needs is there, by the judgement of a frame that is not sent yet. It is not
    /// looked at where the flags ask for another end, or for any.
    ///
    /// # Errors
    /// It is not.
    pub(super) fn check_staged(
        &self,
        judged: &JudgedRow,
        frame: u64,
        is_last: bool,
    ) -> Result<(), InjectError> {
        let InjectArgs { expect, breakages, yes, .. } = &self.args;
        let is_as_shown = |it: &&Snippet| !*yes && expect.is_none() && *breakages == it.breakages;
        let Some(snippet) = self.snippet.as_ref().filter(is_as_shown) else { return Ok(()) };
        let JudgedRow { verdict, code, certainty, is_rehearsal, holds_until_ms, at_ms, .. } = judged;
        let (certainty, is_rehearsal) = (*certainty, *is_rehearsal);
        let as_judged = Foreseen { verdict, code: code.as_deref(), certainty, is_rehearsal };
        // What time is about to change may have changed once it is sent.
        let is_brief = holds_until_ms.is_some_and(|until| until.0.saturating_sub(at_ms.0) < BRIEF_MS);
        if is_brief || snippet.is_staged(&as_judged, is_last) {
            return Ok(());
        }
        let foreseen = code.as_ref().unwrap_or(verdict).clone();
        Err(InjectError::NotStaged { frame, foreseen, needs: snippet.needs() })
    }

    /// Says what must be there first where its last frame did not end as the snippet shows.
    pub(super) fn warn_unless_staged(&self, (verdict, code): (&str, Option<&str>), is_json: bool) {
        let Some(snippet) = self.snippet.as_ref().filter(|it| !it.stage.is_empty()) else { return };
        if snippet.ends_by(verdict, code) {
            return;
        }
        let (ended, again) =
            if self.args.dry_run { ("is not foreseen to end", "try") } else { ("did not end", "send") };
        let message = format!("it {ended} as the snippet shows, which needs {}", snippet.needs());
        let hint = format!("stage it, and {again} it again");
        print_warning(&Warning { code: NOT_STAGED, message, hint }, is_json);
    }
}

fn with_snippet(mut args: InjectArgs, snippet: &Snippet) -> Result<InjectArgs, Error> {
    let is_named = args.as_kind.is_some() || args.from.is_some() || args.to.is_some();
    let peer = |what: &str, flag: &str| {
        Error::usage(format!("the snippet goes {what}, and does not say which"), flag.to_owned())
    };
    let kind = || snippet.as_kind.clone();
    if !is_named {
        let adapter = Some("adapter".to_owned());
        match snippet.door {
            SnippetDoor::Adapter => {}
            SnippetDoor::None => args.as_kind = Some("none".to_owned()),
            SnippetDoor::FromAdapter => args.from = adapter,
            SnippetDoor::ToAdapter => args.to = adapter,
            SnippetDoor::Peer | SnippetDoor::Call => args.as_kind = kind(),
            SnippetDoor::Json => {
                args.as_kind = Some(format!("{}:json", snippet.as_kind.as_deref().unwrap_or("agent")));
            }
            SnippetDoor::ToPeer | SnippetDoor::ToJson => {
                return Err(peer(
                    "to a session of the bus",
                    "--to N: `rl-console ls peers` lists them; `rl-console sim agent NAME` starts one",
                ));
            }
            SnippetDoor::FromPlugin => {
                return Err(peer("in a plugin's place", FROM_PLUGIN));
            }
            SnippetDoor::ToPlugin => {
                return Err(peer("to a plugin", TO_PLUGIN));
            }
        }
    }
    args.topic = args.topic.or_else(|| snippet.topic.clone());
    args.rpc = args.rpc.or(snippet.rpc);
    if args.breakages.is_empty() {
        args.breakages.clone_from(&snippet.breakages);
    }
    Ok(args)
}
