//! Makes a wrong program small: statements, expressions, items and parameters go, as long as what is left is wrong in the same way.

use crate::program::Program;
use crate::trial::{Court, Verdict};
use std::io;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Item, Stmt};

/// A program with the verdict of its trial, made as small as it gets.
pub fn shrink(court: &Court, program: &Program, verdict: &Verdict) -> io::Result<(Program, Verdict)> {
    let mut best = (program.clone(), verdict.clone());
    loop {
        let singles: Vec<Vec<usize>> = (0..count(&best.0)).map(|number| vec![number]).collect();
        let found = round(court, &best, &singles)?;
        let Some(single) = smallest(&found) else { return Ok(best) };
        // What can go alone can mostly go together.
        let good: Vec<usize> = found.iter().map(|(numbers, ..)| numbers[0]).collect();
        let parts = [1, 2, 4, 8].into_iter().flat_map(|parts| good.chunks(good.len().div_ceil(parts)));
        let together: Vec<Vec<usize>> = parts.filter(|part| part.len() > 1).map(<[usize]>::to_vec).collect();
        let found = round(court, &best, &together)?;
        best = match smallest(&found) {
            Some(found) if found.0.tokens() < single.0.tokens() => found,
            _ => single,
        };
    }
}

type Found = (Vec<usize>, Program, Verdict);

fn smallest(found: &[Found]) -> Option<(Program, Verdict)> {
    let best = found.iter().min_by_key(|(_, program, _)| program.tokens())?;
    Some((best.1.clone(), best.2.clone()))
}

/// Applies sets of reductions; those after which the program is smaller and still wrong in the same way.
fn round(court: &Court, (program, verdict): &(Program, Verdict), sets: &[Vec<usize>]) -> io::Result<Vec<Found>> {
    let Verdict::Wrong(wrong, _) = verdict else { return Ok(Vec::new()) };
    let mut reduced: Vec<(Vec<usize>, Program)> = sets
        .iter()
        .map(|set| {
            let mut smaller = program.clone();
            // From behind, so that the numbers of those before stay.
            set.iter().rev().for_each(|&number| apply(&mut smaller, number));
            (set.clone(), smaller)
        })
        .collect();
    let before = program.tokens();
    reduced.retain(|(_, smaller)| smaller.tokens() < before && smaller.refused().is_none());
    let programs: Vec<Program> = reduced.iter().map(|(_, program)| program.clone()).collect();
    let verdicts = court.try_all(&programs)?;
    let same = |verdict: &Verdict| matches!(verdict, Verdict::Wrong(kind, _) if kind == wrong);
    let found = reduced.into_iter().zip(verdicts).filter(|(_, verdict)| same(verdict));
    Ok(found.map(|((set, program), verdict)| (set, program, verdict)).collect())
}

/// How many reductions there are.
fn count(program: &Program) -> usize {
    let mut reduce = Reduce { number: usize::MAX, seen: 0 };
    reduce.program(&mut program.clone());
    reduce.seen
}

/// Applies the reduction with a number.
fn apply(program: &mut Program, number: usize) {
    Reduce { number, seen: 0 }.program(program);
}

/// Walks through a program, and changes it where it has seen so many possible reductions.
struct Reduce {
    number: usize,
    seen: usize,
}

impl Reduce {
    /// Whether this one is to be applied.
    fn here(&mut self) -> bool {
        self.seen += 1;
        self.seen - 1 == self.number
    }

    fn program(&mut self, program: &mut Program) {
        for place in 0..program.items.len() {
            if self.here() {
                program.items.remove(place);
                return;
            }
        }
        for item in &mut program.items {
            let Item::Impl(block) = item else { continue };
            for place in 0..block.items.len() {
                if self.here() {
                    block.items.remove(place);
                    return;
                }
            }
        }
        self.signature(program);
        if self.seen <= self.number {
            self.visit_block_mut(&mut program.function.block);
        }
    }

