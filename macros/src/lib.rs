//! The loop compiler of `forall`: parse, lower to IR, classify, check, expand.
//!
//! Use it through the facade `forall`, whose documentation describes the attributes.

mod array;
mod ask;
mod classify;
mod device;
mod expand;
mod function;
mod header;
mod index;
mod ir;
mod lower;
mod normal;
mod outside;
mod poly;
mod print;
mod program;
mod report;
mod scalar;
mod select;
mod slice;
mod small;
mod state;
#[cfg(test)]
mod stress;
mod walk;

use function::Attribute;
use proc_macro::TokenStream;

/// See `forall::foreach`.
#[proc_macro_attribute]
pub fn foreach(args: TokenStream, item: TokenStream) -> TokenStream {
    program::annotate(Attribute::Foreach, args.into(), item.into()).into()
}

/// See `forall::foreach_tls`.
#[proc_macro_attribute]
pub fn foreach_tls(args: TokenStream, item: TokenStream) -> TokenStream {
    program::annotate(Attribute::ForeachTls, args.into(), item.into()).into()
}

/// See `forall::distributed_scan`.
#[proc_macro_attribute]
pub fn distributed_scan(args: TokenStream, item: TokenStream) -> TokenStream {
    program::annotate(Attribute::DistributedScan, args.into(), item.into()).into()
}

/// See `forall::kary_reduce`.
#[proc_macro_attribute]
pub fn kary_reduce(args: TokenStream, item: TokenStream) -> TokenStream {
    program::annotate(Attribute::KaryReduce, args.into(), item.into()).into()
}

/// See `forall::device`.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    program::device(args.into(), item.into()).into()
}

/// See `forall::DeviceData`.
#[proc_macro_derive(DeviceData)]
pub fn device_data(item: TokenStream) -> TokenStream {
    program::device_data(item.into()).into()
}

/// See `forall::main`.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    program::main(args.into(), item.into()).into()
}

/// See `forall::test`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    program::test(args.into(), item.into()).into()
}
