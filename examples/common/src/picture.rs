//! The options of examples that draw, and PNG files.

use crate::camera::Camera;
use crate::read::ReadError;
use crate::write::{WriteError, atomically, check_place};
use clap::Args;
use std::path::{Path, PathBuf};

/// The options of examples that draw. A program names its own picture by
/// `#[command(mut_arg("image", |image| image.default_value("name.png")))]`.
#[derive(Debug, Args)]
pub struct PictureOptions {
    /// Picture to write: .png
    #[arg(long, value_name = "FILE", default_value = "picture.png")]
    pub image: PathBuf,

    /// From where to look: degrees counter-clockwise from the front, degrees above the horizon, magnification
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true)]
    pub camera: Option<Camera>,
}

impl PictureOptions {
    /// Fails when the picture cannot be written: better known before the work than after it.
    ///
    /// # Errors
    /// When the name is not that of a picture, in a folder that exists.
    pub fn check(&self) -> Result<(), WriteError> {
        check(&self.image)
    }
}

/// Fails when a picture cannot be written: better known before the work than after it.
///
/// # Errors
/// When the name is not that of a picture, in a folder that exists.
pub fn check(picture: &Path) -> Result<(), WriteError> {
    check_place(picture)?;
    match picture.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        true => Ok(()),
        false => Err(WriteError::Picture(picture.into())),
    }
}

/// Writes a picture of so many pixels along x and y, row by row from the top.
///
/// # Errors
/// When the operating system refuses.
pub fn png(path: &Path, size: [usize; 2], image: &[[u8; 3]]) -> Result<(), WriteError> {
    atomically(path, |file| {
        let mut writer = encoder(file, size).write_header().map_err(std::io::Error::other)?;
        writer.write_image_data(image.as_flattened()).map_err(std::io::Error::other)?;
        writer.finish().map_err(std::io::Error::other)
    })
}

/// Writes pictures that follow each other, so many in a second, as an animated PNG. Without pictures, no file is written.
///
/// # Errors
/// When the operating system refuses.
pub fn animation(
    path: &Path,
    size: [usize; 2],
    per_second: u16,
    images: impl ExactSizeIterator<Item = Vec<[u8; 3]>>,
) -> Result<(), WriteError> {
    if images.len() == 0 {
        return Ok(());
    }
    atomically(path, |file| {
        let mut encoder = encoder(file, size);
        encoder.set_animated(images.len() as u32, 0).map_err(std::io::Error::other)?;
        encoder.set_frame_delay(1, per_second).map_err(std::io::Error::other)?;
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        for image in images {
            writer.write_image_data(image.as_flattened()).map_err(std::io::Error::other)?;
        }
        writer.finish().map_err(std::io::Error::other)
    })
}

fn encoder<W: std::io::Write>(file: W, size: [usize; 2]) -> png::Encoder<'static, W> {
    let mut encoder = png::Encoder::new(file, size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
}

/// The brightness of the pixels of a PNG file, from 0 to 1, with their number along x and y.
///
/// # Errors
/// When the file cannot be read, or is no PNG file.
pub fn brightness(path: &Path) -> Result<([usize; 2], Vec<f32>), ReadError> {
    let file = std::fs::File::open(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let damaged = |error: png::DecodingError| ReadError::Malformed {
        path: path.into(),
        problem: format!("this is no PNG file that can be read ({error})"),
        remedy: "convert the picture to PNG".to_owned(),
    };
    let mut reader = decoder.read_info().map_err(damaged)?;
    let too_large = || ReadError::Malformed {
        path: path.into(),
        problem: "the picture is too large".to_owned(),
        remedy: "make it smaller".to_owned(),
    };
    let mut pixels = vec![0; reader.output_buffer_size().ok_or_else(too_large)?];
    let info = reader.next_frame(&mut pixels).map_err(damaged)?;
    let channels = info.color_type.samples();
    // Rec. 709, and grey as it is.
    let bright = |pixel: &[u8]| match pixel {
        [red, green, blue, ..] => 0.2126 * f32::from(*red) + 0.7152 * f32::from(*green) + 0.0722 * f32::from(*blue),
        [grey, ..] => f32::from(*grey),
        [] => 0.0,
    };
    let values = pixels[..info.buffer_size()].chunks_exact(channels).map(|pixel| bright(pixel) / 255.0);
    Ok(([info.width as usize, info.height as usize], values.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_read_as_it_is_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("picture.png");
        png(&path, [2, 1], &[[0, 0, 0], [255, 255, 255]]).expect("a picture");
        let (size, values) = brightness(&path).expect("a picture");
        assert_eq!(size, [2, 1]);
        assert!(values[0] == 0.0 && (values[1] - 1.0).abs() < 1e-6);
        animation(&path, [2, 1], 12, [vec![[9; 3]; 2], vec![[7; 3]; 2]].into_iter()).expect("an animation");
        assert_eq!(brightness(&path).expect("the first picture").0, [2, 1]);
        std::fs::write(&path, "text").expect("a file");
        assert!(brightness(&path).expect_err("no picture").to_string().contains("convert the picture to PNG"));
    }
}
