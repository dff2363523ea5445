//! Loop headers: how many iterations there are, and what each one gets.

use crate::front::items::{By, Form, Items};
use crate::front::objects::Object;
use crate::front::parameters::Share;
use crate::ir::report::Location;
use crate::ir::{Expr, Kind, Local, Pattern};
use crate::language::methods;
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
        array: Local,
        mutable: bool,
        copied: bool,
    },
    /// Blocks: the array of what stands for them, and whether they may be written.
    Blocks {
        array: Local,
        mutable: bool,
    },
    /// `chunks_exact(n)`, or `chunks(n)`, whose last chunk may be `shorter`.
    Chunks {
        array: Local,
        mutable: bool,
        shorter: bool,
        length: Expr,
        held: Ident,
    },
    /// `windows(n)`.
    Windows {
        array: Local,
        length: Expr,
        held: Ident,
    },
    /// `outer_iter()`: the parts of an array along its first axis.
    Parts {
        array: Local,
        mutable: bool,
    },
    /// `object.tiles(shape)`: the tiles of an object, each with its bounds and its number.
    Tiles {
        object: Object,
        shape: Expr,
        /// The variable that holds them.
        tiles: Ident,
    },
    /// `indexed_iter()`: the elements of an array, each with its index.
    Indexed(Local, Box<Source>),
    Zip(Box<Source>, Box<Source>),
    Enumerate(Box<Source>),
    Rev(Box<Source>),
    StepBy(Box<Source>, TokenStream, Ident, Expr),
    Skip(Box<Source>, TokenStream, Ident, Expr),
    Take(Box<Source>, TokenStream, Ident),
}

/// Why a header is not counted.
pub struct NotCounted {
    pub place: Location,
    pub message: String,
}

struct Builder<'s> {
    shares: &'s [Share],
    objects: &'s [Object],
    next: usize,
}

