//! The search for the loops that run in parallel.

use crate::analysis::collected::{declaration, fresh};
use crate::classify::{After, classify};
use crate::flow::{Definition, Definitions, Graph, Live, all_variables};
use crate::front::attribute::Attribute;
use crate::front::barriers::at_cut;
use crate::front::function::Function;
use crate::front::tiles::is_view;
use crate::ir::obligation::Obligation;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Expr, For, Id, Kind, Local, Statement, StatementKind};
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::Plan;
use proc_macro2::Span;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The loops of a function that run in parallel.
pub struct Planned {
    pub loops: HashMap<Id, Plan>,
    /// The other loops. Each rank runs them in order, with the same iterations.
    pub in_order: Vec<Span>,
    /// The assumptions about names in the whole function.
    pub obligations: Vec<Obligation>,
}

/// Plans the loops that the attribute applies to. Rejects a function without such loops.
pub fn planned(function: &Function, report: &mut Report) -> Planned {
    let (several, graph) = (several(function, &function.body), Graph::of_body(&function.body));
    let mut finder =
        Finder { function, graph: &graph, several, loops: HashMap::new(), whiles: Vec::new(), apart: Vec::new() };
    finder.block(&function.body, report);
    let Finder { loops, whiles, apart, .. } = finder;
    let mut in_order = Vec::new();
    for (span, mistakes) in apart {
        if loops.is_empty() {
            report.absorb(mistakes);
        } else {
            in_order.push(span);
        }
    }
    if loops.is_empty() && report.is_empty() && !function.body.nodes().any(|e| hands_on(function, e)) {
        refuse_none(function, whiles.first(), report);
    }
    Planned { loops, in_order, obligations: Vec::new() }
}

fn refuse_none(function: &Function, first_while: Option<&Location>, report: &mut Report) {
    let name = &function.signature.ident;
    match first_while {
        Some(&place) => report.error(
            Code::FA021,
            place,
            "the iterations of `while` and `loop` cannot be counted before they run",
            "",
        ),
        None => report.error(
            Code::FA004,
            name.span(),
            format!("`{name}` has no loop for `#[{}]` to run in parallel", function.attribute.name()),
            "write a `for` loop in it, or remove the attribute",
        ),
    }
}

/// Finds the loops that the attribute applies to: those in statements of the function. Loops inside of other loops do
/// not count, unless the outer one is a loop over time steps.
struct Finder<'f> {
    function: &'f Function,
    graph: &'f Graph<'f>,
    /// Whether there is more than one loop to annotate.
    several: bool,
    loops: HashMap<Id, Plan>,
    whiles: Vec<Location>,
    /// Loops that are not parallel but access no share, each with its errors.
    apart: Vec<(Span, Report)>,
}

/// Whether the statements outside of loops, or in a loop over time steps, contain more than one loop.
fn several(function: &Function, block: &Block) -> bool {
    fn count(function: &Function, block: &Block) -> usize {
        block
            .statements
            .iter()
            .map(|s| match &s.kind {
                StatementKind::Expr(e, _) | StatementKind::Let(_, Some(e), _) => in_expr(function, e),
                _ => 0,
            })
            .sum()
    }
    fn in_expr(function: &Function, e: &Expr) -> usize {
        match &e.kind {
            Kind::For(f) if f.sequential || repeats(function, f) => count(function, &f.body),
            Kind::For(_) => 1,
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::While(_, _, b) | Kind::Loop(_, b) => count(function, b),
            Kind::If(_, then, otherwise) => {
                count(function, then) + otherwise.as_ref().map_or(0, |e| in_expr(function, e))
            }
            _ => 0,
        }
    }
    count(function, block) > 1
}

