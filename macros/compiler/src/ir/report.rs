//! Diagnostics. An expansion collects them and reports all of them at once.

use crate::ir::Expr;
use crate::ir::names::Renamed;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The location of a message, from its first to its last token.
///
/// Stable compilers do not join spans for a macro. But they underline an error of the macro from its first token to its
/// last, so a location has both.
#[derive(Debug, Clone, Copy)]
pub struct Location {
    pub start: Span,
    pub end: Span,
}

impl From<Span> for Location {
    fn from(span: Span) -> Self {
        Location { start: span, end: span }
    }
}

impl From<&TokenStream> for Location {
    fn from(tokens: &TokenStream) -> Self {
        let mut tokens = tokens.clone().into_iter();
        let first = tokens.next();
        let last = tokens.last().or_else(|| first.clone());
        let start = match first {
            Some(TokenTree::Group(group)) => group.span_open(),
            Some(token) => token.span(),
            None => Span::call_site(),
        };
        let end = match last {
            Some(token) => token.span(),
            None => start,
        };
        // Tokens from a macro may be far apart: then the message points to the end alone.
        let (from, to) = (start.start(), end.start());
        let start = if (from.line, from.column) <= (to.line, to.column) { start } else { end };
        Location { start, end }
    }
}

impl From<&Expr> for Location {
    fn from(e: &Expr) -> Self {
        Location::from(&e.tokens)
    }
}

impl Location {
    /// The line in the user's file.
    pub fn line(&self) -> usize {
        self.start.start().line
    }

    /// Line and column, to sort diagnostics.
    fn position(&self) -> (usize, usize) {
        let at = self.start.start();
        (at.line, at.column)
    }

    /// From the start of this location to the end of another.
    pub fn to(self, last: impl Into<Location>) -> Location {
        Location { start: self.start, end: last.into().end }
    }
}

/// One mistake: its code, location, explanation and remedy.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub code: Code,
    pub place: Location,
    pub message: String,
    pub help: String,
    /// The loop, if this is a read of elements that only later iterations write.
    pub read_before_it_is_written: Option<Span>,
}

impl Diagnostic {
    fn new(code: Code, place: Location, message: String, help: String) -> Diagnostic {
        Diagnostic { code, place, message, help, read_before_it_is_written: None }
    }

    fn text(&self, renamed: &Renamed) -> String {
        format!("{}: {}\n  help: {}", self.code.name(), renamed.shown(&self.message), renamed.shown(&self.help))
    }

    fn is_dependence(&self) -> bool {
        (Code::FA010..=Code::FA016).contains(&self.code)
    }
}

macro_rules! codes {
    ($($code:ident $title:literal;)*) => {
        /// The stable codes. Each has an entry in the facade's `codes` module.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$code => stringify!($code),)*
                }
            }
        }
    };
}

codes! {
    FA001 "not a function that can be annotated";
    FA002 "an unknown, repeated or malformed argument of an attribute";
    FA003 "a signature that cannot be distributed";
    FA004 "no loop to annotate";
    FA005 "a loop header that is not a counted loop";
    FA010 "a loop-carried dependence";
    FA011 "writes that overlap between iterations";
    FA012 "a write at an index that depends on data";
    FA013 "a last value that is lost";
    FA014 "an accumulator that the loop reads";
    FA015 "an operator that is not associative";
    FA016 "an accumulator with several operators";
    FA017 "a state that iterations share";
    FA018 "a scratch buffer that is read before it is written";
    FA020 "control flow that leaves the loop";
    FA021 "`while` or `loop` as the annotated loop";
    FA022 "code that the compiler cannot analyse";
    FA023 "blocks in another use than a loop over them";
    FA024 "an unsupported use of an object by tasks";
    FA025 "an unsupported loop that receives";
    FA030 "a loop of another class than that of the attribute";
    FA031 "a body that is not a sort";
    FA034 "a function that is not a traversal";
    FA035 "a parameter that calls pass down in an unsupported way";
    FA040 "elements that are not plain data";
    FA050 "a read of a distributed slice that no footprint describes";
    FA051 "a marker that does not fit its parameter";
    FA052 "a function that a device cannot run";
    FA053 "a struct that a device cannot hold";
}

/// The diagnostics of one expansion. Dropping them would hide mistakes, so [`Report::finish`] must consume them.
#[derive(Debug, Default, Clone)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// The variables that the compiler has renamed.
    pub renamed: Renamed,
}

