//! The result as JUnit XML, as CI systems read it: one suite, a case per check.

use std::io::Write;
use std::time::Duration;

use quick_xml::Writer;
use quick_xml::events::BytesText;

use crate::commands::shared::diagnostics::{Check, CheckStatus};
use crate::errors::Result;
use crate::export::target;
use crate::output::sanitize::clean;

pub(super) fn write(mut out: impl Write, checks: &[Check], took: Duration) -> Result<()> {
    let mut xml = Vec::new();
    fill(&mut xml, checks, took)
        .and_then(|()| out.write_all(&xml))
        .and_then(|()| out.flush())
        .map_err(|why| target::write_error(&why))
}

fn fill(xml: &mut Vec<u8>, checks: &[Check], took: Duration) -> std::io::Result<()> {
    let count = |status| checks.iter().filter(|check| check.status == status).count().to_string();
    let counts = [
        ("tests", checks.len().to_string()),
        ("failures", count(CheckStatus::Failed)),
        ("errors", "0".to_owned()),
        ("skipped", count(CheckStatus::Skipped)),
        ("time", seconds(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))),
    ];
    xml.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut writer = Writer::new_with_indent(&mut *xml, b' ', 2);
    let named = || counts.iter().map(|(name, value)| (*name, value.as_str()));
    let suites = writer.create_element("testsuites").with_attribute(("name", "ordersync smoke"));
    suites.with_attributes(named()).write_inner_content(|writer| {
        let suite = writer.create_element("testsuite").with_attribute(("name", "ordersync smoke"));
        suite
            .with_attributes(named())
            .write_inner_content(|writer| checks.iter().try_for_each(|check| case(writer, check)))?;
        Ok(())
    })?;
    xml.push(b'\n');
    Ok(())
}

fn case<W: Write>(writer: &mut Writer<W>, check: &Check) -> std::io::Result<()> {
    let time = seconds(check.milliseconds.unwrap_or_default());
    // XML has no way to write control characters, and the text may come from anywhere.
    let message = clean(&check.message);
    let element = writer
        .create_element("testcase")
        .with_attribute(("classname", "ordersync.smoke"))
        .with_attribute(("name", check.check))
        .with_attribute(("time", time.as_str()));
    match check.status {
        CheckStatus::Ok | CheckStatus::Warning => element.write_empty()?,
        CheckStatus::Skipped => element.write_inner_content(|writer| {
            writer.create_element("skipped").with_attribute(("message", &*message)).write_empty()?;
            Ok(())
        })?,
        CheckStatus::Failed => element.write_inner_content(|writer| {
            let text = match check.hint.is_empty() {
                true => message.to_string(),
                false => format!("{message}\n{}", lines(&check.hint.to_string())),
            };
            let failure = writer.create_element("failure").with_attribute(("message", &*message));
            failure.with_attribute(("type", check.check)).write_text_content(BytesText::new(&text))?;
            Ok(())
        })?,
    };
    Ok(())
}

fn lines(text: &str) -> String {
    text.lines().map(|line| clean(line).into_owned()).collect::<Vec<_>>().join("\n")
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}
