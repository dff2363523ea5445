//! What a program declares because it mentions it: variables, parameters and items.

/// Variables before the loop: the name, the declaration, what of it is returned, and of which type; nothing where it is not returned.
pub const VARIABLES: &[(&str, &str, &str, &str)] = &[
    ("v", "let mut v = 0_@;", "v", "@"),
    ("a", "let mut a = 1_@;", "a", "@"),
    ("b", "let mut b = 2_@;", "b", "@"),
    ("m", "let mut m = 3_@;", "m", "@"),
    ("c", "let mut c = 0usize;", "c", "usize"),
    ("count8", "let mut count8 = 0u8;", "count8", "u8"),
    ("ok", "let mut ok = true;", "ok", "bool"),
    ("o", "let mut o: Option<@> = None;", "o", "Option<@>"),
    ("buf", "let mut buf = [1_@; 4];", "buf", "[@; 4]"),
    ("counts", "let mut counts = [0u32; 16];", "counts", "[u32; 16]"),
    ("pair", "let mut pair = (0_@, 1_@);", "pair", "(@, @)"),
    ("list", "let mut list: Vec<@> = Vec::new();", "list", "Vec<@>"),
    ("s", "let mut s = String::new();", "s", "String"),
    ("map", "let mut map = std::collections::BTreeMap::new();", "map", "std::collections::BTreeMap<usize, @>"),
    ("set", "let mut set = std::collections::BTreeSet::new();", "set", "std::collections::BTreeSet<usize>"),
    ("deque", "let mut deque = std::collections::VecDeque::new();", "deque", "std::collections::VecDeque<@>"),
    ("tmp", "let mut tmp: Vec<@> = Vec::new();", "", ""),
    ("stat", "let mut stat = Stat { n: 0, sum: 0_@ };", "(stat.n, stat.sum)", "(usize, @)"),
    ("num", "let mut num = Num(1_@);", "num.0", "@"),
    ("mine", "let mut mine: Vec<@> = Vec::new();", "mine.0", "std::vec::Vec<@>"),
    ("same", "let mut same: List = List::new();", "same", "Vec<@>"),
    ("maybe", "let mut maybe = Maybe::None;", "maybe.get()", "Option<@>"),
    ("it", "let mut it = y.iter();", "", ""),
    ("mutex", "let mutex = std::sync::Mutex::new(Default::default());", "mutex.into_inner().unwrap()", "@"),
    ("atomic", "let atomic = std::sync::atomic::AtomicI64::new(0);", "atomic.into_inner()", "i64"),
    ("cell", "let cell = std::cell::Cell::new(0_@);", "cell.get()", "@"),
    ("refcell", "let refcell = std::cell::RefCell::new(0_@);", "refcell.into_inner()", "@"),
    ("once", "let once = std::sync::OnceLock::new();", "once.into_inner()", "Option<i64>"),
    ("rw", "let rw = std::sync::RwLock::new(Vec::new());", "rw.into_inner().unwrap()", "Vec<i64>"),
    ("sender", "let (sender, receiver) = std::sync::mpsc::channel();", "receiver.try_iter().collect()", "Vec<i64>"),
    ("TICKS", "TICKS.store(0, std::sync::atomic::Ordering::Relaxed);", "", ""),
    ("LOCAL", "LOCAL.set(0);", "LOCAL.get()", "i64"),
    ("RAW", "unsafe { RAW = 0; }", "", ""),
    ("n", "let n = x.len();", "", ""),
];

/// Variables that may be declared in the body instead: the name, the declaration, and a value of the type of the elements.
pub const INNER: &[(&str, &str, &str)] = &[
    ("a", "let mut a = x[i];", "a"),
    ("b", "let mut b = x[i] + 1_@;", "b"),
    ("m", "let mut m = x[i] + 2_@;", "m"),
    ("c", "let mut c = i;", "(c as @)"),
    ("o", "let mut o = Some(x[i]);", "o.unwrap_or(3_@)"),
    ("buf", "let mut buf = [x[i], 1_@, x[i], 2_@];", "(buf[0] + buf[1])"),
    ("pair", "let mut pair = (x[i], 1_@);", "pair.0"),
    ("stat", "let mut stat = Stat { n: i, sum: x[i] };", "stat.sum"),
    ("num", "let mut num = Num(x[i]);", "num.0"),
    ("maybe", "let mut maybe = Maybe::Some(x[i]);", "maybe.get().unwrap_or(3_@)"),
    ("list", "let mut list = vec![x[i], 1_@, x[i]];", "(list.first().copied().unwrap_or(2_@) + (list.len() as @))"),
    ("s", "let mut s = String::new();", "(s.len() as @)"),
    ("set", "let mut set = std::collections::BTreeSet::from([i]);", "(set.len() as @)"),
    ("it", "let mut it = x[i..].iter();", "(it.len() as @)"),
    ("cell", "let cell = std::cell::Cell::new(x[i]);", "cell.get()"),
    ("refcell", "let refcell = std::cell::RefCell::new(x[i]);", "*refcell.borrow()"),
];

/// What is done with the value of a variable of the body.
pub const USES: &[&str] = &[
    "v += $r; $p = v;",
    "v += $r; $p = v;",
    "v = v.max($r); $p = v;",
    "v += $r;",
    "$p = $r;",
    "to.push($r);",
    "bins[i % 64] += $r;",
    "if $r > 4_@ { v += e; } $p = v;",
    "if $r > 9_@ { v = 0_@; } v += e; $p = v;",
    "if $r > v { v = $r; }",
];

