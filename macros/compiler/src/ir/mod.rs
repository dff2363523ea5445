//! The input of the analysis: expressions, statements and spans of a function, without any `syn` type.
//!
//! Every node keeps the user's tokens, so that the expansion emits unchanged code as it was written.

mod changes;
mod edit;
mod local;
mod moved;
pub mod names;
pub mod obligation;
pub mod place;
pub mod print;
pub mod report;
pub mod text;
mod written;

pub use local::Local;
pub use moved::Moved;
pub use written::{Written, length_in};

use crate::ir::text::shown_tokens;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use std::rc::Rc;

/// The identity of a node, for edits.
pub type Id = u32;

#[derive(Debug, Clone)]
pub struct Expr {
    pub id: Id,
    pub kind: Kind,
    pub span: Span,
    pub tokens: TokenStream,
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// A plain name: a variable, or a constant.
    Name(Local),
    /// A longer path.
    Path,
    Int(i64),
    Literal,
    Paren(Box<Expr>),
    /// `-`, `!` or `*`.
    Unary(char, Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `place = value`, or `place op= value`.
    Assign(Box<Expr>, Option<Op>, Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    Field(Box<Expr>, String),
    /// Receiver, name, arguments, and the tokens of `.name::<T>`.
    Method(Box<Expr>, String, Vec<Expr>, TokenStream),
    Call(Box<Expr>, Vec<Expr>),
    /// The value, and the type as text and as tokens.
    Cast(Box<Expr>, String, TokenStream),
    Ref(bool, Box<Expr>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[value; length]`.
    Repeat(Box<Expr>, Box<Expr>),
    /// The path, the fields as name and value, and the expression after `..`.
    Struct(TokenStream, Vec<(TokenStream, Expr)>, Option<Box<Expr>>),
    Block(Block),
    /// The label, with its quote, and the block.
    Labeled(String, TokenStream, Block),
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `let pattern = value` in a condition.
    Let(Pattern, Box<Expr>),
    Match(Box<Expr>, Vec<Arm>),
    For(Rc<For>),
    While(Label, Box<Expr>, Block),
    Loop(Label, Block),
    Break(Option<String>, Option<Box<Expr>>),
    Continue(Option<String>),
    Return(Option<Box<Expr>>),
    Try(Box<Expr>),
    Closure(Vec<Pattern>, Box<Head>, Box<Expr>),
    /// A macro that the compiler knows: its name, all its arguments, and the tokens `name =` before named ones. A name in a format
    /// string is such an argument. `write!(to, ..)` has one argument, the call `to.write_fmt(..)`; `matches!` has a `match`, and
    /// `vec!` an array.
    Macro(String, Vec<Expr>, Vec<TokenStream>),
    /// Code that the compiler does not understand.
    Opaque(Box<Opaque>),
}

/// A macro that the compiler does not know, or syntax that it does not analyse. The code may read, write and borrow each variable that
/// it [receives](Opaque::received).
#[derive(Debug, Clone)]
pub struct Opaque {
    pub what: Unknown,
    /// The parts that are expressions: the arguments of a macro, the block of `unsafe`.
    pub parts: Vec<Expr>,
    /// The other identifiers among the tokens, each as an expression of kind [`Kind::Name`].
    pub names: Vec<Expr>,
    /// Whether its tokens, without the parts, hold `break`, `continue`, `return`, `yield`, `?` or a label.
    pub leaves: bool,
}

/// The kinds of code that the compiler does not understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// A macro as an expression.
    Macro,
    /// A macro as a statement among others. The expansion makes rustc parse it as an expression: as a statement, it
    /// could bind names and define items for the statements around it.
    Statement,
    /// An `unsafe` block. Its code is analysed as any other.
    Unsafe,
    /// `&raw mut place`, with `&mut place` as its part. The code can reach memory outside of the place.
    RawPointer,
    Await,
    Yield,
    /// Everything else, such as `async` blocks.
    Syntax,
}

impl Unknown {
    pub fn is_macro(self) -> bool {
        matches!(self, Unknown::Macro | Unknown::Statement)
    }

    /// Its name, for messages.
    pub fn text(self) -> &'static str {
        match self {
            Unknown::Macro | Unknown::Statement => "a macro",
            Unknown::Unsafe => "`unsafe`",
            Unknown::RawPointer => "a raw pointer",
            Unknown::Await => "`await`",
            Unknown::Yield => "`yield`",
            Unknown::Syntax => "this expression",
        }
    }
}

impl Opaque {
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        self.parts.iter().chain(&self.names)
    }

    /// The variables that the code may read, write and borrow, as expressions of kind [`Kind::Name`].
    pub fn received(&self) -> Vec<&Expr> {
        let mut received = Vec::new();
        if matches!(self.what, Unknown::Macro | Unknown::Statement | Unknown::Syntax) {
            for child in self.children() {
                for e in child.nodes() {
                    received.extend(matches!(e.kind, Kind::Name(_)).then_some(e));
                }
            }
        }
        received
    }

    pub fn receives(&self, name: Local) -> bool {
        self.received().iter().any(|e| e.name() == Some(name))
    }

    /// Whether the code may end the iteration, or a loop around it. `break`, `continue` and `return` in the definition of a macro
    /// refer to the loops and the function of its caller.
    pub fn may_leave(&self) -> bool {
        self.leaves || self.what.is_macro()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Label {
    pub name: Option<String>,
    pub tokens: TokenStream,
}

#[derive(Debug, Clone)]
pub struct For {
    pub label: Label,
    pub pattern: Pattern,
    pub source: Expr,
    pub body: Block,
    /// The span of `for`.
    pub span: Span,
    /// `#[sequential]` above the loop.
    pub sequential: bool,
    /// Whether the user wrote it with `while`. The expansion keeps that form.
    pub counts_by_while: bool,
    /// The condition under which an iteration ends the loop.
    pub ends: Option<Expr>,
}

#[derive(Debug, Clone)]
pub struct Arm {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Expr,
}

#[derive(Debug, Clone, Default)]
pub struct Block {
    pub statements: Vec<Statement>,
}

#[derive(Debug, Clone)]
pub struct Statement {
    pub id: Id,
    pub kind: StatementKind,
    pub tokens: TokenStream,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // Items are rare, and statements are not moved about.
pub enum StatementKind {
    /// Pattern with its type, value, and the block after `else`.
    Let(Pattern, Option<Expr>, Option<Expr>),
    /// An expression, and whether a semicolon follows.
    Expr(Expr, bool),
    Item(Item),
}

/// The declaration in an item.
#[derive(Debug, Clone)]
pub enum Item {
    Function(Rc<Nested>),
    /// A constant, or an immutable static.
    Constant(Rc<Constant>),
    /// The names of a `use` with their paths, and whether the list is complete: `*` and `self` have no name.
    Use(Vec<(Local, TokenStream)>, bool),
    /// A type, a module, a macro or a mutable static.
    Named,
    Other,
}

#[derive(Debug)]
pub struct Constant {
    pub name: Local,
    pub ty: Written,
    pub value: Expr,
}

/// A function inside of the function.
#[derive(Debug)]
pub struct Nested {
    pub name: Local,
    /// The parameters. They and the result have their types, except for types that depend on generic parameters.
    pub parameters: Vec<Pattern>,
    pub output: Option<Written>,
    /// The names of its parameters that are types.
    pub generic: Vec<String>,
    pub body: Expr,
    /// Whether some of its parameters are numbers.
    pub counts: bool,
    /// Whether the analysis can inline the function: it is not generic, and calls no items, because the analysis does
    /// not see all of them.
    pub seen: bool,
}

/// The head of a closure, as `move |x| -> T`.
#[derive(Debug, Clone)]
pub struct Head {
    pub tokens: TokenStream,
    pub moves: bool,
    pub output: Option<Written>,
}

#[derive(Debug, Clone)]
pub struct Pattern {
    pub tokens: TokenStream,
    /// The names that it binds. A name that is a constant or a variant counts as bound too: it is a variable of unknown value.
    pub names: Vec<Binding>,
    pub form: Form,
    /// The type, where one is written.
    pub ty: Option<Written>,
}

/// How a pattern takes a value apart. Parentheses, and a type, belong to the pattern inside of them.
#[derive(Debug, Clone)]
pub enum Form {
    /// `_`.
    Any,
    /// `..` among others.
    Rest,
    /// `ref mut name`, or `name @ pattern`.
    Name(Binding, Option<Box<Pattern>>),
    /// `&pattern`.
    Reference(Box<Pattern>),
    Tuple(Vec<Pattern>),
    Slice(Vec<Pattern>),
    /// The fields of a struct, by name.
    Struct(Vec<(String, Pattern)>),
    /// `Some(pattern)`: the last name of the path of a tuple struct or a variant, and its parts.
    Variant(Local, Vec<Pattern>),
    /// A literal, or the path of a constant or a variant.
    Value(Box<Expr>),
    /// Both ends, and whether the second is included.
    Range(Option<Box<Expr>>, Option<Box<Expr>>, bool),
    Or(Vec<Pattern>),
    /// Syntax that the compiler does not analyse.
    Other,
}

#[derive(Debug, Clone)]
pub struct Binding {
    pub name: Local,
    pub mutable: bool,
    /// `ref`.
    pub refers: bool,
}

impl Pattern {
    /// The identifier of a name that the pattern binds, from its tokens.
    pub fn ident(&self, name: Local) -> Option<Ident> {
        fn find(tokens: TokenStream, name: &str) -> Option<Ident> {
            tokens.into_iter().find_map(|token| match token {
                TokenTree::Ident(ident) => (ident == name).then_some(ident),
                TokenTree::Group(group) => find(group.stream(), name),
                _ => None,
            })
        }
        find(self.tokens.clone(), name.text())
    }

    /// The parts of a tuple pattern.
    pub fn parts(&self) -> &[Pattern] {
        if let Form::Tuple(parts) = &self.form { parts } else { &[] }
    }

    /// `&x`: the pattern takes the value behind the reference.
    pub fn is_reference(&self) -> bool {
        matches!(self.form, Form::Reference(_))
    }

    /// The name, if the pattern is only a name.
    pub fn single(&self) -> Option<&Binding> {
        if self.parts().is_empty() && self.names.len() == 1 { self.names.first() } else { None }
    }

    /// The number of elements of its array type, if the type has it as a number.
    pub fn parts_of_type(&self) -> Option<i64> {
        length_in(self.ty.as_ref()?)
    }

    /// The variables that it binds.
    pub fn variables(&self) -> impl Iterator<Item = Local> {
        self.names.iter().map(|binding| binding.name)
    }

    /// Whether this is one of its names.
    pub fn binds(&self, name: Local) -> bool {
        self.names.iter().any(|b| b.name == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    AndAnd,
    OrOr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Op {
    pub fn text(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Rem => "%",
            Op::And => "&",
            Op::Or => "|",
            Op::Xor => "^",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::AndAnd => "&&",
            Op::OrOr => "||",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Eq => "==",
            Op::Ne => "!=",
        }
    }

    pub fn tokens(self) -> TokenStream {
        self.text().parse().unwrap_or_default()
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne)
    }

    /// `a op b` as `b op' a`.
    pub fn mirrored(self) -> Op {
        match self {
            Op::Lt => Op::Gt,
            Op::Le => Op::Ge,
            Op::Gt => Op::Lt,
            Op::Ge => Op::Le,
            other => other,
        }
    }

    /// The comparison that holds exactly if this one does not (for integers).
    pub fn negated(self) -> Op {
        match self {
            Op::Lt => Op::Ge,
            Op::Le => Op::Gt,
            Op::Gt => Op::Le,
            Op::Ge => Op::Lt,
            Op::Eq => Op::Ne,
            Op::Ne => Op::Eq,
            other => other,
        }
    }
}

impl Expr {
    /// The expression without its parentheses.
    pub fn bare(&self) -> &Expr {
        match &self.kind {
            Kind::Paren(inner) => inner.bare(),
            Kind::Block(block) => match block.statements.as_slice() {
                [Statement { kind: StatementKind::Expr(inner, false), .. }] => inner.bare(),
                _ => self,
            },
            _ => self,
        }
    }

    /// Whether it is a block: a block is a value and no place.
    pub fn is_block(&self) -> bool {
        match &self.kind {
            Kind::Paren(inner) => inner.is_block(),
            kind => matches!(kind, Kind::Block(_)),
        }
    }

    pub fn name(&self) -> Option<Local> {
        match &self.bare().kind {
            Kind::Name(name) => Some(*name),
            _ => None,
        }
    }

    /// The last name of a path, without the arguments between `<` and `>`: `min` of `cmp::min::<usize>`.
    pub fn last_name(&self) -> String {
        let text = self.text();
        let text = if text.ends_with('>') { text.rfind(":: <").map_or("", |at| &text[..at]) } else { &text };
        text.rsplit("::").find(|part| !part.trim().is_empty()).unwrap_or_default().trim().to_owned()
    }

    /// The range that this expression is, if it has two ends, through `rev` and `step_by`.
    pub fn counted(&self) -> Option<Counted<'_>> {
        match &self.bare().kind {
            Kind::Range(Some(from), Some(to), inclusive) => {
                Some(Counted { from, to, inclusive: *inclusive, step: None })
            }
            Kind::Method(inner, name, args, _) => match (name.as_str(), args.as_slice(), inner.counted()?) {
                // The largest value of a stepped range is at most its end.
                ("rev", [], range @ Counted { step: None, .. }) => Some(range),
                ("step_by", [step], range) if !matches!(inner.bare().kind, Kind::Method(..)) => {
                    Some(Counted { step: Some(step), ..range })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The range in [`Expr::counted`] itself.
    pub fn range(&self) -> Option<&Expr> {
        match &self.bare().kind {
            Kind::Range(..) => Some(self.bare()),
            Kind::Method(inner, ..) => inner.range(),
            _ => None,
        }
    }

    /// The tokens as text, in one form for any spacing: equal texts are equal expressions.
    pub fn text(&self) -> String {
        self.bare().tokens.to_string()
    }

    /// Whether it is written as this code.
    pub fn is_code(&self, code: &str) -> bool {
        self.text() == code
    }

    /// The text as the user wrote it, for messages.
    pub fn shown(&self) -> String {
        shown_tokens(&self.bare().tokens)
    }

    /// The variable of a place expression: `a` of `a`, `*a`, `a.x[1]`, `&mut a`.
    pub fn root(&self) -> Option<Local> {
        match &self.kind {
            Kind::Name(name) => Some(*name),
            Kind::Paren(e) | Kind::Unary('*', e) | Kind::Field(e, _) | Kind::Index(e, _) | Kind::Ref(_, e) => e.root(),
            _ => None,
        }
    }

    /// Visits this expression and all subexpressions, outermost first. The visitor returns whether to visit the
    /// subexpressions.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr) -> bool) {
        if !visit(self) {
            return;
        }
        self.each_child(&mut |child| match child {
            Child::Expr(e) => e.walk(visit),
            Child::Block(b) => b.walk(visit),
        });
    }

    /// This expression and all subexpressions, outermost first.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes { next: vec![self] }
    }

    /// The plain names in it.
    pub fn variables(&self) -> impl Iterator<Item = Local> {
        self.nodes().filter_map(|e| match e.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        })
    }

    /// Visits like [`Expr::walk`], and lets the visitor change the expressions.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr) -> bool) {
        if !visit(self) {
            return;
        }
        let mut all = |es: &mut dyn Iterator<Item = &mut Expr>| es.for_each(|e| e.walk_mut(visit));
        match &mut self.kind {
            Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Continue(_) => {}
            Kind::Paren(e) | Kind::Unary(_, e) | Kind::Field(e, _) | Kind::Cast(e, ..) | Kind::Ref(_, e) => {
                e.walk_mut(visit);
            }
            Kind::Try(e) | Kind::Let(_, e) | Kind::Closure(_, _, e) => e.walk_mut(visit),
            Kind::Binary(_, a, b) | Kind::Assign(a, _, b) | Kind::Index(a, b) | Kind::Repeat(a, b) => {
                all(&mut [a, b].into_iter().map(|e| &mut **e));
            }
            Kind::Range(a, b, _) => all(&mut a.iter_mut().chain(b).map(|e| &mut **e)),
            Kind::Method(e, _, args, _) | Kind::Call(e, args) => all(&mut std::iter::once(&mut **e).chain(args)),
            Kind::Tuple(es) | Kind::Array(es) | Kind::Macro(_, es, _) => all(&mut es.iter_mut()),
            Kind::Opaque(opaque) => all(&mut opaque.parts.iter_mut().chain(&mut opaque.names)),
            Kind::Struct(_, fields, rest) => {
                all(&mut fields.iter_mut().map(|(_, e)| e).chain(rest.iter_mut().map(|e| &mut **e)));
            }
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) => b.walk_mut(visit),
            Kind::If(c, t, e) => {
                c.walk_mut(visit);
                t.walk_mut(visit);
                e.iter_mut().for_each(|e| e.walk_mut(visit));
            }
            Kind::Match(e, arms) => {
                e.walk_mut(visit);
                for arm in arms {
                    arm.guard.iter_mut().chain([&mut arm.body]).for_each(|e| e.walk_mut(visit));
                }
            }
            Kind::For(f) => {
                let f = Rc::make_mut(f);
                f.source.walk_mut(visit);
                f.body.walk_mut(visit);
            }
            Kind::While(_, c, b) => {
                c.walk_mut(visit);
                b.walk_mut(visit);
            }
            Kind::Break(_, e) | Kind::Return(e) => e.iter_mut().for_each(|e| e.walk_mut(visit)),
        }
    }

    /// The expressions and blocks directly inside, in the order in which they are evaluated.
    pub fn children(&self) -> Vec<Child<'_>> {
        let mut children = Vec::new();
        self.each_child(&mut |child| children.push(child));
        children
    }

    /// Visits the expressions and blocks directly inside, in the order of [`Expr::children`].
    fn each_child<'e>(&'e self, visit: &mut dyn FnMut(Child<'e>)) {
        use Child::{Block as B, Expr as E};
        match &self.kind {
            Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Continue(_) => {}
            Kind::Paren(e) | Kind::Unary(_, e) | Kind::Field(e, _) | Kind::Cast(e, ..) | Kind::Ref(_, e) => visit(E(e)),
            Kind::Try(e) | Kind::Let(_, e) | Kind::Closure(_, _, e) => visit(E(e)),
            Kind::Binary(_, a, b) | Kind::Assign(a, _, b) | Kind::Index(a, b) | Kind::Repeat(a, b) => {
                visit(E(a));
                visit(E(b));
            }
            Kind::Range(a, b, _) => a.iter().chain(b).for_each(|e| visit(E(e))),
            Kind::Method(e, _, args, _) | Kind::Call(e, args) => {
                visit(E(e));
                args.iter().for_each(|e| visit(E(e)));
            }
            Kind::Tuple(es) | Kind::Array(es) | Kind::Macro(_, es, _) => es.iter().for_each(|e| visit(E(e))),
            Kind::Opaque(opaque) => opaque.children().for_each(|e| visit(E(e))),
            Kind::Struct(_, fields, rest) => {
                fields.iter().for_each(|(_, e)| visit(E(e)));
                rest.iter().for_each(|e| visit(E(e)));
            }
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) => visit(B(b)),
            Kind::If(c, t, e) => {
                visit(E(c));
                visit(B(t));
                e.iter().for_each(|e| visit(E(e)));
            }
            Kind::Match(e, arms) => {
                visit(E(e));
                for arm in arms {
                    arm.guard.iter().for_each(|e| visit(E(e)));
                    visit(E(&arm.body));
                }
            }
            Kind::For(f) => {
                visit(E(&f.source));
                visit(B(&f.body));
            }
            Kind::While(_, c, b) => {
                visit(E(c));
                visit(B(b));
            }
            Kind::Break(_, e) | Kind::Return(e) => e.iter().for_each(|e| visit(E(e))),
        }
    }

    /// The places that an assignment to this expression sets: `a` and `b` of `(a, b) = e` and
    /// `P { x: a, y: [b, _] } = e`.
    pub fn places(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Paren(inner) => inner.places(),
            Kind::Tuple(parts) | Kind::Array(parts) | Kind::Call(_, parts) => {
                parts.iter().flat_map(Expr::places).collect()
            }
            Kind::Struct(_, fields, _) => fields.iter().flat_map(|(_, part)| part.places()).collect(),
            _ => vec![self],
        }
    }

