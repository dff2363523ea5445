// Included in a module that has the functions that are called.

/// Passes slices in all forms from which Rust makes a slice.
pub fn calls() -> Vec<f64> {
    let mut found = read();
    found.extend(written());
    found.extend(as_values());
    found
}

/// A type of the program that dereferences to a slice.
pub struct Field {
    values: Vec<f64>,
}

impl std::ops::Deref for Field {
    type Target = Vec<f64>;

    fn deref(&self) -> &Vec<f64> {
        &self.values
    }
}

impl std::ops::DerefMut for Field {
    fn deref_mut(&mut self) -> &mut Vec<f64> {
        &mut self.values
    }
}

impl forall::SharePointer for Field {}

fn read() -> Vec<f64> {
    use std::borrow::Cow;
    use std::cell::RefCell;
    use std::mem::ManuallyDrop;
    use std::panic::AssertUnwindSafe;
    use std::pin::Pin;
    use std::rc::Rc;
    use std::sync::{Arc, LazyLock, Mutex, RwLock};

    static CONSTANTS: LazyLock<Vec<f64>> = LazyLock::new(|| vec![20.0, 0.5]);
    let x = vec![1.0, 2.0, 3.0];
    let cell = RefCell::new(x.clone());
    let (mutex, lock) = (Mutex::new(x.clone()), RwLock::new(vec![4.0, 5.0]));
    let mut guard = mutex.lock().unwrap();
    let mut twice = x.clone();
    let vectors = [x.clone(), vec![7.0]];
    let mut found = vec![
        sum(&x),
        sum(&&x),
        sum(&&mut twice),
        sum(&mut twice),
        sum(&x[1..]),
        sum(&[1.0, 2.0]),
        sum(&[]),
        sum(&vec![1.0; 5]),
        sum(&Vec::new()),
        sum(x.as_slice()),
        sum(&(0..4).map(f64::from).collect::<Vec<_>>()),
        sum(&vectors[1]),
        sum(&Arc::new(x.clone())),
        sum(&Arc::<[f64]>::from(x.clone())),
        sum(&Rc::new(x.clone())),
        sum(&Rc::<[f64]>::from(x.clone())),
        sum(&x.clone().into_boxed_slice()),
        sum(&Box::new(x.clone())),
        sum(&Box::new(Arc::new(x.clone()))),
        sum(&Cow::Borrowed(&x[..])),
        sum(&Cow::<[f64]>::Owned(x.clone())),
        sum(&Cow::Borrowed(&x)),
        sum(&guard),
        sum(&mut guard),
        sum(&ManuallyDrop::new(x.clone())),
        sum(&AssertUnwindSafe(x.clone())),
        sum(&Pin::new(&x)),
        sum(&CONSTANTS),
    ];
    found.push(sum(&cell.borrow()));
    found.push(sum(&cell.borrow_mut()));
    found.push(sum(&lock.write().unwrap()));
    found.push(sum(&lock.read().unwrap()));
    found.extend(vectors.iter().map(|x| sum(x)));
    found
}

fn written() -> Vec<f64> {
    use std::cell::RefCell;
    use std::sync::{Mutex, RwLock};

    let x = std::sync::Arc::new(vec![1.0, 2.0, 3.0]);
    let (mut a, mut b, mut c) = (vec![0.0; 3], [0.0; 3], vec![0.0; 3].into_boxed_slice());
    double(&x, &mut a);
    double(&x, &mut b);
    double(&x, &mut c);
    double(&x, &mut &mut a);
    let (mutex, lock, cell) = (Mutex::new(a.clone()), RwLock::new(b.to_vec()), RefCell::new(c.clone()));
    let mut guard = mutex.lock().unwrap();
    double(&a, &mut guard);
    copy(&x, &mut a);
    copy::<f64>(&guard, &mut a);
    double(&a, &mut lock.write().unwrap());
    double(&a, &mut cell.borrow_mut());
    double(&a, &mut Box::new(vec![0.0; 3]));
    let mut field = Field { values: vec![0.0; 3] };
    double(&x, &mut field);
    double(&field, &mut a);
    let mut rows = vec![vec![0.0; 3]; 2];
    for row in &mut rows {
        double(&x, row);
    }
    for row in rows.iter_mut() {
        copy(&[9_u8, 8], &mut [0, 0]);
        double(&x, &mut row[..]);
    }
    let found = [&a[..], &b, &c, &guard, &lock.read().unwrap(), &cell.borrow(), &rows[1]];
    found.concat()
}

/// Passes the functions themselves.
fn as_values() -> [f64; 3] {
    fn call(f: impl Fn(&[f64], &mut [f64]), x: &[f64]) -> f64 {
        let mut out = vec![0.0; x.len()];
        f(x, &mut out);
        out[0]
    }
    let pointer: fn(&[f64]) -> f64 = sum;
    let boxed: Box<dyn Fn(&[f64], &mut [f64])> = Box::new(double);
    [call(double, &[3.0]), pointer(&[1.0, 2.0]), call(boxed, &[4.0])]
}
