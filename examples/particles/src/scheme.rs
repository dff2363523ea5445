//! Runge-Kutta schemes: where the stages of a step look up the velocity, and where the step ends.

use crate::particle::Particle;
use crate::stepping::Stepping;

/// A velocity, or a place.
pub type Vector = [f64; 3];

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The particle has moved, and the next step begins.
    Moved,
    /// The error is too large: the step is taken again, with another length.
    Rejected,
    /// The step has become so short that it moves nothing.
    Stuck,
}

/// An explicit scheme. A step of length `h` from `x` looks up the velocity `k[i]` at `x + h * sum(a[i][j] * k[j])`.
pub(crate) trait Scheme {
    /// The number of lookups of a step.
    const STAGES: usize;

    /// The times of the stages, as parts of the step.
    const NODES: [f64; 7];

    /// The mean velocity from the begin of the step to the place of a stage.
    fn towards(stage: usize, k: &[Vector; 7]) -> Vector;

    /// Ends a step: all stages have their velocities. `wrapped` brings a place back into a periodic domain.
    fn end(particle: &mut Particle, stepping: &Stepping, wrapped: impl Fn(Vector) -> Vector) -> Taken;
}

/// `x + h * v`.
#[inline(always)]
pub(crate) fn moved(x: Vector, h: f64, v: Vector) -> Vector {
    [x[0] + h * v[0], x[1] + h * v[1], x[2] + h * v[2]]
}

/// The sum of `weights[j] * k[j]`, in the order of the stages.
#[inline(always)]
fn weighted<const N: usize>(weights: [f64; N], k: &[Vector; 7]) -> Vector {
    let mut sum = [0.0; 3];
    for (weight, k) in weights.into_iter().zip(k) {
        for axis in 0..3 {
            sum[axis] += weight * k[axis];
        }
    }
    sum
}

/// The classical scheme of the 4th order, with steps of one length.
pub(crate) struct RungeKutta4;

impl Scheme for RungeKutta4 {
    const STAGES: usize = 4;
    const NODES: [f64; 7] = [0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0];

    #[inline(always)]
    fn towards(stage: usize, k: &[Vector; 7]) -> Vector {
        match stage {
            1 => k[0].map(|v| 0.5 * v),
            2 => k[1].map(|v| 0.5 * v),
            _ => k[2],
        }
    }

    #[inline(always)]
    fn end(particle: &mut Particle, _: &Stepping, wrapped: impl Fn(Vector) -> Vector) -> Taken {
        let k = &particle.slopes;
        let mean = [0, 1, 2].map(|axis| (k[0][axis] + 2.0 * (k[1][axis] + k[2][axis]) + k[3][axis]) / 6.0);
        particle.at = wrapped(moved(particle.at, particle.step, mean));
        particle.time += particle.step;
        particle.stage = 0;
        Taken::Moved
    }
}

/// The pair of orders 5 and 4 of Dormand and Prince ("A family of embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6, 1980). The step ends
/// at the result of the 5th order, and the difference of the two results controls its length. The last stage is the first one of the next step.
pub(crate) struct DormandPrince;

impl Scheme for DormandPrince {
    const STAGES: usize = 7;
    const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

    #[inline(always)]
    fn towards(stage: usize, k: &[Vector; 7]) -> Vector {
        match stage {
            1 => weighted([1.0 / 5.0], k),
            2 => weighted([3.0 / 40.0, 9.0 / 40.0], k),
            3 => weighted([44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0], k),
            4 => weighted([19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0], k),
            5 => weighted([9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0], k),
            _ => weighted([35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0], k),
        }
    }

    fn end(particle: &mut Particle, stepping: &Stepping, wrapped: impl Fn(Vector) -> Vector) -> Taken {
        const DIFFERENCE: [f64; 7] =
            [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];
        let h = particle.step;
        let errors = weighted(DIFFERENCE, &particle.slopes).map(|v| (h * v).abs());
        let error = errors[0].max(errors[1]).max(errors[2]) / stepping.tolerance();
        // The usual control, with a margin: an error of the 5th order in the length of the step.
        let factor = if error > 0.0 { (0.9 * error.powf(-0.2)).clamp(0.2, 5.0) } else { 5.0 };
        particle.step = h * factor;
        particle.stage = 1;
        if error <= 1.0 {
            particle.at = wrapped(moved(particle.at, h, Self::towards(6, &particle.slopes)));
            particle.time += h;
            particle.slopes[0] = particle.slopes[6];
            return Taken::Moved;
        }
        particle.rejected += 1;
        if particle.step.abs() > stepping.least() { Taken::Rejected } else { Taken::Stuck }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weights of each stage add up to its time.
    #[test]
    fn tableaus_are_consistent() {
        fn check<S: Scheme>() {
            let ones = [[1.0; 3]; 7];
            for stage in 1..S::STAGES {
                let [sum, ..] = S::towards(stage, &ones);
                assert!((sum - S::NODES[stage]).abs() < 1e-14, "stage {stage}: {sum}");
            }
        }
        check::<RungeKutta4>();
        check::<DormandPrince>();
    }
}
