//! The state of the writer, and pieces of text.

use crate::ir::report::Location;
use crate::maps::{HashMap, New as _};
use crate::wgsl::contract::{Touched, Type};
use crate::wgsl::emit::layout::Layout;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{Component, Node, Obstacles, Target, Ty, Var, Variable};
use std::collections::BTreeSet;

/// How long an array is that is written out, and the most that one iteration holds.
pub const WRITTEN_OUT: usize = 16;

pub const LONGEST: usize = 4096;

/// How long an evaluated expression stays what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// A constant of WGSL.
    Constant,
    /// It names what does not change any more.
    Named,
    /// It must be evaluated once, where it stands.
    Once,
}

/// The value of an expression, as text.
#[derive(Debug, Clone)]
pub enum Value {
    Unit,
    /// It must be evaluated once, where it stands.
    Once(String),
    /// It names what does not change any more.
    Named(String),
    /// A constant of WGSL.
    Constant(String),
    Tuple(Vec<Value>),
}

impl Value {
    /// The result of a function.
    pub fn call<'v>(function: &str, args: impl IntoIterator<Item = &'v Value>) -> Value {
        let args: Vec<&str> = args.into_iter().map(|value| bare(value.text())).collect();
        Value::Once(format!("{function}({})", args.join(", ")))
    }

    /// The result of a function of the device: `fa_NAME_TYPE`.
    pub fn of<'v>(name: &str, ty: &Type, args: impl IntoIterator<Item = &'v Value>) -> Value {
        Value::call(&format!("fa_{name}_{}", ty.name()), args)
    }

    /// Text without effects that is made of this value: it is a constant if this is one.
    pub fn keep(&self, text: String) -> Value {
        match self.stays() {
            Stays::Constant => Value::Constant(text),
            _ => Value::Once(text),
        }
    }

    pub fn stays(&self) -> Stays {
        match self {
            Value::Constant(_) | Value::Unit => Stays::Constant,
            Value::Named(_) => Stays::Named,
            Value::Once(_) => Stays::Once,
            Value::Tuple(parts) if parts.iter().all(|part| part.stays() != Stays::Once) => Stays::Named,
            Value::Tuple(_) => Stays::Once,
        }
    }

    /// With tuples opened.
    pub fn parts(&self) -> Vec<&Value> {
        match self {
            Value::Tuple(parts) => parts.iter().flat_map(Value::parts).collect(),
            Value::Unit => Vec::new(),
            one => vec![one],
        }
    }

    /// The parameters of a function: they do not change, but only a variable is indexed by what is not known before.
    pub fn of_parameters(self, types: &[Type]) -> Value {
        match types.iter().any(|ty| ty.has_parts()) {
            true => self,
            false => settled(self),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Value::Once(text) | Value::Named(text) | Value::Constant(text) => text,
            _ => "",
        }
    }
}

/// A loop or a block of WGSL that can be left.
pub struct Frame {
    pub target: Target,
    pub is_loop: bool,
    /// Where `break` puts its value.
    pub result: Value,
    /// The variables that say that something inside is left further, or goes on here.
    pub broken: Option<String>,
    pub continued: Option<String>,
    /// The targets of jumps from inside that lead further, and whether they go on there.
    pub crossed: Vec<(Target, bool)>,
}

/// Writes the text of a loop or a function.
pub struct Emit<'a> {
    pub types: &'a Types,
    pub variables: &'a [Variable],
    pub numbers: Numbers<'a>,
    /// The fields of the state.
    pub layout: Layout,
    pub needs: Needs,
    pub function: Function,
    pub obstacles: Obstacles,
    pub lines: Vec<String>,
    pub frames: Vec<Frame>,
}

/// The numbers in the names of functions.
#[derive(Default)]
pub struct Numbers<'a> {
    /// The number of each captured value's first part.
    pub values: &'a [usize],
    /// The number of each table's first part.
    pub tables: &'a [usize],
    /// The number of each called function.
    pub calls: &'a [usize],
    /// How many bins each element of a histogram has.
    pub widths: Vec<usize>,
}

