//! Checkpoints: what any number of ranks saves, any other number loads, and a damaged file is an error on all ranks.

use forall::blocks::{Blocks, Link};
use forall::checkpoint::{self, CheckpointError, Same, checkpoint, restart};
use forall::{DistVec, Object, Runtime, Settings, foreach};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

const RANKS: [usize; 5] = [1, 2, 3, 4, 7];

fn runtime(ranks: usize, blocks: Option<usize>) -> forall::Builder {
    let settings = Settings { blocks: blocks.and_then(NonZeroUsize::new), ..Settings::default() };
    Runtime::builder().settings(settings).ranks(ranks).threads(1)
}

/// Runs a program on ranks, which all have the same result.
fn on<R: Send + PartialEq + std::fmt::Debug>(ranks: usize, program: impl Fn() -> R + Sync) -> R {
    let mut results = runtime(ranks, None).run(program);
    let last = results.pop().unwrap();
    assert!(results.iter().all(|result| *result == last), "ranks differ: {results:?} and {last:?}");
    last
}

/// A walker that visits blocks, and leaves its number there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Places {
    visits: Vec<u64>,
    text: String,
}

fn ring(n: usize) -> Blocks<Places> {
    Blocks::linked(n, |number| {
        let links = vec![Link::to((number + 1) % n), Link { to: (number * 3) % n, direction: [1, -1, 0, 0] }];
        (Places { visits: vec![number as u64; number * 40], text: format!("block {number}") }, links)
    })
}

/// Takes one message a round, so that messages wait, and sends two.
#[foreach]
fn walk(blocks: &mut Blocks<Places>, round: u64) {
    for mut block in blocks.iter_mut() {
        let first = block.inbox().next();
        if let Some(message) = first {
            let visits = message.read::<Vec<u64>>();
            block.visits.push(visits.iter().sum::<u64>() * 31 + visits.len() as u64);
        }
        for link in block.links() {
            let number = block.number() as u64;
            // Some messages are long, so that they are spilled.
            block.send(link, &vec![number + round; if number.is_multiple_of(2) { 900 } else { 1 }]);
        }
    }
}

fn finished(mut blocks: Blocks<Places>, rounds: std::ops::Range<u64>) -> Vec<Places> {
    rounds.for_each(|round| walk(&mut blocks, round));
    blocks.to_all()
}

type State = (Blocks<Places>, DistVec<f32>, Object<u16, 2>, (u64, String, Same<Vec<bool>>));

fn state(n: usize) -> State {
    let mut blocks = ring(n);
    (0..3).for_each(|round| walk(&mut blocks, round));
    let values = (7, "seven".to_owned(), Same(vec![true, false]));
    (
        blocks,
        DistVec::from_fn(10 * n + 1, |i| i as f32 / 3.0),
        Object::from_fn([n + 2, 5], |[y, x]| (y * 9 + x) as u16),
        values,
    )
}

