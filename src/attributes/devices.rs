//! The attributes of functions and structs that loops use on a GPU.

/// Allows loops to call a function when they run on a GPU.
///
/// ```
/// use forall::{device, foreach};
///
/// #[device]
/// const STEPS: u32 = 100;
///
/// /// How long it takes to leave the circle.
/// #[device]
/// fn steps(c: (f32, f32)) -> u32 {
///     let (mut x, mut y) = (0.0_f32, 0.0_f32);
///     for step in 0..STEPS {
///         (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
///         if x * x + y * y > 4.0 {
///             return step;
///         }
///     }
///     STEPS
/// }
///
/// #[foreach]
/// fn image(pixels: &mut [u32], width: usize) {
///     for i in 0..pixels.len() {
///         pixels[i] = steps(((i % width) as f32 * 0.01 - 2.0, (i / width) as f32 * 0.01 - 1.0));
///     }
/// }
///
/// let mut pixels = vec![0; 300 * 200];
/// image(&mut pixels, 300);
/// assert_eq!((pixels[0], pixels[100 * 300 + 200]), (0, 100));
/// ```
///
/// The function stays as it is. Loops and other functions with this attribute call it from any crate and by any name or path.
/// Functions inside the annotated function and closures need no attribute. A loop that calls any other function without it runs on
/// the processor, and `EXPLAIN` says so.
///
/// # Requirements
/// - It is a free function with plain types: numbers, `bool`, arrays, structs with [`DeviceData`](derive@DeviceData), tuples of these, and
///   arrays of tuples. The length of an array is a number, or for an array that is passed by value a constant. References `&T` and `&mut T`
///   to these are plain, and so are `&[T]` and `&mut [T]`. A slice may be a part of the loop's arrays, of replicated arrays, or of slices that are parameters of the function
///   itself, but not of a local array of a body. Functions with type parameters do not run on a device yet.
/// - Or it is an `impl` block of such a struct, also of a trait: then all functions in it are marked. Loops call them as `Vec3::dot(a, b)`
///   or `a.dot(b)`, and those of `std::ops` and of `PartialEq` by the operator: `v * 2.0` calls the `impl` of `Mul<f32>`. If an operator is
///   implemented for values and for references, mark one of the implementations. A derived `==` is not supported for structs; for enums,
///   the derived `==` and order are. A method that changes its receiver is called as `Vec3::normalize(&mut a)`.
/// - Its body contains only code that annotated loops may run on a device. It may panic, `return`, and call other marked functions, but not
///   itself.
/// - Above a constant, the attribute is allowed and has no effect: constants need no marker.
/// - A device gets a separate function for each choice of arrays whose parts are arguments.
/// - Its result is one value, an `Option` of one, or a tuple that a loop destructures at the call: `let (a, b) = f(x);`.
///
/// # Errors
/// A body or a signature that a device cannot run does not compile (FA052). A loop whose call does not fit the signature, or
/// whose function is built with other overflow checks than the loop, runs on the processor, and `EXPLAIN` says why.
///
/// # Panics
/// A panic in the function is one of the loop that calls it: see [`foreach`](macro@crate::foreach).
pub use forall_macros::device;

/// Describes the memory layout of a struct, so that loops can use it when they run on a GPU.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use forall::{DeviceData, foreach};
///
/// #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     velocity: [f32; 3],
///     mass: f32,
/// }
///
/// #[foreach]
/// fn fall(particles: &mut [Particle], dt: f32) {
///     for i in 0..particles.len() {
///         let Particle { velocity, mass, .. } = particles[i];
///         if mass > 0.0 {
///             particles[i].position[1] += dt * velocity[1];
///             particles[i] = Particle { velocity: [0.0, velocity[1] - 9.81 * dt, 0.0], ..particles[i] };
///         }
///     }
/// }
///
/// let mut particles = vec![Particle { position: [0.0; 3], velocity: [0.0, 1.0, 0.0], mass: 2.0 }; 10];
/// fall(&mut particles, 0.5);
/// assert_eq!(particles[9].position, [0.0, 0.5, 0.0]);
/// ```
///
/// The type of a literal must be written somewhere in the function, as by a parameter here or in `let p: Pair<f32> = ..`. Or it follows
/// from the use of the value (`out[i] = Pair { a, b }`). A name alone does not show whether it has type parameters.
///
/// Loops can use such a struct like a number: as an element, a captured value, a constant, a variable and a pushed value. It can be an
/// argument or a result of a function with [`device`](macro@device), and an operand of `#[kary_reduce(combine = f)]`. Its fields keep the
/// offsets that Rust gives them. The types of the fields are known when a loop runs for the first time. Until then, and in
/// `f::WGSL`, they are placeholders such as `$0:type$`.
///
/// # Requirements
/// - It is a struct with fields, or a tuple struct, with `#[repr(C)]` or `#[repr(transparent)]`. It has only type parameters, and each of
///   these is such a type. Functions of a generic struct are marked for one type each: `impl Pair<f32>`.
/// - Or it is an enum whose variants have no fields, with `#[repr(u8)]` or another integer, and its `==` distinguishes its variants.
/// - Its fields are numbers, `bool`, arrays `[T; N]`, and structs and enums with this derive.
/// - It has no padding between its fields or after the last one: it is also [`bytemuck::NoUninit`] or `Pod`, as elements of a `DistVec`
///   must be anyway.
///
/// # Errors
/// The compiler reports other types (FA053). Loops with structs without this derive run on the processor's cores, and report the missing
/// derive.
///
/// [`bytemuck::NoUninit`]: https://docs.rs/bytemuck/latest/bytemuck/trait.NoUninit.html
pub use forall_macros::DeviceData;