/// The needs of a text in addition to the body.
#[derive(Default)]
pub struct Needs {
    pub helpers: BTreeSet<Helper>,
    /// The accesses to the loop's arrays since the last function.
    pub touched: Touched,
    /// Whether there are loops.
    pub loops: bool,
}

impl Needs {
    pub fn helper(&mut self, name: &str) {
        self.helpers.insert(Helper(name.to_owned()));
    }
}

/// The function that is being written.
pub struct Function {
    /// The statement that ends it.
    pub end: String,
    /// The name of the state.
    pub state: &'static str,
    pub names: HashMap<Var, Value>,
    /// Counters, and bounds that they stay below.
    pub below: Vec<(String, String)>,
    /// The last number of a name.
    last: usize,
}

/// A function of the text in addition to the body, by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Helper(pub String);

/// A name that WGSL takes: letters, digits and underscores, and none of ours.
pub fn plain(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { 'u' }).collect();
    if name.starts_with("fa_") || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        format!("v{name}")
    } else {
        name
    }
}

pub fn negated(condition: &str) -> String {
    format!("!({})", bare(condition))
}

/// Without parentheses around all of it.
pub fn bare(text: &str) -> &str {
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
    pub fn new(types: &'a Types, variables: &'a [Variable], numbers: Numbers<'a>, layout: Layout) -> Self {
        let function =
            Function { end: "return;".to_owned(), state: "(*s)", names: HashMap::new(), below: Vec::new(), last: 0 };
        Emit {
            types,
            variables,
            numbers,
            layout,
            needs: Needs::default(),
            function,
            obstacles: Obstacles::default(),
            lines: Vec::new(),
            frames: Vec::new(),
        }
    }
}

