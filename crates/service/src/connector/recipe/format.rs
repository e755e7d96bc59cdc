//! The format of recipes, version 1. `docs/recipes.md` describes every key.

use serde::Deserialize;

use super::common::{Statuses, Version, default_username_label};
use super::json::{Path, When};
use super::recognized::Recognize;
use super::value::{Address, Css, Pattern, Place, Places, Word};
use crate::connector::kit::dates::NumericDates;
use crate::connector::kit::shows::Shows;

/// A recipe, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recipe {
    /// Always 1.
    #[serde(rename = "recipe")]
    _version: Version,
    pub(super) name: String,
    /// What `{account}` stands for in addresses, unless the operator says otherwise.
    pub(super) account_path: Option<Address>,
    /// Without it, no shop is taken for one of these because of its pages.
    pub(super) recognize: Option<Recognize>,
    pub(super) sign_in: SignIn,
    pub(super) list: List,
    pub(super) order: Order,
    /// The pages of products, if they say what orders do not.
    pub(super) product_page: Option<ProductPage>,
    #[serde(default)]
    pub(super) amounts: Amounts,
    pub(super) shows: Shows,
    pub(super) words: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    pub(super) page: Address,
    #[serde(default = "default_username_label")]
    pub(super) username_label: String,
    /// An element of the form to sign in that no other form of the shop has.
    pub(super) form_has: Option<Css>,
    /// What only pages for signed-in customers have.
    pub(super) signed_in: Option<Css>,
    /// Where the page says why it refused a sign-in.
    pub(super) refusal: Option<Css>,
    /// What it says there of a locked account, among other words.
    #[serde(default)]
    pub(super) locked: Vec<Word>,
    /// The field for a code.
    pub(super) code_field: Option<Css>,
    /// Where the form for a code says, with a number, that the shop looks at no code for a while.
    pub(super) code_paused: Option<Css>,
    /// How a script of the shop has the form answered, if not with a page.
    pub(super) answer: Option<SignInAnswers>,
}

/// A form that is answered with JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignInAnswers {
    /// Where the answer to a form that was taken has the address of the next page.
    pub(super) redirect: Path,
    pub(super) refused: Vec<When>,
    #[serde(default)]
    pub(super) locked: Vec<When>,
    /// The parameter of that address that every later request needs.
    pub(super) carry: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) page: Address,
    /// A link on `sign_in.page` to the list, for shops that have renamed it.
    pub(super) page_link: Option<Css>,
    pub(super) next_page: Option<Address>,
    pub(super) end: End,
    pub(super) next_link: Option<Css>,
    /// What the pages of the list have, with or without orders.
    pub(super) content: Css,
    /// The part of the page to search for words about orders; default: `content`.
    pub(super) around: Option<Css>,
    pub(super) table: Css,
    /// Without it, every row below the headings of a table that leads to an order.
    pub(super) row: Option<Css>,
    /// What lies beside the rows and is no order.
    pub(super) note: Option<Css>,
    /// What the addresses of all orders begin with.
    pub(super) order_page: Address,
    /// Whether the number of an order follows in its address. Its row then has to name it.
    #[serde(default)]
    pub(super) number_in_address: bool,
    /// The list with the orders of some days only, and the form that filters it.
    pub(super) filtered: Option<Address>,
    pub(super) filter: Option<Css>,
    /// Where an empty list says that it is empty.
    pub(super) empty: Option<Css>,
    /// What such a place may not be in.
    pub(super) empty_aside: Option<Css>,
    /// Whether an empty list is a table with headings and nothing else.
    #[serde(default)]
    pub(super) empty_table: bool,
    pub(super) number: Place,
    /// Where the link to the order is, if not at its number.
    pub(super) link: Option<Place>,
    pub(super) date: Place,
    pub(super) date_shown: DateKind,
    pub(super) numeric_dates: Option<NumericDates>,
    /// Where the shop says which zone its clock has.
    #[serde(default)]
    pub(super) clock_api: ClockApi,
    pub(super) total: Place,
    pub(super) items: Option<Place>,
    /// Where the status is, if the page of the order does not show it.
    pub(super) status: Option<Place>,
}

/// What proves the end of the list: as the kit's `EndOfList`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    PageAfter,
    NextLink,
    NextLinkRepeats,
    OnePage,
}

