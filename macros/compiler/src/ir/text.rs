//! Code in messages, as the user wrote it.

use proc_macro2::{Delimiter, LineColumn, Spacing, Span, TokenStream, TokenTree};

/// The maximal length of code in a message.
const LONGEST: usize = 80;

/// Tokens as text, with the user's spacing; if that is unknown, with the usual spacing.
pub fn shown_tokens(tokens: &TokenStream) -> String {
    let mut joined = Joined::default();
    joined.tokens(tokens.clone());
    shortened(joined.text)
}

/// All tokens with the usual spacing.
pub fn formatted(tokens: TokenStream) -> String {
    let mut joined = Joined { unplaced: true, ..Joined::default() };
    joined.tokens(tokens);
    joined.text
}

/// Statements as lines. Each line begins with a line break.
pub fn layout(tokens: TokenStream) -> String {
    let (mut lines, mut line) = (String::new(), TokenStream::new());
    let end = |line: &mut TokenStream, lines: &mut String, by: &str| {
        let mut joined = Joined::default();
        joined.tokens(std::mem::take(line));
        let text = joined.text.replace("Vec < _ >", "Vec<_>");
        let joined = text.starts_with("else") && lines.ends_with('}');
        *lines += &format!("{}{text}{by}", if joined { " " } else { "\n" });
    };
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !group.stream().is_empty() => {
                end(&mut line, &mut lines, " {");
                lines += &layout(group.stream()).replace('\n', "\n    ");
                lines += "\n}";
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' && line.is_empty() => lines.push(';'),
            TokenTree::Punct(punct) if punct.as_char() == ';' => end(&mut line, &mut lines, ";"),
            token => line.extend([token]),
        }
    }
    if !line.is_empty() {
        end(&mut line, &mut lines, "");
    }
    lines
}

/// The text of tokens with the usual spacing: the tokens' own text has a space between any two of them.
pub fn shown(text: &str) -> String {
    match text.parse::<TokenStream>() {
        // The spaces in the text are not the user's.
        Ok(tokens) => shortened(formatted(tokens)),
        Err(_) => shortened(text.to_owned()),
    }
}

fn shortened(text: String) -> String {
    if text.chars().count() > LONGEST { text.chars().take(LONGEST - 3).chain("...".chars()).collect() } else { text }
}

/// The kind of the last token, as far as it determines the space after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    /// Nothing, or an opening bracket: no space follows.
    #[default]
    Open,
    /// A name, a number, or a closing bracket: the next token is an operator, or belongs to the value.
    Value,
    /// A keyword such as `in`, which ends no value.
    Keyword,
    /// A binary operator.
    Operator,
    /// A sign before a value, such as `-`, `&` or `*`.
    Prefix,
    /// `.`, `::`, `..`: there is no space around it.
    Tight,
    /// The bar before a closure's parameters.
    Bar,
    /// `,` or `;`.
    Comma,
}

#[derive(Default)]
struct Joined {
    text: String,
    last: Last,
    /// Where the last token ended.
    end: Option<LineColumn>,
    /// Whether the positions of the tokens are meaningless.
    unplaced: bool,
    /// Whether the parameter list of a closure is open.
    parameters: bool,
}

