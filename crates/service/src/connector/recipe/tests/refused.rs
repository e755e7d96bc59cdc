//! What a recipe may not say. Every error names the file, the key and what would be right.

use super::{configured, example};

const BASE: &str = "http://127.0.0.1:9";

#[test]
fn a_recipe_that_is_wrong_is_refused_with_the_key() {
    let mut wrong = Vec::new();
    for (from, to, complaint) in [
        ("recipe = 1", "recipe = 2", "shop.toml: recipe: the recipe is of version 2"),
        ("recipe = 1\n", "", "shop.toml: missing field `recipe`"),
        ("recipe = 1", "recipe = ", "shop.toml: TOML parse error at line 1"),
        ("[list]", "[list]\ncolour = 1", "unknown field `colour`"),
        ("\"page_after\"", "\"never\"", "shop.toml: list.end: unknown variant `never`"),
        ("\"page_after\"", "\"next_link\"", "list.next_link: belongs to `end = \"next_link\"`"),
        ("\"page_after\"", "\"one_page\"", "list.next_page: is needed unless"),
        (
            "\"table.orders\"",
            "\"table..orders\"",
            "list.table: \"table..orders\" is no CSS selector; write one such as",
        ),
        ("\"table.orders\"", "\"table:has(tr)\"", "list.table: a selector may not use :has("),
        ("\"table.orders\"", "\"tr:nth-child(2)\"", "list.table: a selector may not use :nth-"),
        ("\"table.orders\"", "\"tr ~ tr\"", "list.table: a selector may not use ~"),
        ("'^Order (\\d+)$'", "'^Order \\d+$'", "order.number.pattern: \"^Order \\d+$\" has to have exactly one group"),
        ("'^Order (\\d+)$'", "'^Order ('", "is no regular expression"),
        ("'^Order (\\d+)$'", "'((\\w{500}){500})'", "is no regular expression, or is too large"),
        ("{ select = \"h1\", pattern", "{ pattern", "order.number: a place has either `select` or `heading`"),
        ("{ select = \"h1\"", "{ selector = \"h1\"", "order.number.selector: unknown field `selector`"),
        ("status = \"p.state strong\"", "status = { heading = [\"Status\"] }", "order.status: is in no column"),
        (
            "\"login\"",
            "\"https://else.example/login\"",
            "sign_in.page: \"https://else.example/login\" is no address below",
        ),
        ("\"login\"", "\"//else.example/login\"", "sign_in.page: \"//else.example/login\" is no address below"),
        ("\"login\"", "\"../login\"", "sign_in.page: \"../login\" is no address below"),
        ("\"login\"", "\"a/%2E%2e/login\"", "is no address below"),
        ("\"login\"", "\"\\\\\\\\else.example\"", "is no address below"),
        ("\"login\"", "\"{user}/login\"", "has a name in braces that is not known"),
        ("\"login\"", "\"{account}/login\"", "account_path: is missing"),
        ("?page={page}", "?page=2", "list.next_page: {page} belongs into"),
        ("orders/?page={page}", "orders/{page}", "list.next_page: looks like the address of an order"),
        ("status = \"p.state strong\"\n", "", "order.status: is needed, or `list.status`"),
        ("[shows]", "[shows]\nstatus = \"never\"", "order.status: cannot be, because `shows.status` is"),
        ("empty = \"main.account p\"\n", "", "list.empty: is needed: where an empty list says"),
        ("empty = ", "empty_table = true\nempty = ", "list.empty_table: takes the place of `list.empty`"),
        ("empty = \"main.account p\"", "empty_table = true", "words.no_orders: belongs to `list.empty`"),
        ("items = \"pieces\"", "items = \"nothing\"", "list.items: is needed unless"),
        ("items = \"pieces\"", "items = \"pieces_kept\"", "shows.items: \"pieces_kept\" needs `order.struck`"),
        ("unit_price = \"always\"", "unit_price = \"never\"", "order.unit_price: is needed unless"),
        ("basket = \"always\"", "basket = \"ignored\"", "shows.basket: unknown variant `ignored`"),
        ("basket = \"always\"\n", "", "shows: missing field `basket`"),
        (
            "date_shown = \"day\"",
            "date_shown = \"instant\"\nnumeric_dates = \"day_first\"",
            "list.numeric_dates: is for",
        ),
        ("[\"delivery\"]", "[\"delivery\", \"Total:\"]", "words.labels: \"total\" has two meanings"),
        ("[\"voucher\"]", "[\"\"]", "words.labels.discount[0]: a word has to have"),
        ("no_orders = [", "no_orders = []\nothers = [", "unknown field `others`"),
        ("[list]", "locked = [\"locked\"]\n\n[list]", "sign_in.locked: is what `sign_in.refusal` says"),
        ("[order]", "[order]\nshipping_name = { heading = [\"By\"] }", "order.shipping_name: is in no column"),
        ("[shows]", "[amounts]\naside = \"small\"\n\n[shows]", "amounts.mark: is needed for"),
    ] {
        let recipe = example().replace(from, to);
        assert_ne!(recipe, example(), "{from}");
        let error = configured(BASE, &recipe, "").err().unwrap_or_default();
        let is_named = error.starts_with("/retailers.toml: retailer 1 (id 301): shop.toml: ");
        if !is_named || !error.contains(complaint) {
            wrong.push(format!("{to}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_entry_that_is_wrong_is_refused_with_the_key() {
    let changes = |lines: &str| format!("[retailer.recipe_changes]\n{lines}");
    for (lines, complaint) in [
        ("connector = \"oscar\"".to_owned(), "recipe: takes the place of `connector`"),
        ("account_path = \"konto\"".to_owned(), "account_path: the recipe for Corner Shop has no {account}"),
        (changes("list.row = \"tr[\""), "recipe_changes.list.row: \"tr[\" is no CSS selector"),
        (changes("list.rows = \"tr\""), "recipe_changes.list.rows: unknown field `rows`"),
        (changes("list.end = \"next_link\""), "shop.toml: list.next_link: belongs to"),
        (changes("words.labels.shipping = [\"total\"]"), "recipe_changes.words.labels: \"total\" has two meanings"),
        (changes("recipe = 2"), "recipe_changes.recipe: cannot be changed"),
        (changes("name = \"Other\""), "recipe_changes.name: cannot be changed"),
    ] {
        let error = configured(BASE, example(), &lines).err().unwrap_or_else(|| panic!("{lines} is accepted"));
        assert!(error.contains(complaint), "{lines}: {error}");
    }
}

#[test]
fn a_selector_whose_time_grows_by_more_than_the_page_is_refused_however_it_is_written() {
    use super::super::value::Css;
    for slow in [
        ":is(* b)",
        ":not(a > b)",
        ":where(p + p)",
        ":is(:is(b))",
        ":not(:not(b) c)",
        ":is(b,\n:not(c))",
        ":is(b) :not(x *)",
        ":IS(* b)",
        ":i\\73(* b)",
        ":\\6eot(a b)",
        ":h\\61s(b)",
        "p:n\\74h-child(2)",
        "a ~ b",
        ":is(a /**/ b)",
        "[title=\")\"]:is(* b)",
    ] {
        let error = Css::parse(slow).map(|_| ()).unwrap_err();
        assert!(error.contains("may not use"), "{slow}: {error}");
    }
    for good in [
        ":is(b, .c)",
        "p:not(.a, [title~=\"x y\"]) > b",
        "tr:first-child td",
        "a[title=\":is(* b)\"]",
        ".md\\:flex + p",
        "p:not(:first-child)",
        ":is(table.a, table.b) tr",
    ] {
        assert!(Css::parse(good).is_ok(), "{good}: {:?}", Css::parse(good).err());
    }
}

#[test]
fn a_recipe_is_a_file_beside_the_file_of_retailers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("retailers.toml");
    let of = |name: &str| {
        let entry = format!(
            "[[retailer]]\nid = 1\ndisplay_name = \"S\"\nrecipe = '{name}'\nbase_url = \"https://shop.example\""
        );
        std::fs::write(&file, entry).unwrap();
        crate::connector::retailers_file::load_sound(&file).map(|_| ()).map_err(|error| error.to_string())
    };
    for name in ["../shop.toml", "/etc/passwd", "", "a/../../shop.toml"] {
        assert!(of(name).unwrap_err().contains("has to be the name of a file beside this one"), "{name}");
    }
    assert!(of("shop.toml").unwrap_err().contains("shop.toml cannot be read"));
    std::fs::write(folder.path().join("large.toml"), vec![b'#'; 300 * 1024]).unwrap();
    assert!(of("large.toml").unwrap_err().contains("large.toml cannot be read: it has more than 256 KiB"));
    std::fs::create_dir(folder.path().join("shops")).unwrap();
    std::fs::write(folder.path().join("shops/corner.toml"), example()).unwrap();
    assert_eq!(of("shops/corner.toml"), Ok(()));
}

#[test]
fn a_pattern_cannot_cut_a_word_or_a_date() {
    use super::super::value::Pattern;
    let words = |pattern: &str, text: &str| Pattern::parse(pattern).unwrap().read(text).ok();
    let date = |pattern: &str, text: &str| Pattern::parse(pattern).unwrap().read_date(text).ok();
    assert_eq!(words(r"(\d\d)$", "1060"), None);
    assert_eq!(words(r"^[A-Z]+0*(\d+)$", "RD002"), None);
    assert_eq!(words(r"^Order #(\d+)$", "Order #1060").as_deref(), Some("1060"));
    assert_eq!(date(r"^(\S+ \S+)", "01/02/2025 05:30 PM"), None);
    assert_eq!(date(r"^(\S+)", "01/02/2025 17:30"), None);
    assert_eq!(date(r"^Placed on (\S+)\.$", "Placed on 2025-02-01.").as_deref(), Some("2025-02-01"));
    // Beside a date is the next word, and nothing further.
    assert_eq!(date(r"^(\S+)", "2025-02-01 to Ada Cust25").as_deref(), Some("2025-02-01"));
    assert_eq!(date(r"^(\S+)", "2025-02-01 – 17:30"), None);
    assert_eq!(date(r"(\d{4}-\S+) ", "2 of 3, 2025-02-01 at"), None);
}

#[test]
fn a_pattern_cannot_cut_a_number() {
    use super::super::value::Pattern;
    let read = |pattern: &str, text: &str| Pattern::parse(pattern).unwrap().read_number(text).ok();
    for (pattern, text, expected) in [
        (r"(\d+)", "for 4 items", Some("4")),
        (r"Total: (£[\d.,]+)", "Total: £5.00 (3 items)", Some("£5.00")),
        (r"(\d+\.\d\d)$", "1,234.50", None),
        (r"(\d+,\d\d) €", "1 234,50 €", None),
        (r"(\d+\.\d\d)", "- 5.00", None),
        (r"(\d+\.\d\d)", "(5.00)", None),
        (r"(\d+\.\d\d)", "5.00-", None),
        (r"(\d+\.\d\d)", "$5.00", None),
        (r"(\d+)", "4 of 5", None),
        (r"(\d+)", "none", None),
    ] {
        assert_eq!(read(pattern, text).as_deref(), expected, "{pattern} {text}");
    }
}