/// How the list shows dates: as the kit's `DateShown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DateKind {
    TextWithTime,
    Instant,
    ShopClock,
    Day,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    /// Every element that names the order.
    pub(super) number: Option<Place>,
    /// Elements of which one names the order among other words, and none another order.
    pub(super) named_in: Option<Css>,
    /// The day of the order, which has to be that of the list.
    pub(super) date: Option<Place>,
    /// The days of its history, none of which may be before that.
    pub(super) history_date: Option<Place>,
    pub(super) status: Option<Place>,
    /// The headings below which the status is.
    #[serde(default)]
    pub(super) status_below: Vec<Word>,
    pub(super) table: Css,
    pub(super) figures_table: Option<Css>,
    /// Without it, the tables of lines are known by their headings: a row with a cell for each of them is a line, and any other
    /// a figure.
    pub(super) line: Option<Css>,
    /// A row with a figure.
    pub(super) figure: Option<Css>,
    /// Whether labels and amounts lie beside each other instead, without rows.
    #[serde(default)]
    pub(super) figure_pairs: bool,
    /// Found in the row of a discount, and in no other row.
    pub(super) discount: Option<Css>,
    /// Rows that are neither.
    pub(super) note: Option<Css>,
    /// Tables and lists with amounts that are no part of the order.
    pub(super) other_tables: Option<Css>,
    pub(super) title: Place,
    /// Headings of columns that may hold the name in place of `title`.
    #[serde(default)]
    pub(super) other_titles: Vec<Word>,
    /// What the cell of the title holds beside it.
    pub(super) title_aside: Option<Css>,
    /// Whether the name is put together of all texts of its cell.
    #[serde(default)]
    pub(super) title_joined: bool,
    pub(super) sku: Option<Place>,
    pub(super) quantity: Places,
    pub(super) total: Places,
    pub(super) unit_price: Option<Place>,
    /// Whether refunds strike quantities and amounts: `<del>3</del> <ins>2</ins>`.
    #[serde(default)]
    pub(super) struck: bool,
    pub(super) label: Place,
    pub(super) amount: Place,
    /// The name of the shipping, which is the label of its figure.
    pub(super) shipping_name: Option<Place>,
    /// Where the shop has SKUs and exact titles for programs.
    #[serde(default)]
    pub(super) product_api: ProductApi,
}

/// The page of a product, which says what the page of an order does not, and confirms a name that is in doubt.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProductPage {
    /// The links to products in a line.
    pub(super) link: Css,
    /// Matches the paths of these links.
    pub(super) path: Option<Pattern>,
    /// The one part of the page that is about the product.
    pub(super) content: Css,
    pub(super) title: Css,
    /// The heading of the row with the SKU.
    #[serde(default)]
    pub(super) sku: Vec<Word>,
    /// The heading of the first row of a product that has none.
    #[serde(default)]
    pub(super) without_sku: Vec<Word>,
    /// The one way through the catalogue to the product.
    pub(super) breadcrumb: Css,
    /// The links to categories in it: the first of these selectors that it has.
    pub(super) categories: Vec<Css>,
    /// Matches the paths of these links.
    pub(super) category_path: Option<Pattern>,
}

/// Interfaces for programs that add to the page of an order.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProductApi {
    #[default]
    None,
    /// WooCommerce's Store API.
    WoocommerceStore,
}

/// Interfaces for programs that say which zone the shop's clock has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClockApi {
    #[default]
    None,
    /// `/wp-json/` of WordPress.
    Wordpress,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Amounts {
    /// What every amount is marked with.
    pub(super) mark: Option<Css>,
    /// What explains an amount beside it.
    pub(super) aside: Option<Css>,
    /// What holds the tax that is part of an amount beside it, with its label.
    pub(super) included_tax: Option<Css>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    #[serde(default)]
    pub(super) no_orders: Vec<Word>,
    /// What an amount of nothing may say.
    #[serde(default)]
    pub(super) zero: Vec<Word>,
    pub(super) labels: Labels,
    /// Words of labels that the shop writes itself.
    #[serde(default)]
    pub(super) in_labels: InLabels,
    #[serde(default)]
    pub(super) statuses: Statuses,
}

/// The labels of the figures below the lines.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Labels {
    pub(super) basket: Vec<Word>,
    pub(super) basket_before_discounts: Vec<Word>,
    pub(super) basket_after_discounts: Vec<Word>,
    pub(super) discount: Vec<Word>,
    pub(super) shipping: Vec<Word>,
    pub(super) shipping_before_discounts: Vec<Word>,
    pub(super) shipping_after_discounts: Vec<Word>,
    pub(super) tax: Vec<Word>,
    pub(super) fee: Vec<Word>,
    pub(super) refund: Vec<Word>,
    pub(super) total: Vec<Word>,
    pub(super) payment: Vec<Word>,
    /// Not paid yet.
    pub(super) owed: Vec<Word>,
    pub(super) gift_card: Vec<Word>,
    pub(super) reward: Vec<Word>,
    pub(super) tip: Vec<Word>,
    pub(super) deposit: Vec<Word>,
    /// No amount: how the order is paid, or what the customer noted.
    pub(super) note: Vec<Word>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct InLabels {
    pub(super) discount: Vec<Word>,
    pub(super) tax: Vec<Word>,
    pub(super) fee: Vec<Word>,
    pub(super) payment: Vec<Word>,
    pub(super) gift_card: Vec<Word>,
    pub(super) reward: Vec<Word>,
    pub(super) tip: Vec<Word>,
    pub(super) deposit: Vec<Word>,
}

impl List {
    /// Whether the shop runs on WordPress.
    pub(super) fn is_wordpress(&self) -> bool {
        self.clock_api == ClockApi::Wordpress
    }
}

impl Order {
    /// Whether other pages say what this one leaves open.
    pub(super) const fn has_record(&self) -> bool {
        !matches!(self.product_api, ProductApi::None)
    }
}
