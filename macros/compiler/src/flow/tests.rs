//! Which accesses follow an assignment in the same iteration, and what is read after a loop.

use super::fresh::{sets_each_element, sets_each_item};
use super::{Definitions, Fresh, Graph, Level, Live, all_variables};
use crate::front::lower::Lower;
use crate::ir::{Block, Expr, For, Kind, Local};

fn body(text: &str) -> Block {
    Lower::default().body(&syn::parse_str(&format!("{{ {text} }}")).unwrap())
}

/// The first loop in a body.
fn first_loop(body: &Block) -> &For {
    body.nodes().find_map(|e| if let Kind::For(f) = &e.kind { Some(&**f) } else { None }).unwrap()
}

/// Whether an iteration sets `t` before it reads it, if `t` has no value before.
fn is_set(text: &str) -> bool {
    let body = body(&format!("'all: for i in 0..n {{ {text} }}"));
    Fresh::unset(Local::named("t")).holds(&Graph::of_iteration(first_loop(&body)))
}

/// Whether an iteration sets the contents of the buffer `t` before it reads them.
fn is_filled(text: &str, first: Level) -> bool {
    let body = body(&format!("for i in 0..n {{ {text} }}"));
    let graph = Graph::of_iteration(first_loop(&body));
    let name = Local::named("t");
    let is_length = |e: &Expr| e.is_code("m");
    Fresh::of_buffer(&graph, name, first, &is_length).holds(&graph) || sets_each_element(&graph, name)
}

/// Whether `t` is read after the loop over `i`.
fn is_live(text: &str) -> bool {
    let (body, counter) = (body(text), Local::named("i"));
    let is_over = |e: &&Expr| matches!(&e.kind, Kind::For(f) if f.pattern.binds(counter));
    let Some(Expr { kind: Kind::For(f), .. }) = body.nodes().find(is_over) else { panic!("{text}") };
    let graph = Graph::of_body(&body);
    let of = Fresh::of_buffer(&graph, Local::named("t"), Level::Sized, &|_| false);
    Live { of, returned: false }.after(&graph, f)
}

#[test]
fn set_on_every_path() {
    assert!(is_set("t = x[i]; y[i] = t;"));
    assert!(is_set("t = x[i]; t += 1; f(&mut t);"));
    assert!(is_set("if c { t = 1; } else { t = 2; } g(t);"));
    assert!(!is_set("if c { t = 1; } g(t);"));
    assert!(is_set("if c { t = 1; g(t); }"));
    assert!(is_set("match k { 0 => t = 1, 1 if c => t = 2, _ => { t = 3 } } g(t);"));
    assert!(!is_set("match k { 0 => t = 1, _ => {} } g(t);"));
    assert!(is_set("match k { 0 => t = 1, _ => continue } g(t);"));
    assert!(is_set("match k { 0 => t = 1, _ => panic!() } g(t);"));
    assert!(!is_set("match k { v if { t = v; c } => {}, _ if t > 1 => {}, _ => t = 1 }"));
    assert!(is_set("match k { v if { t = v; c } => g(t), _ => t = 1 } g(t);"));
    assert!(!is_set("match k { 0 => {}, v if { t = v; c } => {}, _ => {} } g(t);"));
    assert!(is_set("let Some(v) = o else { continue }; t = v; g(t);"));
    assert!(!is_set("let Some(v) = o else { g(t); continue }; t = v;"));
    assert!(!is_set("t = t + 1;"));
    assert!(!is_set("t += 1;"));
    assert!(!is_set("c && { t = 1; true }; g(t);"));
    assert!(is_set("({ t = 1; c }) && g(t);"));
    assert!(is_set("(a, t) = e; g(t);"));
    assert!(is_set("[t, _] = e; P { x: t, .. } = g(t);"));
    assert!(!is_set("t.0 = 1; g(t);"));
    assert!(!is_set("t[0] = 1; g(t);"));
    assert!(!is_set("*t = 1; g(t);"));
}