#[test]
fn any_number_of_ranks_loads_what_any_other_saved() {
    let folder = tempfile::tempdir().unwrap();
    for n in [1, 5, 11] {
        let expected = on(1, || finished(state(n).0, 3..8));
        for (saving, loading) in RANKS.into_iter().flat_map(|saving| RANKS.map(|loading| (saving, loading))) {
            let path = folder.path().join("state");
            let limit = [None, Some(1), Some(2)][(saving + loading) % 3];
            let saved = runtime(saving, limit).run(|| checkpoint::save(&path, &state(n)));
            assert!(saved.iter().all(|saved| *saved == Ok(())), "{saved:?}");
            runtime(loading, limit).run(|| {
                let (blocks, vector, object, (step, text, Same(flags))): State = checkpoint::load(&path).unwrap();
                assert_eq!((step, &*text, &flags[..]), (7, "seven", &[true, false][..]));
                assert!(vector.to_all().iter().enumerate().all(|(i, value)| *value == i as f32 / 3.0));
                assert_eq!(vector.len(), 10 * n + 1);
                let all = object.to_all();
                assert!((0..n + 2).all(|y| (0..5).all(|x| all[[y, x]] == (y * 9 + x) as u16)));
                let after = finished(blocks, 3..8);
                assert!(after == expected, "{n} blocks, from {saving} to {loading} ranks");
            });
            assert_eq!(names(folder.path()), ["state"], "nothing else is left");
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn empty_and_long_containers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for (saving, loading) in [(1, 3), (3, 1), (7, 2), (2, 7)] {
        on(saving, || {
            checkpoint::save(
                &path,
                &(DistVec::<u64>::default(), Blocks::<u8>::from_fn(0, |_| 0), Object::<f32, 3>::zeroed([0, 4, 5])),
            )
            .unwrap()
        });
        on(loading, || {
            let (vector, blocks, object): (DistVec<u64>, Blocks<u8>, Object<f32, 3>) = checkpoint::load(&path).unwrap();
            assert_eq!((vector.len(), blocks.len(), object.shape()), (0, 0, [0, 4, 5]));
        });
        // Pieces of more than 1 MiB, and several rounds of one vector are cut.
        let n = 700_001;
        on(saving, || (DistVec::from_fn(n, |i| i as u64 * 7)).save(&path).unwrap());
        on(loading, || assert!(DistVec::<u64>::load(&path).unwrap() == DistVec::from_fn(n, |i| i as u64 * 7)));
        on(saving, || Object::from_fn([9, 300, 301], |[z, y, x]| (z * 1000 + y * 7 + x) as u32).save(&path).unwrap());
        on(loading, || {
            let object = Object::<u32, 3>::load(&path).unwrap();
            let all = object.to_all();
            assert!(
                (0..9).all(|z| (0..300).all(|y| (0..301).all(|x| all[[z, y, x]] == (z * 1000 + y * 7 + x) as u32)))
            );
        });
    }
}

#[test]
fn an_object_that_is_written_in_part_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane");
    for (saving, loading) in [(1, 3), (3, 1), (4, 3), (3, 4)] {
        on(saving, || {
            let mut plane = Object::<i32, 2>::zeroed([40, 50]);
            let rank = forall::rank();
            let own = [5 + 3 * rank..8 + 3 * rank, 10..20];
            let mut view = plane.get_mut(own.clone());
            for index in own[0].clone().flat_map(|y| (10..20).map(move |x| [y, x])) {
                view[index] = (index[0] * 100 + index[1]) as i32;
            }
            drop(view);
            plane.modified(own);
            plane.save(&path).unwrap();
        });
        on(loading, || {
            let plane = Object::<i32, 2>::load(&path).unwrap();
            assert!(loading == 1 || plane.held() < 40 * 50, "what nobody has written needs no memory");
            let all = plane.to_all();
            for [y, x] in (0..40).flat_map(|y| (0..50).map(move |x| [y, x])) {
                let is_written = (5..5 + 3 * saving).contains(&y) && (10..20).contains(&x);
                assert_eq!(all[[y, x]], if is_written { (y * 100 + x) as i32 } else { 0 });
            }
        });
    }
}

#[test]
fn the_cuts_stay_on_the_same_number_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vector");
    on(3, || DistVec::from_fn_in_planes(7 * 12, 12, |i| i).save(&path).unwrap());
    on(3, || assert_eq!(*DistVec::<usize>::load(&path).unwrap().cuts(), forall::Cuts::in_planes(84, 12, 3)));
    on(4, || assert_eq!(*DistVec::<usize>::load(&path).unwrap().cuts(), forall::Cuts::even(84, 4)));
}

type Small = (Blocks<Vec<u16>>, DistVec<u8>, Object<u8, 1>, f64);

