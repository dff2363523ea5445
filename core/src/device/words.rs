//! Replacement of words in a text.

/// Replaces words in a text. The function receives each word and the text after it. The array names of a call belong to the function's
/// name.
pub(super) fn words(source: &str, mut other: impl FnMut(&str, &str) -> Option<String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = source;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, mut after) = rest.split_at(end);
        match other(word, after) {
            Some(other) => {
                text.push_str(&other);
                if word.starts_with("fa_call_") && after.starts_with('<') {
                    after = after.split_once('>').map_or(after, |(_, after)| after);
                }
            }
            None => text.push_str(word),
        }
        let next = after.find(is_word).unwrap_or(after.len());
        text.push_str(&after[..next]);
        rest = &after[next..];
    }
    text
}
