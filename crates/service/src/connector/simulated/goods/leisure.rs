//! Books, fashion, toys, outdoor, records.

use super::{Shelf, piece, shelf, unbranded};

pub(in super::super) const BOOKS: &[Shelf] = &[
    shelf(
        &["Books", "Fiction", "Mystery"],
        &[
            piece("The Lighthouse Ledger (Inspector Quayle, Book 2)", "Otterby House", 999),
            piece("\"Not Before Noon\", and Other Stories", "Otterby House", 1_299),
            piece("Murder at Upper Thistle, Paperback", "Redfern & Daughters", 899),
        ],
    ),
    shelf(
        &["Books", "Fiction", "In Translation"],
        &[
            piece("雨の手紙 (Letters from the Rain)", "Hoshimachi Press", 1_499),
            piece("Die Bücher der Müllerstochter", "Verlag Sandkrug", 1_650),
            piece("L'Été à Kérazan", "Éditions du Phare", 1_190),
        ],
    ),
    shelf(
        &["Books", "Non-Fiction", "Cooking"],
        &[
            piece("Bread, Butter, Salt: A Baker's Year", "Redfern & Daughters", 2_500),
            piece("One Pot, Five Ways", "Larder Lane", 1_800),
        ],
    ),
    shelf(
        &["Books", "Children"],
        &[
            piece("Bo the Bear Can't Sleep", "Tuppence Books", 699),
            piece("100 Facts About Moss", "Tuppence Books", 850),
        ],
    ),
    shelf(&["Stationery"], &[unbranded("Bookmark, leather", 450), piece("Reading Light, clip-on", "Glowhaven", 1_350)]),
];

pub(in super::super) const FASHION: &[Shelf] = &[
    shelf(
        &["Women", "Tops", "T-Shirts"],
        &[
            piece("Organic Cotton Tee", "Marlowe & Finch", 1_800),
            piece("Breton Top, navy/white", "Marlowe & Finch", 2_950),
        ],
    )
    .in_variants(&["XS", "S", "M", "L", "XL"]),
    shelf(
        &["Men", "Knitwear"],
        &[
            piece("Lambswool Crew Neck, Moss", "Harrowgate Mill", 6_500),
            piece("Merino Rollneck, Charcoal", "Harrowgate Mill", 7_200),
        ],
    )
    .in_variants(&["S", "M", "L", "XL"]),
    shelf(
        &["Women", "Shoes", "Boots"],
        &[piece("Chelsea Boots \"Wren\"", "Cobble & Last", 11_500), piece("Clogs, leather", "Cobble & Last", 8_400)],
    )
    .in_variants(&["37", "38", "39", "40", "41"]),
    shelf(
        &["Accessories", "Scarves"],
        &[
            piece("Silk Scarf, \"Méduse\"", "Atelier Orvanne", 4_800),
            piece("Beanie, ribbed", "Harrowgate Mill", 1_950),
            unbranded("Tote Bag, canvas", 1_200),
        ],
    ),
    shelf(&["Underwear & Socks"], &[piece("Socks, 5 pairs", "Marlowe & Finch", 1_600)])
        .in_variants(&["36-38", "39-42", "43-46"]),
];

pub(in super::super) const TOYS: &[Shelf] = &[
    shelf(
        &["Toys", "Construction"],
        &[
            piece("Wooden Blocks, 100 pcs", "Knotwick", 3_499),
            piece("Marble Run \"Zig, Zag, Zoom\"", "Knotwick", 4_999),
        ],
    ),
    shelf(
        &["Games", "Board Games", "Family"],
        &[
            piece("Harbour Masters (2nd Edition)", "Pawn & Pebble", 4_499),
            piece("Die Würfelbrücke", "Pawn & Pebble", 2_999),
            piece("Kitsune きつね, card game", "Pawn & Pebble", 1_899),
        ],
    ),
    shelf(
        &["Puzzles"],
        &[
            piece("Puzzle 1000 pcs, \"Market Day\"", "Jigsmith", 2_199),
            piece("Puzzle 24 pcs, Tractors", "Jigsmith", 1_299),
        ],
    ),
    shelf(
        &["Toys", "Plush"],
        &[piece("Plush Otter, 12\"", "Cuddlestone", 2_499), piece("Plush Mole, small", "Cuddlestone", 1_499)],
    ),
    shelf(&[], &[unbranded("Gift Wrap, 3 sheets", 599)]),
];

pub(in super::super) const OUTDOOR: &[Shelf] = &[
    shelf(
        &["Camping", "Tents"],
        &[
            piece("Tent \"Skylark 2\", 2-person", "Brackenfell", 24_900),
            piece("Tent Pegs, aluminium, 10 pcs", "Brackenfell", 1_450),
        ],
    ),
    shelf(
        &["Clothing", "Jackets", "Waterproof"],
        &[piece("Rain Jacket \"Drizzle\"", "Galeforth", 11_900), piece("Fleece, half-zip", "Galeforth", 5_400)],
    )
    .in_variants(&["S", "M", "L", "XL"]),
    shelf(
        &["Camping", "Cooking"],
        &[
            piece("Gas Stove, folding", "Cinderfold", 3_800),
            piece("Mug, enamel, 350 ml", "Cinderfold", 950),
            piece("Spork, titanium", "Cinderfold", 1_100),
        ],
    ),
    shelf(
        &["Cycling"],
        &[
            piece("Inner Tube 28\", Presta", "Spokewind", 650),
            piece("Bike Light Set, USB", "Spokewind", 3_200),
            unbranded("Puncture Kit", 399),
        ],
    ),
    shelf(&[], &[unbranded("Map Case, A4, \"dry\"", 1_250)]),
];

pub(in super::super) const RECORDS: &[Shelf] = &[
    shelf(
        &["Vinyl", "Jazz"],
        &[
            piece("Late Ferry, Early Train (180 g LP)", "Blauwasser Records", 2_799),
            piece("Trio Høst: \"Live, Oslo '71\"", "Nattmusikk", 2_450),
        ],
    ),
    shelf(
        &["Vinyl", "Electronic"],
        &[
            piece("Überlagerung (2xLP)", "Kurzwelle", 3_299),
            piece("夜行列車 / Night Train EP", "Tsukimi Sound", 1_999),
            piece("Patchwork Oscillators, Vol. 4", "Kurzwelle", 2_199),
        ],
    ),
    shelf(
        &["CD", "Classical"],
        &[
            piece("Nocturnes for a Small Piano", "Saint-Aubert", 1_499),
            piece("String Quartets, Complete (4 CD)", "Saint-Aubert", 3_990),
        ],
    ),
    shelf(
        &["Accessories"],
        &[piece("Record Brush, carbon fibre", "Rillenrein", 1_690), unbranded("Inner Sleeves 12\", 50 pcs", 1_390)],
    ),
];
