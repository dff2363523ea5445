//! Patterns.

use super::questions::Question;
use super::run::{Ran, Run, Stop, ordering};
use super::value::{CONTENT, Value};
use crate::ir::{Form, Kind, Local, Pattern};

impl Run<'_> {
    /// Binds the variables of a pattern without other cases.
    pub(super) fn binds(&mut self, pattern: &Pattern, value: &Value) -> Ran<bool> {
        self.certain = true;
        let matches = self.takes(pattern, value);
        self.certain = false;
        matches
    }

    /// Whether a value matches a pattern. Its variables are then bound.
    pub(super) fn takes(&mut self, pattern: &Pattern, value: &Value) -> Ran<bool> {
        match &pattern.form {
            Form::Any => Ok(true),
            // A name in capital letters is a variant or a constant.
            Form::Name(binding, None) if binding.name == Local::named("None") => Ok(self.content(value)?.is_none()),
            Form::Name(binding, of) => {
                if binding.name.text().starts_with(char::is_uppercase) || binding.refers && binding.mutable {
                    return Err(Stop::Unknown);
                }
                if let Some(of) = of
                    && !self.takes(of, value)?
                {
                    return Ok(false);
                }
                match binding.refers {
                    true => self.bind(binding.name, &Value::reference(value.clone())),
                    false => self.bind(binding.name, value),
                }
                Ok(true)
            }
            Form::Reference(inner) => self.takes(inner, &value.behind().clone()),
            Form::Tuple(parts) => {
                if parts.iter().any(|part| matches!(part.form, Form::Rest)) {
                    return Err(Stop::Unknown);
                }
                let parts: Vec<_> = (0..).map(|number: usize| number.to_string()).zip(parts).collect();
                self.fields(parts.iter().map(|(name, part)| (name.as_str(), *part)), value)
            }
            Form::Struct(fields) if self.certain => {
                self.fields(fields.iter().map(|(name, part)| (name.as_str(), part)), value)
            }
            Form::Variant(name, parts) if *name == Local::named("Some") && parts.len() == 1 => {
                match self.content(value)? {
                    Some(content) => self.takes(&parts[0], &content),
                    None => Ok(false),
                }
            }
            Form::Value(of) if of.is_code("true") || of.is_code("false") => {
                Ok(self.truth(value)? == of.is_code("true"))
            }
            Form::Value(of) if matches!(of.kind, Kind::Path) && ordering(of).is_some() => {
                self.joined(value)?;
                let Value::Order(order) = value else { return Err(Stop::Unknown) };
                self.orderings.push(of.text());
                Ok(ordering(of) == Some(*order))
            }
            Form::Or(all) => {
                for one in all {
                    if self.takes(one, value)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => match value {
                Value::Other(_) => Err(self.joined(value).err().unwrap_or(Stop::Unknown)),
                Value::New(code) => {
                    pattern.variables().for_each(|name| _ = self.locals.remove(&name));
                    if self.certain {
                        return Ok(true);
                    }
                    let test = format!("{code} ~ {}", pattern.tokens);
                    Ok(self.answer(Question::Test(test))? == 1)
                }
                _ => Err(Stop::Unknown),
            },
        }
    }

    /// Whether the fields of a value match these patterns.
    fn fields<'p>(&mut self, parts: impl Iterator<Item = (&'p str, &'p Pattern)>, value: &Value) -> Ran<bool> {
        for (name, part) in parts {
            let of = value.field(name).ok_or(Stop::Unknown)?;
            let of = if matches!(value, Value::Reference(_)) { Value::reference(of) } else { of };
            if !self.takes(part, &of)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value in an option.
    pub(super) fn content(&mut self, value: &Value) -> Ran<Option<Value>> {
        self.joined(value)?;
        match value {
            // Patterns bind the content of a reference by reference.
            Value::Reference(inner) => Ok(self.content(inner)?.map(Value::reference)),
            Value::Some(content) => Ok(Some((**content).clone())),
            Value::None => Ok(None),
            Value::Old(member, path) if path.is_empty() => {
                let holds = self.answer(Question::Held(*member))? == 1;
                Ok(holds.then(|| Value::Old(*member, vec![CONTENT.to_owned()])))
            }
            Value::New(code) => {
                let holds = self.answer(Question::Test(format!("{code} is some")))? == 1;
                Ok(holds.then(|| Value::New(format!("{code} {CONTENT}"))))
            }
            _ => Err(Stop::Unknown),
        }
    }
}
