use std::collections::HashSet;

use proptest::prelude::*;
use scraper::Selector;

use super::*;

/// Parses under the usual bounds, but for as long as it takes: what is asserted is the work, not the time.
fn spend(body: &str) -> (Result<Html, Refusal>, Spent) {
    let (mut spent, limits) = (Spent::default(), Limits { time: Duration::MAX, ..LIMITS });
    let parsed = build::parse(body, limits, &AtomicBool::new(false), &mut spent);
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
fn what_a_refusal_says() {
    let messages: Vec<ConnectorError> =
        [Refusal::Bytes, Refusal::Depth, Refusal::Nodes, Refusal::Attributes, Refusal::Time].map(Into::into).into();
    assert!(messages.iter().all(|error| error.code == SyncErrorCode::RetailerChanged));
    assert_eq!(messages.iter().map(|error| &error.message).collect::<HashSet<_>>().len(), messages.len());
    assert!(messages[1].message.contains("nested more deeply than any page of a shop"), "{}", messages[1].message);
    assert_eq!(messages.iter().filter(|error| error.transient).count(), 1, "a slow machine may pass");
}

#[test]
fn parsing_stops_when_its_time_is_over_or_nobody_waits() {
    let page = "<p>x".repeat(1000);
    let limits = Limits { time: Duration::ZERO, ..LIMITS };
    let mut spent = Spent::default();
    assert_eq!(build::parse(&page, limits, &AtomicBool::new(false), &mut spent).err(), Some(Refusal::Time));
    let abandoned = AtomicBool::new(false);
    assert!(build::parse(&page, LIMITS, &abandoned, &mut spent).is_ok());
    abandoned.store(true, Ordering::Relaxed);
    spent = Spent::default();
    assert_eq!(build::parse(&page, LIMITS, &abandoned, &mut spent).err(), Some(Refusal::Abandoned));
    assert_eq!(spent.bytes, 0);
}

#[tokio::test]
async fn pages_are_read_on_threads_of_their_own() {
    let here = std::thread::current().id();
    let shop = Reader::new("Shop");
    let title = shop.read("<title>Shop</title>".to_owned(), move |page| {
        assert_ne!(std::thread::current().id(), here);
        let title = Selector::parse("title").unwrap();
        Ok(page.select(&title).next().map(|title| title.text().collect::<String>()))
    });
    assert_eq!(title.await.unwrap().as_deref(), Some("Shop"));
    let panicking = shop.read(String::new(), |_| -> Result<(), ConnectorError> { panic!("on purpose") });
    assert_eq!(panicking.await.unwrap_err().code, SyncErrorCode::InternalError);
    let bomb = shop.read("<div>".repeat(1000), |_| Ok(()));
    assert_eq!(bomb.await.unwrap_err().code, SyncErrorCode::RetailerChanged);
}

#[tokio::test]
async fn no_more_pages_are_parsed_at_once_than_the_bound_allows_and_a_caller_that_leaves_frees_its_place() {
    let permits = PARSERS.acquire_many(u32::try_from(PARSERS.available_permits()).unwrap()).await.unwrap();
    let (started, mut reads) = tokio::sync::mpsc::unbounded_channel();
    let read = |what| {
        let started = started.clone();
        let send = move |_: &Html| {
            started.send(what).unwrap();
            Ok(())
        };
        tokio::spawn(async move { Reader::new("Shop").read(String::new(), send).await })
    };
    let (waiting, next) = (read("gone"), read("next"));
    drop(started);
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert!(reads.try_recv().is_err());
    drop(permits);
    next.await.unwrap().unwrap();
    assert_eq!((reads.recv().await, reads.recv().await), (Some("next"), None));
}

#[tokio::test]
async fn a_page_that_takes_too_long_to_read_frees_its_place_and_stops_its_own_retailer_alone() {
    let mut slow = Reader { max_reading: Duration::ZERO, ..Reader::new("Slow shop") };
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let cut = slow.read(String::new(), move |_| Ok(ended.recv().unwrap_err())).await.unwrap_err();
    assert!(cut.transient && cut.message.contains("takes too long to read"), "{}", cut.message);
    assert!(PAGES_CUT_OFF.as_ref().unwrap().get() >= 1 && slow.has_warned.load(Ordering::Relaxed));
    Reader::new("Other shop").read(String::new(), |_| Ok(())).await.unwrap();
    let refused = slow.read(String::new(), |_| -> Result<(), _> { panic!("not read") }).await.unwrap_err();
    assert_eq!(refused.message, cut.message);
    slow.max_reading = MAX_READING;
    drop(end);
    while slow.left.lock().unwrap().iter().any(|(thread, _)| thread.strong_count() > 0) {
        tokio::task::yield_now().await;
    }
    slow.read(String::new(), |_| Ok(())).await.unwrap();
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