impl Finder<'_> {
    fn block(&mut self, block: &Block, report: &mut Report) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Expr(e, _) | StatementKind::Let(_, Some(e), _) => self.expr(e, report),
                _ => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr, report: &mut Report) {
        match &e.kind {
            Kind::For(f) => self.found(e.id, f, report),
            Kind::Block(b) | Kind::Labeled(_, _, b) => self.block(b, report),
            Kind::If(_, then, otherwise) => {
                self.block(then, report);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise, report);
                }
            }
            Kind::Match(_, arms) => {
                for arm in arms {
                    self.expr(&arm.body, report);
                }
            }
            Kind::While(_, _, b) | Kind::Loop(_, b) => {
                let head = Location::from(e.span);
                self.whiles.push(if let Kind::While(_, condition, _) = &e.kind { head.to(&**condition) } else { head });
                self.block(b, report);
            }
            _ => {}
        }
    }

    /// Classifies a loop under the function's attribute. In a function with several loops, the loops that the attribute
    /// is not for may be of another class.
    fn classify(&self, f: &Rc<For>, after: &After<'_>, report: &mut Report) -> Option<Plan> {
        let own = self.function.attribute;
        let found = classify(self.function, own, f, after, report);
        if found.is_some() || !self.several {
            return found;
        }
        [Attribute::Foreach, Attribute::KaryReduce, Attribute::ForeachTls, Attribute::DistributedScan]
            .into_iter()
            .filter(|attribute| *attribute != own)
            .find_map(|attribute| classify(self.function, attribute, f, after, &mut Report::default()))
    }

    fn found(&mut self, id: Id, f: &Rc<For>, report: &mut Report) {
        // It repeats the tasks inside of it.
        if !has_tasks(self.function, f) && f.body.nodes().any(|e| is_view(e) || at_cut(e).is_some()) {
            return self.block(&f.body, report);
        }
        let parameter = |name: Local| self.function.declared.get(&name).is_some_and(|d| d.parameter && d.reference);
        let seen = After {
            live: &|name| {
                let of = fresh(self.function, &self.function.body, self.graph, name, &HashSet::new());
                Live { of, returned: parameter(name) }.after(self.graph, f)
            },
        };
        let mut mine = Report::default();
        if !f.sequential
            && let Some(plan) = self.classify(f, &seen, &mut mine)
        {
            // Rounds that only add to elements are maps in their loops.
            let maps = plan.writes() || plan.scatters() || self.function.attribute != Attribute::Foreach;
            if maps || !repeats(self.function, f) || !self.inside(f) {
                self.loops.insert(id, plan);
            }
            return;
        }
        // Its pattern and its body are those of a task.
        if has_tasks(self.function, f) {
            report.absorb(mine);
            return;
        }
        if f.sequential || repeats(self.function, f) {
            // It runs in order, and the attribute applies to its inner loops.
            let mut inner = Report::default();
            let loops = self.loops.len();
            self.block(&f.body, &mut inner);
            let calls = || hands_on_in(self.function, f);
            if f.sequential || self.loops.len() > loops || !inner.is_empty() || calls() {
                report.absorb(inner);
                return;
            }
        }
        if has_few_rounds(f) && self.inside(f) {
            return;
        }
        if self.several && !f.sequential && self.touches_no_share(f) {
            self.apart.push((f.span, mine));
            return;
        }
        if holds_loops(&f.body) {
            mine.keep_first_dependence();
        }
        report.absorb(mine);
    }

    /// Plans the loops in the body of a loop, if all of them run in parallel. Returns whether they do.
    fn inside(&mut self, f: &For) -> bool {
        let (mut inner, before) = (Report::default(), self.loops.keys().copied().collect::<BTreeSet<Id>>());
        self.block(&f.body, &mut inner);
        let all = inner.is_empty() && self.loops.len() > before.len();
        if !all {
            self.loops.retain(|id, _| before.contains(id));
        }
        all
    }

    /// Whether a loop does the same on every rank: it may read the lengths of shares, but no elements.
    fn touches_no_share(&self, f: &For) -> bool {
        let distributed = |name: Local| {
            self.function.shares.iter().any(|s| s.name == name)
                || self.function.pushes.iter().any(|p| p.name == name)
                || self.function.tiles.mentions(name)
        };
        let mut apart = true;
        f.body.walk(&mut |e| {
            match &e.kind {
                Kind::Method(array, method, ..) if method == "len" && array.name().is_some() => return false,
                Kind::Name(name) => apart &= !distributed(*name),
                _ => {}
            }
            apart
        });
        let all = self.function.shares.iter().map(|s| &s.name).chain(self.function.pushes.iter().map(|p| &p.name));
        let objects = f.source.nodes().filter_map(Expr::name).any(|name| self.function.tiles.mentions(name));
        apart && !objects && all.into_iter().all(|name| !f.source.mentions(*name))
    }
}

