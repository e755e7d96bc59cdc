//! The simulated retailers: who they are, what they sell, and what their pages show and leave out.
//!
//! Names are invented. Ids run from 1 without gaps, and an id never changes its meaning; 1 to 12 ask for a user name and
//! a password.

use ordersync_api::retailer::SyncConfig;
use ordersync_api::{CredentialField, Retailer, ShipmentStatus};

/// A simulated retailer.
#[derive(Debug)]
pub(super) struct Shop {
    pub(super) id: i64,
    name: &'static str,
    /// What the sign-in page asks for.
    form: Form,
    /// False: in the catalog, but not connectable.
    connectable: bool,
    pub(super) language: Language,
    pub(super) currency: Currency,
    /// What it costs to ship an order, and from which value on it costs nothing; in minor units.
    pub(super) shipping: Shipping,
    /// The assortments that it sells: several for a marketplace.
    pub(super) sells: &'static [&'static str],
    /// How an order number looks; each `#` is a digit.
    pub(super) order_number: &'static str,
    /// How an article number looks; `None`: not shown.
    pub(super) sku: Option<&'static str>,
    /// Whether order pages have an id for each line.
    pub(super) line_ids: bool,
    /// Whether order pages say where the goods are.
    pub(super) shipment: bool,
    /// In which status a completed order rests.
    pub(super) done: ShipmentStatus,
}

/// What a sign-in page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Username,
    Email,
    EmailAndPostcode,
}

/// The language of a retailer's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    German,
    Japanese,
}

/// A currency: ISO 4217 code, and digits after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Currency {
    pub(super) code: &'static str,
    pub(super) decimals: u32,
}

/// The price of shipping, in minor units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shipping {
    pub(super) fee: i64,
    pub(super) free_from: i64,
}

impl Shop {
    /// The catalog entry.
    pub(super) fn entry(&self) -> Retailer {
        Retailer {
            retailer_id: self.id,
            display_name: self.name.to_owned(),
            sync_config: SyncConfig { server_side: self.connectable, ..SyncConfig::default() },
            credential_fields: self.credential_fields(),
            ..Retailer::default()
        }
    }

