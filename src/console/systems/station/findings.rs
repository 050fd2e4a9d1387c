//! Findings in the MPLP messages of the bus: one row a rule, schema and path.

use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        overlays::detail::detail,
        records::{
            ManualPlace,
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{CellContext, DetailsRecord, PaneRecord},
        },
        settings::view::View,
        systems::station::keys::FINDING,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, PaneContext, Source, Title},
        },
    },
    dissect::mplp::{FindingGroup, rule_text},
    field::{Column, Fields as _, Value, fields},
    ids::{Seq, TraceId},
};

fields! {
    FindingGroup {
        "rule", Text, Public, "rule or keyword that is broken", Column::growing("rule", 12, 2)
            => |it, _| Value::text(&*it.key.rule);
        "schema", Text, Public, "schema of the object", Column::growing("schema", 8, 1).from(70)
            => |it, _| Value::text(&*it.key.schema);
        "path", Text, Public, "where, with [*] for indices", Column::growing("path", 14, 4)
            => |it, _| Value::text(&*it.key.path);
        "count", Number, Public, "count", Column::fixed("count", 6).right() => |it, _| Value::count(it.count);
        "last" | "last_at_ms", Time, Public, "last occurrence", Column::fixed("last", 8) => |it, _| Value::Time(it.at.wall);
        "who", Text, Public, "publisher of the last occurrence", Column::growing("who", 10, 1).from(60)
            => |it, _| Value::text(&*it.who);
        "requires", Text, Public, "what is required there", Column::growing("requires", 12, 3).from(100)
            => |it, _| Value::text(&*it.requires);
        "received", Text, Payload, "JSON that was received", Column::growing("received", 10, 2).from(120)
            => |it, _| Value::maybe(it.received.as_deref());
        "session", Serial, Public, "bus session" => |it, _| it.session.map_or(Value::None, |session| Value::Serial(session.0));
        "peer", Text, Public, "process" => |it, _| Value::text(it.peer.as_str());
        "seq", Serial, Public, "entry of the last occurrence" => |it, _| Value::Serial(it.seq.0);
        "age", Duration, Public, "time since the last occurrence" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

impl PaneRecord for FindingGroup {
    fn key(&self) -> RecordKey {
        FINDING.of(self.key.clone())
    }

    fn cell(&self, field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        Some(match field {
            "count" => Cell::new(format::count(self.count), Role::Warn),
            "who" => Cell::new(self.who.to_string(), Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Entry(self.seq))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        let [rule, schema, path] = [&*self.key.rule, &*self.key.schema, &*self.key.path].map(line::operand);
        Some(line::list_command("findings", &format!("rule={rule} schema={schema} path={path}")))
    }

    fn manual_place(&self) -> Option<ManualPlace> {
        Some(ManualPlace::at("mplp", ["Findings on the bus"]))
    }
}

impl DetailsRecord for FindingGroup {
    fn key(&self) -> RecordKey {
        FINDING.of(self.key.clone())
    }

    fn title(&self, _model: &Model) -> String {
        self.key.rule.to_string()
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        // More of them may come while it is read.
        let current = model.findings.groups().find(|group| group.key == self.key).unwrap_or(self);
        lines(view, current)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(EntryQuery::Entry(self.seq))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn quoted_entry(&self) -> Option<Seq> {
        Some(self.seq)
    }
}

/// The rule and its section, what was found last, who published it, and what prints the rule.
fn lines(view: &View, group: &FindingGroup) -> Vec<ReportLine> {
    let rule = rule_text(&group.key.schema, &group.key.rule);
    let mut lines = vec![detail("", rule.text)];
    lines.extend(rule.section.map(|section| detail("section", section)));
    lines.push(detail("schema", group.key.schema.to_string()));
    let class = if group.hides_path() { Class::Payload } else { Class::Public };
    lines.push(ReportLine::Detail("path", group.last_path.to_string(), class));
    lines.extend(group.item.map(|item| detail("item", item.to_string())));
    lines.push(detail("requires", group.requires.to_string()));
    lines.push(match group.received.as_deref() {
        Some(received) => ReportLine::Detail("received", received.to_owned(), Class::Payload),
        None => detail("received", "nothing"),
    });
    let process =
        if group.who.contains(group.peer.as_str()) { String::new() } else { format!(", {}", group.peer) };
    lines.push(detail("by", format!("{}{process} at {}", group.who, view.time_of_day(group.at))));
    lines.push(detail(
        "count",
        format!("{} since {}", format::count(group.count), view.time_of_day(group.first_at)),
    ));
    if group.offenders.len() > 1 {
        let by = group.offenders.iter();
        lines.extend(by.map(|(who, count)| detail("by peer", format!("{} by {who}", format::count(*count)))));
    }
    lines.extend(rule.command.map(|command| ReportLine::Command(command.into())));
    lines
}

/// How many there were, and of how many kinds, of which each has a row.
fn title(cx: &PaneContext<'_>) -> String {
    let name = PaneId::Findings.name();
    let findings = &cx.model.findings;
    if findings.count == 0 {
        return name.to_owned();
    }
    let kinds = format::many(findings.groups().count() as u64, "kind");
    format!("{name} {} {} of {kinds}", cx.view.glyphs.between, format::count(findings.count))
}

/// Findings by rule.
pub(crate) static PANE: Pane = Pane {
    specs: FindingGroup::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| model.findings.groups().collect(),
    pages: Pages::None,
    filter: None,
    title: Title::Of(title),
    empty: Empty::Past("no findings in MPLP messages"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let findings = cx.model.findings.count;
        PaneChip::warning("findings", format::count(findings), findings > 0)
    }),
    ledger: |ui, model, all| {
        Some(Account {
            what: "rules broken by MPLP messages of the bus",
            came: all.saturating_add(model.findings.evicted),
            evicted: model.findings.evicted,
            lost: 0,
            bound: LedgerBound::Limit("limits.mplp.bus_findings_max", ui.limits.mplp.bus_findings_max),
        })
    },
};
