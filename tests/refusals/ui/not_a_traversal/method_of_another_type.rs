// The child's type leads to the node, and has a method of its own with the same name.

use forall::traverse;
use std::ops::Deref;

struct Node {
    value: i64,
    children: Vec<Child>,
}

struct Child(Node);

impl Deref for Child {
    type Target = Node;
    fn deref(&self) -> &Node {
        &self.0
    }
}

impl Child {
    fn walk(&self, out: &mut Vec<i64>) {
        out.push(-self.0.value);
    }
}

impl Node {
    #[traverse]
    fn walk(&self, out: &mut Vec<i64>) {
        out.push(self.value);
        for child in &self.children {
            child.walk(out);
        }
    }
}

fn main() {}
