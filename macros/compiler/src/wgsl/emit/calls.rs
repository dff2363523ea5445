//! Calls of functions, what a function gives back, and functions that bodies need.

use crate::ir::report::Location;
use crate::ir::text::shown;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::text::{Emit, Value, bare, settled};
use crate::wgsl::tree::{Array, Base, Node, Ty};

impl Emit<'_> {
    pub fn call(&mut self, number: usize, args: &[Node], ty: &Ty, at: Location) -> Option<Value> {
        let values = self.values(args)?;
        let arguments: Vec<&str> = values.iter().flat_map(Value::parts).map(|value| bare(value.text())).collect();
        let number = self.numbers.calls.get(number).copied().unwrap_or_default();
        // The arrays that it is given parts of.
        let mut given = Vec::new();
        for (arg, base) in args.iter().filter_map(|arg| Some((arg, self.types.array_of(&arg.ty)?))) {
            match &*base {
                Base::Array(_) if self.types.is_of_tuples(&arg.ty) => {
                    self.obstacle(at, "a function is handed a slice of tuples: hand it an array of them, or numbers");
                }
                Base::Array(array) => {
                    given.extend(self.loader(*array));
                    // The function may write to it, for all that is seen here.
                    if let Array::Slot(number) = array {
                        self.needs.touched.stores.insert(*number);
                    }
                }
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
            1 => return Some(self.numbered(ty, &mut 0, &|_, _| call.clone(), at)),
            _ => {
                let given = self.fresh("given");
                self.line(format!("var {given} = {call};"));
                given
            }
        };
        Some(settled(self.numbered(ty, &mut 0, &|k, _| format!("{given}.f{k}"), at)))
    }

    /// Ends a function with its value and what it has changed.
    pub fn give_back(&mut self, result: &str, value: Option<Value>, changed: &[Node]) {
        let Some(value) = value else {
            // Nothing may stand after a `return`.
            if !self.lines.last().is_some_and(|line| line.starts_with("return")) {
                self.line(self.function.end.clone());
            }
            return;
        };
        let changed: Vec<Value> = changed.iter().filter_map(|node| self.value(node)).collect();
        let parts: Vec<&Value> = value.parts().into_iter().chain(changed.iter().flat_map(Value::parts)).collect();
        self.line(match parts[..] {
            [one] => format!("return {};", bare(one.text())),
            _ => format!("return {};", Value::call(result, parts).text()),
        });
    }
}

/// The text of a function that bodies need.
pub fn helper(name: &str) -> String {
    match name {
        "fa_at" => {
            "fn fa_at(i: u32, n: u32) -> u32 {\n    if (i < n) { return i; }\n    fa_raise(0u);\n    return 0u;\n}\n"
                .to_owned()
        }
        "fa_in_box" => "fn fa_in_box(i: u32, n: u32) -> u32 {\n    if (fa_proved || i < n) { return i; }\n    \
             if (!fa_proved) { fa_raise(0u); }\n    return 0u;\n}\n"
            .to_owned(),
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
