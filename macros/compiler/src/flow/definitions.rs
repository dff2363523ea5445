//! The definitions of a body: the code that may give a variable a value, and the code that decides whether it runs.
//!
//! A variable depends on another one if the other one occurs in a value of one of its definitions, or in an expression that decides whether
//! the definition runs: a condition, the header of a loop, a condition around a jump. The order of statements does not count.

use super::aliases::Aliases;
use super::relation::Relation;
use crate::ir::names::{bindings, each_let};
use crate::ir::{Block, Child, Expr, For, Kind, Local, Op, Pattern, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};

pub struct Definitions<'e> {
    /// The variables that patterns bind, those among them that are `mut`, and those that a declaration gives a whole value.
    bound: HashSet<Local>,
    mutable: HashSet<Local>,
    declared: Vec<Local>,
    all: Vec<Definition<'e>>,
    regions: Vec<Region<'e>>,
    /// From the region of a jump to those that it may skip.
    jumps: Vec<(usize, usize)>,
}

pub struct Definition<'e> {
    pub form: Form,
    pub variables: Vec<Local>,
    /// Variables that the code receives: it may change the variables that they borrow.
    handed: Vec<Local>,
    pub values: Vec<&'e Expr>,
    region: usize,
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
struct Region<'e> {
    around: Option<usize>,
    decisions: Vec<&'e Expr>,
}

/// The variables that an expression reads.
pub type Reads<'r> = dyn Fn(&Expr, &mut dyn FnMut(Local)) + 'r;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Variable(Local),
    Region(usize),
}

