//! What is shipped, and what is refused.

use std::{collections::BTreeSet, fs, path::Path};

use super::{
    Example, Foreseen, Snippet, SnippetFault, SnippetFrame, SnippetLink, TaxonomyError, shipped,
    shipped::FILES,
};
use crate::{
    dissect::frame_json::{Fill, Setup, codec},
    ids::TraceId,
    judged::Certainty,
    limits::Limits,
    rmp::Registry,
};

fn fill() -> Fill {
    let now = 1_800_000_000_000;
    Fill { created_at_ms: now, ttl_ms: 30_000, msg_id: 1, trace_id: TraceId(uuid::Uuid::from_u128(1)) }
}

#[test]
fn every_file_of_the_folders_is_shipped_and_is_a_snippet_of_its_link() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dissect/snippets");
    let mut there = BTreeSet::new();
    for link in SnippetLink::ALL {
        for file in fs::read_dir(folder.join(link.name())).unwrap() {
            let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
            there.insert(format!("{}/{name}", link.name()));
        }
    }
    let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!((listed, FILES.len()), (there.clone(), there.len()));
    for (name, text) in FILES {
        let snippet = Snippet::read(name, text).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(name.starts_with(snippet.link.name()), "{name}");
        let verdict = snippet.expect.verdict.as_deref().unwrap_or_else(|| panic!("{name}"));
        assert!(verdict != "refused" || snippet.expect.clause.is_some(), "{name} names no clause");
    }
    assert_eq!(shipped().len(), FILES.len());
}

#[test]
fn every_frame_of_a_shipped_snippet_can_be_made_and_broken() {
    let (registry, limits) = (Registry::default(), Limits::default());
    for shipped in shipped() {
        let snippet = &shipped.snippet;
        let codec = codec(snippet.format(), Setup { registry: &registry, limits: &limits, now_ms: None });
        let mut last = Vec::new();
        for frame in &snippet.frames {
            last = match frame {
                SnippetFrame::Bytes(bytes) => bytes.clone(),
                SnippetFrame::Json(json) => {
                    let made = codec.encode(&json.to_text(), &fill());
                    made.unwrap_or_else(|why| panic!("{}: {why}", shipped.name)).wire
                }
            };
        }
        for breakage in &snippet.breakages {
            last = breakage.apply(snippet.format(), &last).unwrap_or_else(|| panic!("{}", shipped.name));
        }
        assert!(!last.is_empty() || snippet.link == SnippetLink::Macp, "{}", shipped.name);
    }
}

#[test]
fn every_error_has_its_snippet_or_the_reason_why_none_leads_to_it() {
    let find = |name: &str| shipped().iter().find(|it| it.name == name);
    let mut named = BTreeSet::new();
    for error in TaxonomyError::all() {
        match error.example() {
            Example::None(reason) => assert!(reason.len() > 20, "{error:?}"),
            Example::Snippet(name) => {
                assert!(named.insert(name), "{name} shows two errors");
                let found = find(name).unwrap_or_else(|| panic!("{name} is not shipped"));
                let code = found.snippet.expect.code.as_deref();
                match error {
                    // The dialect has forms of its own, and a copy is passed over without a refusal.
                    TaxonomyError::Json(_) => assert!(code.is_some(), "{name}"),
                    _ if name == "rmp/duplicate" => assert_eq!(code, None),
                    _ => assert_eq!(code, Some(error.name()), "{name}"),
                }
            }
        }
    }
    for shipped in shipped().iter().filter(|it| !named.contains(it.name)) {
        let verdict = shipped.snippet.expect.verdict.as_deref().unwrap();
        let is_well_formed = matches!(verdict, "accepted" | "sent" | "answered" | "duplicate" | "ignored");
        assert!(is_well_formed || MORE.contains(&shipped.name), "{} shows no error", shipped.name);
    }
}

/// Second ways to an error that has a snippet.
const MORE: [&str; 6] = [
    "mpp/protocol-error",
    "rmp/reserved-bytes",
    "rmp/json-malformed",
    "rmp/json-too-large",
    "macp/not-a-participant",
    "macp/watch-roots",
];

#[test]
fn what_is_foreseen_of_a_frame_says_whether_its_snippet_is_staged() {
    let find = |name: &str| &shipped().iter().find(|it| it.name == name).unwrap().snippet;
    let of = |verdict, code, certainty| Foreseen { verdict, code, certainty, is_rehearsal: false };
    let now = |verdict, code| of(verdict, code, Certainty::AsOfNow);
    let (accepted, busy) = (now("accepted", None), find("rmp/busy"));
    assert!(busy.is_staged(&now("refused", Some("Busy")), true));
    assert!(!busy.is_staged(&accepted, true) && busy.is_staged(&accepted, false));
    assert!(!busy.is_staged(&now("refused", Some("Forbidden")), false), "what prepares it is refused");
    assert!(busy.is_staged(&now("pending", None), true), "its end has not come");
    for unknown in [Certainty::AfterALook, Certainty::ThePeers] {
        assert!(busy.is_staged(&of("accepted", None, unknown), true), "{unknown:?}");
    }
    let failing = find("macp/unavailable");
    assert!(!failing.is_staged(&accepted, true), "the store of a live station does not fail on purpose");
    let is_rehearsal = true;
    assert!(failing.is_staged(&Foreseen { is_rehearsal, ..accepted }, true), "that it fails is not foreseen");
    assert!(!busy.is_staged(&Foreseen { is_rehearsal, ..accepted }, true));
    assert!(find("rmp/not-subscribed").is_staged(&accepted, true), "it needs nothing");
}

#[track_caller]
fn refused(text: &str) -> SnippetFault {
    Snippet::read("own.toml", text).unwrap_err()
}

#[test]
fn a_file_that_is_no_snippet_is_refused_at_its_line() {
    let head = "about = 'x'\nlink = 'mpp'\ndoor = 'adapter'\n";
    let own = |rest: &str| refused(&format!("{head}{rest}"));
    let at = |fault: &SnippetFault| fault.line;
    let unknown = own("jsn = '{}'\n");
    assert_eq!(at(&unknown), Some(4));
    assert!(unknown.to_string().starts_with("own.toml, line 4: unknown field `jsn`"), "{unknown}");
    let json = own("json = '''\n{\"body\":\n  {\"type\": }}'''\n");
    assert_eq!(at(&json), Some(6), "{json}");
    let breakage = own("json = '{}'\nbreak = [\"truncatd\"]\n");
    assert_eq!((at(&breakage), &*breakage.hint), (Some(5), "did you mean truncated?"));
    assert_eq!(own("hex = '0'\n").what, "`hex` is not hex digits");
    assert_eq!(own("").what, "it has no frame, or two");
    assert_eq!(own("json = []\n").what, "`json` has 0 frames");
    assert_eq!(at(&own("json = '{}'\ntopic = 'a'\n")), Some(5));
    let door = refused("about = 'x'\nlink = 'mpp'\ndoor = 'call'\njson = '{}'\n");
    assert_eq!((door.line, &*door.hint), (Some(3), "one of adapter, none, from-adapter, to-adapter"));
    let rpc = refused("about = 'x'\nlink = 'macp'\ndoor = 'call'\nrpc = 'Snd'\njson = '{}'\n");
    assert_eq!((rpc.line, &*rpc.what), (Some(4), "no call `Snd`"));
}
