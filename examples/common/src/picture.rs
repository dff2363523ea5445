//! The options of examples that draw, and PNG files.

use crate::camera::Camera;
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
        let mut encoder = png::Encoder::new(file, size[0] as u32, size[1] as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        writer.write_image_data(image.as_flattened()).map_err(std::io::Error::other)?;
        writer.finish().map_err(std::io::Error::other)
    })
}
