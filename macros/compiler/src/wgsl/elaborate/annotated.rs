//! The annotated function, which is gone through once, and its loop.
//!
//! Any statement may tell the type of a variable. Outside of the loop that is all that is wanted, and what is not understood there
//! does no harm; inside, it is an obstacle.

use crate::analysis::dependency::Sliced;
use crate::ir::Local;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::maps::{HashMap, New as _};
use crate::plan::{Accumulator, Class, Plan, Region};
use crate::wgsl::contract::Given;
use crate::wgsl::elaborate::context::{Collected, Elaborate, Form, Outputs, Pushed, Rewrites};
use crate::wgsl::elaborate::environment::Binding;
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::elaborate::merges::merge;
use crate::wgsl::elaborate::structs::WrittenTypes;
use crate::wgsl::infer::unknowns::Origin;
use crate::wgsl::tree::{ITERATION, Item, LoopBody, Node, NodeKind, Statement, Ty, Var};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::cmp::Ordering;

impl<'a> Elaborate<'a> {
    /// Goes through the function.
    pub fn run(&mut self) {
        let Some(function) = self.input.function else { return };
        let signature = &function.original.sig;
        let mut written = WrittenTypes::default();
        syn::visit::Visit::visit_impl_item_fn(&mut written, &function.original);
        self.types.spelled = written.0;
        self.types.generic = signature.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(_) => self.names.declare(Local::named("self"), Ty::Other("Self".to_owned())),
                syn::FnArg::Typed(input) => {
                    let name = input.pat.to_token_stream().to_string();
                    let grid =
                        function.shares.iter().find(|share| share.name == Local::named(&name) && share.array.is_some());
                    let ty = match grid {
                        Some(share) => Ty::Slice(Box::new(self.written(&share.element))),
                        None => self.written(&input.ty.to_token_stream()),
                    };
                    let value = Node::new(NodeKind::Unit, ty, Location::from(&TokenStream::new()));
                    let pattern = self.input.lower.pattern(&input.pat);
                    self.bind(&pattern, Item::Value(value), &mut Vec::new());
                }
            }
        }
        let body = &function.body;
        let returned = match &signature.output {
            syn::ReturnType::Default => Ty::unit(),
            syn::ReturnType::Type(_, ty) => self.written(&ty.to_token_stream()),
        };
        self.exits.frames.push(Frame { label: None, target: ITERATION, is_loop: false, ty: returned.clone() });
        let value = self.block(body, Location::from(&TokenStream::new()));
        self.types.same(&value.ty, &returned);
        self.finish();
    }

    fn enter_loop(&mut self, plan: &Plan) {
        self.quiet = false;
        self.exits.frames =
            vec![Frame { label: plan.f.label.name.clone(), target: ITERATION, is_loop: true, ty: Ty::unit() }];
    }
}

/// Where the loop stands, all names before it are known.
pub fn at_loop<'a>(this: &mut Elaborate<'a>, plan: &'a Plan) {
    let place = Location::from(plan.f.span);
    // The elements of the iteration before are variables.
    for carried in &plan.carried {
        let ty = this.place_type(&carried.first);
        this.names.declare(Local::named(&carried.variable.to_string()), ty);
    }
    this.enter_loop(plan);
    this.outputs = outputs(this, plan);
    let position = this.locals.add("p", Ty::USIZE, false);
    let mut body = LoopBody { position, ..LoopBody::default() };
    if plan.running {
        // The whole body sees the running values.
        body.iteration = iteration(this, plan, position, place);
        for level in 0..plan.levels() {
            this.form = Form { rewrites: rewrites(plan, level), sliced: Some(Sliced::of(plan, level)) };
            body.totals.push(iteration(this, plan, position, place));
        }
        this.form.sliced = None;
    } else {
        this.form.rewrites = rewrites(plan, 0);
        body.iteration = iteration(this, plan, position, place);
    }
    this.exits.may_end = false;
    body.merges = plan.accumulators.iter().enumerate().map(|(k, a)| merge(this, k, a)).collect();
    this.exits.may_end = true;
    let variables = |collected: &Collected| collected.variables.iter().map(|(_, ty)| ty.clone()).collect();
    body.held = this.outputs.accumulators.iter().map(variables).collect();
    this.body = Some(body);
}

