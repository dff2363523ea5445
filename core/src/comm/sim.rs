//! Simulation of message times on another machine.

/// The parameters of a machine, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The latency of a message.
    pub latency: f64,
    /// The time for a byte of a message.
    pub byte: f64,
    /// The time for a byte on the link of a node, which all its ranks share.
    pub injection: f64,
    /// The time to merge a byte.
    pub merged: f64,
    /// The number of ranks on a node, at least one.
    pub ranks_per_node: usize,
}

/// The links of all nodes, with the times until which they are busy.
///
/// A message waits for the outgoing link of its node, and then for the incoming link of the other node. Messages inside a node need no
/// link. The calls must be in the order of time.
#[derive(Debug, Clone)]
pub struct Sim {
    machine: Machine,
    out: Vec<f64>,
    into: Vec<f64>,
}

/// The times of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// It has left the sender.
    pub left: f64,
    /// It arrives at the other node.
    pub comes: f64,
}

impl Sim {
    /// A simulation of this number of ranks, at time 0.
    pub fn new(machine: Machine, ranks: usize) -> Sim {
        let nodes = ranks.div_ceil(machine.ranks_per_node.max(1));
        Sim { machine, out: vec![0.0; nodes], into: vec![0.0; nodes] }
    }

    fn node(&self, rank: usize) -> usize {
        rank / self.machine.ranks_per_node.max(1)
    }

    /// A rank sends a message of this size.
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

    /// A message of this size arrives at the node of a rank; returns when the rank has received it.
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
