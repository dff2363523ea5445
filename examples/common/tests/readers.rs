//! Files written here, byte by byte, and what becomes of them; and damaged files, which must be refused in words.

use forall_examples::grid::Grid;
use forall_examples::read::raw::Raw;
use forall_examples::read::{Choice, ReadError, Source};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("the temporary folder is writable");
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory is writable");
    encoder.finish().expect("memory is writable")
}

fn open(path: &Path, variable: Option<&str>) -> Result<Source, ReadError> {
    Source::open(path, &Choice { variable, raw: None })
}

fn all(source: &Source) -> Result<Vec<f32>, ReadError> {
    source.planes(0..source.grid.shape()[2], &mut |_| ())
}

/// The message with which a file is refused, by its header or by its values.
fn refusal(path: &Path, variable: Option<&str>) -> String {
    match open(path, variable).and_then(|source| all(&source)) {
        Ok(_) => panic!("{} should be refused", path.display()),
        Err(error) => error.to_string(),
    }
}

/// A damaged file is read or refused; it causes no panic.
fn survive(path: &Path) {
    if let Ok(source) = open(path, None)
        && source.grid.shape().iter().product::<usize>() < 1 << 20
    {
        let _ = all(&source);
    }
}

/// Every prefix of a file, and the file with single bytes changed.
fn damage(folder: &TempDir, name: &str, bytes: &[u8], header: usize) {
    for length in (0..bytes.len().min(header)).step_by(3).chain([bytes.len() - 1]) {
        survive(&write(folder, name, &bytes[..length]));
    }
    for at in 0..header.min(bytes.len()) {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = bytes.to_vec();
            bytes[at] = value;
            survive(&write(folder, name, &bytes));
        }
    }
}

// NetCDF-3, as its specification says: a name is its length and its bytes, padded to four.

