//! RAJAPerf's group "Apps".

use crate::support::*;
use forall::{foreach, kary_reduce};

/// Divergence of a velocity over the real zones, which a list names.
#[foreach]
fn del_dot_vec_2d(
    #[gather] x: &[f64],
    #[gather] y: &[f64],
    #[gather] xdot: &[f64],
    #[gather] ydot: &[f64],
    div: &mut [f64],
    real_zones: &[usize],
    jp: usize,
) {
    let ptiny = 1.0e-20;
    let half = 0.5;
    for ii in 0..real_zones.len() {
        let i = real_zones[ii];
        let (x1, x2, x3, x4) = (x[i + 1], x[i + 1 + jp], x[i + jp], x[i]);
        let (y1, y2, y3, y4) = (y[i + 1], y[i + 1 + jp], y[i + jp], y[i]);
        let (fx1, fx2, fx3, fx4) = (xdot[i + 1], xdot[i + 1 + jp], xdot[i + jp], xdot[i]);
        let (fy1, fy2, fy3, fy4) = (ydot[i + 1], ydot[i + 1 + jp], ydot[i + jp], ydot[i]);

        let xi = half * (x1 + x2 - x3 - x4);
        let xj = half * (x2 + x3 - x4 - x1);
        let yi = half * (y1 + y2 - y3 - y4);
        let yj = half * (y2 + y3 - y4 - y1);
        let fxi = half * (fx1 + fx2 - fx3 - fx4);
        let fxj = half * (fx2 + fx3 - fx4 - fx1);
        let fyi = half * (fy1 + fy2 - fy3 - fy4);
        let fyj = half * (fy2 + fy3 - fy4 - fy1);

        let rarea = 1.0 / (xi * yj - xj * yi + ptiny);
        let dfxdx = rarea * (fxi * yj - fxj * yi);
        let dfydy = rarea * (fyj * xi - fyi * xj);
        let affine = (fy1 + fy2 + fy3 + fy4) / (y1 + y2 + y3 + y4 + 20.0);
        div[ii] = dfxdx + dfydy + affine;
    }
}

/// The energy kernel, shortened: loops that follow each other over the same arrays, with branches.
#[foreach]
fn energy(
    e_new: &mut [f64],
    q_new: &mut [f64],
    e_old: &[f64],
    delvc: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    work: &[f64],
    rho0: f64,
    e_cut: f64,
    emin: f64,
) {
    for i in 0..e_new.len() {
        e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i];
    }
    for i in 0..e_new.len() {
        if delvc[i] > 0.0 {
            q_new[i] = 0.0;
        } else {
            let vhalf = 1.0 / (1.0 + 0.5 * delvc[i]);
            let mut ssc = (e_new[i] + vhalf * vhalf * p_old[i]) / rho0;
            if ssc <= 0.1111111e-36 {
                ssc = 0.3333333e-18;
            } else {
                ssc = ssc.sqrt();
            }
            q_new[i] = ssc * q_old[i];
        }
    }
    for i in 0..e_new.len() {
        e_new[i] = e_new[i] + 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * q_new[i]);
        if e_new[i].abs() < e_cut {
            e_new[i] = 0.0;
        }
        if e_new[i] < emin {
            e_new[i] = emin;
        }
    }
}

const COEFFLEN: usize = 16;

#[foreach]
fn fir(input: &[f64], out: &mut [f64], coeff: &[f64; COEFFLEN]) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for j in 0..COEFFLEN {
            sum += coeff[j] * input[i + j];
        }
        out[i] = sum;
    }
}

/// Angular moments: four loops over linearised arrays, the outermost over zones.
#[foreach]
fn ltimes(
    phi: &mut [f64],
    #[replicated] ell: &[f64],
    psi: &[f64],
    num_z: usize,
    num_g: usize,
    num_m: usize,
    num_d: usize,
) {
    for z in 0..num_z {
        for g in 0..num_g {
            for m in 0..num_m {
                for d in 0..num_d {
                    phi[m + g * num_m + z * num_m * num_g] +=
                        ell[d + m * num_d] * psi[d + g * num_d + z * num_d * num_g];
                }
            }
        }
    }
}

