//! The loader: what an opening and all that it nests share.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    super::{FaultKind, Faults, Library, Map, Opening, fault::Fault, library},
    fields::Sink,
    text,
};
use crate::{
    limits::Runs,
    runs::yaml::{self, Bounds, Located, Position},
};

impl Opening {
    /// Reads and checks an opening, and all that it nests.
    ///
    /// `origin` is the file that the text is from, if any; nested openings are looked up beside it. `params`
    /// are set over the text's own.
    ///
    /// # Errors
    /// Every fault of the text and of the files that it nests, at most `limits.runs.faults_max`.
    pub fn load(
        text: &str,
        origin: Option<&Path>,
        params: &Map,
        library: &dyn Library,
        limits: &Runs,
    ) -> Result<Self, Faults> {
        let mut loader = Loader::new(library, limits);
        let File { tree, values } = loader.read(text, None);
        loader.budget.values = loader.budget.values.saturating_sub(values);
        let folder = origin.and_then(Path::parent).map(Arc::from);
        let context =
            Context { file: None, folder, inline_openings: Arc::default(), confirm_external: false };
        let name = origin.map_or_else(|| "this one".to_owned(), name_of);
        loader.chain.push(Step { name: name.into(), path: origin.unwrap_or(Path::new("")).to_owned() });
        let opening = tree.and_then(|tree| text::opening(&mut loader, &tree, params, &context));
        match opening {
            Some((opening, _)) if loader.faults.is_empty() => Ok(opening),
            _ => Err(loader.faults.sorted()),
        }
    }
}

/// The file's name without its extension.
fn name_of(path: &Path) -> String {
    path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Where a text is from, and what holds around it.
#[derive(Clone)]
pub(super) struct Context {
    /// The file of a nested opening.
    pub(super) file: Option<Arc<Path>>,
    /// The folder of the text's file.
    pub(super) folder: Option<Arc<Path>>,
    /// The openings that the outermost text carries; none for a file that was looked up.
    pub(super) inline_openings: Arc<InlineOpenings>,
    /// `confirm_external` of an opening around this one holds within it too.
    pub(super) confirm_external: bool,
}

/// Openings that a text carries, by their names.
pub(super) type InlineOpenings = HashMap<Arc<str>, Arc<str>>;

/// An opening that is being read.
struct Step {
    name: Arc<str>,
    path: PathBuf,
}

/// A file that was read: its tree, nothing if it has none, and its keys and values.
#[derive(Clone)]
struct File {
    tree: Option<Arc<Located>>,
    values: u64,
}

/// What may yet be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadBudget {
    pub(super) nodes: u64,
    pub(super) edges: u64,
    pub(super) values: u64,
    pub(super) filled_bytes: u64,
}

/// The name of a nested opening, and the folder of the file that names it.
type Sought = (String, Option<Arc<Path>>);

pub(super) struct Loader<'l> {
    pub(super) limits: &'l Runs,
    pub(super) faults: Faults,
    pub(super) budget: ReadBudget,
    /// Params that the text that is read has filled in.
    pub(super) used: BTreeSet<String>,
    library: &'l dyn Library,
    /// The openings around what is read, outermost first.
    chain: Vec<Step>,
    /// Files by the name that was looked for, and the folder of the file that named it.
    found: HashMap<Sought, PathBuf>,
    files: HashMap<PathBuf, File>,
}

impl<'l> Loader<'l> {
    fn new(library: &'l dyn Library, limits: &'l Runs) -> Self {
        let budget = ReadBudget {
            nodes: limits.nodes_max,
            edges: limits.edges_max,
            values: limits.yaml_values_max,
            filled_bytes: limits.filled_bytes_max,
        };
        Self {
            limits,
            faults: Faults::new(limits.faults_max),
            budget,
            used: BTreeSet::new(),
            library,
            chain: Vec::new(),
            found: HashMap::new(),
            files: HashMap::new(),
        }
    }

