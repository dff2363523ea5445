// FA010: the mistake is in a function that a macro made; the error must still name both accesses.

use forall::foreach;

macro_rules! make {
    ($name:ident, $array:ident) => {
        #[foreach]
        fn $name($array: &mut [f64]) {
            for i in 1..$array.len() {
                $array[i] = $array[i - 1].sqrt();
            }
        }
    };
}

make!(chain, a);

fn main() {}
