//! The parts of a workbook around its rows.

use std::fmt::Write as _;

use super::super::columns::{is_decimal, is_time};
use super::super::row::Column;

pub(super) const RELATIONS_PATH: &str = "_rels/.rels";
pub(super) const STYLES_PATH: &str = "xl/styles.xml";
pub(super) const WORKBOOK_PATH: &str = "xl/workbook.xml";
pub(super) const WORKBOOK_RELATIONS_PATH: &str = "xl/_rels/workbook.xml.rels";
pub(super) const CONTENT_TYPES_PATH: &str = "[Content_Types].xml";

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CONTENT_TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const SPREADSHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// How a cell looks: its place among the formats of [`styles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain = 0,
    Heading = 1,
    /// A date and time to the second.
    Time = 2,
    /// To the millisecond.
    Millis = 3,
    /// Text that stays text when a user edits it.
    Text = 4,
}

pub(super) fn relations() -> String {
    format!(
        "{XML}<Relationships xmlns=\"{RELATIONSHIPS}\">\
         <Relationship Id=\"rId1\" Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
    )
}

pub(super) fn styles() -> String {
    let format = |number: u32, font: u32| {
        let applied = if number > 0 { " applyNumberFormat=\"1\"" } else { "" };
        let bold = if font > 0 { " applyFont=\"1\"" } else { "" };
        format!("<xf numFmtId=\"{number}\" fontId=\"{font}\" fillId=\"0\" borderId=\"0\" xfId=\"0\"{applied}{bold}/>")
    };
    let formats = [format(0, 0), format(0, 1), format(164, 0), format(165, 0), format(49, 0)];
    format!(
        "{XML}<styleSheet xmlns=\"{MAIN}\">\
         <numFmts count=\"2\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/>\
         <numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss.000\"/></numFmts>\
         <fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>\
         <font><b/><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts>\
         <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
         <fill><patternFill patternType=\"gray125\"/></fill></fills>\
         <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
         <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
         <cellXfs count=\"{}\">{}</cellXfs>\
         <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>",
        formats.len(),
        formats.concat()
    )
}

pub(super) fn sheet_path(number: u32) -> String {
    format!("xl/worksheets/sheet{number}.xml")
}

/// All of a sheet that precedes its rows: the first row stays in sight.
pub(super) fn begin_sheet(page: &mut Vec<u8>, number: u32, columns: &[Column]) {
    let selected = if number == 1 { " tabSelected=\"1\"" } else { "" };
    let mut text = format!(
        "{XML}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView{selected} workbookViewId=\"0\">\
         <pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>\
         <selection pane=\"bottomLeft\" activeCell=\"A2\" sqref=\"A2\"/></sheetView></sheetViews><cols>"
    );
    for (index, column) in columns.iter().enumerate() {
        let number = index + 1;
        let _ = write!(text, "<col min=\"{number}\" max=\"{number}\" width=\"{}\" customWidth=\"1\"/>", width(*column));
    }
    text.push_str("</cols><sheetData>");
    page.extend_from_slice(text.as_bytes());
}

/// What follows on its rows.
pub(super) fn end_sheet(page: &mut Vec<u8>) {
    page.extend_from_slice(b"</sheetData></worksheet>");
}

/// In characters.
fn width(column: Column) -> u32 {
    match column {
        Column::ItemName | Column::ShipmentText | Column::Mismatch => 48,
        Column::Currency => 10,
        _ if is_decimal(column) => 12,
        _ if is_time(column) => 20,
        _ => 24,
    }
}

pub(super) fn workbook(sheets: u32) -> String {
    let sheet = |number: u32| {
        let name = if number == 1 { "Orders".to_owned() } else { format!("Orders {number}") };
        format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>")
    };
    let sheets: String = (1..=sheets).map(sheet).collect();
    format!(
        "{XML}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><bookViews><workbookView/></bookViews>\
         <sheets>{sheets}</sheets></workbook>"
    )
}

pub(super) fn workbook_relations(sheets: u32) -> String {
    let relation = |number: u32, kind: &str, target: &str| {
        format!("<Relationship Id=\"rId{number}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let listed: String =
        (1..=sheets).map(|number| relation(number, "worksheet", &format!("worksheets/sheet{number}.xml"))).collect();
    let styles = relation(sheets + 1, "styles", "styles.xml");
    format!("{XML}<Relationships xmlns=\"{RELATIONSHIPS}\">{listed}{styles}</Relationships>")
}

pub(super) fn content_types(sheets: u32) -> String {
    let part =
        |path: &str, kind: &str| format!("<Override PartName=\"/{path}\" ContentType=\"{SPREADSHEET}.{kind}+xml\"/>");
    let sheets: String = (1..=sheets).map(|number| part(&sheet_path(number), "worksheet")).collect();
    format!(
        "{XML}<Types xmlns=\"{CONTENT_TYPES}\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>{}{}{sheets}</Types>",
        part(WORKBOOK_PATH, "sheet.main"),
        part(STYLES_PATH, "styles")
    )
}
