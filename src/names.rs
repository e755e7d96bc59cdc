//! Which thing a person means: by its id, its name, or a part of either, with case and accents folded. Letters that are
//! only scattered over a name never match it, and several matches are never narrowed by guessing.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// No name of a retailer makes a longer name of a file.
const LONGEST_SLUG: usize = 60;

/// A shorter beginning of an id is not taken: it would soon belong to several.
const SHORTEST_ID: usize = 4;

/// What a query means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Match<'a, T> {
    /// Nothing.
    None,
    One(&'a T),
    /// Any of these, the likeliest first.
    Many(Vec<&'a T>),
}

/// How well a candidate fits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The whole id. An id in a command to copy always means its own thing, whatever others are called.
    Id,
    /// The whole name, letter by letter.
    Name,
    /// The whole name but for case and accents.
    Folded,
    /// The beginning of the name or of the id.
    Beginning,
    /// The beginning of a word of the name.
    Word,
    /// Any other part of the name.
    Part,
}

/// Lower-case letters a to z, digits, and a hyphen for all else between them: `Café Müßig & Co.` is `cafe-mussig-co`.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for one in DecomposingNormalizerBorrowed::new_nfkd().normalize(text).to_lowercase().chars() {
        match one {
            'a'..='z' | '0'..='9' => slug.push(one),
            'ß' => slug.push_str("ss"),
            'æ' => slug.push_str("ae"),
            'œ' => slug.push_str("oe"),
            'ø' => slug.push('o'),
            'ł' => slug.push('l'),
            'đ' => slug.push('d'),
            // Accents, which now follow their letters.
            '\u{300}'..='\u{36f}' | '\'' | '’' => {}
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() >= LONGEST_SLUG {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// A text whose letters have their accents in one way: `é` may also be written as `e` and an accent.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// A text in the form in which names are compared: lower case, without accents, with single spaces.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in DecomposingNormalizerBorrowed::new_nfkd().normalize(text).chars().flat_map(char::to_lowercase) {
        match letter {
            // Accents, which follow their letters after the decomposition.
            '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' => {}
            // Letters that have no decomposition, as people type them.
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ı' => folded.push('i'),
            '’' | '‘' | 'ʼ' => folded.push('\''),
            _ if letter.is_whitespace() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            _ => folded.push(letter),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The one that `query` means: an exact id, else an exact name, else the only one whose name or id begins with it, else
/// the only one whose name contains it. Beginnings of ids count from four characters on, with or without their fixed
/// beginning (`conn_`); numbers only count whole.
pub(crate) fn find<'a, T>(
    query: &str,
    candidates: &'a [T],
    name: impl Fn(&T) -> &str,
    id: impl Fn(&T) -> String,
) -> Match<'a, T> {
    if fold(query).is_empty() {
        return Match::None;
    }
    let found = ranked(query, candidates, name, id);
    // A whole id or name is only one if no other has the same; a beginning, if no other begins so.
    let bests = found.iter().take_while(|(fit, _)| Some(fit) == found.first().map(|(best, _)| best)).count();
    match found.as_slice() {
        [] => Match::None,
        [(fit, only), ..] if bests == 1 && *fit <= Fit::Beginning => Match::One(only),
        [(_, only)] => Match::One(only),
        _ => Match::Many(found.into_iter().map(|(_, one)| one).collect()),
    }
}

/// All that `query` may mean, the likeliest first; everything if it is empty, and nothing else beside an exact id or name.
pub(crate) fn fitting<'a, T>(
    query: &str,
    candidates: &'a [T],
    name: impl Fn(&T) -> &str,
    id: impl Fn(&T) -> String,
) -> Vec<&'a T> {
    if fold(query).is_empty() {
        return candidates.iter().collect();
    }
    ranked(query, candidates, name, id).into_iter().map(|(_, one)| one).collect()
}

/// Whether `query` is the whole id or name, case and accents folded.
pub(crate) fn is_exact(query: &str, name: &str, id: &str) -> bool {
    fit(query.trim(), &fold(query), name, id).is_some_and(|fit| fit <= Fit::Folded)
}

/// The candidates that fit, in order; if one fits exactly, only those that fit as exactly.
fn ranked<'a, T>(
    query: &str,
    candidates: &'a [T],
    name: impl Fn(&T) -> &str,
    id: impl Fn(&T) -> String,
) -> Vec<(Fit, &'a T)> {
    let (typed, folded) = (query.trim(), fold(query));
    let fits = candidates.iter().filter_map(|one| Some((fit(typed, &folded, name(one), &id(one))?, one)));
    let mut found: Vec<(Fit, &T)> = fits.collect();
    found.sort_by_key(|(fit, _)| *fit);
    if let Some(best) = found.first().map(|(best, _)| *best).filter(|best| *best <= Fit::Folded) {
        found.retain(|(fit, _)| *fit == best);
    }
    found
}

