//! The floors of the house: each part of the program uses only parts below it, and no files use each other in a circle.
//!
//! A failure names both files and the names between them. If one appears, the thing that both need belongs on a floor
//! below both.

mod graph;
mod reader;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::graph::{circles, circles_of_floors, described, upward};
use self::reader::{Crate, Sources};
use super::sources::rust_files;

/// A crate, and its floors.
struct House {
    /// Where its sources are, from the workspace's root.
    folder: &'static str,
    root: &'static str,
    /// The modules of its root, from the ground up. Those of one line do not know each other.
    floors: &'static [&'static [&'static str]],
}

const CRATES: [House; 7] = [
    House {
        folder: "crates/api/src",
        root: "lib.rs",
        floors: &[
            &["hex"],
            &["open", "timestamp", "exact", "seal", "list", "look", "retailer", "trace_context"],
            &["text_enum"],
            &["error", "status", "scope", "profile", "totp", "order", "mfa", "completeness"],
            &["strict", "charged"],
            &["connection", "document", "import", "sandbox"],
            &["session", "share"],
        ],
    },
    House { folder: "crates/html/src", root: "lib.rs", floors: &[&["tags"], &["build"]] },
    House {
        folder: "crates/values/src",
        root: "lib.rs",
        floors: &[&["locale", "cookie_file", "zone"], &["currency", "dates"], &["amount"]],
    },
    House {
        folder: "crates/import/src",
        root: "lib.rs",
        floors: &[
            &["finding", "section", "page", "website"],
            &["table", "format", "told"],
            &["input", "mailbox", "markup", "woocommerce"],
            &["document", "mail", "saved"],
            &["layout"],
            &["reading"],
            &["checks", "number"],
            &["repeated"],
            &["build"],
            &["index", "join"],
            &["merge"],
            &["requests", "documents", "explain", "fetched"],
        ],
    },
    House { folder: "crates/service/src", root: "lib.rs", floors: SERVICE },
    House { folder: "src", root: "lib.rs", floors: COMMAND_LINE },
    House {
        folder: "xtask/src",
        root: "main.rs",
        floors: &[&["files"], &["dist", "english", "floors", "links", "man", "tables"]],
    },
];

const COMMAND_LINE: &[&[&str]] = &[
    &["clock", "names", "net", "shell", "signals", "values"],
    // Every way to fail, and what to do about it.
    &["errors"],
    // Surroundings and files.
    &["env", "files", "time_zone"],
    &["input"],
    // What holds for every command.
    &["flags"],
    &["policy"],
    &["output"],
    &["prompt"],
    // HTTP.
    &["client"],
    &["config"],
    &["auth", "local", "complete"],
    // What a command is given.
    &["context"],
    &["follow", "export", "summary"],
    // The words of the command line: no behaviour.
    &["cli"],
    &["commands"],
    // The program, and what documentation is made from.
    &["run", "reference"],
];

const SERVICE: &[&[&str]] = &[
    &["clock", "database", "private_file", "small_file", "environment"],
    &["ids"],
    // Keys, logs, traces and the configuration.
    &["keys", "telemetry", "traces", "backoff"],
    &["config"],
    // How much is let through, and what was answered.
    &["limits", "counters", "own_hosts"],
    // Rules without I/O.
    &["domain"],
    &["connector"],
    &["catalog"],
    &["store"],
    &["sync"],
    &["known_clients", "token", "sealing", "delivery"],
    // What users sign in with, and what clients bind to them: no HTTP, and errors of their own.
    &["links", "signin"],
    // The state that handlers get: data only.
    &["app"],
    // What all surfaces share.
    &["http"],
    &["authorization"],
    // The surfaces: none knows another.
    &["interface", "oauth", "web"],
    // The one place that knows all of them.
    &["router"],
    &["retention", "reload", "seed"],
    &["service", "admin"],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace's root")
}

/// All sources below a folder.
fn sources_in(folder: &Path) -> Sources {
    let files = rust_files(folder).into_iter();
    let texts = files.map(|file| {
        let path = file.strip_prefix(folder).expect("below the folder").to_owned();
        (path, fs::read_to_string(&file).expect("text"))
    });
    texts.collect()
}

/// A crate of a few small files.
fn small(files: &[(&str, &str)]) -> Crate {
    let sources: BTreeMap<PathBuf, String> =
        files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    Crate::read(&sources, Path::new("lib.rs"))
}

#[test]
fn every_floor_uses_only_those_below_it_and_no_files_use_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for house in CRATES {
        let sources = sources_in(&root().join(house.folder));
        assert!(sources.len() > 3, "{} has {} files", house.folder, sources.len());
        let read = Crate::read(&sources, Path::new(house.root));
        wrong.extend(upward(&read, house.floors).into_iter().map(|line| format!("{}: {line}", house.folder)));
        wrong.extend(
            circles_of_floors(&read).iter().map(|circle| format!("{}: floors in a circle: {circle:?}", house.folder)),
        );
        wrong
            .extend(circles(&read).iter().map(|circle| format!("{}: {}", house.folder, described(circle, &read.uses))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_use_that_leads_up_is_found_with_both_files_and_the_name() {
    let read = small(&[
        ("lib.rs", "mod store; mod web;"),
        ("store.rs", "use crate::web::page::{Page, render}; fn a() { render(Page) }"),
        ("web/mod.rs", "pub mod page;"),
        ("web/page.rs", "use crate::store; pub struct Page; pub fn render(_: Page) { store::a() }"),
    ]);
    assert_eq!(upward(&read, &[&["store"], &["web"]]), ["store.rs -> web/page.rs: Page, render"]);
    assert_eq!(upward(&read, &[&["web"], &["store"]]), ["web/page.rs -> store.rs: a"]);
    assert_eq!(upward(&read, &[&["web", "store"]]).len(), 2, "neighbours do not know each other");
    assert_eq!(upward(&read, &[&["store"]]), ["the module web is on no floor: add it to the list"]);
    let circle = circles(&read);
    assert_eq!(circle, [[PathBuf::from("store.rs"), PathBuf::from("web/page.rs")]]);
    assert_eq!(graph::circles_of_floors(&read), [["store", "web"].map(PathBuf::from)]);
    assert!(described(&circle[0], &read.uses).contains("store.rs -> web/page.rs: Page, render"));
}

#[test]
fn names_are_followed_to_the_file_that_defines_them() {
    let uses_of_a = |text: &str| {
        let read = small(&[
            ("lib.rs", "mod a; mod b; mod d; pub use b::Thing;"),
            ("a.rs", text),
            ("b/mod.rs", "mod c; pub use c::{Thing, other as renamed}; pub use self::c::deep; pub fn own() {}"),
            ("b/c.rs", "pub struct Thing; pub fn other() {} pub mod deep { pub fn down() {} }"),
            ("d.rs", "pub use crate::b::*; pub mod within { pub fn x() {} }"),
        ]);
        let uses = read.uses.iter().filter(|((from, _), _)| from == Path::new("a.rs"));
        uses.map(|((_, to), names)| format!("{}: {}", to.display(), Vec::from_iter(names.clone()).join(" ")))
            .collect::<Vec<_>>()
    };
    for (text, expected) in [
        ("use crate::b::Thing;", "b/c.rs: Thing"),
        ("use crate::Thing as Other;", "b/c.rs: Thing"),
        ("use super::b; fn x() { b::renamed() }", "b/c.rs: other"),
        ("use super::{b::{self, own}}; fn x() { own() }", "b/mod.rs: own"),
        ("fn x() -> crate::b::Thing { todo!() }", "b/c.rs: Thing"),
        ("fn x() { crate::b::deep::down() }", "b/c.rs: down"),
        ("use crate::d::Thing;", "b/c.rs: Thing"),
        ("fn x() { crate::d::within::x() }", "d.rs: x"),
        ("mod inner { fn x() { super::super::b::own() } }", "b/mod.rs: own"),
        ("fn x() { vec![crate::b::own(), \"crate::d::y()\"] }", "b/mod.rs: own"),
        ("#[serde(with = \"crate::b\")] struct S;", "b/mod.rs: *"),
        ("fn x() { use crate::b::Thing; let Thing = y; }", "b/c.rs: Thing"),
        ("use crate::b::Thing as _;", "b/c.rs: Thing"),
    ] {
        assert_eq!(uses_of_a(text), [expected], "{text}");
    }
    for none in [
        "use std::fmt::Write;",
        "use crate::b;",
        "pub use crate::b::Thing;",
        "pub(in crate::b) struct X;",
        "#[cfg(test)] use crate::b::Thing;",
        "#[cfg(test)] mod tests { use crate::b::Thing; }",
        "#[test] #[cfg(all(test, unix))] fn x() { crate::b::own() }",
        "/// See [`crate::b::own`].\nfn own() { own() }",
    ] {
        assert_eq!(uses_of_a(none), [""; 0], "{none}");
    }
}

#[test]
fn a_module_and_the_files_directly_below_it_count_as_one_but_these_do_not() {
    let lib = ("lib.rs", "mod a; mod b;");
    let own = ("a/mod.rs", "mod x; mod y; use x::run; pub struct State; fn go() { run() }");
    let x = ("a/x.rs", "use super::State; pub fn run() {}");
    assert!(circles(&small(&[lib, own, x, ("a/y.rs", ""), ("b.rs", "")])).is_empty());
    let siblings = small(&[
        lib,
        own,
        ("a/x.rs", "use super::y::Y; pub fn run() {}"),
        ("a/y.rs", "use super::x::run; pub struct Y;"),
        ("b.rs", ""),
    ]);
    assert_eq!(circles(&siblings), [[PathBuf::from("a/x.rs"), PathBuf::from("a/y.rs")]]);
    let around = small(&[
        lib,
        own,
        ("a/x.rs", "use crate::b::B; pub fn run() {}"),
        ("a/y.rs", ""),
        ("b.rs", "use crate::a::State; pub struct B;"),
    ]);
    assert_eq!(circles(&around), [["a/mod.rs", "a/x.rs", "b.rs"].map(PathBuf::from)]);
}
