//! The attribute above a function, and its arguments.

use crate::ir::report::{Code, Report};
use crate::ir::text::shown;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;

/// One of the attributes for loops, sorts and traversals.
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
    /// `#[traverse]`: what the calls of a recursive function collect.
    Traverse,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 6] = [
        Attribute::Foreach,
        Attribute::ForeachTls,
        Attribute::DistributedScan,
        Attribute::KaryReduce,
        Attribute::DistributedSort,
        Attribute::Traverse,
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
            Attribute::Traverse => "traverse",
        }
    }
}

/// The arguments of the attribute.
#[derive(Debug, Default)]
pub struct Args {
    pub init: Option<TokenStream>,
    pub merge: Option<TokenStream>,
    /// How the states of all workers become one at once.
    pub merge_all: Option<TokenStream>,
    pub combine: Option<TokenStream>,
    /// What changes no other value by `combine`.
    pub identity: Option<TokenStream>,
    pub arity: Option<usize>,
    /// How arrays of ranks merge.
    pub merging: Merging,
    /// How many iterations a chunk has.
    pub grain: Option<Grain>,
    /// How deep a traversal may be.
    pub depth: Option<u32>,
    /// Whether each rank traverses what it has.
    pub local: bool,
    pub explain: bool,
    /// Whether the function stands in an `impl` without taking `self`, which nothing else tells.
    pub associated: bool,
}

impl Args {
    /// The code in the arguments.
    pub fn code(&self) -> TokenStream {
        let all = [&self.init, &self.merge, &self.merge_all, &self.combine, &self.identity];
        all.into_iter().flatten().cloned().collect()
    }
}

/// How many iterations a chunk has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    Of(usize),
    /// The square root of all of them.
    Sqrt,
}

/// How the arrays of ranks become one.
#[derive(Debug, Default)]
pub struct Merging {
    pub algorithm: Option<Algorithm>,
    pub regions: Option<usize>,
    pub radices: Option<Vec<usize>>,
    pub slices: Option<usize>,
    pub root: Option<usize>,
    /// The variable that says where a rank's array comes in the order.
    pub order: Option<syn::Ident>,
}

impl Merging {
    /// One of its arguments.
    fn read(&mut self, name: &str, value: Option<&syn::Expr>, meta: &syn::Meta, report: &mut Report) {
        match (name, value) {
            ("algorithm", Some(syn::Expr::Path(word))) => {
                let word = word.to_token_stream().to_string();
                match Algorithm::WORDS.iter().find(|(known, _)| *known == word) {
                    Some((_, algorithm)) => self.algorithm = Some(*algorithm),
                    None => report.error(
                        Code::FA002,
                        &meta.to_token_stream(),
                        format!("there is no algorithm `{word}`"),
                        format!("it is one of {}", quoted(&Algorithm::WORDS.map(|(known, _)| known))),
                    ),
                }
            }
            ("algorithm", _) => malformed(meta, "algorithm = tod_tree", report),
            ("regions", value) => match number(value).filter(|regions| *regions >= 1) {
                Some(regions) => self.regions = Some(regions),
                None => malformed(meta, "regions = 16", report),
            },
            ("slices", value) => match number(value).filter(|slices| *slices >= 1) {
                Some(slices) => self.slices = Some(slices),
                None => malformed(meta, "slices = 16", report),
            },
            ("radices", Some(syn::Expr::Array(list))) => {
                let radices = list.elems.iter().map(|radix| number(Some(radix)).filter(|radix| *radix >= 2));
                match radices.collect() {
                    Some(radices) => self.radices = Some(radices),
                    None => malformed(meta, "radices = [8, 4]", report),
                }
            }
            ("radices", _) => malformed(meta, "radices = [8, 4]", report),
            ("order", Some(syn::Expr::Path(path))) if path.path.get_ident().is_some() => {
                self.order = path.path.get_ident().cloned();
            }
            ("order", _) => malformed(meta, "order = depth", report),
            (_, value) => match number(value) {
                Some(root) => self.root = Some(root),
                None => malformed(meta, "root = 0", report),
            },
        }
    }
}

