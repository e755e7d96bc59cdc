//! "Did you mean": the known word that is nearest to an unknown one.

/// Words less alike than this are not meant.
const ALIKE: f64 = 0.8;

/// The nearest of the known words, if one is near enough to be meant.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_named(given, known.into_iter().map(|word| (word, word)))
}

/// The value that the nearest of the known words names, if one is near enough to be meant.
pub(crate) fn nearest_named<'a, T>(given: &str, known: impl IntoIterator<Item = (&'a str, T)>) -> Option<T> {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|(word, named)| (strsim::jaro_winkler(&given, &word.to_lowercase()), named))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, named)| named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_finds_its_word_and_nonsense_none() {
        let known = ["connectionId", "retailerId", "status"];
        assert_eq!(nearest("conectionid", known), Some("connectionId"));
        assert_eq!(nearest("stauts", known), Some("status"));
        assert_eq!(nearest("zzz", known), None);
    }
}
