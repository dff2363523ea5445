//! The definitions of a body: the code that may give a variable a value, and the code that decides whether it runs.
//!
//! A variable depends on another one if the other one occurs in a value of one of its definitions. It also depends on the variables of an
//! expression that decides whether the definition runs: a condition, the header of a loop, a condition around a jump. The order of
//! statements does not count.

use crate::ir::names::{bindings, each_let};
use crate::ir::{Block, Child, Expr, For, Id, Kind, Local, Op, Pattern, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};

pub struct Definitions<'e> {
    /// The variables that patterns bind, those among them that are `mut`, and those that a declaration gives a whole value.
    bound: HashSet<Local>,
    pub(super) mutable: HashSet<Local>,
    declared: Vec<Local>,
    pub(super) all: Vec<Definition<'e>>,
    pub(super) regions: Vec<Region<'e>>,
    /// Assignments, elements and methods of variables, with their regions.
    pub(super) parts: Vec<(&'e Expr, usize)>,
    /// The jumps, each from its region to one that it may skip.
    pub(super) jumps: Vec<(Id, usize, usize)>,
}

pub struct Definition<'e> {
    pub form: Form,
    pub variables: Vec<Local>,
    /// Variables that the code receives: it may change the variables that they borrow.
    pub(super) handed: Vec<Local>,
    pub values: Vec<&'e Expr>,
    /// The place that an assignment sets.
    pub place: Option<&'e Expr>,
    pub(super) region: usize,
    /// The expression around the code, which runs as a whole or not at all.
    pub(super) whole: Option<&'e Expr>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A pattern takes the value apart.
    Bound,
    /// The whole variable is assigned.
    Assigned,
    /// A part of the variable is assigned: `a[i] = e`, `*r = e`.
    Stored,
    /// The variable or a part of it is updated: `v += e`.
    Updated,
    /// Other code may change the variable: a method, a function that borrows it, or code that the compiler does not understand.
    Changed,
}

/// Code that runs under the same conditions.
pub(super) struct Region<'e> {
    pub(super) around: Option<usize>,
    pub(super) decisions: Vec<&'e Expr>,
}

impl<'e> Definition<'e> {
    /// The value that the variables or parts of them get.
    pub fn given(&self) -> Option<&'e Expr> {
        self.values.first().filter(|_| matches!(self.form, Form::Bound | Form::Assigned | Form::Stored)).copied()
    }
}

/// The indices in a place expression.
pub fn indices(mut place: &Expr) -> impl Iterator<Item = &Expr> {
    let mut found = Vec::new();
    loop {
        place = match &place.kind {
            Kind::Paren(inner) | Kind::Unary('*', inner) | Kind::Ref(_, inner) | Kind::Field(inner, _) => inner,
            Kind::Index(base, index) => {
                found.push(&**index);
                base
            }
            _ => return found.into_iter(),
        };
    }
}

