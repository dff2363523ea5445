//! Statements, and values one after the other.

use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::control::is_choice;
use crate::wgsl::emit::text::{Emit, Stays, Value, bare, settled};
use crate::wgsl::tree::{Node, Statement, Ty, Variable};

impl Emit<'_> {
    /// Values one after the other; nothing if one of them is not reached.
    pub fn values<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) -> Option<Vec<Value>> {
        let mut found: Vec<(Value, &Node)> = Vec::new();
        for node in nodes {
            let before = self.lines.len();
            let value = self.value(node)?;
            if self.lines.len() > before {
                // Values are evaluated in their order.
                let after = self.lines.split_off(before);
                for (value, node) in found.iter_mut().filter(|(value, _)| value.stays() == Stays::Once) {
                    let array = self.types.parts(&node.ty).is_some_and(|parts| parts.into_iter().any(Type::has_parts));
                    let once = std::mem::replace(value, Value::Unit);
                    *value = if array { self.hold_array(once) } else { self.hold("t", once) };
                }
                self.lines.extend(after);
            }
            found.push((value, node));
        }
        Some(found.into_iter().map(|(value, _)| value).collect())
    }

    pub fn pair(&mut self, a: &Node, b: &Node) -> Option<[Value; 2]> {
        <[Value; 2]>::try_from(self.values([a, b])?).ok()
    }

    /// A statement, or an expression whose value is unused; nothing if it does not come to an end.
    pub fn run(&mut self, node: &Node) -> Option<()> {
        match self.value(node)? {
            // It may raise.
            value @ Value::Once(_) if value.text().contains("fa_") => _ = self.hold("unused", value),
            Value::Tuple(parts) => {
                for part in parts.into_iter().filter(|part| matches!(part, Value::Once(_))) {
                    self.hold("unused", part);
                }
            }
            _ => {}
        }
        Some(())
    }

    pub fn statements(&mut self, statements: &[Statement]) -> Option<()> {
        for statement in statements {
            let (variable, value) = match statement {
                Statement::Do(node) => {
                    self.run(node)?;
                    continue;
                }
                Statement::Let(variable, value) => (variable, value),
            };
            let variables = self.variables;
            let Variable { name, ty, mutable } = &variables[*variable];
            let held = match value {
                None => self.declare(name, ty, Location::from(proc_macro2::Span::call_site())),
                // A choice is put into the variable itself.
                Some(value) if is_choice(value) && !self.is_unit(ty) && self.types.parts(ty).is_some() => {
                    let held = self.declare(name, ty, value.at);
                    self.put_into(value, &held)?;
                    if *mutable { held } else { settled(held) }
                }
                Some(node) => {
                    let value = self.value(node)?;
                    self.bound(name, ty, *mutable, value, node.at)
                }
            };
            self.function.names.insert(*variable, held);
        }
        Some(())
    }

    /// A variable of the user's. A value that does not change needs none.
    fn bound(&mut self, name: &str, ty: &Ty, mutable: bool, value: Value, at: Location) -> Value {
        match (self.types.shallow(ty), value) {
            (Ty::Tuple(types), Value::Tuple(parts)) => {
                let parts = types.iter().zip(parts).enumerate();
                Value::Tuple(
                    parts.map(|(k, (ty, part))| self.bound(&format!("{name}_{k}"), ty, mutable, part, at)).collect(),
                )
            }
            (_, Value::Unit) => Value::Unit,
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
