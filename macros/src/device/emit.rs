//! From typed nodes to the text of WGSL.

use super::Obstacle;
use super::elaborate::Variable;
use super::operators::Operator;
use super::tree::{Array, Count, ITERATION, Kind, Node, Part, Statement, Target, Total, Var};
use super::types::{Literal, Ty, Type, Types};
use super::views::Base;
use crate::ir::Op;
use crate::report::{Place, shown};
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
                        let array = self.types.known(&node.ty).is_some_and(|ty| ty.has_parts());
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

    fn literal(&mut self, value: u128, ty: &Type, at: Place) -> String {
        match ty {
            Type::Asked(number, _) => format!("${number}:={value}$"),
            Type::F16 | Type::F32 | Type::F64 => self.float(&value.to_string(), ty, at),
            // Its magnitude alone is no literal of WGSL.
            Type::I32 if value == 1 << 31 => "(-2147483647i - 1i)".to_owned(),
            Type::I64 if value == 1 << 63 => "(-9223372036854775807li - 1li)".to_owned(),
            Type::Usize if value >= 0xffff_ffff => {
                if value == u128::from(u64::MAX) {
                    return "0xffffffffu".to_owned();
                }
                self.obstacle(at, format!("`{value}` is more than a device can count to"));
                "0u".to_owned()
            }
            Type::Isize if value > 0x7fff_ffff => {
                self.obstacle(at, format!("`{value}` is more than a device can count to"));
                "0i".to_owned()
            }
            Type::Bool | Type::Array(..) => "0".to_owned(),
            ty => format!("{value}{}", ty.suffix()),
        }
    }

    fn float(&mut self, digits: &str, ty: &Type, at: Place) -> String {
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        let text = match ty {
            Type::F16 | Type::F32 => digits.parse::<f32>().ok().filter(|x| x.is_finite()).map(|x| format!("{x:?}f")),
            Type::F64 => digits.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| format!("{x:?}lf")),
            Type::Asked(number, _) => Some(format!("${number}:={digits}$")),
            _ => None,
        };
        text.unwrap_or_else(|| {
            self.obstacle(at, format!("`{digits}` is no number of the type `{}`", ty.name()));
            "0.0f".to_owned()
        })
    }

    /// A float that changes nothing when it is added.
    fn minus_zero(ty: &Type) -> String {
        match ty {
            Type::Asked(number, _) => format!("${number}:zero$"),
            ty => format!("-0.0{}", ty.suffix()),
        }
    }

    fn zero(&mut self, ty: &Type, at: Place) -> String {
        match ty {
            Type::Bool => "false".to_owned(),
            Type::F16 | Type::F32 | Type::F64 => format!("0.0{}", ty.suffix()),
            Type::Array(..) | Type::Asked(..) => format!("{}()", ty.wgsl()),
            ty => self.literal(0, ty, at),
        }
    }

    fn zeros(&mut self, ty: &Ty, at: Place) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.zeros(part, at)).collect()),
            ty => {
                let ty = self.known(&ty, at);
                Value::Constant(self.zero(&ty, at))
            }
        }
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
                Array::Table(k) => format!("fa_table_len_{k}()"),
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
                self.known(&node.ty, at);
                let Some(load) = load_of(*array) else {
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
            Kind::Array(parts) => {
                let ty = self.known(&node.ty, at).wgsl();
                match self.values(&parts.iter().collect::<Vec<_>>()) {
                    Some(values) => {
                        let values: Vec<&str> = values.iter().map(|value| bare(value.text())).collect();
                        Value::once(format!("{ty}({})", values.join(", ")))
                    }
                    None => Value::Never,
                }
            }
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

    fn call(&mut self, number: usize, args: &[Node], ty: &Ty, at: Place) -> Value {
        let Some(values) = self.values(&args.iter().collect::<Vec<_>>()) else { return Value::Never };
        let arguments: Vec<&str> = values.iter().flat_map(Value::parts).map(|value| bare(value.text())).collect();
        let number = self.calls.get(number).copied().unwrap_or_default();
        // The arrays that it is given parts of.
        let mut given = Vec::new();
        for base in args.iter().filter_map(|arg| self.types.array_of(&arg.ty)) {
            match &*base {
                Base::Array(array) => given.extend(load_of(*array)),
                Base::Local(..) => self.obstacle(
                    at,
                    "a function is handed a slice of an array that the iteration holds: hand it the array, as `&[T; N]`",
                ),
            }
        }
        let given = if given.is_empty() { String::new() } else { format!("<{}>", given.join(", ")) };
        let call = format!("fa_call_{number}{given}({})", arguments.join(", "));
        let given = match self.types.parts(ty).map_or(0, |parts| parts.len()) {
            0 => {
                self.line(format!("{call};"));
                String::new()
            }
            1 => {
                return self.numbered(ty, &mut 0, &|_, _| call.clone(), at);
            }
            _ => {
                let given = self.fresh("given");
                self.line(format!("var {given} = {call};"));
                given
            }
        };
        settled(self.numbered(ty, &mut 0, &|k, _| format!("{given}.f{k}"), at))
    }

    /// Ends a function with its value and what it has changed.
    pub fn give_back(&mut self, result: &str, value: Value, changed: &[Node]) {
        if matches!(value, Value::Never) {
            // Nothing may stand after a `return`.
            if !self.lines.last().is_some_and(|line| line.starts_with("return")) {
                self.line(self.end.clone());
            }
            return;
        }
        let changed: Vec<Value> = changed.iter().map(|node| self.value(node)).collect();
        let parts: Vec<&str> =
            value.parts().into_iter().chain(changed.iter().flat_map(Value::parts)).map(Value::text).collect();
        self.line(match parts[..] {
            [one] => format!("return {};", bare(one)),
            _ => format!("return {result}({});", parts.iter().map(|part| bare(part)).collect::<Vec<_>>().join(", ")),
        });
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
        let named = array.stays() == Stays::Named;
        let array = if is_reference(array.text()) || matches!(index, Value::Constant(_)) {
            array.text().to_owned()
        } else {
            self.hold_array(array.clone()).text().to_owned()
        };
        let text = format!("{array}[{}]", bare(index.text()));
        if named && index.stays() == Stays::Constant { Value::named(text) } else { Value::once(text) }
    }

    /// How many elements the array has that a node is.
    fn length(&mut self, base: &Node) -> Option<Value> {
        match self.known(&base.ty, base.at) {
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

    fn negative(&mut self, inner: &Node) -> Value {
        let ty = self.number(inner);
        if let (Kind::Integer(value), Type::Asked(number, Literal::Integer)) = (&inner.kind, &ty) {
            return Value::Constant(format!("${number}:=-{value}$"));
        }
        if let Kind::Integer(value) = &inner.kind
            && ty.is_signed()
        {
            let text = self.literal(*value, &ty, inner.at);
            return Value::Constant(if text.starts_with('(') { text } else { format!("-{text}") });
        }
        match self.value(inner) {
            Value::Never => Value::Never,
            value if ty.is_float() => self.keep(&value, format!("(-{})", value.text())),
            value => Value::once(format!("fa_neg_{}({})", ty.name(), bare(value.text()))),
        }
    }

    fn floats(&mut self, sign: &str, a: Value, b: Value) -> Value {
        let a = match (&a, &b) {
            // The compiler of shaders refuses constants that overflow.
            (Value::Constant(text), Value::Constant(_)) => {
                let name = self.fresh("constant");
                self.line(format!("var {name} = {text};"));
                Value::named(name)
            }
            _ => a,
        };
        Value::once(format!("({} {sign} {})", a.text(), b.text()))
    }

    fn binary(&mut self, op: Op, a: &Node, b: &Node, at: Place) -> Value {
        if matches!(op, Op::AndAnd | Op::OrOr) {
            return self.short(op, a, b);
        }
        if let (Op::Eq | Op::Ne, Ty::Array(..)) = (op, self.types.shallow(&a.ty)) {
            let ty = self.known(&a.ty, at);
            let Some(both) = self.pair(a, b) else { return Value::Never };
            let [a, b] = both.map(|value| self.hold_array(value).text().to_owned());
            let equal = self.equal(&ty, &a, &b, at);
            return Value::once(if op == Op::Eq { equal } else { negated(&equal) });
        }
        let (ty, right) = (self.number(a), self.number(b));
        let Some([a, b]) = self.pair(a, b) else { return Value::Never };
        self.operate(op, &ty, &right, a, b, at)
    }

    /// Whether two values are equal, element by element.
    fn equal(&mut self, ty: &Type, a: &str, b: &str, at: Place) -> String {
        let Type::Array(element, length) = ty else { return format!("{a} == {b}") };
        if *length > WRITTEN_OUT {
            self.obstacle(at, format!("arrays of {length} elements are compared: compare them one by one"));
        }
        let parts: Vec<String> = (0..(*length).min(WRITTEN_OUT))
            .map(|k| self.equal(element, &format!("{a}[{k}u]"), &format!("{b}[{k}u]"), at))
            .collect();
        if parts.is_empty() { "true".to_owned() } else { format!("({})", parts.join(" && ")) }
    }

    fn operate(&mut self, op: Op, ty: &Type, right: &Type, a: Value, b: Value, at: Place) -> Value {
        let name = match op {
            _ if op.is_comparison() => {
                if *ty == Type::Bool && !matches!(op, Op::Eq | Op::Ne) {
                    self.obstacle(at, "`bool` has no order on a device");
                }
                // What may be a struct or an array is compared by a function.
                if ty.is_open() && matches!(op, Op::Eq | Op::Ne) {
                    let text = format!("fa_eq_{}({}, {})", ty.name(), bare(a.text()), bare(b.text()));
                    return Value::once(if op == Op::Eq { text } else { negated(&text) });
                }
                let text = format!("({} {} {})", a.text(), op.text(), b.text());
                return if (a.stays(), b.stays()) == (Stays::Constant, Stays::Constant) {
                    Value::Constant(text)
                } else {
                    Value::once(text)
                };
            }
            Op::And | Op::Or | Op::Xor => {
                if ty.is_float() {
                    self.obstacle(at, "floats have no bits to combine");
                }
                if let (true, Some(name)) = (ty.is_open(), name_of(op)) {
                    return Value::once(format!("fa_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())));
                }
                let sign = if *ty == Type::Bool && op == Op::Xor { "!=" } else { op.text() };
                return Value::once(format!("({} {sign} {})", a.text(), b.text()));
            }
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Div => "div",
            Op::Rem => "rem",
            Op::Shl => "shl",
            _ => "shr",
        };
        if *ty == Type::Bool {
            self.obstacle(at, "`bool` is no number");
        }
        if ty.is_float() && matches!(op, Op::Shl | Op::Shr) {
            self.obstacle(at, "floats have no bits to shift");
        }
        if ty.is_plain_float() && matches!(op, Op::Add | Op::Sub | Op::Mul) {
            return self.floats(op.text(), a, b);
        }
        // Only the library rounds a quotient to the nearest on every device; a product is rounded so anyway.
        if let (Op::Div, true, Some(inverse)) = (op, ty.is_plain_float(), inverse(&b)) {
            return self.floats("*", a, inverse);
        }
        let b = if matches!(op, Op::Shl | Op::Shr) { self.amount(b, right, at) } else { b };
        Value::once(format!("fa_{name}_{}({}, {})", ty.name(), bare(a.text()), bare(b.text())))
    }

    /// By how many bits, as `u32`.
    fn amount(&mut self, value: Value, ty: &Type, at: Place) -> Value {
        match ty {
            Type::U32 | Type::Usize | Type::U8 | Type::U16 => value,
            Type::I64 | Type::U64 | Type::Asked(..) => {
                self.obstacle(at, format!("shifts by `{}`, which a device does not: write `as u32`", ty.name()));
                value
            }
            _ => match value.text().strip_suffix('i').and_then(|text| text.parse::<u32>().ok()) {
                Some(number) => Value::Constant(format!("{number}u")),
                None => Value::once(format!("fa_cast_{}_u32({})", ty.name(), bare(value.text()))),
            },
        }
    }

    /// `&&` and `||`: the right side is evaluated where it counts.
    fn short(&mut self, op: Op, a: &Node, b: &Node) -> Value {
        let left = self.value(a);
        if matches!(left, Value::Never) {
            return left;
        }
        let (lines, right) = self.nested(|this| this.value(b));
        if lines.is_empty() && !matches!(right, Value::Never) {
            return Value::once(format!("({} {} {})", left.text(), op.text(), right.text()));
        }
        let name = self.fresh("both");
        self.line(format!("var {name}: bool = {};", bare(left.text())));
        let condition = if op == Op::AndAnd { name.clone() } else { format!("!{name}") };
        self.line(format!("if ({condition}) {{"));
        let mut lines = lines;
        if !matches!(right, Value::Never) {
            lines.push(format!("{name} = {};", bare(right.text())));
        }
        self.put(lines);
        self.line("}");
        Value::named(name)
    }

    fn method(&mut self, name: &str, args: &[Node], at: Place) -> Value {
        /// What only `f32` has, since there is nothing in WGSL to compute it with.
        const SINGLE: [&str; 24] = [
            "powf", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "sin", "cos", "tan", "asin",
            "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot", "cbrt", "asinh", "acosh", "atanh",
        ];
        const FLOATS: [&str; 22] = [
            "sqrt",
            "powi",
            "mul_add",
            "floor",
            "ceil",
            "round",
            "trunc",
            "fract",
            "recip",
            "copysign",
            "to_degrees",
            "to_radians",
            "is_nan",
            "is_finite",
            "is_infinite",
            "is_sign_negative",
            "is_sign_positive",
            "abs_sub",
            "to_bits",
            "hypot",
            "cbrt",
            "total_cmp",
        ];
        const BOTH: [&str; 9] =
            ["abs", "min", "max", "clamp", "signum", "rem_euclid", "div_euclid", "cmp", "comparable"];
        let Some(first) = args.first() else { return Value::Unit };
        let ty = self.number(first);
        /// What the crate `half` has.
        const HALF: [&str; 12] = [
            "copysign",
            "is_nan",
            "is_finite",
            "is_infinite",
            "is_sign_negative",
            "is_sign_positive",
            "to_bits",
            "abs",
            "min",
            "max",
            "clamp",
            "signum",
        ];
        let float = FLOATS.contains(&name) || SINGLE.contains(&name);
        if ty == Type::F16 && !HALF.contains(&name) {
            self.obstacle(at, format!("`f16::{name}` is not computed on devices: write `x.to_f32().{name}(..)`"));
        }
        if ty == Type::F64 && SINGLE.contains(&name) {
            self.obstacle(
                at,
                format!("`f64::{name}` is not computed on devices: take `f32`, or leave this loop to the processor"),
            );
        }
        if !(BOTH.contains(&name) || float == ty.is_float() || ty.is_open()) || ty == Type::Bool {
            self.obstacle(at, format!("`{}` has no `{name}` on a device", ty.name()));
        }
        let Some(values) = self.values(&args.iter().collect::<Vec<_>>()) else { return Value::Never };
        let values: Vec<&str> = values.iter().map(|value| bare(value.text())).collect();
        Value::once(format!("fa_{name}_{}({})", ty.name(), values.join(", ")))
    }

    fn repeat(&mut self, node: &Node, value: &Node, length: usize) -> Value {
        if length > LONGEST {
            self.obstacle(
                node.at,
                format!("an array of {length} elements is more than one iteration holds on a device"),
            );
            return Value::Unit;
        }
        let ty = self.known(&node.ty, node.at);
        let value = match self.value(value) {
            Value::Never => return Value::Never,
            value => value,
        };
        let zero = matches!(value.text(), "0u" | "0i" | "0li" | "0lu" | "0.0f" | "0.0lf" | "false")
            || value.text().ends_with("()");
        if value.stays() == Stays::Constant && zero {
            return Value::once(format!("{}()", ty.wgsl()));
        }
        let value = self.hold("value", value);
        if length <= WRITTEN_OUT {
            return Value::once(format!("{}({})", ty.wgsl(), vec![bare(value.text()); length].join(", ")));
        }
        let (name, k) = (self.fresh("array"), self.fresh("k"));
        self.line(format!("var {name}: {};", ty.wgsl()));
        self.line(format!("for (var {k} = 0u; {k} < {length}u; {k} += 1u) {{"));
        self.line("    if (fa_trip()) { break; }");
        self.line(format!("    {name}[{k}] = {};", bare(value.text())));
        self.line("}");
        Value::named(name)
    }

    // Where control goes.

    /// A loop or block that can be left. `body` gives what comes before its lines, the lines, and what comes after.
    fn frame(
        &mut self,
        target: Target,
        is_loop: bool,
        result: Value,
        body: impl FnOnce(&mut Self, Target) -> (Vec<String>, Vec<String>, Vec<String>),
    ) {
        self.frames.push(Frame { target, is_loop, result, broken: None, continued: None, crossed: Vec::new() });
        let (head, lines, tail) = body(self, target);
        let Some(frame) = self.frames.pop() else { return };
        if let Some(flag) = &frame.broken {
            self.line(format!("var {flag} = false;"));
        }
        self.lines.extend(head);
        let mut inside = Vec::new();
        if is_loop {
            inside.push("if (fa_trip()) { break; }".to_owned());
        }
        if let Some(flag) = &frame.continued {
            inside.push(format!("var {flag} = false;"));
        }
        inside.extend(lines);
        self.put(inside);
        self.lines.extend(tail);
        // What was left from inside goes on from here.
        for (target, goes_on) in frame.crossed {
            let flag = self.flag(target, goes_on);
            let here = match goes_on {
                true => {
                    self.frames.iter().rev().find(|frame| frame.is_loop).is_some_and(|frame| frame.target == target)
                }
                false => self.frames.last().is_some_and(|frame| frame.target == target),
            };
            let how = if here && goes_on { "continue" } else { "break" };
            self.line(format!("if ({flag}) {{ {how}; }}"));
        }
    }

    fn flag(&mut self, target: Target, goes_on: bool) -> String {
        let fresh = self.fresh(if goes_on { "next" } else { "leave" });
        let Some(frame) = self.frames.iter_mut().find(|frame| frame.target == target) else {
            return "false".to_owned();
        };
        let flag = if goes_on { &mut frame.continued } else { &mut frame.broken };
        flag.get_or_insert(fresh).clone()
    }

    fn leave(&mut self, target: Target, goes_on: bool, at: Place) {
        let Some(place) = self.frames.iter().position(|frame| frame.target == target) else {
            self.obstacle(at, "something is left that is not seen here");
            return;
        };
        // `continue` also leads out of blocks.
        let direct = match goes_on {
            true => self.frames[place + 1..].iter().all(|frame| !frame.is_loop),
            false => place + 1 == self.frames.len(),
        };
        if !direct {
            let flag = self.flag(target, goes_on);
            self.line(format!("{flag} = true;"));
            // Frames that are left on the way; where `continue` leads out of blocks, no further.
            for number in place + 1..self.frames.len() {
                let inner_loop = self.frames[number..].iter().any(|frame| frame.is_loop);
                if goes_on && !inner_loop {
                    continue;
                }
                if !self.frames[number].crossed.contains(&(target, goes_on)) {
                    self.frames[number].crossed.push((target, goes_on));
                }
            }
        }
        self.line(if direct && goes_on { "continue;" } else { "break;" });
    }

    fn labeled(&mut self, target: Target, node: &Node, body: &Node) -> Value {
        let result = self.declare("result", &node.ty, node.at);
        let into = result.clone();
        self.frame(target, false, result.clone(), |this, _| {
            let (lines, ()) = this.nested(|this| {
                let value = this.value(body);
                if !matches!(value, Value::Never) {
                    this.set(&into, &value);
                    this.line("break;");
                }
            });
            // A `switch` with one case is what WGSL can leave.
            let lines = std::iter::once("default: {".to_owned())
                .chain(lines.into_iter().map(|line| format!("    {line}")))
                .chain(std::iter::once("}".to_owned()))
                .collect();
            (vec!["switch (0i) {".to_owned()], lines, vec!["}".to_owned()])
        });
        settled(result)
    }

    /// Puts a value where it is held. Whether what follows is reached.
    fn put_into(&mut self, node: &Node, held: &Value) -> bool {
        match &node.kind {
            Kind::If(condition, then, otherwise) if !is_select(node) => {
                !matches!(self.choice(node, condition, then, otherwise, Some(held)), Value::Never)
            }
            Kind::Block(statements, value) => self.statements(statements) && self.put_into(value, held),
            _ => match self.value(node) {
                Value::Never => false,
                value => {
                    self.set(held, &value);
                    true
                }
            },
        }
    }

    fn choice(&mut self, node: &Node, condition: &Node, then: &Node, otherwise: &Node, held: Option<&Value>) -> Value {
        let condition = match self.value(condition) {
            Value::Never => return Value::Never,
            value => value,
        };
        if is_select(node)
            && self.types.known(&node.ty).is_some_and(|ty| !ty.has_parts())
            && let [one, two] = [then, otherwise].map(|branch| self.value(branch))
            && [&one, &two].iter().all(|value| matches!(value, Value::One(_, true) | Value::Constant(_)))
        {
            let (one, two, condition) = (bare(one.text()), bare(two.text()), bare(condition.text()));
            return Value::once(format!("select({two}, {one}, {condition})"));
        }
        let never = |branch: &Node| matches!(self.types.shallow(&branch.ty), Ty::Never);
        let wanted = !(self.is_unit(&node.ty) || never(then) && never(otherwise));
        let result = match held {
            Some(held) => held.clone(),
            None if wanted => self.declare("chosen", &node.ty, node.at),
            None => Value::Unit,
        };
        let [(then_lines, one), (else_lines, two)] = [then, otherwise].map(|branch| {
            self.nested(|this| match &result {
                Value::Unit => this.run(branch),
                result => this.put_into(branch, result),
            })
        });
        match (then_lines.is_empty(), else_lines.is_empty()) {
            (true, true) => _ = self.hold("unused", condition),
            (true, false) => {
                self.line(format!("if ({}) {{", negated(condition.text())));
                self.put(else_lines);
                self.line("}");
            }
            (false, _) => {
                self.line(format!("if ({}) {{", bare(condition.text())));
                self.put(then_lines);
                if else_lines.is_empty() {
                    self.line("}");
                } else if is_chain(&else_lines) {
                    // `else if`.
                    let mut lines = else_lines.into_iter();
                    if let Some(first) = lines.next() {
                        self.line(format!("}} else {first}"));
                    }
                    self.lines.extend(lines);
                } else {
                    self.line("} else {");
                    self.put(else_lines);
                    self.line("}");
                }
            }
        }
        if one || two { settled(result) } else { Value::Never }
    }

    fn count(&mut self, count: &Count, at: Place) -> Value {
        let ty = self.number(&count.from);
        if !(ty.is_integer() || ty.is_open()) {
            self.obstacle(at, format!("a loop counts by `{}`", ty.name()));
            return Value::Unit;
        }
        let Some([from, to]) = self.pair(&count.from, &count.to) else { return Value::Never };
        let to = self.hold("end", to);
        let from = if count.down || count.inclusive { self.hold("from", from) } else { from };
        let name = &self.variables[count.variable].name;
        let counter = self.fresh(name);
        let one = self.literal(1, &ty, at);
        self.names.insert(count.variable, Value::named(counter.clone()));
        let (from, to) = (bare(from.text()).to_owned(), bare(to.text()).to_owned());
        if ty == Type::Usize && !count.inclusive && !count.down {
            self.below.insert(counter.clone(), to.clone());
        }
        let body = |this: &mut Self| this.nested(|this| _ = this.run(&count.body)).0;
        match (count.inclusive, count.down) {
            (false, false) => self.frame(count.target, true, Value::Unit, |this, _| {
                let head = format!("for (var {counter} = {from}; {counter} < {to}; {counter} += {one}) {{");
                (vec![head], body(this), vec!["}".to_owned()])
            }),
            (false, true) => {
                self.line(format!("var {counter} = {to};"));
                self.frame(count.target, true, Value::Unit, |this, _| {
                    let mut lines =
                        vec![format!("if ({counter} <= {from}) {{ break; }}"), format!("{counter} -= {one};")];
                    lines.extend(body(this));
                    (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                });
            }
            // The last value may be the largest there is: it is compared before the step.
            (true, down) => {
                let (first, last, sign) = if down { (&to, &from, "-") } else { (&from, &to, "+") };
                self.line(format!("if ({from} <= {to}) {{"));
                let (lines, ()) = self.nested(|this| {
                    this.line(format!("var {counter} = {first};"));
                    this.frame(count.target, true, Value::Unit, |this, _| {
                        let mut lines = body(this);
                        lines.extend([
                            "continuing {".to_owned(),
                            format!("    let last = {counter} == {last};"),
                            format!("    {counter} {sign}= {one};"),
                            "    break if last;".to_owned(),
                            "}".to_owned(),
                        ]);
                        (vec!["loop {".to_owned()], lines, vec!["}".to_owned()])
                    });
                });
                self.put(lines);
                self.line("}");
            }
        }
        Value::Unit
    }

    // Places.

    /// Whether sums of an accumulator are added up as its field holds them, rather than as values of its type.
    pub fn sums_apart(&self, number: usize, ty: &Ty) -> bool {
        let long = matches!(self.types.shallow(ty), Ty::Scalar(Type::Usize | Type::Isize));
        long || self.counts.contains_key(&number)
    }

    /// Text that a field is set to.
    pub fn as_field(&self, field: usize, text: &str) -> String {
        match self.held.get(field) {
            Some(ty @ (Type::Usize | Type::Isize)) => format!("fa_widen_{}({})", ty.name(), bare(text)),
            Some(ty @ Type::Asked(..)) => format!("fa_hold_{}({})", ty.name(), bare(text)),
            _ => bare(text).to_owned(),
        }
    }

    /// Adds to the field of a sum what is held as fields are. `checks` says that it may not leave the range.
    pub fn put_sum(&mut self, number: usize, ty: &Ty, how: Total, value: &str, checks: bool, at: Place) {
        let (state, field) = (self.state, self.field(number, Part::Variable(0)));
        let ty = self.known(ty, at);
        let long = matches!(ty, Type::Usize | Type::Isize);
        let op = match how {
            Total::Plus => "add",
            Total::Minus => "sub",
            Total::Times => "mul",
        };
        let wraps = format!("fa_wraps_{op}_{}({state}.f{field}, {value})", ty.name());
        match self.counts.get(&number) {
            Some(count) => self.line(format!("{state}.f{count} += {wraps};")),
            None if checks && how != Total::Times => self.line(format!("if ({wraps} != 0) {{ fa_raise(1u); }}")),
            None => {}
        }
        let function = if long { format!("fa_pair_{op}") } else { format!("fa_wrapping_{op}_{}", ty.name()) };
        self.line(format!("{state}.f{field} = {function}({state}.f{field}, {value});"));
    }

    /// An update of a sum whose field is no value of its type alone.
    fn sum(&mut self, place: &Node, op: Option<Op>, value: &Node, at: Place) -> Option<Value> {
        let Kind::State(number, part @ Part::Variable(0)) = place.kind else { return None };
        if !self.sums_apart(number, &place.ty) {
            return None;
        }
        let (how, operand) = match (op, &value.kind) {
            (Some(Op::Add), _) => (Total::Plus, value),
            (Some(Op::Sub), _) => (Total::Minus, value),
            (None, Kind::Total(how, a, b)) if matches!(a.kind, Kind::State(n, p) if (n, p) == (number, part)) => {
                (*how, &**b)
            }
            _ => return None,
        };
        let value = match self.value(operand) {
            Value::Never => return Some(Value::Never),
            value => value,
        };
        let text = self.as_field(self.field(number, part), value.text());
        let text = self.hold("value", if text == bare(value.text()) { value } else { Value::once(text) });
        self.put_sum(number, &place.ty, how, bare(text.text()), op.is_some(), at);
        Some(Value::Unit)
    }

    /// The function that an operator is, unless both of its sides are of one type that is no struct's alone.
    fn function_of(&mut self, number: usize, at: Place) -> Option<String> {
        if self.types.operators.get(number).is_none_or(Operator::is_plain) {
            return None;
        }
        match self.types.question_of(number) {
            Some(question) => Some(format!("fa_${question}:operator$")),
            None => {
                self.obstacle(
                    at,
                    "the types on both sides of an operator are not known: write them, as in `let x: f32 = ..`",
                );
                None
            }
        }
    }

    fn assign(&mut self, place: &Node, how: How, value: &Node, at: Place) -> Value {
        let op = match how {
            How::Op(op) => Some(op),
            _ => None,
        };
        let again = !matches!(how, How::Put);
        let own = matches!(how, How::Function(_));
        if let Some(done) = (!own).then(|| self.sum(place, op, value, at)).flatten() {
            return done;
        }
        let right = self.known_or_unit(&value.ty, value.at);
        let value = match self.value(value) {
            Value::Never => return Value::Never,
            value => value,
        };
        // Indices of the place come after the value.
        let before = self.lines.len();
        let place_value = match self.place(place, again) {
            Some(place) => place,
            None => return Value::Never,
        };
        let value = if self.lines.len() > before && value.stays() == Stays::Once {
            let after = self.lines.split_off(before);
            let value = self.hold("value", value);
            self.lines.extend(after);
            value
        } else {
            value
        };
        // A part of an element: the whole is loaded, changed and stored.
        let (place_value, whole) = match place_value {
            Held { base: Root::Slot(slot, index), steps } if !steps.is_empty() => {
                let value = self.fresh("element");
                self.line(format!("var {value} = fa_load_{slot}({index});"));
                let held = Held { base: Root::Tuple(Value::once(value.clone())), steps };
                (held, Some(format!("fa_store_{slot}({index}, {value});")))
            }
            Held { base: Root::Field(field, ty @ Type::Asked(..)), steps } if !steps.is_empty() => {
                let value = self.fresh("whole");
                self.line(format!("var {value} = fa_take_{}({field});", ty.name()));
                let held = Held { base: Root::Tuple(Value::once(value.clone())), steps };
                (held, Some(format!("{field} = fa_hold_{}({value});", ty.name())))
            }
            other => (other, None),
        };
        let value = match how {
            How::Put => value,
            How::Function(function) => {
                let old = self.read(&place_value);
                Value::once(format!("{function}({}, {})", bare(old.text()), bare(value.text())))
            }
            How::Op(op) => {
                let ty = self.number(place);
                let old = self.read(&place_value);
                if matches!(op, Op::AndAnd | Op::OrOr) {
                    self.obstacle(at, "`&&=` is not translated");
                }
                // What may be a struct has operators of its own.
                let own = ty.is_open() && !matches!(op, Op::AndAnd | Op::OrOr | Op::Shl | Op::Shr);
                match own.then(|| name_of(op)).flatten() {
                    Some(name) => Value::once(format!(
                        "fa_{name}_assign_{}({}, {})",
                        ty.name(),
                        bare(old.text()),
                        bare(value.text())
                    )),
                    None => self.operate(op, &ty, &right.unwrap_or(Type::I32), old, value, at),
                }
            }
        };
        self.write(&place_value, value, at);
        self.lines.extend(whole);
        Value::Unit
    }

    fn known_or_unit(&mut self, ty: &Ty, at: Place) -> Option<Type> {
        match self.types.shallow(ty) {
            Ty::Tuple(_) | Ty::Never => None,
            ty => Some(self.known(&ty, at)),
        }
    }

    /// Where something is put; `again` says that it is read before.
    fn place(&mut self, node: &Node, again: bool) -> Option<Held> {
        let at = node.at;
        Some(match &node.kind {
            Kind::Load(array @ (Array::Slot(_) | Array::Given(_)), index) => {
                let index = match self.value(index) {
                    Value::Never => return None,
                    value => value,
                };
                let index = if again { self.hold("i", index) } else { index };
                Held { base: Root::Slot(ending(*array), bare(index.text()).to_owned()), steps: String::new() }
            }
            Kind::State(number, part) => {
                let first = self.fields.get(&(*number, key(*part))).copied().unwrap_or_default();
                match self.types.shallow(&node.ty) {
                    Ty::Tuple(_) => {
                        let value = self.state_value(*number, *part, &node.ty, at);
                        Held { base: Root::Tuple(value), steps: String::new() }
                    }
                    ty => {
                        let ty = self.known(&ty, at);
                        Held { base: Root::Field(format!("{}.f{first}", self.state), ty), steps: String::new() }
                    }
                }
            }
            Kind::Element(base, index) => {
                let length = self.length(base).unwrap_or_else(|| Value::Constant("1u".to_owned()));
                let mut held = self.place(base, true)?;
                let index = match self.value(index) {
                    Value::Never => return None,
                    value => value,
                };
                let index = self.below(index, &length);
                let index = self.hold("i", index);
                held.steps.push_str(&format!("[{}]", bare(index.text())));
                held
            }
            Kind::Member(base, number) => {
                let held = self.place(base, again)?;
                match held.base {
                    Root::Tuple(Value::Tuple(mut parts)) if held.steps.is_empty() && *number < parts.len() => {
                        Held { base: Root::Tuple(parts.swap_remove(*number)), steps: String::new() }
                    }
                    base => Held { base, ..held },
                }
            }
            Kind::Field(base, field) => {
                if let Some(member) = self.member(node, base, field) {
                    return self.place(&member, again);
                }
                self.known(&node.ty, at);
                let mut held = self.place(base, true)?;
                held.steps.push_str(&format!(".m_{}", field.trim_start_matches("r#")));
                held
            }
            Kind::Variable(variable) => {
                let value = self.names.get(variable).cloned().unwrap_or(Value::Unit);
                Held { base: Root::Tuple(value), steps: String::new() }
            }
            _ => {
                self.obstacle(at, "something is changed that a device does not hold for the iteration");
                return None;
            }
        })
    }

    fn read(&self, held: &Held) -> Value {
        match &held.base {
            Root::Slot(slot, index) => Value::once(format!("fa_load_{slot}({index})")),
            Root::Field(text, Type::Bool) => Value::once(format!("({text} != 0u)")),
            Root::Field(text, ty @ (Type::Usize | Type::Isize)) => {
                Value::once(format!("fa_narrow_{}({text})", ty.name()))
            }
            Root::Field(text, ty @ Type::Asked(..)) => Value::once(format!("fa_take_{}({text})", ty.name())),
            Root::Field(text, _) => Value::once(format!("{text}{}", held.steps)),
            Root::Tuple(Value::One(text, _)) => {
                // A field of the state that holds a `bool` is read through a comparison.
                Value::once(format!("{text}{}", held.steps))
            }
            Root::Tuple(value) => value.clone(),
        }
    }

    fn write(&mut self, held: &Held, value: Value, at: Place) {
        match &held.base {
            Root::Slot(slot, index) => self.line(format!("fa_store_{slot}({index}, {});", bare(value.text()))),
            Root::Field(text, Type::Bool) => self.line(format!("{text} = {};", as_number(value.text()))),
            Root::Field(text, ty @ (Type::Usize | Type::Isize)) => {
                self.line(format!("{text} = fa_widen_{}({});", ty.name(), bare(value.text())));
            }
            Root::Field(text, ty @ Type::Asked(..)) => {
                self.line(format!("{text} = fa_hold_{}({});", ty.name(), bare(value.text())));
            }
            Root::Field(text, _) => self.line(format!("{text}{} = {};", held.steps, bare(value.text()))),
            Root::Tuple(place) => self.write_parts(&place.clone(), &held.steps, &value, at),
        }
    }

    fn write_parts(&mut self, place: &Value, steps: &str, value: &Value, at: Place) {
        match (place, value) {
            (Value::Tuple(places), Value::Tuple(values)) => {
                // All of them are read before the first is written.
                let values: Vec<Value> = values.iter().map(|value| self.hold("part", value.clone())).collect();
                for (place, value) in places.iter().zip(values) {
                    self.write_parts(place, steps, &value, at);
                }
            }
            (Value::One(text, _), value) => {
                let value = bare(value.text()).to_owned();
                for ty in ["usize", "isize"] {
                    let field = text.strip_prefix(&format!("fa_narrow_{ty}(")).and_then(|text| text.strip_suffix(')'));
                    if let Some(field) = field {
                        self.line(format!("{field} = fa_widen_{ty}({value});"));
                        return;
                    }
                }
                if let Some((ty, field)) = text
                    .strip_prefix("fa_take_$")
                    .and_then(|text| text.strip_suffix(')'))
                    .and_then(|text| text.split_once("$("))
                {
                    self.line(format!("{field} = fa_hold_${ty}$({value});"));
                    return;
                }
                match text.strip_prefix('(').and_then(|text| text.strip_suffix(" != 0u)")) {
                    Some(field) => self.line(format!("{field} = {};", as_number(&value))),
                    None => self.line(format!("{text}{steps} = {value};")),
                }
            }
            (Value::Constant(_), _) => self.obstacle(at, "a constant is changed"),
            _ => {}
        }
    }
}

/// What the functions of an array that iterations may write to end in.
fn ending(array: Array) -> String {
    match array {
        Array::Slot(number) | Array::Table(number) | Array::Bins(number) => number.to_string(),
        Array::Given(number) => format!("given_{number}"),
    }
}

/// The function that loads an element of an array.
fn load_of(array: Array) -> Option<String> {
    match array {
        Array::Slot(_) | Array::Given(_) => Some(format!("fa_load_{}", ending(array))),
        Array::Table(_) => Some(format!("fa_table_{}", ending(array))),
        Array::Bins(_) => None,
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
        _ => return None,
    })
}

/// One by a float that is a power of two, where that is exact.
fn inverse(value: &Value) -> Option<Value> {
    let Value::Constant(text) = value else { return None };
    let (digits, suffix) = text.split_at(text.find(['f', 'l'])?);
    let number = digits.parse::<f64>().ok()?;
    let inverse = number.recip();
    let fits = match suffix {
        "f" => (number as f32).is_normal() && (inverse as f32).is_normal(),
        "lf" => number.is_normal() && inverse.is_normal(),
        _ => false,
    };
    let is_power = number.to_bits() << 12 == 0;
    (fits && is_power).then(|| Value::Constant(format!("{inverse:?}{suffix}")))
}

/// A value whose variables are not changed from here on.
fn settled(value: Value) -> Value {
    match value {
        Value::One(text, _) => Value::named(text),
        Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(settled).collect()),
        other => other,
    }
}

/// How a place changes.
enum How {
    Put,
    Op(Op),
    /// By a function of what it was and of the value.
    Function(String),
}

/// A place that is written.
struct Held {
    base: Root,
    /// The indices below it.
    steps: String,
}

/// What a place is in.
enum Root {
    /// An array by the end of its functions' names, and an index.
    Slot(String, String),
    /// A field of the state, and its type.
    Field(String, Type),
    Tuple(Value),
}

/// Whether text names a variable or a part of one, rather than a value.
fn is_reference(text: &str) -> bool {
    let text = text.strip_prefix("(*s)").unwrap_or(text);
    !text.split('[').next().unwrap_or_default().contains('(')
}

/// A `bool` as the state holds it.
fn as_number(text: &str) -> String {
    match text {
        "true" => "1u".to_owned(),
        "false" => "0u".to_owned(),
        text => format!("select(0u, 1u, {})", bare(text)),
    }
}

/// Whether an expression is a choice of which only one side may be evaluated.
fn is_choice(node: &Node) -> bool {
    match &node.kind {
        Kind::If(..) => !is_select(node),
        Kind::Block(_, value) => is_choice(value),
        _ => false,
    }
}

/// Whether an expression is a choice between two values that are there.
fn is_select(node: &Node) -> bool {
    let there = |node: &Node| {
        matches!(
            node.kind,
            Kind::Integer(_)
                | Kind::Float(_)
                | Kind::Bool(_)
                | Kind::Variable(_)
                | Kind::Value(_)
                | Kind::Zero
                | Kind::One
        )
    };
    matches!(&node.kind, Kind::If(_, then, otherwise) if there(then) && there(otherwise))
}

/// Whether lines are one `if` with all of its branches.
fn is_chain(lines: &[String]) -> bool {
    lines.first().is_some_and(|line| line.starts_with("if (") && line.ends_with('{'))
        && lines.last().is_some_and(|line| line == "}")
        && lines[1..lines.len() - 1].iter().all(|line| line.starts_with(' ') || line.starts_with("} else"))
}

/// Whether a literal is the same number in both types.
fn fits(node: &Node, from: &Type, to: &Type) -> bool {
    let Kind::Integer(value) = node.kind else { return false };
    let most = |ty: &Type| match ty {
        Type::I8 => 0x7f,
        Type::U8 => 0xff,
        Type::I16 => 0x7fff,
        Type::U16 => 0xffff,
        Type::I64 => u128::from(u64::MAX >> 1),
        Type::U64 => u128::from(u64::MAX),
        Type::U32 => 0xffff_ffff,
        Type::Usize => 0xffff_fffe,
        _ => 0x7fff_ffff,
    };
    value <= most(from) && value <= most(to)
}

/// The text of a function that bodies need.
pub(super) fn helper(name: &str) -> String {
    match name {
        "fa_at" => {
            "fn fa_at(i: u32, n: u32) -> u32 {\n    if (i < n) { return i; }\n    fa_raise(0u);\n    return 0u;\n}\n"
                .to_owned()
        }
        "fa_steps" => {
            "fn fa_steps(count: u32, width: u32) -> u32 {\n    if (width == 0u) { fa_raise(5u); return 0u; }\n    \
                       if (count == 0u) { return 0u; }\n    return (count - 1u) / width + 1u;\n}\n"
                .to_owned()
        }
        name => {
            let ty = name.strip_prefix("fa_distance_").and_then(Type::named).unwrap_or(Type::U32);
            let (held, rust) = (ty.wgsl(), shown(&ty.name()));
            let count = match held.as_str() {
                "u32" => "to - start".to_owned(),
                "i32" => "bitcast<u32>(to) - bitcast<u32>(start)".to_owned(),
                "u64" => "fa_cast_u64_usize(to - start)".to_owned(),
                _ => "fa_cast_u64_usize(bitcast<u64>(to) - bitcast<u64>(start))".to_owned(),
            };
            format!(
                "fn fa_distance_{rust}(start: {held}, to: {held}) -> u32 {{\n    if (start >= to) {{ return 0u; }}\n    return {count};\n}}\n"
            )
        }
    }
}