impl<'e> Definitions<'e> {
    /// Those of the body of a loop, without its header.
    pub fn of(body: &'e Block) -> Definitions<'e> {
        let (mut bound, mut mutable, mut declared) = (HashSet::new(), HashSet::new(), Vec::new());
        bindings(body, &mut |pattern| {
            bound.extend(pattern.variables());
            mutable.extend(pattern.names.iter().filter(|binding| binding.mutable).map(|binding| binding.name));
        });
        each_let(body, &mut |pattern, _| declared.extend(pattern.single().map(|binding| binding.name)));
        let (all, regions, parts, jumps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let definitions = Definitions { bound, mutable, declared, all, regions, parts, jumps };
        let mut collect =
            Collect { definitions, region: 0, frames: Vec::new(), closures: HashMap::new(), within: None };
        collect.region(Vec::new(), |collect| {
            collect.frames.push(Frame { label: None, is_loop: true, region: 0, whole: None });
            collect.block(body, None);
        });
        collect.definitions
    }

    /// Those of a loop with its header.
    pub fn of_loop(f: &'e For) -> Definitions<'e> {
        let mut definitions = Definitions::of(&f.body);
        definitions.bind(&f.pattern, &f.source, 0);
        definitions
    }

    /// Whether the body binds a variable.
    pub fn binds(&self, name: Local) -> bool {
        self.bound.contains(&name)
    }

    /// The variables of declarations with a value for each.
    pub fn declared(&self) -> impl Iterator<Item = Local> {
        self.declared.iter().copied()
    }

    /// The assignments, each with the expressions that decide whether it runs.
    pub fn assignments(&self) -> impl Iterator<Item = (&'e Expr, Vec<&'e Expr>)> {
        let assignments = self.parts.iter().filter(|(e, _)| matches!(e.kind, Kind::Assign(..)));
        assignments.map(|(e, region)| {
            let around = std::iter::successors(Some(*region), |region| self.regions[*region].around);
            (*e, around.flat_map(|region| &self.regions[region].decisions).copied().collect())
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = &Definition<'e>> {
        self.all.iter()
    }

    fn add(&mut self, form: Form, variables: Vec<Local>, values: Vec<&'e Expr>, region: usize) {
        let (handed, place, whole) = (Vec::new(), None, None);
        self.all.push(Definition { form, variables, handed, values, place, region, whole });
    }

    /// A pattern that gets a value, or each item of one.
    fn bind(&mut self, pattern: &'e Pattern, value: &'e Expr, region: usize) {
        match (&value.bare().kind, pattern.parts()) {
            (Kind::Tuple(values), parts) if values.len() == parts.len() => {
                parts.iter().zip(values).for_each(|(part, value)| self.bind(part, value, region));
            }
            (Kind::Method(receiver, method, args, _), parts) => match (method.as_str(), parts, args.as_slice()) {
                ("zip", [one, two], [other]) => {
                    self.bind(one, receiver, region);
                    self.bind(two, other, region);
                }
                ("enumerate", [_, item], []) => self.bind(item, receiver, region),
                ("rev", _, []) | ("skip" | "take" | "step_by", _, [_]) => self.bind(pattern, receiver, region),
                _ => self.add(Form::Bound, pattern.variables().collect(), vec![value], region),
            },
            _ => self.add(Form::Bound, pattern.variables().collect(), vec![value], region),
        }
    }
}

/// A loop or a labeled block around the present code.
struct Frame<'e> {
    label: Option<&'e str>,
    is_loop: bool,
    region: usize,
    /// The expression that gets the value of a `break`.
    whole: Option<&'e Expr>,
}

struct Collect<'e> {
    definitions: Definitions<'e>,
    region: usize,
    frames: Vec<Frame<'e>>,
    /// The parameters of closures that variables hold.
    closures: HashMap<Local, &'e [Pattern]>,
    /// The expression around a closure.
    within: Option<&'e Expr>,
}

impl<'e> Collect<'e> {
    /// Code that runs depending on these expressions.
    fn region(&mut self, decisions: Vec<&'e Expr>, inside: impl FnOnce(&mut Self)) {
        let (number, around) = (self.definitions.regions.len(), self.region);
        self.definitions.regions.push(Region { around: Some(around).filter(|_| number > 0), decisions });
        self.region = number;
        inside(self);
        self.region = around;
    }

    /// Code that jumps may leave.
    fn frame(
        &mut self,
        label: Option<&'e str>,
        is_loop: bool,
        whole: Option<&'e Expr>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.frames.push(Frame { label, is_loop, region: self.region, whole });
        inside(self);
        self.frames.pop();
    }

    /// A jump out of the frames from this one on.
    fn jump(&mut self, e: &Expr, target: usize) {
        let from = self.region;
        self.definitions.jumps.extend(self.frames[target..].iter().map(|frame| (e.id, from, frame.region)));
    }

    fn target(&self, label: Option<&str>) -> usize {
        let named = |frame: &Frame<'_>| label.map_or(frame.is_loop, |label| frame.label == Some(label));
        self.frames.iter().rposition(named).unwrap_or(0)
    }

    /// A block whose value is a part of the expression `whole`.
    fn block(&mut self, block: &'e Block, whole: Option<&'e Expr>) {
        for (number, statement) in block.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Item(_) => {}
                StatementKind::Let(pattern, value, otherwise) => {
                    if let Some(value) = value {
                        self.bound(pattern, value);
                    }
                    if let (Some(value), Some(otherwise)) = (value, otherwise) {
                        self.region(vec![value], |collect| collect.expr(otherwise, None));
                    }
                }
                StatementKind::Expr(e, semicolon) => {
                    let is_value = number + 1 == block.statements.len() && !semicolon;
                    self.expr(e, whole.filter(|_| is_value));
                }
            }
        }
    }

    fn bound(&mut self, pattern: &'e Pattern, value: &'e Expr) {
        self.expr(value, Some(value));
        self.definitions.bind(pattern, value, self.region);
        if let (Some(binding), Kind::Closure(patterns, ..)) = (pattern.single(), &value.bare().kind) {
            self.closures.insert(binding.name, patterns);
        }
    }

    /// An expression that is a part of `whole`, if its value is used. A table, with an arm for each kind.
    fn expr(&mut self, e: &'e Expr, whole: Option<&'e Expr>) {
        match &e.kind {
            Kind::Paren(inner) => self.expr(inner, whole),
            Kind::Block(block) => self.block(block, whole),
            Kind::Labeled(label, _, block) => self.region(Vec::new(), |collect| {
                let label = Some(label.trim_start_matches('\''));
                collect.frame(label, false, whole, |collect| collect.block(block, whole));
            }),
            Kind::If(condition, then, otherwise) => {
                self.expr(condition, Some(condition));
                self.region(vec![condition], |collect| {
                    collect.block(then, whole);
                    otherwise.iter().for_each(|otherwise| collect.expr(otherwise, whole));
                });
            }
            Kind::Let(pattern, value) => self.bound(pattern, value),
            Kind::Match(value, arms) => {
                self.expr(value, Some(value));
                let guards = arms.iter().filter_map(|arm| arm.guard.as_ref());
                self.region(std::iter::once(&**value).chain(guards).collect(), |collect| {
                    for arm in arms {
                        collect.definitions.bind(&arm.pattern, value, collect.region);
                        arm.guard.iter().for_each(|guard| collect.expr(guard, Some(guard)));
                        collect.expr(&arm.body, whole);
                    }
                });
            }
            Kind::For(f) => {
                self.expr(&f.source, Some(&f.source));
                self.region(vec![&f.source], |collect| {
                    collect.definitions.bind(&f.pattern, &f.source, collect.region);
                    collect.frame(f.label.name.as_deref(), true, None, |collect| collect.block(&f.body, None));
                });
            }
            Kind::While(label, condition, body) => self.region(vec![condition], |collect| {
                collect.expr(condition, Some(condition));
                collect.frame(label.name.as_deref(), true, None, |collect| collect.block(body, None));
            }),
            Kind::Loop(label, body) => self.region(Vec::new(), |collect| {
                collect.frame(label.name.as_deref(), true, whole, |collect| collect.block(body, None));
            }),
            Kind::Break(label, value) => {
                let target = self.target(label.as_deref());
                value.iter().for_each(|value| self.expr(value, self.frames[target].whole.or(Some(value))));
                self.jump(e, target);
            }
            Kind::Continue(label) => self.jump(e, self.target(label.as_deref())),
            Kind::Return(value) => {
                value.iter().for_each(|value| self.expr(value, Some(value)));
                self.jump(e, 0);
            }
            Kind::Try(inner) => {
                self.expr(inner, whole.or(Some(e)));
                self.region(vec![inner], |collect| collect.jump(e, 0));
            }
            Kind::Binary(Op::AndAnd | Op::OrOr, left, right) => {
                self.expr(left, Some(left));
                self.region(vec![left], |collect| collect.expr(right, Some(right)));
            }
            Kind::Assign(place, op, value) => {
                self.expr(value, Some(value));
                self.expr(place, Some(e));
                self.definitions.parts.push((e, self.region));
                self.assigned(e, place, *op, value);
            }
            _ => self.simple(e, whole.unwrap_or(e)),
        }
    }

    fn assigned(&mut self, e: &'e Expr, place: &'e Expr, op: Option<Op>, value: &'e Expr) {
        if let (Kind::Tuple(places), Kind::Tuple(values)) = (&place.bare().kind, &value.bare().kind)
            && places.len() == values.len()
        {
            return places.iter().zip(values).for_each(|(place, value)| self.assigned(e, place, op, value));
        }
        for place in place.places() {
            let form = match op {
                Some(_) => Form::Updated,
                None if place.name().is_some() => Form::Assigned,
                None => Form::Stored,
            };
            let values = std::iter::once(value).chain(indices(place)).collect();
            let variables = place.root().map_or_else(|| place.variables().collect(), |root| vec![root]);
            let (handed, whole) = (Vec::new(), self.within.or(Some(e)));
            let (place, region) = (Some(place), self.region);
            self.definitions.all.push(Definition { form, variables, handed, values, place, region, whole });
        }
    }

    /// Code without control flow, which may change variables by all values in `whole`.
    fn simple(&mut self, e: &'e Expr, whole: &'e Expr) {
        let received: Vec<&'e Expr> = match &e.kind {
            Kind::Method(receiver, _, args, _) => std::iter::once(&**receiver).chain(args).collect(),
            Kind::Call(function, args) => std::iter::once(&**function).chain(args).collect(),
            _ => Vec::new(),
        };
        let (mut changed, mut handed) = (e.changes(), received.iter().filter_map(|e| e.name()).collect::<Vec<_>>());
        if let Kind::Method(receiver, ..) = &e.kind {
            // A method changes a variable that is declared with `mut`, or through a borrow.
            changed.retain(|name| self.definitions.mutable.contains(name));
            handed.extend(receiver.root());
        }
        if !changed.is_empty() || !handed.is_empty() {
            let (values, region, around) = (vec![whole], self.region, self.within.or(Some(whole)));
            let (form, variables, place) = (Form::Changed, changed, None);
            self.definitions.all.push(Definition { form, variables, handed, values, place, region, whole: around });
        }
        if matches!(&e.kind, Kind::Index(of, _) | Kind::Method(of, ..) if of.name().is_some()) {
            self.definitions.parts.push((e, self.region));
        }
        if let Kind::Call(function, args) = &e.kind
            && let Some(patterns) = function.name().and_then(|function| self.closures.get(&function).copied())
        {
            patterns.iter().zip(args).for_each(|(pattern, arg)| self.definitions.bind(pattern, arg, self.region));
        }
        for child in e.children() {
            match (child, &e.kind) {
                (Child::Expr(closure @ Expr { kind: Kind::Closure(patterns, _, body), .. }), _) => {
                    let from = self.parameters(e, closure.id, patterns, body);
                    self.region(from, |collect| collect.simple(closure, whole));
                }
                (Child::Expr(e), Kind::Closure(..)) => self.closure(e, whole),
                (Child::Expr(e), _) => self.expr(e, Some(whole)),
                (Child::Block(block), _) => self.block(block, Some(whole)),
            }
        }
    }