#[test]
fn set_in_loops() {
    assert!(is_set("for j in 0..m { t = j; s += t; }"));
    assert!(!is_set("for j in 0..m { t = j; } g(t);"));
    assert!(!is_set("for j in 0..m { s += t; t = j; }"));
    assert!(is_set("loop { t = 1; if c { break; } } g(t);"));
    assert!(!is_set("loop { if c { break; } t = 1; } g(t);"));
    assert!(!is_set("while c { t = 1; } g(t);"));
    assert!(is_set("while { t = 1; c } { g(t); } g(t);"));
    assert!(is_set("for j in 0..m { if c { continue; } t = j; g(t); }"));
    assert!(!is_set("for j in 0..m { if c { break; } t = j; } g(t);"));
    assert!(is_set("for j in 0..m { if c { continue 'all; } t = j; g(t); }"));
    assert!(!is_set("'b: { if c { break 'b; } t = 1; } g(t);"));
    assert!(is_set("'b: { if c { t = 2; break 'b; } t = 1; } g(t);"));
    assert!(is_set("t = loop { break 1; }; g(t);"));
    assert!(!is_set("let v = h()?; for j in 0..m { g(t); t = v; }"));
}

#[test]
fn closures_and_opaque_code() {
    assert!(is_set("t = 1; let f = |v| v + t; g(f(2));"));
    assert!(!is_set("let f = |v| v + t; t = 1; g(f(2));"));
    assert!(!is_set("let mut f = || t = 1; f(); g(t);"));
    assert!(!is_set("x.iter().for_each(|v| t = *v);"));
    assert!(is_set("t = 1; show!(t);"));
    assert!(!is_set("show!(t); t = 1;"));
    assert!(!is_set("println!(\"{}\", t); t = 1;"));
    assert!(is_set("unsafe { t = f(); } g(t);"));
    assert!(!is_set("let r = &mut t; *r = 1; g(t);"));
    assert!(is_set("let f = || { return 1; }; t = f(); g(t);"));
}

#[test]
fn buffers() {
    use Level::{Sized, Stale};
    assert!(is_filled("t.clear(); t.push(1); f(&mut t);", Stale));
    assert!(is_filled("t.fill(0); f(&mut t);", Sized));
    assert!(!is_filled("t.fill(0); f(&mut t);", Stale));
    assert!(is_filled("t.resize(n, 0); t.fill(0); f(&mut t);", Stale));
    assert!(!is_filled("t.fill(0); t.resize(n, 0); f(&mut t);", Stale));
    assert!(!is_filled("t.resize(n, 0); f(&mut t);", Stale));
    assert!(!is_filled("t.truncate(n); t.fill(0); f(&mut t);", Stale));
    assert!(is_filled("g(t.len()); t.fill(0); g(t[0]);", Sized));
    assert!(!is_filled("t.clear(); g(t.capacity());", Stale));
    assert!(is_filled("for j in 0..m { t[j] = j; } f(&mut t);", Sized));
    assert!(is_filled("for j in 0..m { t[j] = 0; for k in 0..q { t[j] += k; } g(t[j]); } f(&mut t);", Sized));
    assert!(!is_filled("for j in 0..m { t[j] = 0; for k in 0..q { t[k] += 1; } } f(&mut t);", Sized));
    assert!(!is_filled("for j in 1..m { t[j] = j; } f(&mut t);", Sized));
    assert!(is_filled("t[0] = 1; for j in 1..m { t[j] = t[j - 1] + t[0]; } f(&mut t);", Sized));
    assert!(is_filled("t[1] = 1; t[0] = 1; for j in 2..m { t[j] = t[j - 2] + t[j - 1]; } f(&mut t);", Sized));
    assert!(!is_filled("t[0] = 1; for j in 1..m { t[j] = t[j - 2]; } f(&mut t);", Sized));
    assert!(!is_filled("t[0] = 1; for j in (1..m).rev() { t[j] = t[j - 1]; } f(&mut t);", Sized));
    assert!(!is_filled("if c { t[0] = 1; } for j in 1..m { t[j] = j; } f(&mut t);", Sized));
    assert!(!is_filled("for j in 1..m { t[j] = j; } t[0] = 1; g(t[1]);", Stale));
    assert!(is_filled("t[0] = 1; t[2] = t[0]; g(t[2]);", Stale));
    assert!(is_filled("if c { t[0] = 1; } else { t[0] = 2; } t[0] += 1; g(t[0]);", Stale));
    assert!(!is_filled("t[0] = 1; g(t[1]);", Stale));
    assert!(!is_filled("t[0] = 1; g(&t);", Stale));
    assert!(!is_filled("for j in 0..k { t[j] = j; } f(&mut t);", Sized));
    assert!(!is_filled("for j in 0..m { t[j] += j; } f(&mut t);", Sized));
    assert!(!is_filled("for j in 0..m { if c { break; } t[j] = j; } f(&mut t);", Sized));
    assert!(!is_filled("for j in 0..m { if c { continue; } t[j] = j; } f(&mut t);", Sized));
    assert!(is_filled("for j in 0..m { if c { t[j] = 1; } else { t[j] = j; } } f(&mut t);", Sized));
    assert!(!is_filled("if c { for j in 0..m { t[j] = j; } } f(&mut t);", Sized));
    assert!(is_filled("for e in t.iter_mut() { *e = 0; } f(&mut t);", Sized));
    assert!(is_filled("for e in &mut t { *e = 0; *e += 1; } f(&mut t);", Sized));
    assert!(is_filled("for (j, e) in t.iter_mut().enumerate() { *e = j; } f(&mut t);", Sized));
    assert!(!is_filled("for e in t.iter_mut() { *e += 1; } f(&mut t);", Sized));
    assert!(!is_filled("for e in t.iter_mut().skip(1) { *e = 1; } f(&mut t);", Sized));
}

