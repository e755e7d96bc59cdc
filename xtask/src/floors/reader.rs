//! Reads the sources of a crate: which file names what of which other file.
//!
//! Names are followed as the compiler follows them: through `use`, through re-exports to the file that defines the name,
//! and through modules that a `use` brought in. A re-export by itself is no use. Tests (`#[cfg(test)]`) may use anything, and
//! are not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree};

/// Source texts by their paths below the crate's source folder, for example `store/mod.rs`.
pub(super) type Sources = BTreeMap<PathBuf, String>;

/// The path of a module or an item within the crate, without `crate`.
type Names = Vec<String>;

/// Which names a file takes from which other one.
pub(super) type Uses = BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>;

/// So many re-exports in a row are followed at most.
const MOST_REEXPORTS: usize = 16;

/// A crate that was read.
#[derive(Default)]
pub(super) struct Crate {
    /// The file of every module. Modules written out in another file have that file.
    modules: BTreeMap<Names, Module>,
    pub(super) uses: Uses,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// What is defined there.
    items: BTreeSet<String>,
    /// What is imported there, by its name there.
    imports: HashMap<String, Names>,
    /// Modules from which everything is imported.
    globs: Vec<Names>,
    /// What the code there names, as it is written.
    named: Vec<Names>,
    /// Imports that are for use there, not for others.
    private: Vec<Names>,
}

impl Crate {
    /// Reads a crate from its root, `lib.rs` or `main.rs`.
    pub(super) fn read(sources: &Sources, root: &Path) -> Self {
        let mut read = Self::default();
        read.file(sources, root, Path::new(""), Vec::new());
        read.resolve();
        read
    }

    /// The file of the module that a file's module is directly below, if there is one.
    pub(super) fn parents(&self) -> BTreeMap<PathBuf, PathBuf> {
        let below = self.modules.iter().filter_map(|(names, module)| {
            let (_, above) = names.split_last()?;
            let parent = &self.modules.get(above)?.file;
            (*parent != module.file).then(|| (module.file.clone(), parent.clone()))
        });
        below.collect()
    }

    /// The top-level module that each file belongs to; the crate's root belongs to none.
    pub(super) fn tops(&self) -> BTreeMap<PathBuf, String> {
        let files = self.modules.iter().rev();
        files.filter_map(|(names, module)| Some((module.file.clone(), names.first()?.clone()))).collect()
    }

    /// Reads a file; `folder` is where the files of its modules are.
    fn file(&mut self, sources: &Sources, path: &Path, folder: &Path, names: Names) {
        let text = sources.get(path).unwrap_or_else(|| panic!("there is no file {}", path.display()));
        let file = syn::parse_file(text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        self.items(sources, path, folder, names, &file.items);
    }

    fn items(&mut self, sources: &Sources, path: &Path, folder: &Path, names: Names, items: &[Item]) {
        let mut module = Module { file: path.to_owned(), ..Module::default() };
        for item in items.iter().filter(|item| !is_test(attributes_of(item))) {
            module.items.extend(name_of(item));
            match item {
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let below = [names.as_slice(), std::slice::from_ref(&name)].concat();
                    match &item.content {
                        Some((_, items)) => self.items(sources, path, &folder.join(&name), below, items),
                        None => {
                            let own = path_attribute(&item.attrs).map_or_else(
                                || candidates(sources, folder, &name),
                                |own| path.parent().unwrap_or(Path::new("")).join(own),
                            );
                            self.file(sources, &own, &folder.join(&name), below);
                        }
                    }
                }
                Item::Use(item) => {
                    let is_private = matches!(item.vis, syn::Visibility::Inherited);
                    Imports { module: &mut module, is_private }.tree(&mut Vec::new(), &item.tree);
                }
                item => Named { module: &mut module }.visit_item(item),
            }
        }
        self.modules.insert(names, module);
    }

    fn resolve(&mut self) {
        let mut uses = Uses::new();
        for (names, module) in &self.modules {
            for path in module.named.iter().chain(&module.private) {
                let Some(path) = self.absolute(names, path, true) else { continue };
                let Some((file, name)) = self.definition(&path, 0) else { continue };
                if file != module.file {
                    uses.entry((module.file.clone(), file)).or_default().insert(name);
                }
            }
        }
        self.uses = uses;
    }

