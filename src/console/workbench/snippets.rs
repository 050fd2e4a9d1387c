//! A snippet in the workbench: its frames one after the other, with its door; and the frame that is edited as
//! a snippet.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Workbench,
    bench::Leads,
    from_snippet::FromSnippet,
    way::{Way, fields_of},
};
use crate::{
    console::worker::{ListedSnippet, SnippetJob},
    dissect::{
        frame_json::{Json, indented, may_hold_secret, without_secrets},
        snippets::{Snippet, SnippetFrame, SnippetLink},
    },
    limits::Limits,
    macp::Rpc,
    words::hex,
};

/// Characters of a snippet's name.
const NAME_CHARS_MAX: usize = 64;

/// A snippet as it is written.
#[derive(Serialize)]
struct Written<'a> {
    about: &'a str,
    link: &'a str,
    door: &'a str,
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    as_kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rpc: Option<&'a str>,
    #[serde(rename = "break", skip_serializing_if = "Vec::is_empty")]
    breakages: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<WrittenExpected<'a>>,
}

#[derive(Serialize)]
struct WrittenExpected<'a> {
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
}

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
        let way = self.way.of_snippet(snippet);
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
        self.snippet = Some(from);
    }

    /// Why the frame cannot be saved as a snippet, as far as that is known without reading all of it: this is
    /// asked for every paint.
    pub(super) fn unsaved(&self) -> Option<String> {
        let fault = || self.json_fault.as_ref().filter(|_| self.leads == Leads::Json);
        self.way.snippet_door().err().or_else(|| fault().map(|fault| fault.text.clone()))
    }

    /// What saves the frame as a snippet of a name.
    ///
    /// # Errors
    /// Why it cannot be one, for a person.
    pub(super) fn to_snippet(&self, name: &str) -> Result<SnippetJob, String> {
        check_name(name)?;
        let (link, door, as_kind) = self.way.snippet_door()?;
        let (mut json, mut hex_digits) = (None, None);
        if self.leads == Leads::Json {
            if let Some(fault) = &self.json_fault {
                return Err(fault.text.clone());
            }
            let text = without_secrets(&self.editor.text());
            json = Some(text.ok_or("it may hold a token, which is never saved")?);
        } else if may_hold_secret(self.bytes.bytes()) {
            return Err("its bytes may hold a token, which is never saved".to_owned());
        } else {
            hex_digits = Some(hex(self.bytes.bytes()));
        }
        let about = self.snippet.as_ref().map(|from| from.listed.snippet.about.as_str());
        let expect =
            self.foreseen().map(|row| WrittenExpected { verdict: &row.verdict, code: row.code.as_deref() });
        let written = Written {
            about: about.unwrap_or("saved from the workbench"),
            link: link.name(),
            door: door.name(),
            as_kind,
            topic: self.way.topic(),
            rpc: self.way.rpc_name(),
            breakages: self.breakages.iter().map(|it| it.name()).collect(),
            json,
            hex: hex_digits,
            expect,
        };
        let text = toml::to_string_pretty(&written).map_err(|error| error.to_string())?;
        // What is saved can be read again.
        Snippet::read(name, &text).map_err(|fault| fault.what)?;
        Ok(SnippetJob::Save { link, name: name.to_owned(), text })
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
    fn a_frame_is_saved_as_a_snippet_that_opens_as_it_was() {
        let limits = Limits::default();
        let mut bench = bench("rmp/publish");
        let job = bench.to_snippet("mine").unwrap();
        let SnippetJob::Save { link: SnippetLink::Rmp, name, text } = job else { panic!("{job:?}") };
        let own = SnippetListing { files: vec![(format!("rmp/{name}"), text)], troubles: Vec::new() };
        let SnippetAnswer::Listed(all, troubles) = list(own) else { unreachable!() };
        assert_eq!((troubles.len(), all[0].name.as_str(), all[0].is_own), (0, "rmp/mine", true));
        let mut again = Workbench::of(Way::default(), &limits, Wall(1));
        again.load_snippet(Arc::clone(&all[0]), &limits);
        assert_eq!((again.spec(), again.editor.text()), (bench.spec(), bench.editor.text()));
        assert!(bench.to_snippet("../mine").unwrap_err().contains("letters"));
        bench.load((Way::default(), None), b"{\"bridge_token\":\"s3cret\"}\n".to_vec(), &limits);
        bench.bytes_lead("edited".to_owned());
        assert!(bench.to_snippet("mine").unwrap_err().contains("token"));
    }
}
