//! `docs/recipes.md` describes every key, and no other; `[recognize]` is for recipes that ship with the program.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::super::format::Recipe;
use super::{DOCS, example};

/// The keys of the lists for pages. One that begins with a dot is beside the key before it.
fn documented() -> BTreeSet<String> {
    let pages = DOCS.split("## Shops that answer with JSON").next().unwrap();
    let entries = pages.split("\n## Keys\n").nth(1).unwrap().lines().filter(|line| line.starts_with("- `"));
    let mut keys: Vec<String> = Vec::new();
    for key in entries.flat_map(|entry| entry.split([':', '(']).next().unwrap().split('`').skip(1).step_by(2)) {
        let beside = key.starts_with('.').then(|| keys.last().unwrap().rsplit_once('.').unwrap().0.to_owned());
        keys.push(beside.unwrap_or_default() + key);
    }
    keys.into_iter().collect()
}

/// The keys of a table of the format, as an unknown one makes it name them.
fn keys_of(table: &str) -> Vec<String> {
    let mut recipe: toml::Table = toml::from_str(example()).unwrap();
    let mut here = &mut recipe;
    for part in table.split('.').filter(|part| !part.is_empty()) {
        here = here.entry(part).or_insert_with(|| toml::Table::new().into()).as_table_mut().unwrap();
    }
    here.insert("no such key".to_owned(), 1.into());
    let error = Recipe::deserialize(toml::Value::Table(recipe)).unwrap_err().to_string();
    let known = error.split("expected ").nth(1).unwrap().lines().next().unwrap();
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_is_documented_and_no_other() {
    let mut known = BTreeSet::new();
    let mut tables = vec![String::new()];
    let are_tables = [
        "sign_in",
        "sign_in.answer",
        "list",
        "order",
        "product_page",
        "amounts",
        "shows",
        "words",
        "words.labels",
        "words.in_labels",
        "words.statuses",
    ];
    while let Some(table) = tables.pop() {
        for key in keys_of(&table).into_iter().filter(|key| key != "recognize") {
            let path = if table.is_empty() { key } else { format!("{table}.{key}") };
            if are_tables.contains(&path.as_str()) {
                tables.push(path);
            } else {
                known.insert(path);
            }
        }
    }
    assert_eq!(documented(), known);
}