/// The arrays and accumulators that iterations write, with their types.
fn outputs(this: &mut Elaborate<'_>, plan: &Plan) -> Outputs {
    let mut outputs = Outputs::default();
    for slot in &plan.slots {
        outputs.arrays.push(match &slot.element {
            Some(element) => this.written(element),
            None => {
                let name = format_ident!("{}", slot.name);
                let ty = this.place_type(&quote!(#name));
                this.types.element(&ty)
            }
        });
    }
    outputs.arrays.extend(plan.region.iter().flat_map(|region| this.boxes(region)));
    for (number, accumulator) in plan.accumulators.iter().enumerate() {
        let place = &accumulator.place;
        let pushed = |part, element| Pushed { place: place.clone(), part, element };
        match &accumulator.class {
            Class::Pushes { element } => outputs.pushes.push(pushed("", this.written(element))),
            Class::Scatter { element, .. } => {
                let element = this.written(element);
                outputs.scatters.push((number, outputs.pushes.len(), place.clone()));
                outputs.pushes.extend([pushed(": places", Ty::USIZE), pushed(": values", element)]);
            }
            Class::Bins { .. } => {
                let whole = this.place_type(&accumulator.tokens);
                outputs.histograms.push((number, place.clone(), this.types.element(&whole)));
            }
            _ => {}
        }
        outputs.accumulators.push(collected(this, accumulator));
    }
    outputs
}

/// The variables of an accumulator.
fn collected(this: &mut Elaborate<'_>, accumulator: &Accumulator) -> Collected {
    let mut variable = |place: &Place, tokens: TokenStream| {
        let ty = this.place_type(&tokens);
        this.types.source(&ty, &place.to_string(), Origin::Captured(Given::Place(tokens)));
        (place.clone(), ty)
    };
    let variables = match &accumulator.class {
        Class::Best { variables, .. } => variables.iter().map(|place| variable(place, place.tokens())).collect(),
        class if !class.is_carried() && !matches!(class, Class::Bins { .. }) => {
            vec![variable(&accumulator.place, accumulator.tokens.clone())]
        }
        _ => Vec::new(),
    };
    Collected { variables }
}

/// The updates in a chunk: those of the level start from the identity, those of higher levels are left out, and
/// those of lower ones stay as they are.
fn rewrites(plan: &Plan, level: usize) -> Rewrites<'_> {
    let mut rewrites = HashMap::new();
    for (number, accumulator) in plan.accumulators.iter().enumerate() {
        match accumulator.level.cmp(&level) {
            // What a histogram is put into is seen in the author's words.
            _ if matches!(accumulator.class, Class::Bins { .. }) => {}
            Ordering::Less => {}
            Ordering::Equal => rewrites.extend(accumulator.rewrites.iter().map(|(id, by)| (*id, (number, Some(by))))),
            Ordering::Greater => rewrites.extend(accumulator.nodes.iter().map(|id| (*id, (number, None)))),
        }
    }
    rewrites
}

fn iteration(this: &mut Elaborate<'_>, plan: &Plan, position: Var, place: Location) -> Vec<Statement> {
    let mut statements = Vec::new();
    // Buffers that every iteration sets before it reads them.
    for accumulator in plan.accumulators.iter().filter(|a| matches!(a.class, Class::Scratch)) {
        let ty = this.place_type(&accumulator.tokens);
        if !matches!(this.types.shallow(&ty), Ty::Array(..)) {
            let what = format!(
                "the length of the buffer `{}` is not known while compiling: use an array `[T; N]`",
                accumulator.place
            );
            this.obstacle(Location::from(accumulator.at), what);
        }
        statements.push(unset(this, accumulator.place.root, ty));
    }
    if let Some(Region { launches: Ok(launches), .. }) = &plan.region {
        let position = this.locals.read(position, place);
        statements.extend(this.element_of_task(plan, launches, &position));
        return statements;
    }
    let Some(iter) = this.header(&plan.source, place) else { return statements };
    let position = this.locals.read(position, place);
    let item = this.at(&iter, position, &mut statements);
    this.bind(&plan.f.pattern, item, &mut statements);
    let body = this.block(&plan.f.body, place);
    statements.push(Statement::Do(body));
    statements
}

/// A variable without a value.
fn unset(this: &mut Elaborate<'_>, name: Local, ty: Ty) -> Statement {
    let variable = this.locals.add(&name, ty, true);
    this.names.bind(name, Binding::Local(variable));
    Statement::Let(variable, None)
}