    pub(super) fn sink(&mut self, context: &Context) -> Sink<'_> {
        Sink { faults: &mut self.faults, file: context.file.clone() }
    }

    /// A text as a file, with the faults of its YAML told.
    fn read(&mut self, text: &str, file: Option<&Arc<Path>>) -> File {
        let reading = yaml::read(text, bounds(self.limits));
        let is_empty = reading.tree.is_none() && reading.faults.is_empty();
        for yaml::Fault { at, kind, fix } in reading.faults {
            self.faults.push(Fault { file: file.cloned(), at, wrong: kind.into(), fix });
        }
        self.faults.count_more(reading.more);
        if is_empty {
            let fix = Some("start with `version: 0`".to_owned());
            let wrong = FaultKind::NoOpening { found: "nothing" }.into();
            self.faults.push(Fault { file: file.cloned(), at: Position::START, wrong, fix });
        }
        File { tree: reading.tree.map(Arc::new), values: reading.values as u64 }
    }

    /// The opening that a node nests, with the node's `with` as its params, and those of them that it does
    /// not know; nothing when it has faults.
    pub(super) fn nested(
        &mut self,
        name: &str,
        at: Position,
        params: &Map,
        context: &Context,
    ) -> Option<(Arc<Opening>, Vec<String>)> {
        let refused = |loader: &mut Self, (kind, fix): Refused| {
            loader.sink(context).add(at, kind, fix.map(str::to_owned));
            None
        };
        if !library::is_opening_name(name) {
            let kind = FaultKind::OpeningName { name: super::super::expression::cut(name) };
            let fix = "give a file in this folder or in the folder of openings, without path and extension";
            return refused(self, (kind, Some(fix)));
        }
        if self.budget.values == 0 {
            return None;
        }
        let sought = (name.to_owned(), context.folder.clone());
        let carried = context.inline_openings.get(name);
        let (text, path) = match self.locate(&sought, carried) {
            Ok(located) => located,
            Err(why) => return refused(self, why),
        };
        if carried.is_none() {
            self.found.insert(sought, path.clone());
        }
        let file: Arc<Path> = Arc::from(path.as_path());
        let known = self.files.get(&path).cloned();
        let File { tree, values } =
            known.unwrap_or_else(|| self.read(&text.unwrap_or_default(), Some(&file)));
        if values > self.budget.values {
            // What comes behind would be read for nothing.
            self.budget.values = 0;
            return refused(self, (FaultKind::TooManyValues { max: self.limits.yaml_values_max }, None));
        }
        self.budget.values -= values;
        self.files.insert(path.clone(), File { tree: tree.clone(), values });
        // A file that is looked up finds others beside it; one that the text carries finds what the text
        // does.
        let around = match carried {
            Some(_) => context.clone(),
            None => Context {
                folder: path.parent().map(Arc::from),
                inline_openings: Arc::default(),
                ..context.clone()
            },
        };
        let within = Context { file: Some(file), ..around };
        self.chain.push(Step { name: Arc::from(name), path });
        let opening = tree.and_then(|tree| text::opening(self, &tree, params, &within));
        self.chain.pop();
        opening.map(|(opening, unknown)| (Arc::new(opening), unknown))
    }

    /// The text of a nested opening, unless it was looked up before, and its file; refused where it lies too
    /// deep, is not there, or nests itself.
    fn locate(
        &self,
        sought: &Sought,
        carried: Option<&Arc<str>>,
    ) -> Result<(Option<String>, PathBuf), Refused> {
        let (name, folder) = sought;
        if self.chain.len() as u64 >= self.limits.depth_max {
            return Err((FaultKind::TooDeep { max: self.limits.depth_max }, None));
        }
        let (text, path) = match (carried, self.found.get(sought)) {
            (Some(text), _) => (Some(text.to_string()), PathBuf::from(format!("{name}.yaml"))),
            (None, Some(path)) => (None, path.clone()),
            (None, None) => match self.library.read(name, folder.as_deref()) {
                Ok((text, path)) => (Some(text), path),
                Err(why) => return Err((FaultKind::OpeningNotFound { name: name.clone(), why }, None)),
            },
        };
        if let Some(from) = self.chain.iter().position(|it| it.path == path) {
            let around = self.chain[from..].iter().map(|it| &*it.name);
            let names: Vec<&str> = around.chain([name.as_str()]).collect();
            let kind = FaultKind::OpeningCycle { path: names.join(" → ") };
            return Err((kind, Some("remove one of the references")));
        }
        Ok((text, path))
    }
}

/// Why a nested opening is not read, and what to do about it.
type Refused = (FaultKind, Option<&'static str>);

/// How much of one text is read.
pub(in crate::runs::openings) fn bounds(limits: &Runs) -> Bounds {
    let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
    Bounds {
        bytes: size(limits.yaml_bytes_max),
        values: size(limits.yaml_values_max),
        depth: size(limits.yaml_depth_max),
        faults: size(limits.faults_max),
    }
}
