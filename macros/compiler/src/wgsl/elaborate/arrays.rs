//! Arrays, and parts of them that the body names.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::grids::grid_element;
use crate::wgsl::elaborate::names::is_path;
use crate::wgsl::tree::{Array, Base, Node, NodeKind, Statement, Ty, View};
use proc_macro2::TokenStream;
use std::rc::Rc;

impl Elaborate<'_> {
    pub fn view_of_array(&mut self, name: Local, tokens: &TokenStream, at: Location) -> Option<View> {
        let Some(Binding::Outer(ty)) = self.names.get(name).cloned() else { return None };
        let bins = self.outputs.histograms.iter().position(|(_, bins, _)| *bins == name);
        let (array, element) = match (bins, self.slot(name)) {
            (Some(number), _) if !self.quiet => (Array::Bins(number), self.outputs.histograms[number].2.clone()),
            (_, Some(slot)) if !self.quiet => (Array::Slot(slot), self.outputs.arrays[slot].clone()),
            _ => {
                let element = self.element_outside(&ty)?;
                (self.table(&name, tokens, element.clone(), at, 0), element)
            }
        };
        Some(View { base: Base::Array(array), element, part: None, shape: self.shape_of(name, at) })
    }

    /// The elements of an array outside of the loop.
    fn element_outside(&mut self, ty: &Ty) -> Option<Ty> {
        match self.types.shallow(ty) {
            Ty::Array(element, _) | Ty::Slice(element) => Some(*element),
            Ty::Unknown(_) => {
                let element = self.types.unknown();
                self.types.same(ty, &Ty::Slice(Box::new(element.clone())));
                Some(element)
            }
            _ => None,
        }
    }

    /// An expression that names elements: an array, a part of one, or an alias of one.
    pub fn view(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<View> {
        let at = Location::from(e);
        match &e.bare().kind {
            ir::Kind::Name(name) if self.names.get(*name).is_none() => self.constant_view(e.bare()),
            ir::Kind::Name(name) => match self.names.get(*name)?.clone() {
                Binding::View(view) => Some(view),
                Binding::Local(variable) => self.local_view(self.locals.read(variable, at), to),
                Binding::Place(node) => self.local_view(node, to),
                Binding::Outer(..) if self.accumulator(e.bare()).is_some() => self.view_of_value(e, None, to),
                Binding::Outer(..) => self.view_of_array(*name, &e.bare().tokens.clone(), at),
                Binding::Constant(ty, _, Some(constant)) => {
                    let node = self.apart(&constant.value);
                    self.same(&node.ty.clone(), &ty, at);
                    let held = self.locals.hold("constant", node, to);
                    self.local_view(held, to)
                }
                Binding::Constant(..) | Binding::Use(_) => self.constant_view(e.bare()),
                _ => None,
            },
            ir::Kind::Path => self.constant_view(e.bare()),
            ir::Kind::Ref(_, inner) | ir::Kind::Unary('*', inner) => self.view(inner, to),
            ir::Kind::Index(base, index) => match &index.bare().kind {
                ir::Kind::Range(from, end, inclusive) => {
                    let view = self.view(base, to)?;
                    let from = from.as_ref().map(|e| self.index(e));
                    let end = end.as_ref().map(|e| self.index(e));
                    Some(self.locals.part(view, from, end, *inclusive, at, to))
                }
                _ => match self.names.named_range(index) {
                    Some(range) => {
                        let view = self.view(base, to)?;
                        for end in [&range.from, &range.to] {
                            self.same(&end.ty, &Ty::USIZE, at);
                        }
                        Some(self.locals.part(view, Some(range.from), Some(range.to), range.inclusive, at, to))
                    }
                    None => self.view_of_value(e, None, to),
                },
            },
            ir::Kind::Field(..) => {
                if !self.is_in_accumulator(e)
                    && let Some(root) = e.root().filter(|_| is_path(e.bare()))
                    && let Some(Binding::Outer(ty)) = self.names.get(root).cloned()
                {
                    let ty = self.outside_type(e.bare(), root, &ty);
                    let element = self.element_outside(&ty)?;
                    let tokens = e.bare().tokens.clone();
                    let table = self.table(&e.text(), &tokens, element.clone(), at, 0);
                    return Some(View::whole(Base::Array(table), element));
                }
                self.view_of_value(e, None, to)
            }
            ir::Kind::Method(inner, name, args, _) if crate::front::array::part(name, args).is_some() => {
                self.part_of_grid(inner, Local::named(name), args, to)
            }
            ir::Kind::Method(inner, name, args, _)
                if args.is_empty()
                    && matches!(
                        name.as_str(),
                        "as_slice" | "as_mut_slice" | "as_ref" | "as_mut" | "view" | "view_mut"
                    ) =>
            {
                self.view(inner, to)
            }
            // The bytes of a number.
            ir::Kind::Method(_, name, ..) if matches!(name.as_str(), "to_le_bytes" | "to_be_bytes") && !self.quiet => {
                self.view_of_value(e, Some("bytes"), to)
            }
            ir::Kind::Array(_) | ir::Kind::Repeat(..) => self.view_of_value(e, Some("list"), to),
            // A part that is chosen.
            ir::Kind::If(..) | ir::Kind::Match(..) | ir::Kind::Block(_) if !self.quiet => {
                self.view_of_value(e, None, to)
            }
            _ => None,
        }
    }

    /// The elements of a value, which a variable holds if it has a name here.
    fn view_of_value(&mut self, e: &Expr, held: Option<&str>, to: &mut Vec<Statement>) -> Option<View> {
        let node = self.expr(e);
        let node = held.map_or(node.clone(), |name| self.locals.hold(name, node, to));
        self.local_view(node, to)
    }

    /// The elements of an array that the iteration holds, or those that a pair stands for.
    pub fn local_view(&mut self, node: Node, to: &mut Vec<Statement>) -> Option<View> {
        match self.types.shallow(&node.ty) {
            Ty::Array(element, length) => Some(View::whole(Base::Local(node.boxed(), length), *element)),
            Ty::Unknown(_) => {
                let (element, length) = self.types.lengthened(&node.ty)?;
                let at = node.at;
                let length = self.capture(&length.to_string(), &length, Ty::USIZE, at);
                let base = Base::Local(node.boxed(), usize::MAX);
                Some(View { base, element, part: Some((Node::usize(0, at), length)), shape: None })
            }
            Ty::View(base, element) => {
                let at = node.at;
                let pair = self.locals.hold("part", node, to);
                let part = Some((pair.member(0, Ty::USIZE, at), pair.member(1, Ty::USIZE, at)));
                Some(View { base: (*base).clone(), element: *element, part, shape: None })
            }
            _ => None,
        }
    }

    /// A part of an array as a value: where it starts, and how long it is.
    pub fn pair(&mut self, view: &View, at: Location) -> Node {
        if matches!(view.base, Base::Array(Array::Bins(_))) {
            return self.stuck(at, "a histogram is used as a whole: a device can only put values into it");
        }
        if view.shape.as_ref().is_some_and(|shape| shape.len() > 1) {
            return self
                .stuck(at, "an array of several axes is used as a whole: a device takes its elements one by one");
        }
        let (first, length) = match &view.part {
            Some((first, length)) => (first.clone(), length.clone()),
            None => (Node::usize(0, at), view.length(at)),
        };
        let ty = Ty::View(Rc::new(view.base.clone()), Box::new(view.element.clone()));
        Node::new(NodeKind::Tuple(vec![first, length]), ty, at)
    }

    pub fn index(&mut self, e: &Expr) -> Node {
        let index = self.expr(e);
        self.same(&index.ty, &Ty::USIZE, Location::from(e));
        index
    }

    pub fn indexed(&mut self, e: &Expr, base: &Expr, index: &Expr, at: Location) -> Node {
        if matches!(index.bare().kind, ir::Kind::Range(..)) || self.names.named_range(index).is_some() {
            if self.quiet {
                let base = self.expr(base).ty;
                let element = self.types.element(&base);
                return Node::new(NodeKind::Unit, Ty::Slice(Box::new(element)), at);
            }
            let mut before = Vec::new();
            return match self.view(e, &mut before) {
                Some(view) => {
                    let pair = self.pair(&view, at);
                    pair.after(before)
                }
                None => self.stuck(at, format!("`{}` is a part of what is no array that a device has", e.shown())),
            };
        }
        if let Some(Binding::Box(number)) = base.name().and_then(|name| self.names.get(name)) {
            return self.boxed(*number, index, at);
        }
        if let Some(node) = self.constant_element(e, at) {
            return node;
        }
        let mut before = Vec::new();
        let node = match self.view(base, &mut before) {
            Some(view) if view.shape.as_ref().is_some_and(|shape| shape.len() > 1 || is_list(index)) => {
                let shape = view.shape.clone().unwrap_or_default();
                let indices = self.index_list(index, shape.len(), &mut before);
                grid_element(&view, &shape, indices)
            }
            Some(view) => {
                let index = self.index(index);
                view.element(index, false)
            }
            None => {
                let base = self.expr(base);
                let index = self.index(index);
                let element = self.types.element(&base.ty);
                Node::new(NodeKind::Element(base.boxed(), index.boxed()), element, at)
            }
        };
        node.after(before)
    }

    pub fn length_of(&mut self, receiver: &Expr, before: &mut Vec<Statement>, at: Location) -> Option<Node> {
        // A length that is known before the loop.
        if let Some(name) = receiver.name()
            && let Some(Binding::Outer(ty)) = self.names.get(name).cloned()
            && self.slot(name).is_none()
            && (self.input.function.is_some_and(|function| function.shares.iter().any(|share| share.name == name))
                || matches!(self.types.shallow(&ty), Ty::Slice(_)))
        {
            let tokens = &receiver.bare().tokens;
            let tokens = quote::quote!(#tokens.len());
            return Some(self.capture(&format!("{name}.len()"), &tokens, Ty::USIZE, at));
        }
        let view = self.view(receiver, before)?;
        Some(view.length(at))
    }
}

/// Whether an index is written as one for each axis.
fn is_list(index: &Expr) -> bool {
    matches!(index.bare().kind, ir::Kind::Array(_) | ir::Kind::Tuple(_))
}