    /// What its article numbers are made from.
    pub(super) const fn seed(&self) -> u64 {
        self.id.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// What a user has to give to sign in.
    pub(super) fn credential_fields(&self) -> Vec<CredentialField> {
        let user = match (self.form, self.language) {
            (Form::Username, Language::German) => "Benutzername",
            (Form::Username, Language::Japanese) => "ユーザー名",
            (Form::Username, Language::English) => "Username",
            (Form::Email | Form::EmailAndPostcode, Language::German) => "E-Mail",
            (Form::Email | Form::EmailAndPostcode, _) => "Email",
        };
        let (password, postcode) = match self.language {
            Language::English => ("Password", "Postcode"),
            Language::German => ("Passwort", "Postleitzahl"),
            Language::Japanese => ("パスワード", "郵便番号"),
        };
        let mut fields =
            vec![CredentialField::new("username", user, false), CredentialField::new("password", password, true)];
        if self.form == Form::EmailAndPostcode {
            fields.push(CredentialField::new("postcode", postcode, false));
        }
        fields
    }
}

const USD: Currency = Currency { code: "USD", decimals: 2 };
const EUR: Currency = Currency { code: "EUR", decimals: 2 };
const GBP: Currency = Currency { code: "GBP", decimals: 2 };
const JPY: Currency = Currency { code: "JPY", decimals: 0 };
const CAD: Currency = Currency { code: "CAD", decimals: 2 };
const AUD: Currency = Currency { code: "AUD", decimals: 2 };
const CHF: Currency = Currency { code: "CHF", decimals: 2 };

/// What most retailers have in common.
const USUAL: Shop = Shop {
    id: 0,
    name: "",
    form: Form::Username,
    connectable: true,
    language: Language::English,
    currency: USD,
    shipping: Shipping { fee: 599, free_from: 3_500 },
    sells: &[],
    order_number: "#########",
    sku: Some("########"),
    line_ids: true,
    shipment: true,
    done: ShipmentStatus::Delivered,
};

/// Every simulated retailer, by id.
pub(super) static SHOPS: &[Shop] = &[
    Shop { id: 1, name: "Marrowby Market", sells: &["groceries"], order_number: "MM-########-##", ..USUAL },
    Shop {
        id: 2,
        name: "Voltaquill Electronics",
        sells: &["electronics"],
        order_number: "VQ##########",
        sku: Some("VQ-######"),
        ..USUAL
    },
    Shop {
        id: 3,
        name: "Inkwell & Otter Books",
        currency: GBP,
        shipping: Shipping { fee: 299, free_from: 2_500 },
        sells: &["books"],
        order_number: "IO/####/#####",
        ..USUAL
    },
    Shop {
        id: 4,
        name: "Hagenfels Baumarkt",
        language: Language::German,
        currency: EUR,
        shipping: Shipping { fee: 495, free_from: 5_000 },
        sells: &["diy", "garden"],
        order_number: "HB-#########",
        done: ShipmentStatus::Completed,
        ..USUAL
    },
    Shop {
        id: 5,
        name: "Threadmoor",
        currency: GBP,
        shipping: Shipping { fee: 395, free_from: 5_000 },
        sells: &["fashion"],
        order_number: "TM##########",
        sku: Some("TM-####-####"),
        ..USUAL
    },
    Shop { id: 6, name: "Waggledown Pets", sells: &["pets"], order_number: "W-###-######", ..USUAL },
    // Its order pages number no lines, so that a line is known by its article number and occurrence.
    Shop {
        id: 7,
        name: "Calendora Apotheke",
        language: Language::German,
        currency: EUR,
        shipping: Shipping { fee: 395, free_from: 2_900 },
        sells: &["pharmacy"],
        line_ids: false,
        ..USUAL
    },
    Shop {
        id: 8,
        name: "Tidewick Home",
        shipping: Shipping { fee: 995, free_from: 9_900 },
        sells: &["home"],
        order_number: "TW-####-####",
        ..USUAL
    },
    Shop {
        id: 9,
        name: "Komadori Shōten",
        language: Language::Japanese,
        currency: JPY,
        shipping: Shipping { fee: 550, free_from: 3_980 },
        sells: &["konbini"],
        order_number: "####-####-####",
        ..USUAL
    },
    Shop { id: 10, name: "Larkspindle Toys", currency: CAD, sells: &["toys"], ..USUAL },
    // Its order pages number neither lines nor articles, so that a line is known by its title and occurrence.
    Shop {
        id: 11,
        name: "Brambleheath Outdoor",
        currency: GBP,
        shipping: Shipping { fee: 450, free_from: 6_000 },
        sells: &["outdoor"],
        order_number: "BH########",
        sku: None,
        line_ids: false,
        ..USUAL
    },
    Shop {
        id: 12,
        name: "Merribazaar",
        sells: &["electronics", "home", "toys", "books", "pets"],
        order_number: "###-#######-#######",
        sku: Some("MB########"),
        ..USUAL
    },
    // Its order pages do not say where the goods are.
    Shop {
        id: 13,
        name: "Needle & Hollow Records",
        form: Form::Email,
        currency: EUR,
        sells: &["records"],
        order_number: "NH########",
        shipment: false,
        ..USUAL
    },
    Shop {
        id: 14,
        name: "Lindenkorb",
        form: Form::EmailAndPostcode,
        language: Language::German,
        currency: EUR,
        shipping: Shipping { fee: 490, free_from: 6_000 },
        sells: &["lebensmittel"],
        order_number: "LK-####-####-##",
        ..USUAL
    },
    Shop {
        id: 15,
        name: "Whistledown Gardens",
        form: Form::EmailAndPostcode,
        currency: GBP,
        sells: &["garden"],
        order_number: "WG########",
        ..USUAL
    },
    Shop {
        id: 16,
        name: "Sunpetal Beauty",
        form: Form::Email,
        currency: AUD,
        sells: &["pharmacy", "fashion"],
        order_number: "SP-#########",
        ..USUAL
    },
    Shop { id: 17, name: "Grandvale Wholesale Club", connectable: false, sells: &["groceries", "home"], ..USUAL },
    Shop {
        id: 18,
        name: "Gletscherkorb",
        form: Form::Email,
        language: Language::German,
        currency: CHF,
        shipping: Shipping { fee: 790, free_from: 9_900 },
        sells: &["lebensmittel", "home"],
        order_number: "GK##########",
        ..USUAL
    },
];
