//! Line charts, as SVG files.

use crate::write::{WriteError, atomically, check_place};
use std::fmt::Write;
use std::path::Path;

/// Some lines over two axes, which begin at zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The title above it.
    pub title: String,
    /// The names of the axes, along x and along y.
    pub axes: [String; 2],
    /// The drawn lines.
    pub lines: Vec<Line>,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name beside the chart. Lines of one name have one colour, and are named once.
    pub name: String,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Where it goes.
    pub points: Vec<[f64; 2]>,
}

/// Colours that people with any sight tell apart (Okabe and Ito), and grey.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// The size of the chart, and where its plot lies in it: from the left, the top, the right and the bottom.
const SIZE: [f64; 2] = [960.0, 560.0];
const PLOT: [f64; 4] = [70.0, 50.0, 660.0, 500.0];

impl Chart {
    /// The chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        let most = [0, 1].map(|axis| {
            let values = self.lines.iter().flat_map(|line| &line.points).map(|point| point[axis]);
            let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
            if most > 0.0 { most } else { 1.0 }
        });
        let [left, top, right, bottom] = PLOT;
        let place = |[x, y]: [f64; 2]| {
            [left + (right - left) * x / (1.05 * most[0]), bottom - (bottom - top) * y / (1.05 * most[1])]
        };
        let mut svg = String::new();
        let mut put = |text: std::fmt::Arguments<'_>| _ = writeln!(svg, "{text}");
        put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="13">"#,
            SIZE[0], SIZE[1]
        ));
        put(format_args!(r#"<rect width="100%" height="100%" fill="white"/>"#));
        put(format_args!(r#"<text x="{left}" y="30" font-size="17">{}</text>"#, escaped(&self.title)));
        for value in ticks(most[0]) {
            let [x, _] = place([value, 0.0]);
            put(format_args!(r##"<path d="M{x:.1} {top}V{bottom}" stroke="#dddddd"/>"##));
            put(format_args!(r#"<text x="{x:.1}" y="{}" text-anchor="middle">{value}</text>"#, bottom + 20.0));
        }
        for value in ticks(most[1]) {
            let [_, y] = place([0.0, value]);
            put(format_args!(r##"<path d="M{left} {y:.1}H{right}" stroke="#dddddd"/>"##));
            put(format_args!(r#"<text x="{}" y="{:.1}" text-anchor="end">{value}</text>"#, left - 8.0, y + 4.0));
        }
        put(format_args!(r#"<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="black"/>"#));
        let [x, y] = self.axes.each_ref().map(|axis| escaped(axis));
        let [middle, height] = [(left + right) / 2.0, (top + bottom) / 2.0];
        put(format_args!(r#"<text x="{middle}" y="{}" text-anchor="middle">{x}</text>"#, bottom + 42.0));
        put(format_args!(r#"<text transform="translate(22 {height}) rotate(-90)" text-anchor="middle">{y}</text>"#));
        let mut names: Vec<&str> = Vec::new();
        for line in &self.lines {
            let number = names.iter().position(|name| *name == line.name).unwrap_or_else(|| {
                names.push(&line.name);
                names.len() - 1
            });
            let colour = COLOURS[number % COLOURS.len()];
            let dashes = if line.dashed { r#" stroke-dasharray="6 4""# } else { "" };
            let points = line.points.iter().filter(|point| point.iter().all(|value| value.is_finite()));
            let points: Vec<[f64; 2]> = points.map(|point| place(*point)).collect();
            let path: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
            put(format_args!(
                r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>"#,
                path.join(" ")
            ));
            for [x, y] in points {
                put(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"/>"#));
            }
        }
        for (number, name) in names.iter().enumerate() {
            let (y, colour) = (top + 10.0 + 20.0 * number as f64, COLOURS[number % COLOURS.len()]);
            put(format_args!(r#"<path d="M{} {y}h24" stroke="{colour}" stroke-width="2"/>"#, right + 20.0));
            put(format_args!(r#"<text x="{}" y="{}">{}</text>"#, right + 52.0, y + 4.0, escaped(name)));
        }
        put(format_args!("</svg>"));
        svg
    }

    /// Writes the chart, on one rank.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        if forall::rank() > 0 {
            return Ok(());
        }
        atomically(path, |file| file.write_all(self.svg().as_bytes()))
    }
}

/// Fails when the chart cannot be written: better known before the work than after it.
///
/// # Errors
/// When the name is not that of a chart, in a folder that exists.
pub fn check(path: &Path) -> Result<(), WriteError> {
    check_place(path)?;
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        true => Ok(()),
        false => Err(WriteError::Chart(path.to_owned())),
    }
}

/// Round numbers from zero to the greatest value, at most nine.
fn ticks(most: f64) -> Vec<f64> {
    let unit = 10f64.powf((most / 8.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * unit).into_iter().find(|step| most / step <= 8.0);
    let step = step.unwrap_or(most);
    // Whole multiples, which print as they are meant.
    let digits = (-step.log10().floor()).max(0.0) as i32;
    let round = |value: f64| (value * 10f64.powi(digits)).round() / 10f64.powi(digits);
    // The greatest value may be one of them, nearly.
    (0..=(most / step + 1e-9) as usize).map(|number| round(number as f64 * step)).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(2.0), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(ticks(1.0), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(64.0), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!(ticks(0.7).last(), Some(&0.7));
    }

    #[test]
    fn a_chart_is_xml_that_holds_its_lines() {
        let line = |name: &str, dashed| Line { name: name.to_owned(), dashed, points: vec![[1.0, 1.0], [2.0, 1.9]] };
        let lines = vec![line("a<b", false), line("a<b", true), line("c", false)];
        let axes = ["threads".to_owned(), "times as fast".to_owned()];
        let svg = Chart { title: "R & D".to_owned(), axes, lines }.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let count = |tag: &str| {
            document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag))).count()
        };
        assert_eq!((count("polyline"), count("circle")), (3, 6));
        let texts: Vec<&str> =
            document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect();
        assert_eq!(texts.iter().filter(|text| **text == "a<b").count(), 1);
        assert!(texts.contains(&"R & D") && texts.contains(&"times as fast"));
    }

    #[test]
    fn without_lines_there_are_axes() {
        let svg = Chart { title: String::new(), axes: [String::new(), String::new()], lines: Vec::new() }.svg();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{svg}");
    }
}
