//! Values of an iteration as symbols.

use super::questions::Order;
use proc_macro2::TokenStream;

/// The step from an option to the value in it.
pub const CONTENT: &str = "?";

/// The value in the code of a key: a step of a path that begins with it is a function of the part before.
pub const HELD: &str = "__held";

/// Tokens as text, however they are spaced. Only words are kept apart: `v as f64` is not `vasf64`.
pub fn joined(tokens: &TokenStream) -> String {
    let mut code = String::new();
    for part in tokens.to_string().split_whitespace() {
        if code.ends_with(is_word) && part.starts_with(is_word) {
            code.push(' ');
        }
        code.push_str(part);
    }
    code
}

/// Whether a key is a number in place of no value, and otherwise the value in an option.
pub fn is_default(key: &str) -> bool {
    default_of(key).is_some_and(str::is_empty)
}

/// The code behind `held.unwrap_or(number)`.
fn default_of(key: &str) -> Option<&str> {
    let (number, rest) = key.strip_prefix(HELD)?.strip_prefix(".unwrap_or(")?.split_once(')')?;
    (!number.contains('(')).then_some(rest)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Code with other code in place of a name.
pub fn with(code: &str, name: &str, other: &str) -> String {
    let mut depth = 0;
    let is_plain = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => return depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\''),
        }
        true
    };
    let other = match code == name || other.chars().all(is_plain) {
        true => other.to_owned(),
        false => format!("({other})"),
    };
    let mut replaced = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        replaced.push_str(before);
        // The name may be a part of a longer one.
        let is_part = replaced.ends_with(is_word) || behind.starts_with(is_word);
        replaced.push_str(if is_part { name } else { &other });
        rest = behind;
    }
    replaced + rest
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A part of a variable, as it was before the iteration: the variable's number, and the fields that lead to the part.
    Old(usize, Vec<String>),
    /// A value of the iteration alone, by its code.
    New(String),
    /// A reference. A method of a reference may be another one than that of the value.
    Reference(Box<Value>),
    Some(Box<Value>),
    None,
    Tuple(Vec<Value>),
    /// A struct, by its fields.
    Struct(Vec<(String, Value)>),
    Bool(bool),
    Order(Order),
    /// The greater, or the lesser, of a value from before the iteration and one of the iteration.
    Extreme(bool, Box<Value>, String),
    /// Computed from another variable that iterations change, by its number among all of them.
    Other(usize),
}

impl Value {
    /// `Some(value)`.
    pub fn some(value: Value) -> Value {
        match value {
            // The content of an option, in `Some`, is the option.
            Value::Old(member, mut path) if path.last().is_some_and(|step| step == CONTENT) => {
                path.pop();
                Value::Old(member, path)
            }
            value => Value::Some(Box::new(value)),
        }
    }

    /// A tuple. All parts of a variable, in their order, are the variable.
    pub fn tuple(parts: Vec<Value>) -> Value {
        let whole = match parts.first() {
            Some(Value::Old(member, path)) => path.split_last().map(|(_, base)| (*member, base.to_vec())),
            _ => None,
        };
        if let Some((member, base)) = whole {
            let part = |number: usize| {
                let mut path = base.clone();
                path.push(number.to_string());
                Value::Old(member, path)
            };
            if parts.iter().enumerate().all(|(number, of)| *of == part(number)) {
                return Value::Old(member, base);
            }
        }
        Value::Tuple(parts)
    }

    /// A reference to a value.
    pub fn reference(value: Value) -> Value {
        match value {
            Value::Reference(_) | Value::New(_) | Value::Other(_) => value,
            value => Value::Reference(Box::new(value)),
        }
    }

    /// The value behind a reference.
    pub fn behind(&self) -> &Value {
        match self {
            Value::Reference(inner) => inner.behind(),
            value => value,
        }
    }

    /// Whether it contains a value from before the iteration.
    pub fn has_state(&self) -> bool {
        match self {
            Value::Old(..) | Value::Extreme(..) => true,
            Value::Some(inner) | Value::Reference(inner) => inner.has_state(),
            Value::Tuple(parts) => parts.iter().any(Value::has_state),
            Value::Struct(fields) => fields.iter().any(|(_, value)| value.has_state()),
            Value::New(_) | Value::None | Value::Bool(_) | Value::Order(_) | Value::Other(_) => false,
        }
    }

    /// Another variable from which a part of it is computed.
    pub fn other(&self) -> Option<usize> {
        match self {
            Value::Other(number) => Some(*number),
            Value::Some(inner) | Value::Reference(inner) => inner.other(),
            Value::Tuple(parts) => parts.iter().find_map(Value::other),
            Value::Struct(fields) => fields.iter().find_map(|(_, value)| value.other()),
            _ => None,
        }
    }

    /// A field.
    pub fn field(&self, name: &str) -> Option<Value> {
        match self {
            Value::Old(_, path) if path.last().is_some_and(|step| step.contains(HELD)) => None,
            Value::Old(member, path) => {
                let mut path = path.clone();
                path.push(name.to_owned());
                Some(Value::Old(*member, path))
            }
            Value::New(code) => Some(Value::New(format!("{code} . {name}"))),
            Value::Tuple(parts) => parts.get(name.parse::<usize>().ok()?).cloned(),
            Value::Struct(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone()),
            Value::Other(number) => Some(Value::Other(*number)),
            Value::Reference(inner) => inner.field(name),
            Value::Some(_) | Value::None | Value::Bool(_) | Value::Order(_) | Value::Extreme(..) => None,
        }
    }

    /// The part at the end of a path.
    pub fn part(&self, path: &[String]) -> Option<Value> {
        let Some((first, rest)) = path.split_first() else { return Some(self.clone()) };
        match self {
            Value::Some(inner) if first == CONTENT => inner.part(rest),
            Value::Some(inner) => match default_of(first)? {
                "" => Some((**inner).clone()),
                more => inner.part(&[format!("{HELD}{more}")]),
            },
            value if first.contains(HELD) => value.put_into(first.clone(), HELD).map(Value::New),
            value => value.field(first)?.part(rest),
        }
    }

    /// Code with the value in place of a name.
    fn put_into(&self, code: String, name: &str) -> Option<String> {
        let code = match self {
            Value::New(value) => with(&code, name, value),
            Value::Tuple(_) | Value::Struct(_) => {
                let mut parts: Vec<(String, &Value)> = match self {
                    Value::Tuple(parts) => (0..).zip(parts).map(|(number, part)| (format!("{number}"), part)).collect(),
                    Value::Struct(fields) => fields.iter().map(|(field, part)| (field.clone(), part)).collect(),
                    _ => Vec::new(),
                };
                // No name is the beginning of one that has been replaced.
                parts.sort_by_key(|(field, _)| std::cmp::Reverse(field.len()));
                parts.iter().try_fold(code, |code, (field, part)| part.put_into(code, &format!("{name}.{field}")))?
            }
            _ => code,
        };
        Some(code).filter(|code| !code.contains(name))
    }

    /// A pattern of the value's shape: `(_, _)`.
    pub fn shape(&self) -> String {
        match self {
            Value::Tuple(parts) => match parts.as_slice() {
                [one] => format!("({},)", one.shape()),
                parts => format!("({})", parts.iter().map(Value::shape).collect::<Vec<_>>().join(", ")),
            },
            _ => "_".into(),
        }
    }
}
