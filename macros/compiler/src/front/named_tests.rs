//! Comparisons that get a name, because their branch changes an operand: `if e < least { least = e; } else { .. }`.

use super::assignments::keeps_value;
use super::new_names::NewNames;
use crate::maps::HashSet;
use quote::ToTokens;
use syn::visit_mut::{VisitMut, visit_block_mut};
use syn::{Block, Expr, ExprForLoop, ExprIf, Stmt, parse_quote_spanned};

/// In loops, `if e < least { least = e; } else { .. }` becomes `let test = e < least; if e < least { least = e; } if !test { .. }`. The
/// result has the new variables, with their names in messages.
pub fn name_tests(block: &mut Block, words: &HashSet<String>) -> Vec<(String, String)> {
    let mut names = Named { names: NewNames::beside(words), inside: false };
    names.visit_block_mut(block);
    names.names.into_names()
}

struct Named {
    names: NewNames,
    /// Whether the code is in a loop.
    inside: bool,
}

impl Named {
    /// The comparison, the branch that keeps a value, and the other branch.
    fn apart(&mut self, choice: &ExprIf) -> Option<[Stmt; 3]> {
        let (_, otherwise) = choice.else_branch.as_ref()?;
        keeps_value(choice).then_some(())?;
        let (test, at) = (&choice.cond, choice.if_token.span);
        let name = self.names.named("test", &test.to_token_stream().to_string(), at);
        let first = ExprIf { else_branch: None, ..choice.clone() };
        let rest: Expr = match &**otherwise {
            Expr::Block(rest) => parse_quote_spanned!(at=> if !#name #rest),
            rest => parse_quote_spanned!(at=> if !#name { #rest }),
        };
        let declared = parse_quote_spanned!(at=> let #name = #test;);
        Some([declared, Stmt::Expr(Expr::If(first), None), Stmt::Expr(rest, None)])
    }
}

impl VisitMut for Named {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::new();
        for statement in std::mem::take(&mut block.stmts) {
            let apart = match &statement {
                Stmt::Expr(Expr::If(choice), _) if self.inside => self.apart(choice),
                _ => None,
            };
            match apart {
                Some(apart) => statements.extend(apart),
                None => statements.push(statement),
            }
        }
        block.stmts = statements;
        visit_block_mut(self, block);
    }

    fn visit_expr_for_loop_mut(&mut self, f: &mut ExprForLoop) {
        let outside = std::mem::replace(&mut self.inside, true);
        self.visit_block_mut(&mut f.body);
        self.inside = outside;
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