impl Emit<'_> {
    pub fn obstacle(&mut self, at: Location, what: impl Into<String>) {
        self.obstacles.add(at, what);
    }

    pub fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    pub fn fresh(&mut self, name: &str) -> String {
        self.function.last += 1;
        format!("{}_{}", plain(name), self.function.last)
    }

    /// A type that a device has.
    pub fn known(&mut self, ty: &Ty, at: Location) -> Type {
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

    pub fn is_unit(&self, ty: &Ty) -> bool {
        matches!(self.types.shallow(ty), Ty::Tuple(parts) if parts.is_empty())
    }

    pub fn nested<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> (Vec<String>, R) {
        let outer = std::mem::take(&mut self.lines);
        let result = run(self);
        (std::mem::replace(&mut self.lines, outer), result)
    }

    pub fn put(&mut self, lines: Vec<String>) {
        self.lines.extend(lines.into_iter().map(|line| if line.is_empty() { line } else { format!("    {line}") }));
    }

    /// The body of a function.
    pub fn written(&mut self, head: &str, run: impl FnOnce(&mut Self)) -> String {
        self.function.last = 0;
        self.function.names.clear();
        self.function.below.clear();
        let (lines, ()) = self.nested(run);
        let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        format!("{head} {{\n{lines}}}\n")
    }

    pub fn name(&mut self, variable: Var, value: Value) {
        self.function.names.insert(variable, value);
    }

    /// Variables for all parts of a value of a type.
    pub fn declare(&mut self, name: &str, ty: &Ty, at: Location) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(
                parts.iter().enumerate().map(|(k, part)| self.declare(&format!("{name}_{k}"), part, at)).collect(),
            ),
            Ty::Never => Value::Unit,
            ty => {
                let (name, ty) = (self.fresh(name), self.known(&ty, at).wgsl());
                self.line(format!("var {name}: {ty};"));
                Value::Once(name)
            }
        }
    }

    /// Statements that put a value where it is held.
    pub fn set(&mut self, place: &Value, value: &Value) {
        match (place, value) {
            (Value::Tuple(places), Value::Tuple(values)) => {
                for (place, value) in places.iter().zip(values) {
                    self.set(place, value);
                }
            }
            (Value::Once(_) | Value::Named(_), Value::Once(_) | Value::Named(_) | Value::Constant(_)) => {
                self.line(format!("{} = {};", place.text(), bare(value.text())));
            }
            _ => {}
        }
    }

    /// A variable that holds a value from here on.
    pub fn hold(&mut self, name: &str, value: Value) -> Value {
        match value {
            Value::Tuple(parts) => Value::Tuple(
                parts.into_iter().enumerate().map(|(k, part)| self.hold(&format!("{name}_{k}"), part)).collect(),
            ),
            Value::Once(text) => {
                let name = self.fresh(name);
                self.line(format!("let {name} = {};", bare(&text)));
                Value::Named(name)
            }
            other => other,
        }
    }

    /// The same for an array: only a variable is indexed by what is not known before.
    pub fn hold_array(&mut self, value: Value) -> Value {
        if let Value::Tuple(parts) = value {
            return Value::Tuple(parts.into_iter().map(|part| self.hold_array(part)).collect());
        }
        let name = self.fresh("array");
        self.line(format!("var {name} = {};", bare(value.text())));
        Value::Named(name)
    }

    pub fn number(&mut self, node: &Node) -> Type {
        let ty = self.known(&node.ty, node.at);
        if matches!(ty, Type::Array(..)) {
            let text = self.types.text(&node.ty);
            self.obstacle(node.at, format!("`{text}` is no number: a device computes with the elements one by one"));
            return Type::I32;
        }
        ty
    }

    /// The texts of all parts of a type, numbered from a first one.
    pub fn numbered(
        &mut self,
        ty: &Ty,
        first: &mut usize,
        text: &dyn Fn(usize, &Type) -> String,
        at: Location,
    ) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.numbered(part, first, text, at)).collect()),
            ty => {
                let ty = self.known(&ty, at);
                *first += 1;
                Value::Once(text(*first - 1, &ty))
            }
        }
    }

    /// A component of an accumulator.
    pub fn state_value(&mut self, number: usize, part: Component, ty: &Ty, at: Location) -> Value {
        let (state, mut first) = (self.function.state, self.layout.field(number, part));
        let read = move |field: usize, ty: &Type| match ty {
            Type::Bool => format!("({state}.f{field} != 0u)"),
            Type::Usize | Type::Isize => format!("fa_narrow_{}({state}.f{field})", ty.name()),
            Type::Queried(number, _) => format!("fa_take_${number}$({state}.f{field})"),
            _ => format!("{state}.f{field}"),
        };
        let value = self.numbered(ty, &mut first, &read, at);
        // Parameters do not change.
        if matches!(self.function.state, "earlier" | "later" | "value" | "chunk") { settled(value) } else { value }
    }

    /// An index, which is checked unless it is seen to be below a length.
    pub fn below(&mut self, index: Value, length: &Value) -> Value {
        let number = |text: &str| text.strip_suffix('u').and_then(|text| text.parse::<usize>().ok());
        let fits = match (&index, self.function.below.iter().rev().find(|(counter, _)| counter == index.text())) {
            (Value::Constant(text), _) => number(text).zip(number(length.text())).is_some_and(|(i, n)| i < n),
            (_, Some((_, end))) => {
                end == length.text() || number(end).zip(number(length.text())).is_some_and(|(end, n)| end <= n)
            }
            _ => false,
        };
        // A constant index that is out of range is an error of Rust's, and of WGSL.
        let asked = matches!(&index, Value::Constant(_)) && length.text().starts_with('$');
        if fits || asked {
            return index;
        }
        self.needs.helper("fa_at");
        Value::call("fa_at", [&index, length])
    }
}

/// A value whose variables are not changed from here on.
pub fn settled(value: Value) -> Value {
    match value {
        Value::Once(text) | Value::Named(text) => Value::Named(text),
        Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(settled).collect()),
        other => other,
    }
}

/// Whether text names a variable or a part of one, rather than a value.
pub fn is_reference(text: &str) -> bool {
    let text = text.strip_prefix("(*s)").unwrap_or(text);
    !text.split('[').next().unwrap_or_default().contains('(')
}