#[foreach]
fn pressure(
    bvc: &mut [f64],
    p_new: &mut [f64],
    compression: &[f64],
    e_old: &[f64],
    vnewc: &[f64],
    cls: f64,
    pmin: f64,
    p_cut: f64,
    eosvmax: f64,
) {
    for i in 0..bvc.len() {
        bvc[i] = cls * (compression[i] + 1.0);
    }
    for i in 0..bvc.len() {
        p_new[i] = bvc[i] * e_old[i];
        if p_new[i].abs() < p_cut {
            p_new[i] = 0.0;
        }
        if vnewc[i] >= eosvmax {
            p_new[i] = 0.0;
        }
        if p_new[i] < pmin {
            p_new[i] = pmin;
        }
    }
}

/// Volumes of hexahedra whose nodes lie on a bent grid.
#[foreach]
fn vol3d(x: &[f64], y: &[f64], z: &[f64], vol: &mut [f64], jp: usize, kp: usize) {
    let vnormq = 0.083333333333333333;
    for i in 0..vol.len() {
        let (x0, x1, x2, x3) = (x[i], x[i + 1], x[i + jp], x[i + 1 + jp]);
        let (x4, x5, x6, x7) = (x[i + kp], x[i + 1 + kp], x[i + jp + kp], x[i + 1 + jp + kp]);
        let (y0, y1, y2, y3) = (y[i], y[i + 1], y[i + jp], y[i + 1 + jp]);
        let (y4, y5, y6, y7) = (y[i + kp], y[i + 1 + kp], y[i + jp + kp], y[i + 1 + jp + kp]);
        let (z0, z1, z2, z3) = (z[i], z[i + 1], z[i + jp], z[i + 1 + jp]);
        let (z4, z5, z6, z7) = (z[i + kp], z[i + 1 + kp], z[i + jp + kp], z[i + 1 + jp + kp]);
        let triple = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        let far = [x7 - x0, y7 - y0, z7 - z0];
        let mut sum = triple(far, [x1 - x2, y1 - y2, z1 - z2], [x3 - x0, y3 - y0, z3 - z0]);
        sum += triple(far, [x4 - x1, y4 - y1, z4 - z1], [x5 - x0, y5 - y0, z5 - z0]);
        sum += triple(far, [x2 - x4, y2 - y4, z2 - z4], [x6 - x0, y6 - y0, z6 - z0]);
        vol[i] = vnormq * sum;
    }
}

/// The mean of the nodes around each zone, on a grid with one node more than zones on each axis.
#[foreach]
fn zonal_accumulation_3d(x: &[f64], vol: &mut [f64], nx: usize, ny: usize, nz: usize) {
    let (px, py) = (nx + 1, ny + 1);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let n0 = i + px * (j + py * k);
                let corners = x[n0] + x[n0 + 1] + x[n0 + px] + x[n0 + px + 1];
                let n4 = n0 + px * py;
                vol[i + nx * (j + ny * k)] = 0.125 * (corners + x[n4] + x[n4 + 1] + x[n4 + px] + x[n4 + px + 1]);
            }
        }
    }
}

/// Each zone adds an eighth of its volume to its nodes: a histogram over nodes.
#[kary_reduce]
fn nodal_accumulation(vol: &[f64], node_of: &[u32], nodes: usize) -> Vec<f64> {
    let mut x = vec![0.0; nodes];
    for zone in 0..vol.len() {
        let val = 0.125 * vol[zone];
        for corner in 0..8 {
            x[node_of[zone * 8 + corner] as usize] += val;
        }
    }
    x
}

/// Seven-point matrix times vector, with the matrix's diagonals as arrays.
#[foreach]
fn matvec_3d_stencil(b: &mut [f64], x: &[f64], diag: &[f64], off: &[f64; 3], nx: usize, ny: usize, nz: usize) {
    let plane = nx * ny;
    for iz in 1..nz - 1 {
        for iy in 1..ny - 1 {
            for ix in 1..nx - 1 {
                let at = iz * plane + iy * nx + ix;
                b[at] = diag[at] * x[at]
                    + off[0] * (x[at - 1] + x[at + 1])
                    + off[1] * (x[at - nx] + x[at + nx])
                    + off[2] * (x[at - plane] + x[at + plane]);
            }
        }
    }
}

/// Packs what a neighbour needs into a buffer.
#[foreach]
fn halo_pack(buffer: &mut [f64], list: &[usize], #[gather] var: &[f64]) {
    for i in 0..list.len() {
        buffer[i] = var[list[i]];
    }
}

/// The largest stable time step of a gas.
#[kary_reduce]
fn time_step(density: &[f64], pressure: &[f64], velocity: &[f64], dx: f64) -> f64 {
    let gamma = 1.4;
    let mut dt = f64::INFINITY;
    for i in 0..density.len() {
        let sound = (gamma * pressure[i] / density[i]).sqrt();
        let limit = dx / (sound + velocity[i].abs());
        if limit < dt {
            dt = limit;
        }
    }
    dt
}

