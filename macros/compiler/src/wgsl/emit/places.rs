//! Places, and assignments to them.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::arithmetic::name_of;
use crate::wgsl::emit::text::{Emit, Stays, Value, bare};
use crate::wgsl::infer::unknowns::OpenOperator;
use crate::wgsl::tree::{Array, Component, Node, NodeKind, Total, Ty};

impl Emit<'_> {
    /// Whether sums of an accumulator are added up as its field holds them, rather than as values of its type.
    pub fn sums_apart(&self, number: usize, ty: &Ty) -> bool {
        let long = matches!(self.types.shallow(ty), Ty::Scalar(Type::Usize | Type::Isize));
        long || self.layout.counts.contains_key(&number)
    }

    /// Text that a field is set to.
    pub fn as_field(&self, field: usize, text: &str) -> String {
        match self.layout.fields.get(field) {
            Some(ty @ (Type::Usize | Type::Isize)) => format!("fa_widen_{}({})", ty.name(), bare(text)),
            Some(ty @ Type::Queried(..)) => format!("fa_hold_{}({})", ty.name(), bare(text)),
            _ => bare(text).to_owned(),
        }
    }

    /// Adds to the field of a sum what is held as fields are. `checks` says that it may not leave the range.
    pub fn put_sum(&mut self, number: usize, ty: &Ty, how: Total, value: &str, checks: bool, at: Location) {
        let (state, field) = (self.function.state, self.layout.field(number, Component::Variable(0)));
        let ty = self.known(ty, at);
        let long = matches!(ty, Type::Usize | Type::Isize);
        let op = match how {
            Total::Plus => "add",
            Total::Minus => "sub",
            Total::Times => "mul",
        };
        let wraps = format!("fa_wraps_{op}_{}({state}.f{field}, {value})", ty.name());
        match self.layout.counts.get(&number) {
            Some(count) => self.line(format!("{state}.f{count} += {wraps};")),
            None if checks && how != Total::Times => self.line(format!("if ({wraps} != 0) {{ fa_raise(1u); }}")),
            None => {}
        }
        let function = if long { format!("fa_pair_{op}") } else { format!("fa_wrapping_{op}_{}", ty.name()) };
        self.line(format!("{state}.f{field} = {function}({state}.f{field}, {value});"));
    }

    /// An update of a sum whose field is no value of its type; nothing for other places.
    fn sum(&mut self, place: &Node, op: Option<Op>, value: &Node, at: Location) -> Option<Option<Value>> {
        let NodeKind::State(number, part @ Component::Variable(0)) = place.kind else { return None };
        if !self.sums_apart(number, &place.ty) {
            return None;
        }
        let (how, operand) = match (op, &value.kind) {
            (Some(Op::Add), _) => (Total::Plus, value),
            (Some(Op::Sub), _) => (Total::Minus, value),
            (None, NodeKind::Total(how, a, b)) if matches!(a.kind, NodeKind::State(n, p) if (n, p) == (number, part)) => {
                (*how, &**b)
            }
            _ => return None,
        };
        let Some(value) = self.value(operand) else { return Some(None) };
        let text = self.as_field(self.layout.field(number, part), value.text());
        let text = self.hold("value", if text == bare(value.text()) { value } else { Value::Once(text) });
        self.put_sum(number, &place.ty, how, bare(text.text()), op.is_some(), at);
        Some(Some(Value::Unit))
    }

    /// The function that an operator is, unless both of its sides are of one type that is no struct's alone.
    pub fn function_of(&mut self, number: usize, at: Location) -> Option<String> {
        if self.types.operators.get(number).is_none_or(OpenOperator::is_plain) {
            return None;
        }
        match self.types.query_of_operator(number) {
            Some(query) => Some(format!("fa_${query}:operator$")),
            None => {
                let what = "the types on both sides of an operator are not known: write them, as in `let x: f32 = ..`";
                self.obstacle(at, what);
                None
            }
        }
    }

    pub fn assign(&mut self, place: &Node, how: How, value: &Node, at: Location) -> Option<Value> {
        if let NodeKind::Variable(variable) = root(place).kind
            && !self.variables[variable].mutable
        {
            let name = &self.variables[variable].name;
            let what = format!(
                "what `{name}` refers to is changed, and a device does not know what that is: change it by its own name"
            );
            self.obstacle(at, what);
        }
        let op = match how {
            How::Put => Some(None),
            How::Op(op) => Some(Some(op)),
            How::Function(_) => None,
        };
        if let Some(done) = op.and_then(|op| self.sum(place, op, value, at)) {
            return done;
        }
        let right = self.known_or_unit(&value.ty, value.at);
        let value = self.value(value)?;
        // Indices of the place come after the value.
        let before = self.lines.len();
        let destination = self.place(place, !matches!(how, How::Put))?;
        let value = if self.lines.len() > before && value.stays() == Stays::Once {
            let after = self.lines.split_off(before);
            let value = self.hold("value", value);
            self.lines.extend(after);
            value
        } else {
            value
        };
        let (destination, whole) = self.loaded_whole(destination);
        let old = |this: &mut Self| this.read(&destination.base, &destination.steps);
        let value = match how {
            How::Put => value,
            How::Function(function) => Value::call(&function, &[old(self), value]),
            How::Op(op) => {
                let ty = self.number(place);
                let old = old(self);
                if matches!(op, Op::AndAnd | Op::OrOr) {
                    self.obstacle(at, "`&&=` is not translated");
                }
                // A struct has operators of its own.
                let own = ty.is_open() && !matches!(op, Op::AndAnd | Op::OrOr | Op::Shl | Op::Shr);
                match own.then(|| name_of(op)).flatten() {
                    Some(name) => Value::of(&format!("{name}_assign"), &ty, &[old, value]),
                    None => self.operate(op, &ty, &right.unwrap_or(Type::I32), [old, value], at),
                }
            }
        };
        self.write(&destination.base, &destination.steps, &value, at);
        self.lines.extend(whole);
        Some(Value::Unit)
    }

    /// A part of an element changes by loading, changing and storing the whole: the variable that holds it, and the line that stores it.
    fn loaded_whole(&mut self, place: Destination) -> (Destination, Option<String>) {
        if place.steps.is_empty() {
            return (place, None);
        }
        let (value, load, store) = match place.base {
            Root::Element(array, index) => {
                let (value, load) = (self.fresh("element"), self.load(array, &index));
                let store = self.store(array, &index, &value);
                (value, load, store)
            }
            Root::Field(field, ty @ Type::Queried(..)) => {
                let (value, ty) = (self.fresh("whole"), ty.name());
                let store = format!("{field} = fa_hold_{ty}({value});");
                (value, format!("fa_take_{ty}({field})"), store)
            }
            base => return (Destination { base, ..place }, None),
        };
        self.line(format!("var {value} = {load};"));
        (Destination { base: Root::Variable(value), ..place }, Some(store))
    }

    fn known_or_unit(&mut self, ty: &Ty, at: Location) -> Option<Type> {
        match self.types.shallow(ty) {
            Ty::Tuple(_) | Ty::Never => None,
            ty => Some(self.known(&ty, at)),
        }
    }

    /// The place of a node; `again` says that it is read before.
    fn place(&mut self, node: &Node, again: bool) -> Option<Destination> {
        let at = node.at;
        let base = match &node.kind {
            NodeKind::Load(array @ (Array::Slot(_) | Array::Given(_)), index) => {
                let index = self.value(index)?;
                let index = if again { self.hold("i", index) } else { index };
                Root::Element(*array, bare(index.text()).to_owned())
            }
            NodeKind::State(number, part) => {
                let mut first = self.layout.field(*number, *part);
                self.fields_at(&node.ty, &mut first, at)
            }
            NodeKind::Element(base, index) => {
                let length = self.length(base).unwrap_or_else(|| Value::Constant("1u".to_owned()));
                let mut held = self.place(base, true)?;
                let index = self.value(index)?;
                let index = self.below(index, &length);
                let index = self.hold("i", index);
                held.steps.push_str(&format!("[{}]", bare(index.text())));
                return Some(held);
            }
            NodeKind::Member(base, number) => {
                let held = self.place(base, again)?;
                let base = match held.base {
                    // Of an array of tuples, each part is an array.
                    Root::Tuple(mut parts) if *number < parts.len() => parts.swap_remove(*number),
                    base => base,
                };
                return Some(Destination { base, ..held });
            }
            NodeKind::Field(base, field) => {
                if let Some(member) = self.member(node, base, field) {
                    return self.place(&member, again);
                }
                self.known(&node.ty, at);
                let mut held = self.place(base, true)?;
                held.steps.push_str(&format!(".m_{}", field.trim_start_matches("r#")));
                return Some(held);
            }
            NodeKind::Variable(variable) => Root::of(self.function.names.get(variable).cloned().unwrap_or(Value::Unit)),
            _ => {
                self.obstacle(at, "something is changed that a device does not hold for the iteration");
                return None;
            }
        };
        Some(Destination { base, steps: String::new() })
    }

    /// The fields of the state that hold a value of a type, from a first one on.
    fn fields_at(&mut self, ty: &Ty, first: &mut usize, at: Location) -> Root {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) => Root::Tuple(parts.iter().map(|part| self.fields_at(part, first, at)).collect()),
            ty => {
                let (ty, field) = (self.known(&ty, at), *first);
                *first += 1;
                Root::Field(format!("{}.f{field}", self.function.state), ty)
            }
        }
    }

    fn read(&mut self, root: &Root, steps: &str) -> Value {
        match root {
            Root::Element(array, index) => Value::Once(self.load(*array, index)),
            Root::Field(text, Type::Bool) => Value::Once(format!("({text} != 0u)")),
            Root::Field(text, ty @ (Type::Usize | Type::Isize)) => {
                Value::Once(format!("fa_narrow_{}({text})", ty.name()))
            }
            Root::Field(text, ty @ Type::Queried(..)) => Value::Once(format!("fa_take_{}({text})", ty.name())),
            Root::Field(text, _) | Root::Variable(text) => Value::Once(format!("{text}{steps}")),
            Root::Constant(text) => Value::Constant(text.clone()),
            Root::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.read(part, steps)).collect()),
            Root::Nothing => Value::Unit,
        }
    }

    fn write(&mut self, root: &Root, steps: &str, value: &Value, at: Location) {
        let text = bare(value.text());
        let line = match (root, value) {
            (Root::Tuple(parts), Value::Tuple(values)) => {
                // All of them are read before the first is written.
                let values: Vec<Value> = values.iter().map(|value| self.hold("part", value.clone())).collect();
                for (part, value) in parts.iter().zip(values) {
                    self.write(part, steps, &value, at);
                }
                return;
            }
            (Root::Tuple(_) | Root::Nothing, _) => return,
            (Root::Constant(_), _) => return self.obstacle(at, "a constant is changed"),
            (Root::Element(array, index), _) => self.store(*array, index, text),
            (Root::Field(field, Type::Bool), _) => format!("{field} = {};", as_number(value.text())),
            (Root::Field(field, ty @ (Type::Usize | Type::Isize)), _) => {
                format!("{field} = fa_widen_{}({text});", ty.name())
            }
            (Root::Field(field, ty @ Type::Queried(..)), _) => format!("{field} = fa_hold_{}({text});", ty.name()),
            (Root::Field(place, _) | Root::Variable(place), _) => format!("{place}{steps} = {text};"),
        };
        self.line(line);
    }
}

