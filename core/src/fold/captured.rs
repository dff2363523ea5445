//! Captured variables of a loop for a device, and the fallback if the device cannot run the loop.

use crate::call::Call;
use crate::device::{self, Callees, Launch, Part, Program, Refusal, Type};
use crate::settings::Backend;
use std::borrow::Cow;
use std::ops::Range;

/// The values of the captured variables, if they have the types that the program expects.
#[derive(Debug)]
pub struct Captured<'c> {
    pub(super) program: &'static Program,
    pub(super) values: Vec<u8>,
    pub(super) tables: Vec<Cow<'c, [u8]>>,
    pub(super) overflow: bool,
    /// The answers to the program's queries.
    pub(super) answers: &'static [Type],
    /// The reason why the program does not fit.
    pub(super) obstacle: Option<String>,
}

impl<'c> Captured<'c> {
    /// No values yet. `overflow` says whether the build has overflow checks. `callees` are the functions that the loop calls. `given` are the
    /// types of the loop's own variables, for the queries of the program.
    pub fn new(program: &'static Program, overflow: bool, callees: Callees, given: Vec<Option<Type>>) -> Self {
        let plain =
            Captured { program, values: Vec::new(), tables: Vec::new(), overflow, answers: &[], obstacle: None };
        if program.calls.is_empty() && program.queries.is_empty() {
            return plain;
        }
        match device::composed(program, overflow, callees, given) {
            Ok(all) => Captured {
                program: &all.program,
                values: all.values.clone(),
                tables: all.tables.iter().map(|table| Cow::Borrowed(*table)).collect(),
                answers: &all.answers,
                ..plain
            },
            Err(reason) => Captured { obstacle: Some(reason.clone()), ..plain },
        }
    }

    /// The program, linked with the user's functions.
    pub(crate) fn program(&self) -> &'static Program {
        self.program
    }

    /// The bytes of the tables.
    ///
    /// # Errors
    /// If the program does not fit.
    pub(crate) fn tables(&self) -> Result<Vec<&[u8]>, Refusal> {
        match &self.obstacle {
            Some(obstacle) => Err(Refusal::Cannot(obstacle.clone())),
            None => Ok(self.tables.iter().map(|table| &**table).collect()),
        }
    }

    /// A launch of the program, without histograms.
    pub(crate) fn launch<'l>(
        &'l self,
        positions: Range<usize>,
        proved: bool,
        arrays: &'l [Part<'l>],
        tables: &'l [&'l [u8]],
    ) -> Launch<'l> {
        let Captured { program, overflow, values, .. } = self;
        Launch {
            program,
            positions,
            arrays,
            proved,
            overflow: *overflow,
            values,
            tables,
            bins: &[],
            state: None,
            totals: None,
            timed: false,
        }
    }

    fn differs(&mut self, name: &str, expected: Type, found: Option<Type>) -> bool {
        if found.is_some_and(|found| device::is(expected, self.answers, found)) {
            return false;
        }
        let expected = device::resolved(expected, self.answers);
        self.obstacle.get_or_insert_with(|| device::differs(name, expected, found));
        true
    }

    /// Adds a plain value.
    #[must_use]
    pub fn value(mut self, name: &str, expected: Type, found: Option<(Type, &[u8])>) -> Self {
        if !self.differs(name, expected, found.map(|(ty, _)| ty)) {
            self.values.extend_from_slice(found.map_or(&[], |(_, bytes)| bytes));
        }
        self
    }

    /// Adds a table.
    #[must_use]
    pub fn table(mut self, name: &str, expected: Type, found: Option<(Type, &'c [u8])>) -> Self {
        if !self.differs(name, expected, found.map(|(ty, _)| ty)) {
            self.tables.extend(found.map(|(_, bytes)| Cow::Borrowed(bytes)));
        }
        self
    }

    /// Adds a table of one component of tuples.
    #[must_use]
    pub fn table_part(mut self, name: &str, expected: Type, found: Option<(Type, Vec<u8>)>) -> Self {
        if !self.differs(name, expected, found.as_ref().map(|(ty, _)| *ty)) {
            self.tables.extend(found.map(|(_, bytes)| Cow::Owned(bytes)));
        }
        self
    }

    /// Checks that a name refers to the item of std.
    #[must_use]
    pub fn named(mut self, name: &str, as_in_std: bool) -> Self {
        if !as_in_std {
            self.obstacle.get_or_insert_with(|| format!("`{name}` is another one than std's"));
        }
        self
    }

    /// Checks the types of arrays or accumulators: of each its name, and its type as expected and as it is.
    #[must_use]
    pub fn of_types(self, all: &[(&str, Type, Option<Type>)]) -> Self {
        all.iter().fold(self, |captured, (name, expected, found)| captured.of_type(name, *expected, *found))
    }

    /// Checks the type of an array or an accumulator.
    #[must_use]
    pub fn of_type(mut self, name: &str, expected: Type, found: Option<Type>) -> Self {
        self.differs(name, expected, found);
        self
    }
}

/// Reports that the loop runs on the workers. Panics if the user requires the device.
#[cold]
pub(crate) fn refused(call: &Call, name: &str, refusal: &Refusal) {
    let settings = call.context.settings();
    let wanted = settings.backend != Backend::Auto;
    let lost = matches!(refusal, Refusal::Failed(_));
    assert!(
        !wanted || !settings.require_gpu && !lost,
        "`{name}` cannot run on the GPU: {refusal}; FORALL_BACKEND=threads runs it on the processor's cores"
    );
    tracing::warn!(kernel = name, reason = %refusal, "runs on the workers instead of the GPU");
}