impl Builder<'_> {
    fn ident(&mut self, stem: &str) -> Ident {
        self.next += 1;
        format_ident!("__{stem}{}", self.next, span = Span::mixed_site())
    }

    fn source(&mut self, kind: SourceKind) -> Source {
        Source { kind, len: self.ident("len") }
    }

    /// How many dimensions a share has, where it is an array of `ndarray`.
    fn dims(&self, name: Local) -> Option<usize> {
        Some(self.shares.iter().find(|share| share.name == name)?.array.as_ref()?.dims)
    }

    fn elements(&mut self, array: Local, mutable: bool) -> Source {
        let blocks = self.shares.iter().any(|share| share.name == array && share.blocks);
        self.source(match blocks {
            true => SourceKind::Blocks { array, mutable },
            false => SourceKind::Elements { array, mutable, copied: false },
        })
    }

    /// `x[a..b]` is `x` up to `b` but for its first `a` elements, if there are so many.
    fn part(&mut self, place: &Expr, mutable: bool) -> Option<Source> {
        let Kind::Index(base, index) = &place.bare().kind else { return None };
        let (Some(array), Kind::Range(from, to, inclusive)) = (base.name(), &index.bare().kind) else {
            return None;
        };
        let name = format_ident!("{array}");
        let (start, limit) = (from.as_ref().map(|from| &from.tokens), to.as_ref().map(|to| &to.tokens));
        let part = if *inclusive { quote!((#start..=#limit)) } else { quote!((#start..#limit)) };
        let zero = || Expr { id: 0, kind: Kind::Int(0), span: index.span, tokens: quote!(0) };
        let from = from.as_ref().map_or_else(zero, |from| (**from).clone());
        let first = &from.tokens;
        let end = quote!(__forall::part_of(#name.len(), #part));
        let whole = self.elements(array, mutable);
        let (take, held, first) = (self.ident("take"), self.ident("skip"), first.clone());
        let front = self.source(SourceKind::Take(Box::new(whole), end, take));
        Some(self.source(SourceKind::Skip(Box::new(front), first, held, from)))
    }

    fn range(&mut self, e: &Expr, from: &Expr, to: Option<&Expr>) -> Source {
        let (tokens, range) = (e.bare().tokens.clone(), self.ident("range"));
        self.source(SourceKind::Range { range, tokens, from: from.clone(), to: to.cloned() })
    }

    /// One of two sources that go on together: it may have no end.
    fn beside(&mut self, items: &Items<'_>) -> Result<Box<Source>, NotCounted> {
        match items.form {
            Form::Range { from, to: None } => Ok(Box::new(self.range(items.e, from, None))),
            _ => self.inner(items),
        }
    }

    fn inner(&mut self, items: &Items<'_>) -> Result<Box<Source>, NotCounted> {
        self.counted(items).map(Box::new)
    }

    fn counted(&mut self, items: &Items<'_>) -> Result<Source, NotCounted> {
        let kind = match &items.form {
            Form::Range { from, to: Some(to) } => return Ok(self.range(items.e, from, Some(to))),
            Form::Elements { of, by } => return self.all(of, *by).ok_or_else(|| not_counted(items)),
            Form::Indexed { of, mutable } if of.name().is_some() => {
                let Some(array) = of.name() else { return Err(not_counted(items)) };
                let inner = self.elements(array, *mutable);
                SourceKind::Indexed(array, Box::new(inner))
            }
            Form::Parts { of, mutable, dims } => match of.name().map(|array| (array, self.dims(array))) {
                Some((array, Some(has))) if dims.is_none_or(|dims| dims == has) => {
                    SourceKind::Parts { array, mutable: *mutable }
                }
                _ => return Err(not_counted(items)),
            },
            Form::Chunks { of, length, mutable, shorter } => {
                let (array, held) = (self.flat(of).ok_or_else(|| not_counted(items))?, self.ident("chunk"));
                SourceKind::Chunks { array, mutable: *mutable, shorter: *shorter, length: (*length).clone(), held }
            }
            Form::Windows { of, length } => {
                let (array, held) = (self.flat(of).ok_or_else(|| not_counted(items))?, self.ident("window"));
                SourceKind::Windows { array, length: (*length).clone(), held }
            }
            Form::Tiles { of, shape } => {
                let object = self.objects.iter().find(|object| of.name() == Some(object.name)).cloned();
                let object = object.ok_or_else(|| not_counted(items))?;
                SourceKind::Tiles { object, shape: (*shape).clone(), tiles: self.ident("tiles") }
            }
            Form::Zip(one, two) => {
                let one = self.beside(one)?;
                SourceKind::Zip(one, self.beside(two)?)
            }
            Form::Enumerate(inner) => SourceKind::Enumerate(self.inner(inner)?),
            Form::Rev(inner) => SourceKind::Rev(self.inner(inner)?),
            Form::StepBy(inner, step) => {
                let inner = self.inner(inner)?;
                SourceKind::StepBy(inner, step.tokens.clone(), self.ident("step"), (*step).clone())
            }
            Form::Skip(inner, count) => {
                let inner = self.inner(inner)?;
                SourceKind::Skip(inner, count.tokens.clone(), self.ident("skip"), (*count).clone())
            }
            Form::Take(inner, count) => SourceKind::Take(self.inner(inner)?, count.tokens.clone(), self.ident("take")),
            Form::Copied(inner) => {
                let mut inner = self.counted(inner)?;
                let SourceKind::Elements { copied, mutable: false, .. } = &mut inner.kind else {
                    return Err(not_counted(items));
                };
                *copied = true;
                return Ok(inner);
            }
            _ => return Err(not_counted(items)),
        };
        Ok(self.source(kind))
    }

    /// All elements of a slice, or of a part of one.
    fn all(&mut self, of: &Expr, by: By) -> Option<Source> {
        match (of.name(), by) {
            (Some(array), By::Value) => {
                let written = self.shares.iter().any(|share| share.name == array && share.mutable);
                Some(self.elements(array, written))
            }
            (Some(array), _) => Some(self.elements(array, by == By::Mutable)),
            (None, By::Value) => None,
            (None, _) => self.part(of, by == By::Mutable),
        }
    }

    /// The array, where it has no dimensions.
    fn flat(&self, of: &Expr) -> Option<Local> {
        of.name().filter(|array| self.dims(*array).is_none())
    }
}

/// Says why items cannot be counted.
fn not_counted(items: &Items<'_>) -> NotCounted {
    const UNCOUNTED: &str = "this iterator's items cannot be counted beforehand";
    const FIELD: &str = "this goes over a field, and loops go over what has a name: lend it before (`let data = &self.data;`), and go over that \
                         (`for v in data`)";
    let e = items.e;
    let message = match &e.bare().kind {
        Kind::Range(..) => "this range has no two ends, so its iterations cannot be counted",
        Kind::Ref(_, inner) if matches!(inner.bare().kind, Kind::Field(..)) => FIELD,
        Kind::Ref(..) => "only slices and parts of them (`&x[a..b]`) are iterated over by reference",
        Kind::Method(receiver, name, args, _) => match (name.as_str(), args.as_slice()) {
            (name, _) if methods::refers(name) && matches!(receiver.bare().kind, Kind::Field(..)) => FIELD,
            ("iter" | "iter_mut", []) => "only slices and parts of them (`x[a..b].iter()`) are iterated over",
            ("copied" | "cloned", []) => "only the elements of a slice are copied here",
            ("outer_iter" | "outer_iter_mut" | "axis_iter" | "axis_iter_mut" | "rows" | "rows_mut", _)
                if receiver.name().is_some() =>
            {
                "only parts of distributed arrays are iterated over here; go over their indices, and take each part in the loop's body \
                 (`row(i)`, `index_axis(Axis(0), i)`)"
            }
            ("filter" | "filter_map" | "map" | "flat_map" | "take_while" | "skip_while", _) => {
                "this adaptor hides work in the header; write it in the loop's body, with `continue` to leave items out"
            }
            _ => UNCOUNTED,
        },
        _ => "this is not a range or an iterator over slices, so its iterations cannot be counted beforehand",
    };
    NotCounted { place: Location::from(e), message: message.to_owned() }
}

impl Source {
    /// Reads a header. `shares` are the parameters that are slices and arrays, `objects` those that are objects.
    pub fn parse(e: &Expr, shares: &[Share], objects: &[Object]) -> Result<Source, NotCounted> {
        Builder { shares, objects, next: 0 }.counted(&Items::of(e))
    }

    /// The number at a position of a range that begins with `from`.
    pub fn counted_at(range: &Ident, from: &Expr, position: &TokenStream) -> TokenStream {
        match from.bare().kind {
            Kind::Int(0) => quote!(__fp::from_zero(&#range, #position)),
            _ => quote!(__forall::Counted::at(&#range, #position)),
        }
    }

    /// Its kind, and its parts.
    pub fn kind(&self) -> &SourceKind {
        &self.kind
    }

    /// The variable that holds the number of iterations after [`Source::setup`].
    pub fn len(&self) -> &Ident {
        &self.len
    }

    /// The variables of a pattern that are the position itself.
    pub fn positions(&self, pattern: &Pattern) -> Vec<Local> {
        match (&self.kind, pattern.parts()) {
            (SourceKind::Range { from, .. }, _) if matches!(from.bare().kind, Kind::Int(0)) => {
                pattern.single().map(|binding| binding.name).into_iter().collect()
            }
            (SourceKind::Enumerate(inner), [position, rest]) => {
                position.single().map(|binding| binding.name).into_iter().chain(inner.positions(rest)).collect()
            }
            (SourceKind::Zip(one, two), [first, second]) => [one.positions(first), two.positions(second)].concat(),
            _ => Vec::new(),
        }
    }

    /// The blocks that the loop goes through, with whether they may be written.
    pub fn blocks(&self) -> Vec<(&str, bool)> {
        match &self.kind {
            SourceKind::Blocks { array, mutable } => vec![(array, *mutable)],
            SourceKind::Zip(one, two) => [one.blocks(), two.blocks()].concat(),
            _ => self.inner().map(Source::blocks).unwrap_or_default(),
        }
    }

    /// Blocks that the loop goes through from the last to the first.
    pub fn reversed_blocks(&self) -> Option<Local> {
        match &self.kind {
            SourceKind::Rev(inner) => match inner.reversed_blocks() {
                None => inner.blocks().first().map(|(array, _)| Local::named(array)),
                Some(_) => None,
            },
            SourceKind::Zip(one, two) => one.reversed_blocks().or_else(|| two.reversed_blocks()),
            _ => self.inner().and_then(Source::reversed_blocks),
        }
    }

    /// The variables of the pattern that are blocks.
    pub fn handles(&self, pattern: &Pattern) -> Vec<Local> {
        match (&self.kind, pattern.parts()) {
            (SourceKind::Blocks { .. }, _) => pattern.single().map(|block| block.name).into_iter().collect(),
            (SourceKind::Enumerate(inner), [_, block]) => inner.handles(block),
            (SourceKind::Zip(one, two), [first, second]) => [one.handles(first), two.handles(second)].concat(),
            (SourceKind::Enumerate(_) | SourceKind::Zip(..), _) => Vec::new(),
            _ => self.inner().map(|inner| inner.handles(pattern)).unwrap_or_default(),
        }
    }

    /// The part of the pattern that is a tile with its bounds and its number, and the number of dimensions.
    pub fn tile<'p>(&self, pattern: &'p Pattern) -> Option<(&'p Pattern, usize)> {
        match (&self.kind, pattern.parts()) {
            (SourceKind::Tiles { object, .. }, [_, bounds, _]) if bounds.parts().len() == object.dims => {
                Some((pattern, object.dims))
            }
            (SourceKind::Enumerate(inner), [_, tile]) => inner.tile(tile),
            (SourceKind::Enumerate(_) | SourceKind::Zip(..), _) => None,
            _ => self.inner()?.tile(pattern),
        }
    }

    /// The object whose tiles the loop goes through, and the shape of the tiles.
    pub fn tiled(&self) -> Option<(&Object, &Expr)> {
        match &self.kind {
            SourceKind::Tiles { object, shape, .. } => Some((object, shape)),
            SourceKind::Zip(one, two) => one.tiled().or_else(|| two.tiled()),
            _ => self.inner().and_then(Source::tiled),
        }
    }

    /// The arrays that the items refer to, with whether they are written.
    pub fn arrays(&self, to: &mut Vec<(Local, bool)>) {
        match &self.kind {
            SourceKind::Elements { array, mutable, .. }
            | SourceKind::Blocks { array, mutable }
            | SourceKind::Chunks { array, mutable, .. }
            | SourceKind::Parts { array, mutable } => {
                to.push((*array, *mutable));
            }
            SourceKind::Windows { array, .. } => to.push((*array, false)),
            SourceKind::Zip(one, two) => {
                one.arrays(to);
                two.arrays(to);
            }
            _ => self.inner().into_iter().for_each(|inner| inner.arrays(to)),
        }
    }

    /// The source that an adaptor takes.
    fn inner(&self) -> Option<&Source> {
        match &self.kind {
            SourceKind::Indexed(_, inner)
            | SourceKind::Enumerate(inner)
            | SourceKind::Rev(inner)
            | SourceKind::StepBy(inner, ..)
            | SourceKind::Skip(inner, ..)
            | SourceKind::Take(inner, ..) => Some(inner),
            _ => None,
        }
    }
}