    /// A path as it is written in a module, from the crate's root on; `None`: it leads out of the crate, or nowhere. Names that
    /// were imported are followed if `through_imports`.
    fn absolute(&self, module: &[String], path: &[String], through_imports: bool) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return Some(rest.to_vec()),
            "self" => return Some([module, rest].concat()),
            "super" => {
                let (_, above) = module.split_last()?;
                let again = rest.first().is_some_and(|next| next == "super");
                return if again { self.absolute(above, rest, false) } else { Some([above, rest].concat()) };
            }
            _ => {}
        }
        let own = self.modules.get(module)?;
        if through_imports && let Some(import) = own.imports.get(first) {
            let start = self.absolute(module, import, import.first() != Some(first))?;
            return Some([start.as_slice(), rest].concat());
        }
        let below = [module, std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&below) {
            return Some([module, path].concat());
        }
        let start = own
            .globs
            .iter()
            .filter_map(|glob| self.absolute(module, glob, false))
            .find(|start| self.has(start, first))?;
        Some([start.as_slice(), path].concat())
    }

    /// Whether a module has a name of its own or by import.
    fn has(&self, module: &[String], name: &str) -> bool {
        self.modules.get(module).is_some_and(|module| module.items.contains(name) || module.imports.contains_key(name))
    }

    /// The file that defines what a path leads to, and its name there; `None` for a module, which is no use by itself.
    fn definition(&self, path: &[String], depth: usize) -> Option<(PathBuf, String)> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
        let (names, rest) = path.split_at(length);
        let (first, after) = rest.split_first()?;
        let module = &self.modules[names];
        let is_imported = !module.items.contains(first) && depth < MOST_REEXPORTS;
        if is_imported && let Some(import) = module.imports.get(first) {
            let start = self.absolute(names, import, false)?;
            return self.definition(&[start.as_slice(), after].concat(), depth + 1);
        }
        let mut globs = module.globs.iter().filter_map(|glob| self.absolute(names, glob, false));
        if is_imported && let Some(start) = globs.find(|start| self.has(start, first)) {
            return self.definition(&[start.as_slice(), rest].concat(), depth + 1);
        }
        Some((module.file.clone(), first.clone()))
    }
}

/// Collects what a `use` imports.
struct Imports<'a> {
    module: &'a mut Module,
    is_private: bool,
}

impl Imports<'_> {
    fn tree(&mut self, before: &mut Names, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
            UseTree::Name(name) if name.ident == "self" => {
                let name = before.last().cloned().unwrap_or_default();
                self.import(before.clone(), name);
            }
            UseTree::Name(name) => {
                self.import([before.as_slice(), &[name.ident.to_string()]].concat(), name.ident.to_string())
            }
            UseTree::Rename(name) => {
                let last = name.ident.to_string();
                let path = if last == "self" { before.clone() } else { [before.as_slice(), &[last]].concat() };
                // A trait may be imported for its methods alone, as `_`: its path is a name of its own then.
                let own = if name.rename == "_" { path.join("::") } else { name.rename.to_string() };
                self.import(path, own);
            }
            UseTree::Glob(_) => self.module.globs.push(before.clone()),
        }
    }

    fn import(&mut self, path: Names, name: String) {
        if self.is_private {
            self.module.private.push(path.clone());
        }
        self.module.imports.insert(name, path);
    }
}

/// Collects what code names.
struct Named<'a> {
    module: &'a mut Module,
}

impl Named<'_> {
    /// The paths in a text that is code or may be: what a macro makes of it is unknown here.
    fn text(&mut self, text: &str) {
        let is_path = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ':' | '*');
        for path in text.split(|sign| !is_path(sign)).filter(|path| !path.is_empty()) {
            self.module.named.push(path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect());
        }
    }
}

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.module.named.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // Within a function: for use there.
        Imports { module: self.module, is_private: true }.tree(&mut Vec::new(), &item.tree);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    /// Who may see something is no use of the module that is named there.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.text(&without_literals(&call.tokens.to_string()));
    }

    /// Attributes name code within literals, as in `#[serde(with = "super::decimal")]`.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            let text = list.tokens.to_string();
            for text in text.split('"').skip(1).step_by(2).filter(|text| text.contains("::")) {
                // Of a module that is named, it is some item that is used.
                self.text(&format!("{text}::*"));
            }
        }
    }
}

/// Tokens as text, without spaces around `::` and without the literals.
fn without_literals(tokens: &str) -> String {
    let mut text = String::new();
    let mut signs = tokens.chars();
    while let Some(sign) = signs.next() {
        if sign != '"' {
            text.push(sign);
            continue;
        }
        text.push(' ');
        while let Some(sign) = signs.next() {
            match sign {
                '\\' => drop(signs.next()),
                '"' => break,
                _ => {}
            }
        }
    }
    text.replace(" :: ", "::")
}

fn candidates(sources: &Sources, folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(format!("{name}.rs"));
    if sources.contains_key(&file) { file } else { folder.join(name).join("mod.rs") }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    })
}

/// `cfg(test)`, or that and more.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string().replace(' ', "");
        list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all(test,"))
    })
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
