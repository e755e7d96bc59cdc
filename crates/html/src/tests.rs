use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use super::*;

/// Parses under the usual bounds, but for as long as it takes: what is asserted is the work, not the time.
fn spend(body: &str) -> (Result<Html, Refusal>, Spent) {
    let (mut spent, limits) = (Spent::default(), Limits { time: Duration::MAX, ..LIMITS });
    let parsed = build::within(body, limits, &AtomicBool::new(false), &mut spent);
    (parsed, spent)
}

/// A piece as often as fits into so many bytes.
fn repeated(start: &str, piece: &str, bytes: usize) -> String {
    format!("{start}{}", piece.repeat((bytes - start.len()) / piece.len()))
}

/// A piece as often as fits into the largest page.
fn filled(start: &str, piece: &str) -> String {
    repeated(start, piece, MAX_PAGE_BYTES)
}

fn numbered(pieces: std::ops::Range<u32>, piece: impl Fn(u32) -> String) -> String {
    pieces.map(piece).collect()
}

#[test]
fn a_page_of_any_making_is_refused_before_it_costs_much() {
    let mut wrong = Vec::new();
    let formats = numbered(0..200, |n| format!("<b a={n}>"));
    let wide_tag = format!("<i {}>", numbered(0..250, |n| format!(" a{n}=x")));
    for (name, body, refusal) in [
        ("div", filled("", "<div>"), Refusal::Depth),
        ("lists", filled("", "<ul><li>"), Refusal::Depth),
        ("tables", filled("", "<table><tr><td>"), Refusal::Depth),
        ("tables without cells", filled("", "<table><div>"), Refusal::Nodes),
        ("svg", filled("", "<svg>"), Refusal::Depth),
        ("math", filled("", "<math><mtext>"), Refusal::Depth),
        ("foreign objects", filled("", "<svg><foreignObject>"), Refusal::Depth),
        ("templates", filled("", "<template>"), Refusal::Depth),
        ("objects with formats", filled("", "<object><b>"), Refusal::Depth),
        ("buttons", filled("", "<div><button>"), Refusal::Nodes),
        ("unknown", filled("", "<x-y>"), Refusal::Depth),
        ("unclosed formats", numbered(0..100_000, |n| format!("<b a={n}>")), Refusal::Depth),
        ("formats in each paragraph", filled(&format!("<p>{formats}"), "<p>x"), Refusal::Nodes),
        ("wide formats in each paragraph", filled(&format!("<p>{}", wide_tag.repeat(3)), "<p>x"), Refusal::Nodes),
        (
            "long formats in each paragraph",
            filled(&format!("<p><b a={}>", "x".repeat(100_000)), "<p>x"),
            Refusal::Nodes,
        ),
        ("misnested links", filled("", "<a><div></a>"), Refusal::Depth),
        ("paragraphs", filled("", "<p>"), Refusal::Nodes),
        ("ends of paragraphs", filled("<body>", "</p>"), Refusal::Nodes),
        ("line breaks", filled("", "<br>"), Refusal::Nodes),
        ("comments", filled("", "<!---->"), Refusal::Nodes),
        ("options", filled("<select>", "<option>"), Refusal::Nodes),
        ("attributes", format!("<p {}", numbered(0..200_000, |n| format!("a{n} "))), Refusal::Attributes),
        ("attributes of an end", format!("</p {}", numbered(0..200_000, |n| format!("a{n} "))), Refusal::Attributes),
        ("attributes after slashes", format!("<p{}", numbered(0..200_000, |n| format!("/a{n}"))), Refusal::Attributes),
        ("many tags with attributes", filled("", &wide_tag.replace("<i", "<p")), Refusal::Nodes),
        ("attributes of the root", numbered(0..100_000, |n| format!("<html a{n}=x>")), Refusal::Nodes),
        ("too large", "x".repeat(MAX_PAGE_BYTES + 1), Refusal::Bytes),
    ] {
        let (parsed, spent) = spend(&body);
        let early = !matches!(refusal, Refusal::Depth | Refusal::Attributes) || spent.bytes <= 32 * 1024;
        if parsed.as_ref().err() != Some(&refusal) || spent.nodes > 2 * LIMITS.nodes || !early {
            wrong.push(format!("{name}: {:?}, {spent:?}", parsed.err()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_page_that_is_large_but_plain_is_read() {
    let large = |start, piece| repeated(start, piece, 300_000);
    for (name, body) in [
        ("text", large("<p>", "word ")),
        ("entities", large("<p>", "&amp;")),
        ("open entity", large("<p>&", "a")),
        ("an open comment", large("<p>x<!--", "- <p a b c")),
        ("an open script", large("<script>", "if (a<b && c<d) e='<p a b c'; ")),
        ("an open text area", large("<textarea>", "<p a b c> ")),
        ("an open title", large("<title>", "</p a b c ")),
        ("an open doctype", large("<!DOCTYPE ", "a b c ")),
        ("an open tag", large("<p a='", "a b c = d ")),
        ("nothing but lesser-than signs", large("", "<")),
        ("no characters", large("", "\0")),
        ("ends without beginnings", large("<body>", "</x>")),
        ("selects", large("", "<select>")),
        ("rows", large("<table>", "<tr><td>1<td>2<td>a longer text of a product and its price")),
        ("plain text", large("<plaintext>", "<div>")),
    ] {
        let (parsed, spent) = spend(&body);
        assert!(parsed.is_ok(), "{name}: {parsed:?} {spent:?}", parsed = parsed.err());
        assert!(spent.nodes <= LIMITS.nodes, "{name}: {spent:?}");
    }
}

#[test]
fn parsing_stops_when_its_time_is_over_or_nobody_waits() {
    let page = "<p>x".repeat(1000);
    let limits = Limits { time: Duration::ZERO, ..LIMITS };
    let mut spent = Spent::default();
    assert_eq!(build::within(&page, limits, &AtomicBool::new(false), &mut spent).err(), Some(Refusal::Time));
    let abandoned = AtomicBool::new(false);
    assert!(parse_until(&page, &abandoned, &mut spent).is_ok());
    abandoned.store(true, Ordering::Relaxed);
    spent = Spent::default();
    assert_eq!(parse_until(&page, &abandoned, &mut spent).err(), Some(Refusal::Abandoned));
    assert_eq!(spent.bytes, 0);
}

/// Pages made of what confuses parsers: misnested, unclosed and cut tags.
fn page() -> impl Strategy<Value = String> {
    let word = "[a-c]{1,3}|é|注文|&amp;|&am|&#x26|\\r\\n|\\x00| ";
    let attribute = "( [a-c]+)|( [a-c]+=[a-c]+)|( [a-c]+=\"[a-c<> ]*\")|( [a-c]+='[a-c<> ]*')|/|=|\"|'";
    let name = prop::sample::select(vec![
        "div",
        "p",
        "b",
        "a",
        "i",
        "table",
        "tr",
        "td",
        "tbody",
        "select",
        "option",
        "template",
        "svg",
        "math",
        "title",
        "script",
        "style",
        "textarea",
        "form",
        "body",
        "html",
        "head",
        "frameset",
        "object",
        "button",
        "li",
        "br",
        "x-y",
        "foreignObject",
        "annotation-xml",
        "nobr",
        "plaintext",
        "noscript",
        "caption",
        "col",
    ]);
    let piece = prop_oneof![
        3 => (name.clone(), prop::collection::vec(attribute, 0..4), prop::bool::weighted(0.9))
            .prop_map(|(name, attributes, end)| format!("<{name}{}{}", attributes.concat(), if end { ">" } else { "" })),
        2 => name.prop_map(|name| format!("</{name}>")),
        2 => word.prop_map(String::from),
        1 => prop::sample::select(vec!["<!--", "-->", "<!DOCTYPE html>", "<![CDATA[", "]]>", "<", ">", "<?x", "</"])
            .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn within_the_bounds_a_page_is_parsed_as_without_them(page in page()) {
        let (parsed, _) = spend(&page);
        prop_assert!(parsed.unwrap() == Html::parse_document(&page), "{page:?}");
    }

    #[test]
    fn a_page_in_small_pieces_is_the_page(runs in prop::collection::vec(("<|é|x|注|\\r\\n", 0..6000_usize), 0..6)) {
        let text: String = runs.into_iter().map(|(word, count)| word.repeat(count)).collect();
        let mut joined = String::new();
        for piece in build::pieces(&text) {
            prop_assert!(piece.len() <= 4096 && !piece.chars().skip(1).any(|sign| sign == '<'));
            joined.push_str(piece);
        }
        prop_assert_eq!(joined, text);
    }
}
