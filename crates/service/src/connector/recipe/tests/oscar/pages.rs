use scraper::Html;

use super::super::super::product_page::{self, Product};
use super::recipe;
use super::shop::PRODUCT;
use crate::connector::ConnectorError;

fn try_read(html: &str) -> Result<Product, ConnectorError> {
    product_page::read(&Html::parse_document(html), recipe().0.product_page.as_ref().unwrap())
}

fn read(html: &str) -> Product {
    try_read(html).unwrap()
}

#[test]
fn a_product_has_a_upc_in_whichever_language_and_no_more_than_three_categories() {
    let product = Product {
        sku: Some("5000000000008".to_owned()),
        categories: vec!["Household".to_owned(), "Cleaning".to_owned()],
        title: Some("Dish Soap — Bulk".to_owned()),
    };
    assert_eq!(read(PRODUCT), product);
    assert_eq!(read(&PRODUCT.replace("<th>UPC<", "<th>Product code<")), product);
    let deeper = PRODUCT.replace(
        "<li class='breadcrumb-item active'>",
        "<li class='breadcrumb-item'><a href='/catalogue/category/household/cleaning/soap_3/'>Soap</a></li><li class='breadcrumb-item'><a href='/catalogue/category/household/cleaning/soap/bulk_4/'>Bulk</a></li><li>",
    );
    assert_eq!(read(&deeper).categories, ["Household", "Cleaning", "Soap"]);
}

#[test]
fn a_product_without_upc_or_category_has_none() {
    let bare = "<ol class='breadcrumb'></ol><article class='product_page'><table><tr><th>Product Type</th><td>Household</td></tr></table></article>";
    assert_eq!(read(bare), Product::default());
}

#[test]
fn a_page_that_is_no_longer_certain_gives_nothing() {
    for (from, to) in [
        ("<th>UPC<", "<th>Reference<"),
        ("<ol class='breadcrumb'>", "<ol>"),
        ("<ol class='breadcrumb'>", "<ol class='breadcrumb'></ol><ol class='breadcrumb'>"),
        ("<article class='product_page'>", "<article class='product_page'></article><article class='product_page'>"),
        ("<article class='product_page'>", "<article>"),
        ("<tr><th>Product", "<tr><th>UPC</th><td>5</td></tr><tr><th>Product"),
        ("5000000000008", &"5".repeat(257)),
    ] {
        let changed = PRODUCT.replace(from, to);
        assert_ne!(changed, PRODUCT, "{from}");
        assert!(try_read(&changed).is_err(), "{from} -> {to:.60}");
    }
    let without_home = PRODUCT.replace("<li class='breadcrumb-item'><a href='/catalogue/'>Home</a></li>", "");
    assert_eq!(read(&without_home), read(PRODUCT), "the front page is no category, wherever it is");
}

#[test]
fn a_code_or_a_category_with_other_words_beside_it_is_not_taken() {
    for (from, to) in [
        ("<td>5000000000008</td>", "<td>5000000000008 <button>Copy</button></td>"),
        ("<td>5000000000008</td>", "<td><del>4000000000001</del> 5000000000008</td>"),
        ("<td>5000000000008</td>", "<td>5000000000008 (EAN-13)</td>"),
        ("<td>5000000000008</td>", "<td>5000…</td>"),
        (">Cleaning</a>", "><span>Category:</span> Cleaning</a>"),
        (">Cleaning</a>", ">Cleaning (12)</a>"),
        (">Cleaning</a></li>", ">Cleaning</a></li><li>…</li>"),
    ] {
        let changed = PRODUCT.replace(from, to);
        assert_ne!(changed, PRODUCT, "{from} changes nothing");
        assert!(try_read(&changed).is_err(), "{to}");
    }
    let brand = PRODUCT.replace(
        "<li class='breadcrumb-item active'>",
        "<li class='breadcrumb-item'><a href='/brands/acme_3/'>Acme</a></li><li class='breadcrumb-item active'>",
    );
    assert_eq!(read(&brand), read(PRODUCT));
}
