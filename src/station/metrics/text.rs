//! Families as Prometheus' text format, version 0.0.4: what every scraper and `grep` reads.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder, text},
    metrics::MetricType,
    registry::Registry,
};

use super::family::{Family, Kind, Number};

/// The format's name on HTTP.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The whole text.
pub(super) fn text(families: Vec<Family>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(All(families)));
    let mut text = String::new();
    // A string takes everything.
    text::encode_registry(&mut text, &registry).unwrap_or_default();
    text
}

#[derive(Debug)]
struct All(Vec<Family>);

impl Collector for All {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in &self.0 {
            let kind = match family.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
            };
            let mut out = encoder.encode_descriptor(family.name, family.help, None, kind)?;
            for series in &family.series {
                if series.labels.is_empty() {
                    write(&mut out, series.value)?;
                } else {
                    write(&mut out.encode_family(&series.labels)?, series.value)?;
                }
            }
        }
        Ok(())
    }
}

/// Written as gauges all: what the encoder calls a counter has a TYPE line without the `_total` that this
/// format wants.
fn write(out: &mut MetricEncoder<'_>, value: Number) -> fmt::Result {
    match value {
        Number::Whole(count) => out.encode_gauge(&count),
        Number::Real(measure) => out.encode_gauge(&measure),
    }
}
