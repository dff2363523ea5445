//! Meshes are the same in all formats, and what is not sound is refused with a reason.

use forall_examples::cells::{Cells, Field, kind};
use forall_examples::read::mesh;
use forall_examples::write::cells;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A pyramid's surface.
const CORNERS: [&[u32]; 5] = [&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]];
const PLACES: [[f32; 3]; 5] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.5]];

fn surface() -> Cells {
    let mut mesh = Cells { points: PLACES.to_vec(), ..Cells::new() };
    CORNERS.iter().for_each(|corners| mesh.push(if corners.len() == 4 { kind::QUAD } else { kind::TRIANGLE }, corners));
    mesh
}

fn with_fields(mut mesh: Cells) -> Cells {
    let height = Field { name: "height".into(), components: 1, values: PLACES.map(|p| p[2]).to_vec() };
    let normals = Field { name: "Normals".into(), components: 3, values: PLACES.as_flattened().to_vec() };
    (mesh.name, mesh.values, mesh.fields) = ("height".into(), height.values.clone(), vec![height, normals]);
    mesh
}

fn places() -> String {
    PLACES.map(|p| format!("{} {} {}", p[0], p[1], p[2])).join("\n")
}

fn counted() -> String {
    CORNERS.map(|c| format!("{} {}", c.len(), c.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))).join("\n")
}

/// The surface in each format that is text; whether it tells the heights too.
fn texts() -> Vec<(&'static str, String, bool)> {
    let (places, faces) = (places(), counted());
    let heights = PLACES.map(|p| p[2].to_string()).join("\n");
    let legacy = format!(
        "# vtk DataFile Version 3.0\na pyramid\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n{places}\nPOLYGONS 5 21\n{faces}\n\
         POINT_DATA 5\nSCALARS height float 1\nLOOKUP_TABLE default\n{heights}\n"
    );
    let grid = format!(
        "# vtk DataFile Version 3.0\na pyramid\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n{places}\nCELLS 5 21\n{faces}\n\
         CELL_TYPES 5\n9\n5\n5\n5\n5\nPOINT_DATA 5\nSCALARS height float 1\nLOOKUP_TABLE default\n{heights}\n"
    );
    let with_height = PLACES.map(|p| format!("{} {} {} {}", p[0], p[1], p[2], p[2])).join("\n");
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nproperty float height\n\
         element face 5\nproperty list uchar int vertex_indices\nend_header\n{with_height}\n{faces}\n"
    );
    let off = format!("OFF # a pyramid\n5 5 8\n{places}\n\n{}\n", faces.replacen('\n', " 0.5 0.5 0.5\n", 1));
    let vertices = PLACES.map(|p| format!("v {} {} {}", p[0], p[1], p[2])).join("\n");
    let groups = CORNERS
        .map(|c| format!("g {}\nf {}", c[0], c.iter().map(|c| format!("{}", c + 1)).collect::<Vec<_>>().join(" ")));
    vec![
        ("polygons.vtk", legacy, true),
        ("grid.vtk", grid, true),
        ("mesh.ply", ply, true),
        ("mesh.off", off, false),
        ("mesh.obj", format!("# a pyramid\n{vertices}\n{}\n", groups.join("\n")), false),
    ]
}

