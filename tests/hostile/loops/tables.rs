//! Finite-state machines whose transitions are in a table, and values that no chunk expects.

mod right {
    mod table {
        const NEXT: [[u8; 4]; 3] = [[0, 1, 0, 2], [1, 0, 2, 1], [2, 2, 0, 1]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { s = NEXT[s as usize][(x[i] % 4) as usize]; out[i] = s; }
        }
    }
    mod flat {
        static NEXT: [usize; 6] = [0, 1, 2, 0, 1, 1];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [usize]) {
            let mut s = 0; for i in 0..x.len() { s = NEXT[2 * s + (x[i] % 2) as usize]; out[i] = s; }
        }
    }
    mod local {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) -> u8 {
            let next = vec![[3u8, 1], [2, 0], [1, 1], [0, 2]]; let mut s = 1; for i in 0..x.len() { out[i] = s; s = next[s as usize][usize::from(x[i] > 100)]; } s
        }
    }
    mod cast {
        const NEXT: [[u8; 2]; 2] = [[0, 1], [1, 0]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0usize; for i in 0..x.len() { s = NEXT[s][(x[i] & 1) as usize] as usize; out[i] = s as u8; }
        }
    }
    mod resets {
        const NEXT: [[u8; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { if x[i] == 0 { s = 0; } else { s = NEXT[s as usize][(x[i] & 1) as usize]; } out[i] = s; }
        }
    }
    mod counts {
        const NEXT: [[u8; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> (usize, u8) {
            let (mut n, mut s) = (0, 0u8); for v in x { if s == 2 { n += 1; } s = NEXT[s as usize][(*v & 1) as usize]; } (n, s)
        }
    }
    mod sentinel {
        const NEXT: [[u8; 2]; 2] = [[0, 1], [1, 9]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { if s != 9 { s = NEXT[s as usize][(x[i] & 1) as usize]; } out[i] = s; }
        }
    }
    mod never_reached {
        const NEXT: [[u8; 2]; 3] = [[0, 1], [1, 0], [7, 7]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { s = NEXT[s as usize][(x[i] & 1) as usize]; out[i] = s; }
        }
    }
    mod many {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let next: Vec<u8> = (0..200u8).map(|i| (i * 7) % 200).collect(); let mut s = 0u8; for i in 0..x.len() { s = next[(s as usize + x[i] as usize) % 200]; out[i] = s; }
        }
    }
    mod given {
        #[forall::distributed_scan]
        fn program(x: &[u8], #[replicated] next: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { s = next[(s as usize + x[i] as usize) % next.len()] % 4; out[i] = s; }
        }
    }
    mod given_too {
        #[forall::distributed_scan]
        fn program(x: &[u8], #[replicated] next: &[u8], out: &mut [u8]) {
            let mut s = 0u8; for i in 0..x.len() { s = next[(s as usize + x[i] as usize) % next.len()]; out[i] = s; }
        }
    }
}
mod refused {
    mod changes {
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut next = [1u8, 2, 0]; let mut s = 0u8; for i in 0..x.len() { s = next[s as usize]; next[0] = x[i] % 3; out[i] = s; }
        }
    }
}
mod right {
    mod unexpected {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let mut c = 0u32; for i in 0..x.len() { c = (c + x[i] % 1000) / 7; out[i] = c; }
        }
    }
    mod unexpected_tuple {
        #[forall::distributed_scan]
        fn program(x: &[u32], out: &mut [u32]) {
            let (mut c, mut on) = (0u32, false); for i in 0..x.len() { c = (c + x[i] % 1000) / 7; on = on != (x[i] % 3 == 0); out[i] = c + u32::from(on); }
        }
    }
    mod enum_state {
        #[derive(Clone, Copy, PartialEq)] enum S { A, B, C } const NEXT: [[S; 2]; 3] = [[S::A, S::B], [S::B, S::C], [S::C, S::A]];
        #[forall::distributed_scan]
        fn program(x: &[u8], out: &mut [u8]) {
            let mut s = S::A; for i in 0..x.len() { s = NEXT[s as usize][(x[i] & 1) as usize]; out[i] = s as u8; }
        }
    }
}