#[test]
fn items_that_are_only_set() {
    let sets = |text: &str| sets_each_item(first_loop(&body(text)));
    assert!(sets("for e in t.iter_mut() { *e = 0; }"));
    assert!(sets("for e in t.iter_mut() { if c { *e = 0; } }"));
    assert!(!sets("for e in t.iter_mut() { g(e); *e = 0; }"));
    assert!(!sets("for e in t.iter() { g(*e); }"));
}

#[test]
fn read_later() {
    assert!(is_live("for i in 0..n { t = i; } g(t);"));
    assert!(!is_live("for i in 0..n { t = i; } t = 1; g(t);"));
    assert!(is_live("for i in 0..n { t = i; } if c { t = 1; } g(t);"));
    assert!(!is_live("for i in 0..n { t = i; } g(u);"));
    assert!(is_live("for i in 0..n { t = i; } t"));
    assert!(is_live("loop { g(t); for i in 0..n { t = i; } }"));
    assert!(!is_live("loop { t = 2; g(t); for i in 0..n { t = i; } }"));
    assert!(is_live("for k in 0..m { if k > 0 { g(t); } for i in 0..n { t = i; } }"));
    assert!(!is_live("for k in 0..m { let t = 0; g(t); for i in 0..n { t = i; } }"));
    assert!(!is_live("for i in 0..n { t.push(i); } t.clear(); t.push(1); g(t);"));
    assert!(!is_live("for i in 0..n { t[0] = i; } t.fill(0); g(t);"));
    assert!(is_live("for i in 0..n { t[0] = i; } t[1] = 0; g(t);"));
    assert!(is_live("for i in 0..n { t = i; } loop { g(t); }"));
    assert!(is_live("for i in 0..n { t = i; } g(t); panic!()"));
    assert!(is_live("for i in 0..n { t = i; } show!(t);"));
}

/// Whether `t` depends on `s`.
fn depends(text: &str) -> bool {
    let (body, from) = (body(text), Local::named("s"));
    Definitions::of(&body).dependent_on([from], &all_variables).contains(&Local::named("t"))
}