/// Whether the iterations of a loop are tasks on objects.
fn has_tasks(function: &Function, f: &For) -> bool {
    let is_view =
        |statement: &Statement| matches!(&statement.kind, StatementKind::Let(_, Some(value), None) if is_view(value));
    let tiles = |e: &Expr| match &e.kind {
        Kind::Method(object, method, ..) => {
            method == "tiles" && object.name().is_some_and(|name| function.tiles.mentions(name))
        }
        _ => false,
    };
    let barrier = |statement: &Statement| statement.exprs().flat_map(Expr::nodes).any(|e| at_cut(e).is_some());
    let own = |statement: &Statement| is_view(statement) || !holds_loops_in(statement) && barrier(statement);
    !f.sequential && (f.body.statements.iter().any(own) || f.source.nodes().any(tiles))
}

fn holds_loops_in(statement: &Statement) -> bool {
    statement.exprs().flat_map(Expr::nodes).any(|e| matches!(e.kind, Kind::For(_)))
}

fn holds_loops(body: &Block) -> bool {
    body.nodes().any(|e| matches!(e.kind, Kind::For(_)))
}

/// Whether a loop only repeats other loops, and one of them accesses arrays of the caller, as the loop over the time
/// steps of a simulation. Its variable, and the values computed from it, select no elements. Its
/// items are neither mutable nor elements of shares.
fn repeats(function: &Function, f: &For) -> bool {
    let shared = |name: Local| function.shares.iter().any(|share| share.name == name);
    let mut distributed = false;
    f.source.walk(&mut |e| {
        distributed |= match &e.kind {
            Kind::Method(array, name, ..) if name == "len" && array.name().is_some() => return false,
            // A single element.
            Kind::Index(array, index) if array.name().is_some() && !matches!(index.bare().kind, Kind::Range(..)) => {
                return false;
            }
            Kind::Method(_, name, ..) => name.ends_with("_mut"),
            Kind::Ref(mutable, _) => *mutable,
            Kind::Name(name) => shared(*name),
            _ => false,
        };
        !distributed
    });
    let is_loop = |s: &Statement| matches!(&s.kind, StatementKind::Expr(Expr { kind: Kind::For(_), .. }, _));
    let goes_over_shares = |s: &Statement| {
        let has_loops = match &s.kind {
            StatementKind::Expr(Expr { kind: Kind::If(_, block, _) | Kind::Block(block), .. }, _) => {
                block.statements.iter().any(is_loop)
            }
            _ => is_loop(s),
        };
        has_loops && s.nodes().filter_map(Expr::name).any(|name| is_given(function, name))
    };
    let calls = || hands_on_in(function, f);
    (f.body.statements.iter().any(goes_over_shares) || calls()) && !distributed && !chooses_elements(f)
}

/// Whether a variable is a slice of the caller, or borrows a part of one.
fn is_given(function: &Function, name: Local) -> bool {
    let of_given = |value: &Expr| {
        let root = value.root().filter(|root| matches!(value.bare().kind, Kind::Ref(true, _)) && *root != name);
        root.is_some_and(|root| is_given(function, root))
    };
    function.shares.iter().any(|share| share.name == name)
        || function.tiles.mentions(name)
        || function.declared.get(&name).is_some_and(|declared| declared.reference)
        || declaration(&function.body, name).and_then(|(_, value)| value).is_some_and(|value| of_given(&value))
}