cases! {
    del_dot_vec_2d(n) {
        let jp = square(n) + 2;
        let nodes = jp * jp;
        let (x, y, xdot, ydot) = (reals(nodes, 1), reals(nodes, 2), reals(nodes, 3), reals(nodes, 4));
        let real_zones: Vec<usize> =
            (0..jp - 1).flat_map(|row| (0..jp - 1).map(move |col| row * jp + col)).filter(|z| z % 3 != 1).collect();
        let div = vec![0.0; real_zones.len()];
        check!(del_dot_vec_2d(&x, &y, &xdot, &ydot, &mut div, &real_zones, jp);
            shares x, y, xdot, ydot, real_zones; writes div);
    }
    energy(n) {
        let (e_new, q_new, e_old) = (vec![0.0; n], vec![0.0; n], positives(n, 1));
        let (delvc, p_old, q_old, work) = (reals(n, 2), positives(n, 3), positives(n, 4), reals(n, 5));
        check!(energy(&mut e_new, &mut q_new, &e_old, &delvc, &p_old, &q_old, &work, 1.5, 0.1, -0.5);
            shares e_old, delvc, p_old, q_old, work; writes e_new, q_new);
    }
    fir(n) {
        let (input, out) = (reals(n + COEFFLEN - 1, 1), vec![0.0; n]);
        let mut coeff = [3.0; COEFFLEN];
        coeff[1] = -1.0;
        coeff[5] = -2.0;
        check!(fir(&input, &mut out, &coeff); shares input; writes out);
    }
    ltimes(n) {
        let (num_g, num_m, num_d) = (3, 4, 5);
        let num_z = n / 20;
        let (phi, ell, psi) =
            (reals(num_m * num_g * num_z, 1), reals(num_d * num_m, 2), reals(num_d * num_g * num_z, 3));
        check!(ltimes(&mut phi, &ell, &psi, num_z, num_g, num_m, num_d); shares psi; writes phi);
    }
    pressure(n) {
        let (bvc, p_new) = (vec![0.0; n], vec![0.0; n]);
        let (compression, e_old, vnewc) = (reals(n, 1), reals(n, 2), positives(n, 3));
        check!(pressure(&mut bvc, &mut p_new, &compression, &e_old, &vnewc, 0.7, -0.5, 0.01, 1.0);
            shares compression, e_old, vnewc; writes bvc, p_new);
    }
    vol3d(n) {
        let jp = cube(n) + 2;
        let kp = jp * jp;
        let (x, y, z) = (reals(n + jp + kp + 2, 1), reals(n + jp + kp + 2, 2), reals(n + jp + kp + 2, 3));
        let vol = vec![0.0; n];
        check!(vol3d(&x, &y, &z, &mut vol, jp, kp); shares x, y, z; writes vol);
    }
    zonal_accumulation_3d(n) {
        let side = cube(n);
        let (nx, ny, nz) = (side, side + 1, side + 3);
        let (x, vol) = (reals((nx + 1) * (ny + 1) * (nz + 1), 1), vec![0.0; nx * ny * nz]);
        check!(zonal_accumulation_3d(&x, &mut vol, nx, ny, nz); shares x; writes vol);
    }
    nodal_accumulation(n) {
        let nodes = n / 4 + 1;
        let (vol, node_of) = (reals(n, 1), naturals(n * 8, 2, nodes));
        check!(nodal_accumulation(&vol, &node_of, nodes) within 1e-11; shares vol, node_of);
    }
    matvec_3d_stencil(n) {
        let side = cube(n).max(2);
        let (nx, ny, nz) = (side, side + 1, side + 2);
        let (b, x, diag) = (vec![0.0; nx * ny * nz], reals(nx * ny * nz, 1), reals(nx * ny * nz, 2));
        check!(matvec_3d_stencil(&mut b, &x, &diag, &[-0.5, -0.25, -0.125], nx, ny, nz); shares x, diag; writes b);
    }
    halo_pack(n) {
        let (buffer, list, var) = (vec![0.0; n / 3], indices(n / 3, 1, n), reals(n, 2));
        check!(halo_pack(&mut buffer, &list, &var); shares list, var; writes buffer);
    }
    time_step(n) {
        let (density, pressure, velocity) = (positives(n, 1), positives(n, 2), reals(n, 3));
        check!(time_step(&density, &pressure, &velocity, 0.01); shares density, pressure, velocity);
    }
}
