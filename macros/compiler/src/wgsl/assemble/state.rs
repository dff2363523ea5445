//! The state of a loop: what of each accumulator is in which field.

use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::text::shown;
use crate::plan::{Accumulator, Class, Merge, Operator, Plan, Rewrite};
use crate::wgsl::assemble::captured::{no_type, paths};
use crate::wgsl::contract::Type;
use crate::wgsl::emit::layout::Layout;
use crate::wgsl::infer::types::Types;
use crate::wgsl::tree::{Component, Obstacles, Ty};
use proc_macro2::TokenStream;

/// The state, and what is told of it.
#[derive(Default)]
pub struct State {
    pub layout: Layout,
    /// The level of each field.
    pub levels: Vec<usize>,
    /// For each field that is of the author's variables: what it is called, the code that names it, and its type.
    pub told: Vec<(String, TokenStream, Type)>,
}

impl State {
    /// That of a loop, by the types of the variables of each accumulator.
    pub fn of(plan: &Plan, held: &[Vec<Ty>], types: &Types, obstacles: &mut Obstacles) -> State {
        let mut state = State::default();
        for (number, accumulator) in plan.accumulators.iter().enumerate() {
            for (variable, ty) in held[number].iter().enumerate() {
                state.layout.first.insert((number, Component::Variable(variable)), state.layout.fields.len());
                if let Err(what) = state.add(accumulator, variable, ty, types) {
                    obstacles.add(Location::from(accumulator.at), what);
                }
            }
            if let Some(ty) = held[number].first() {
                refuse_sum(accumulator, ty, types, obstacles);
            }
            for component in beside(&accumulator.class) {
                state.layout.first.insert((number, *component), state.layout.fields.len());
                match component {
                    Component::Factor => {
                        let factor = held[number].first().and_then(|ty| types.parts(ty));
                        state.layout.fields.extend(factor.unwrap_or_default());
                    }
                    _ => state.layout.fields.push(Type::Bool),
                }
            }
            state.levels.resize(state.layout.fields.len(), if plan.running { accumulator.level } else { 0 });
        }
        state.count(plan, held, types);
        state
    }

    /// A variable of an accumulator.
    fn add(&mut self, accumulator: &Accumulator, variable: usize, ty: &Ty, types: &Types) -> Result<(), String> {
        let name = accumulator.place.to_string();
        let Some(parts) = types.parts(ty).filter(|_| !types.has_options(ty)) else {
            let ty = types.text(ty);
            return Err(match ty.contains('_') {
                true => format!("the type of `{name}` is not known here: write it, as in `let mut {name}: f32 = ..`"),
                false => no_type(&format!("`{name}` is"), &ty),
            });
        };
        // Ranks and devices exchange tuples part by part, as far as these are plain data.
        if !types.is_flat(ty) {
            return Err(format!(
                "`{name}` holds a tuple inside of others, or more than 8 parts: take variables of their own"
            ));
        }
        let place = accumulator.variables().get(variable).map(Place::tokens);
        let paths = paths(types, ty, &place.unwrap_or_default()).into_iter().zip(&parts);
        self.told.extend(paths.map(|(path, ty)| (shown(&path.to_string()), path, *ty)));
        self.layout.fields.extend(parts);
        Ok(())
    }

    /// Fields that count how often sums of integers wrap around.
    fn count(&mut self, plan: &Plan, held: &[Vec<Ty>], types: &Types) {
        for (number, accumulator) in plan.accumulators.iter().enumerate() {
            let ty = held[number].first().and_then(|ty| types.known(ty));
            let counted =
                matches!(accumulator.class, Class::Sum { counts: true, .. } | Class::Difference { wraps: false });
            if counted && ty.is_some_and(|ty| ty.is_integer()) {
                self.layout.counts.insert(number, self.layout.fields.len());
                self.layout.fields.push(Type::I32);
                let level = self.levels.get(self.layout.field(number, Component::Variable(0)));
                self.levels.push(level.copied().unwrap_or_default());
            }
        }
    }

    /// The text of the struct.
    pub fn text(&self) -> String {
        let held = |ty: &Type| match ty {
            Type::Bool => "u32".to_owned(),
            Type::Usize | Type::Isize => "vec2<u32>".to_owned(),
            Type::Queried(number, _) => format!("${number}:held$"),
            ty => ty.wgsl(),
        };
        let fields = self.layout.fields.iter().enumerate().map(|(k, ty)| format!("    f{k}: {},\n", held(ty)));
        format!("struct State {{\n{}}}\n\n", fields.collect::<String>())
    }
}

/// The values of an accumulator that are held beside its variables.
fn beside(class: &Class) -> &'static [Component] {
    match class {
        Class::Combine { .. } => &[Component::Some],
        Class::Best { .. } => &[Component::Hit],
        Class::Segmented { .. } => &[Component::Some, Component::Reset],
        Class::Linear { .. } => &[Component::Factor, Component::Reset],
        _ => &[],
    }
}

/// Sums that devices cannot hold.
fn refuse_sum(accumulator: &Accumulator, ty: &Ty, types: &Types, obstacles: &mut Obstacles) {
    let (name, at, class) = (accumulator.place.to_string(), Location::from(accumulator.at), &accumulator.class);
    let ty = types.known(ty);
    // Integers are added up in ways of their own.
    let sums = matches!(class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Linear { .. });
    if sums && ty.as_ref().is_some_and(|ty| matches!(ty, Type::Queried(..)) && !ty.is_float()) {
        obstacles.add(
            at,
            format!("the type of the sum `{name}` is not known here: write it, as in `let mut {name}: f32 = ..`"),
        );
    }
    // Parts of a sum may be below zero where the whole never is.
    if ty == Some(Type::Usize)
        && !matches!(class, Class::Difference { .. } | Class::Sum { .. })
        && accumulator.rewrites.values().any(Rewrite::subtracts)
    {
        let what = format!(
            "parts of the sum `{name}` may be below zero, and a `usize` has no room for that on a device: take `i32` or `i64`"
        );
        obstacles.add(at, what);
    }
}

/// Whether what an accumulator of these variables comes to does not depend on the order. (Sums of floats differ in their
/// last bits, within the promised bounds. If two zeros have different signs, the least one is the first.)
pub fn commutes(class: &Class, held: &[Ty], types: &Types) -> bool {
    match class {
        Class::Idempotent { .. } => {
            held.iter().all(|ty| types.known(ty).is_some_and(|ty| ty.is_integer() || ty == Type::Bool))
        }
        Class::Combine { merge } => matches!(merge, Merge::By(Operator::WrappingAdd | Operator::WrappingMul)),
        Class::System(_) | Class::Machine { .. } => false,
        Class::Best { .. } | Class::Segmented { .. } | Class::Linear { .. } | Class::State(_) | Class::Frame { .. } => {
            false
        }
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity => true,
        Class::Bins { .. } | Class::Pushes { .. } | Class::Scatter { .. } | Class::Scratch => true,
    }
}
