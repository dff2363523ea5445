//! The attributes of `forall`: what they do is in the library `forall-compiler`.
//!
//! Use them through the facade `forall`, whose documentation describes them.

use forall_compiler::Attribute;
use proc_macro::TokenStream;

/// See `forall::foreach`.
#[proc_macro_attribute]
pub fn foreach(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::Foreach, args.into(), item.into()).into()
}

/// See `forall::foreach_tls`.
#[proc_macro_attribute]
pub fn foreach_tls(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::ForeachTls, args.into(), item.into()).into()
}

/// See `forall::distributed_scan`.
#[proc_macro_attribute]
pub fn distributed_scan(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::DistributedScan, args.into(), item.into()).into()
}

/// See `forall::kary_reduce`.
#[proc_macro_attribute]
pub fn kary_reduce(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::KaryReduce, args.into(), item.into()).into()
}

/// See `forall::distributed_sort`.
#[proc_macro_attribute]
pub fn distributed_sort(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::DistributedSort, args.into(), item.into()).into()
}

/// See `forall::traverse`.
#[proc_macro_attribute]
pub fn traverse(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::annotate(Attribute::Traverse, args.into(), item.into()).into()
}

/// See `forall::device`.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::device(args.into(), item.into()).into()
}

/// See `forall::DeviceData`.
#[proc_macro_derive(DeviceData)]
pub fn device_data(item: TokenStream) -> TokenStream {
    forall_compiler::device_data(item.into()).into()
}

/// See `forall::main`.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::main(args.into(), item.into()).into()
}

/// See `forall::test`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    forall_compiler::test(args.into(), item.into()).into()
}