fn small() -> Small {
    let mut blocks = Blocks::linked(3, |number| (vec![number as u16 * 300; 2], vec![Link::to(2 - number)]));
    for block in blocks.iter_mut() {
        block.links().for_each(|link| block.send(link, &block.number()));
    }
    (blocks, DistVec::from_fn(5, |i| i as u8), Object::from_fn([4], |[i]| i as u8), 0.5)
}

fn load_small(path: &Path) -> Result<(), CheckpointError> {
    checkpoint::load::<Small>(path).map(|_| ())
}

#[test]
fn a_flipped_bit_anywhere_is_an_error_on_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    on(2, || checkpoint::save(&path, &small()).unwrap());
    let bytes = fs::read(&path).unwrap();
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &changed).unwrap();
        let ranks = if bit % 61 == 0 { 3 } else { 1 };
        let error = on(ranks, || load_small(&path)).expect_err(&format!("bit {bit}"));
        assert!(error.is_damage(), "bit {bit}: {error}");
    }
    fs::write(&path, &bytes).unwrap();
    assert_eq!(on(3, || load_small(&path)), Ok(()));
}

#[test]
fn a_file_cut_short_or_prolonged_is_an_error_on_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    on(1, || checkpoint::save(&path, &small()).unwrap());
    let bytes = fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let error =
            on(if length % 37 == 0 { 3 } else { 1 }, || load_small(&path)).expect_err(&format!("{length} bytes"));
        assert!(error.is_damage(), "{length} bytes: {error}");
    }
    fs::write(&path, [&bytes[..], &bytes].concat()).unwrap();
    assert!(on(2, || load_small(&path)).unwrap_err().is_damage());
}

#[test]
fn errors_name_the_file_and_both_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let said = |ranks: usize, program: &(dyn Fn() -> Result<(), CheckpointError> + Sync)| {
        let text = on(ranks, || program().unwrap_err().to_string());
        assert!(text.contains(&*folder.path().to_string_lossy()), "{text}");
        text
    };
    on(2, || ring(4).save(&path).unwrap());
    for ranks in [1, 3] {
        let text = said(ranks, &|| Blocks::<Vec<f32>>::load(&path).map(|_| ()));
        assert!(
            text.contains("holds `Blocks<checkpoints::Places>`, and the program loads `Blocks<alloc::vec::Vec<f32>>`"),
            "{text}"
        );
        let text = said(ranks, &|| checkpoint::load::<(Blocks<Places>, u8)>(&path).map(|_| ()));
        assert!(text.contains("holds no more data as part 2 of 1") || text.contains("holds no more data"), "{text}");
        let text = said(ranks, &|| DistVec::<f32>::load(folder.path().join("nothing")).map(|_| ()));
        assert!(text.contains("rank 0 cannot read") && text.contains("No such file"), "{text}");
        let text = said(ranks, &|| DistVec::<f32>::load(folder.path()).map(|_| ()));
        assert!(text.contains("folder"), "{text}");
        let text = said(ranks, &|| DistVec::filled(3, 1).save(folder.path()));
        assert!(text.contains("there is a folder or a device of this name"), "{text}");
        let text = said(ranks, &|| DistVec::filled(3, 1).save(folder.path().join("missing/state")));
        assert!(text.contains("cannot write") && text.contains("No such file"), "{text}");
        fs::write(folder.path().join("text"), "something else that is longer than a header").unwrap();
        let text = said(ranks, &|| DistVec::<f32>::load(folder.path().join("text")).map(|_| ()));
        assert!(text.contains("is no checkpoint"), "{text}");
    }
    on(3, || checkpoint::save(&path, &(1_u8, 2_u8)).unwrap());
    let text = said(2, &|| checkpoint::load::<u8>(&path).map(|_| ()));
    assert!(text.contains("a further `u8`"), "{text}");
}

#[test]
fn booleans_are_elements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    on(3, || DistVec::from_fn(9, |i| i % 2 == 0).save(&path).unwrap());
    on(2, || assert_eq!(DistVec::<bool>::load(&path).unwrap().to_all()[..3], [true, false, true]));
}

