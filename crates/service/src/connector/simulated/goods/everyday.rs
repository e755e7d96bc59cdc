//! Groceries in three languages, pharmacy, pets.

use super::{Shelf, piece, shelf, unbranded, weighed};

pub(in super::super) const GROCERIES: &[Shelf] = &[
    shelf(
        &["Fresh", "Fruit & Vegetables", "Fruit"],
        &[
            weighed("Bananas, loose", 169),
            weighed("Honeycrisp Apples", 429),
            weighed("Seedless Red Grapes", 549),
            unbranded("Hass Avocado", 149),
        ],
    ),
    shelf(
        &["Fresh", "Meat & Fish"],
        &[weighed("Chicken Thighs, bone-in", 719), weighed("Atlantic Salmon Fillet", 2_490)],
    ),
    shelf(
        &["Bakery", "Bread", "Sourdough"],
        &[
            piece("\"Old Mill\" Country Sourdough, sliced", "Hearth & Hollow", 549),
            piece("Seeded Rye 24 oz", "Hearth & Hollow", 499),
        ],
    ),
    shelf(
        &["Chilled", "Dairy", "Milk"],
        &[
            piece("Whole Milk, 1/2 gal", "Cloverlea", 399),
            piece("Oat Drink \"Barista\", 32 fl oz", "Oatenby", 449),
            piece("Skyr, Vanilla, 5.3 oz", "Fjellkru", 189),
        ],
    ),
    shelf(
        &["Pantry", "World Foods", "Japanese"],
        &[
            piece("Soy Sauce 特選しょうゆ, 500 ml", "Kurohama", 629),
            piece("Furikake ふりかけ, Sesame & Nori", "Kurohama", 479),
        ],
    ),
    shelf(
        &["Pantry", "Coffee & Tea"],
        &[
            piece("Ground Coffee, Medium Roast, 12 oz", "Ember & Ash Roasters", 1_099),
            piece("Crème de Cassis Jam, 10 oz", "Maison Aubrac", 699),
        ],
    ),
    shelf(&["Household", "Paper"], &[piece("Kitchen Roll, 6 Rolls", "Plumeko", 1_149)]),
];

pub(in super::super) const LEBENSMITTEL: &[Shelf] = &[
    shelf(
        &["Obst & Gemüse", "Obst"],
        &[
            weighed("Äpfel Elstar, lose", 279),
            weighed("Zwetschgen, regional", 349),
            weighed("Trauben, hell, kernlos", 459),
        ],
    ),
    shelf(
        &["Obst & Gemüse", "Gemüse"],
        &[weighed("Kartoffeln, festkochend", 149), weighed("Möhren", 129), unbranded("Kohlrabi, Stück", 99)],
    ),
    shelf(&["Bäckerei", "Brot", "Roggenbrot"], &[piece("Roggenmischbrot »Müllerin«, 1 kg", "Backhaus Tenningen", 429)]),
    shelf(
        &["Kühlregal", "Käse", "Schnittkäse"],
        &[
            weighed("Bergkäse, 12 Monate gereift", 2_290),
            piece("Frischkäse mit Kräutern, 200 g", "Almtraut", 219),
            piece("Süßrahmbutter, 250 g", "Almtraut", 269),
        ],
    ),
    shelf(
        &["Vorrat", "Süßes"],
        &[
            piece("Weiße Schokolade, \"Crisp\", 100 g", "Zuckerfink", 189),
            piece("Dinkelkekse, Vollkorn, 150 g", "Kornliesl", 249),
        ],
    ),
    shelf(&["Getränke", "Säfte"], &[piece("Apfelsaft, naturtrüb, 6 x 1 l", "Obsthof Rieth", 1_074)]),
];

