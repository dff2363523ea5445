//! The attribute above a function, and its arguments.

use crate::ir::report::{Code, Report};
use crate::ir::text::shown;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;

/// One of the attributes for loops and sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// `#[foreach]`: elements, each written by one iteration.
    Foreach,
    /// `#[foreach_tls]`: what iterations collect.
    ForeachTls,
    /// `#[distributed_scan]`: running values.
    DistributedScan,
    /// `#[kary_reduce]`: what iterations accumulate.
    KaryReduce,
    /// `#[distributed_sort]`: a call of one of std's sorts.
    DistributedSort,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 5] = [
        Attribute::Foreach,
        Attribute::ForeachTls,
        Attribute::DistributedScan,
        Attribute::KaryReduce,
        Attribute::DistributedSort,
    ];

    /// Those for loops.
    pub const FOR_LOOPS: [Attribute; 4] =
        [Attribute::Foreach, Attribute::ForeachTls, Attribute::DistributedScan, Attribute::KaryReduce];

    /// As it is written, without `#[` and `]`.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::Foreach => "foreach",
            Attribute::ForeachTls => "foreach_tls",
            Attribute::DistributedScan => "distributed_scan",
            Attribute::KaryReduce => "kary_reduce",
            Attribute::DistributedSort => "distributed_sort",
        }
    }
}

/// The arguments of the attribute.
#[derive(Debug, Default)]
pub struct Args {
    pub init: Option<TokenStream>,
    pub merge: Option<TokenStream>,
    pub combine: Option<TokenStream>,
    /// What changes no other value by `combine`.
    pub identity: Option<TokenStream>,
    pub arity: Option<usize>,
    /// How arrays of ranks merge.
    pub merging: Merging,
    pub explain: bool,
    /// Whether the function stands in an `impl` without taking `self`, which nothing else tells.
    pub associated: bool,
}

/// How the arrays of ranks become one.
#[derive(Debug, Default)]
pub struct Merging {
    pub algorithm: Option<Algorithm>,
    pub regions: Option<usize>,
    pub radices: Option<Vec<usize>>,
    pub root: Option<usize>,
}

impl Args {
    /// `regions` and `radices` are for one algorithm each.
    fn refuse_idle(&self, tokens: &TokenStream, report: &mut Report) {
        let Merging { algorithm, regions, radices, .. } = &self.merging;
        for (given, name, word, of) in [
            (regions.is_some(), "regions", "tod_tree", Algorithm::TodTree),
            (radices.is_some(), "radices", "radix_k", Algorithm::RadixK),
        ] {
            if given && *algorithm != Some(of) {
                report.error(
                    Code::FA002,
                    tokens,
                    format!("`{name}` is for `algorithm = {word}`"),
                    format!("write `algorithm = {word}`, or remove `{name}`"),
                );
            }
        }
    }
}

/// The word after `algorithm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Auto,
    Tree,
    BinarySwap,
    RadixK,
    DirectSend,
    SerialDirectSend,
    TodTree,
}

impl Algorithm {
    /// Each with its word.
    const WORDS: [(&str, Algorithm); 7] = [
        ("auto", Algorithm::Auto),
        ("tree", Algorithm::Tree),
        ("binary_swap", Algorithm::BinarySwap),
        ("radix_k", Algorithm::RadixK),
        ("direct_send", Algorithm::DirectSend),
        ("serial_direct_send", Algorithm::SerialDirectSend),
        ("tod_tree", Algorithm::TodTree),
    ];
}

/// What each attribute takes.
fn allowed(attribute: Attribute) -> &'static [&'static str] {
    match attribute {
        Attribute::Foreach | Attribute::DistributedSort => &["explain", "associated"],
        Attribute::ForeachTls => &["explain", "associated", "init", "merge"],
        Attribute::DistributedScan => &["explain", "associated", "combine", "k"],
        Attribute::KaryReduce => {
            &["explain", "associated", "combine", "identity", "k", "algorithm", "regions", "radices", "root"]
        }
    }
}

/// A whole number that is written as one.
fn number(value: Option<&syn::Expr>) -> Option<usize> {
    match value {
        Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) => number.base10_parse().ok(),
        _ => None,
    }
}