impl Report {
    pub fn error(
        &mut self,
        code: Code,
        place: impl Into<Location>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Diagnostic::new(code, place.into(), message.into(), help.into()));
    }

    /// A read of elements that only later iterations of a loop write.
    pub fn read_before_it_is_written(&mut self, f: Span, place: impl Into<Location>, message: String) {
        let new = Diagnostic::new(Code::FA010, place.into(), message, String::new());
        self.add(Diagnostic { read_before_it_is_written: Some(f), ..new });
    }

    fn add(&mut self, diagnostic: Diagnostic) {
        // The compiler may find the same mistake in two forms of one loop.
        let same = |d: &Diagnostic| d.code == diagnostic.code && d.message == diagnostic.message;
        if !self.diagnostics.iter().any(same) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Tells the user something about code that is accepted.
    pub fn warning(
        &mut self,
        code: Code,
        place: impl Into<Location>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.warnings.push(Diagnostic::new(code, place.into(), message.into(), help.into()));
    }

    /// The warnings as statements. A warning by itself would need an unstable interface: the deprecation of a constant shows it instead.
    pub fn warnings(&self) -> TokenStream {
        let statements = self.warnings.iter().map(|d| {
            let note = d.text(&self.renamed);
            let used = quote_spanned!(d.place.start=> FORALL);
            quote!(let _ = {
                #[deprecated(note = #note)]
                const FORALL: () = ();
                #used
            };)
        });
        statements.collect()
    }

    pub fn count(&self) -> usize {
        self.diagnostics.len()
    }

    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The first message.
    pub fn first(&self) -> Option<&str> {
        self.diagnostics.first().map(|d| d.message.as_str())
    }

    /// Whether a diagnostic has one of these codes.
    pub fn has(&self, codes: &[Code]) -> bool {
        self.diagnostics.iter().any(|d| codes.contains(&d.code))
    }

    pub fn absorb(&mut self, other: Report) {
        other.diagnostics.into_iter().for_each(|diagnostic| self.add(diagnostic));
    }

    /// Replaces a variable of a rewritten loop by the text that the user wrote.
    pub fn rename(&mut self, variable: &str, set: &str, read: &str) {
        for d in &mut self.diagnostics {
            for op in ["=", "+=", "-=", "*=", "/="] {
                d.message = d.message.replace(&format!("`{variable} {op} "), &format!("`{set} {op} "));
            }
            let updates = format!("updates `{variable}`");
            d.message = d.message.replace(&updates, &format!("updates `{set}`")).replace(variable, read);
        }
    }

    /// Replaces the words for iterations by words for calls.
    pub fn speak_of_calls(&mut self) {
        const WORDS: [(&str, &str); 9] = [
            ("iterations", "calls"),
            ("an iteration", "a call"),
            ("iteration", "call"),
            ("inside the loop", "inside the function"),
            ("the loop's body", "the body"),
            ("the loop variable", "its arguments"),
            ("the loop", "the traversal"),
            ("this loop", "this traversal"),
            ("#[foreach_tls", "#[traverse"),
        ];
        for d in &mut self.diagnostics {
            for text in [&mut d.message, &mut d.help] {
                *text = WORDS.iter().fold(std::mem::take(text), |text, (loops, calls)| text.replace(loops, calls));
            }
        }
    }

    /// If iterations depend on each other, the first access that shows it is the cause. Only this one is reported.
    pub fn keep_first_dependence(&mut self) {
        let dependences = self.diagnostics.iter().filter(|d| d.is_dependence());
        if let Some(first) = dependences.min_by_key(|d| d.place.position()).cloned() {
            self.diagnostics = vec![first];
        }
    }

    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }

    pub fn diagnostics_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.diagnostics.iter_mut()
    }

    /// The codes with their positions.
    pub fn places(&self) -> Vec<(Code, (usize, usize))> {
        self.diagnostics.iter().map(|d| (d.code, d.place.position())).collect()
    }

    #[cfg(test)]
    pub fn codes(&self) -> Vec<Code> {
        self.diagnostics.iter().map(|d| d.code).collect()
    }

    /// Compiler errors for all diagnostics, in the order of the source; empty if there are none.
    pub fn finish(mut self) -> TokenStream {
        self.diagnostics.sort_by_key(|d| d.place.position());
        let errors = self.diagnostics.into_iter().map(|d| {
            let text = d.text(&self.renamed);
            // The underlined part begins with the path and ends with the braces.
            let path = quote_spanned!(d.place.start=> ::core::compile_error!);
            let braces = quote_spanned!(d.place.end=> { #text });
            quote!(#path #braces)
        });
        quote!(#(#errors)*)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_all_reported_once() {
        let mut report = Report::default();
        for code in [Code::FA010, Code::FA020, Code::FA010] {
            report.error(code, Span::call_site(), "why", "what to do");
        }
        assert_eq!(report.codes(), [Code::FA010, Code::FA020]);
        let text = report.finish().to_string();
        assert_eq!(text.matches("compile_error").count(), 2);
        assert!(text.contains("FA010: why"));
    }
}
