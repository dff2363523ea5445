//! Diagnostics: collected, and all reported at once.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// One mistake: where, which, why, and what to do.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    pub code: Code,
    pub span: Span,
    pub message: String,
    pub help: String,
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
    FA012 "a write at a place that the data choose";
    FA013 "a last value that is lost";
    FA014 "an accumulator that is read where it may not be";
    FA015 "an operator that is not associative";
    FA016 "an accumulator with several operators";
    FA017 "a state that the attribute does not allow";
    FA018 "a scratch buffer that is read before it is written";
    FA020 "control flow that leaves the loop";
    FA021 "`while` or `loop` as the annotated loop";
    FA030 "a loop of another class than the attribute says";
    FA050 "a read of a distributed slice that no footprint describes";
    FA051 "a marker that does not fit its parameter";
}

/// The diagnostics of one expansion. Dropping it without looking would hide mistakes, so it must be finished.
#[derive(Debug, Default)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic { code, span, message: message.into(), help: help.into() };
        // The same mistake seen twice (in two forms of one loop) is one mistake.
        let same = |d: &Diagnostic| d.code == diagnostic.code && d.message == diagnostic.message;
        if !self.diagnostics.iter().any(same) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    pub fn absorb(&mut self, other: Report) {
        for d in other.diagnostics {
            self.error(d.code, d.span, d.message, d.help);
        }
    }

    #[cfg(test)]
    pub fn codes(&self) -> Vec<Code> {
        self.diagnostics.iter().map(|d| d.code).collect()
    }

    /// Compiler errors for all diagnostics; empty if there are none.
    pub fn finish(self) -> TokenStream {
        let errors = self.diagnostics.into_iter().map(|d| {
            let text = format!("{}: {}\n  help: {}", d.code.name(), d.message, d.help);
            quote_spanned!(d.span=> ::core::compile_error! { #text })
        });
        quote!(#(#errors)*)
    }
}
