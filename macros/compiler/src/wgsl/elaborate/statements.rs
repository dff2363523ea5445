//! Blocks and statements.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Local};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty, View};
use proc_macro2::TokenStream;

impl Elaborate<'_> {
    // Blocks and statements.
    pub fn block(&mut self, block: &ir::Block, at: Location) -> Node {
        self.items(block);
        let (mut statements, mut value) = (Vec::new(), None);
        let last = block.statements.len().saturating_sub(1);
        let mut ends = false;
        for (number, statement) in block.statements.iter().enumerate() {
            if self.form.sliced.as_ref().is_some_and(|sliced| !self.quiet && !sliced.keeps(statement)) {
                continue;
            }
            match &statement.kind {
                ir::StatementKind::Item(_) => {}
                ir::StatementKind::Let(pattern, init, otherwise) => match (init, otherwise) {
                    (Some(init), Some(otherwise)) => {
                        self.let_else(&pattern.tokens, init, otherwise, &mut statements);
                    }
                    (Some(init), None) => self.let_value(&pattern.tokens, init, &mut statements),
                    (None, _) => self.let_later(&pattern.tokens, &mut statements),
                },
                ir::StatementKind::Expr(e, semicolon) => {
                    let node = self.expr(e);
                    let never = matches!(self.types.shallow(&node.ty), Ty::Never);
                    if number == last && !semicolon {
                        value = Some(node);
                    } else {
                        if !semicolon && !never {
                            self.types.same(&node.ty, &Ty::unit());
                        }
                        statements.push(Statement::Do(node));
                    }
                    ends |= never;
                }
            }
        }
        let value = value.unwrap_or_else(|| Node::new(NodeKind::Unit, if ends { Ty::Never } else { Ty::unit() }, at));
        if statements.is_empty() {
            return value;
        }
        let ty = if ends { Ty::Never } else { value.ty.clone() };
        Node::new(NodeKind::Block(statements, value.boxed()), ty, at)
    }

    pub fn let_later(&mut self, tokens: &TokenStream, to: &mut Vec<Statement>) {
        let Some((pattern, ty)) = self.pattern(tokens) else { return };
        let ty = match ty {
            Some(ty) => self.written(&ty),
            None => self.types.unknown(),
        };
        let syn::Pat::Ident(ident) = &pattern else {
            self.obstacle(Location::from(tokens), "several variables are declared without a value");
            return;
        };
        let name = Local::from(&ident.ident);
        if self.quiet {
            self.names.declare(name, ty);
            return;
        }
        let variable = self.locals.add(&name, ty, true);
        to.push(Statement::Let(variable, None));
        self.names.bind(name, Binding::Local(variable));
    }

    pub fn let_value(&mut self, pattern: &TokenStream, value: &Expr, to: &mut Vec<Statement>) {
        if let Some(closure) = self.closure(value, to) {
            if let Some((syn::Pat::Ident(ident), _)) = self.pattern(pattern) {
                self.names.bind((&ident.ident).into(), Binding::Closure(closure));
            }
            return;
        }
        let item = self.item(value, to);
        self.bind_tokens(pattern, item, to);
    }

    /// `let Some(x) = value else { .. };`
    pub fn let_else(&mut self, pattern: &TokenStream, value: &Expr, otherwise: &Expr, to: &mut Vec<Statement>) {
        let at = Location::from(otherwise);
        let value = self.tested(value, to);
        // What stands in the `else` does not see the names.
        let leaves = self.expr(otherwise);
        let mut binds = Vec::new();
        if let Some(test) = self.test(pattern, &value, &mut binds) {
            let fails = Node::not(test);
            let nothing = Node::unit(at);
            let check = self.if_else(fails, leaves, nothing, at);
            to.push(Statement::Do(check));
        }
        to.extend(binds);
    }

    /// What a variable is bound to: another name for elements, or a value.
    pub fn item(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Item {
        let at = Location::from(e);
        let edited = !self.quiet && self.form.rewrites.contains_key(&e.id);
        if !edited && !self.quiet {
            if let Some(item) = self.range_item(e, to) {
                return item;
            }
            if let Some(item) = self.split(e, to) {
                return item;
            }
            match &e.bare().kind {
                // What a block gives is a value of its own.
                ir::Kind::Ref(_, inner) if inner.is_block() => {
                    let value = self.expr(inner);
                    if matches!(self.types.shallow(&value.ty), Ty::View(..)) {
                        return self.item_of(value, to);
                    }
                    let variable = self.locals.add("value", value.ty.clone(), true);
                    to.push(Statement::Let(variable, Some(value)));
                    return Item::Place(self.locals.read(variable, at));
                }
                ir::Kind::Ref(mutable, inner) => {
                    let element = matches!(&inner.bare().kind, ir::Kind::Index(_, index) if !matches!(index.bare().kind, ir::Kind::Range(..)));
                    if let Some(view) = self.view_but_element(inner, element, to) {
                        return Item::View(view);
                    }
                    if *mutable {
                        let place = self.expr(inner);
                        return Item::Place(self.locals.fixed(place, to));
                    }
                }
                ir::Kind::Name(name) => {
                    if let Some(Binding::View(view)) = self.names.get(*name) {
                        return Item::View(view.clone());
                    }
                    if let Some(Binding::Place(node)) = self.names.get(*name) {
                        return Item::Place(node.clone());
                    }
                    // A slice of another name.
                    if let Some(Binding::Outer(ty)) = self.names.get(*name).cloned()
                        && (self.slot(*name).is_some() || matches!(self.types.shallow(&ty), Ty::Slice(_)))
                        && let Some(view) = self.view(e, to)
                    {
                        return Item::View(view);
                    }
                }
                _ => {}
            }
        }
        let node = self.expr(e);
        self.item_of(node, to)
    }

    /// A value: a part of an array, once chosen, is another name for elements.
    pub fn item_of(&mut self, node: Node, to: &mut Vec<Statement>) -> Item {
        match self.types.shallow(&node.ty) {
            Ty::View(..) => match self.local_view(node.clone(), to) {
                Some(view) => Item::View(view),
                None => Item::Value(node),
            },
            _ => Item::Value(node),
        }
    }

    pub fn view_but_element(&mut self, e: &Expr, element: bool, to: &mut Vec<Statement>) -> Option<View> {
        if element { None } else { self.view(e, to) }
    }
}