fn name(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_be_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn attribute(key: &str, kind: u32, count: u32, value: &[u8]) -> Vec<u8> {
    let mut bytes = [name(key), kind.to_be_bytes().to_vec(), count.to_be_bytes().to_vec(), value.to_vec()].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

struct Var<'a> {
    name: &'a str,
    dimensions: &'a [u32],
    attributes: Vec<Vec<u8>>,
    kind: u32,
    /// One piece, or one for each record.
    data: Vec<Vec<u8>>,
}

fn list(tag: u32, items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() {
        return vec![0; 8];
    }
    [tag.to_be_bytes().to_vec(), (items.len() as u32).to_be_bytes().to_vec(), items.concat()].concat()
}

/// Dimensions with length zero are records.
fn netcdf(records: u32, dimensions: &[(&str, u32)], vars: &[Var]) -> Vec<u8> {
    let is_record = |var: &Var| var.dimensions.first().is_some_and(|&d| dimensions[d as usize].1 == 0);
    let dims: Vec<_> = dimensions.iter().map(|(n, length)| [name(n), length.to_be_bytes().to_vec()].concat()).collect();
    let header = |offsets: &[u32]| {
        let vars = vars.iter().zip(offsets).map(|(var, offset)| {
            let ids: Vec<u8> = var.dimensions.iter().flat_map(|d| d.to_be_bytes()).collect();
            let size = var.data[0].len().next_multiple_of(4) as u32;
            let rank = (var.dimensions.len() as u32).to_be_bytes().to_vec();
            let tail = [var.kind, size, *offset].map(u32::to_be_bytes).concat();
            [name(var.name), rank, ids, list(12, &var.attributes), tail].concat()
        });
        let vars: Vec<_> = vars.collect();
        [b"CDF\x01".to_vec(), records.to_be_bytes().to_vec(), list(10, &dims), vec![0; 8], list(11, &vars)].concat()
    };
    let mut bytes = header(&vec![0; vars.len()]);
    let mut offsets = vec![0; vars.len()];
    for (k, var) in vars.iter().enumerate().filter(|(_, var)| !is_record(var)) {
        offsets[k] = bytes.len() as u32;
        bytes.extend(&var.data[0]);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    for record in 0..records as usize {
        for (k, var) in vars.iter().enumerate().filter(|(_, var)| is_record(var)) {
            if record == 0 {
                offsets[k] = bytes.len() as u32;
            }
            bytes.extend(&var.data[record]);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
    }
    let length = header(&offsets).len();
    bytes[..length].copy_from_slice(&header(&offsets));
    bytes
}

fn shorts(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_be_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_be_bytes()).collect()
}

fn packed_ocean() -> Vec<u8> {
    let text = |key: &str, value: &str| attribute(key, 2, value.len() as u32, value.as_bytes());
    netcdf(
        0,
        &[("time", 1), ("depth", 2), ("lat", 2), ("lon", 3)],
        &[
            Var {
                name: "lon",
                dimensions: &[3],
                attributes: vec![text("units", "degrees_east")],
                kind: 5,
                data: vec![floats(&[1.0, 2.0, 4.0])],
            },
            Var {
                name: "lat",
                dimensions: &[2],
                attributes: vec![text("units", "degrees_north")],
                kind: 5,
                data: vec![floats(&[50.0, 40.0])],
            },
            Var {
                name: "depth",
                dimensions: &[1],
                attributes: vec![text("positive", "down")],
                kind: 5,
                data: vec![floats(&[0.0, 10.0])],
            },
            Var {
                name: "temp",
                dimensions: &[0, 1, 2, 3],
                attributes: vec![
                    text("units", "degC"),
                    attribute("scale_factor", 5, 1, &0.5f32.to_be_bytes()),
                    attribute("add_offset", 6, 1, &100.0f64.to_be_bytes()),
                    attribute("_FillValue", 3, 1, &[0x80, 0]),
                    attribute("missing_value", 3, 1, &[0, 7]),
                ],
                kind: 3,
                data: vec![shorts(&[0, 2, 4, 6, -8, -32768, 7, 1, 3, 5, 9, 11])],
            },
            Var { name: "flag", dimensions: &[3], attributes: vec![], kind: 3, data: vec![shorts(&[1, 2, 3])] },
        ],
    )
}

#[test]
fn netcdf_packing_missing_values_and_axes() {
    let folder = TempDir::new().expect("a temporary folder");
    for path in [write(&folder, "a.nc", &packed_ocean()), write(&folder, "a.nc.gz", &gzip(&packed_ocean()))] {
        let source = open(&path, None).expect("a correct file");
        assert_eq!(source.name, "temp");
        assert_eq!(source.units.as_deref(), Some("degC"));
        assert!(source.is_ocean && source.grid.axes[2] == [0.0, -10.0] && source.grid.axes[0] == [1.0, 2.0, 4.0]);
        let values = all(&source).expect("a complete file");
        assert_eq!(values[..5], [100.0, 101.0, 102.0, 103.0, 96.0]);
        assert!(values[5].is_nan() && values[6].is_nan());
        assert_eq!(source.planes(1..2, &mut |_| ()).expect("a slab")[1..], values[7..]);
    }
}

#[test]
fn netcdf_records_and_default_fill() {
    let folder = TempDir::new().expect("a temporary folder");
    let fill = 9.969_21e36_f32;
    let planes = vec![floats(&[1.0, 2.0]), floats(&[3.0, fill]), floats(&[5.0, 6.0])];
    let records = |values: &[i16]| values.iter().map(|v| shorts(&[*v])).collect();
    let bytes = netcdf(
        3,
        &[("z", 0), ("y", 1), ("x", 2)],
        &[
            Var { name: "z", dimensions: &[0], attributes: vec![], kind: 3, data: records(&[5, 7, 30]) },
            Var { name: "v", dimensions: &[0, 1, 2], attributes: vec![], kind: 5, data: planes },
        ],
    );
    let source = open(&write(&folder, "r.nc", &bytes), None).expect("a correct file");
    assert_eq!(source.grid.axes[2], [5.0, 7.0, 30.0]);
    let values = all(&source).expect("a complete file");
    assert_eq!((values[..3].to_vec(), values[4..].to_vec()), (vec![1.0, 2.0, 3.0], vec![5.0, 6.0]));
    assert!(values[3].is_nan());
}

#[test]
fn netcdf_values_at_several_times() {
    let folder = TempDir::new().expect("a temporary folder");
    let value = |t: usize, i: usize| (10 * t + i) as f32;
    // Times are records, beside those of another variable, or a dimension as all others.
    for (length, records) in [(0, 3), (3, 0)] {
        let of_time = |t: usize| floats(&(0..4).map(|i| value(t, i)).collect::<Vec<_>>());
        let (v, times) = ((0..3).map(of_time), [2.5_f32, 3.0, 7.0].map(|t| floats(&[t])));
        let (v, times): (Vec<_>, Vec<_>) = match records {
            0 => (vec![v.flatten().collect()], vec![times.concat()]),
            _ => (v.collect(), times.to_vec()),
        };
        let bytes = netcdf(
            records,
            &[("time", length), ("z", 2), ("y", 1), ("x", 2)],
            &[
                Var { name: "time", dimensions: &[0], attributes: vec![], kind: 5, data: times },
                Var { name: "v", dimensions: &[0, 1, 2, 3], attributes: vec![], kind: 5, data: v },
            ],
        );
        let source = open(&write(&folder, "t.nc", &bytes), None).expect("a correct file");
        assert_eq!(source.times, [2.5, 3.0, 7.0]);
        for t in 0..3 {
            let values = source.part_at(t, [1..2, 0..1, 0..2], &mut |_| ()).expect("a complete file");
            assert_eq!(values, [value(t, 1), value(t, 3)]);
        }
        assert_eq!(all(&source).expect("a complete file"), [0.0, 1.0, 2.0, 3.0]);
        let error = refusal(&write(&folder, "cut.nc", &bytes[..bytes.len() - 4]), None);
        assert!(error.contains("the file ends before the volume"), "{error}");
    }
}

#[test]
fn netcdf_refusals_name_the_remedy() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = write(&folder, "a.nc", &packed_ocean());
    assert!(
        refusal(&path, Some("salt")).contains("no variable `salt`; choose with --variable among temp (1 x 2 x 2 x 3)")
    );
    assert!(refusal(&path, Some("flag")).contains("`flag` is not a volume"));
    assert!(refusal(&write(&folder, "b.nc", b"\x89HDF\r\n\x1a\n.."), None).contains("nccopy"));
    assert!(refusal(&write(&folder, "c.nc", b"hello, this is text"), None).contains("letters CDF"));
    let bytes = packed_ocean();
    assert!(refusal(&write(&folder, "d.nc", &bytes[..bytes.len() - 20]), None).contains("the file ends before"));
    assert!(refusal(&write(&folder, "e.nc", &bytes[..50]), None).contains("ends before the header"));
    assert!(refusal(&folder.path().join("none.nc"), None).contains("cannot read"));
    assert!(refusal(&write(&folder, "f.xyz", b""), None).contains("--raw"));
}

#[test]
fn damaged_netcdf_causes_no_panic() {
    let folder = TempDir::new().expect("a temporary folder");
    damage(&folder, "a.nc", &packed_ocean(), 700);
    damage(&folder, "a.nc.gz", &gzip(&packed_ocean()), 200);
}

/// A NIfTI-1 file of 3 x 2 x 2 values, `0..12` times two less four, of this type.
fn nifti(code: i16, big_endian: bool, bytes_of: impl Fn(i8) -> Vec<u8>) -> Vec<u8> {
    let mut header = vec![0; 352];
    let mut put = |at: usize, mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        header[at..at + bytes.len()].copy_from_slice(&bytes);
    };
    put(0, 348i32.to_le_bytes().to_vec());
    for (k, size) in [3i16, 3, 2, 2].into_iter().enumerate() {
        put(40 + 2 * k, size.to_le_bytes().to_vec());
    }
    put(70, code.to_le_bytes().to_vec());
    for (k, spacing) in [2.0f32, 3.0, 4.0].into_iter().enumerate() {
        put(80 + 4 * k, spacing.to_le_bytes().to_vec());
    }
    put(108, 352f32.to_le_bytes().to_vec());
    put(112, 0.5f32.to_le_bytes().to_vec());
    put(116, 10f32.to_le_bytes().to_vec());
    header[344..348].copy_from_slice(b"n+1\0");
    for value in 0..12 {
        let mut bytes = bytes_of(2 * value);
        if big_endian {
            bytes.reverse();
        }
        header.extend(bytes);
    }
    header
}

