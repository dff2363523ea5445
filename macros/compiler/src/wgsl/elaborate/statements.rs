//! Blocks and statements.

use crate::ir::report::Location;
use crate::ir::{self, Expr, Form, Pattern};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Ty};
use quote::ToTokens;

impl Elaborate<'_> {
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
                ir::StatementKind::Let(pattern, Some(init), otherwise) => match otherwise {
                    Some(otherwise) => self.let_else(pattern, init, otherwise, &mut statements),
                    None => self.let_value(pattern, init, &mut statements),
                },
                ir::StatementKind::Let(pattern, None, _) => self.let_later(pattern, &mut statements),
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

    /// `let name: T;`
    fn let_later(&mut self, pattern: &Pattern, to: &mut Vec<Statement>) {
        let ty = match &pattern.ty {
            Some(ty) => self.written(&ty.tokens),
            None => self.types.unknown(),
        };
        let Form::Name(ir::Binding { name, .. }, None) = pattern.form else {
            return self.obstacle(Location::from(&pattern.tokens), "several variables are declared without a value");
        };
        if self.quiet {
            return self.names.declare(name, ty);
        }
        // The variable outside of the loop has the same type.
        if self.input.plan.is_some_and(|plan| plan.privates.contains(&name)) {
            let outside = self.place_type(&name.ident().into_token_stream());
            self.types.same(&ty, &outside);
            self.outputs.privates.retain(|(other, _)| *other != name);
            self.outputs.privates.push((name, outside));
        }
        let variable = self.locals.add(&name, ty, true);
        to.push(Statement::Let(variable, None));
        self.names.bind(name, Binding::Local(variable));
    }

    fn let_value(&mut self, pattern: &Pattern, value: &Expr, to: &mut Vec<Statement>) {
        if let Some(closure) = self.closure(value, to) {
            if let Form::Name(name, _) = &pattern.form {
                self.names.bind(name.name, Binding::Closure(closure));
            }
            return;
        }
        let item = self.item(value, to);
        self.bind(pattern, item, to);
    }

    /// `let Some(x) = value else { .. };`
    fn let_else(&mut self, pattern: &Pattern, value: &Expr, otherwise: &Expr, to: &mut Vec<Statement>) {
        let at = Location::from(otherwise);
        let value = self.tested(value, to);
        // The `else` block does not see the names.
        let leaves = self.expr(otherwise);
        let mut binds = Vec::new();
        if let Some(test) = self.test(pattern, &value, &mut binds) {
            let check = self.if_else(Node::not(test), leaves, Node::unit(at), at);
            to.push(Statement::Do(check));
        }
        to.extend(binds);
    }

    /// The value of a variable, or an alias of elements.
    pub fn item(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Item {
        let is_edited = self.form.rewrites.contains_key(&e.id);
        if !self.quiet
            && !is_edited
            && let Some(item) = self.alias(e, to)
        {
            return item;
        }
        let node = self.expr(e);
        self.item_of(node, to)
    }

    /// A range, or an alias of elements or of a place.
    fn alias(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Option<Item> {
        if let Some(range) = self.range(e, to) {
            return Some(Item::Range(range));
        }
        if let Some(item) = self.split(e, to) {
            return Some(item);
        }
        match &e.bare().kind {
            // The value of a block is no place.
            ir::Kind::Ref(_, inner) if inner.is_block() => {
                let value = self.expr(inner);
                if matches!(self.types.shallow(&value.ty), Ty::View(..)) {
                    return Some(self.item_of(value, to));
                }
                let variable = self.locals.set_up("value", value, true, to);
                Some(Item::Place(self.locals.read(variable, Location::from(e))))
            }
            ir::Kind::Ref(mutable, inner) => {
                let element = matches!(&inner.bare().kind, ir::Kind::Index(_, index) if !matches!(index.bare().kind, ir::Kind::Range(..)));
                if !element && let Some(view) = self.view(inner, to) {
                    return Some(Item::View(view));
                }
                mutable.then(|| {
                    let place = self.expr(inner);
                    Item::Place(self.locals.fixed(place, to))
                })
            }
            ir::Kind::Name(name) => match self.names.get(*name).cloned()? {
                Binding::View(view) => Some(Item::View(view)),
                Binding::Place(node) => Some(Item::Place(node)),
                Binding::Outer(ty) if self.slot(*name).is_some() || matches!(self.types.shallow(&ty), Ty::Slice(_)) => {
                    self.view(e, to).map(Item::View)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A value. A part of an array, once chosen, is an alias of elements.
    fn item_of(&mut self, node: Node, to: &mut Vec<Statement>) -> Item {
        match self.types.shallow(&node.ty) {
            Ty::View(..) => self.local_view(node.clone(), to).map_or(Item::Value(node), Item::View),
            _ => Item::Value(node),
        }
    }
}