fn written(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// The places of the corners of each cell: what does not hang on the order of points.
fn cells_of(mesh: &Cells) -> Vec<Vec<[f32; 3]>> {
    (0..mesh.len()).map(|cell| mesh.corners_of(cell).iter().map(|&c| mesh.points[c as usize]).collect()).collect()
}

#[test]
fn all_formats_have_the_same_mesh() {
    let folder = TempDir::new().expect("a folder");
    for (name, text, has_heights) in texts() {
        let found = mesh(&written(&folder, name, text), None).unwrap();
        assert_eq!(cells_of(&found), cells_of(&surface()), "{name}");
        assert_eq!((found.points.len(), found.check()), (5, Ok(())));
        if has_heights {
            assert_eq!((found.name.as_str(), found.values), ("height", PLACES.map(|p| p[2]).to_vec()), "{name}");
        }
    }
    for name in ["out.vtu", "out.vtp", "out.ply"] {
        let path = folder.path().join(name);
        cells(&path, &with_fields(surface())).unwrap();
        let found = mesh(&path, Some("height")).unwrap();
        assert_eq!(found, with_fields(surface()), "{name}");
    }
}

#[test]
fn what_is_known_of_cells_is_kept() {
    let folder = TempDir::new().expect("a folder");
    // In a file of polygons these come in another order: points, lines, polygons, strips.
    let mut mixed = surface();
    mixed.push(kind::STRIP, &[0, 1, 3, 2]);
    mixed.push(kind::VERTEX, &[4]);
    mixed.push(kind::LINE, &[0, 4]);
    mixed.push(kind::TRIANGLE, &[1, 2, 4]);
    let number = |of: fn(usize) -> f32| (0..mixed.len()).map(of).collect();
    let fields = vec![
        Field { name: "number".into(), components: 1, values: number(|cell| cell as f32) },
        Field { name: "pair".into(), components: 2, values: (0..2 * mixed.len()).map(|k| k as f32 * 0.5).collect() },
    ];
    let whole = Cells { cell_fields: fields, ..mixed };
    let path = folder.path().join("cells.vtu");
    cells(&path, &whole).unwrap();
    assert_eq!(mesh(&path, None).unwrap(), whole);
    let path = folder.path().join("cells.vtp");
    cells(&path, &whole).unwrap();
    let found = mesh(&path, None).unwrap();
    let order = [6, 7, 0, 1, 2, 3, 4, 8, 5];
    assert_eq!(found.cell_fields, whole.fields_of_cells(&order));
    let expected: Vec<_> = order.iter().map(|&cell| cells_of(&whole)[cell as usize].clone()).collect();
    assert_eq!(cells_of(&found), expected);
    // The older format, whose cells have two arrays.
    let (name, text, _) = texts().into_iter().next().expect("a file");
    let text = format!(
        "{text}CELL_DATA 5\nSCALARS number float 1\nLOOKUP_TABLE default\n0 1 2 3 4\nVECTORS v float\n{}\n",
        "1 2 3\n".repeat(5)
    );
    let found = mesh(&written(&folder, name, &text), None).unwrap();
    assert_eq!(found.cell_fields[0].values, [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!((found.cell_fields[1].components, found.cell_fields[1].values.len()), (3, 15));
    assert_eq!(found.name, "height");
    let wrong = said(&written(&folder, name, text.replace("CELL_DATA 5", "CELL_DATA 4")));
    assert!(!wrong.is_empty());
    let lacking = std::fs::read(&path).unwrap();
    let at = lacking.windows(14).position(|text| text == b"Name=\"number\" ").expect("the array");
    let mut renamed = lacking.clone();
    renamed[at + 6..at + 12].copy_from_slice(b"numbez");
    assert_eq!(mesh(&written(&folder, "renamed.vtp", renamed), None).unwrap().cell_fields[0].name, "numbez");
}

#[test]
fn triangles_of_stl_meet_at_points() {
    let folder = TempDir::new().expect("a folder");
    let triangles =
        [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]].map(|t: [usize; 3]| t.map(|c| PLACES[c]));
    let facet = |t: &[[f32; 3]; 3]| {
        let corners = t.map(|p| format!("vertex {} {} {}", p[0], p[1], p[2])).join("\n");
        format!("facet normal 0 0 0\nouter loop\n{corners}\nendloop\nendfacet\n")
    };
    let text = format!("solid pyramid\n{}endsolid pyramid\n", triangles.iter().map(facet).collect::<String>());
    let mut binary = vec![0; 80];
    binary.extend(6u32.to_le_bytes());
    for triangle in &triangles {
        binary.extend([0.0f32; 3].iter().chain(triangle.as_flattened()).flat_map(|x| x.to_le_bytes()));
        binary.extend([0; 2]);
    }
    for (name, bytes) in [("text.stl", text.into_bytes()), ("binary.stl", binary)] {
        let found = mesh(&written(&folder, name, &bytes), None).unwrap();
        assert_eq!((found.points.len(), cells_of(&found)), (5, triangles.map(|t| t.to_vec()).to_vec()), "{name}");
        let said = mesh(&written(&folder, name, &bytes[..bytes.len() - 40]), None).unwrap_err().to_string();
        assert!(said.contains(name), "{said}");
    }
}

/// An image of 3 x 2 x 2 points, and the same as text of the older format.
#[test]
fn images_become_voxels_and_pixels() {
    let folder = TempDir::new().expect("a folder");
    let image = |extent: &str, count: usize| {
        let values: Vec<String> = (0..count).map(|k| k.to_string()).collect();
        let array = format!("<DataArray type=\"Float32\" Name=\"v\" format=\"ascii\">{}</DataArray>", values.join(" "));
        format!(
            "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"{extent}\" Origin=\"1 0 0\" Spacing=\"2 1 1\"><Piece Extent=\"{extent}\">\
             <PointData>{array}</PointData></Piece></ImageData></VTKFile>"
        )
    };
    let found = mesh(&written(&folder, "image.vti", image("0 2 0 1 0 1", 12)), None).unwrap();
    assert_eq!((found.kinds.as_slice(), found.points[11]), (&[kind::VOXEL; 2][..], [5.0, 1.0, 1.0]));
    assert_eq!(found.corners_of(1), [1, 2, 4, 5, 7, 8, 10, 11]);
    let found = mesh(&written(&folder, "flat.vti", image("0 2 0 0 0 1", 6)), None).unwrap();
    assert_eq!((found.kinds.as_slice(), found.corners_of(1)), (&[kind::PIXEL; 2][..], &[1, 2, 4, 5][..]));
    let older = |what: &str| {
        let values: Vec<String> = (0..12).map(|k| k.to_string()).collect();
        let values = values.join(" ");
        written(
            &folder,
            "older.vtk",
            format!(
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET {what}\nPOINT_DATA 12\nSCALARS v float 1\nLOOKUP_TABLE default\n{values}\n"
            ),
        )
    };
    let points = older("STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nORIGIN 1 0 0\nSPACING 2 1 1");
    let found = mesh(&points, None).unwrap();
    assert_eq!(
        (found.kinds.as_slice(), found.points[11], found.values[11]),
        (&[kind::VOXEL; 2][..], [5.0, 1.0, 1.0], 11.0)
    );
    let along = "RECTILINEAR_GRID\nDIMENSIONS 3 2 2\nX_COORDINATES 3 float\n1 3 5\nY_COORDINATES 2 float\n0 1\nZ_COORDINATES 2 float\n0 1";
    assert_eq!(mesh(&older(along), None).unwrap(), found);
    let places: Vec<String> = found.points.iter().map(|p| format!("{} {} {}", p[0], p[1], p[2])).collect();
    let anywhere = format!("STRUCTURED_GRID\nDIMENSIONS 3 2 2\nPOINTS 12 float\n{}", places.join("\n"));
    let found = mesh(&older(&anywhere), None).unwrap();
    assert_eq!(
        (found.kinds.as_slice(), found.corners_of(1)),
        (&[kind::HEXAHEDRON; 2][..], &[1, 2, 5, 4, 7, 8, 11, 10][..])
    );
}

/// The message about a file, after its name.
fn said(path: &Path) -> String {
    let error = mesh(path, None).unwrap_err().to_string();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    error
        .split_once(&name)
        .unwrap_or_else(|| panic!("the file is named: {error}"))
        .1
        .trim_start_matches(": ")
        .to_owned()
}

#[test]
fn what_is_not_sound_is_refused_by_name() {
    let folder = TempDir::new().expect("a folder");
    for (name, text, _) in texts() {
        // Face by face, the last corner of all is the fifth point or, as OBJ counts from 1, has the number 5.
        let face = if name.ends_with("obj") { ("f 4 1 5", "f 4 1 9") } else { ("3 3 0 4", "3 3 0 9") };
        assert!(text.contains(face.0), "{name}");
        let wrong = said(&written(&folder, name, text.replace(face.0, face.1)));
        assert!(wrong.contains("9") || wrong.contains("out of bounds"), "{name}: {wrong}");
        let wrong = said(&written(&folder, name, text.replace("0.5 0.5 1.5", "0.5 0.5 nan")));
        assert!(
            wrong.contains("not a number") || wrong.contains("no sound") || wrong.contains("damaged"),
            "{name}: {wrong}"
        );
    }
    assert!(said(&written(&folder, "mesh.xyz", "1 2 3")).contains("the name does not tell the format"));
    assert!(said(&folder.path().join("absent.ply")).contains("No such file"));
    for name in ["mesh.vtu", "mesh.vtp", "mesh.vtk", "mesh.ply", "mesh.off", "mesh.stl"] {
        assert!(!said(&written(&folder, name, b"nonsense")).is_empty(), "{name}");
        assert!(!said(&written(&folder, name, b"")).is_empty(), "{name}");
    }
    assert!(said(&written(&folder, "far.off", "OFF\n99999999999999 1 0\n0 0 0\n")).contains("ends before vertex 1"));
    let huge = "ply\nformat ascii 1.0\nelement vertex 99999999999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    assert!(!said(&written(&folder, "huge.ply", huge)).is_empty());
}

/// Files of all formats, with a binary one of the older format.
fn files(folder: &TempDir) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> =
        texts().into_iter().map(|(name, text, _)| (name.to_owned(), text.into_bytes())).collect();
    for name in ["out.vtu", "out.vtp", "out.ply"] {
        let path = folder.path().join(name);
        cells(&path, &with_fields(surface())).unwrap();
        files.push((name.to_owned(), std::fs::read(path).unwrap()));
    }
    let mut binary = b"# vtk DataFile Version 3.0\na pyramid\nBINARY\nDATASET POLYDATA\nPOINTS 5 float\n".to_vec();
    binary.extend(PLACES.as_flattened().iter().flat_map(|x| x.to_be_bytes()));
    binary.extend(b"\nPOLYGONS 5 21\n");
    for corners in CORNERS {
        binary.extend((corners.len() as i32).to_be_bytes());
        binary.extend(corners.iter().flat_map(|&corner| (corner as i32).to_be_bytes()));
    }
    binary.push(b'\n');
    files.push(("binary.vtk".into(), binary));
    files
}

#[test]
fn files_that_were_cut_off_or_damaged_anywhere_are_no_panic() {
    let folder = TempDir::new().expect("a folder");
    let is_sound = |name: &str, bytes: &[u8], what: &str| {
        // What is left may be a mesh of its own; then it is a sound one.
        if let Ok(part) = mesh(&written(&folder, name, bytes), None) {
            assert!(part.check().is_ok(), "{name}, {what}");
        }
    };
    for (name, bytes) in files(&folder) {
        let whole = mesh(&written(&folder, &name, &bytes), None).unwrap();
        assert_eq!(cells_of(&whole), cells_of(&surface()), "{name}");
        for length in (0..bytes.len()).step_by(7) {
            is_sound(&name, &bytes[..length], &format!("{length} bytes"));
        }
        let mut seed = 1u64;
        for turn in 0..400 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + turn % 3 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = (seed >> 33) as usize % damaged.len();
                damaged[at] =
                    if turn % 2 == 0 { (seed >> 20) as u8 } else { b"0123456789 -.\n"[(seed >> 20) as usize % 14] };
            }
            is_sound(&name, &damaged, &format!("turn {turn}"));
        }
    }
}

