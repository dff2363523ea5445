// Sorts words by their digits of four bits, the lowest first. Blocks of words are counted by one digit, the counts are added up over
// digits and blocks, and each word goes to its place. `WORD` is `u32`, or `vec2<u32>` with the lower half first.

struct Told { count: u32, blocks: u32, shift: u32, begin: u32, flips: vec2<u32>, sign: vec2<u32> }

@group(0) @binding(0) var<uniform> told: Told;
@group(0) @binding(1) var<storage, read> numbers: array<WORD>;
@group(0) @binding(2) var<storage, read_write> sorted: array<WORD>;
@group(0) @binding(3) var<storage, read> words: array<WORD>;
@group(0) @binding(4) var<storage, read_write> moved: array<WORD>;
@group(0) @binding(5) var<storage, read> places: array<u32>;
@group(0) @binding(6) var<storage, read_write> moved_places: array<u32>;
@group(0) @binding(7) var<storage, read_write> counts: array<u32>;
@group(0) @binding(8) var<storage, read_write> sums: array<u32>;
@group(0) @binding(9) var<storage, read_write> differing: array<atomic<u32>, 2>;

const LANES = 256u;
// Words of a lane, and of a block.
const EACH = 16u;
const BLOCK = 4096u;
// Counts of a lane, and of a workgroup, where they are added up.
const COUNTS = 8u;
const SPAN = 2048u;

fn one_of(pair: vec2<u32>) -> WORD { return ONE_OF; }
fn pair_of(word: WORD) -> vec2<u32> { return PAIR_OF; }
fn is_top_set(word: WORD) -> bool { return (TOP_OF >> 31u) == 1u; }

fn word_of(bits: WORD) -> WORD {
  let flips = select(vec2<u32>(0u), told.flips, is_top_set(bits));
  return bits ^ one_of(flips ^ told.sign);
}

fn number_of(word: WORD) -> WORD {
  let bits = word ^ one_of(told.sign);
  let flips = select(vec2<u32>(0u), told.flips, is_top_set(bits));
  return bits ^ one_of(flips);
}

fn digit_of(word: WORD) -> u32 {
  let pair = pair_of(word);
  return (select(pair.x, pair.y, told.shift >= 32u) >> (told.shift & 31u)) & 15u;
}

fn block_of(group: vec3<u32>, groups: vec3<u32>) -> u32 { return group.y * groups.x + group.x; }

var<workgroup> near_bits: array<atomic<u32>, 2>;

// Makes words of the numbers, and finds out in which bits they differ from the first one.
@compute @workgroup_size(256)
fn begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = block_of(group, groups);
  if (lane < 2u) { atomicStore(&near_bits[lane], 0u); }
  workgroupBarrier();
  if (block < told.blocks) {
    let first = numbers[told.begin];
    var differ = vec2<u32>(0u);
    for (var k = 0u; k < EACH; k += 1u) {
      let at = block * BLOCK + k * LANES + lane;
      if (at < told.count) {
        let bits = numbers[told.begin + at];
        let word = word_of(bits);
        differ |= pair_of(word ^ word_of(first));
        moved[at] = word;
        BEGIN_PLACE
      }
    }
    atomicOr(&near_bits[0], differ.x);
    atomicOr(&near_bits[1], differ.y);
  }
  workgroupBarrier();
  if (lane < 2u) { atomicOr(&differing[lane], atomicLoad(&near_bits[lane])); }
}

// Makes numbers of the words.
@compute @workgroup_size(256)
fn end(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = block_of(group, groups);
  for (var k = 0u; k < EACH; k += 1u) {
    let at = block * BLOCK + k * LANES + lane;
    if (at < told.count) { sorted[told.begin + at] = number_of(words[at]); }
  }
}

var<workgroup> near_counts: array<atomic<u32>, 16>;

// How many words of each block have each digit: digit by digit.
@compute @workgroup_size(256)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = block_of(group, groups);
  if (lane < 16u) { atomicStore(&near_counts[lane], 0u); }
  workgroupBarrier();
  for (var k = 0u; k < EACH; k += 1u) {
    let at = block * BLOCK + k * LANES + lane;
    if (at < told.count) { atomicAdd(&near_counts[digit_of(words[at])], 1u); }
  }
  workgroupBarrier();
  if (lane < 16u && block < told.blocks) { counts[lane * told.blocks + block] = atomicLoad(&near_counts[lane]); }
}

