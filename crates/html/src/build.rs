//! Building the tree of a page under a budget. The parser itself knows no bounds and cannot be stopped, so it is fed in
//! small pieces, sees no token once the budget is spent, and is dropped then.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ego_tree::iter::Edge;
use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{QualName, TokenizerResult};
use scraper::{Html, HtmlTreeSink};

use super::tags::Tags;
use super::{LIMITS, Limits, Refusal};

/// The parser is fed with this many bytes at most at a time.
const PIECE_BYTES: usize = 4096;

type NodeId = <HtmlTreeSink as TreeSink>::Handle;

/// The size of what was read of a page.
#[derive(Debug, Default, Clone, Copy)]
pub struct Spent {
    /// Bytes that were read.
    pub bytes: usize,
    /// Elements, comments and attributes.
    pub nodes: usize,
}

/// Parses a page. `spent` is filled in any case; `abandoned` stops it.
/// Fails if the page exceeds the bounds.
pub fn parse_until(body: &str, abandoned: &AtomicBool, spent: &mut Spent) -> Result<Html, Refusal> {
    within(body, LIMITS, abandoned, spent)
}

pub(super) fn within(body: &str, limits: Limits, abandoned: &AtomicBool, spent: &mut Spent) -> Result<Html, Refusal> {
    if body.len() > limits.bytes {
        return Err(Refusal::Bytes);
    }
    let builder = TreeBuilder::new(Counting::new(limits), TreeBuilderOpts::default());
    let guard = Guard { builder, limits, tokens: Cell::new(0), refusal: Cell::new(None) };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let (input, mut tags, started) = (BufferQueue::default(), Tags::default(), Instant::now());
    for piece in pieces(body) {
        if abandoned.load(Ordering::Relaxed) {
            return Err(Refusal::Abandoned);
        }
        if started.elapsed() > limits.time {
            return Err(Refusal::Time);
        }
        let tokens = tokenizer.sink.tokens.get();
        tags.feed(piece);
        input.push_back(StrTendril::from_slice(piece));
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        *spent = Spent { bytes: spent.bytes + piece.len(), nodes: tokenizer.sink.builder.sink.nodes.get() };
        if let Some(refusal) = tokenizer.sink.refusal.get() {
            return Err(refusal);
        }
        if tokenizer.sink.tokens.get() != tokens {
            tags.reset();
        } else if tags.attributes() > limits.attributes {
            return Err(Refusal::Attributes);
        }
    }
    tokenizer.end();
    if let Some(refusal) = tokenizer.sink.refusal.get() {
        return Err(refusal);
    }
    let page = tokenizer.sink.builder.sink.finish();
    // What misnested tags moved about was counted where it stood first.
    if depth(&page) > 2 * limits.depth { Err(Refusal::Depth) } else { Ok(page) }
}

/// Cuts a page before each `<`, so that every tag begins a piece, and into pieces of bounded length.
pub(super) fn pieces(body: &str) -> impl Iterator<Item = &str> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(PIECE_BYTES);
        let end = rest.as_bytes()[..most].iter().skip(1).position(|byte| *byte == b'<').map_or(most, |at| at + 1);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Elements within elements, at the deepest place.
pub(super) fn depth(page: &Html) -> u32 {
    let (mut depth, mut deepest) = (0_u32, 0);
    for edge in page.tree.root().traverse() {
        match edge {
            Edge::Open(_) => depth += 1,
            Edge::Close(_) => depth -= 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Placed between tokenizer and tree builder, which creates nodes without end for some pages: looks at the budget after
/// each token, and lets no further token through once it is spent.
struct Guard {
    builder: TreeBuilder<NodeId, Counting>,
    limits: Limits,
    /// Parse errors are not counted: they are handed out in the middle of a tag.
    tokens: Cell<u64>,
    refusal: Cell<Option<Refusal>>,
}

impl TokenSink for Guard {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<NodeId> {
        if self.refusal.get().is_some() {
            return TokenSinkResult::Continue;
        }
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        if matches!(&token, Token::TagToken(tag) if tag.attrs.len() > self.limits.attributes) {
            self.refusal.set(Some(Refusal::Attributes));
            return TokenSinkResult::Continue;
        }
        let result = self.builder.process_token(token, line_number);
        self.refusal.set(self.builder.sink.refusal());
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Scraper's tree, with a count of what goes into it.
struct Counting {
    tree: HtmlTreeSink,
    limits: Limits,
    nodes: Cell<usize>,
    attribute_bytes: Cell<usize>,
    /// How deep each node was put.
    depths: RefCell<HashMap<NodeId, u32>>,
    deepest: Cell<u32>,
}

impl Counting {
    fn new(limits: Limits) -> Self {
        Self {
            tree: HtmlTreeSink::new(Html::new_document()),
            limits,
            nodes: Cell::new(0),
            attribute_bytes: Cell::new(0),
            depths: RefCell::default(),
            deepest: Cell::new(0),
        }
    }

    fn refusal(&self) -> Option<Refusal> {
        if self.deepest.get() > self.limits.depth {
            Some(Refusal::Depth)
        } else if self.nodes.get() > self.limits.nodes || self.attribute_bytes.get() > self.limits.attribute_bytes {
            Some(Refusal::Nodes)
        } else {
            None
        }
    }

    fn count(&self, nodes: usize) {
        self.nodes.set(self.nodes.get().saturating_add(nodes));
    }

    fn count_attributes(&self, attributes: &[Attribute]) {
        self.count(attributes.len());
        let bytes: usize = attributes.iter().map(|attribute| attribute.value.len()).sum();
        self.attribute_bytes.set(self.attribute_bytes.get().saturating_add(bytes));
    }

    fn depth_of(&self, node: &NodeId) -> u32 {
        self.depths.borrow().get(node).copied().unwrap_or(0)
    }

    fn put(&self, child: &NodeOrText<NodeId>, depth: u32) {
        if let NodeOrText::AppendNode(node) = child {
            self.depths.borrow_mut().insert(*node, depth);
            self.deepest.set(self.deepest.get().max(depth));
        }
    }
}

impl TreeSink for Counting {
    type Handle = NodeId;
    type Output = Html;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Html {
        self.tree.finish()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.tree.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.tree.elem_name(target)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        self.count(1);
        self.count_attributes(&attributes);
        self.tree.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.count(1);
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.count(1);
        self.tree.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.put(&child, self.depth_of(parent) + 1);
        self.tree.append(parent, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, before: &NodeId, child: NodeOrText<NodeId>) {
        self.put(&child, self.depth_of(element).max(self.depth_of(before) + 1));
        self.tree.append_based_on_parent_node(element, before, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.tree.append_doctype_to_document(name, public_id, system_id);
    }

    fn mark_script_already_started(&self, node: &NodeId) {
        self.tree.mark_script_already_started(node);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        let contents = self.tree.get_template_contents(target);
        let depth = self.depth_of(target) + 1;
        self.depths.borrow_mut().insert(contents, depth);
        contents
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.tree.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.put(&child, self.depth_of(sibling));
        self.tree.append_before_sibling(sibling, child);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.count_attributes(&attributes);
        self.tree.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.tree.reparent_children(node, new_parent);
    }
}
