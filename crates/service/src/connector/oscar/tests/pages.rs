use super::super::product_page::{self, Product};
use super::shop::PRODUCT;

#[test]
fn a_product_has_a_upc_in_whichever_language_and_no_more_than_three_categories() {
    let product = Product {
        upc: Some("5000000000008".to_owned()),
        categories: vec!["Household".to_owned(), "Cleaning".to_owned()],
    };
    assert_eq!(product_page::read(PRODUCT).unwrap(), product);
    assert_eq!(product_page::read(&PRODUCT.replace("<th>UPC<", "<th>Product code<")).unwrap(), product);
    let deeper = PRODUCT.replace(
        "<li class='breadcrumb-item active'>",
        "<li class='breadcrumb-item'><a href='#'>Soap</a></li><li class='breadcrumb-item'><a href='#'>Bulk</a></li><li>",
    );
    assert_eq!(product_page::read(&deeper).unwrap().categories, ["Household", "Cleaning", "Soap"]);
}

#[test]
fn a_product_without_upc_or_category_has_none() {
    let bare =
        "<article class='product_page'><table><tr><th>Product Type</th><td>Household</td></tr></table></article>";
    assert_eq!(product_page::read(bare).unwrap(), Product::default());
}
