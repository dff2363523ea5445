//! Tasks on objects.

use super::*;

const HEAT: &str = "
    #[foreach] fn heat(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
        for tile in next.tiles([32, 32]) {
            let [rows, columns] = tile.inside([1, 1]);
            for y in rows { for x in columns.clone() { BODY } }
        }
    }";

fn heat(body: &str) -> String {
    HEAT.replace("BODY", body)
}

#[test]
fn elements_of_a_task_are_positions() {
    let text = wgsl(&heat("next[[y, x]] = 0.5 * (now[[y, x - 1]] + now[[y + 1, x]]);"));
    // Only an index that is not proved, or an overflow, raises something.
    assert!(text.contains("fa_in_box") && !text.contains("fa_at("), "{text}");
    for operation in ["add", "sub", "mul", "div", "rem"] {
        assert!(!text.contains(&format!("fa_{operation}_usize")), "{operation}: {text}");
    }
    let plain = "#[foreach] fn f(a: &Object<u32, 1>, b: &mut Object<u32, 1>) { for i in 0..b.len() { b[[i]] = a[[a[[i]] as usize]]; } }";
    let text = wgsl(plain);
    assert!(text.contains("fa_at("), "an index that the data choose is checked: {text}");
}

#[test]
fn loops_whose_elements_depend_on_each_other_stay_on_the_host() {
    let reasons = [
        ("if now[[y, x]] < 0.0 { break; } next[[y, x]] = now[[y, x]];", "ends early"),
        ("println!(\"{y}\"); next[[y, x]] = now[[y, x]];", "println"),
    ];
    for (body, reason) in reasons {
        let what = obstacles(&heat(body)).join("; ");
        assert!(what.contains(reason), "{body}: {what}");
    }
    let buffer = "#[foreach] fn f(a: &Object<u32, 1>, b: &mut Object<u32, 1>) { let mut v = Vec::new(); for tile in b.tiles([9]) { for i in tile.indices() { v.clear(); v.push(a[[i]]); b[[i]] = v[0]; } } }";
    assert!(obstacles(buffer).join("; ").contains("the length of the buffer `v` is not known"));
    let carried =
        heat("t = 0.5 * t + now[[y, x]]; next[[y, x]] = t;").replace("for y in rows", "let mut t = 0.0; for y in rows");
    assert!(obstacles(&carried).join("; ").contains("changes `t`, a variable of the task"));
}

#[test]
fn results_of_tasks_are_merged() {
    let sum = "#[kary_reduce] fn sum(a: &Object<f32, 1>) -> f32 { let mut s = 0.0; for tile in a.tiles([9]) { for i in tile.indices() { s += a[[i]]; } } s }";
    let text = wgsl(sum);
    assert!(text.contains("fn fa_merge"), "{text}");
}

/// A task on tiles of `b`.
fn task(body: &str) -> String {
    let all = "for y in tile.rows() { for x in tile.columns() {";
    let body = body.replace("ALL", all).replace("END", "} }");
    format!(
        "#[foreach] fn f(a: &Object<f64, 2>, b: &mut Object<f64, 2>) {{ for tile in b.tiles([8, 8]) {{ {body} }} }}"
    )
}

#[test]
fn loops_that_follow_each_other_are_several_launches() {
    let right = [
        "ALL b[[y, x]] = a[[y, x]]; END ALL b[[y, x]] += 1.0; END",
        "let mut k = 1.0; k *= 2.0; ALL b[[y, x]] = k; END k += 1.0; ALL b[[y, x]] += k; END",
        "let corner = a[[0, 0]]; ALL b[[y, x]] = a[[y, x]]; END ALL b[[y, x]] += corner; END",
        "if tile.number() == 0 { ALL b[[y, x]] = 0.0; END } for k in 0..3 { ALL b[[y, x]] += 1.0; END }",
    ];
    for body in right {
        let text = wgsl(&task(body));
        assert!(text.contains("fn fa_iteration"), "{text}");
    }
}

#[test]
fn launches_that_would_give_other_results_stay_on_the_host() {
    let reasons = [
        // The first loop changes the constant.
        (
            "let c = b[[tile.rows().start, tile.columns().start]]; ALL b[[y, x]] = a[[y, x]]; END ALL b[[y, x]] += c; END",
            "several indices",
        ),
        // An element depends on its neighbour.
        (
            "ALL b[[y, x]] = 2.0; END for y in tile.rows() { for x in tile.columns().start + 1..tile.columns().end { b[[y, x]] += b[[y, x - 1]]; } }",
            "a statement between the loops of a task accesses an object",
        ),
        (
            "ALL b[[y, x]] = 2.0; END b[[tile.rows().start, tile.columns().start]] = 1.0;",
            "a statement between the loops of a task accesses an object",
        ),
        ("let mut s = 0.0; ALL s += b[[y, x]]; END ALL b[[y, x]] -= s; END", "changes `s`, a variable of the task"),
        (
            "for k in 0..3 { let f = k as f64; ALL b[[y, x]] += f; END } ALL b[[y, x]] += 1.0; END",
            "uses a variable that another one does not have",
        ),
    ];
    for (body, reason) in reasons {
        let what = obstacles(&task(body)).join("; ");
        assert!(what.contains(reason), "{body}: {what}");
    }
}
