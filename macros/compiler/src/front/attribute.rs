//! The attribute above a function, and its arguments.

use crate::ir::report::{Code, Report};
use crate::ir::text::shown;
use crate::resolve::PathOfAttribute;
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
    /// The identity of `combine`.
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
    /// The paths in the arguments.
    pub fn paths(&self) -> Vec<PathOfAttribute> {
        let others = [&self.init, &self.merge, &self.merge_all, &self.identity].into_iter().flatten();
        let others = others.map(|path| PathOfAttribute { path: path.clone(), is_combine: false });
        let combine = self.combine.iter().map(|path| PathOfAttribute { path: path.clone(), is_combine: true });
        others.chain(combine).collect()
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

/// Why an argument is rejected: the message and the help.
type Rejected = (String, String);

impl Args {
    /// Reads one argument. A table, with an arm for each.
    fn read(&mut self, name: &str, meta: &syn::Meta) -> Result<(), Rejected> {
        let value = match meta {
            syn::Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        };
        let path = match value {
            Some(syn::Expr::Path(path)) => Some(path.to_token_stream()),
            _ => None,
        };
        let malformed = |form: &str| {
            let found = shown(&meta.to_token_stream().to_string());
            (format!("`{found}` is not what `{name}` takes"), format!("write `{form}`"))
        };
        let at_least =
            |least: usize, form: &str| number(value).filter(|number| *number >= least).ok_or_else(|| malformed(form));
        let flag = matches!(meta, syn::Meta::Path(_)).then_some(true).ok_or_else(|| malformed(name));
        match name {
            "explain" => self.explain = flag?,
            // A path has been taken by now.
            "crate" => return Err(malformed("crate = path::to::forall")),
            "associated" => self.associated = flag?,
            "local" => self.local = flag?,
            "depth" => {
                let depth = at_least(1, "depth = 1000")?;
                self.depth = Some(u32::try_from(depth).map_err(|_| malformed("depth = 1000"))?);
            }
            "grain" if path.as_ref().is_some_and(|word| word.to_string() == "sqrt") => self.grain = Some(Grain::Sqrt),
            "grain" => self.grain = Some(Grain::Of(at_least(1, "grain = 1024` or `grain = sqrt")?)),
            "k" => {
                self.arity = Some(at_least(0, "k = 8")?).filter(|arity| *arity >= 2);
                let too_small = || ("`k` is the arity of a tree, at least 2".to_owned(), "write `k = 8`".to_owned());
                self.arity.ok_or_else(too_small)?;
            }
            "algorithm" => {
                let word = path.ok_or_else(|| malformed("algorithm = tod_tree"))?.to_string();
                let known = Algorithm::WORDS.iter().find(|(known, _)| *known == word);
                let words = || format!("it is one of {}", quoted(&Algorithm::WORDS.map(|(known, _)| known)));
                let (_, algorithm) = known.ok_or_else(|| (format!("there is no algorithm `{word}`"), words()))?;
                self.merging.algorithm = Some(*algorithm);
            }
            "regions" => self.merging.regions = Some(at_least(1, "regions = 16")?),
            "slices" => self.merging.slices = Some(at_least(1, "slices = 16")?),
            "root" => self.merging.root = Some(at_least(0, "root = 0")?),
            "radices" => {
                let radices = match value {
                    Some(syn::Expr::Array(list)) => {
                        list.elems.iter().map(|radix| number(Some(radix)).filter(|radix| *radix >= 2)).collect()
                    }
                    _ => None,
                };
                self.merging.radices = Some(radices.ok_or_else(|| malformed("radices = [8, 4]"))?);
            }
            "order" => {
                let name = path.and_then(|path| syn::parse2(path).ok());
                self.merging.order = Some(name.ok_or_else(|| malformed("order = depth"))?);
            }
            _ => {
                let (kind, example) =
                    if name == "identity" { ("constant", "CONSTANT") } else { ("function", "function") };
                let of = match name {
                    "init" => &mut self.init,
                    "merge" => &mut self.merge,
                    "merge_all" => &mut self.merge_all,
                    "identity" => &mut self.identity,
                    _ => &mut self.combine,
                };
                let help = || format!("write `{name} = path::to::{example}`");
                *of = Some(path.ok_or_else(|| (format!("`{name}` names a {kind}"), help()))?);
            }
        }
        Ok(())
    }

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

/// The arguments of each attribute.
fn allowed(attribute: Attribute) -> &'static [&'static str] {
    match attribute {
        Attribute::DistributedSort => &["explain", "associated", "crate"],
        Attribute::Foreach => &["explain", "associated", "crate", "grain"],
        Attribute::ForeachTls => &["explain", "associated", "crate", "grain", "init", "merge", "merge_all"],
        Attribute::DistributedScan => &["explain", "associated", "crate", "grain", "combine", "k"],
        Attribute::KaryReduce => &[
            "explain",
            "associated",
            "crate",
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
        Attribute::Traverse => &["explain", "associated", "crate", "init", "merge", "combine", "depth", "local"],
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
        if !allowed.contains(&name.as_str()) {
            report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`#[{}]` has no argument `{name}`", attribute.name()),
                format!("it has {}", quoted(allowed)),
            );
            continue;
        }
        if let Err((message, help)) = args.read(&name, &meta) {
            report.error(Code::FA002, &meta.to_token_stream(), message, help);
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