    /// The parameters of a closure that a call receives. Returns the expressions that determine how often it runs.
    fn parameters(&mut self, call: &'e Expr, id: Id, patterns: &'e [Pattern], body: &'e Expr) -> Vec<&'e Expr> {
        let others = |args: &'e [Expr]| args.iter().filter(move |arg| arg.id != id).chain([body]);
        let region = self.region;
        let mut bind = |patterns: &'e [Pattern], values: &[&'e Expr]| {
            for pattern in patterns {
                values.iter().for_each(|value| self.definitions.bind(pattern, value, region));
            }
        };
        match (&call.kind, patterns) {
            (Kind::Method(receiver, _, args, _), patterns) => {
                bind(patterns, &[receiver]);
                // `fold` hands the result so far to the closure.
                if let [so_far, _] = patterns {
                    bind(std::slice::from_ref(so_far), &others(args).collect::<Vec<_>>());
                }
                vec![receiver]
            }
            (Kind::Call(_, args), patterns) => {
                let others: Vec<&Expr> = others(args).collect();
                bind(patterns, &others);
                others
            }
            _ => Vec::new(),
        }
    }

    /// The body of a closure in the expression `whole`: jumps end it.
    fn closure(&mut self, body: &'e Expr, whole: &'e Expr) {
        self.region(Vec::new(), |collect| {
            let frame = Frame { label: None, is_loop: true, region: collect.region, whole: None };
            let (frames, within) = (std::mem::replace(&mut collect.frames, vec![frame]), collect.within);
            collect.within = within.or(Some(whole));
            collect.expr(body, Some(body));
            (collect.frames, collect.within) = (frames, within);
        });
    }
}
