//! The attributes of `forall`: what they do is in the library `forall-compiler`.
//!
//! Use them through the facade `forall`, whose documentation describes them.

use forall_compiler::Attribute;
use proc_macro::TokenStream;
use proc_macro_crate::{FoundCrate, crate_name};

/// Expands an attribute for the name that the crate `forall` has in the program.
fn attribute(
    args: TokenStream,
    item: TokenStream,
    expand: impl FnOnce(forall_compiler::TokenStream, forall_compiler::TokenStream) -> forall_compiler::TokenStream,
) -> TokenStream {
    forall_compiler::rooted(name_of_crate, args.into(), |args| expand(args, item.into())).into()
}

/// The name of `forall` in the program's `Cargo.toml`, if it is another one. A program that gets it from another crate, and has no name for it,
/// gives its path.
fn name_of_crate() -> Option<String> {
    match crate_name("forall") {
        Ok(FoundCrate::Name(name)) if name != "forall" => Some(name),
        _ => None,
    }
}

/// Expands an attribute for loops, sorts or traversals.
fn annotated(kind: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    let annotate = if is_in_editor() { forall_compiler::annotate_in_editor } else { forall_compiler::annotate };
    attribute(args, item, |args, item| annotate(kind, args, item))
}

/// Whether rust-analyzer expands macros: its own program does that.
fn is_in_editor() -> bool {
    std::env::current_exe()
        .is_ok_and(|program| program.file_stem().is_some_and(|name| name == "rust-analyzer-proc-macro-srv"))
}

/// See `forall::foreach`.
#[proc_macro_attribute]
pub fn foreach(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::Foreach, args, item)
}

/// See `forall::foreach_tls`.
#[proc_macro_attribute]
pub fn foreach_tls(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::ForeachTls, args, item)
}

/// See `forall::distributed_scan`.
#[proc_macro_attribute]
pub fn distributed_scan(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::DistributedScan, args, item)
}

/// See `forall::kary_reduce`.
#[proc_macro_attribute]
pub fn kary_reduce(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::KaryReduce, args, item)
}

/// See `forall::distributed_sort`.
#[proc_macro_attribute]
pub fn distributed_sort(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::DistributedSort, args, item)
}

/// See `forall::traverse`.
#[proc_macro_attribute]
pub fn traverse(args: TokenStream, item: TokenStream) -> TokenStream {
    annotated(Attribute::Traverse, args, item)
}

/// See `forall::device`.
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, forall_compiler::device)
}

/// See `forall::DeviceData`.
#[proc_macro_derive(DeviceData, attributes(device_data))]
pub fn device_data(item: TokenStream) -> TokenStream {
    forall_compiler::rooted_derive(name_of_crate, item.into(), forall_compiler::device_data).into()
}

/// See `forall::main`.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, forall_compiler::main)
}

/// See `forall::test`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, forall_compiler::test)
}
