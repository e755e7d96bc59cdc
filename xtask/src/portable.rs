//! Nothing that only Unix has is used where Windows would see it. There are no other systems here to compile for, so the
//! source itself is read: each path into such a library has to be within `#[cfg(unix)]`.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Meta};

use super::sources::rust_files;

/// What only Unix has.
const UNIX: [&str; 7] =
    ["std::os::unix", "std::os::fd", "std::os::linux", "tokio::signal::unix", "rustix", "nix", "libc"];
/// Where the code is.
const FOLDERS: [&str; 6] =
    ["src", "tests", "crates/api/src", "crates/service/src", "crates/service/tests", "xtask/src"];

/// Walks a file, and remembers what it finds outside `#[cfg(unix)]`.
#[derive(Default)]
struct Finder {
    guards: usize,
    found: Vec<String>,
    /// Modules in files of their own that only Unix has.
    unix_modules: Vec<String>,
}

impl Finder {
    fn within(&mut self, attributes: &[Attribute], walk: impl FnOnce(&mut Self)) {
        let guard = usize::from(attributes.iter().any(is_unix));
        self.guards += guard;
        walk(self);
        self.guards -= guard;
    }

    fn look(&mut self, path: &str) {
        let is_part = |name: &str| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with("::"));
        if self.guards == 0 && UNIX.into_iter().any(is_part) {
            self.found.push(path.to_owned());
        }
    }

    fn look_in_use(&mut self, before: &str, tree: &syn::UseTree) {
        let joined = |name: &syn::Ident| if before.is_empty() { name.to_string() } else { format!("{before}::{name}") };
        match tree {
            syn::UseTree::Path(path) => self.look_in_use(&joined(&path.ident), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.look_in_use(before, tree)),
            syn::UseTree::Name(name) => self.look(&joined(&name.ident)),
            syn::UseTree::Rename(name) => self.look(&joined(&name.ident)),
            syn::UseTree::Glob(_) => self.look(before),
        }
    }
}

/// `cfg(unix)`, `cfg(all(unix, …))`, or the same of a system that is one.
fn is_unix(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let condition = list.tokens.to_string().replace(' ', "");
    let all = condition.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
    let is_one = |part: &str| matches!(part, "unix" | "target_os=\"linux\"" | "target_os=\"macos\"");
    list.path.is_ident("cfg") && (is_one(&condition) || all.is_some_and(|all| all.split(',').any(is_one)))
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => {
                if item.content.is_none() && item.attrs.iter().any(is_unix) {
                    self.unix_modules.push(item.ident.to_string());
                }
                &item.attrs
            }
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        self.within(attributes, |finder| visit::visit_item(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.attrs, |finder| visit::visit_impl_item_fn(finder, item));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.within(&field.attrs, |finder| visit::visit_field(finder, field));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.within(&local.attrs, |finder| visit::visit_local(finder, local));
    }

    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        let attributes: &[Attribute] = match expression {
            syn::Expr::Block(block) => &block.attrs,
            syn::Expr::Call(call) => &call.attrs,
            syn::Expr::If(condition) => &condition.attrs,
            syn::Expr::MethodCall(call) => &call.attrs,
            _ => &[],
        };
        self.within(attributes, |finder| visit::visit_expr(finder, expression));
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.look_in_use("", &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.look(&names.join("::"));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        // This does not know what a macro makes of its text: none of these may be in it at all.
        let text = call.tokens.to_string().replace(' ', "");
        let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        text.split(|letter| !is_path(letter)).for_each(|path| self.look(path));
    }
}

/// What is found in a text, and the modules in files of their own that only Unix has.
fn judge(text: &str) -> (Vec<String>, Vec<String>) {
    let mut finder = Finder::default();
    finder.visit_file(&syn::parse_file(text).expect("Rust"));
    (finder.found, finder.unix_modules)
}

#[test]
fn what_only_unix_has_is_within_cfg_unix() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("root");
    let files: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| rust_files(&root.join(folder))).collect();
    assert!(files.len() > 200, "{}", files.len());
    let (mut wrong, mut unix_files) = (Vec::new(), Vec::new());
    for file in &files {
        let (found, modules) = judge(&fs::read_to_string(file).expect("text"));
        let folder = file.parent().expect("folder");
        let own = folder.join(file.file_stem().expect("name"));
        unix_files.extend(modules.iter().flat_map(|name| [folder, &own].map(|place| place.join(name))));
        wrong.extend(found.into_iter().map(|path| (file.clone(), path)));
    }
    wrong.retain(|(file, _)| !unix_files.iter().any(|unix| file.with_extension("") == *unix || file.starts_with(unix)));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_reader_sees_what_it_should() {
    for (text, expected) in [
        ("use std::os::unix::fs::PermissionsExt;", 1),
        ("#[cfg(unix)] use std::os::unix::fs::PermissionsExt;", 0),
        ("#[cfg(all(test, unix))] mod a { use std::os::{unix::fs, fd::AsFd}; }", 0),
        ("#[cfg(not(unix))] mod a { use std::os::{unix::fs, fd::AsFd}; }", 2),
        ("fn a() { rustix::termios::tcgetattr(0); }", 1),
        ("fn a() { #[cfg(unix)] { rustix::termios::tcgetattr(0); } }", 0),
        (
            "fn a() { #[cfg(unix)] let b = libc::getpid(); tokio::select! { _ = tokio::signal::unix::signal() => {} } }",
            1,
        ),
        ("fn a() { #[cfg(unix)] std::os::unix::fs::symlink(a, b); std::os::unix::fs::symlink(a, b) }", 1),
    ] {
        assert_eq!(judge(text).0.len(), expected, "{text}");
    }
}
