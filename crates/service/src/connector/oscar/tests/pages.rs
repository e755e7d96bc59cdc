use scraper::Html;

use super::super::product_page::{self, Product};
use super::shop::PRODUCT;

fn read(html: &str) -> Product {
    product_page::read(&Html::parse_document(html)).unwrap()
}

#[test]
fn a_product_has_a_upc_in_whichever_language_and_no_more_than_three_categories() {
    let product = Product {
        upc: Some("5000000000008".to_owned()),
        categories: vec!["Household".to_owned(), "Cleaning".to_owned()],
        title: Some("Dish Soap — Bulk".to_owned()),
    };
    assert_eq!(read(PRODUCT), product);
    assert_eq!(read(&PRODUCT.replace("<th>UPC<", "<th>Product code<")), product);
    let deeper = PRODUCT.replace(
        "<li class='breadcrumb-item active'>",
        "<li class='breadcrumb-item'><a href='#'>Soap</a></li><li class='breadcrumb-item'><a href='#'>Bulk</a></li><li>",
    );
    assert_eq!(read(&deeper).categories, ["Household", "Cleaning", "Soap"]);
}

#[test]
fn a_product_without_upc_or_category_has_none() {
    let bare =
        "<article class='product_page'><table><tr><th>Product Type</th><td>Household</td></tr></table></article>";
    assert_eq!(read(bare), Product::default());
}
