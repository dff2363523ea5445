//! Constants of WGSL.

use crate::ir::report::Location;
use crate::wgsl::contract::Type;
use crate::wgsl::emit::text::{Emit, Value};
use crate::wgsl::tree::Ty;

impl Emit<'_> {
    pub fn literal(&mut self, value: u128, ty: &Type, at: Location) -> String {
        match ty {
            Type::Queried(number, _) => format!("${number}:={value}$"),
            Type::F16 | Type::F32 | Type::F64 => self.float(&value.to_string(), ty, at),
            // Its magnitude alone is no literal of WGSL.
            Type::I32 if value == 1 << 31 => "(-2147483647i - 1i)".to_owned(),
            Type::I64 if value == 1 << 63 => "(-9223372036854775807li - 1li)".to_owned(),
            Type::Usize if value >= 0xffff_ffff => {
                if value == u128::from(u64::MAX) {
                    return "0xffffffffu".to_owned();
                }
                self.obstacle(at, format!("`{value}` is more than a device can count to"));
                "0u".to_owned()
            }
            Type::Isize if value > 0x7fff_ffff => {
                self.obstacle(at, format!("`{value}` is more than a device can count to"));
                "0i".to_owned()
            }
            Type::Bool | Type::Array(..) => "0".to_owned(),
            ty => format!("{value}{}", ty.suffix()),
        }
    }

    pub fn float(&mut self, digits: &str, ty: &Type, at: Location) -> String {
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        let text = match ty {
            Type::F16 | Type::F32 => digits.parse::<f32>().ok().filter(|x| x.is_finite()).map(|x| format!("{x:?}f")),
            Type::F64 => digits.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| format!("{x:?}lf")),
            Type::Queried(number, _) => Some(format!("${number}:={digits}$")),
            _ => None,
        };
        text.unwrap_or_else(|| {
            self.obstacle(at, format!("`{digits}` is no number of the type `{}`", ty.name()));
            "0.0f".to_owned()
        })
    }

    pub fn zero(&mut self, ty: &Type, at: Location) -> String {
        match ty {
            Type::Bool => "false".to_owned(),
            Type::F16 | Type::F32 | Type::F64 => format!("0.0{}", ty.suffix()),
            Type::Array(..) | Type::Queried(..) => format!("{}()", ty.wgsl()),
            ty => self.literal(0, ty, at),
        }
    }

    pub fn zeros(&mut self, ty: &Ty, at: Location) -> Value {
        match self.types.shallow(ty) {
            Ty::Tuple(parts) if parts.is_empty() => Value::Unit,
            Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.zeros(part, at)).collect()),
            ty => {
                let ty = self.known(&ty, at);
                Value::Constant(self.zero(&ty, at))
            }
        }
    }
}

/// A float that changes nothing when it is added.
pub fn minus_zero(ty: &Type) -> String {
    match ty {
        Type::Queried(number, _) => format!("${number}:zero$"),
        ty => format!("-0.0{}", ty.suffix()),
    }
}

/// Whether a literal is the same number in both types.
pub fn fits(value: u128, from: &Type, to: &Type) -> bool {
    let most = |ty: &Type| match ty {
        Type::I8 => 0x7f,
        Type::U8 => 0xff,
        Type::I16 => 0x7fff,
        Type::U16 => 0xffff,
        Type::I64 => u128::from(u64::MAX >> 1),
        Type::U64 => u128::from(u64::MAX),
        Type::U32 => 0xffff_ffff,
        Type::Usize => 0xffff_fffe,
        _ => 0x7fff_ffff,
    };
    value <= most(from) && value <= most(to)
}