fn fit(typed: &str, folded: &str, name: &str, id: &str) -> Option<Fit> {
    if typed == id {
        return Some(Fit::Id);
    }
    if typed == name.trim() {
        return Some(Fit::Name);
    }
    let name = fold(name);
    if name == folded {
        return Some(Fit::Folded);
    }
    if name.starts_with(folded) || begins_id(typed, id) {
        return Some(Fit::Beginning);
    }
    let place = name.find(folded)?;
    let is_word = name[..place].ends_with(|before: char| !before.is_alphanumeric());
    Some(if is_word { Fit::Word } else { Fit::Part })
}

fn begins_id(typed: &str, id: &str) -> bool {
    // A beginning of a number is another number.
    if id.bytes().all(|digit| digit.is_ascii_digit()) {
        return false;
    }
    let (fixed, own) = id.split_at(id.find('_').map_or(0, |end| end + 1));
    let beginning = typed.strip_prefix(fixed).unwrap_or(typed);
    beginning.chars().count() >= SHORTEST_ID && own.starts_with(beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOPS: [(&str, &str); 8] = [
        ("1", "Marrowby Market"),
        ("12", "Merribazaar"),
        ("3", "Komadori Shōten"),
        ("4", "Gletscherkorb"),
        ("5", "Green Market"),
        ("6", "Café Müßig"),
        ("conn_3f2a9c", "Harbor"),
        ("conn_3f2b77", "HARBOR Books"),
    ];

    fn found(query: &str) -> Vec<&'static str> {
        match find(query, &SHOPS, |(_, name)| name, |(id, _)| (*id).to_owned()) {
            Match::None => vec![],
            Match::One((_, name)) => vec![name],
            Match::Many(several) => {
                assert!(several.len() > 1, "{query}");
                several.into_iter().map(|(_, name)| *name).collect()
            }
        }
    }

    #[test]
    fn accents_case_and_spaces_are_folded() {
        for (text, folded) in [
            ("Komadori Shōten", "komadori shoten"),
            ("  CAFÉ\u{a0} Müßig ", "cafe mussig"),
            ("Łódź Ærø", "lodz aero"),
            ("İstanbul ILICA", "istanbul ilica"),
            ("Ｆｕｌｌ", "full"),
            ("O’Hara", "o'hara"),
            ("が", "か\u{3099}"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded);
        }
    }

    #[test]
    fn scattered_letters_never_match() {
        assert_eq!(found("sho"), ["Komadori Shōten"]);
        assert_eq!(found("shoten"), ["Komadori Shōten"]);
        assert!(found("gko").is_empty());
        assert!(found("").is_empty() && found(" \t").is_empty());
    }

    #[test]
    fn exact_goes_before_a_beginning_and_that_before_a_part() {
        assert_eq!(found("1"), ["Marrowby Market"]);
        assert_eq!(found("12"), ["Merribazaar"]);
        assert_eq!(found("harbor"), ["Harbor"]);
        assert_eq!(found("marr"), ["Marrowby Market"]);
        assert_eq!(found("bazaar"), ["Merribazaar"]);
        assert_eq!(found("mar"), ["Marrowby Market"], "the only beginning, though Green Market has the part");
        assert_eq!(found("market"), ["Marrowby Market", "Green Market"]);
        assert_eq!(found("har"), ["Harbor", "HARBOR Books"]);
    }

    #[test]
    fn a_short_id_needs_four_characters_of_its_own() {
        assert_eq!(found("3f2a"), ["Harbor"]);
        assert_eq!(found("conn_3f2b"), ["HARBOR Books"]);
        assert!(found("conn_3f2").is_empty() && found("conn_").is_empty() && found("3f2").is_empty());
        let numbers = [("12345", "A"), ("98765", "B")];
        assert_eq!(find("1234", &numbers, |(_, name)| name, |(id, _)| (*id).to_owned()), Match::None);
    }

    #[test]
    fn things_of_the_same_name_are_never_guessed_and_ids_always_mean_their_own() {
        let same = [("a_1111", "Harbor"), ("a_2222", "Harbor"), ("a_3333", "a_1111"), ("a_4444", "Härbor")];
        let find = |query| find(query, &same, |(_, name)| name, |(id, _)| (*id).to_owned());
        assert_eq!(find("Harbor"), Match::Many(vec![&same[0], &same[1]]));
        assert_eq!(find("Härbor"), Match::One(&same[3]));
        assert_eq!(find("a_1111"), Match::One(&same[0]));
    }

    #[test]
    fn all_that_fit_are_offered_the_likeliest_first() {
        let offered = |query| -> Vec<&str> {
            fitting(query, &SHOPS, |(_, name)| name, |(id, _)| (*id).to_owned()).iter().map(|(_, name)| *name).collect()
        };
        assert_eq!(offered("mar"), ["Marrowby Market", "Green Market"]);
        assert_eq!(offered("12"), ["Merribazaar"]);
        assert_eq!(offered(" ").len(), SHOPS.len());
        assert!(is_exact("shōten ", "Shoten", "1") && is_exact("1", "Shoten", "1") && !is_exact("sho", "Shoten", "1"));
    }
}
