//! Loop headers: how many iterations there are, and what each one gets.

use crate::front::function::Share;
use crate::index::poly::{POSITION, Poly};
use crate::index::{Known, Local, Scope};
use crate::ir::report::Place;
use crate::ir::{Expr, Kind, Pattern, Statement};
use crate::language::array::{keeps_its_shape, parts};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// A counted source of items.
#[derive(Debug)]
pub struct Source {
    kind: SourceKind,
    /// The variable that holds its length.
    len: Ident,
}

#[derive(Debug)]
pub enum SourceKind {
    /// The range's own variable, its first value, and its end, if it has one.
    Range {
        range: Ident,
        tokens: TokenStream,
        from: Expr,
        to: Option<Expr>,
    },
    /// Elements of an array: name, whether they may be written, whether they are copied.
    Elements {
        array: String,
        mutable: bool,
        copied: bool,
    },
    /// `chunks_exact(n)`, or `chunks(n)`, whose last chunk may be `shorter`.
    Chunks {
        array: String,
        mutable: bool,
        shorter: bool,
        length: Expr,
        held: Ident,
    },
    /// `windows(n)`.
    Windows {
        array: String,
        length: Expr,
        held: Ident,
    },
    /// `outer_iter()`: the parts of an array along its first axis.
    Parts {
        array: String,
        mutable: bool,
    },
    /// `indexed_iter()`: the elements of an array, each with its index.
    Indexed(String, Box<Source>),
    Zip(Box<Source>, Box<Source>),
    Enumerate(Box<Source>),
    Rev(Box<Source>),
    StepBy(Box<Source>, TokenStream, Ident, Expr),
    Skip(Box<Source>, TokenStream, Ident, Expr),
    Take(Box<Source>, TokenStream),
}

/// An array that the header itself touches.
#[derive(Debug)]
pub struct HeaderAccess {
    pub array: String,
    pub mutable: bool,
    /// First element, and the one after the last.
    pub first: Known,
    pub end: Known,
    pub element: bool,
}

/// What an iteration gets, for the analysis.
enum Item {
    Integer(Known),
    Element { array: String, extents: Vec<Known> },
    Index(Vec<Known>),
    Pair(Box<Item>, Box<Item>),
}

/// Why a header is not counted.
pub struct NotCounted {
    pub place: Place,
    pub message: String,
}

struct Builder {
    next: usize,
}

impl Builder {
    fn ident(&mut self, stem: &str) -> Ident {
        self.next += 1;
        format_ident!("__{stem}{}", self.next, span = Span::mixed_site())
    }

    fn source(&mut self, kind: SourceKind) -> Source {
        Source { kind, len: self.ident("len") }
    }

    /// One of two sources that go on together: it may have no end.
    fn parse_beside(&mut self, e: &Expr, shares: &[Share]) -> Result<Source, NotCounted> {
        match &e.bare().kind {
            Kind::Range(Some(from), None, _) => {
                let (tokens, range) = (e.bare().tokens.clone(), self.ident("range"));
                Ok(self.source(SourceKind::Range { range, tokens, from: (**from).clone(), to: None }))
            }
            _ => self.parse(e, shares),
        }
    }