#[test]
fn nifti_of_every_type_and_order() {
    let folder = TempDir::new().expect("a temporary folder");
    type ToBytes = fn(i8) -> Vec<u8>;
    let types: [(i16, ToBytes); 10] = [
        (2, |v| (v as u8).to_le_bytes().to_vec()),
        (4, |v| i16::from(v).to_le_bytes().to_vec()),
        (8, |v| i32::from(v).to_le_bytes().to_vec()),
        (16, |v| f32::from(v).to_le_bytes().to_vec()),
        (64, |v| f64::from(v).to_le_bytes().to_vec()),
        (256, |v| v.to_le_bytes().to_vec()),
        (512, |v| (v as u16).to_le_bytes().to_vec()),
        (768, |v| (v as u32).to_le_bytes().to_vec()),
        (1024, |v| i64::from(v).to_le_bytes().to_vec()),
        (1280, |v| (v as u64).to_le_bytes().to_vec()),
    ];
    for (code, to_bytes) in types {
        for big_endian in [false, true] {
            let bytes = nifti(code, big_endian, to_bytes);
            for path in [write(&folder, "a.nii", &bytes), write(&folder, "a.nii.gz", &gzip(&bytes))] {
                let source = open(&path, None).expect("a correct file");
                assert_eq!(source.name, "a");
                assert_eq!(source.grid.axes, [vec![0.0, 2.0, 4.0], vec![0.0, 3.0], vec![0.0, 4.0]]);
                let expected: Vec<f32> = (0..12).map(|v| 10.0 + v as f32).collect();
                assert_eq!(all(&source).expect("a complete file"), expected, "type {code}");
                assert_eq!(source.planes(1..2, &mut |_| ()).expect("a slab"), expected[6..]);
            }
        }
    }
}

