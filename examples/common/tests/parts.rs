//! Parts of volumes are read without the rest of the file, and written side by side.

use forall::Runtime;
use forall_examples::grid::Grid;
use forall_examples::read::raw::Raw;
use forall_examples::read::{Choice, Source};
use forall_examples::write;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SHAPE: [usize; 3] = [13, 7, 11];

fn value(x: usize, y: usize, z: usize) -> f32 {
    (x + 100 * y + 10_000 * z) as f32
}

/// The values of a part, x fastest.
fn expected([x, y, z]: &[Range<usize>; 3]) -> Vec<f32> {
    let rows = || z.clone().flat_map(|z| y.clone().map(move |y| (y, z)));
    rows().flat_map(|(y, z)| x.clone().map(move |x| value(x, y, z))).collect()
}

fn whole() -> [Range<usize>; 3] {
    SHAPE.map(|count| 0..count)
}

const PARTS: [[Range<usize>; 3]; 7] = [
    [0..13, 0..7, 0..11],
    [0..13, 0..7, 4..5],
    [0..13, 2..6, 3..9],
    [5..6, 6..7, 10..11],
    [3..11, 1..7, 0..11],
    [12..13, 0..7, 2..4],
    [4..4, 0..7, 0..11],
];

fn open(path: &Path, raw: Option<&Raw>) -> Source {
    Source::open(path, &Choice { variable: None, raw }).unwrap_or_else(|error| panic!("{error}"))
}

fn check(source: &Source) {
    assert_eq!(source.grid.shape(), SHAPE);
    for part in PARTS {
        let mut last = 0.0;
        let found = source.part(part.clone(), &mut |share| last = share).expect("a part");
        assert_eq!(found, expected(&part), "{part:?}");
        assert!(found.is_empty() || (last - 1.0_f64).abs() < 1e-12, "{last}");
    }
}

fn bytes(values: &[f32], big_endian: bool) -> Vec<u8> {
    values.iter().flat_map(|value| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() }).collect()
}

