//! Ranks under virtual time: when messages arrive on a machine that need not be there.

/// What a machine takes, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// A message on its way, however short.
    pub latency: f64,
    /// A byte of a message.
    pub byte: f64,
    /// A byte on its way into or out of a node, which all ranks of the node share.
    pub injection: f64,
    /// A byte that a rank merges.
    pub merged: f64,
    /// How many ranks a node has, at least one.
    pub ranks_per_node: usize,
}

/// The links of all nodes, and until when they are busy.
///
/// A message waits until the link out of its node is free, and then until the link into the other node is; between ranks of one node it
/// needs neither. Messages are to be sent, and to be let in, in the order of time.
#[derive(Debug, Clone)]
pub struct Sim {
    machine: Machine,
    out: Vec<f64>,
    into: Vec<f64>,
}

/// When a message moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// It has left its rank.
    pub left: f64,
    /// It comes to the other node.
    pub comes: f64,
}

impl Sim {
    /// So many ranks on this machine, at time 0.
    pub fn new(machine: Machine, ranks: usize) -> Sim {
        let nodes = ranks.div_ceil(machine.ranks_per_node.max(1));
        Sim { machine, out: vec![0.0; nodes], into: vec![0.0; nodes] }
    }

    fn node(&self, rank: usize) -> usize {
        rank / self.machine.ranks_per_node.max(1)
    }

    /// A rank sends so many bytes to another.
    pub fn send(&mut self, at: f64, from: usize, to: usize, bytes: f64) -> Sent {
        let Machine { latency, byte, injection, .. } = self.machine;
        if self.node(from) == self.node(to) {
            return Sent { left: at + bytes * byte, comes: at + latency };
        }
        let node = self.node(from);
        let begin = at.max(self.out[node]);
        self.out[node] = begin + bytes * injection;
        Sent { left: begin + bytes * byte.max(injection), comes: begin + latency }
    }

    /// So many bytes come to the node of a rank; returns when the rank has them.
    pub fn let_in(&mut self, comes: f64, from: usize, to: usize, bytes: f64) -> f64 {
        let Machine { byte, injection, .. } = self.machine;
        if self.node(from) == self.node(to) {
            return comes + bytes * byte;
        }
        let node = self.node(to);
        let begin = comes.max(self.into[node]);
        self.into[node] = begin + bytes * injection;
        begin + bytes * byte.max(injection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_node_share_its_links() {
        let machine = Machine { latency: 1.0, byte: 0.5, injection: 1.0, merged: 0.0, ranks_per_node: 2 };
        let mut sim = Sim::new(machine, 6);
        assert_eq!(sim.send(0.0, 0, 1, 10.0), Sent { left: 5.0, comes: 1.0 });
        assert_eq!(sim.send(0.0, 0, 2, 10.0), Sent { left: 10.0, comes: 1.0 });
        assert_eq!(sim.send(0.0, 1, 2, 10.0), Sent { left: 20.0, comes: 11.0 });
        assert_eq!(sim.send(0.0, 4, 3, 10.0), Sent { left: 10.0, comes: 1.0 });
        assert_eq!(sim.let_in(1.0, 0, 1, 10.0), 6.0);
        assert_eq!(sim.let_in(1.0, 0, 2, 10.0), 11.0);
        assert_eq!(sim.let_in(1.0, 4, 3, 10.0), 21.0);
    }
}
