//! Which word stands for which. Nothing of the mapping is kept: it is random in every run.

use std::collections::{HashMap, HashSet};

/// Attempts to find a word that nothing else has.
const ATTEMPTS: usize = 200;
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const ACCENTED: &str = "äöüßéèêàáíóúñçłśżåøæ";

/// One word becomes one other word, and no two become the same.
#[derive(Default)]
pub(super) struct Mapping {
    words: HashMap<String, String>,
    numbers: HashMap<String, String>,
    /// What nothing may become: the words and numbers that were seen.
    seen: HashSet<String>,
    /// What nothing should become. There are only ninety numbers of two digits.
    doubtful: HashSet<String>,
    /// What others became.
    given: HashSet<String>,
    random: u64,
}

impl Mapping {
    pub(super) fn new() -> Self {
        let mut seed = [0; 8];
        // Without randomness, the letters are still other ones.
        let _given = getrandom::fill(&mut seed);
        Self { random: u64::from_le_bytes(seed) | 1, ..Self::default() }
    }

    /// Nothing becomes one of these.
    pub(super) fn avoid(&mut self, texts: impl IntoIterator<Item = String>) {
        self.seen.extend(texts);
    }

    /// Nothing becomes one of these as long as there is anything else.
    pub(super) fn avoid_if_possible(&mut self, texts: impl IntoIterator<Item = String>) {
        self.doubtful.extend(texts);
    }

    /// Gives numbers of one and two digits each one of its own, before others take those: there are only nine and ninety.
    pub(super) fn reserve<'a>(&mut self, numbers: impl IntoIterator<Item = &'a String>) {
        let mut known: Vec<String> = numbers.into_iter().filter(|number| is_short(number)).cloned().collect();
        known.sort_unstable();
        known.dedup();
        for range in [1..10, 10..100] {
            let mut free: Vec<String> = range.map(|number: u32| number.to_string()).collect();
            let own: Vec<&String> = known.iter().filter(|number| free.contains(number)).collect();
            for last in (1..free.len()).rev() {
                let other = self.below(last + 1);
                free.swap(last, other);
            }
            free.sort_by_key(|number| (self.seen.contains(number), self.doubtful.contains(number)));
            for (index, number) in own.iter().enumerate() {
                if free[index] == **number {
                    let next = (index + 1) % free.len();
                    free.swap(index, next);
                }
            }
            for (number, other) in own.into_iter().zip(free) {
                self.given.insert(other.clone());
                self.numbers.insert(number.clone(), other);
            }
        }
    }

    /// Another word of as many letters, with capitals at the same places.
    pub(super) fn word(&mut self, word: &str) -> String {
        let lower: Vec<char> = word.chars().map(lower).collect();
        let key: String = lower.iter().collect();
        let other = match self.words.get(&key) {
            Some(other) => other.clone(),
            None => {
                let other =
                    self.another(&key, |mapping| lower.iter().map(|sign| mapping.other_letter(*sign)).collect());
                self.words.insert(key, other.clone());
                other
            }
        };
        let cased = |(other, sign): (char, char)| if sign.is_uppercase() { upper(other) } else { other };
        other.chars().zip(word.chars()).map(cased).collect()
    }

    /// Another number of as many digits.
    pub(super) fn number(&mut self, number: &str) -> String {
        if let Some(other) = self.numbers.get(number) {
            return other.clone();
        }
        let digits: Vec<char> = number.chars().collect();
        let other = self.another(number, |mapping| {
            digits
                .iter()
                .enumerate()
                .map(|(place, sign)| mapping.digit(*sign, place == 0 && digits.len() > 1))
                .collect()
        });
        self.numbers.insert(number.to_owned(), other.clone());
        other
    }

    fn another(&mut self, text: &str, make: impl Fn(&mut Self) -> String) -> String {
        let mut other = make(self);
        for attempt in 0..4 * ATTEMPTS {
            // Short words and numbers are few: each round rules out less.
            let round = attempt / ATTEMPTS;
            let is_free = (round > 0 || !self.doubtful.contains(&other))
                && (round > 1 || !self.seen.contains(&other))
                && (round > 2 || !self.given.contains(&other));
            if other != text && is_free {
                break;
            }
            other = make(self);
        }
        self.given.insert(other.clone());
        other
    }

    /// Not the same: chance alone would leave every twentieth letter with an accent.
    fn other_letter(&mut self, sign: char) -> char {
        (0..ATTEMPTS).map(|_| self.letter(sign)).find(|other| *other != sign).unwrap_or(sign)
    }

    fn letter(&mut self, sign: char) -> char {
        match sign {
            'a'..='z' => self.of(LETTERS),
            '\u{300}'..='\u{36f}' => sign,
            '\u{3041}'..='\u{3096}' => self.between('\u{3041}', '\u{3096}'),
            '\u{30a1}'..='\u{30fa}' => self.between('\u{30a1}', '\u{30fa}'),
            '\u{4e00}'..='\u{9fff}' => self.between('\u{4e00}', '\u{9fa5}'),
            '\u{ac00}'..='\u{d7a3}' => self.between('\u{ac00}', '\u{d7a3}'),
            '\u{430}'..='\u{44f}' => self.between('\u{430}', '\u{44f}'),
            '\u{3b1}'..='\u{3c9}' => self.between('\u{3b1}', '\u{3c9}'),
            '\u{df}'..='\u{24f}' => self.of(ACCENTED),
            _ => self.of(LETTERS),
        }
    }

    fn digit(&mut self, sign: char, is_first: bool) -> char {
        match sign {
            '0'..='9' => self.of(if is_first && sign != '0' { "123456789" } else { "0123456789" }),
            '\u{ff10}'..='\u{ff19}' => self.between('\u{ff10}', '\u{ff19}'),
            '\u{660}'..='\u{669}' => self.between('\u{660}', '\u{669}'),
            _ => self.of("0123456789"),
        }
    }

    fn of(&mut self, signs: &str) -> char {
        let count = signs.chars().count();
        let index = self.below(count);
        signs.chars().nth(index).unwrap_or('x')
    }

    fn between(&mut self, first: char, last: char) -> char {
        let (first, last) = (first as u32, last as u32);
        let span = usize::try_from(last - first + 1).unwrap_or(1);
        let offset = u32::try_from(self.below(span)).unwrap_or_default();
        char::from_u32(first + offset).unwrap_or('x')
    }

    /// xorshift64*: it hides nothing, because the mapping is as long as the text.
    fn below(&mut self, count: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let high = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or_default() % count.max(1)
    }
}

/// Whether a number has one or two digits.
fn is_short(number: &str) -> bool {
    (1..=2).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// In lower case, if that is one letter.
fn lower(sign: char) -> char {
    let mut lower = sign.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => sign,
    }
}

fn upper(sign: char) -> char {
    let mut upper = sign.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => sign,
    }
}