/// Reads the arguments of an attribute.
pub fn parse_args(attribute: Attribute, tokens: TokenStream, report: &mut Report) -> Args {
    let mut args = Args::default();
    let mut seen: Vec<String> = Vec::new();
    type List = syn::punctuated::Punctuated<syn::Meta, syn::Token![,]>;
    let allowed = allowed(attribute);
    let list = match List::parse_terminated.parse2(tokens.clone()) {
        Ok(list) => list,
        Err(error) => {
            report.error(
                Code::FA002,
                error.span(),
                format!("the arguments of `#[{}]` cannot be read: {error}", attribute.name()),
                format!("arguments are {}", quoted(allowed)),
            );
            return args;
        }
    };
    for meta in list {
        let name = meta.path().to_token_stream().to_string();
        if seen.contains(&name) {
            report.error(Code::FA002, &meta.to_token_stream(), format!("`{name}` is given twice"), "keep one");
            continue;
        }
        seen.push(name.clone());
        let malformed = |report: &mut Report, what: &str| {
            let found = shown(&meta.to_token_stream().to_string());
            report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`{found}` is not what `{name}` takes"),
                format!("write `{what}`"),
            );
        };
        if !allowed.contains(&name.as_str()) {
            report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`#[{}]` has no argument `{name}`", attribute.name()),
                format!("it has {}", quoted(allowed)),
            );
            continue;
        }
        let value = match &meta {
            syn::Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        };
        match (name.as_str(), value) {
            ("explain", None) if matches!(meta, syn::Meta::Path(_)) => args.explain = true,
            ("explain", _) => malformed(report, "explain"),
            ("associated", None) if matches!(meta, syn::Meta::Path(_)) => args.associated = true,
            ("associated", _) => malformed(report, "associated"),
            ("k", Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. }))) => {
                match k.base10_parse::<usize>() {
                    Ok(k) if k >= 2 => args.arity = Some(k),
                    _ => report.error(Code::FA002, k.span(), "`k` is the arity of a tree, at least 2", "write `k = 8`"),
                }
            }
            ("k", _) => malformed(report, "k = 8"),
            ("algorithm", Some(syn::Expr::Path(word))) => {
                let word = word.to_token_stream().to_string();
                match Algorithm::WORDS.iter().find(|(known, _)| *known == word) {
                    Some((_, algorithm)) => args.merging.algorithm = Some(*algorithm),
                    None => report.error(
                        Code::FA002,
                        &meta.to_token_stream(),
                        format!("there is no algorithm `{word}`"),
                        format!("it is one of {}", quoted(&Algorithm::WORDS.map(|(known, _)| known))),
                    ),
                }
            }
            ("algorithm", _) => malformed(report, "algorithm = tod_tree"),
            ("regions", value) => match number(value).filter(|regions| *regions >= 1) {
                Some(regions) => args.merging.regions = Some(regions),
                None => malformed(report, "regions = 16"),
            },
            ("root", value) => match number(value) {
                Some(root) => args.merging.root = Some(root),
                None => malformed(report, "root = 0"),
            },
            ("radices", Some(syn::Expr::Array(list))) => {
                let radices = list.elems.iter().map(|radix| number(Some(radix)).filter(|radix| *radix >= 2));
                match radices.collect() {
                    Some(radices) => args.merging.radices = Some(radices),
                    None => malformed(report, "radices = [8, 4]"),
                }
            }
            ("radices", _) => malformed(report, "radices = [8, 4]"),
            (_, Some(syn::Expr::Path(path))) => {
                let path = path.to_token_stream();
                match name.as_str() {
                    "init" => args.init = Some(path),
                    "merge" => args.merge = Some(path),
                    "identity" => args.identity = Some(path),
                    _ => args.combine = Some(path),
                }
            }
            _ => report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`{name}` names a {}", if name == "identity" { "constant" } else { "function" }),
                format!("write `{name} = path::to::{}`", if name == "identity" { "CONSTANT" } else { "function" }),
            ),
        }
    }
    args.refuse_idle(&tokens, report);
    if args.init.is_some() != args.merge.is_some() {
        report.error(
            Code::FA002,
            &tokens,
            "`init` and `merge` belong together",
            "give both: `init` is `fn() -> S`, `merge` is `fn(&mut S, S)`; or implement `forall::Merge` and give none",
        );
    }
    args
}

fn quoted(allowed: &[&str]) -> String {
    allowed.iter().map(|a| format!("`{a}`")).collect::<Vec<_>>().join(", ")
}
