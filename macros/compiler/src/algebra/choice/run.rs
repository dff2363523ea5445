//! Runs one iteration on symbols.

use super::questions::{Absent, Answers, Compared, Order, Question, Sign};
use super::value::Value;
use crate::ir::place::Place;
use crate::ir::{Block, Expr, Id, Kind, Local, Op, Pattern, Statement, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::TokenStream;

/// The reason for which a run ends before the iteration does.
#[derive(Debug)]
pub enum Stop {
    /// The answer to a question is missing.
    Asks(Question),
    /// The iteration continues with the next one.
    Continues,
    /// The iteration panics, because two values do not compare.
    Panics,
    /// This variable is set together with the others.
    Joins(Place),
    /// The code may do more than choose values.
    Unknown,
}

/// The result of a part of a run.
pub type Ran<T> = Result<T, Stop>;

/// The result of an iteration.
pub struct Finished {
    /// The new values of the variables; `None` if all are as before.
    pub values: Option<Vec<Value>>,
    /// The assignments that ran, or the values at the ends of their branches, with the numbers of their variables.
    pub assigned: Vec<(usize, Id)>,
    /// The key that was compared, and the new one.
    pub compared: Option<(Compared, Value)>,
    /// The same of a second key.
    pub tie: Option<(Compared, Value)>,
    /// The condition by which a variable says that there is no value.
    pub absent: Option<Absent>,
    /// Variants of `Ordering`, as they are written.
    pub orderings: Vec<String>,
    /// The keys that are functions of parts of variables, by the steps that lead to them.
    pub keys: HashMap<String, TokenStream>,
    /// The statements at the top level that read or set the variables, or that the values before decide about.
    pub read: Vec<Id>,
}

/// Whether code changes something other than these variables of the body.
pub type Changes<'a> = &'a dyn Fn(&Expr, &HashSet<Local>) -> bool;

/// The variables of an iteration.
pub struct Setting<'a> {
    pub places: &'a [Place],
    /// All variables that the loop assigns.
    pub all: &'a [Place],
    /// The variables that the body declares.
    pub bound: &'a HashSet<Local>,
    /// The variables that have different values in different iterations.
    pub varying: &'a HashSet<Local>,
    pub changes: Changes<'a>,
    /// Whether the statements are the body of a loop, with the loop's label.
    pub ends: Option<Option<&'a str>>,
}

/// A run of an iteration.
pub struct Run<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) answers: &'a Answers,
    values: Vec<Value>,
    /// Variables of the body.
    pub(super) locals: HashMap<Local, Value>,
    /// Those that depend on the values before.
    pub(super) depend: HashSet<Local>,
    /// How often the code has changed a variable: equal code before and after a change is not the same value.
    pub(super) versions: HashMap<Local, u32>,
    /// In how many branches that depend on the values before.
    under: usize,
    /// The number of such branches around the declaration of a variable.
    declared: HashMap<Local, usize>,
    /// How often the values before have been read.
    pub(super) reads: usize,
    assigned: Vec<(usize, Id)>,
    pub(super) compared: Option<(Compared, Value)>,
    pub(super) tie: Option<(Compared, Value)>,
    absent: Option<Absent>,
    pub(super) orderings: Vec<String>,
    pub(super) keys: HashMap<String, TokenStream>,
    /// Whether the pattern at hand matches in any case.
    pub(super) certain: bool,
}

impl<'a> Run<'a> {
    pub fn new(setting: &'a Setting<'a>, answers: &'a Answers) -> Self {
        Run {
            setting,
            answers,
            values: (0..setting.places.len()).map(|member| Value::Old(member, Vec::new())).collect(),
            locals: HashMap::new(),
            depend: HashSet::new(),
            versions: HashMap::new(),
            under: 0,
            declared: HashMap::new(),
            reads: 0,
            assigned: Vec::new(),
            compared: None,
            tie: None,
            absent: None,
            orderings: Vec::new(),
            keys: HashMap::new(),
            certain: false,
        }
    }

