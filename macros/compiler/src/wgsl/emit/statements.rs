//! Statements, and values one after the other.

use crate::ir::report::Location;
use crate::wgsl::emit::control::is_choice;
use crate::wgsl::emit::text::{Emit, Stays, Value, bare, settled};
use crate::wgsl::tree::{Node, Statement, Ty, Variable};

impl Emit<'_> {
    /// Values one after the other; nothing if one of them is not reached.
    pub fn values(&mut self, nodes: &[&Node]) -> Option<Vec<Value>> {
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
                        let array =
                            self.types.parts(&node.ty).is_some_and(|parts| parts.iter().any(|part| part.has_parts()));
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

    pub fn pair(&mut self, a: &Node, b: &Node) -> Option<[Value; 2]> {
        <[Value; 2]>::try_from(self.values(&[a, b])?).ok()
    }

    /// A statement, or an expression whose value is not wanted.
    pub fn run(&mut self, node: &Node) -> bool {
        match self.value(node) {
            Value::Never => false,
            Value::Once(text) if text.contains("fa_") => {
                // It may raise.
                let name = self.fresh("unused");
                self.line(format!("let {name} = {};", bare(&text)));
                true
            }
            Value::Tuple(parts) => {
                for part in parts {
                    if let Value::Once(text) = part {
                        let name = self.fresh("unused");
                        self.line(format!("let {name} = {};", bare(&text)));
                    }
                }
                true
            }
            _ => true,
        }
    }

    pub fn statements(&mut self, statements: &[Statement]) -> bool {
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
                        value.as_ref().map_or_else(|| Location::from(proc_macro2::Span::call_site()), |value| value.at);
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
    pub fn bound(&mut self, name: &str, ty: &Ty, mutable: bool, value: Value, at: Location) -> Value {
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
                if mutable { Value::Once(name) } else { Value::Named(name) }
            }
        }
    }
}