#[test]
fn nifti_refusals() {
    let folder = TempDir::new().expect("a temporary folder");
    let bytes = nifti(2, false, |v| vec![v as u8]);
    assert!(refusal(&write(&folder, "a.nii", &bytes[..360]), None).contains("the file ends before"));
    assert!(refusal(&write(&folder, "a.nii.gz", &gzip(&bytes[..360])), None).contains("plane 1"));
    let cut = gzip(&bytes);
    assert!(refusal(&write(&folder, "b.nii.gz", &cut[..cut.len() / 2]), None).contains("b.nii.gz"));
    assert!(refusal(&write(&folder, "c.nii.gz", b"not compressed"), None).contains("damaged"));
    assert!(refusal(&write(&folder, "d.nii", &nifti(128, false, |v| vec![v as u8])), None).contains("colours"));
    damage(&folder, "e.nii", &bytes, 352);
    damage(&folder, "e.nii.gz", &gzip(&bytes), 120);
}

#[test]
fn raw_files() {
    let folder = TempDir::new().expect("a temporary folder");
    let values: Vec<u8> = [9u8; 5].into_iter().chain((0..8i16).flat_map(|v| (v - 3).to_be_bytes())).collect();
    let path = write(&folder, "a.bin", &values);
    let raw = Raw { offset: 5, spacing: [1.0, 1.0, 1.5], ..("2x2x2:i16be".parse().expect("a correct description")) };
    let source = Source::open(&path, &Choice { variable: None, raw: Some(&raw) }).expect("a correct file");
    assert_eq!(source.grid.axes[2], [0.0, 1.5]);
    assert_eq!(all(&source).expect("a complete file"), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let raw = Raw { shape: [2, 2, 3], ..raw };
    let error = Source::open(&path, &Choice { variable: None, raw: Some(&raw) }).expect_err("it is too short");
    assert!(error.to_string().contains("29 bytes with the header, and the file has 21"), "{error}");
    let raw = Raw { shape: [usize::MAX, 2, 3], ..raw };
    assert!(Source::open(&path, &Choice { variable: None, raw: Some(&raw) }).is_err());
    for wrong in ["", "2x2:u8", "2x2x2:i16", "2x2x2:i17le", "2x2x2", "axbxc:u8", "1x2x3x4:u8"] {
        assert!(wrong.parse::<Raw>().expect_err(wrong).contains("XxYxZ:TYPE"));
    }
}

/// A VTK image of two pieces that meet in a plane, as text and as raw appended bytes.
fn image() -> Vec<u8> {
    let mut bytes = br#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="1 3 0 1 0 1" Origin="10 20 30" Spacing="1 2 3">
    <Piece Extent="1 2 0 1 0 1"><PointData Scalars="v">
      <DataArray type="Float32" Name="vec" NumberOfComponents="3" format="ascii"/>
      <DataArray type="Int16" Name="v" format="ascii">0 1 3 4 6 7 9 10</DataArray>
    </PointData></Piece>
    <Piece Extent="2 3 0 1 0 1"><PointData>
      <DataArray type="UInt16" Name="v" format="appended" offset="3"/>
    </PointData></Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _"#
    .to_vec();
    bytes.extend([0xff, 0xfe, 0x3c]);
    bytes.extend(16u64.to_le_bytes());
    bytes.extend([1u16, 2, 4, 5, 7, 8, 10, 11].into_iter().flat_map(u16::to_le_bytes));
    bytes.extend(b"\n</AppendedData></VTKFile>");
    bytes
}

#[test]
fn vtk_images_of_pieces() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = write(&folder, "a.vti", &image());
    let source = open(&path, None).expect("a correct file");
    assert_eq!(source.grid.axes, [vec![11.0, 12.0, 13.0], vec![20.0, 22.0], vec![30.0, 33.0]]);
    assert_eq!(all(&source).expect("a complete file"), (0..12).map(|v| v as f32).collect::<Vec<_>>());
    assert!(refusal(&path, Some("w")).contains("choose with --variable among v"));
    assert!(refusal(&write(&folder, "b.vti", b"<a>"), None).contains("not well-formed"));
    assert!(refusal(&write(&folder, "c.vti", b"<a/>"), None).contains("not a VTK image"));
    damage(&folder, "d.vti", &image(), 1000);
}

#[test]
fn a_volume_that_is_written_is_read_again() {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("v.vti");
    for (shape, spacing) in [([3, 4, 5], [0.5, -2.0, 1.25]), ([1, 6, 1], [1.0, 3.0, 1.0])] {
        let grid = Grid::even(shape, [7.0, -1.0, 0.25], spacing);
        let plane = shape[0] * shape[1];
        let values: Vec<f32> = (0..plane * shape[2]).map(|i| i as f32 * 0.1 - 3.0).collect();
        // One plane, then the others.
        let (first, rest) = values.split_at(plane);
        let parts = [(1, rest.to_vec()), (0, first.to_vec())];
        forall_examples::write::image(&path, "height", &grid, parts.into_iter()).expect("it is written");
        let source = open(&path, None).expect("it is read");
        assert_eq!((source.name.as_str(), &source.grid.axes), ("height", &grid.axes));
        assert_eq!(all(&source).expect("values"), values);
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
    let uneven = Grid { axes: [vec![0.0, 1.0, 3.0], vec![0.0], vec![0.0]] };
    let refused = forall_examples::write::image(&path, "height", &uneven, std::iter::empty()).expect_err("uneven");
    assert!(refused.to_string().contains("lie unevenly"), "{refused}");
}
