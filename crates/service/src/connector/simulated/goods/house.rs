//! Electronics, do-it-yourself, home, garden.

use super::{Shelf, piece, shelf, unbranded};

pub(in super::super) const ELECTRONICS: &[Shelf] = &[
    shelf(
        &["Computers", "Accessories", "Cables"],
        &[
            piece("USB-C Cable, 2 m, 100 W", "Corvanta", 1_499),
            piece("HDMI 2.1 Cable, 6 ft", "Corvanta", 1_299),
            unbranded("Cable Ties, Reusable, 50 pcs", 699),
        ],
    ),
    shelf(
        &["Computers", "Displays"],
        &[
            piece("27\" Monitor QHD, 165 Hz", "Lumarix", 28_999),
            piece("Portable Display 15.6\", USB-C", "Lumarix", 17_949),
        ],
    ),
    shelf(
        &["Audio", "Headphones", "Wireless"],
        &[
            piece("Over-Ear Headphones \"Stillwater 3\"", "Auralune", 19_999),
            piece("In-Ear Buds Mini, Charcoal", "Auralune", 7_999),
        ],
    ),
    shelf(
        &["Smart Home", "Lighting"],
        &[
            piece("LED Bulb E26, Tunable White, 2-pack", "Glowhaven", 2_499),
            piece("Motion Sensor, Zigbee", "Glowhaven", 1_999),
        ],
    ),
    shelf(
        &["Storage"],
        &[
            piece("Portable SSD 2 TB", "Drivestone", 15_999),
            piece("microSD 256 GB, A2, V30", "Drivestone", 2_299),
            piece("Laptop L14 Pro, 32 GB, 1 TB", "Nordbeam", 143_071),
        ],
    ),
];

pub(in super::super) const DIY: &[Shelf] = &[
    shelf(
        &["Werkzeug", "Elektrowerkzeug", "Bohrmaschinen"],
        &[
            piece("Akku-Bohrschrauber 18 V, 2 Akkus", "Eisenrath", 12_999),
            piece("Bohrer-Set Holz, 8-teilig, Ø 3–10 mm", "Eisenrath", 1_499),
        ],
    ),
    shelf(
        &["Werkzeug", "Handwerkzeug"],
        &[
            piece("Zollstock 2 m, Buche", "Holzmeck", 499),
            piece("Schraubendreher-Satz \"Profi\", 6-teilig", "Eisenrath", 1_999),
            piece("Wasserwaage, 60 cm", "Holzmeck", 1_749),
        ],
    ),
    shelf(
        &["Eisenwaren", "Schrauben"],
        &[
            unbranded("Spanplattenschrauben 4,0 x 40 mm, 200 Stück", 699),
            unbranded("Dübel Ø 8 mm, 100 Stück", 549),
            unbranded("Unterlegscheiben M8, verzinkt", 329),
        ],
    ),
    shelf(
        &["Farben", "Wandfarbe"],
        &[
            piece("Wandfarbe, weiß, matt, 10 l", "Kalkhold", 4_999),
            piece("Malerkrepp, 50 m", "Kalkhold", 429),
            piece("Abtönfarbe Öl-Gelb, 250 ml", "Kalkhold", 379),
        ],
    ),
];

pub(in super::super) const HOME: &[Shelf] = &[
    shelf(
        &["Kitchen", "Cookware", "Pans"],
        &[piece("Cast Iron Skillet, 10\"", "Ironbarrow", 3_999), piece("Saucepan with Lid, 2 qt", "Ironbarrow", 4_499)],
    ),
    shelf(
        &["Kitchen", "Tableware"],
        &[
            piece("Dinner Plate, Speckled, Set of 4", "Claywick", 5_200),
            piece("Mug \"Grüezi\", 12 oz", "Claywick", 1_450),
            unbranded("Linen Napkins, 6 pcs", 2_899),
        ],
    ),
    shelf(
        &["Bedroom", "Bedding", "Duvet Covers"],
        &[
            piece("Duvet Cover, Washed Cotton", "Softhollow", 8_999),
            piece("Pillowcase, Washed Cotton", "Softhollow", 1_999),
        ],
    )
    .in_variants(&["Twin", "Queen", "King"]),
    shelf(
        &["Living", "Furniture"],
        &[
            piece("Side Table, Oak, Ø 18\"", "Fennimore", 12_900),
            piece("Bookcase \"Stig\", 5 shelves", "Fennimore", 17_900),
            piece("Floor Lamp, brass", "Glowhaven", 9_950),
        ],
    ),
    shelf(&["Storage"], &[unbranded("Storage Basket, Seagrass", 2_450)]),
];

pub(in super::super) const GARDEN: &[Shelf] = &[
    shelf(
        &["Plants", "Perennials"],
        &[
            piece("Lavender \"Blue Vespers\", 9 cm pot", "Whistledown Nursery", 499),
            piece("Echinacea, White, 2 l pot", "Whistledown Nursery", 1_199),
            unbranded("Ferns, mixed, tray of 6", 1_650),
        ],
    ),
    shelf(
        &["Seeds", "Vegetables", "Tomatoes"],
        &[
            piece("Tomato \"Ochsenherz, rot\", 15 seeds", "Sowerbee", 299),
            piece("Shishito ししとう Pepper, 10 seeds", "Sowerbee", 349),
        ],
    ),
    shelf(
        &["Tools", "Hand Tools"],
        &[
            piece("Secateurs, bypass, 8\"", "Thornley Forge", 2_899),
            piece("Trowel, ash handle", "Thornley Forge", 1_399),
            piece("Gardening Gloves", "Thornley Forge", 849),
        ],
    )
    .in_variants(&["Small", "Large"]),
    shelf(
        &["Compost & Feed"],
        &[
            piece("Peat-Free Compost, 40 l", "Loamwell", 799),
            piece("Tomato Feed, 1 l", "Loamwell", 549),
            piece("Slug Wool Pellets, 3.5 l", "Loamwell", 999),
        ],
    ),
];
