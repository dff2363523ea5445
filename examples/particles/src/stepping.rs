//! How long steps are.

/// How long steps are: all equally long, or as long as the error allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stepping {
    /// The classical Runge-Kutta scheme of the 4th order.
    Fixed {
        /// The length of all steps, in units of time. Negative steps go against the flow.
        step: f64,
    },
    /// The scheme of orders 5 and 4 of Dormand and Prince.
    Adaptive {
        /// The length of the first step.
        step: f64,
        /// The greatest error of a step along an axis, in units of length.
        tolerance: f64,
    },
}

impl Stepping {
    /// The length of the first step.
    pub fn first(&self) -> f64 {
        match self {
            Stepping::Fixed { step } | Stepping::Adaptive { step, .. } => *step,
        }
    }

    /// The greatest error of a step.
    pub(crate) fn tolerance(&self) -> f64 {
        match self {
            Stepping::Fixed { .. } => f64::INFINITY,
            Stepping::Adaptive { tolerance, .. } => *tolerance,
        }
    }

    /// A particle whose steps become shorter is stuck.
    pub(crate) fn least(&self) -> f64 {
        1e-12 * self.first().abs()
    }
}