    pub fn iteration<'e>(mut self, statements: impl Iterator<Item = &'e Statement>) -> Ran<Finished> {
        let mut read = Vec::new();
        for statement in statements {
            read.extend(statement.exprs().filter(|e| self.under > 0 || self.involves(e)).map(|e| e.id));
            match self.statement(statement) {
                Ok(()) => {}
                Err(Stop::Continues) => break,
                Err(other) => return Err(other),
            }
        }
        let is_old = |(number, value): (usize, &Value)| match value {
            Value::Old(member, path) => *member == number && path.is_empty(),
            Value::None => self.answers.get(&Question::Held(number)) == Some(&0),
            Value::Bool(value) => self.answers.get(&Question::Held(number)) == Some(&u8::from(*value)),
            _ => false,
        };
        let kept = self.values.iter().enumerate().all(is_old);
        let Run { values, assigned, compared, tie, absent, orderings, keys, .. } = self;
        Ok(Finished { values: (!kept).then_some(values), assigned, compared, tie, absent, orderings, keys, read })
    }

    pub(super) fn answer(&self, question: Question) -> Ran<u8> {
        self.answers.get(&question).copied().ok_or(Stop::Asks(question))
    }

    /// Whether code reads or sets the variables, or a variable of the body that has been computed from them.
    pub(super) fn involves(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let Kind::Name(name) = &e.kind {
                found |= self.depend.contains(name)
                    || self.locals.get(name).is_some_and(|value| !matches!(value, Value::New(_) | Value::Other(_)))
                    || self.setting.places.iter().any(|place| place.root == *name);
            }
            // Another field of the same variable is a value of its own.
            let other = |place: Place| place.is_fixed() && self.setting.all.iter().all(|one| one.is_apart_from(&place));
            !(found || matches!(e.kind, Kind::Field(..)) && self.locals_in(e) && e.place().is_some_and(other))
        });
        found
    }

    /// Whether a place is not of a variable that has been followed.
    fn locals_in(&self, e: &Expr) -> bool {
        e.root().is_some_and(|name| !self.locals.contains_key(&name) && !self.depend.contains(&name))
    }

    /// Runs code that may be a branch that the values before decide about: `before` is the number of reads before the decision.
    pub(super) fn decided<T>(&mut self, before: usize, run: impl FnOnce(&mut Self) -> Ran<T>) -> Ran<T> {
        let depends = self.reads > before;
        self.under += usize::from(depends);
        let result = run(self);
        self.under -= usize::from(depends);
        result
    }

    fn statement(&mut self, statement: &Statement) -> Ran<()> {
        match &statement.kind {
            StatementKind::Item(_) => Ok(()),
            StatementKind::Let(pattern, None, _) => {
                pattern.variables().for_each(|name| _ = self.locals.remove(&name));
                self.declare(pattern);
                Ok(())
            }
            StatementKind::Let(pattern, Some(value), otherwise) => {
                let before = self.reads;
                let of = self.value(value)?;
                let depends = self.reads > before || of.has_state();
                self.declare(pattern);
                let matches = match otherwise {
                    Some(_) => self.takes(pattern, &of)?,
                    None => self.binds(pattern, &of)?,
                };
                if matches {
                    let names = pattern.variables().filter(|_| depends);
                    self.depend.extend(names);
                    self.under += usize::from(otherwise.is_some() && self.reads > before);
                    return Ok(());
                }
                let otherwise = otherwise.as_ref().ok_or(Stop::Unknown)?;
                self.decided(before, |run| run.value(otherwise))?;
                Err(Stop::Unknown)
            }
            StatementKind::Expr(e, _) => {
                let e = e.bare();
                let branches = matches!(e.kind, Kind::If(..) | Kind::Match(..) | Kind::Block(_));
                match branches && !self.involves(e) && !leaves(e) {
                    true => self.alone(e).map(|_| ()),
                    false => self.value(e).map(|_| ()),
                }
            }
        }
    }

    /// Records where variables are declared: they exist only in the branches around the declaration.
    fn declare(&mut self, pattern: &Pattern) {
        self.declared.extend(pattern.variables().map(|name| (name, self.under)));
    }

    /// Whether the values before decide about a change of a variable, and not about its declaration as well.
    fn is_conditional(&self, name: Local) -> bool {
        self.under > self.declared.get(&name).copied().unwrap_or(0)
    }

    pub(super) fn block(&mut self, block: &Block) -> Ran<(Value, Option<Id>)> {
        for (number, statement) in block.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Expr(e, false) if number + 1 == block.statements.len() => return self.end(e),
                _ => self.statement(statement)?,
            }
        }
        Ok((unit(), None))
    }

    /// The value of an expression, and its end: the expression in a branch that gives the value.
    fn end(&mut self, e: &Expr) -> Ran<(Value, Option<Id>)> {
        let bare = e.bare();
        if !self.is_followed(bare) {
            return self.alone(bare).map(|value| (value, None));
        }
        match &bare.kind {
            Kind::If(condition, then, otherwise) => {
                let before = self.reads;
                let holds = self.holds(condition)?;
                let result = self.decided(before, |run| match (holds, otherwise) {
                    (true, _) => run.block_end(then),
                    (false, Some(otherwise)) => run.branch(otherwise),
                    (false, None) => Ok((unit(), None)),
                });
                self.leaves_behind(bare, before);
                result
            }
            Kind::Match(value, arms) => {
                let before = self.reads;
                let of = self.value(value)?;
                for arm in arms {
                    if self.takes(&arm.pattern, &of)? && arm.guard.as_ref().map_or(Ok(true), |e| self.holds(e))? {
                        let result = self.decided(before, |run| run.branch(&arm.body));
                        self.leaves_behind(bare, before);
                        return result;
                    }
                }
                Err(Stop::Unknown)
            }
            Kind::Block(block) => self.block(block),
            _ => self.followed(bare).map(|value| (value, None)),
        }
    }

    /// Code behind a branch that may continue with the next iteration runs only if the branch did not.
    fn leaves_behind(&mut self, e: &Expr, before: usize) {
        self.under += usize::from(self.reads > before && leaves(e));
    }

    fn branch(&mut self, e: &Expr) -> Ran<(Value, Option<Id>)> {
        let (value, end) = self.end(e)?;
        Ok((value, end.or(Some(e.bare().id))))
    }

    fn block_end(&mut self, block: &Block) -> Ran<(Value, Option<Id>)> {
        let (value, end) = self.block(block)?;
        Ok((value, end.or_else(|| block.value().map(|e| e.bare().id))))
    }

    pub(super) fn value(&mut self, e: &Expr) -> Ran<Value> {
        self.end(e).map(|(value, _)| value)
    }

    /// Whether the run follows the parts of an expression.
    fn is_followed(&self, e: &Expr) -> bool {
        let literal = |e: &Expr| e.is_code("true") || e.is_code("false") || e.is_code("None");
        literal(e)
            || matches!(e.kind, Kind::Tuple(_) | Kind::Struct(_, _, None) | Kind::Assign(..) | Kind::Field(..))
            || matches!(e.kind, Kind::Ref(false, _) | Kind::Unary('*', _) | Kind::Name(_))
            || is_some(e)
            || ordering(e).is_some()
            || self.involves(e)
            || leaves(e)
            || matches!(e.kind, Kind::If(..) | Kind::Match(..) | Kind::Block(_))
                && e.nodes().any(|e| e.is_code("None") || is_some(e))
    }

    /// The value of code that has nothing to do with the variables.
    fn alone(&mut self, e: &Expr) -> Ran<Value> {
        let is_statement =
            matches!(e.kind, Kind::If(_, _, None) | Kind::For(_) | Kind::While(..) | Kind::Loop(..) | Kind::Assign(..));
        if self.under > 0 && (matches!(e.kind, Kind::Opaque(_)) || (self.setting.changes)(e, self.setting.bound)) {
            return Err(Stop::Unknown);
        }
        if let Some(other) = self.other_in(e).filter(|_| !is_statement) {
            self.touch(e);
            return Ok(Value::Other(other));
        }
        let code = self.code(e);
        self.touch(e);
        Ok(Value::New(code))
    }

    /// Another variable that iterations change, in an expression.
    fn other_in(&self, e: &Expr) -> Option<usize> {
        e.variables().find_map(|name| match self.locals.get(&name) {
            Some(value) => value.other(),
            None => self.setting.all.iter().position(|place| place.root == name),
        })
    }

    /// A part of a value is computed from another variable: it belongs to the others.
    pub(super) fn joined(&self, value: &Value) -> Ran<()> {
        value.other().map_or(Ok(()), |number| Err(Stop::Joins(self.setting.all[number].clone())))
    }

    /// Records the variables that code changes.
    fn touch(&mut self, e: &Expr) {
        e.nodes().flat_map(Expr::changes).for_each(|name| self.changed(name, None));
    }

    /// Records that a variable has another value, which is computed from this other variable.
    fn changed(&mut self, name: Local, other: Option<usize>) {
        *self.versions.entry(name).or_default() += 1;
        if self.is_conditional(name) {
            self.depend.insert(name);
        }
        match other.or_else(|| self.locals.get(&name)?.other()) {
            Some(other) => _ = self.locals.insert(name, Value::Other(other)),
            None => _ = self.locals.remove(&name),
        }
    }

    /// The value of an expression from those of its parts.
    fn followed(&mut self, e: &Expr) -> Ran<Value> {
        if let Some(order) = ordering(e) {
            self.orderings.push(e.text());
            return Ok(Value::Order(order));
        }
        if e.is_code("true") || e.is_code("false") {
            return Ok(Value::Bool(e.is_code("true")));
        }
        if e.is_code("None") {
            return Ok(Value::None);
        }
        if let Some(value) = self.place(e)? {
            return Ok(value);
        }
        match &e.kind {
            Kind::Name(name) if self.depend.contains(name) => Err(Stop::Unknown),
            Kind::Name(_) => self.alone(e),
            Kind::Paren(inner) => self.value(inner),
            Kind::Ref(false, inner) => self.value(inner).map(Value::reference),
            Kind::Unary('*', inner) => self.value(inner).map(|value| value.behind().clone()),
            Kind::Field(base, name) => self.value(base)?.field(name).ok_or(Stop::Unknown),
            Kind::Unary('!', inner) => Ok(Value::Bool(!self.holds(inner)?)),
            Kind::Binary(Op::AndAnd | Op::OrOr, ..) | Kind::Let(..) => Ok(Value::Bool(self.holds(e)?)),
            // Another type may have operators with `bool`.
            Kind::Binary(op @ (Op::And | Op::Or | Op::Xor), a, b) if is_condition(a) && is_condition(b) => {
                let (a, b) = (self.holds(a)?, self.holds(b)?);
                Ok(Value::Bool(match op {
                    Op::And => a & b,
                    Op::Or => a | b,
                    _ => a ^ b,
                }))
            }
            Kind::Binary(op, a, b) if op.is_comparison() => {
                let (one, two) = (self.value(a)?, self.value(b)?);
                match (&one, &two) {
                    (Value::Old(member, path), Value::New(_)) if self.is_fixed(b) => {
                        self.absent(*member, path, Sign::Compares(*op, b.clone()))
                    }
                    (Value::New(_), Value::Old(member, path)) if self.is_fixed(a) => {
                        self.absent(*member, path, Sign::Compares(op.mirrored(), a.clone()))
                    }
                    _ => self.compare(*op, &one, &two),
                }
                .map(Value::Bool)
            }
            Kind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.value(part)).collect::<Ran<_>>()?;
                Ok(Value::tuple(parts))
            }
            Kind::Struct(_, fields, None) => {
                let value = |(name, e): &(_, Expr)| {
                    let name: &proc_macro2::TokenStream = name;
                    Ok((name.to_string(), self.value(e)?))
                };
                fields.iter().map(value).collect::<Ran<_>>().map(Value::Struct)
            }
            Kind::Call(_, values) if is_some(e) => self.value(&values[0]).map(Value::some),
            Kind::Method(receiver, method, arguments, _) if !self.is_key(receiver, method, arguments) => {
                self.method(receiver, method, arguments)
            }
            Kind::Macro(name, parts, _) if name == "matches" => match parts.as_slice() {
                [one] => self.value(one),
                _ => Err(Stop::Unknown),
            },
            Kind::Assign(target, op, value) => self.assign(e, target, *op, value),
            Kind::Binary(..) | Kind::Unary('-', _) | Kind::Method(..) | Kind::Cast(..) | Kind::Call(..) => self.key(e),
            Kind::Continue(label)
                if self.setting.ends.is_some_and(|own| label.is_none() || label.as_deref() == own) =>
            {
                Err(Stop::Continues)
            }
            // If the values before do not decide about it, other jumps end the iteration as well.
            Kind::Continue(_) | Kind::Break(_, None) | Kind::Return(None) if self.under == 0 => Err(Stop::Continues),
            _ => Err(Stop::Unknown),
        }
    }

    /// Whether an expression has the same value in all iterations, and wherever it is evaluated.
    fn is_fixed(&self, e: &Expr) -> bool {
        e.nodes().all(|e| match &e.kind {
            Kind::Name(name) => !self.setting.varying.contains(name),
            Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Paren(_) | Kind::Cast(..) | Kind::Unary('-', _) => true,
            Kind::Binary(op, ..) => matches!(op, Op::Add | Op::Sub | Op::Mul),
            _ => false,
        })
    }

    /// Whether a condition holds by which a variable may say that there is no value.
    pub(super) fn absent(&mut self, member: usize, path: &[String], sign: Sign) -> Ran<bool> {
        self.reads += 1;
        let (holds, sign) = match sign {
            Sign::Compares(Op::Ne, with) => (false, Sign::Compares(Op::Eq, with)),
            sign => (true, sign),
        };
        let of = Absent { member, path: path.to_vec(), sign };
        if self.absent.as_ref().is_some_and(|before| *before != of) {
            return Err(Stop::Unknown);
        }
        self.absent = Some(of);
        Ok((self.answer(Question::Present)? == 0) == holds)
    }

    /// The value of one of the variables, of a part of it, or of a variable of the body.
    pub(super) fn place(&mut self, e: &Expr) -> Ran<Option<Value>> {
        let Some(place) = e.place() else { return Ok(None) };
        for (number, member) in self.setting.places.iter().enumerate() {
            if place == *member {
                self.reads += 1;
                return Ok(Some(self.values[number].clone()));
            }
        }
        if let Some(other) = self.setting.all.iter().position(|other| *other == place) {
            return Ok(Some(Value::Other(other)));
        }
        if let Some(name) = place.variable() {
            if self.setting.places.iter().any(|member| member.root == name) {
                return Err(Stop::Unknown);
            }
            self.reads += usize::from(self.depend.contains(&name));
            return Ok(self.locals.get(&name).cloned());
        }
        // A part of one of the variables is followed from there. Another part of the same variable is a value of its own.
        let overlaps = self.setting.places.iter().filter(|member| !member.is_apart_from(&place));
        let within = |member: &&Place| place.projections.starts_with(&member.projections);
        let apart = |member: &&Place| member.root != place.root;
        match overlaps.clone().next() {
            None if self.setting.places.iter().all(|member| apart(&member)) => Ok(None),
            None => Ok(Some(Value::New(self.code(e)))),
            Some(_) if overlaps.clone().all(|member| within(&member) || apart(&member)) => Ok(None),
            Some(_) => Err(Stop::Unknown),
        }
    }

    /// Whether a condition holds.
    pub(super) fn holds(&mut self, e: &Expr) -> Ran<bool> {
        let bare = e.bare();
        match &bare.kind {
            Kind::Binary(op @ (Op::AndAnd | Op::OrOr), a, b) if self.is_followed(bare) => {
                let before = self.reads;
                match (op, self.holds(a)?) {
                    (Op::AndAnd, false) => Ok(false),
                    (Op::OrOr, true) => Ok(true),
                    _ => self.decided(before, |run| run.holds(b)),
                }
            }
            Kind::Let(pattern, value) => {
                let value = self.value(value)?;
                self.takes(pattern, &value)
            }
            _ => {
                let value = self.value(bare)?;
                self.truth(&value)
            }
        }
    }

    /// Whether a value is `true`.
    pub(super) fn truth(&mut self, value: &Value) -> Ran<bool> {
        self.joined(value)?;
        match value {
            Value::Bool(value) => Ok(*value),
            Value::New(code) => Ok(self.answer(Question::Test(code.clone()))? == 1),
            Value::Old(member, path) if path.is_empty() => Ok(self.answer(Question::Held(*member))? == 1),
            _ => Err(Stop::Unknown),
        }
    }

    fn assign(&mut self, e: &Expr, target: &Expr, op: Option<Op>, value: &Expr) -> Ran<Value> {
        let before = self.reads;
        if self.is_own_update(target, value) {
            self.touch(e);
            return Ok(unit());
        }
        let (of, end) = match op {
            None => self.end(value)?,
            Some(_) if self.involves(value) || self.involves(target) => return Err(Stop::Unknown),
            Some(_) => (self.alone(value)?, None),
        };
        let depends = self.reads > before || of.has_state();
        self.set(target, op, of, depends, end.unwrap_or(e.id))?;
        Ok(unit())
    }

    /// Whether an assignment, which runs in each way, changes another variable, and from its own value: this variable has a class of its own.
    fn is_own_update(&self, target: &Expr, value: &Expr) -> bool {
        let another = |place: &Place| {
            self.setting.all.contains(place) && self.setting.places.iter().all(|one| one.is_apart_from(place))
        };
        self.under == 0 && target.place().as_ref().is_some_and(another) && !self.involves(value) && !leaves(value)
    }

    /// Sets a place, or several.
    fn set(&mut self, target: &Expr, op: Option<Op>, value: Value, depends: bool, at: Id) -> Ran<()> {
        let target = target.bare();
        if let Kind::Tuple(parts) = &target.kind {
            for (number, part) in parts.iter().enumerate() {
                let value = value.field(&number.to_string()).ok_or(Stop::Unknown)?;
                self.set(part, op, value, depends, at)?;
            }
            return Ok(());
        }
        let place = target.place().ok_or(Stop::Unknown)?;
        if let Some(number) = self.setting.places.iter().position(|member| *member == place) {
            self.joined(&value)?;
            self.values[number] = value;
            self.assigned.push((number, at));
            return Ok(());
        }
        if self.setting.places.iter().any(|member| !member.is_apart_from(&place)) {
            return Err(Stop::Unknown);
        }
        match place.variable().filter(|name| self.setting.bound.contains(name)) {
            Some(name) if op.is_none() => {
                *self.versions.entry(name).or_default() += 1;
                self.locals.insert(name, value);
                if depends || self.is_conditional(name) {
                    self.depend.insert(name);
                }
                Ok(())
            }
            // The value is another one afterwards, in all branches that the values before do not decide about.
            Some(name) if !depends && !self.involves(target) && self.declared.contains_key(&name) => {
                self.changed(name, value.other());
                Ok(())
            }
            _ if !depends && self.under == 0 && !self.involves(target) => {
                self.changed(place.root, value.other());
                Ok(())
            }
            _ if self.setting.all.contains(&place) => Err(Stop::Joins(place)),
            _ => Err(Stop::Unknown),
        }
    }

    pub(super) fn bind(&mut self, name: Local, value: &Value) {
        self.locals.insert(name, value.clone());
        if value.has_state() {
            self.depend.insert(name);
        }
    }
}