/// An argument has another form than this.
fn malformed(meta: &syn::Meta, what: &str, report: &mut Report) {
    let (name, found) = (meta.path().to_token_stream(), shown(&meta.to_token_stream().to_string()));
    report.error(
        Code::FA002,
        &meta.to_token_stream(),
        format!("`{found}` is not what `{name}` takes"),
        format!("write `{what}`"),
    );
}

impl Args {
    /// `regions`, `radices` and `slices` are for one algorithm each.
    fn refuse_idle(&self, tokens: &TokenStream, report: &mut Report) {
        let Merging { algorithm, regions, radices, slices, .. } = &self.merging;
        for (given, name, word, of) in [
            (regions.is_some(), "regions", "tod_tree", Algorithm::TodTree),
            (radices.is_some(), "radices", "radix_k", Algorithm::RadixK),
            (slices.is_some(), "slices", "pipeline", Algorithm::Pipeline),
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
    Pipeline,
}

impl Algorithm {
    /// Each with its word.
    const WORDS: [(&str, Algorithm); 8] = [
        ("auto", Algorithm::Auto),
        ("tree", Algorithm::Tree),
        ("binary_swap", Algorithm::BinarySwap),
        ("radix_k", Algorithm::RadixK),
        ("direct_send", Algorithm::DirectSend),
        ("serial_direct_send", Algorithm::SerialDirectSend),
        ("tod_tree", Algorithm::TodTree),
        ("pipeline", Algorithm::Pipeline),
    ];
}

/// What each attribute takes.
fn allowed(attribute: Attribute) -> &'static [&'static str] {
    match attribute {
        Attribute::DistributedSort => &["explain", "associated"],
        Attribute::Foreach => &["explain", "associated", "grain"],
        Attribute::ForeachTls => &["explain", "associated", "grain", "init", "merge", "merge_all"],
        Attribute::DistributedScan => &["explain", "associated", "grain", "combine", "k"],
        Attribute::KaryReduce => &[
            "explain",
            "associated",
            "grain",
            "combine",
            "identity",
            "k",
            "algorithm",
            "regions",
            "radices",
            "slices",
            "root",
            "order",
        ],
        Attribute::Traverse => &["explain", "associated", "init", "merge", "combine", "depth", "local"],
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
        let malformed = |report: &mut Report, what: &str| malformed(&meta, what, report);
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
            ("local", None) if matches!(meta, syn::Meta::Path(_)) => args.local = true,
            ("local", _) => malformed(report, "local"),
            ("depth", Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(depth), .. })))
                if depth.base10_parse::<u32>().is_ok_and(|depth| depth > 0) =>
            {
                args.depth = depth.base10_parse().ok();
            }
            ("depth", _) => malformed(report, "depth = 1000"),
            ("grain", Some(syn::Expr::Path(word))) if word.path.is_ident("sqrt") => args.grain = Some(Grain::Sqrt),
            ("grain", value) => match number(value).filter(|grain| *grain >= 1) {
                Some(grain) => args.grain = Some(Grain::Of(grain)),
                None => malformed(report, "grain = 1024` or `grain = sqrt"),
            },
            ("k", Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. }))) => {
                match k.base10_parse::<usize>() {
                    Ok(k) if k >= 2 => args.arity = Some(k),
                    _ => report.error(Code::FA002, k.span(), "`k` is the arity of a tree, at least 2", "write `k = 8`"),
                }
            }
            ("k", _) => malformed(report, "k = 8"),
            ("algorithm" | "regions" | "radices" | "slices" | "root" | "order", value) => {
                args.merging.read(&name, value, &meta, report)
            }
            (_, Some(syn::Expr::Path(path))) => {
                let path = path.to_token_stream();
                match name.as_str() {
                    "init" => args.init = Some(path),
                    "merge" => args.merge = Some(path),
                    "merge_all" => args.merge_all = Some(path),
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
