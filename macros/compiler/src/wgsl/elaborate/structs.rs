//! Structs of plain data: their values in bodies.

use crate::ir::Expr;
use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::infer::types::Spelling;
use crate::wgsl::tree::{Node, NodeKind, Ty};
use proc_macro2::TokenStream;
use quote::ToTokens;

impl Elaborate<'_> {
    /// `Particle { mass: 1.0, ..p }`.
    pub fn made(
        &mut self,
        path: &TokenStream,
        fields: &[(TokenStream, Expr)],
        rest: Option<&Expr>,
        at: Location,
    ) -> Node {
        let ty = self.type_of_literal(path);
        let fields = fields.iter().map(|(name, value)| (name.to_string(), self.expr(value))).collect();
        let rest = rest.map(|rest| {
            let rest = self.expr(rest);
            self.same(&rest.ty, &ty, rest.at);
            rest.boxed()
        });
        self.of_fields(ty, fields, rest, at)
    }

    /// `Vec3(x, y, z)`, where that may be a tuple struct.
    pub fn made_of_parts(&mut self, function: &Expr, args: &[Expr], at: Location) -> Option<Node> {
        let path: syn::Path = syn::parse2(function.bare().tokens.clone()).ok()?;
        let name = path.segments.last()?.ident.to_string();
        let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
        if !plain || !name.starts_with(char::is_uppercase) || matches!(&*name, "Some" | "Ok" | "Err") || args.is_empty()
        {
            return None;
        }
        let ty = self.type_of_literal(&path.to_token_stream());
        let fields = args.iter().enumerate().map(|(number, value)| (number.to_string(), self.expr(value))).collect();
        Some(self.of_fields(ty, fields, None, at))
    }

    /// The type of a literal. Whether its name is all of the type, or parameters belong to it, only a place tells where it
    /// is written as a type.
    fn type_of_literal(&mut self, path: &TokenStream) -> Ty {
        let text = path.to_string();
        if self.types.spelled.contains(&Spelling(text.clone())) {
            return self.types.given(&text, path);
        }
        // Else it follows from what is done with the value.
        self.types.unknown()
    }

    /// `value.name`.
    pub fn field(&mut self, value: &Node, name: &str, at: Location) -> Node {
        match self.types.part(&value.ty, name) {
            Some(part) => Node::new(NodeKind::Field(value.clone().boxed(), name.to_owned()), part, at),
            None => {
                let ty = self.types.text(&value.ty);
                self.stuck(at, format!("`.{name}` is a field of `{ty}`, which a device does not have"))
            }
        }
    }

    fn of_fields(&mut self, ty: Ty, fields: Vec<(String, Node)>, rest: Option<Box<Node>>, at: Location) -> Node {
        for (name, value) in &fields {
            match self.types.part(&ty, name) {
                Some(part) => self.same(&part, &value.ty, value.at),
                None => self.obstacle(at, format!("`{name}` is no field that a device knows")),
            }
        }
        Node::new(NodeKind::Struct(fields, rest), ty, at)
    }
}

/// Types that are written as a path without parameters.
#[derive(Default)]
pub struct WrittenTypes(pub crate::maps::HashSet<Spelling>);

impl<'ast> syn::visit::Visit<'ast> for WrittenTypes {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        self.0.insert(Spelling(ty.to_token_stream().to_string()));
        syn::visit::visit_type_path(self, ty);
    }
}