fn put(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn compressed(block: &[u8], compressor: &str) -> Vec<u8> {
    if compressor == "vtkLZ4DataCompressor" {
        return lz4_flex::block::compress(block);
    }
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(block).expect("compressed");
    encoder.finish().expect("compressed")
}

/// An array as VTK appends it: lengths of eight bytes, and blocks of so many bytes if there is a compressor.
fn appended(bytes: &[u8], compressor: Option<&str>, block: usize) -> Vec<u8> {
    let number = |number: usize| (number as u64).to_le_bytes().to_vec();
    let Some(compressor) = compressor else { return [number(bytes.len()), bytes.to_vec()].concat() };
    let blocks: Vec<Vec<u8>> = bytes.chunks(block).map(|block| compressed(block, compressor)).collect();
    let lengths = [blocks.len(), block, bytes.len() % block].into_iter().chain(blocks.iter().map(Vec::len));
    lengths.flat_map(number).chain(blocks.concat()).collect()
}

/// An image of these pieces.
fn image(pieces: &[[Range<usize>; 3]], compressor: Option<&str>, block: usize) -> Vec<u8> {
    let extent = |part: &[Range<usize>; 3]| {
        part.iter().map(|r| format!("{} {}", r.start, r.end - 1)).collect::<Vec<_>>().join(" ")
    };
    let (mut text, mut data) = (String::new(), Vec::new());
    for piece in pieces {
        let offset = data.len();
        text += &format!(
            r#"<Piece Extent="{}"><PointData><DataArray type="Float32" Name="v" format="appended" offset="{offset}"/></PointData></Piece>"#,
            extent(piece)
        );
        data.extend(appended(&bytes(&expected(piece), false), compressor, block));
    }
    let by = compressor.map_or(String::new(), |name| format!(r#" compressor="{name}""#));
    let head = format!(
        r#"<VTKFile type="ImageData" byte_order="LittleEndian" header_type="UInt64"{by}><ImageData WholeExtent="{}">{text}</ImageData><AppendedData encoding="raw">_"#,
        extent(&whole())
    );
    [head.as_bytes(), &data, b"</AppendedData></VTKFile>"].concat()
}

#[test]
fn parts_are_those_of_the_whole() {
    let folder = TempDir::new().expect("a folder");
    for big_endian in [false, true] {
        let stored = [vec![7; 5], bytes(&expected(&whole()), big_endian)].concat();
        let raw: Raw = format!("13x7x11:f32{}", if big_endian { "be" } else { "le" }).parse().expect("a description");
        check(&open(&put(&folder, "v.raw", &stored), Some(&Raw { offset: 5, ..raw })));
    }
    for pieces in [
        vec![whole()],
        vec![[0..13, 0..7, 0..6], [0..13, 0..7, 6..11]],
        vec![[0..6, 0..7, 0..11], [6..13, 0..7, 0..11]],
    ] {
        for compressor in [None, Some("vtkZLibDataCompressor"), Some("vtkLZ4DataCompressor")] {
            for block in [4, 52, 1 << 10, 1 << 15] {
                check(&open(&put(&folder, "v.vti", &image(&pieces, compressor, block)), None));
            }
        }
    }
}

/// An array of NumPy.
fn array(described: &str, is_fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let mut head = format!("{{'descr': '{described}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (head.len() + 11) % 64 > 0 {
        head.push(' ');
    }
    head.push('\n');
    [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), data].concat()
}

#[test]
fn arrays_of_numpy_are_read() {
    let folder = TempDir::new().expect("a folder");
    let values = expected(&whole());
    for big_endian in [false, true] {
        let kind = if big_endian { ">f4" } else { "<f4" };
        let stored = bytes(&values, big_endian);
        check(&open(&put(&folder, "c.npy", &array(kind, false, "(11, 7, 13)", &stored)), None));
        check(&open(&put(&folder, "f.npy", &array(kind, true, "(13, 7, 11)", &stored)), None));
    }
    let whole_of = |source: &Source| source.planes(0..source.grid.shape()[2], &mut |_| ()).expect("values");
    for (kind, data, shape) in [
        ("|u1", vec![1, 2, 200], [3, 1, 1]),
        ("|b1", vec![0, 1, 1], [3, 1, 1]),
        ("<i2", [1_i16, 2, 200].iter().flat_map(|value| value.to_le_bytes()).collect(), [3, 1, 1]),
        (">i8", [1_i64, 2, 200].iter().flat_map(|value| value.to_be_bytes()).collect(), [3, 1, 1]),
        ("<f8", [1.0_f64, 2.0, 200.0].iter().flat_map(|value| value.to_le_bytes()).collect(), [3, 1, 1]),
    ] {
        let source = open(&put(&folder, "k.npy", &array(kind, false, "(3,)", &data)), None);
        assert_eq!(source.grid.shape(), shape);
        assert_eq!(whole_of(&source), if kind == "|b1" { [0.0, 1.0, 1.0] } else { [1.0, 2.0, 200.0] }, "{kind}");
    }
    let refused = |bytes: &[u8]| {
        let path = put(&folder, "bad.npy", bytes);
        Source::open(&path, &Choice { variable: None, raw: None }).expect_err("an error").to_string()
    };
    assert!(refused(b"not an array").contains("no .npy file"));
    assert!(refused(&array("<c8", false, "(3,)", &[0; 24])).contains("of the type <c8"));
    assert!(refused(&array("<f4", false, "(1, 1, 1, 3)", &[0; 12])).contains("4 axes"));
    assert!(refused(&array("<f4", false, "()", &[0; 4])).contains("0 axes"));
    assert!(refused(&array("<f4", false, "(0, 3)", &[])).contains("empty"));
    assert!(refused(&array("<f4", false, "(3,)", &[0; 11])).contains("ends before"));
    let long = array("<f4", false, "(99999999999, 99999999999)", &[]);
    assert!(refused(&long).contains("99999999999"), "{}", refused(&long));
    for length in 0..long.len() {
        refused(&long[..length]);
    }
}

#[test]
fn other_blocks_are_not_read() {
    let folder = TempDir::new().expect("a folder");
    for compressor in ["vtkZLibDataCompressor", "vtkLZ4DataCompressor"] {
        let mut stored = image(&[whole()], Some(compressor), 4 * 13 * 7);
        let end = stored.len() - b"</AppendedData></VTKFile>".len();
        // The sum at the end of a block of zlib, and the first lengths in one of LZ4, which has no sum.
        let last = compressed(&bytes(&expected(&[0..13, 0..7, 10..11]), false), compressor).len();
        let damaged = if compressor == "vtkZLibDataCompressor" { end - 1..end } else { end - last..end - last + 9 };
        stored[damaged].iter_mut().for_each(|byte| *byte ^= 0xff);
        let source = open(&put(&folder, "v.vti", &stored), None);
        let part = [0..13, 0..7, 0..10];
        assert_eq!(source.part(part.clone(), &mut |_| ()).expect("whole blocks"), expected(&part));
        let error = source.planes(10..11, &mut |_| ()).expect_err("a damaged block").to_string();
        assert!(error.contains("block 10 of an array"), "{error}");
        // A file that was cut off is known when it is opened.
        let path = put(&folder, "cut.vti", &stored[..end - 1]);
        let error = Source::open(&path, &Choice { variable: None, raw: None }).expect_err("an error").to_string();
        assert!(error.contains("ends before"), "{error}");
    }
    // A volume of 32 GB. The file system stores only one page of it.
    let path = folder.path().join("large.raw");
    fs::File::create(&path).and_then(|file| file.set_len(1 << 35)).expect("a sparse file");
    let source = open(&path, Some(&"65536x65536x2:f32le".parse().expect("a description")));
    assert_eq!(source.part([9..12, 65_000..65_002, 1..2], &mut |_| ()).expect("a part"), [0.0; 6]);
}

/// The part of a rank and number: bricks of all sizes.
fn bricks() -> Vec<[Range<usize>; 3]> {
    let cuts = |count: usize, parts: usize| {
        (0..parts).map(move |part| count * part / parts..count * (part + 1) / parts).collect::<Vec<_>>()
    };
    let [x, y, z] = [cuts(13, 3), cuts(7, 2), cuts(11, 4)];
    let mut found = vec![[0..0, 0..7, 0..11]];
    for z in &z {
        for y in &y {
            found.extend(x.iter().map(|x| [x.clone(), y.clone(), z.clone()]));
        }
    }
    found
}

#[test]
fn ranks_write_parts_of_one_file_side_by_side() {
    let folder = TempDir::new().expect("a folder");
    let grid = Grid::even(SHAPE, [1.0, 2.0, 3.0], [0.5, 1.0, 2.0]);
    for name in ["v.vti", "v.npy"] {
        let path = folder.path().join(name);
        for ranks in [1, 2, 3, 4, 7] {
            Runtime::builder().ranks(ranks).run(|| {
                let own = bricks().into_iter().skip(forall::rank()).step_by(forall::ranks());
                write::parts(&path, "v", &grid, own.map(|part| (part.clone(), expected(&part)))).expect("written");
            });
            check(&open(&path, None));
            fs::remove_file(&path).expect("it was written");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