/// How a place changes.
pub enum How {
    Put,
    Op(Op),
    /// By a function of what it was and of the value.
    Function(String),
}

/// A place that is written.
struct Destination {
    base: Root,
    /// The indices and fields below it.
    steps: String,
}

/// The variable or the element that a place is a part of.
enum Root {
    /// An element of an array, by its index.
    Element(Array, String),
    /// A field of the state, and its type.
    Field(String, Type),
    /// A variable, or a part of one.
    Variable(String),
    Constant(String),
    Tuple(Vec<Root>),
    Nothing,
}

impl Root {
    fn of(value: Value) -> Root {
        match value {
            Value::Once(text) | Value::Named(text) => Root::Variable(text),
            Value::Constant(text) => Root::Constant(text),
            Value::Tuple(parts) => Root::Tuple(parts.into_iter().map(Root::of).collect()),
            Value::Unit => Root::Nothing,
        }
    }
}

/// A `bool` as the state holds it.
fn as_number(text: &str) -> String {
    match text {
        "true" => "1u".to_owned(),
        "false" => "0u".to_owned(),
        text => format!("select(0u, 1u, {})", bare(text)),
    }
}

/// The node that a place is a part of.
fn root(place: &Node) -> &Node {
    match &place.kind {
        NodeKind::Element(base, _) | NodeKind::Member(base, _) | NodeKind::Field(base, _) => root(base),
        _ => place,
    }
}
