/**
 * The arena (bump-allocated memory) and the frames behind it.
 *
 * [ARENA … arenaEnd) is allocated, [arenaEnd … framesStart) is free, the frames follow. When the arena needs more
 * space, the frames move up as a whole, and every pointer into them is corrected.
 */
import {
  ANSWER_OUTPUT,
  ARENA,
  FRAME_BITMAP,
  FRAME_CODE,
  FRAME_INPUT,
  FRAME_MEMORY,
  FRAME_MEMORY_LENGTH,
  FRAME_PARENT,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  REQUEST_DATA,
  STATE_FRAME,
  STATE_MEMORY_LIMIT,
  STATE_MEMORY_WANTED,
} from './layout'

const PAGE: u64 = 0x10000
/** Extra pages that memory.grow requests if available. */
const SLACK_PAGES: u64 = 4

let arenaEnd: usize = 0
let framesStart: usize = 0
/** End of the data that the host may have written behind the running frame (outputSpace). */
let outputEnd: usize = 0

/** Frees everything. */
export function resetArena(): void {
  arenaEnd = ARENA
  framesStart = ARENA
  outputEnd = 0
  store<u32>(STATE_FRAME, 0)
}

export function firstFrame(): usize {
  return framesStart
}

/** Grows the memory to at least `end`; false when the host refuses, or when STATE_MEMORY_LIMIT is reached. */
export function reach(end: u64): bool {
  const pages = <u64>memory.size()
  if (end <= pages * PAGE) return true
  const missing = (end - pages * PAGE + PAGE - 1) / PAGE
  const limit = <u64>load<u32>(STATE_MEMORY_LIMIT)
  if (missing + pages <= limit) {
    const generous = min(missing + SLACK_PAGES + (pages >> 3), limit - pages)
    if (memory.grow(<i32>generous) >= 0) return true
    if (memory.grow(<i32>missing) >= 0) return true
  }
  store<u32>(STATE_MEMORY_WANTED, missing > 0xffff ? 0xffffffff : <u32>(missing * PAGE))
  return false
}

/** 32-byte aligned, not zeroed; 0 when the memory cannot grow. */
export function allocate(bytes: u64): usize {
  const end = <u64>arenaEnd + ((bytes + 31) & ~31)
  if (end > <u64>framesStart && !moveFrames(end - <u64>framesStart)) return 0
  const pointer = arenaEnd
  arenaEnd = <usize>end
  return pointer
}

/** End of everything that belongs to the frames. */
function framesEnd(): usize {
  const frame = <usize>load<u32>(STATE_FRAME)
  if (frame === 0) return framesStart
  const end = memoryEnd(frame)
  const length = <usize>load<u32>(frame, FRAME_RETURN_LENGTH)
  const returned = length === 0 ? 0 : <usize>load<u32>(frame, FRAME_RETURN) + length
  return max(max(end, returned), outputEnd)
}

export function memoryEnd(frame: usize): usize {
  return <usize>load<u32>(frame, FRAME_MEMORY) + <usize>load<u32>(frame, FRAME_MEMORY_LENGTH)
}

/** Space behind the memory of the running frame for data from the host; 0 when the memory cannot grow. */
export function outputSpace(bytes: u32): usize {
  const start = (memoryEnd(<usize>load<u32>(STATE_FRAME)) + 63) & ~63
  if (!reach(<u64>start + <u64>bytes)) return 0
  outputEnd = start + bytes
  return start
}

export function forgetOutputSpace(): void {
  outputEnd = 0
}

/**
 * Widens the free space before the frames by at least `missing` bytes, and in proportion to the arena, so that moves
 * stay rare.
 */
function moveFrames(missing: u64): bool {
  const used = <u64>(framesStart - ARENA)
  const end = framesEnd()
  let shift = wholePages(max(missing, used >> 1))
  // Near the bound, a smaller step may still be possible.
  if (!reach(<u64>end + shift)) {
    shift = wholePages(max(missing, used >> 4))
    if (!reach(<u64>end + shift)) {
      shift = wholePages(missing)
      if (!reach(<u64>end + shift)) return false
    }
  }
  const distance = <usize>shift
  memory.copy(framesStart + distance, framesStart, end - framesStart)
  const start = framesStart
  framesStart += distance
  if (outputEnd !== 0) outputEnd += distance
  correct(REQUEST_DATA, start, distance)
  correct(ANSWER_OUTPUT, start, distance)
  correct(STATE_FRAME, start, distance)
  let frame = <usize>load<u32>(STATE_FRAME)
  while (frame !== 0) {
    correct(frame + FRAME_PARENT, start, distance)
    correct(frame + FRAME_SP, start, distance)
    correct(frame + FRAME_CODE, start, distance)
    correct(frame + FRAME_BITMAP, start, distance)
    correct(frame + FRAME_INPUT, start, distance)
    correct(frame + FRAME_MEMORY, start, distance)
    correct(frame + FRAME_RETURN, start, distance)
    frame = <usize>load<u32>(frame, FRAME_PARENT)
  }
  return true
}

function wholePages(bytes: u64): u64 {
  return (bytes + PAGE - 1) & ~(PAGE - 1)
}

function correct(at: usize, start: usize, distance: usize): void {
  const pointer = <usize>load<u32>(at)
  if (pointer >= start) store<u32>(at, pointer + distance)
}
