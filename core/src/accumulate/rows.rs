//! Vectors of vectors, to which iterations push: `cells[c].push(i)`.

/// Vectors of vectors, `DEPTH` levels above the vectors with the elements.
#[diagnostic::on_unimplemented(
    message = "FA033: forall cannot merge values of the type `{Self}`, to whose parts the loop pushes",
    note = "use a vector or an array of vectors, or name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Rows<const DEPTH: usize> {
    /// The same rows without elements.
    #[must_use]
    fn without_elements(&self) -> Self;
    /// Appends the elements of rows of the same shape.
    fn append_rows(&mut self, later: Self);
}

impl<T> Rows<0> for Vec<T> {
    fn without_elements(&self) -> Self {
        Vec::new()
    }
    fn append_rows(&mut self, mut later: Self) {
        if self.is_empty() {
            *self = later;
        } else {
            self.append(&mut later);
        }
    }
}

macro_rules! rows_of_rows {
    ($($depth:literal of $below:literal),*) => {$(
        impl<R: Rows<$below>> Rows<$depth> for Vec<R> {
            fn without_elements(&self) -> Self {
                self.iter().map(R::without_elements).collect()
            }
            fn append_rows(&mut self, later: Self) {
                self.iter_mut().zip(later).for_each(|(row, later)| row.append_rows(later));
            }
        }

        impl<R: Rows<$below>, const N: usize> Rows<$depth> for [R; N] {
            fn without_elements(&self) -> Self {
                self.each_ref().map(R::without_elements)
            }
            fn append_rows(&mut self, later: Self) {
                self.iter_mut().zip(later).for_each(|(row, later)| row.append_rows(later));
            }
        }
    )*};
}
rows_of_rows!(1 of 0, 2 of 1, 3 of 2);

/// The functions that create rows of the shape of these and that merge two of them.
pub fn rows<const DEPTH: usize, S: Rows<DEPTH>>(rows: &S) -> (impl Fn() -> S + use<DEPTH, S>, fn(&mut S, S)) {
    let shape = rows.without_elements();
    (move || shape.without_elements(), S::append_rows)
}
