//! A program: items around one function, and the attribute under which it is tried.

use forall_compiler::Attribute;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use syn::visit::Visit;

/// One function under one attribute, with the items that it needs.
#[derive(Clone)]
pub struct Program {
    /// The attribute.
    pub attribute: Attribute,
    /// The attribute's arguments.
    pub arguments: TokenStream,
    /// The constructs that it was made of, or where it was found.
    pub kinds: Vec<String>,
    /// Whether it is a right loop as people write them.
    pub natural: bool,
    /// Everything around the function, before it.
    pub items: Vec<syn::Item>,
    /// The function.
    pub function: syn::ItemFn,
    /// The function before a remedy changed it.
    pub before: Option<syn::ItemFn>,
}

/// The codes of the errors that the macro gives, or that it panics.
pub enum Refusal {
    /// In the order of the messages.
    Codes(Vec<String>),
    /// The compiler's own mistake.
    Panic,
}

impl Program {
    /// Reads a file whose last function is to be annotated.
    pub fn parse(source: &str, attribute: Attribute, kinds: Vec<String>, natural: bool) -> syn::Result<Program> {
        Program::of(syn::parse_file(source)?.items, attribute, kinds, natural)
    }

    fn of(mut items: Vec<syn::Item>, attribute: Attribute, kinds: Vec<String>, natural: bool) -> syn::Result<Program> {
        match items.pop() {
            Some(syn::Item::Fn(mut function)) => {
                function.vis = syn::parse_quote!(pub);
                let arguments = TokenStream::new();
                Ok(Program { attribute, arguments, kinds, natural, items, function, before: None })
            }
            other => Err(syn::Error::new_spanned(other, "the last item is the function to annotate")),
        }
    }

    /// Reads a file whose last function is annotated, or that has such modules, one for each program, in modules that say what
    /// becomes of them.
    pub fn read(source: &str, name: &str) -> syn::Result<Vec<Program>> {
        fn modules(items: &[syn::Item]) -> Option<Vec<(&syn::Ident, &[syn::Item])>> {
            let module = |item: &syn::Item| matches!(item, syn::Item::Mod(_)).then_some(());
            items.iter().try_for_each(module)?;
            let modules = items.iter().filter_map(|item| match item {
                syn::Item::Mod(module) => Some((&module.ident, module.content.as_ref()?.1.as_slice())),
                _ => None,
            });
            Some(modules.collect())
        }
        let items = syn::parse_file(source)?.items;
        let Some(verdicts) = modules(&items) else { return Ok(vec![Program::annotated(items, name.to_owned())?]) };
        let mut programs = Vec::new();
        for (verdict, items) in verdicts {
            for (program, items) in modules(items).unwrap_or_default() {
                programs.push(Program::annotated(items.to_vec(), format!("{name}: {verdict}: {program}"))?);
            }
        }
        Ok(programs)
    }