#[test]
fn dependences_by_values() {
    assert!(depends("let v = s + 1; t = v;"));
    assert!(depends("t[s] = 1;"));
    assert!(!depends("t[k] = 1; v = s;"));
    assert!(depends("(v, t) = (k, s);"));
    assert!(!depends("(t, v) = (k, s);"));
    assert!(depends("let (a, b) = f(s); t = a;"));
    assert!(depends("for (p, q) in x.iter().zip(&s) { t += q; }"));
    assert!(depends("f(&mut t, s);"));
    assert!(depends("*t.last_mut().unwrap() = s;"));
    assert!(depends("let mut t = v; t.push(s);"));
    assert!(!depends("let t = v; t.show(s);"));
    assert!(depends("show!(t, s);"));
    assert!(depends("let v = match k { 0 => s, _ => 1 }; t = v;"));
    assert!(depends("t = loop { break s; };"));
    assert!(depends("x.iter().fold(s, |a, v| { t = a; v });"));
}

#[test]
fn dependences_through_aliases() {
    assert!(depends("let mut t = 0; let r = &mut t; *r = s;"));
    assert!(depends("let mut t = v; let r = &mut t; r.push(s);"));
    assert!(depends("let mut t = v; let (a, b) = t.split_at_mut(k); a.fill(s);"));
    assert!(depends("let mut t = v; for r in t.iter_mut() { *r = s; }"));
    assert!(depends("let mut t = v; if let Some(r) = t.first_mut() { r.clone_from(s); }"));
    assert!(depends("let mut t = 0; let mut f = |v| t = v; f(s);"));
    assert!(depends("let mut t = 0; let mut f = || t += 1; if s { f(); }"));
    assert!(depends("f(if k { &mut t } else { &mut u }, s);"));
}

#[test]
fn dependences_by_control() {
    assert!(depends("if s { t = 1; }"));
    assert!(depends("if k { v = 1; } else if s { t = 1; }"));
    assert!(depends("match k { v if s > v => {} _ => t = 1 }"));
    assert!(depends("while s { t += 1; }"));
    assert!(depends("for i in 0..s { t += 1; }"));
    assert!(depends("s && { t = 1; true };"));
    assert!(depends("let Some(v) = s else { t = 1; return };"));
    assert!(depends("(0..s).for_each(|_| t += 1);"));
    assert!(depends("if s { continue; } t = 1;"));
    assert!(depends("let v = s?; t = 1;"));
    assert!(depends("'b: { if s { break 'b; } t = 1; }"));
    assert!(!depends("'b: { if s { break 'b; } v = 1; } t = 1;"));
    assert!(depends("for i in 0..n { if s { break; } t = 1; }"));
    assert!(!depends("for i in 0..n { if s { break; } v = 1; } t = 1;"));
    assert!(depends("'a: for i in 0..n { for j in 0..m { if s { continue 'a; } } t = 1; }"));
    assert!(!depends("let f = || { if s { return 1; } 2 }; t = 1;"));
}

/// Whether the accesses to `y` need the variable `t`.
fn needs(text: &str) -> bool {
    let (body, array) = (body(text), Local::named("y"));
    let is_accessed = |e: &Expr| matches!(&e.kind, Kind::Index(of, _) if of.name() == Some(array));
    Definitions::of(&body).needed_for(&is_accessed).variables.contains(&Local::named("t"))
}

#[test]
fn needed_for_accesses() {
    assert!(needs("let v = t; g(y[v]);"));
    assert!(needs("if t { g(y[0]); }"));
    assert!(!needs("let t = y[0]; if k { v = t; }"));
    assert!(needs("let mut v = 0; let r = &mut v; *r = t; g(y[v]);"));
    assert!(needs("if t { continue; } g(y[0]);"));
    assert!(needs("for i in 0..n { if t { break; } g(y[i]); }"));
    assert!(!needs("for i in 0..n { if t { break; } v = i; } g(y[0]);"));
    assert!(needs("let v = x.iter().map(|a| a + t).sum(); g(y[v]);"));
    assert!(needs("let mut v = 0; x.iter().for_each(|a| { v += a; t += 1; }); g(y[v]);"));
}
