use forall::traverse;

#[traverse]
fn visit(n: u32, out: &mut Vec<u32>) {
    fn visit(n: u32, out: &mut Vec<u32>) {
        out.push(n * 100);
    }
    out.push(n);
    if n > 0 {
        visit(n - 1, out);
    }
}

fn main() {}