    /// Parameters, markers and results.
    fn signature(&mut self, program: &mut Program) {
        let inputs = &mut program.function.sig.inputs;
        for place in 0..inputs.len() {
            if self.here() {
                *inputs = inputs.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, p)| p.clone()).collect();
                return;
            }
            if let syn::FnArg::Typed(parameter) = &mut inputs[place]
                && !parameter.attrs.is_empty()
                && self.here()
            {
                parameter.attrs.clear();
                return;
            }
        }
        let Some(Stmt::Expr(result, None)) = program.function.block.stmts.last_mut() else { return };
        let output = &mut program.function.sig.output;
        if let (Expr::Tuple(values), syn::ReturnType::Type(_, of)) = (&mut *result, &mut *output)
            && let syn::Type::Tuple(types) = &mut **of
        {
            for place in 0..values.elems.len() {
                if self.here() {
                    let keep = |at: &usize| *at != place;
                    let values: Vec<Expr> = pick(&values.elems, keep);
                    let types: Vec<syn::Type> = pick(&types.elems, keep);
                    *result = if let [value] = &values[..] { value.clone() } else { syn::parse_quote!((#(#values),*)) };
                    **of = if let [of] = &types[..] { of.clone() } else { syn::parse_quote!((#(#types),*)) };
                    return;
                }
            }
        } else if matches!(output, syn::ReturnType::Type(..)) && self.here() {
            *output = syn::ReturnType::Default;
            program.function.block.stmts.pop();
        }
    }
}

fn pick<T: Clone, P>(list: &syn::punctuated::Punctuated<T, P>, keep: impl Fn(&usize) -> bool) -> Vec<T> {
    list.iter().enumerate().filter(|(at, _)| keep(at)).map(|(_, element)| element.clone()).collect()
}

/// Statements inside of a statement, which may stand in its place.
fn inside(statement: &Stmt) -> Vec<Vec<Stmt>> {
    let Stmt::Expr(e, _) = statement else { return Vec::new() };
    match e {
        Expr::Block(e) => vec![e.block.stmts.clone()],
        Expr::Unsafe(e) => vec![e.block.stmts.clone()],
        Expr::ForLoop(e) => vec![e.body.stmts.clone()],
        Expr::While(e) => vec![e.body.stmts.clone()],
        Expr::Loop(e) => vec![e.body.stmts.clone()],
        Expr::If(e) => {
            let otherwise = e.else_branch.iter().map(|(_, e)| vec![Stmt::Expr((**e).clone(), None)]);
            [e.then_branch.stmts.clone()].into_iter().chain(otherwise).collect()
        }
        Expr::Match(e) => {
            e.arms.iter().map(|arm| vec![Stmt::Expr((*arm.body).clone(), Some(Default::default()))]).collect()
        }
        _ => Vec::new(),
    }
}

/// Expressions that may stand in the place of one.
fn instead(e: &Expr) -> Vec<Expr> {
    let value = |block: &Block| match &block.stmts[..] {
        [Stmt::Expr(e, None)] => Some(e.clone()),
        _ => None,
    };
    let mut parts: Vec<Expr> = match e {
        Expr::Binary(e) => vec![(*e.left).clone(), (*e.right).clone()],
        Expr::Paren(e) => vec![(*e.expr).clone()],
        Expr::Unary(e) => vec![(*e.expr).clone()],
        Expr::Cast(e) => vec![(*e.expr).clone()],
        Expr::MethodCall(e) => [(*e.receiver).clone()].into_iter().chain(e.args.iter().cloned()).collect(),
        Expr::Call(e) => e.args.iter().cloned().collect(),
        Expr::Block(e) => value(&e.block).into_iter().collect(),
        Expr::If(e) => {
            value(&e.then_branch).into_iter().chain(e.else_branch.iter().map(|(_, e)| (**e).clone())).collect()
        }
        Expr::Match(e) => e.arms.iter().map(|arm| (*arm.body).clone()).collect(),
        Expr::Index(_) | Expr::Field(_) | Expr::Macro(_) => Vec::new(),
        _ => return Vec::new(),
    };
    parts.push(syn::parse_quote!(1));
    parts
}

impl VisitMut for Reduce {
    fn visit_block_mut(&mut self, block: &mut Block) {
        for place in 0..block.stmts.len() {
            if self.here() {
                block.stmts.remove(place);
                return;
            }
            for inner in inside(&block.stmts[place]) {
                if self.here() {
                    block.stmts.splice(place..=place, inner);
                    return;
                }
            }
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if self.seen > self.number {
            return;
        }
        for part in instead(e) {
            if self.here() {
                *e = part;
                return;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        let plain: Expr = syn::parse_quote!(0..x.len());
        if *e.expr != plain && self.here() {
            *e.expr = plain;
            *e.pat = syn::parse_quote!(i);
            return;
        }
        visit_mut::visit_expr_for_loop_mut(self, e);
    }
}
