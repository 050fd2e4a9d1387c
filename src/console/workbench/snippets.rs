//! A snippet in the workbench: its frames one after the other, with its door; and the frame that is edited as
//! a snippet.

use std::sync::Arc;

use super::{
    Workbench,
    bench::Leads,
    from_snippet::FromSnippet,
    way::{Way, fields_of},
};
use crate::{
    console::worker::{ListedSnippet, SnippetJob, UncheckedFrame, UnwrittenSnippet},
    dissect::{
        frame_json::{Json, indented},
        snippets::{Expected, Snippet, SnippetFrame, SnippetLink},
    },
    judged::Certainty,
    limits::Limits,
    macp::Rpc,
};

/// Characters of a snippet's name.
const NAME_CHARS_MAX: usize = 64;

impl Workbench {
    /// Goes on with a snippet, from its first frame.
    pub(super) fn load_snippet(&mut self, listed: Arc<ListedSnippet>, limits: &Limits) {
        self.load_frame_of(FromSnippet { listed, at: 0 }, limits);
    }

    /// Goes on with the next frame of the snippet, where there is one.
    pub(super) fn load_next_of_snippet(&mut self, limits: &Limits) {
        let Some(from) = self.snippet.clone() else { return };
        if from.at + 1 < from.listed.snippet.frames.len() {
            self.load_frame_of(FromSnippet { at: from.at + 1, ..from }, limits);
        }
    }

    fn load_frame_of(&mut self, from: FromSnippet, limits: &Limits) {
        let snippet = &from.listed.snippet;
        // The frames behind the first go the way that was chosen for that.
        let way = if from.at == 0 { self.way.of_snippet(snippet) } else { self.way.clone() };
        let is_last = from.at + 1 == snippet.frames.len();
        let breakages = if is_last { snippet.breakages.clone() } else { Vec::new() };
        match snippet.frames.get(from.at) {
            Some(SnippetFrame::Json(json)) => {
                let mut json = json.clone();
                let sender = snippet.as_kind.as_ref().filter(|_| snippet.link == SnippetLink::Macp);
                if let Some(sender) = sender.filter(|_| json.at("body.envelope").is_some()) {
                    // An envelope that is no object is the snippet's own fault, and is judged as it is.
                    let _ = json.set("body.envelope.sender", Json::Text(sender.clone()));
                }
                self.load_json(way, &indented(&json.to_text()), limits);
                self.breakages = breakages;
            }
            Some(SnippetFrame::Bytes(bytes)) => {
                let format = way.format();
                let broken = breakages
                    .iter()
                    .fold(bytes.clone(), |bytes, breakage| breakage.apply(format, &bytes).unwrap_or(bytes));
                self.load((way, None), broken, limits);
                self.bytes_lead("the bytes of the snippet".to_owned());
            }
            None => return,
        }
        (self.snippet, self.is_written) = (Some(from), false);
    }

    /// Why the frame cannot be saved as a snippet, as far as that is known without reading all of it: this is
    /// asked for every paint.
    pub(super) fn unsaved(&self) -> Option<String> {
        let fault = || self.json_fault.as_ref().filter(|_| self.leads == Leads::Json);
        let unmade = || (!self.is_made()).then(|| "the frame is being made".to_owned());
        let why = self.way.snippet_door().err().or_else(|| fault().map(|fault| fault.text.clone()));
        why.or_else(unmade)
    }

    /// What saves the frame as a snippet of a name, unless it turns out to hold a token.
    ///
    /// # Errors
    /// Why it cannot be one, for a person.
    pub(super) fn to_snippet(&self, name: &str) -> Result<SnippetJob, String> {
        check_name(name)?;
        let (link, door, as_kind) = self.way.snippet_door()?;
        if let Some(why) = self.unsaved() {
            return Err(why);
        }
        let frame = match self.leads {
            Leads::Json | Leads::Refreshing => UncheckedFrame::Json(self.editor.text()),
            Leads::Bytes | Leads::Reading | Leads::Breaking(_) => {
                UncheckedFrame::Bytes(self.bytes.bytes().to_vec())
            }
        };
        let about = self.snippet.as_ref().map(|from| from.listed.snippet.about.clone());
        let snippet = UnwrittenSnippet {
            about: about.unwrap_or_else(|| "saved from the workbench".to_owned()),
            link,
            door,
            as_kind,
            topic: self.way.topic().map(str::to_owned),
            rpc: self.way.rpc_name(),
            breakages: self.breakages.clone(),
            frame,
            expect: self.foreseen().map(|row| Expected {
                verdict: Some(row.verdict.clone()),
                code: row.code.clone(),
                clause: row.clause.clone(),
                answer: row.answers.first().map(|answer| answer.kind.clone()),
                certainty: (row.certainty != Certainty::Certain).then_some(row.certainty),
            }),
        };
        Ok(SnippetJob::Save { name: name.to_owned(), snippet: Box::new(snippet) })
    }
}

/// Whether a name is one of a file.
///
/// # Errors
/// What names are, for a person.
fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.chars().all(is_plain) {
        return Err(format!("a name has 1 to {NAME_CHARS_MAX} letters, digits, - and _"));
    }
    Ok(())
}