/// Whether a loop over a few literal numbers consists of loops, as those over the colours of a red-black sweep. It stands for its body
/// written so many times.
fn has_few_rounds(f: &For) -> bool {
    const FEW: i64 = 4;
    let few = match &f.source.bare().kind {
        Kind::Range(Some(from), Some(to), inclusive) => match (&from.bare().kind, &to.bare().kind) {
            (Kind::Int(from), Kind::Int(to)) => to - from + i64::from(*inclusive) <= FEW,
            _ => false,
        },
        Kind::Array(numbers) => numbers.len() <= FEW as usize && numbers.iter().all(|e| matches!(e.kind, Kind::Int(_))),
        _ => false,
    };
    let loops = |s: &Statement| match &s.kind {
        StatementKind::Expr(e, _) => matches!(e.kind, Kind::For(_)),
        StatementKind::Let(..) => true,
        StatementKind::Item(_) => false,
    };
    few && holds_loops(&f.body) && f.body.statements.iter().all(loops)
}

/// Whether an expression passes a distributed slice as a whole to another function, which may be annotated too.
fn hands_on(function: &Function, e: &Expr) -> bool {
    let (called, arguments) = match &e.kind {
        Kind::Call(called, arguments) => (called.last_name(), arguments),
        Kind::Method(_, method, arguments, _) => (method.clone(), arguments),
        _ => return false,
    };
    let whole = |argument: &Expr| match &argument.bare().kind {
        Kind::Ref(_, inner) | Kind::Unary('*', inner) => inner.name(),
        _ => argument.name(),
    };
    let share = |name: Local| function.shares.iter().any(|share| share.name == name);
    let known = matches!(e.kind, Kind::Method(..)) && methods::is_known(&called) || called == "swap";
    !known && arguments.iter().filter_map(whole).any(share)
}

/// Whether a loop passes slices as a whole to functions that may be annotated. `relax(u, i)` for each `i` in `0..u.len()` is no such
/// function: it gets the index of an element.
fn hands_on_in(function: &Function, f: &For) -> bool {
    let is_length = |e: &Expr, name: Local| match &e.bare().kind {
        Kind::Method(array, method, ..) => method == "len" && array.name() == Some(name),
        _ => false,
    };
    let counts = |name: Local| {
        f.source.nodes().any(|e| {
            let declared = || e.name().and_then(|end| declaration(&function.body, end)?.1);
            is_length(e, name) || declared().is_some_and(|value| is_length(&value, name))
        })
    };
    let gets_index = |e: &Expr| match &e.kind {
        Kind::Call(_, arguments) | Kind::Method(_, _, arguments, _) => {
            let names = || arguments.iter().filter_map(Expr::name);
            names().any(|name| f.pattern.binds(name)) && names().any(counts)
        }
        _ => false,
    };
    f.body.nodes().any(|e| hands_on(function, e) && !gets_index(e))
}

/// Methods whose arguments select elements.
const CHOOSING: [&str; 9] = ["get", "get_mut", "nth", "skip", "split_at", "split_at_mut", "step_by", "swap", "take"];

/// Whether the variable of a loop selects elements: directly, or through a name for a value computed from it, such as
/// `let at = y * w + x` or `x` of `for x in y..w`.
fn chooses_elements(f: &For) -> bool {
    // An element that is set makes no other position of its array.
    let whole = |of: &Definition<'_>, _| of.place.is_none_or(|place| place.name().is_some());
    let chosen = Definitions::of(&f.body).computed_from(f.pattern.variables(), &all_variables, &whole);
    let is_chosen = |e: &Expr| e.variables().any(|name| chosen.contains(&name));
    f.body.nodes().any(|e| match &e.kind {
        Kind::Index(_, index) => is_chosen(index),
        Kind::Method(_, method, args, _) => CHOOSING.contains(&method.as_str()) && args.iter().any(is_chosen),
        _ => false,
    })
}
