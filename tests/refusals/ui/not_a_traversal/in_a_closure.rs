use forall::traverse;

#[traverse]
fn visit(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>) {
    out.push(at);
    children[at].iter().inspect(|&&child| visit(children, child, out)).count();
}

#[traverse]
fn handed(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>) {
    out.push(at);
    let again = handed;
    for &child in &children[at] {
        again(children, child, out);
    }
}

fn main() {}