/// Whether an expression is a comparison, or another one that is a `bool` whatever its parts are.
fn is_condition(e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Binary(op, ..) => op.is_comparison() || matches!(op, Op::AndAnd | Op::OrOr),
        _ => e.is_code("true") || e.is_code("false"),
    }
}

/// The value of a statement.
fn unit() -> Value {
    Value::Tuple(Vec::new())
}

/// Whether code may leave the iteration, or a loop around it.
pub fn leaves(e: &Expr) -> bool {
    let (mut found, mut inner) = (false, Vec::new());
    e.walk(&mut |e| {
        found |= match &e.kind {
            Kind::Continue(Some(_)) | Kind::Break(Some(_), _) | Kind::Return(_) | Kind::Try(_) => true,
            Kind::Continue(None) | Kind::Break(None, _) => !inner.contains(&e.id),
            Kind::Opaque(opaque) => opaque.may_leave(),
            _ => false,
        };
        let block = match &e.kind {
            Kind::For(f) => Some(&f.body),
            Kind::While(_, _, block) | Kind::Loop(_, block) => Some(block),
            _ => None,
        };
        // `break` and `continue` in a loop belong to it.
        inner.extend(block.into_iter().flat_map(Block::nodes).map(|e| e.id));
        !found
    });
    found
}

/// `Some(e)`.
fn is_some(e: &Expr) -> bool {
    matches!(&e.kind, Kind::Call(function, values) if values.len() == 1 && function.name() == Some(Local::named("Some")))
}

/// `Ordering::Less`, however long its path is.
pub(super) fn ordering(e: &Expr) -> Option<Order> {
    if !matches!(e.kind, Kind::Path) {
        return None;
    }
    let text: String = e.text().split_whitespace().collect();
    let (path, variant) = text.rsplit_once("::")?;
    (path == "Ordering" || path.ends_with("::Ordering")).then_some(())?;
    match variant {
        "Less" => Some(Order::Less),
        "Equal" => Some(Order::Equal),
        "Greater" => Some(Order::Greater),
        _ => None,
    }
}