pub(in super::super) const KONBINI: &[Shelf] = &[
    shelf(
        &["食品", "お菓子"],
        &[
            piece("抹茶クッキー 12枚入り", "ゆきしろ堂", 780),
            piece("えびせんべい「浜の香」", "浜屋本舗", 540),
            piece("チョコレート, ビター 70%", "ゆきしろ堂", 398),
        ],
    ),
    shelf(
        &["食品", "飲料", "お茶"],
        &[piece("ほうじ茶ティーバッグ 50包", "茶々園", 648), piece("緑茶 500ml×24本", "茶々園", 2_480)],
    ),
    shelf(
        &["文房具", "ノート"],
        &[
            piece("方眼ノート A5 「かきごこち」", "紙音", 330),
            piece("ボールペン 0.38mm, 黒", "すらり", 165),
            unbranded("和紙シール 季節の花", 275),
        ],
    ),
    shelf(
        &["キッチン", "食器"],
        &[
            piece("湯呑み 藍染め", "白波窯", 1_980),
            piece("弁当箱 2段 600ml", "まるはこ", 2_640),
            unbranded("菜箸セット, 竹", 440),
        ],
    ),
    shelf(&["生活雑貨"], &[piece("今治風タオル, 2枚組", "ふわり工房", 1_320)]),
];

pub(in super::super) const PHARMACY: &[Shelf] = &[
    shelf(
        &["Gesundheit", "Erkältung"],
        &[
            piece("Nasenspray mit Meersalz, 20 ml", "Halvamed", 549),
            piece("Hustenbonbons \"Salbei\", zuckerfrei", "Kräuterpaul", 279),
            piece("Thermometer, digital", "Halvamed", 1_299),
        ],
    ),
    shelf(
        &["Gesundheit", "Vitamine", "Mineralstoffe"],
        &[
            piece("Magnesium 400, 60 Tabletten", "Vitamoor", 1_149),
            piece("Vitamin D3, Tropfen, 10 ml", "Vitamoor", 899),
        ],
    ),
    shelf(
        &["Pflege", "Gesicht"],
        &[
            piece("Crème Hydratante, peau sèche, 50 ml", "Belle Rivière", 2_350),
            piece("Sun Fluid SPF 50+, 50 ml", "Solanea", 1_799),
            piece("Micellar Water, 400 ml", "Belle Rivière", 1_190),
        ],
    ),
    shelf(
        &["Pflege", "Hände"],
        &[piece("Handcreme Ringelblume, 75 ml", "Kräuterpaul", 449), unbranded("Nail Brush, beech wood", 399)],
    ),
    shelf(&[], &[unbranded("Pflaster-Set, 40-teilig", 329)]),
];

pub(in super::super) const PETS: &[Shelf] = &[
    shelf(
        &["Dog", "Food", "Dry Food"],
        &[
            piece("Adult Kibble, Lamb & Rice, 12 lb", "Barkley Farm", 3_899),
            piece("Puppy Kibble, \"Tiny Teeth\", 5 lb", "Barkley Farm", 2_199),
        ],
    ),
    shelf(
        &["Cat", "Food", "Wet Food"],
        &[
            piece("Tuna in Jelly, 12 x 3 oz", "Whiskerwold", 1_549),
            piece("Maguro まぐろ Flakes, 24 x 1.4 oz", "Nekomura", 2_649),
            piece("Salmon Pâté, Grain Free, 5.5 oz", "Whiskerwold", 219),
        ],
    ),
    shelf(
        &["Dog", "Walking"],
        &[piece("Reflective Leash, 6 ft", "Hedgetrot", 1_899), piece("Harness, padded", "Hedgetrot", 3_299)],
    )
    .in_variants(&["S", "M", "L"]),
    shelf(
        &["Cat", "Litter"],
        &[unbranded("Wood Pellet Litter, 20 lb", 1_399), piece("Litter Scoop, steel", "Tidypaw", 1_099)],
    ),
    shelf(
        &["Small Pets"],
        &[weighed("Timothy Hay, by weight", 899), piece("Hamster Wheel, silent, 8\"", "Nibblewick", 1_749)],
    ),
    shelf(&["Toys"], &[piece("Rope Toy, \"Tug 'n' Wag\"", "Hedgetrot", 849)]),
];