    fn parse(&mut self, e: &Expr, shares: &[Share]) -> Result<Source, NotCounted> {
        let refuse = |message: &str| Err(NotCounted { place: Place::from(e), message: message.to_owned() });
        let is_written = |array: &str| shares.iter().any(|share| share.name == array && share.mutable);
        let dims = |array: &str| Some(shares.iter().find(|share| share.name == array)?.array.as_ref()?.dims);
        let elements = |builder: &mut Self, array: &str, mutable| {
            Ok(builder.source(SourceKind::Elements { array: array.to_owned(), mutable, copied: false }))
        };
        // `x[a..b]` is `x` up to `b` but for its first `a` elements, if there are so many.
        let part = |builder: &mut Self, place: &Expr, mutable| {
            let Kind::Index(base, index) = &place.bare().kind else { return None };
            let (Some(array), Kind::Range(from, to, inclusive)) = (base.name(), &index.bare().kind) else {
                return None;
            };
            let name = format_ident!("{array}");
            let zero = || Expr { id: 0, kind: Kind::Int(0), span: index.span, tokens: quote!(0) };
            let from = from.as_ref().map_or_else(zero, |from| (**from).clone());
            let first = &from.tokens;
            let end = match to {
                Some(to) if *inclusive => {
                    let to = &to.tokens;
                    quote!((#to) + 1)
                }
                Some(to) => to.tokens.clone(),
                None => quote!(#name.len()),
            };
            let end = quote!(::forall::__private::part_of(#name.len(), #first, #end));
            let whole = builder.source(SourceKind::Elements { array: array.to_owned(), mutable, copied: false });
            let front = builder.source(SourceKind::Take(Box::new(whole), end));
            let (held, first) = (builder.ident("skip"), first.clone());
            Some(builder.source(SourceKind::Skip(Box::new(front), first, held, from)))
        };
        match &e.bare().kind {
            Kind::Range(Some(from), Some(to), _) => {
                let tokens = e.bare().tokens.clone();
                let range = self.ident("range");
                let (from, to) = ((**from).clone(), Some((**to).clone()));
                Ok(self.source(SourceKind::Range { range, tokens, from, to }))
            }
            Kind::Range(..) => refuse("this range has no two ends, so its iterations cannot be counted"),
            Kind::Ref(mutable, inner) => match (inner.name(), part(self, inner, *mutable)) {
                (Some(array), _) => elements(self, array, *mutable),
                (None, Some(part)) => Ok(part),
                _ => refuse("only slices and parts of them (`&x[a..b]`) are iterated over by reference"),
            },
            Kind::Name(array) => elements(self, array, is_written(array)),
            Kind::Method(receiver, name, args, _) => {
                let array = receiver.name().map(str::to_owned);
                if let Some(array) = &array
                    && let Some(mutable) = dims(array).and_then(|dims| parts(name, args, dims))
                {
                    return Ok(self.source(SourceKind::Parts { array: array.clone(), mutable }));
                }
                match (name.as_str(), array, args.as_slice()) {
                    ("iter", Some(array), []) => elements(self, &array, false),
                    ("iter_mut", Some(array), []) => elements(self, &array, true),
                    ("iter" | "iter_mut", None, []) => match part(self, receiver, name == "iter_mut") {
                        Some(part) => Ok(part),
                        None => refuse("only slices and parts of them (`x[a..b].iter()`) are iterated over"),
                    },
                    ("indexed_iter" | "indexed_iter_mut", Some(array), []) => {
                        let inner = elements(self, &array, name.ends_with("mut"))?;
                        Ok(self.source(SourceKind::Indexed(array, Box::new(inner))))
                    }
                    ("chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut", Some(array), [length])
                        if dims(&array).is_none() =>
                    {
                        let held = self.ident("chunk");
                        let (mutable, shorter) = (name.ends_with("mut"), !name.starts_with("chunks_exact"));
                        Ok(self.source(SourceKind::Chunks { array, mutable, shorter, length: length.clone(), held }))
                    }
                    ("windows", Some(array), [length]) if dims(&array).is_none() => {
                        let held = self.ident("window");
                        Ok(self.source(SourceKind::Windows { array, length: length.clone(), held }))
                    }
                    ("zip", _, [other]) => {
                        let one = self.parse_beside(receiver, shares)?;
                        let two = self.parse_beside(other, shares)?;
                        Ok(self.source(SourceKind::Zip(Box::new(one), Box::new(two))))
                    }
                    ("enumerate", _, []) => {
                        let inner = self.parse(receiver, shares)?;
                        Ok(self.source(SourceKind::Enumerate(Box::new(inner))))
                    }
                    ("rev", _, []) => {
                        let inner = self.parse(receiver, shares)?;
                        Ok(self.source(SourceKind::Rev(Box::new(inner))))
                    }
                    ("step_by", _, [step]) => {
                        let inner = self.parse(receiver, shares)?;
                        let held = self.ident("step");
                        Ok(self.source(SourceKind::StepBy(Box::new(inner), step.tokens.clone(), held, step.clone())))
                    }
                    ("skip", _, [count]) => {
                        let inner = self.parse(receiver, shares)?;
                        let held = self.ident("skip");
                        Ok(self.source(SourceKind::Skip(Box::new(inner), count.tokens.clone(), held, count.clone())))
                    }
                    ("take", _, [count]) => {
                        let inner = self.parse(receiver, shares)?;
                        Ok(self.source(SourceKind::Take(Box::new(inner), count.tokens.clone())))
                    }
                    ("copied" | "cloned", _, []) => {
                        let mut inner = self.parse(receiver, shares)?;
                        match &mut inner.kind {
                            SourceKind::Elements { copied, mutable: false, .. } => {
                                *copied = true;
                                Ok(inner)
                            }
                            _ => refuse("only the elements of a slice are copied here"),
                        }
                    }
                    ("into_iter", _, []) => self.parse(receiver, shares),
                    (
                        "outer_iter" | "outer_iter_mut" | "axis_iter" | "axis_iter_mut" | "rows" | "rows_mut",
                        Some(_),
                        _,
                    ) => refuse(
                        "only parts of distributed arrays are iterated over here; go over their indices, and take each part in the \
                         loop's body (`row(i)`, `index_axis(Axis(0), i)`)",
                    ),
                    ("filter" | "filter_map" | "map" | "flat_map" | "take_while" | "skip_while", ..) => refuse(
                        "this adaptor hides work in the header; write it in the loop's body, with `continue` to leave items out",
                    ),
                    _ => refuse("this iterator's items cannot be counted beforehand"),
                }
            }
            Kind::Call(function, args) if args.len() == 2 && function.text().ends_with("zip") => {
                let one = self.parse_beside(&args[0], shares)?;
                let two = self.parse_beside(&args[1], shares)?;
                Ok(self.source(SourceKind::Zip(Box::new(one), Box::new(two))))
            }
            _ => {
                refuse("this is not a range or an iterator over slices, so its iterations cannot be counted beforehand")
            }
        }
    }
}

impl Source {
    /// Reads a header. `shares` are the parameters that are slices and arrays.
    pub fn parse(e: &Expr, shares: &[Share]) -> Result<Source, NotCounted> {
        Builder { next: 0 }.parse(e, shares)
    }

    /// What it is, and what it is made of.
    pub fn kind(&self) -> &SourceKind {
        &self.kind
    }

    /// The variable that holds the number of iterations after [`Source::setup`].
    pub fn len(&self) -> &Ident {
        &self.len
    }

    /// Statements before the loop: they hold the ranges and the lengths.
    pub fn setup(&self, to: &mut TokenStream) {
        let len = &self.len;
        match &self.kind {
            SourceKind::Range { range, tokens, .. } => {
                to.extend(quote!(let #range = #tokens; let #len = ::forall::__private::Counted::count(&#range);));
            }
            SourceKind::Elements { array, .. } => {
                let array = format_ident!("{array}");
                to.extend(quote!(let #len: usize = #array.len();));
            }
            SourceKind::Chunks { array, length, held, shorter, .. } => {
                let (array, length) = (format_ident!("{array}"), &length.tokens);
                to.extend(quote!(
                    let #held: usize = #length;
                    let #len: usize = ::forall::__private::chunks_of(#array.len(), #held, #shorter);
                ));
            }
            SourceKind::Parts { array, .. } => {
                let array = format_ident!("{array}");
                to.extend(quote!(let #len: usize = #array.shape()[0];));
            }
            SourceKind::Windows { array, length, held } => {
                let (array, length) = (format_ident!("{array}"), &length.tokens);
                to.extend(quote!(
                    let #held: usize = #length;
                    let #len: usize = ::forall::__private::windows_of(#array.len(), #held);
                ));
            }
            SourceKind::Zip(one, two) => {
                one.setup(to);
                two.setup(to);
                let (a, b) = (&one.len, &two.len);
                to.extend(quote!(let #len: usize = ::core::cmp::min(#a, #b);));
            }
            SourceKind::Indexed(_, inner) | SourceKind::Enumerate(inner) | SourceKind::Rev(inner) => {
                inner.setup(to);
                let inner = &inner.len;
                to.extend(quote!(let #len: usize = #inner;));
            }
            SourceKind::StepBy(inner, step, held, _) => {
                inner.setup(to);
                let inner = &inner.len;
                to.extend(quote!(
                    let #held: usize = #step;
                    let #len: usize = ::forall::__private::steps_of(#inner, #held);
                ));
            }
            SourceKind::Skip(inner, count, held, _) => {
                inner.setup(to);
                let inner = &inner.len;
                to.extend(quote!(let #held: usize = #count; let #len: usize = usize::saturating_sub(#inner, #held);));
            }
            SourceKind::Take(inner, count) => {
                inner.setup(to);
                let inner = &inner.len;
                to.extend(quote!(let #len: usize = ::core::cmp::min(#inner, #count);));
            }
        }
    }

    /// Copies of what `item` uses, for the kernel to own: what it captures by reference is read again in each iteration
    /// where the compiler cannot exclude that the body's stores change it.
    pub fn owned(&self) -> TokenStream {
        let mut own = TokenStream::new();
        self.own(&mut own);
        own
    }

    fn own(&self, to: &mut TokenStream) {
        match &self.kind {
            SourceKind::Range { range, .. } => to.extend(quote!(let #range = ::core::clone::Clone::clone(&#range);)),
            SourceKind::Elements { .. } | SourceKind::Parts { .. } => {}
            SourceKind::Chunks { held, .. } | SourceKind::Windows { held, .. } => to.extend(quote!(let #held = #held;)),
            SourceKind::Zip(one, two) => {
                one.own(to);
                two.own(to);
            }
            SourceKind::Indexed(_, inner) | SourceKind::Enumerate(inner) | SourceKind::Take(inner, _) => inner.own(to),
            SourceKind::Rev(inner) => {
                inner.own(to);
                let len = &inner.len;
                to.extend(quote!(let #len = #len;));
            }
            SourceKind::StepBy(inner, _, held, _) | SourceKind::Skip(inner, _, held, _) => {
                inner.own(to);
                to.extend(quote!(let #held = #held;));
            }
        }
    }

    /// The variables of a pattern that are the position itself.
    pub fn positions<'p>(&self, pattern: &'p Pattern) -> Vec<&'p str> {
        match (&self.kind, &*pattern.parts) {
            (SourceKind::Range { from, .. }, _) if matches!(from.bare().kind, Kind::Int(0)) => {
                pattern.single().map(|binding| &*binding.name).into_iter().collect()
            }
            (SourceKind::Enumerate(inner), [position, rest]) => {
                position.single().map(|binding| &*binding.name).into_iter().chain(inner.positions(rest)).collect()
            }
            (SourceKind::Zip(one, two), [first, second]) => [one.positions(first), two.positions(second)].concat(),
            _ => Vec::new(),
        }
    }

    /// The item at a position.
    pub fn item(&self, position: &TokenStream) -> TokenStream {
        match &self.kind {
            SourceKind::Range { range, from, .. } if matches!(from.bare().kind, Kind::Int(0)) => {
                quote!(::forall::__private::footprint::from_zero(&#range, #position))
            }
            SourceKind::Range { range, .. } => quote!(::forall::__private::Counted::at(&#range, #position)),
            SourceKind::Elements { array, mutable, copied } => {
                let array = format_ident!("{array}");
                match (mutable, copied) {
                    (true, _) => quote!(&mut #array[#position]),
                    (false, true) => quote!(#array[#position]),
                    (false, false) => quote!(&#array[#position]),
                }
            }
            SourceKind::Chunks { array, mutable, held, shorter, .. } => {
                let array = format_ident!("{array}");
                let end = if *shorter {
                    quote!(::core::cmp::min(((#position) + 1) * #held, #array.len()))
                } else {
                    quote!(((#position) + 1) * #held)
                };
                let reference = if *mutable { quote!(&mut) } else { quote!(&) };
                quote!({
                    let __end = #end;
                    #reference #array[(#position) * #held..__end]
                })
            }
            SourceKind::Windows { array, held, .. } => {
                let array = format_ident!("{array}");
                quote!(&#array[(#position)..(#position) + #held])
            }
            SourceKind::Parts { array, mutable } => {
                let (array, method) =
                    (format_ident!("{array}"), format_ident!("{}", if *mutable { "outer_mut" } else { "outer" }));
                quote!(#array.#method(#position))
            }
            SourceKind::Zip(one, two) => {
                let (one, two) = (one.item(position), two.item(position));
                quote!((#one, #two))
            }
            SourceKind::Indexed(array, inner) => {
                let (array, inner) = (format_ident!("{array}"), inner.item(position));
                quote!((#array.index_of(#position), #inner))
            }
            SourceKind::Enumerate(inner) => {
                let inner = inner.item(position);
                quote!((#position, #inner))
            }
            SourceKind::Rev(inner) => {
                let len = &inner.len;
                inner.item(&quote!((#len - 1 - #position)))
            }
            SourceKind::StepBy(inner, _, held, _) => inner.item(&quote!((#position * #held))),
            SourceKind::Skip(inner, _, held, _) => inner.item(&quote!((#position + #held))),
            SourceKind::Take(inner, _) => inner.item(position),
        }
    }

    /// The arrays that the items refer to, with whether they are written.
    pub fn arrays(&self, to: &mut Vec<(String, bool)>) {
        match &self.kind {
            SourceKind::Range { .. } => {}
            SourceKind::Elements { array, mutable, .. }
            | SourceKind::Chunks { array, mutable, .. }
            | SourceKind::Parts { array, mutable } => {
                to.push((array.clone(), *mutable));
            }
            SourceKind::Windows { array, .. } => to.push((array.clone(), false)),
            SourceKind::Zip(one, two) => {
                one.arrays(to);
                two.arrays(to);
            }
            SourceKind::Indexed(_, inner)
            | SourceKind::Enumerate(inner)
            | SourceKind::Rev(inner)
            | SourceKind::StepBy(inner, ..)
            | SourceKind::Skip(inner, ..)
            | SourceKind::Take(inner, _) => inner.arrays(to),
        }
    }

    /// Binds the pattern's names for the analysis of the body, and tells what the header itself touches.
    pub fn bind(&self, pattern: &Pattern, body: &[Statement], scope: &mut Scope<'_>) -> Vec<HeaderAccess> {
        let mut accesses = Vec::new();
        let position = Known { value: Some(scope.position()), poly: Some(Poly::symbol(POSITION)) };
        let item = self.describe(&position, scope, &mut accesses);
        bind_item(pattern, item, body, scope);
        accesses
    }

    fn length_known(&self, scope: &mut Scope<'_>) -> Known {
        let len = &self.len;
        Known {
            value: Some(scope.value(quote!(__fp::Index::of(&#len)), Vec::new())),
            poly: Some(Poly::symbol(format!("#{len}"))),
        }
    }

    fn describe(&self, position: &Known, scope: &mut Scope<'_>, to: &mut Vec<HeaderAccess>) -> Item {
        let one = Known {
            value: Some(scope.value(quote!(__fp::Index::constant(1)), Vec::new())),
            poly: Some(Poly::constant(1)),
        };
        match &self.kind {
            SourceKind::Range { range, from, .. } => {
                let mut start = scope.known(from);
                // The range holds the start, with its type.
                start.value = Some(scope.value(quote!(::forall::__private::Counted::start(&#range)), Vec::new()));
                start.poly = start.poly.or_else(|| Some(Poly::symbol(format!("#{range}"))));
                Item::Integer(scope.plus(&start, position))
            }
            SourceKind::Elements { array, mutable, .. } => {
                let end = scope.plus(position, &one);
                to.push(HeaderAccess {
                    array: array.clone(),
                    mutable: *mutable,
                    first: position.clone(),
                    end,
                    element: true,
                });
                Item::Element { array: array.clone(), extents: Vec::new() }
            }
            SourceKind::Chunks { array, mutable, shorter, length, held } => {
                let mut length = scope.known(length);
                length.value = Some(scope.value(quote!(__fp::Index::of(&#held)), Vec::new()));
                let first = scope.times(position, &length);
                let end = scope.plus(&first, &length);
                to.push(HeaderAccess { array: array.clone(), mutable: *mutable, first, end, element: false });
                if *shorter {
                    let zero = scope.zero();
                    length = scope.either(&zero, &length);
                }
                Item::Element { array: array.clone(), extents: vec![length] }
            }
            SourceKind::Parts { array, mutable } => {
                let extents = scope.extents_of_part(array);
                let length = scope.product(&extents);
                let first = scope.times(position, &length);
                let end = scope.plus(&first, &length);
                to.push(HeaderAccess { array: array.clone(), mutable: *mutable, first, end, element: false });
                Item::Element { array: array.clone(), extents }
            }
            SourceKind::Windows { array, length, .. } => {
                let length = scope.known(length);
                let end = scope.plus(position, &length);
                to.push(HeaderAccess {
                    array: array.clone(),
                    mutable: false,
                    first: position.clone(),
                    end,
                    element: false,
                });
                Item::Element { array: array.clone(), extents: vec![length] }
            }
            SourceKind::Zip(a, b) => {
                let a = a.describe(position, scope, to);
                Item::Pair(Box::new(a), Box::new(b.describe(position, scope, to)))
            }
            SourceKind::Indexed(array, inner) => {
                let (index, inner) = (scope.indices(array, position), inner.describe(position, scope, to));
                Item::Pair(Box::new(Item::Index(index)), Box::new(inner))
            }
            SourceKind::Enumerate(inner) => {
                let inner = inner.describe(position, scope, to);
                Item::Pair(Box::new(Item::Integer(position.clone())), Box::new(inner))
            }
            SourceKind::Rev(inner) => {
                let len = inner.length_known(scope);
                let last = scope.minus(&len, &one);
                let turned = scope.minus(&last, position);
                inner.describe(&turned, scope, to)
            }
            SourceKind::StepBy(inner, _, held, step) => {
                let mut step = scope.known(step);
                step.value = Some(scope.value(quote!(__fp::Index::of(&#held)), Vec::new()));
                step.poly = step.poly.or_else(|| Some(Poly::symbol(format!("#{held}"))));
                let scaled = scope.times(position, &step);
                inner.describe(&scaled, scope, to)
            }
            SourceKind::Skip(inner, _, held, count) => {
                let mut count = scope.known(count);
                count.value = Some(scope.value(quote!(__fp::Index::of(&#held)), Vec::new()));
                let shifted = scope.plus(position, &count);
                inner.describe(&shifted, scope, to)
            }
            SourceKind::Take(inner, _) => inner.describe(position, scope, to),
        }
    }
}

fn bind_item(pattern: &Pattern, item: Item, body: &[Statement], scope: &mut Scope<'_>) {
    match item {
        Item::Pair(a, b) if pattern.parts.len() == 2 => {
            bind_item(&pattern.parts[0], *a, body, scope);
            bind_item(&pattern.parts[1], *b, body, scope);
        }
        Item::Index(mut index) if index.len() == 1 => bind_item(pattern, Item::Integer(index.remove(0)), body, scope),
        Item::Index(index) if pattern.parts.len() == index.len() => {
            for (part, known) in pattern.parts.iter().zip(index) {
                bind_item(part, Item::Integer(known), body, scope);
            }
        }
        Item::Integer(known) => match pattern.single().filter(|binding| !binding.mutable) {
            Some(binding) => scope.bind(&binding.name, Local::Integer(known)),
            None => scope.bind_unknown(pattern),
        },
        Item::Element { array, extents } if !pattern.reference => {
            match pattern.single().filter(|b| !b.mutable || keeps_its_shape(&b.name, body)) {
                Some(binding) => scope.bind(&binding.name, Local::Element { array, extents }),
                None => scope.bind_unknown(pattern),
            }
        }
        _ => scope.bind_unknown(pattern),
    }
}
