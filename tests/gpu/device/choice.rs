//! Which graphics processor is taken, and what is said where it is not there.

use crate::common::gpu;
use forall_core::device::Device;
use forall_core::node::{Node, Serial};
use forall_gpu::{Choice, Gpu, GpuError};

#[test]
fn by_number_name_and_rank() {
    if gpu().is_none() {
        return;
    }
    let names = Gpu::list();
    let open = |choice: Choice| Gpu::open(Box::new(Serial), &choice);
    let name = |gpu: &Gpu| Device::name(gpu).to_owned();
    for (index, wanted) in names.iter().enumerate() {
        assert_eq!(name(&open(Choice::Index(index)).unwrap()), *wanted);
    }
    let part = names[0].to_uppercase().chars().take(5).collect();
    assert_eq!(name(&open(Choice::Name(part)).unwrap()), names[0]);
    for rank in 0..5 {
        assert!(names.contains(&name(&open(Choice::LocalRank(rank)).unwrap())));
    }
    assert!(matches!(open(Choice::Index(names.len())), Err(GpuError::Index { .. })));
    let missing = open(Choice::Name("abacus".into())).unwrap_err();
    assert!(matches!(missing, GpuError::Name { .. }));
    assert!(missing.to_string().contains("abacus") && missing.to_string().contains(&names[0]), "{missing}");
}

#[test]
fn other_loops_run_on_the_node_within() {
    let Some(gpu) = gpu() else { return };
    assert_eq!(Node::name(gpu), "gpu");
    assert_eq!(gpu.workers(), 1);
    let calls = std::sync::atomic::AtomicUsize::new(0);
    Node::run(gpu, 1, &|_| {
        calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(calls.into_inner(), 1);
    assert!(gpu.device().is_some());
}
