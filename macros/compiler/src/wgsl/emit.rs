//! From typed nodes to the text of WGSL.

mod arithmetic;
mod calls;
mod control;
mod literals;
mod places;

pub(super) use self::calls::helper;
use self::control::is_choice;
use self::literals::fits;
use self::places::How;
use super::Obstacle;
use super::elaborate::Variable;
use super::tree::{Array, ITERATION, Kind, Node, Part, Statement, Target, Total, Var};
use super::types::{Literal, Ty, Type, Types};
use crate::ir::Op;
use crate::ir::report::Place;
use std::collections::{BTreeSet, HashMap};

/// How long an array is that is written out, and the most that one iteration holds.
const WRITTEN_OUT: usize = 16;
const LONGEST: usize = 4096;

/// How long an evaluated expression stays what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    /// A constant of WGSL.
    Constant,
    /// It names what does not change any more.
    Named,
    /// It must be evaluated once, where it stands.
    Once,
}

/// What an expression comes to, as text.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Unit,
    /// What follows is not reached.
    Never,
    One(String, bool),
    Constant(String),
    Tuple(Vec<Value>),
}

impl Value {
    fn once(text: String) -> Value {
        Value::One(text, false)
    }

    pub fn named(text: String) -> Value {
        Value::One(text, true)
    }

    fn stays(&self) -> Stays {
        match self {
            Value::Constant(_) | Value::Unit | Value::Never => Stays::Constant,
            Value::One(_, true) => Stays::Named,
            Value::One(_, false) => Stays::Once,
            Value::Tuple(parts) if parts.iter().all(|part| part.stays() != Stays::Once) => Stays::Named,
            Value::Tuple(_) => Stays::Once,
        }
    }

    /// With tuples opened.
    pub fn parts(&self) -> Vec<&Value> {
        match self {
            Value::Tuple(parts) => parts.iter().flat_map(Value::parts).collect(),
            Value::Unit | Value::Never => Vec::new(),
            one => vec![one],
        }
    }

    /// The parameters of a function: they do not change, but only a variable is indexed by what is not known before.
    pub fn of_parameters(self, types: &[Type]) -> Value {
        match types.iter().any(Type::has_parts) {
            true => self,
            false => settled(self),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Value::One(text, _) | Value::Constant(text) => text,
            _ => "",
        }
    }
}

/// A loop or a block of WGSL that can be left.
struct Frame {
    target: Target,
    is_loop: bool,
    /// Where `break` puts its value.
    result: Value,
    /// The variables that say that something inside is left further, or goes on here.
    broken: Option<String>,
    continued: Option<String>,
    /// What is left from inside of it, and whether it goes on there.
    crossed: Vec<(Target, bool)>,
}

/// What the loop's text is made of.
pub(super) struct Emit<'a> {
    pub types: &'a Types,
    pub variables: &'a [Variable],
    /// The number of each captured value's first part.
    pub values: &'a [usize],
    /// The number of each table's first part.
    pub tables: &'a [usize],
    /// The number of each called function.
    pub calls: &'a [usize],
    /// What ends the function that is being written.
    pub end: String,
    /// The first field of each part of an accumulator.
    pub fields: HashMap<(usize, u8), usize>,
    /// The types of all fields, and the one that counts how often an accumulator's sum wraps around.
    pub held: Vec<Type>,
    pub counts: HashMap<usize, usize>,
    /// How many bins each element of a histogram has.
    pub widths: Vec<usize>,
    /// What the state is called in the function that is being written.
    pub state: &'static str,
    pub obstacles: Vec<Obstacle>,
    /// Functions that the text needs beside the body.
    pub helpers: BTreeSet<String>,
    names: HashMap<Var, Value>,
    /// Below what a counter stays.
    below: HashMap<String, String>,
    lines: Vec<String>,
    frames: Vec<Frame>,
    next: usize,
}

/// A part of an accumulator as a key.
pub(super) fn key(part: Part) -> u8 {
    match part {
        Part::Some => 250,
        Part::Hit => 251,
        Part::Reset => 252,
        Part::Factor => 253,
        Part::Variable(number) => number.min(249) as u8,
    }
}

/// A name that WGSL takes: letters, digits and underscores, and none of ours.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { 'u' }).collect();
    if name.starts_with("fa_") || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        format!("v{name}")
    } else {
        name
    }
}

