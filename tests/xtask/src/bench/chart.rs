//! A chart of a table: a bar for each ratio, on a logarithmic axis with 1 in the middle of faster and slower.

use super::table::Table;
use std::fmt::Write;

/// Pixels. A letter has about this width.
const LETTER: f64 = 6.5;
const BARS: f64 = 420.0;
const RIGHT: f64 = 60.0;
const HEIGHT: f64 = 18.0;
const TOP: f64 = 40.0;
/// The colours of the peers.
const COLOURS: [&str; 4] = ["#3b6fb6", "#e08a2c", "#4f9d5d", "#8a5fa8"];

/// The chart of a table.
pub fn chart(table: &Table) -> String {
    let ratios = table.ratios();
    let labels = 16.0 + LETTER * ratios.iter().map(|ratio| ratio.row.len()).max().unwrap_or(0) as f64;
    let logs = || ratios.iter().map(|ratio| ratio.ratio.log2());
    let low = logs().fold(-1.0, f64::min).floor();
    let high = logs().fold(1.0, f64::max).ceil();
    let x = |log: f64| labels + (log - low) / (high - low) * BARS;
    let height = TOP + ratios.len() as f64 * HEIGHT + 30.0;
    let width = labels + BARS + RIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut line = |text: String| {
        svg += &text;
        svg.push('\n');
    };
    let mut left = labels;
    for (peer, colour) in table.peers.iter().zip(COLOURS.iter().cycle()) {
        line(format!("<rect x=\"{left}\" y=\"8\" width=\"10\" height=\"10\" fill=\"{colour}\"/>"));
        line(format!("<text x=\"{}\" y=\"17\">{}</text>", left + 14.0, escaped(peer)));
        left += 30.0 + 7.0 * peer.len() as f64;
    }
    for (power, at) in (low as i32..=high as i32).map(|power| (power, x(f64::from(power)))) {
        let label = if power < 0 { format!("1/{}", 1u64 << -power) } else { (1u64 << power).to_string() };
        let colour = if power == 0 { "black" } else { "#cccccc" };
        let bottom = height - 26.0;
        line(format!("<line x1=\"{at:.1}\" y1=\"{}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"/>", TOP - 8.0));
        line(format!("<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", height - 10.0));
    }
    let mut before = "";
    for (number, ratio) in ratios.iter().enumerate() {
        let y = TOP + number as f64 * HEIGHT;
        let peer = table.peers.iter().position(|peer| peer == ratio.peer).unwrap_or(0);
        let (one, end) = (x(0.0), x(ratio.ratio.log2()));
        let (from, to) = (one.min(end), one.max(end));
        if ratio.row != before {
            line(format!(
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                labels - 8.0,
                y + 12.0,
                escaped(ratio.row)
            ));
        }
        before = ratio.row;
        line(format!(
            "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" fill=\"{}\"/>",
            y + 2.0,
            (to - from).max(1.0),
            COLOURS[peer % COLOURS.len()]
        ));
        line(format!("<text x=\"{:.1}\" y=\"{:.1}\">{:.2}</text>", to + 4.0, y + 12.0, ratio.ratio));
    }
    let _ = writeln!(svg, "</svg>");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