impl Way {
    /// The way of a snippet. Which session or plugin it leads to stays as it is here: no snippet knows that.
    fn of_snippet(&self, snippet: &Snippet) -> Self {
        let mut fields = self.to_fields();
        let mut set = |name: &str, value: &str| {
            fields.insert(name.to_owned(), value.to_owned());
        };
        set("link", snippet.link.name());
        set("topic", snippet.topic.as_deref().unwrap_or_default());
        set("rpc", snippet.rpc.unwrap_or(Rpc::Send).name());
        for (name, value) in fields_of(snippet.link, snippet.door, snippet.as_kind.as_deref()) {
            set(name, &value);
        }
        Self::of_fields(&fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        console::worker::{SnippetAnswer, SnippetListing, list},
        dissect::snippets::SnippetDoor,
        port::DoorSpec,
        time::Wall,
    };

    fn shipped() -> Vec<Arc<ListedSnippet>> {
        let SnippetAnswer::Listed(all, troubles) = list(SnippetListing::default()) else { unreachable!() };
        assert!(troubles.is_empty());
        all
    }

    fn bench(name: &str) -> Workbench {
        let limits = Limits::default();
        let listed = shipped().into_iter().find(|it| it.name == name).unwrap();
        let mut bench = Workbench::of(Way::default(), &limits, Wall(1));
        bench.load_snippet(listed, &limits);
        while let Some(job) = bench.work(&limits, Wall(1)) {
            bench.on_answer(job.number, job.run(), &limits);
        }
        bench
    }

    #[test]
    fn every_shipped_snippet_opens_in_its_format() {
        let limits = Limits::default();
        let mut bench = Workbench::of(Way::default(), &limits, Wall(1));
        for listed in shipped() {
            bench.load_snippet(Arc::clone(&listed), &limits);
            assert_eq!(bench.way.format(), listed.snippet.format(), "{}", listed.name);
            assert_eq!(bench.way.topic(), listed.snippet.topic.as_deref(), "{}", listed.name);
        }
    }

    #[test]
    fn its_frames_come_one_after_the_other_and_the_last_one_is_broken() {
        let mut bench = bench("macp/invalid-payload");
        assert_eq!(bench.spec(), Ok(DoorSpec::Call { rpc: Rpc::Send }));
        let words = bench.snippet.as_ref().unwrap().words();
        assert_eq!(words, "macp/invalid-payload, frame 1 of 2; needs no session of this id");
        assert!(bench.editor.text().contains("SessionStart"));
        bench.load_next_of_snippet(&Limits::default());
        assert!(bench.editor.text().contains("\"payload\": \"left\""), "{}", bench.editor.text());
        let words = bench.snippet.as_ref().unwrap().words();
        assert!(words.contains("frame 2 of 2") && words.ends_with("expected: refused InvalidPayload"));
        bench.load_next_of_snippet(&Limits::default());
        assert!(bench.snippet.unwrap().words().contains("frame 2 of 2"), "there is no third one");
    }

    #[test]
    fn the_frames_after_the_first_go_the_way_that_was_chosen_for_it() {
        let mut bench = bench("mpp/ack");
        let mut fields = bench.way.to_fields();
        for (name, value) in fields_of(SnippetLink::Mpp, SnippetDoor::FromAdapter, None) {
            fields.insert(name.to_owned(), value);
        }
        bench.way = Way::of_fields(&fields);
        bench.load_next_of_snippet(&Limits::default());
        assert!(bench.snippet.as_ref().unwrap().words().contains("frame 2 of"));
        assert_eq!(bench.spec(), Ok(DoorSpec::AsAdapter));
    }

    #[test]
    fn a_frame_is_saved_as_a_snippet_that_opens_as_it_was() {
        let limits = Limits::default();
        let mut bench = bench("rmp/publish");
        let job = bench.to_snippet("mine").unwrap();
        let SnippetJob::Save { name, snippet } = job else { panic!("{job:?}") };
        let text = snippet.text(&name).unwrap();
        assert_eq!(snippet.link, SnippetLink::Rmp);
        let own = SnippetListing { files: vec![(format!("rmp/{name}"), text)], troubles: Vec::new() };
        let SnippetAnswer::Listed(all, troubles) = list(own) else { unreachable!() };
        assert_eq!((troubles.len(), all[0].name.as_str(), all[0].is_own), (0, "rmp/mine", true));
        let mut again = Workbench::of(Way::default(), &limits, Wall(1));
        again.load_snippet(Arc::clone(&all[0]), &limits);
        assert_eq!((again.spec(), again.editor.text()), (bench.spec(), bench.editor.text()));
        assert!(bench.to_snippet("../mine").unwrap_err().contains("letters"));
        bench.load((Way::default(), None), b"{\"bridge_token\":\"s3cret\"}\n".to_vec(), &limits);
        bench.bytes_lead("edited".to_owned());
        let SnippetJob::Save { name, snippet } = bench.to_snippet("mine").unwrap() else {
            panic!("a snippet")
        };
        assert!(snippet.text(&name).unwrap_err().contains("token"));
    }
}