impl Joined {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::None => ("", ""),
                    };
                    let belongs = matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket);
                    let spaced = match self.last {
                        Last::Value => !belongs,
                        last => Self::spaced_after(last),
                    };
                    self.put(open, spaced, group.span_open());
                    self.last = Last::Open;
                    let braces = group.delimiter() == Delimiter::Brace && !group.stream().is_empty();
                    if braces {
                        self.last = Last::Comma;
                    }
                    self.tokens(group.stream());
                    self.put(close, braces, group.span_close());
                    self.last = Last::Value;
                }
                TokenTree::Ident(ident) => {
                    const KEYWORDS: &[&str] =
                        &["as", "else", "for", "if", "in", "let", "match", "move", "mut", "ref", "return", "while"];
                    let word = ident.to_string();
                    self.put(&word, self.last == Last::Value || Self::spaced_after(self.last), ident.span());
                    self.last = if KEYWORDS.contains(&word.as_str()) { Last::Keyword } else { Last::Value };
                }
                TokenTree::Literal(literal) => {
                    self.put(
                        &literal.to_string(),
                        self.last == Last::Value || Self::spaced_after(self.last),
                        literal.span(),
                    );
                    self.last = Last::Value;
                }
                TokenTree::Punct(mut punct) => {
                    let (start, mut text) = (punct.span(), punct.as_char().to_string());
                    while punct.spacing() == Spacing::Joint {
                        let Some(TokenTree::Punct(next)) = tokens.peek() else { break };
                        punct = next.clone();
                        text.push(punct.as_char());
                        tokens.next();
                    }
                    self.punctuation(&text, start, punct.span());
                }
            }
        }
    }

    fn punctuation(&mut self, text: &str, start: Span, end: Span) {
        let after_value = self.last == Last::Value;
        let before = Self::spaced_after(self.last);
        let (spaced, last) = match text {
            "," | ";" => (false, Last::Comma),
            "." | "::" | ".." | "..=" | "?" => {
                (!after_value && before, if text == "?" { Last::Value } else { Last::Tight })
            }
            // A macro's `!`, or a negation.
            "!" if after_value => (false, Last::Tight),
            "'" | "#" => (after_value || before, Last::Tight),
            ":" => (false, Last::Comma),
            "|" if self.parameters => {
                self.parameters = false;
                (false, Last::Operator)
            }
            "|" if !after_value => {
                self.parameters = true;
                (before, Last::Bar)
            }
            "||" if !after_value => (before, Last::Operator),
            "-" | "!" | "*" | "&" | "&&" if !after_value => (before, Last::Prefix),
            _ => (after_value || before, Last::Operator),
        };
        self.put(text, spaced, start);
        self.last = last;
        self.end = self.end.map(|_| end.end());
    }

    /// Whether a space usually follows.
    fn spaced_after(last: Last) -> bool {
        matches!(last, Last::Keyword | Last::Operator | Last::Comma)
    }

    /// Adds a token, with a space before it if the user's line has one there, or usual spacing has one.
    fn put(&mut self, token: &str, usual: bool, span: Span) {
        if token.is_empty() {
            return;
        }
        // Generated tokens have no place of their own.
        let (start, placed) = (span.start(), span.start() != span.end());
        let spaced = match self.end.filter(|_| placed) {
            Some(end) if !self.unplaced && end.line == start.line && end.column <= start.column => {
                end.column < start.column
            }
            _ => usual,
        };
        if spaced && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(token);
        self.end = placed.then(|| span.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_spaced_as_usual() {
        for (tokens, written) in [
            ("x [index [i]]", "x[index[i]]"),
            ("f (x , y) . abs ()", "f(x, y).abs()"),
            ("a [(i - 1) * n + j]", "a[(i - 1) * n + j]"),
            ("& x [i .. j]", "&x[i..j]"),
            ("if (a) { b }", "if (a) { b }"),
            ("std :: f64 :: consts :: PI * (r)", "std::f64::consts::PI * (r)"),
            ("bins [* v] += 1", "bins[*v] += 1"),
            ("x . iter () . for_each (| w | o . push (* w))", "x.iter().for_each(|w| o.push(*w))"),
            ("a && ! b || - c < d", "a && !b || -c < d"),
            ("vec ! [0 ; n]", "vec![0; n]"),
            ("for x in & mut v { }", "for x in &mut v {}"),
        ] {
            assert_eq!(shown(tokens), written);
        }
    }

    #[test]
    fn code_is_spaced_as_it_was_written() {
        for written in ["x[ i ]", "a*b + c", "f (x,y)", "|w|{ w }"] {
            assert_eq!(shown_tokens(&written.parse().unwrap()), written);
        }
    }
}
