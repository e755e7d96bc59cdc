//! Results whose every byte matters, on a terminal: the text is unchanged, except that control characters are shown as
//! escapes (`\u001b`, `\u202e`). Pipes and files get the exact bytes.

use std::io::{self, Write};

use super::sanitize::is_harmful;

/// Writes text from outside to a terminal.
#[derive(Debug)]
pub(crate) struct Visible<W: Write> {
    inner: W,
    /// An incomplete character or line break, whose remaining bytes are still to come.
    rest: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) const fn new(inner: W) -> Self {
        Self { inner, rest: Vec::new() }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let (text, used) = shown(&all, &[]);
        self.rest = all.split_off(used);
        self.inner.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.inner.write_all(whole(&rest, &[]).as_bytes())?;
        self.inner.flush()
    }
}

/// Converts a complete text.
pub(crate) fn text(bytes: &[u8]) -> String {
    whole(bytes, &[])
}

/// Converts JSON that the program has written and coloured, in which every escape character belongs to a colour.
pub(crate) fn coloured_json(bytes: &[u8]) -> String {
    whole(bytes, &['\u{1b}'])
}

fn whole(bytes: &[u8], harmless: &[char]) -> String {
    let (mut text, used) = shown(bytes, harmless);
    bytes[used..].iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    text
}

/// The converted text, and how many of the bytes it covers. An incomplete character at the end is not covered.
fn shown(bytes: &[u8], harmless: &[char]) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        let mut letters = chunk.valid().chars().peekable();
        while let Some(letter) = letters.next() {
            let is_at_end = used + letter.len_utf8() == bytes.len();
            match letter {
                '\r' if is_at_end => return (text, used),
                '\r' if letters.peek() == Some(&'\n') => text.push('\r'),
                '\n' | '\t' => text.push(letter),
                letter if is_harmful(letter) && !harmless.contains(&letter) => {
                    text.push_str(&format!("\\u{:04x}", u32::from(letter)));
                }
                letter => text.push(letter),
            }
            used += letter.len_utf8();
        }
        let invalid = chunk.invalid();
        if used + invalid.len() == bytes.len() && may_go_on(invalid) {
            return (text, used);
        }
        invalid.iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
        used += invalid.len();
    }
    (text, used)
}

/// Whether these bytes are the beginning of a character.
fn may_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|why| why.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_drive_a_terminal_is_shown() {
        assert_eq!(
            text(b"a\x1b[2J\x1b]0;x\x07\xc2\x9bb\xe2\x80\xae\x7f\n\tc\r\n"),
            "a\\u001b[2J\\u001b]0;x\\u0007\\u009bb\\u202e\\u007f\n\tc\r\n"
        );
        assert_eq!(text("Café 北京 ✓".as_bytes()), "Café 北京 ✓");
        assert_eq!(text(b"over\rwritten\r"), "over\\u000dwritten\\x0d");
        assert_eq!(text(b"\x9b2J\xff\xe2\x80"), "\\x9b2J\\xff\\xe2\\x80");
        assert_eq!(coloured_json(b"\x1b[32m\"a\xc2\x9b\"\x1b[0m"), "\u{1b}[32m\"a\\u009b\"\u{1b}[0m");
    }

    #[test]
    fn a_letter_may_come_in_pieces() {
        let given = "a北\u{202e}é\r\nz\u{9b}";
        for size in 1..6 {
            let mut written = Vec::new();
            let mut to = Visible::new(&mut written);
            given.as_bytes().chunks(size).for_each(|chunk| to.write_all(chunk).expect("memory"));
            to.flush().expect("memory");
            assert_eq!(String::from_utf8(written).expect("text"), "a北\\u202eé\r\nz\\u009b", "{size}");
        }
    }
}