/// All variables in an expression.
pub fn all_variables(e: &Expr, to: &mut dyn FnMut(Local)) {
    e.variables().for_each(to);
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
        let (all, regions, jumps) = (Vec::new(), Vec::new(), Vec::new());
        let definitions = Definitions { bound, mutable, declared, all, regions, jumps };
        let mut collect = Collect { definitions, region: 0, frames: Vec::new(), closures: HashMap::new() };
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

    pub fn iter(&self) -> impl Iterator<Item = &Definition<'e>> {
        self.all.iter()
    }

    /// The variables that are computed from these, and these: through the values of bindings and assignments. Only variables for which `through`
    /// holds are followed.
    pub fn computed_from(
        &self,
        from: impl IntoIterator<Item = Local>,
        reads: &Reads<'_>,
        through: &dyn Fn(Local) -> bool,
    ) -> HashSet<Local> {
        let mut relation = Relation::new();
        for definition in self.all.iter().filter(|definition| definition.form != Form::Changed) {
            for to in definition.variables.iter().filter(|name| through(**name)) {
                definition.values.iter().for_each(|value| reads(value, &mut |name| relation.follows(name, *to)));
            }
        }
        relation.from(from)
    }

    /// All dependences of the body's variables and regions, through values and control flow. Code that may change a variable may change those that
    /// it borrows.
    pub fn dependences(&self, reads: &Reads<'_>) -> Relation<Node> {
        let aliases = Aliases::of(self);
        let mut relation = Relation::new();
        for definition in &self.all {
            let region = Node::Region(definition.region);
            let mut variables: HashSet<Local> = definition.variables.iter().copied().collect();
            if !matches!(definition.form, Form::Bound | Form::Assigned) {
                variables.extend(definition.handed.iter().filter(|name| aliases.may_borrow(**name)));
                let others: Vec<Local> = variables.iter().flat_map(|name| aliases.of_class(*name)).copied().collect();
                variables.extend(others.into_iter().filter(|n| self.mutable.contains(n) || aliases.may_borrow(*n)));
            }
            for to in variables {
                relation.follows(region, Node::Variable(to));
                for value in &definition.values {
                    reads(value, &mut |name| relation.follows(Node::Variable(name), Node::Variable(to)));
                }
            }
        }
        for (number, region) in self.regions.iter().enumerate() {
            let to = Node::Region(number);
            region.around.iter().for_each(|around| relation.follows(Node::Region(*around), to));
            for decision in &region.decisions {
                reads(decision, &mut |name| relation.follows(Node::Variable(name), to));
            }
        }
        for (from, to) in &self.jumps {
            relation.follows(Node::Region(*from), Node::Region(*to));
        }
        relation
    }

    /// The variables that depend on these, and these.
    pub fn dependent_on(&self, on: impl IntoIterator<Item = Local>, reads: &Reads<'_>) -> HashSet<Local> {
        let found = self.dependences(reads).from(on.into_iter().map(Node::Variable));
        found.into_iter().filter_map(|node| if let Node::Variable(name) = node { Some(name) } else { None }).collect()
    }

    fn add(&mut self, form: Form, variables: Vec<Local>, values: Vec<&'e Expr>, region: usize) {
        self.all.push(Definition { form, variables, handed: Vec::new(), values, region });
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
    fn jump(&mut self, target: usize) {
        let from = self.region;
        self.definitions.jumps.extend(self.frames[target..].iter().map(|frame| (from, frame.region)));
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
                self.jump(target);
            }
            Kind::Continue(label) => self.jump(self.target(label.as_deref())),
            Kind::Return(value) => {
                value.iter().for_each(|value| self.expr(value, Some(value)));
                self.jump(0);
            }
            Kind::Try(inner) => {
                self.expr(inner, whole.or(Some(e)));
                self.region(vec![inner], |collect| collect.jump(0));
            }
            Kind::Binary(Op::AndAnd | Op::OrOr, left, right) => {
                self.expr(left, Some(left));
                self.region(vec![left], |collect| collect.expr(right, Some(right)));
            }
            Kind::Assign(place, op, value) => {
                self.expr(value, Some(value));
                self.expr(place, Some(e));
                self.assigned(place, *op, value);
            }
            _ => self.simple(e, whole.unwrap_or(e)),
        }
    }

    fn assigned(&mut self, place: &'e Expr, op: Option<Op>, value: &'e Expr) {
        if let (Kind::Tuple(places), Kind::Tuple(values)) = (&place.bare().kind, &value.bare().kind)
            && places.len() == values.len()
        {
            return places.iter().zip(values).for_each(|(place, value)| self.assigned(place, op, value));
        }
        for place in place.places() {
            let form = match op {
                Some(_) => Form::Updated,
                None if place.name().is_some() => Form::Assigned,
                None => Form::Stored,
            };
            let values = std::iter::once(value).chain(indices(place)).collect();
            self.definitions.add(form, place.root().into_iter().collect(), values, self.region);
        }
    }

    /// Code without control flow, which may change variables by all values in `whole`.
    fn simple(&mut self, e: &'e Expr, whole: &'e Expr) {
        let args: Vec<&'e Expr> = match &e.kind {
            Kind::Method(_, _, args, _) => args.iter().collect(),
            Kind::Call(function, args) => std::iter::once(&**function).chain(args).collect(),
            _ => Vec::new(),
        };
        let (variables, handed) = (e.changes(), args.iter().filter_map(|arg| arg.name()).collect::<Vec<_>>());
        if !variables.is_empty() || !handed.is_empty() {
            let region = self.region;
            self.definitions.all.push(Definition {
                form: Form::Changed,
                variables,
                handed,
                values: vec![whole],
                region,
            });
        }
        if let Kind::Call(function, args) = &e.kind
            && let Some(patterns) = function.name().and_then(|function| self.closures.get(&function).copied())
        {
            patterns.iter().zip(args).for_each(|(pattern, arg)| self.definitions.bind(pattern, arg, self.region));
        }
        for child in e.children() {
            match (child, &e.kind) {
                (Child::Expr(closure @ Expr { kind: Kind::Closure(patterns, _, body), .. }), kind) => {
                    let from: Vec<&'e Expr> = match kind {
                        Kind::Method(receiver, ..) => vec![receiver],
                        Kind::Call(_, args) => {
                            args.iter().filter(|arg| arg.id != closure.id).chain([&**body]).collect()
                        }
                        _ => Vec::new(),
                    };
                    let result =
                        matches!((kind, patterns.as_slice()), (Kind::Method(..), [_, _])).then(|| &patterns[0]);
                    for value in &from {
                        patterns.iter().for_each(|pattern| self.definitions.bind(pattern, value, self.region));
                    }
                    // `fold` hands the result so far to the closure.
                    result.into_iter().for_each(|so_far| self.definitions.bind(so_far, body, self.region));
                    self.region(from, |collect| collect.simple(closure, whole));
                }
                (Child::Expr(e), Kind::Closure(..)) => self.closure(e),
                (Child::Expr(e), _) => self.expr(e, Some(whole)),
                (Child::Block(block), _) => self.block(block, Some(whole)),
            }
        }
    }

    /// The body of a closure: jumps end it.
    fn closure(&mut self, body: &'e Expr) {
        let frame = Frame { label: None, is_loop: true, region: self.region, whole: None };
        let frames = std::mem::replace(&mut self.frames, vec![frame]);
        self.expr(body, Some(body));
        self.frames = frames;
    }
}