fn negated(condition: &str) -> String {
    format!("!({})", bare(condition))
}

/// Without parentheses around all of it.
pub(super) fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return text,
            ')' => depth -= 1,
            _ => {}
        }
    }
    inner
}

impl<'a> Emit<'a> {
    pub fn new(types: &'a Types, variables: &'a [Variable], values: &'a [usize]) -> Self {
        Emit {
            types,
            variables,
            values,
            tables: &[],
            calls: &[],
            end: "return;".to_owned(),
            fields: HashMap::new(),
            held: Vec::new(),
            counts: HashMap::new(),
            widths: Vec::new(),
            state: "(*s)",
            obstacles: Vec::new(),
            helpers: BTreeSet::new(),
            names: HashMap::new(),
            below: HashMap::new(),
            lines: Vec::new(),
            frames: Vec::new(),
            next: 0,
        }
    }

    fn obstacle(&mut self, at: Place, what: impl Into<String>) {
        let what = what.into();
        if !self.obstacles.iter().any(|o| o.what == what) {
            self.obstacles.push(Obstacle { place: at, what });
        }
    }

    fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn fresh(&mut self, name: &str) -> String {
        self.next += 1;
        format!("{}_{}", plain(name), self.next)
    }

    /// A type that a device has.
    fn known(&mut self, ty: &Ty, at: Place) -> Type {
        self.types.known(ty).unwrap_or_else(|| {
            let text = self.types.text(ty);
            let what = if text.contains('_') && text.len() < 4 {
                "the type of something here is not known: write it, as in `let x: f32 = ..`".to_owned()
            } else {
                format!("`{text}` is no type that a device has: it has numbers, `bool`, and arrays `[T; N]` of them")
            };
            self.obstacle(at, what);
            Type::I32
        })
    }

    fn is_unit(&self, ty: &Ty) -> bool {
        matches!(self.types.shallow(ty), Ty::Tuple(parts) if parts.is_empty())
    }

    fn nested<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> (Vec<String>, R) {
        let outer = std::mem::take(&mut self.lines);
        let result = run(self);
        (std::mem::replace(&mut self.lines, outer), result)
    }

    fn put(&mut self, lines: Vec<String>) {
        self.lines.extend(lines.into_iter().map(|line| if line.is_empty() { line } else { format!("    {line}") }));
    }

