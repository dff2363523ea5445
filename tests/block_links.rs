//! Links of the user: one-sided ones, several to one block, to itself; and links to blocks that do not exist.

mod everywhere;

use everywhere::{everywhere, runtime};
use forall::blocks::{Assigner, Blocks, Link, Parts};
use forall::foreach;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A graph with an edge from each number to its divisors, and twice to itself.
struct Divisors(usize);

fn divisors(number: usize, n: usize) -> Vec<usize> {
    let less = (1..number.min(n)).filter(|divisor| number.is_multiple_of(*divisor));
    less.chain([number, number]).collect()
}

impl Parts for Divisors {
    type Part = Vec<usize>;

    fn count(&self) -> usize {
        self.0
    }

    fn numbered(&self, number: usize) -> (Vec<usize>, Vec<Link>) {
        let links = divisors(number, self.0);
        (vec![number], links.into_iter().map(Link::to).collect())
    }
}

/// Sends the number along all links. Blocks keep what has come.
#[foreach]
fn passed_on(blocks: &mut Blocks<Vec<usize>>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.push(message.read());
        }
        for link in block.links() {
            block.send(link, &block.number());
        }
    }
}

#[foreach]
fn received(blocks: &mut Blocks<Vec<usize>>) {
    for mut block in blocks.iter_mut() {
        for message in block.inbox() {
            block.push(message.read());
        }
    }
}

fn begun(n: usize) -> Blocks<Vec<usize>> {
    Blocks::over(&Divisors(n), Vec::clone)
}

#[test]
fn links_may_lead_anywhere_and_need_not_lead_back() {
    for n in [0, 1, 2, 7, 13] {
        let expected: Vec<Vec<usize>> = (0..n)
            .map(|to| {
                let senders =
                    (0..n).flat_map(|from| divisors(from, n).into_iter().filter(|link| *link == to).map(move |_| from));
                [to].into_iter().chain(senders).collect()
            })
            .collect();
        let mut blocks = begun(n);
        passed_on::sequential(&mut blocks);
        received::sequential(&mut blocks);
        assert_eq!(blocks.to_all(), expected);
        for assigner in [Assigner::Contiguous, Assigner::RoundRobin] {
            let found = everywhere(|| {
                let mut blocks = begun(n);
                blocks.assign(&assigner);
                passed_on(&mut blocks);
                received(&mut blocks);
                blocks.to_all()
            });
            assert_eq!(found, expected, "{n} blocks");
        }
    }
}

#[test]
fn one_sided_links_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph");
    begun(9).save(&path).unwrap();
    let blocks = Blocks::<Vec<usize>>::load(&path).unwrap();
    let links = |block: forall::blocks::Block<'_, Vec<usize>>| block.links().map(|link| link.to).collect::<Vec<_>>();
    assert!(blocks.iter().map(links).eq((0..9).map(|number| divisors(number, 9))));
}

struct Wrong;

impl Parts for Wrong {
    type Part = ();

    fn count(&self) -> usize {
        7
    }

    fn numbered(&self, number: usize) -> ((), Vec<Link>) {
        ((), vec![Link::to(number), Link::to(2 * number + 1)])
    }
}

#[test]
fn links_to_blocks_that_do_not_exist_are_errors() {
    for plan in [(1, 1, None), (2, 1, Some(1)), (7, 1, None)] {
        let run = || runtime(plan).run(|| Blocks::over(&Wrong, |()| 0_u8).len());
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        let block = |number: usize| {
            format!("block {number} has a link to block {}, but there are only 7 blocks", 2 * number + 1)
        };
        assert!((3..7).any(|number| text.contains(&block(number))), "{text}");
    }
}