/// A value that serde refuses to write.
#[derive(Deserialize)]
struct Refused;

impl Serialize for Refused {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("refused"))
    }
}

#[test]
fn a_failed_save_leaves_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    for ranks in RANKS {
        on(ranks, || DistVec::filled(3, 1_u8).save(&path).unwrap());
        let text = on(ranks, || Blocks::from_fn(9, |_| Refused).save(&path).unwrap_err().to_string());
        assert!(text.contains("block 0 cannot be written") && text.contains("Refused"), "{text}");
        assert_eq!(names(folder.path()), ["state"]);
        on(ranks, || assert_eq!(DistVec::<u8>::load(&path).unwrap().to_all(), [1; 3]));
    }
}

#[test]
fn ranks_that_save_different_data_get_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let text = on(3, || checkpoint::save(&path, &(forall::rank() / 2)).unwrap_err().to_string());
    assert!(text.contains("different data") && text.contains("rank 2"), "{text}");
    let text = on(3, || {
        let save = |state: &dyn checkpoint::Save| checkpoint::save(&path, state);
        let result = if forall::rank() == 1 { save(&(1_u8, 2_u8)) } else { save(&1_u8) };
        result.unwrap_err().to_string()
    });
    assert!(text.contains("different data"), "{text}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_last_two_checkpoints_stay_and_the_newest_whole_one_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    assert!(on(2, || restart::<DistVec<u64>>(&path).unwrap().is_none()));
    let run = |ranks: usize, end: usize| {
        on(ranks, || {
            let (mut step, mut sums) =
                restart(&path).unwrap().unwrap_or_else(|| (0, DistVec::from_fn(20, |i| i as u64)));
            let begin = step;
            while step < end {
                sums.local_mut().iter_mut().for_each(|sum| *sum = sum.wrapping_mul(3) + step as u64);
                step += 1;
                assert_eq!(checkpoint(10, &path, step, &sums).unwrap(), step % 10 == 0);
            }
            (begin, sums.to_all())
        })
    };
    let expected = run(1, 57).1;
    assert_eq!(names(folder.path()), ["run.40", "run.50"]);
    assert_eq!(run(4, 57), (50, expected.clone()));
    // The newest file is damaged: the one before it is loaded.
    let bytes = fs::read(folder.path().join("run.50")).unwrap();
    fs::write(folder.path().join("run.50"), &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(run(3, 57), (40, expected.clone()));
    assert_eq!(names(folder.path()), ["run.40", "run.50"]);
    // A run from the beginning replaces them.
    on(2, || checkpoint(10, &path, 10, &DistVec::filled(1, 0_u64)).unwrap());
    assert_eq!(names(folder.path()), ["run.10"]);
    // All files are damaged.
    fs::write(folder.path().join("run.10"), "").unwrap();
    assert!(on(2, || restart::<DistVec<u64>>(&path).unwrap_err()).is_damage());
    // Another type is no reason to take an older file.
    on(2, || checkpoint(10, &path, 20, &1_u8).unwrap());
    assert!(on(2, || restart::<DistVec<u64>>(&path).unwrap_err().to_string()).contains("`u8`"));
    let others: BTreeSet<String> = names(folder.path()).into_iter().collect();
    assert_eq!(others.len(), 2);
}

#[cfg(unix)]
#[test]
fn the_file_has_ordinary_permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, plain, link) = (folder.path().join("state"), folder.path().join("plain"), folder.path().join("link"));
    fs::write(&plain, "").unwrap();
    on(2, || DistVec::filled(3, 1_u8).save(&path).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    on(2, || DistVec::filled(3, 2_u8).save(&link).unwrap());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    on(1, || assert_eq!(DistVec::<u8>::load(&path).unwrap().to_all(), [2; 3]));
}
