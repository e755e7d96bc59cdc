//! How the command line's sources word errors and hints, where the compiler cannot check it.

use std::fs;
use std::path::Path;

use super::sources::rust_files;

/// What `found_in` finds in the text of each source file, behind the file's path.
fn find(found_in: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("src");
    let files = rust_files(&folder);
    assert!(files.len() > 100, "{}", files.len());
    let in_file = |path: &Path| {
        let found = found_in(&fs::read_to_string(path).expect("text"));
        found.into_iter().map(|what| format!("{}: {what}", path.display())).collect::<Vec<_>>()
    };
    files.iter().flat_map(|path| in_file(path)).collect()
}

/// Words of hints that hold a command or a line break.
fn hidden_commands(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let begins = [".hint(", ".also(", ".where_unknown(", ".note(", "say("];
    let calls = begins.into_iter().flat_map(|begin| code.split(begin).skip(1));
    let literals = calls.filter_map(|call| {
        let call = call.trim_start_matches([' ', '\n', '&']).trim_start_matches("format!(");
        call.trim_start().strip_prefix('"')?.split("\")").next()?.split("\",").next()
    });
    let hides = |literal: &&str| [": ordersync ", "? ordersync ", "\\n"].iter().any(|sign| literal.contains(sign));
    literals.filter(hides).map(str::to_owned).collect()
}

/// Errors with a code that is text, and no row of the table.
fn codes_as_text(text: &str) -> Vec<String> {
    let made = text.split("Error::new(").skip(1);
    let literal = made.filter(|rest| rest.split(',').nth(1).is_some_and(|code| code.trim().starts_with('"')));
    literal.filter_map(|rest| rest.lines().next()).map(str::to_owned).collect()
}

/// A command within words could be broken between two lines, and nobody would notice.
#[test]
fn no_words_in_the_source_hide_a_command() {
    let found = find(hidden_commands);
    assert!(found.is_empty(), "use Hint::run, one for each line: {found:#?}");
}

#[test]
fn no_code_is_written_outside_the_table() {
    let found = find(codes_as_text);
    assert!(found.is_empty(), "use Error::of with a row of src/errors/codes: {found:#?}");
}

#[test]
fn what_is_forbidden_is_found() {
    for (text, found) in [
        ("error.hint(\"Sign in: ordersync auth login\")", 1),
        ("output.note(format!(\"One.\\nTwo\", x))", 1),
        ("const A: Hint = say(\n    \"Is it? ordersync config list\",\n);", 1),
        ("error.hint(Hint::run(\"Sign in\", \"ordersync auth login\"))", 0),
        ("error.hint(\"Sign in.\")\n#[cfg(test)]\nmod tests { say(\": ordersync \") }", 0),
    ] {
        assert_eq!(hidden_commands(text).len(), found, "{text}");
    }
    assert_eq!(codes_as_text("Error::new(Exit::Failed, \"CODE\", why)"), ["Exit::Failed, \"CODE\", why)"]);
    assert!(codes_as_text("Error::of(&codes::CODE, \"why\")").is_empty());
}