    /// A program whose last item is annotated.
    fn annotated(items: Vec<syn::Item>, name: String) -> syn::Result<Program> {
        let mut program = Program::of(items, Attribute::Foreach, vec![name], false)?;
        let named = |attribute: &syn::Attribute| {
            let word = attribute.path().segments.last()?.ident.to_string();
            Attribute::ALL.into_iter().find(|known| known.name() == word)
        };
        let attributes = std::mem::take(&mut program.function.attrs);
        let (ours, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(|a| named(a).is_some());
        program.function.attrs = others;
        let missing = || syn::Error::new_spanned(&program.function, "one of the four attributes stands above it");
        let (attribute, ours) = ours.first().and_then(|ours| Some((named(ours)?, ours))).ok_or_else(missing)?;
        program.attribute = attribute;
        if let syn::Meta::List(list) = &ours.meta {
            program.arguments = list.tokens.clone();
        }
        Ok(program)
    }

    /// The compiler's objections to the function, found in this process.
    pub fn refused(&self) -> Option<Refusal> {
        let item = self.function.to_token_stream();
        let codes = std::panic::AssertUnwindSafe(|| {
            let codes = forall_compiler::codes(self.attribute, self.arguments.clone(), item.clone());
            if codes.is_empty() {
                forall_compiler::annotate(self.attribute, self.arguments.clone(), item);
            }
            codes
        });
        let Ok(codes) = std::panic::catch_unwind(codes) else { return Some(Refusal::Panic) };
        (!codes.is_empty()).then(|| Refusal::Codes(codes.into_iter().map(str::to_owned).collect()))
    }

    /// A rejected program after the changes that its messages offer.
    pub fn remedied(&self) -> Option<Program> {
        let item = self.function.to_token_stream();
        let (attribute, item) = forall_compiler::remedied(self.attribute, self.arguments.clone(), item)?;
        let function = syn::parse2(item).ok()?;
        let mut before = self.function.clone();
        before.sig.ident = format_ident!("before");
        remove_markers(&mut before);
        Some(Program { attribute, function, before: Some(before), ..self.clone() })
    }

    /// The module `p<number>` with the function, and `h<number>` that calls it with inputs; plain, without the attribute.
    pub fn modules(&self, number: usize, plain: bool) -> String {
        let (items, mut function) = (&self.items, self.function.clone());
        let attribute = (!plain).then(|| self.written());
        if plain {
            remove_markers(&mut function);
        }
        let (program, before) = (format_ident!("p{number}"), &self.before);
        let mut text = quote!(mod #program { #(#items)* #before #attribute #function }).to_string();
        if !plain {
            let harness = format_ident!("h{number}");
            let call = self.call(&program);
            write!(text, "\n{}", quote!(mod #harness { #call })).expect("text takes all");
        }
        text
    }

    /// Whether it has variables of the whole process.
    pub fn has_statics(&self) -> bool {
        struct Find(bool);
        impl<'ast> Visit<'ast> for Find {
            fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {
                self.0 = true;
            }
        }
        let mut find = Find(false);
        self.items.iter().for_each(|item| find.visit_item(item));
        find.visit_item_fn(&self.function);
        find.0
    }

    /// Whether floats must have the bits of the sequential loop: the function accumulates nothing.
    pub fn exact(&self) -> bool {
        let changes = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Local(local) if has_mut(&local.pat));
        let accumulates = self.function.block.stmts.iter().any(changes)
            || self.function.sig.inputs.iter().any(|input| matches!(input, syn::FnArg::Typed(p) if has_sums(&p.pat)))
            || sums_at_one_place(&self.function.block);
        self.attribute == Attribute::Foreach && !accumulates
    }

    /// A function that calls the program or its twin.
    fn call(&self, program: &syn::Ident) -> TokenStream {
        let name = &self.function.sig.ident;
        let (mut makes, mut shares, mut whole, mut shared) = (vec![], vec![], vec![], vec![]);
        let (mut left, mut gathered) = (vec![], vec![]);
        let twin =
            self.before.as_ref().map_or_else(|| quote!(#name::sequential), |before| before.sig.ident.to_token_stream());
        for (number, parameter) in self.function.sig.inputs.iter().enumerate() {
            let syn::FnArg::Typed(parameter) = parameter else { continue };
            let syn::Pat::Ident(pattern) = &*parameter.pat else { continue };
            let (ident, text) = (&pattern.ident, pattern.ident.to_string());
            let replicated = parameter.attrs.iter().any(|marker| marker.path().is_ident("replicated"));
            match &*parameter.ty {
                syn::Type::Reference(reference) => {
                    let element = element(&reference.elem);
                    let mutability = &reference.mutability;
                    makes.push(quote!(let #mutability #ident: Vec<#element> = world::made(#text, n, seed);));
                    let salt = number as u64 + 1;
                    if !replicated {
                        shares.push(quote!(let #mutability #ident = world::share(&#ident, #salt);));
                    }
                    whole.push(quote!(& #mutability #ident));
                    shared.push(quote!(& #mutability #ident));
                    if mutability.is_some() {
                        left.push(quote!(.with(#text, &#ident)));
                        let all = if replicated { quote!(#ident) } else { quote!(#ident.to_all()) };
                        gathered.push(quote!(.with(#text, &#all)));
                    }
                }
                scalar => {
                    makes.push(quote!(let #ident: #scalar = world::scalar(#text, n);));
                    whole.push(quote!(#ident));
                    shared.push(quote!(#ident));
                }
            }
        }
        quote! {
            use forall_hostile::world;
            pub fn call(twin: bool, n: usize, seed: u64) -> world::Left {
                #(#makes)*
                if twin {
                    let result = super::#program::#twin(#(#whole),*);
                    world::Left::default().with("the result", &result) #(#left)*
                } else {
                    #(#shares)*
                    let result = super::#program::#name(#(#shared),*);
                    world::Left::default().with("the result", &result) #(#gathered)*
                }
            }
        }
    }

    /// The program as a person would write it.
    pub fn text(&self) -> String {
        let (items, attribute, function) = (&self.items, self.written(), &self.function);
        formatted(&quote!(#(#items)* #attribute #function).to_string())
    }

    /// The attribute with its arguments.
    fn written(&self) -> TokenStream {
        let (attribute, arguments) = (format_ident!("{}", self.attribute.name()), &self.arguments);
        let arguments = (!arguments.is_empty()).then(|| quote!((#arguments)));
        quote!(#[forall::#attribute #arguments])
    }

    /// How many tokens the function and the items have.
    pub fn tokens(&self) -> usize {
        fn count(tokens: TokenStream) -> usize {
            tokens
                .into_iter()
                .map(|token| match token {
                    proc_macro2::TokenTree::Group(group) => 2 + count(group.stream()),
                    _ => 1,
                })
                .sum()
        }
        let items: usize = self.items.iter().map(|item| count(item.to_token_stream())).sum();
        items + count(self.function.to_token_stream())
    }
}

/// Removes what means something to the attribute alone.
fn remove_markers(function: &mut syn::ItemFn) {
    struct Remove;
    impl syn::visit_mut::VisitMut for Remove {
        fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
            f.attrs.clear();
            syn::visit_mut::visit_expr_for_loop_mut(self, f);
        }
        fn visit_pat_type_mut(&mut self, parameter: &mut syn::PatType) {
            parameter.attrs.clear();
        }
    }
    syn::visit_mut::VisitMut::visit_item_fn_mut(&mut Remove, function);
}

fn has_mut(pattern: &syn::Pat) -> bool {
    pattern.to_token_stream().into_iter().any(|token| token.to_string() == "mut")
}

/// Whether something is added to an element that is the same in all iterations.
fn sums_at_one_place(block: &syn::Block) -> bool {
    struct Sums(bool);
    impl<'ast> Visit<'ast> for Sums {
        fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
            let adds = matches!(e.op, syn::BinOp::AddAssign(_) | syn::BinOp::SubAssign(_) | syn::BinOp::MulAssign(_));
            self.0 |= adds && matches!(&*e.left, syn::Expr::Index(place) if matches!(&*place.index, syn::Expr::Lit(_)));
            syn::visit::visit_expr_binary(self, e);
        }
    }
    let mut sums = Sums(false);
    sums.visit_block(block);
    sums.0
}

fn has_sums(pattern: &syn::Pat) -> bool {
    matches!(pattern, syn::Pat::Ident(name) if ["bins", "frame"].iter().any(|sums| name.ident.to_string().starts_with(sums)))
}

/// `T` of `[T]` and of `Vec<T>`.
fn element(of: &syn::Type) -> TokenStream {
    match of {
        syn::Type::Slice(slice) => slice.elem.to_token_stream(),
        syn::Type::Path(path) => match &path.path.segments.last().expect("a path has a name").arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.args.to_token_stream(),
            _ => of.to_token_stream(),
        },
        _ => of.to_token_stream(),
    }
}

/// The text as `rustfmt` has it; as it is where there is no `rustfmt`.
fn formatted(text: &str) -> String {
    let run = || {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).ok())?
    };
    run().unwrap_or_else(|| text.to_owned())
}