#[test]
fn sizes_that_are_absurd_take_no_memory() {
    let folder = TempDir::new().expect("a folder");
    let older = |format: &str, what: &str| format!("# vtk DataFile Version 3.0\nt\n{format}\nDATASET {what}\n1 2 3\n");
    let ply = |format: &str, what: &str| {
        format!(
            "ply\nformat {format} 1.0\n{what}\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n"
        )
    };
    let many = "999999999999";
    for (name, text) in [
        ("a.vtk", older("ASCII", &format!("POLYDATA\nPOINTS {many} float"))),
        ("b.vtk", older("BINARY", &format!("POLYDATA\nPOINTS {many} float"))),
        ("c.vtk", older("BINARY", "POLYDATA\nPOINTS 4294967295 double")),
        (
            "d.vtk",
            older(
                "ASCII",
                "STRUCTURED_POINTS\nDIMENSIONS 4000000 4000000 4000000\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 0",
            ),
        ),
        (
            "e.vtk",
            older("ASCII", "STRUCTURED_POINTS\nDIMENSIONS 2000 2000 2000\nORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 0"),
        ),
        ("a.ply", ply("ascii", &format!("element vertex {many}"))),
        ("b.ply", ply("binary_little_endian", &format!("element vertex {many}"))),
        ("a.off", format!("OFF\n{many} {many} 0\n1 2 3\n")),
        (
            "a.vtu",
            format!(
                "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"{many}\" NumberOfCells=\"{many}\"/></UnstructuredGrid></VTKFile>"
            ),
        ),
        (
            "a.vtp",
            format!(
                "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\" NumberOfPolys=\"{many}\"/></PolyData></VTKFile>"
            ),
        ),
    ] {
        assert!(!said(&written(&folder, name, text)).is_empty());
    }
    let mut binary = vec![0; 80];
    binary.extend(u32::MAX.to_le_bytes());
    assert!(!said(&written(&folder, "a.stl", binary)).is_empty());
    let mut binary = ply("binary_little_endian", "element vertex 0").into_bytes();
    binary = String::from_utf8(binary)
        .unwrap()
        .replace("end_header\n1 2 3\n", "element face 1\nproperty list uint int vertex_indices\nend_header\n")
        .into_bytes();
    binary.extend(u32::MAX.to_le_bytes());
    assert!(!said(&written(&folder, "c.ply", binary)).is_empty());
}