/// Parameters: the name, the type, and whether an element of it may be read anywhere.
pub const PARAMETERS: &[(&str, &str, bool)] = &[
    ("x", "&[@]", false),
    ("y", "&[@]", true),
    ("short", "&[@]", false),
    ("idx", "&[usize]", false),
    ("on", "&[bool]", false),
    ("wide2", "&[@]", false),
    ("out", "&mut [@]", false),
    ("wide", "&mut [@]", false),
    ("bins", "&mut [@]", false),
    ("to", "&mut Vec<@>", false),
    ("w", "usize", false),
    ("k", "@", false),
];

/// Items: the name that asks for it, and the item. Names of two words are asked for by a piece.
pub const ITEMS: &[(&str, &str)] = &[
    ("put", "macro_rules! put { ($v:ident, $e:expr) => { $v = $e; }; }"),
    ("zero", "macro_rules! zero { ($v:ident) => { $v = 0_@; }; }"),
    ("raise", "macro_rules! raise { ($v:expr) => { $v += 1_@ }; }"),
    ("rebind", "macro_rules! rebind { ($v:ident) => { let $v = $v + 1 as _; }; }"),
    ("bind", "macro_rules! bind { ($v:ident = $e:expr) => { let $v = $e; }; }"),
    ("skip", "macro_rules! skip { ($c:expr) => { if $c { continue; } }; }"),
    ("store", "macro_rules! store { ($v:ident, $i:expr, $e:expr) => { $v[$i] = $e; }; }"),
    ("own assert", "macro_rules! assert { ($c:expr) => { if !$c { continue; } }; }"),
    ("own debug_assert", "macro_rules! debug_assert { ($c:expr) => { if !$c { continue; } }; }"),
    ("own vec", "macro_rules! vec { ($a:expr, $b:expr) => { [$b, $a] }; }"),
    (
        "consts",
        "mod consts { pub const v: @ = 7_@; pub const k: @ = 9_@; pub const i: usize = 0; pub fn max(a: @, b: @) -> @ { a - b } }",
    ),
    ("own max", "fn max(a: @, b: @) -> @ { a - b }"),
    ("own min", "fn min(a: @, b: @) -> @ { b }"),
    ("own swap", "fn swap(a: &mut @, b: &mut @) { *a += *b; }"),
    ("own std", "mod std { pub mod cmp { pub fn max(a: @, b: @) -> @ { a - b } } }"),
    (
        "most",
        "trait Most { fn most(self, other: @) -> @; } impl Most for @ { fn most(self, other: @) -> @ { self - other } }",
    ),
    (
        "bump",
        "trait Bump { fn bump(&mut self) -> @; } impl Bump for @ { fn bump(&mut self) -> @ { *self += 1_@; *self } }",
    ),
    (
        "own first",
        "trait First { fn first(&mut self) -> @; } impl First for @ { fn first(&mut self) -> @ { *self += 2_@; *self } }",
    ),
    (
        "own is_some",
        "trait Is { fn is_some(&mut self) -> bool; } impl Is for @ { fn is_some(&mut self) -> bool { *self += 2_@; true } }",
    ),
    (
        "own total",
        "trait Total { fn total(&mut self, e: @) -> @; } impl Total for usize { fn total(&mut self, e: @) -> @ { *self += 1; e } }",
    ),
    (
        "own count",
        "trait Count { fn count(&mut self) -> @; } impl Count for @ { fn count(&mut self) -> @ { *self += 2_@; *self } }",
    ),
    ("use AddAssign", "use std::ops::AddAssign;"),
    ("helper", "fn helper(v: &mut @, e: @) { *v = *v / (2_@) + e; }"),
    ("helper_list", "fn helper_list(list: &mut Vec<@>, e: @) { list.insert(list.len() / 2, e); }"),
    ("twice", "fn twice(f: &mut dyn FnMut()) { f(); f(); }"),
    ("TICKS", "static TICKS: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);"),
    ("LOCAL", "thread_local! { static LOCAL: std::cell::Cell<i64> = const { std::cell::Cell::new(0) }; }"),
    ("RAW", "static mut RAW: i64 = 0;"),
    (
        "Stat",
        "#[derive(Clone, Copy)] struct Stat { n: usize, sum: @ } impl Stat { fn add(&mut self, e: @) -> @ { self.n += 1; self.sum = e; self.sum } }",
    ),
    ("List", "type List = Vec<@>;"),
    (
        "Maybe",
        "#[derive(Clone, Copy)] enum Maybe { None, Some(@) } impl Maybe { fn or(self, e: @) -> Maybe { Maybe::Some(e) } fn is_none(&mut self) -> bool { let none = matches!(self, Maybe::None); *self = Maybe::None; none } fn get(self) -> Option<@> { match self { Maybe::None => None, Maybe::Some(e) => Some(e) } } }",
    ),
    (
        "Num",
        "#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)] struct Num(@); impl Num { fn max(self, o: Num) -> Num { Num(self.0 - o.0) } fn min(self, o: Num) -> Num { o } fn count(&mut self) -> @ { self.0 += 1_@; self.0 } fn abs(&mut self) -> @ { self.0 += 1_@; self.0 } fn len(&mut self) -> usize { self.0 += 1_@; 3 } fn push(&mut self, e: @) { self.0 = e; } fn get(&mut self) -> @ { self.0 += 1_@; self.0 } fn clone(&mut self) -> Num { self.0 += 1_@; *self } } impl std::ops::Add for Num { type Output = Num; fn add(self, o: Num) -> Num { Num(self.0 - o.0) } } impl std::ops::AddAssign for Num { fn add_assign(&mut self, o: Num) { self.0 = o.0 - self.0; } }",
    ),
    (
        "own Vec",
        "struct Vec<T>(std::vec::Vec<T>); impl<T> Vec<T> { fn new() -> Self { Vec(std::vec::Vec::new()) } fn push(&mut self, e: T) { self.0.insert(0, e); } fn len(&self) -> usize { self.0.len() } }",
    ),
];
