//! The fixed tree in which the results of chunks merge.

/// Consecutive chunks, merged into aligned powers of two. The shape depends only on the numbers of the chunks.
///
/// It is a binary counter: pushing a chunk merges two nodes if they are the halves of an aligned block. [`Tree::append`] concatenates the
/// trees of neighbouring ranks, with the same result as one long run.
#[derive(Debug)]
pub(super) struct Tree<C> {
    nodes: Vec<Node<C>>,
}

#[derive(Debug)]
struct Node<C> {
    /// The node covers the chunks `place << level .. (place + 1) << level`.
    place: u64,
    level: u8,
    chunk: C,
}

impl<C> Tree<C> {
    pub fn new() -> Self {
        Tree { nodes: Vec::new() }
    }

    /// Adds the next chunk.
    pub fn push(&mut self, number: usize, chunk: C, merge: &mut impl FnMut(C, C) -> C) {
        self.push_node(Node { place: number as u64, level: 0, chunk }, merge);
    }

    fn push_node(&mut self, mut node: Node<C>, merge: &mut impl FnMut(C, C) -> C) {
        while node.place % 2 == 1
            && self.nodes.last().is_some_and(|last| last.level == node.level && last.place + 1 == node.place)
        {
            let Some(last) = self.nodes.pop() else { break };
            node = Node { place: node.place / 2, level: node.level + 1, chunk: merge(last.chunk, node.chunk) };
        }
        self.nodes.push(node);
    }

    /// Adds the chunks of a later run.
    pub fn append(&mut self, later: Tree<C>, merge: &mut impl FnMut(C, C) -> C) {
        for node in later.nodes {
            self.push_node(node, merge);
        }
    }

    /// Merges all nodes to one, for exact operators.
    pub fn condensed(self, merge: &mut impl FnMut(C, C) -> C) -> Tree<C> {
        let chunk = self.total(merge);
        Tree { nodes: chunk.map(|chunk| Node { place: 0, level: 0, chunk }).into_iter().collect() }
    }

    /// Updates the prefix totals of the nodes after a [`Tree::push`]. Only the last node is new, so most totals are reused. The last one is
    /// [`Tree::total_so_far`].
    pub fn totals(&self, totals: &mut Vec<C>, same: impl Fn(&C) -> C, merge: &mut impl FnMut(C, C) -> C) {
        totals.truncate(self.nodes.len().saturating_sub(1));
        for node in &self.nodes[totals.len()..] {
            let total = match totals.last() {
                Some(before) => merge(same(before), same(&node.chunk)),
                None => same(&node.chunk),
            };
            totals.push(total);
        }
    }

    /// The total of all chunks so far; `same` clones a chunk.
    pub fn total_so_far(&self, same: impl Fn(&C) -> C, merge: &mut impl FnMut(C, C) -> C) -> Option<C> {
        self.nodes.iter().map(|node| same(&node.chunk)).reduce(merge)
    }

    /// Maps the chunks.
    pub fn map(self, mut to: impl FnMut(C) -> C) -> Tree<C> {
        let nodes = self.nodes.into_iter().map(|Node { place, level, chunk }| Node { place, level, chunk: to(chunk) });
        Tree { nodes: nodes.collect() }
    }

    /// Clones the tree; `same` clones a chunk.
    pub fn same(&self, same: impl Fn(&C) -> C) -> Tree<C> {
        let once_more = |node: &Node<C>| Node { place: node.place, level: node.level, chunk: same(&node.chunk) };
        Tree { nodes: self.nodes.iter().map(once_more).collect() }
    }

    /// The total of all chunks.
    pub fn total(self, merge: &mut impl FnMut(C, C) -> C) -> Option<C> {
        self.nodes.into_iter().map(|node| node.chunk).reduce(merge)
    }

    pub fn encode(&self, to: &mut Vec<u8>, mut chunk: impl FnMut(&C, &mut Vec<u8>)) {
        to.extend_from_slice(&(self.nodes.len() as u64).to_le_bytes());
        for node in &self.nodes {
            to.extend_from_slice(&node.place.to_le_bytes());
            to.push(node.level);
            chunk(&node.chunk, to);
        }
    }

    pub fn decode(from: &mut &[u8], mut chunk: impl FnMut(&mut &[u8]) -> C) -> Self {
        fn number(from: &mut &[u8]) -> u64 {
            let (head, rest) = from.split_at(8);
            *from = rest;
            u64::from_le_bytes(head.try_into().unwrap_or([0; 8]))
        }
        let count = number(from);
        let nodes = (0..count)
            .map(|_| {
                let place = number(from);
                let level = from[0];
                *from = &from[1..];
                Node { place, level, chunk: chunk(from) }
            })
            .collect();
        Tree { nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape as text: a merge writes brackets.
    fn merged(earlier: String, later: String) -> String {
        format!("({earlier}{later})")
    }

    fn run(range: std::ops::Range<usize>) -> Tree<String> {
        let mut tree = Tree::new();
        for number in range {
            tree.push(number, format!("{} ", number), &mut merged);
        }
        tree
    }

    #[test]
    fn shape_depends_on_nothing_but_the_number_of_chunks() {
        for count in 0..40 {
            let whole = run(0..count).total(&mut merged);
            for one in 0..=count {
                for two in one..=count {
                    let mut parts = run(0..one);
                    parts.append(run(one..two), &mut merged);
                    parts.append(run(two..count), &mut merged);
                    assert_eq!(parts.total(&mut merged), whole, "cut at {one} and {two} of {count}");
                }
            }
        }
    }

    #[test]
    fn totals_are_those_of_the_whole_tree() {
        for first in 0..20 {
            // As if the totals of earlier ranks were known already.
            let (mut tree, mut totals) = (run(3..3 + first), Vec::new());
            for number in 3 + first..60 {
                tree.push(number, format!("{number} "), &mut merged);
                tree.totals(&mut totals, String::clone, &mut merged);
                assert_eq!(
                    totals.last(),
                    tree.total_so_far(String::clone, &mut merged).as_ref(),
                    "{number} after {first}"
                );
            }
        }
    }

    #[test]
    fn appending_is_associative() {
        let mut later = run(3..5);
        later.append(run(5..11), &mut merged);
        let mut all = run(0..3);
        all.append(later, &mut merged);
        assert_eq!(all.total(&mut merged), run(0..11).total(&mut merged));
    }
}