    /// The body of a function.
    pub fn function(&mut self, head: &str, run: impl FnOnce(&mut Self)) -> String {
        self.next = 0;
        self.names.clear();
        self.below.clear();
        let (lines, ()) = self.nested(run);
        let mut text = format!("{head} {{\n");
        for line in lines {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str("}\n");
        text
    }

    pub fn name(&mut self, variable: Var, value: Value) {
        self.names.insert(variable, value);
    }

    pub fn put_line(&mut self, line: String) {
        self.line(line);
    }

    /// The lines that something puts down.
    pub fn indented(&mut self, run: impl FnOnce(&mut Self)) -> Vec<String> {
        self.nested(run).0
    }

    /// The first field of a part of an accumulator, and all of them.
    pub fn field(&self, number: usize, part: Part) -> usize {
        self.fields.get(&(number, key(part))).copied().unwrap_or_default()
    }

    pub fn fields_of(&self, number: usize, part: Part, ty: &Ty) -> std::ops::Range<usize> {
        let first = self.field(number, part);
        first..first + self.types.parts(ty).map_or(0, |parts| parts.len())
    }

    /// A sum as the accumulators do it.
    pub fn totals(&mut self, ty: &Ty, how: Total, a: &Value, b: &Value, at: Place) -> Value {
        let (sign, name) = match how {
            Total::Plus => ("+", "add"),
            Total::Minus => ("-", "sub"),
            Total::Times => ("*", "mul"),
        };
        let ty = self.known(ty, at);
        if ty.is_plain_float() {
            return self.floats(sign, a.clone(), b.clone());
        }
        Value::once(format!("fa_wrapping_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
    }

    /// Variables for all parts of a value of a type.
    fn declare(&mut self, name: &str, ty: &Ty, at: Place) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(
                parts.iter().enumerate().map(|(k, part)| self.declare(&format!("{name}_{k}"), part, at)).collect(),
            ),
            Ty::Never => Value::Unit,
            ty => {
                let (name, ty) = (self.fresh(name), self.known(&ty, at).wgsl());
                self.line(format!("var {name}: {ty};"));
                Value::once(name)
            }
        }
    }

    /// Statements that put a value where it is held.
    fn set(&mut self, place: &Value, value: &Value) {
        match (place, value) {
            (Value::Tuple(places), Value::Tuple(values)) => {
                for (place, value) in places.iter().zip(values) {
                    self.set(place, value);
                }
            }
            (Value::One(..), Value::One(..) | Value::Constant(_)) => {
                self.line(format!("{} = {};", place.text(), bare(value.text())));
            }
            _ => {}
        }
    }

    /// A variable that holds a value from here on.
    fn hold(&mut self, name: &str, value: Value) -> Value {
        match value {
            Value::Tuple(parts) => Value::Tuple(
                parts.into_iter().enumerate().map(|(k, part)| self.hold(&format!("{name}_{k}"), part)).collect(),
            ),
            Value::One(text, false) => {
                let name = self.fresh(name);
                self.line(format!("let {name} = {};", bare(&text)));
                Value::named(name)
            }
            other => other,
        }
    }

    /// The same for an array: only a variable is indexed by what is not known before.
    fn hold_array(&mut self, value: Value) -> Value {
        if let Value::Tuple(parts) = value {
            return Value::Tuple(parts.into_iter().map(|part| self.hold_array(part)).collect());
        }
        let name = self.fresh("array");
        self.line(format!("var {name} = {};", bare(value.text())));
        Value::named(name)
    }

    /// Values one after the other; nothing if one of them is not reached.
    fn values(&mut self, nodes: &[&Node]) -> Option<Vec<Value>> {
        let mut found: Vec<Value> = Vec::new();
        for node in nodes {
            let before = self.lines.len();
            let value = self.value(node);
            if matches!(value, Value::Never) {
                return None;
            }
            if self.lines.len() > before {
                // What comes first is evaluated first.
                let after = self.lines.split_off(before);
                for (value, node) in found.iter_mut().zip(nodes) {
                    if value.stays() == Stays::Once {
                        let array = self.types.parts(&node.ty).is_some_and(|parts| parts.iter().any(Type::has_parts));
                        let once = std::mem::replace(value, Value::Unit);
                        *value = if array { self.hold_array(once) } else { self.hold("t", once) };
                    }
                }
                self.lines.extend(after);
            }
            found.push(value);
        }
        Some(found)
    }

    fn pair(&mut self, a: &Node, b: &Node) -> Option<[Value; 2]> {
        <[Value; 2]>::try_from(self.values(&[a, b])?).ok()
    }

    /// A statement, or an expression whose value is not wanted.
    pub fn run(&mut self, node: &Node) -> bool {
        match self.value(node) {
            Value::Never => false,
            Value::One(text, false) if text.contains("fa_") => {
                // It may raise.
                let name = self.fresh("unused");
                self.line(format!("let {name} = {};", bare(&text)));
                true
            }
            Value::Tuple(parts) => {
                for part in parts {
                    if let Value::One(text, false) = part {
                        let name = self.fresh("unused");
                        self.line(format!("let {name} = {};", bare(&text)));
                    }
                }
                true
            }
            _ => true,
        }
    }

    fn statements(&mut self, statements: &[Statement]) -> bool {
        for statement in statements {
            match statement {
                Statement::Do(node) => {
                    if !self.run(node) {
                        return false;
                    }
                }
                Statement::Let(variable, value) => {
                    let Variable { name, ty, mutable } = &self.variables[*variable];
                    let at =
                        value.as_ref().map_or_else(|| Place::from(proc_macro2::Span::call_site()), |value| value.at);
                    let Some(value) = value else {
                        let value = self.declare(name, ty, at);
                        self.names.insert(*variable, value);
                        continue;
                    };
                    // A choice is put into the variable itself.
                    if is_choice(value) && !self.is_unit(ty) && self.types.parts(ty).is_some() {
                        let (name, mutable) = (name.clone(), *mutable);
                        let held = self.declare(&name, ty, at);
                        if !self.put_into(value, &held) {
                            return false;
                        }
                        self.names.insert(*variable, if mutable { held } else { settled(held) });
                        continue;
                    }
                    let value = self.value(value);
                    if matches!(value, Value::Never) {
                        return false;
                    }
                    let held = self.bound(name, ty, *mutable, value, at);
                    self.names.insert(*variable, held);
                }
            }
        }
        true
    }

    /// A variable of the author's, or what need not be one.
    fn bound(&mut self, name: &str, ty: &Ty, mutable: bool, value: Value, at: Place) -> Value {
        match (self.types.shallow(ty), value) {
            (Ty::Tuple(types), Value::Tuple(parts)) => {
                let parts = types.iter().zip(parts).enumerate();
                Value::Tuple(
                    parts.map(|(k, (ty, part))| self.bound(&format!("{name}_{k}"), ty, mutable, part, at)).collect(),
                )
            }
            (_, Value::Unit | Value::Never) => Value::Unit,
            (ty, value) => {
                let ty = self.known(&ty, at);
                let array = ty.has_parts();
                if !mutable && value.stays() != Stays::Once {
                    return value;
                }
                let name = self.fresh(name);
                let text = bare(value.text());
                if mutable || array {
                    self.line(format!("var {name}: {} = {text};", ty.wgsl()));
                } else {
                    self.line(format!("let {name} = {text};"));
                }
                // An array that is not changed stays what it is.
                if mutable { Value::once(name) } else { Value::named(name) }
            }
        }
    }

    fn number(&mut self, node: &Node) -> Type {
        let ty = self.known(&node.ty, node.at);
        if matches!(ty, Type::Array(..)) {
            let text = self.types.text(&node.ty);
            self.obstacle(node.at, format!("`{text}` is no number: a device computes with the elements one by one"));
            return Type::I32;
        }
        ty
    }

    /// The texts of all parts of a type, numbered from a first one.
    pub fn numbered(&mut self, ty: &Ty, first: &mut usize, text: &dyn Fn(usize, &Type) -> String, at: Place) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.numbered(part, first, text, at)).collect()),
            ty => {
                let ty = self.known(&ty, at);
                *first += 1;
                Value::once(text(*first - 1, &ty))
            }
        }
    }

    /// What is held of an accumulator, to be read.
    pub fn state_value(&mut self, number: usize, part: Part, ty: &Ty, at: Place) -> Value {
        let (state, mut first) = (self.state, self.fields.get(&(number, key(part))).copied().unwrap_or_default());
        let read = move |field: usize, ty: &Type| match ty {
            Type::Bool => format!("({state}.f{field} != 0u)"),
            Type::Usize | Type::Isize => format!("fa_narrow_{}({state}.f{field})", ty.name()),
            Type::Asked(number, _) => format!("fa_take_${number}$({state}.f{field})"),
            _ => format!("{state}.f{field}"),
        };
        let value = self.numbered(ty, &mut first, &read, at);
        // What a function is given does not change.
        if matches!(self.state, "earlier" | "later" | "value" | "chunk") { settled(value) } else { value }
    }

    /// An index, which is checked unless it is seen to be below a length.
    fn below(&mut self, index: Value, length: &Value) -> Value {
        let number = |text: &str| text.strip_suffix('u').and_then(|text| text.parse::<usize>().ok());
        let fits = match (&index, self.below.get(index.text())) {
            (Value::Constant(text), _) => number(text).zip(number(length.text())).is_some_and(|(i, n)| i < n),
            (_, Some(end)) => {
                end == length.text() || number(end).zip(number(length.text())).is_some_and(|(end, n)| end <= n)
            }
            _ => false,
        };
        // A constant index that is out of range is an error of Rust's, and of WGSL.
        let asked = matches!(&index, Value::Constant(_)) && length.text().starts_with('$');
        if fits || asked {
            return index;
        }
        self.helpers.insert("fa_at".to_owned());
        Value::once(format!("fa_at({}, {})", bare(index.text()), bare(length.text())))
    }

    /// An expression. Statements that it needs come before it.
    pub fn value(&mut self, node: &Node) -> Value {
        let at = node.at;
        match &node.kind {
            Kind::Unit => match self.types.shallow(&node.ty) {
                Ty::Never => Value::Never,
                _ => Value::Unit,
            },
            Kind::Bool(value) => Value::Constant(value.to_string()),
            Kind::Integer(value) => {
                let ty = self.number(node);
                Value::Constant(self.literal(*value, &ty, at))
            }
            Kind::Float(digits) => {
                let ty = self.number(node);
                Value::Constant(self.float(digits, &ty, at))
            }
            Kind::Zero => {
                let ty = self.number(node);
                Value::Constant(if ty.is_float() || ty.is_open() { Self::minus_zero(&ty) } else { self.zero(&ty, at) })
            }
            Kind::PlainZero => {
                let ty = self.number(node);
                Value::Constant(self.zero(&ty, at))
            }
            Kind::One => {
                let ty = self.number(node);
                Value::Constant(self.literal(1, &ty, at))
            }
            Kind::Default => {
                if self.types.parts(&node.ty).is_some_and(|parts| parts.iter().any(Type::is_open)) {
                    self.obstacle(at, "the default of a type that is not known here: write the value");
                }
                self.zeros(&node.ty, at)
            }
            Kind::Nothing => self.zeros(&node.ty, at),
            Kind::Variable(variable) => match self.names.get(variable) {
                Some(value) => value.clone(),
                None => {
                    self.obstacle(at, format!("`{}` is not known here", self.variables[*variable].name));
                    Value::Unit
                }
            },
            Kind::State(number, part) => self.state_value(*number, *part, &node.ty, at),
            Kind::Value(number) => {
                let mut first = self.values.get(*number).copied().unwrap_or_default();
                settled(self.numbered(&node.ty, &mut first, &|k, _| format!("fa_value_{k}()"), at))
            }
            Kind::Length(array) => Value::named(match array {
                Array::Slot(k) => format!("fa_len_{k}()"),
                Array::Table(k) => format!("fa_table_len_{}()", self.tables.get(*k).unwrap_or(k)),
                Array::Bins(k) => match self.widths.get(*k) {
                    None | Some(1) => format!("fa_bins_len_{k}()"),
                    Some(width) => format!("(fa_bins_len_{k}() / {width}u)"),
                },
                // Its part has a length of its own.
                Array::Given(_) => "0u".to_owned(),
            }),
            Kind::Load(array, index) => {
                let index = self.value(index);
                if matches!(index, Value::Never) {
                    return index;
                }
                if let (Array::Table(table), Ty::Tuple(_)) = (array, self.types.shallow(&node.ty)) {
                    // There is a table for each part.
                    let mut first = self.tables.get(*table).copied().unwrap_or(*table);
                    let index = self.hold("i", index);
                    let load = |k, _: &Type| format!("fa_table_{k}({})", bare(index.text()));
                    return self.numbered(&node.ty, &mut first, &load, at);
                }
                self.known(&node.ty, at);
                let Some(load) = self.load_of(*array) else {
                    self.obstacle(at, "an element of a histogram is read: a device can only put values into it");
                    return Value::Never;
                };
                Value::once(format!("{load}({})", bare(index.text())))
            }
            Kind::Element(base, index) => self.element(base, index, at),
            Kind::Member(base, number) => match self.value(base) {
                Value::Tuple(mut parts) if *number < parts.len() => {
                    let part = parts.swap_remove(*number);
                    // What else there is to be evaluated is evaluated too.
                    for other in parts {
                        self.hold("t", other);
                    }
                    part
                }
                Value::Never => Value::Never,
                _ => self.zeros(&node.ty, at),
            },
            Kind::Field(base, field) => {
                if let Some(member) = self.member(node, base, field) {
                    return self.value(&member);
                }
                self.known(&node.ty, at);
                match self.value(base) {
                    Value::Never => Value::Never,
                    value => {
                        let text = format!("{}.m_{}", value.text(), field.trim_start_matches("r#"));
                        if value.stays() == Stays::Once { Value::once(text) } else { Value::named(text) }
                    }
                }
            }
            Kind::Struct(fields, rest) => {
                if self.types.known(&node.ty).is_none() {
                    let what =
                        "the type of a struct that is made here is not known: write it, as in `let v: Pair<f32> = ..`";
                    self.obstacle(at, what);
                    return Value::Never;
                }
                let ty = self.known(&node.ty, at).wgsl();
                let nodes: Vec<&Node> = fields.iter().map(|(_, value)| value).chain(rest.as_deref()).collect();
                for node in &nodes {
                    self.known(&node.ty, node.at);
                }
                let Some(values) = self.values(&nodes) else { return Value::Never };
                let made = self.fresh("made");
                let start =
                    rest.as_ref().and(values.last()).map_or(String::new(), |rest| format!(" = {}", bare(rest.text())));
                self.line(format!("var {made}: {ty}{start};"));
                for ((field, _), value) in fields.iter().zip(&values) {
                    self.line(format!("{made}.m_{} = {};", field.trim_start_matches("r#"), bare(value.text())));
                }
                Value::named(made)
            }
            Kind::Within(index, length) => match self.values(&[index, length]).as_deref() {
                Some([index, length]) => self.below(index.clone(), length),
                _ => Value::Never,
            },
            Kind::Not(inner) => {
                let ty = self.number(inner);
                match self.value(inner) {
                    Value::Never => Value::Never,
                    value if ty == Type::Bool => self.keep(&value, negated(value.text())),
                    value => Value::once(format!("fa_not_{}({})", ty.name(), bare(value.text()))),
                }
            }
            Kind::Negative(inner) => self.negative(inner),
            Kind::Binary(op, a, b) => self.binary(*op, a, b, at),
            Kind::Operator(number, op, a, b) => match self.function_of(*number, at) {
                None => self.binary(*op, a, b, at),
                Some(function) => {
                    let Some([a, b]) = self.pair(a, b) else { return Value::Never };
                    Value::once(format!("{function}({}, {})", bare(a.text()), bare(b.text())))
                }
            },
            Kind::Total(how, a, b) => {
                let ty = self.number(node);
                let Some([a, b]) = self.pair(a, b) else { return Value::Never };
                if let (Total::Plus, Value::Constant(text)) = (how, &a)
                    && !ty.is_float()
                    && text.trim_end_matches(char::is_alphabetic) == "0"
                {
                    return b;
                }
                self.totals(&node.ty, *how, &a, &b, at)
            }
            Kind::Step(op, a, b) => {
                let ty = self.number(node);
                let Some([a, b]) = self.pair(a, b) else { return Value::Never };
                self.step(*op, &ty, a, b, at)
            }
            Kind::Rounded(inner) => {
                let ty = self.number(node);
                match self.value(inner) {
                    value if ty == Type::F16 || ty.is_open() => {
                        Value::once(format!("fa_rounded_{}({})", ty.name(), bare(value.text())))
                    }
                    value => value,
                }
            }
            Kind::Cast(inner) => {
                let (from, to) = (self.number(inner), self.number(node));
                match self.value(inner) {
                    Value::Never => Value::Never,
                    value if from == to => value,
                    // The same number in another type.
                    Value::Constant(_)
                        if matches!(inner.kind, Kind::Integer(_))
                            && to.is_integer()
                            && !matches!((&from, &to), (Type::Asked(..), _) | (_, Type::Asked(..)))
                            && fits(inner, &from, &to) =>
                    {
                        let Kind::Integer(value) = inner.kind else { return Value::Unit };
                        Value::Constant(self.literal(value, &to, at))
                    }
                    _ if to == Type::Bool => {
                        self.obstacle(at, "a number does not become a `bool`");
                        Value::Constant("false".to_owned())
                    }
                    value => Value::once(format!("fa_cast_{}_{}({})", from.name(), to.name(), bare(value.text()))),
                }
            }
            Kind::Method(name, args) => self.method(name, args, at),
            Kind::FromBits(bits) => {
                let ty = self.number(node);
                match self.value(bits) {
                    Value::Never => Value::Never,
                    value => Value::once(format!("fa_from_bits_{}({})", ty.name(), bare(value.text()))),
                }
            }
            Kind::Tuple(parts) => match self.values(&parts.iter().collect::<Vec<_>>()) {
                Some(values) => Value::Tuple(values),
                None => Value::Never,
            },
            Kind::Array(parts) => match self.values(&parts.iter().collect::<Vec<_>>()) {
                Some(values) => self.listed(&node.ty, &values, at),
                None => Value::Never,
            },
            Kind::Repeat(value, length) => self.repeat(node, value, *length),
            Kind::Distance(from, to) => {
                let ty = self.number(from);
                if matches!(ty, Type::Asked(..)) {
                    self.obstacle(
                        at,
                        "the type of the ends of a range is not known here: write it, as in `let n: usize = ..`",
                    );
                }
                let Some([a, b]) = self.pair(from, to) else { return Value::Never };
                if a.text() == "0u" && matches!(ty, Type::Usize | Type::U32 | Type::U16 | Type::U8) {
                    return b;
                }
                self.helpers.insert(format!("fa_distance_{}", ty.name()));
                Value::once(format!("fa_distance_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
            }
            Kind::Steps(count, width) => {
                let Some([count, width]) = self.pair(count, width) else { return Value::Never };
                self.helpers.insert("fa_steps".to_owned());
                Value::once(format!("fa_steps({}, {})", bare(count.text()), bare(width.text())))
            }
            Kind::Block(statements, value) => {
                if !self.statements(statements) {
                    return Value::Never;
                }
                self.value(value)
            }
            Kind::Labeled(target, body) => self.labeled(*target, node, body),
            Kind::If(condition, then, otherwise) => self.choice(node, condition, then, otherwise, None),
            Kind::Loop(target, body) => {
                let result = self.declare("result", &node.ty, at);
                self.frame(*target, true, result.clone(), |this, _| {
                    let (lines, ()) = this.nested(|this| _ = this.run(body));
                    (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                });
                match result {
                    // Nothing leaves it.
                    Value::Unit if matches!(self.types.shallow(&node.ty), Ty::Never) => Value::Never,
                    result => settled(result),
                }
            }
            Kind::While(target, condition, body) => {
                self.frame(*target, true, Value::Unit, |this, _| {
                    let (lines, ()) = this.nested(|this| {
                        let value = this.value(condition);
                        if matches!(value, Value::Never) {
                            return;
                        }
                        this.line(format!("if ({}) {{ break; }}", negated(value.text())));
                        this.run(body);
                    });
                    (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                });
                Value::Unit
            }
            Kind::Count(count) => self.count(count, at),
            Kind::Break(target, value) => {
                let value = self.value(value);
                if matches!(value, Value::Never) {
                    return value;
                }
                if let Some(frame) = self.frames.iter().find(|frame| frame.target == *target) {
                    let result = frame.result.clone();
                    self.set(&result, &value);
                }
                self.leave(*target, false, at);
                Value::Never
            }
            Kind::Continue(target) => {
                if *target == ITERATION {
                    self.line(self.end.clone());
                } else {
                    self.leave(*target, true, at);
                }
                Value::Never
            }
            Kind::Assign(place, op, value) => self.assign(place, op.map_or(How::Put, How::Op), value, at),
            Kind::Change(number, op, place, value) => {
                let how = self.function_of(*number, at).map_or(How::Op(*op), How::Function);
                self.assign(place, how, value, at)
            }
            Kind::Push(number, value) => {
                let value = self.value(value);
                match value {
                    Value::Never => return value,
                    Value::One(..) | Value::Constant(_) => {
                        self.line(format!("fa_push_{number}({});", bare(value.text())))
                    }
                    _ => self.obstacle(
                        at,
                        "what is pushed is a tuple, which a device does not push yet: push numbers or arrays `[T; N]`",
                    ),
                }
                Value::Unit
            }
            Kind::Bin(number, index, value) => {
                let Some([index, value]) = self.pair(index, value) else { return Value::Never };
                self.line(format!("fa_bin_{number}({}, {});", bare(index.text()), bare(value.text())));
                Value::Unit
            }
            Kind::Call(number, args) => self.call(*number, args, &node.ty, at),
            Kind::Raise(cause) => {
                self.line(format!("fa_raise({cause}u);"));
                Value::Unit
            }
        }
    }

    /// The result of what has no effect: it stays as long as what it is made of.
    fn keep(&self, of: &Value, text: String) -> Value {
        match of.stays() {
            Stays::Constant => Value::Constant(text),
            _ => Value::once(text),
        }
    }

    fn element(&mut self, base: &Node, index: &Node, at: Place) -> Value {
        let Some(length) = self.length(base) else {
            self.obstacle(at, "something that is no array is indexed");
            return Value::Constant("0u".to_owned());
        };
        // A variable is not copied because its index needs statements: these do not change it.
        let place = matches!(
            base.kind,
            Kind::Variable(_) | Kind::State(..) | Kind::Element(..) | Kind::Member(..) | Kind::Field(..)
        );
        let both =
            if place { self.pair(index, base).map(|[index, array]| [array, index]) } else { self.pair(base, index) };
        let Some([array, index]) = both else { return Value::Never };
        let index = self.below(index, &length);
        let index = if matches!(array, Value::Tuple(_)) { self.hold("i", index) } else { index };
        self.element_of(array, &index)
    }

    fn element_of(&mut self, array: Value, index: &Value) -> Value {
        if let Value::Tuple(parts) = array {
            return Value::Tuple(parts.into_iter().map(|part| self.element_of(part, index)).collect());
        }
        let named = array.stays() == Stays::Named;
        let array = if is_reference(array.text()) || matches!(index, Value::Constant(_)) {
            array.text().to_owned()
        } else {
            self.hold_array(array.clone()).text().to_owned()
        };
        let text = format!("{array}[{}]", bare(index.text()));
        if named && index.stays() == Stays::Constant { Value::named(text) } else { Value::once(text) }
    }

    /// An array of values.
    fn listed(&mut self, ty: &Ty, values: &[Value], at: Place) -> Value {
        if let Ty::Tuple(parts) = self.types.shallow(ty) {
            let part = |value: &Value, k: usize| match value {
                Value::Tuple(parts) => parts.get(k).cloned().unwrap_or(Value::Unit),
                _ => Value::Unit,
            };
            let parts = parts.iter().enumerate().map(|(k, ty)| {
                let values: Vec<Value> = values.iter().map(|value| part(value, k)).collect();
                self.listed(ty, &values, at)
            });
            return Value::Tuple(parts.collect());
        }
        let ty = self.known(ty, at).wgsl();
        let values: Vec<&str> = values.iter().map(|value| bare(value.text())).collect();
        Value::once(format!("{ty}({})", values.join(", ")))
    }

    /// The function that loads an element of an array.
    fn load_of(&self, array: Array) -> Option<String> {
        match array {
            Array::Slot(_) | Array::Given(_) => Some(format!("fa_load_{}", ending(array))),
            Array::Table(number) => Some(format!("fa_table_{}", self.tables.get(number).unwrap_or(&number))),
            Array::Bins(_) => None,
        }
    }

    /// How many elements the array has that a node is.
    fn length(&mut self, base: &Node) -> Option<Value> {
        let mut ty = self.types.shallow(&base.ty);
        while let Ty::Tuple(parts) = &ty {
            ty = self.types.shallow(parts.first()?);
        }
        match self.known(&ty, base.at) {
            Type::Array(_, length) => Some(Value::Constant(format!("{length}u"))),
            Type::Asked(number, Literal::Any) => Some(Value::Constant(format!("${number}:length$u"))),
            _ => None,
        }
    }

    /// What was taken for a field before it was seen to be the part of a tuple.
    fn member(&self, node: &Node, base: &Node, field: &str) -> Option<Node> {
        let Ty::Tuple(_) = self.types.shallow(&base.ty) else { return None };
        let kind = Kind::Member(base.clone().boxed(), field.parse().ok()?);
        Some(Node { kind, ty: node.ty.clone(), at: node.at })
    }
}

/// What the functions of an array that iterations may write to end in.
fn ending(array: Array) -> String {
    match array {
        Array::Slot(number) | Array::Table(number) | Array::Bins(number) => number.to_string(),
        Array::Given(number) => format!("given_{number}"),
    }
}

/// What an operator is called in the names of functions.
fn name_of(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::Div => "div",
        Op::Rem => "rem",
        Op::And => "bitand",
        Op::Or => "bitor",
        Op::Xor => "bitxor",
        Op::Lt => "lt",
        Op::Le => "le",
        Op::Gt => "gt",
        Op::Ge => "ge",
        _ => return None,
    })
}

/// A value whose variables are not changed from here on.
fn settled(value: Value) -> Value {
    match value {
        Value::One(text, _) => Value::named(text),
        Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(settled).collect()),
        other => other,
    }
}

/// Whether text names a variable or a part of one, rather than a value.
fn is_reference(text: &str) -> bool {
    let text = text.strip_prefix("(*s)").unwrap_or(text);
    !text.split('[').next().unwrap_or_default().contains('(')
}