    /// Whether the name occurs anywhere in it, including macros.
    pub fn mentions(&self, name: Local) -> bool {
        self.nodes().any(|e| matches!(&e.kind, Kind::Name(other) if *other == name))
    }
}

/// Expressions from the outermost on, in the order in which they are written.
pub struct Nodes<'e> {
    /// The next expressions, in reverse order.
    next: Vec<&'e Expr>,
}

impl<'e> Iterator for Nodes<'e> {
    type Item = &'e Expr;

    fn next(&mut self) -> Option<&'e Expr> {
        let e = self.next.pop()?;
        let first = self.next.len();
        e.each_child(&mut |child| match child {
            Child::Expr(e) => self.next.push(e),
            Child::Block(b) => self.next.extend(b.statements.iter().flat_map(Statement::exprs)),
        });
        self.next[first..].reverse();
        Some(e)
    }
}

/// `from..to`, upwards or downwards, with its step.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'e> {
    pub from: &'e Expr,
    pub to: &'e Expr,
    /// Whether `to` is one of its values.
    pub inclusive: bool,
    pub step: Option<&'e Expr>,
}

pub enum Child<'e> {
    Expr(&'e Expr),
    Block(&'e Block),
}

impl Block {
    /// Its own declarations: pattern and value.
    pub fn lets(&self) -> impl Iterator<Item = (&Pattern, Option<&Expr>)> {
        self.statements.iter().filter_map(|s| match &s.kind {
            StatementKind::Let(pattern, value, _) => Some((pattern, value.as_ref())),
            _ => None,
        })
    }

    /// The expression that is the value of the block.
    pub fn value(&self) -> Option<&Expr> {
        match &self.statements.last()?.kind {
            StatementKind::Expr(e, false) => Some(e),
            _ => None,
        }
    }

    /// Whether it always ends with a jump.
    pub fn diverges(&self) -> bool {
        self.statements.last().is_some_and(|s| match &s.kind {
            StatementKind::Expr(e, _) => matches!(e.kind, Kind::Continue(_) | Kind::Break(..) | Kind::Return(_)),
            _ => false,
        })
    }

    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr) -> bool) {
        for statement in &self.statements {
            statement.walk(visit);
        }
    }

    /// The expression with a number.
    pub fn node(&self, id: Id) -> Option<&Expr> {
        self.nodes().find(|e| e.id == id)
    }

    /// All expressions of its statements, outermost first.
    pub fn nodes(&self) -> impl Iterator<Item = &Expr> {
        self.statements.iter().flat_map(Statement::nodes)
    }

    /// Visits like [`Block::nodes`], and lets the visitor change the expressions.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr) -> bool) {
        for statement in &mut self.statements {
            match &mut statement.kind {
                StatementKind::Let(_, value, otherwise) => {
                    value.iter_mut().chain(otherwise).for_each(|e| e.walk_mut(visit));
                }
                StatementKind::Expr(e, _) => e.walk_mut(visit),
                StatementKind::Item(_) => {}
            }
        }
    }
}

impl Statement {
    /// The expressions directly in the statement.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match &self.kind {
            StatementKind::Let(_, value, otherwise) => (value.as_ref(), otherwise.as_ref()),
            StatementKind::Expr(e, _) => (Some(e), None),
            StatementKind::Item(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The function that it declares, if the analysis can inline it.
    pub fn nested(&self) -> Option<&Nested> {
        match &self.kind {
            StatementKind::Item(Item::Function(nested)) if nested.seen => Some(nested),
            _ => None,
        }
    }

    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr) -> bool) {
        self.exprs().for_each(|e| e.walk(visit));
    }

    /// All expressions of it, outermost first.
    pub fn nodes(&self) -> impl Iterator<Item = &Expr> {
        self.exprs().flat_map(Expr::nodes)
    }

    pub fn mentions(&self, name: Local) -> bool {
        self.exprs().any(|e| e.mentions(name))
    }
}