var<workgroup> near_sums: array<u32, 256>;

// What the values of all lanes before this one come to.
fn before_lane(lane: u32, value: u32) -> u32 {
  near_sums[lane] = value;
  workgroupBarrier();
  for (var step = 1u; step < LANES; step *= 2u) {
    var other = 0u;
    if (lane >= step) { other = near_sums[lane - step]; }
    workgroupBarrier();
    near_sums[lane] += other;
    workgroupBarrier();
  }
  return near_sums[lane] - value;
}

// What each span of counts comes to.
@compute @workgroup_size(256)
fn add_spans(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let span = block_of(group, groups);
  var total = 0u;
  for (var k = 0u; k < COUNTS; k += 1u) {
    let at = span * SPAN + lane * COUNTS + k;
    if (at < 16u * told.blocks) { total += counts[at]; }
  }
  let before = before_lane(lane, total);
  if (lane == LANES - 1u && span < arrayLength(&sums)) { sums[span] = before + total; }
}

// What the spans before each come to: one workgroup.
@compute @workgroup_size(256)
fn add_all(@builtin(local_invocation_index) lane: u32) {
  let spans = (16u * told.blocks + SPAN - 1u) / SPAN;
  let each = (spans + LANES - 1u) / LANES;
  let first = min(lane * each, spans);
  let end = min(first + each, spans);
  var total = 0u;
  for (var at = first; at < end; at += 1u) { total += sums[at]; }
  var before = before_lane(lane, total);
  for (var at = first; at < end; at += 1u) {
    let sum = sums[at];
    sums[at] = before;
    before += sum;
  }
}

// What the counts before each come to.
@compute @workgroup_size(256)
fn add_counts(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let span = block_of(group, groups);
  var total = 0u;
  for (var k = 0u; k < COUNTS; k += 1u) {
    let at = span * SPAN + lane * COUNTS + k;
    if (at < 16u * told.blocks) { total += counts[at]; }
  }
  var before = before_lane(lane, total);
  for (var k = 0u; k < COUNTS; k += 1u) {
    let at = span * SPAN + lane * COUNTS + k;
    if (at < 16u * told.blocks) {
      let counted = counts[at];
      counts[at] = sums[span] + before;
      before += counted;
    }
  }
}

// For each lane how many of its words have each digit: two digits, which are eight apart, in a word.
var<workgroup> near: array<u32, 2048>;

// Brings each word to its place. A lane has words that follow each other, so that equal ones keep their order.
@compute @workgroup_size(256)
fn spread(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let block = block_of(group, groups);
  for (var pair = 0u; pair < 8u; pair += 1u) { near[pair * LANES + lane] = 0u; }
  for (var k = 0u; k < EACH; k += 1u) {
    let at = block * BLOCK + lane * EACH + k;
    if (at < told.count) {
      let digit = digit_of(words[at]);
      near[(digit & 7u) * LANES + lane] += 1u << (16u * (digit >> 3u));
    }
  }
  workgroupBarrier();
  var others: array<u32, 8>;
  for (var step = 1u; step < LANES; step *= 2u) {
    for (var pair = 0u; pair < 8u; pair += 1u) {
      others[pair] = 0u;
      if (lane >= step) { others[pair] = near[pair * LANES + lane - step]; }
    }
    workgroupBarrier();
    for (var pair = 0u; pair < 8u; pair += 1u) { near[pair * LANES + lane] += others[pair]; }
    workgroupBarrier();
  }
  for (var pair = 0u; pair < 8u; pair += 1u) {
    others[pair] = 0u;
    if (lane > 0u) { others[pair] = near[pair * LANES + lane - 1u]; }
  }
  workgroupBarrier();
  for (var pair = 0u; pair < 8u; pair += 1u) { near[pair * LANES + lane] = others[pair]; }
  for (var k = 0u; k < EACH; k += 1u) {
    let at = block * BLOCK + lane * EACH + k;
    if (at < told.count) {
      let word = words[at];
      let digit = digit_of(word);
      let half = 16u * (digit >> 3u);
      let before = near[(digit & 7u) * LANES + lane];
      near[(digit & 7u) * LANES + lane] = before + (1u << half);
      let to = counts[digit * told.blocks + block] + ((before >> half) & 0xffffu);
      moved[to] = word;
      SPREAD_PLACE
    }
  }
}
