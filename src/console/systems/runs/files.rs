//! Openings to go on with: those that were submitted lately, then the files that there are.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        records::{
            Table,
            record_key::INDEX,
            selection::{RecordKey, Selection},
        },
        settings::view::{Canvas, View},
        systems::runs::openings::{OpeningDrafts, Recent},
        worker::{OpeningFile, OpeningListing},
    },
    field::Column,
};

const COLUMNS: &[Column] = &[
    Column::fixed("", 9),
    Column::growing("opening", 16, 2),
    Column::growing("from", 16, 4),
    Column::fixed("at", 17),
    Column::fixed("size", 7).right().from(72),
];

/// The list.
#[derive(Debug, Default)]
pub(crate) struct Files {
    recent: Vec<Recent>,
    /// Nothing until they were listed.
    listing: Option<OpeningListing>,
    pub(super) selection: Selection,
    pub(super) height: usize,
}

/// The selected line.
pub(crate) enum SelectedFile<'a> {
    Recent(&'a Recent),
    File(&'a OpeningFile),
}

impl Files {
    /// What was submitted lately; the files are asked for.
    pub(crate) fn of(openings: &OpeningDrafts) -> Self {
        let listing = (!openings.has_files).then(OpeningListing::default);
        Self { recent: openings.recent().to_vec(), listing, ..Self::default() }
    }

    /// Takes the files.
    pub(crate) fn set_listing(&mut self, shelved: OpeningListing) {
        self.listing = Some(shelved);
    }

    fn files(&self) -> &[OpeningFile] {
        self.listing.as_ref().map_or(&[], |shelved| &shelved.files)
    }

    /// The selected line.
    pub(crate) fn selected(&self) -> Option<SelectedFile<'_>> {
        let at = self.selection.index();
        let file = || self.files().get(at.checked_sub(self.recent.len())?).map(SelectedFile::File);
        self.recent.get(at).map(SelectedFile::Recent).or_else(file)
    }

    pub(super) fn keys(&self) -> Vec<RecordKey> {
        (0..self.recent.len() + self.files().len()).map(|id| INDEX.of(id)).collect()
    }

    /// What could not be listed, in words.
    pub(super) fn errors(&self) -> Vec<String> {
        let Some(shelved) = &self.listing else { return Vec::new() };
        let cut = (shelved.cut > 0).then(|| {
            format!(
                "{} are not listed (limits.console.openings_max)",
                format::many(shelved.cut as u64, "more file")
            )
        });
        shelved.troubles.iter().cloned().chain(cut).collect()
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, focused: bool) {
        let title = if self.listing.is_none() { "Openings, loading files" } else { "Openings" };
        let mut inside = canvas.frame(body, title, focused);
        let troubles = self.errors();
        for words in troubles.iter().rev().take(usize::from(inside.height / 2)) {
            inside.height -= 1;
            canvas.put(
                inside.x + 1,
                inside.bottom(),
                inside.width.saturating_sub(1),
                &format!("{} {words}", canvas.view.glyphs.warn),
                Role::Warn,
            );
        }
        let len = self.recent.len() + self.files().len();
        if len == 0 {
            let words = "no recent submissions, and no opening files in runs.openings or the working folder";
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), words, Role::Muted);
            return;
        }
        let view = canvas.view;
        let row = |index: usize| match self.recent.get(index) {
            Some(recent) => recent_cells(view, recent),
            None => self
                .files()
                .get(index - self.recent.len())
                .map_or_else(Vec::new, |file| file_cells(view, file)),
        };
        Table::plain(COLUMNS, len, &row, &self.selection, focused).draw(canvas, inside);
    }
}

fn recent_cells(view: &View, recent: &Recent) -> Vec<Cell> {
    let (word, role) = if recent.was_run { ("submitted", Role::Runs) } else { ("draft", Role::Muted) };
    let from = recent
        .draft
        .origin
        .as_ref()
        .map_or_else(|| "edited here".to_owned(), |path| path.display().to_string());
    vec![
        Cell::new(word, role),
        Cell::of_class(recent.name.clone(), Role::Text, Class::Public),
        Cell::new(from, Role::Muted),
        Cell::new(format::day_and_time(recent.at_ms, &view.zone), Role::Muted),
        Cell::new(format::bytes(recent.draft.text.len() as u64), Role::Muted),
    ]
}

fn file_cells(view: &View, file: &OpeningFile) -> Vec<Cell> {
    let words = |part: Option<&std::ffi::OsStr>| {
        part.map_or_else(String::new, |part| part.to_string_lossy().into_owned())
    };
    vec![
        Cell::new("file", Role::Accent),
        Cell::new(words(file.path.file_stem()), Role::Text),
        Cell::new(file.path.display().to_string(), Role::Muted),
        Cell::new(
            file.changed_at.map_or_else(String::new, |at| format::day_and_time(at, &view.zone)),
            Role::Muted,
        ),
        Cell::new(format::bytes(file.bytes), Role::Muted),
    ]
}
