//! The range of a loop or a chain of methods, in one form for all stages: read off the syntax, and not judged yet.

use crate::front::array::parts;
use crate::ir::{Expr, Kind, Local, Pattern};
use crate::maps::HashSet;

/// An expression that gives items, one after the other.
#[derive(Debug, Clone)]
pub struct Items<'e> {
    pub e: &'e Expr,
    pub form: Form<'e>,
}

/// How elements are gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `for x in array`: what a name that is gone over by value refers to may be writable.
    Value,
    Reference,
    Mutable,
}

#[derive(Debug, Clone)]
pub enum Form<'e> {
    /// `from..to`, `from..`.
    Range {
        from: &'e Expr,
        to: Option<&'e Expr>,
    },
    /// The elements of a place: `x`, `&mut x`, `x[a..b].iter()`.
    Elements {
        of: &'e Expr,
        by: By,
    },
    /// `indexed_iter()`: the same, each with its index.
    Indexed {
        of: &'e Expr,
        mutable: bool,
    },
    /// `chunks_exact(n)`, or `chunks(n)`, whose last chunk may be `shorter`.
    Chunks {
        of: &'e Expr,
        length: &'e Expr,
        mutable: bool,
        shorter: bool,
    },
    /// `windows(n)`.
    Windows {
        of: &'e Expr,
        length: &'e Expr,
    },
    /// `outer_iter()`: the parts of an array along its first axis. `rows()` gives these where there are two dimensions.
    Parts {
        of: &'e Expr,
        mutable: bool,
        dims: Option<usize>,
    },
    /// `object.tiles([h, w])`.
    Tiles {
        of: &'e Expr,
        shape: &'e Expr,
    },
    Zip(Box<Items<'e>>, Box<Items<'e>>),
    Enumerate(Box<Items<'e>>),
    Rev(Box<Items<'e>>),
    StepBy(Box<Items<'e>>, &'e Expr),
    Skip(Box<Items<'e>>, &'e Expr),
    Take(Box<Items<'e>>, &'e Expr),
    /// `copied()`, `cloned()`.
    Copied(Box<Items<'e>>),
    /// Some of the items.
    Filter(Box<Items<'e>>),
    /// Anything else.
    Other,
}

impl<'e> Items<'e> {
    pub fn of(e: &'e Expr) -> Items<'e> {
        let form = match &e.bare().kind {
            Kind::Range(Some(from), to, _) => Form::Range { from, to: to.as_deref() },
            Kind::Ref(mutable, of) => Form::Elements { of, by: if *mutable { By::Mutable } else { By::Reference } },
            Kind::Name(_)
            | Kind::Path
            | Kind::Index(..)
            | Kind::Field(..)
            | Kind::Array(_)
            | Kind::Repeat(..)
            | Kind::Unary('*', _) => Form::Elements { of: e, by: By::Value },
            Kind::Method(receiver, name, args, _) => match (name.as_str(), args.as_slice()) {
                ("into_iter" | "by_ref", []) => return Items::of(receiver),
                (name, args) => Form::of_method(receiver, name, args),
            },
            Kind::Call(function, args) => match args.as_slice() {
                [one, two] if function.last_name() == "zip" => Form::zip(one, two),
                _ => Form::Other,
            },
            _ => Form::Other,
        };
        Items { e, form }
    }

    /// The range whose values these are, or some of them.
    pub fn range(&self) -> Option<&'e Expr> {
        match &self.form {
            Form::Range { .. } => Some(self.e),
            Form::Enumerate(_) | Form::Copied(_) => None,
            form => form.inner()?.range(),
        }
    }

    /// The calls of functions that are read as a form of std's: `zip(x, y)`.
    pub fn called(&self, to: &mut Vec<&'e Expr>) {
        match &self.form {
            Form::Zip(one, two) => {
                if let Kind::Call(function, _) = &self.e.bare().kind {
                    to.push(function);
                }
                one.called(to);
                two.called(to);
            }
            form => form.inner().into_iter().for_each(|inner| inner.called(to)),
        }
    }

    /// The places whose elements these are: `x` of `x.iter()`.
    pub fn gone_through(&self, to: &mut Vec<&'e Expr>) {
        match &self.form {
            Form::Elements { of, .. } => to.push(of.bare()),
            Form::Zip(one, two) => {
                one.gone_through(to);
                two.gone_through(to);
            }
            Form::Copied(_) | Form::Filter(_) => {}
            form => form.inner().into_iter().for_each(|inner| inner.gone_through(to)),
        }
    }

    /// The names in a pattern for the items that elements can be written by. An array that is gone over by value holds
    /// writable ones if it is in `to`.
    pub fn writable_names(&self, pattern: &Pattern, to: &mut HashSet<Local>) {
        let all = |to: &mut HashSet<Local>| to.extend(pattern.names.iter().map(|b| b.name));
        match (&self.form, pattern.parts()) {
            (Form::Range { .. } | Form::Windows { .. } | Form::Copied(_), _) => {}
            (Form::Elements { by: By::Reference, .. }, _) => {}
            (Form::Elements { of, by: By::Value }, _) if of.name().is_some_and(|array| !to.contains(&array)) => {}
            (Form::Chunks { mutable, .. } | Form::Parts { mutable, .. } | Form::Indexed { mutable, .. }, _)
                if !mutable => {}
            (Form::Enumerate(inner), [_, item]) => inner.writable_names(item, to),
            (Form::Zip(first, second), [one, two]) => {
                first.writable_names(one, to);
                second.writable_names(two, to);
            }
            (Form::Enumerate(_), _) => all(to),
            (form, _) => match form.inner() {
                Some(inner) => inner.writable_names(pattern, to),
                None => all(to),
            },
        }
    }
}

impl<'e> Form<'e> {
    /// The items that an adaptor takes.
    fn inner(&self) -> Option<&Items<'e>> {
        match self {
            Form::Enumerate(inner)
            | Form::Rev(inner)
            | Form::StepBy(inner, _)
            | Form::Skip(inner, _)
            | Form::Take(inner, _)
            | Form::Copied(inner)
            | Form::Filter(inner) => Some(inner),
            _ => None,
        }
    }

    fn zip(one: &'e Expr, two: &'e Expr) -> Form<'e> {
        Form::Zip(Box::new(Items::of(one)), Box::new(Items::of(two)))
    }

    fn of_method(receiver: &'e Expr, name: &str, args: &'e [Expr]) -> Form<'e> {
        let of = receiver;
        let inner = || Box::new(Items::of(receiver));
        let mutable = name.ends_with("_mut");
        match (name, args) {
            ("iter", []) => Form::Elements { of, by: By::Reference },
            ("iter_mut", []) => Form::Elements { of, by: By::Mutable },
            ("indexed_iter" | "indexed_iter_mut", []) => Form::Indexed { of, mutable },
            ("chunks" | "chunks_mut", [length]) => Form::Chunks { of, length, mutable, shorter: true },
            ("chunks_exact" | "chunks_exact_mut", [length]) => Form::Chunks { of, length, mutable, shorter: false },
            ("tiles", [shape]) => Form::Tiles { of, shape },
            ("windows", [length]) => Form::Windows { of, length },
            ("zip", [other]) => Form::zip(receiver, other),
            ("enumerate", []) => Form::Enumerate(inner()),
            ("rev", []) => Form::Rev(inner()),
            ("step_by", [step]) => Form::StepBy(inner(), step),
            ("skip", [count]) => Form::Skip(inner(), count),
            ("take", [count]) => Form::Take(inner(), count),
            ("copied" | "cloned", []) => Form::Copied(inner()),
            ("filter", [_]) => Form::Filter(inner()),
            _ => match parts(name, args) {
                Some((mutable, dims)) => Form::Parts { of, mutable, dims },
                None => Form::Other,
            },
        }
    }
}
