//! Elements of arrays, and arrays as values.

use crate::ir::report::Location;
use crate::wgsl::contract::{Literal, Type};
use crate::wgsl::emit::text::{Emit, LONGEST, Stays, Value, WRITTEN_OUT, bare, is_reference};
use crate::wgsl::tree::{Array, Node, NodeKind, Ty};

impl Emit<'_> {
    pub fn element(&mut self, base: &Node, index: &Node, at: Location) -> Option<Value> {
        let Some(length) = self.length(base) else {
            self.obstacle(at, "something that is no array is indexed");
            return Some(Value::Constant("0u".to_owned()));
        };
        // A variable is not copied because its index needs statements: these do not change it.
        let place = matches!(
            base.kind,
            NodeKind::Variable(_)
                | NodeKind::State(..)
                | NodeKind::Element(..)
                | NodeKind::Member(..)
                | NodeKind::Field(..)
        );
        let [array, index] = match place {
            true => self.pair(index, base).map(|[index, array]| [array, index])?,
            false => self.pair(base, index)?,
        };
        let index = self.below(index, &length);
        let index = if matches!(array, Value::Tuple(_)) { self.hold("i", index) } else { index };
        Some(self.element_of(array, &index))
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
        if named && index.stays() == Stays::Constant { Value::Named(text) } else { Value::Once(text) }
    }

    /// An array of values.
    pub fn listed(&mut self, ty: &Ty, values: &[Value], at: Location) -> Value {
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
        Value::call(&self.known(ty, at).wgsl(), values)
    }

    /// The function that loads elements of an array; nothing of a histogram.
    pub fn loader(&mut self, array: Array) -> Option<String> {
        match array {
            Array::Slot(number) => _ = self.needs.touched.loads.insert(number),
            Array::Table(number) => {
                return Some(format!("fa_table_{}", self.numbers.tables.get(number).copied().unwrap_or(number)));
            }
            Array::Bins(_) => return None,
            Array::Given(_) => {}
        }
        Some(format!("fa_load_{}", ending(array)))
    }

    /// An element of an array that iterations may write to.
    pub fn load(&mut self, array: Array, index: &str) -> String {
        self.loader(array).map_or_else(String::new, |load| format!("{load}({index})"))
    }

    /// The statement that puts a value into it.
    pub fn store(&mut self, array: Array, index: &str, value: &str) -> String {
        if let Array::Slot(number) = array {
            self.needs.touched.stores.insert(number);
        }
        format!("fa_store_{}({index}, {value});", ending(array))
    }

    /// How many elements the array has that a node is.
    pub fn length(&mut self, base: &Node) -> Option<Value> {
        let mut ty = self.types.shallow(&base.ty);
        while let Ty::Tuple(parts) = &ty {
            ty = self.types.shallow(parts.first()?);
        }
        match self.known(&ty, base.at) {
            Type::Array(_, length) => Some(Value::Constant(format!("{length}u"))),
            Type::Queried(number, Literal::Any) => Some(Value::Constant(format!("${number}:length$u"))),
            _ => None,
        }
    }

    pub fn repeat(&mut self, node: &Node, value: &Node, length: usize) -> Option<Value> {
        if length > LONGEST {
            let what = format!("an array of {length} elements is more than one iteration holds on a device");
            self.obstacle(node.at, what);
            return Some(Value::Unit);
        }
        let value = self.value(value)?;
        Some(self.repeated(&node.ty, value, length, node.at))
    }

    fn repeated(&mut self, ty: &Ty, value: Value, length: usize, at: Location) -> Value {
        if let Ty::Tuple(types) = self.types.shallow(ty) {
            let Value::Tuple(parts) = value else { return Value::Unit };
            let parts: Vec<Value> = parts.into_iter().map(|part| self.hold("value", part)).collect();
            let parts = types.iter().zip(parts).map(|(ty, part)| self.repeated(ty, part, length, at));
            return Value::Tuple(parts.collect());
        }
        let ty = self.known(ty, at);
        // A device may have to be told zeros of floats, which stand in the text as far as that can be.
        let float = matches!(value.text(), "0.0f" | "0.0lf") && !(1..=WRITTEN_OUT).contains(&length);
        let zero =
            float || matches!(value.text(), "0u" | "0i" | "0li" | "0lu" | "false") || value.text().ends_with("()");
        if value.stays() == Stays::Constant && zero {
            return Value::Once(format!("{}()", ty.wgsl()));
        }
        let value = self.hold("value", value);
        let count = match &ty {
            Type::Queried(number, _) if length == 0 => format!("${number}:length$"),
            _ => length.to_string(),
        };
        if (1..=WRITTEN_OUT).contains(&length) {
            return Value::call(&ty.wgsl(), &vec![value; length]);
        }
        let (name, k) = (self.fresh("array"), self.fresh("k"));
        self.line(format!("var {name}: {};", ty.wgsl()));
        self.line(format!("for (var {k} = 0u; {k} < {count}u; {k} += 1u) {{"));
        self.needs.loops = true;
        self.line("    if (fa_trip()) { break; }");
        self.line(format!("    {name}[{k}] = {};", bare(value.text())));
        self.line("}");
        Value::Named(name)
    }
}

/// The last part of the names of an array's functions.
fn ending(array: Array) -> String {
    match array {
        Array::Slot(number) | Array::Table(number) | Array::Bins(number) => number.to_string(),
        Array::Given(number) => format!("given_{number}"),
    }
}
