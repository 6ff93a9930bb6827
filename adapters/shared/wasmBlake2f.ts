/**
 * The rounds of BLAKE2b in WebAssembly, which has 64-bit integers: more than ten times as fast as JavaScript. The module
 * is small enough to be put together here.
 * @see WebAssembly Core Specification, section 5 (binary format)
 * @module
 */
import { BLAKE2B_SCHEDULE, type Blake2bRounds, blake2fWith } from '../../src/evm/precompiles/blake2f.ts'
import type { RunPrecompile } from '../../src/evm/precompiles/implementations.ts'

// Linear memory: the working vector, the message, offsets of the message words by round and step.
const VECTOR = 0
const MESSAGE = 128
const SCHEDULE = 256
const STEPS = 16
const LAST_ROW: number = BLAKE2B_SCHEDULE.length - STEPS
/**
 * Rounds of one call, so that a first use with billions of them does not stay in the code of a baseline compiler: an
 * optimized one serves from the next call on. A multiple of the rows, with which each call begins anew.
 */
const ROUNDS_PER_CALL: number = (BLAKE2B_SCHEDULE.length / STEPS) * 1000

/** Locals: the rounds left, the place in the schedule, the working vector. */
const ROUNDS = 0
const ROW = 1
const FIRST_WORD = 2

const I32 = 0x7f
const I64 = 0x7e
const VOID = 0x40
const ALIGNED_8 = 3

const op = {
  block: [0x02, VOID],
  loop: [0x03, VOID],
  end: [0x0b],
  branch: (depth: number): number[] => [0x0c, depth],
  branchIf: (depth: number): number[] => [0x0d, depth],
  select: [0x1b],
  get: (local: number): number[] => [0x20, local],
  set: (local: number): number[] => [0x21, local],
  load: (offset: number): number[] => [0x29, ALIGNED_8, ...unsigned(offset)],
  loadByte: (offset: number): number[] => [0x2d, 0, ...unsigned(offset)],
  store: (offset: number): number[] => [0x37, ALIGNED_8, ...unsigned(offset)],
  i32: (value: number): number[] => [0x41, ...signed(value)],
  i64: (value: number): number[] => [0x42, ...signed(value)],
  isZero: [0x45],
  equal: [0x46],
  add32: [0x6a],
  subtract32: [0x6b],
  add: [0x7c],
  xor: [0x85],
  rotateRight: [0x8a],
} as const

/** @throws where the platform forbids to compile WebAssembly */
export function createWasmBlake2f(): RunPrecompile {
  const rounds = instantiate()
  return (input) => blake2fWith(rounds, input)
}

function instantiate(): Blake2bRounds {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()))
  const { memory, mix } = exports as unknown as { memory: WebAssembly.Memory; mix(rounds: number): void }
  return {
    v: new Int32Array(memory.buffer, VECTOR, 32),
    m: new Int32Array(memory.buffer, MESSAGE, 32),
    run(rounds) {
      let left = rounds
      for (; left > ROUNDS_PER_CALL; left -= ROUNDS_PER_CALL) mix(ROUNDS_PER_CALL)
      mix(left)
    },
  }
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const body = [
    ...vector(
      2,
      [
        [1, I32],
        [16, I64],
      ].flat(),
    ),
    ...mixCode(),
  ]
  const schedule = [...BLAKE2B_SCHEDULE].map((word) => 8 * word)
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(1, [0x60, 1, I32, 0])),
    ...section(3, vector(1, [0])),
    ...section(5, vector(1, [0, 1])),
    ...section(7, vector(2, [...text('memory'), 2, 0, ...text('mix'), 0, 0])),
    ...section(10, vector(1, [...unsigned(body.length), ...body])),
    ...section(11, vector(1, [0, ...op.i32(SCHEDULE), ...op.end, ...vector(schedule.length, schedule)])),
  ])
}

function mixCode(): number[] {
  const words = Array.from({ length: 16 }, (_, i) => i)
  return [
    ...words.flatMap((i) => [...op.i32(0), ...op.load(VECTOR + 8 * i), ...op.set(FIRST_WORD + i)]),
    ...op.block,
    ...op.loop,
    ...[...op.get(ROUNDS), ...op.isZero, ...op.branchIf(1)],
    ...g(0, 4, 8, 12, 0),
    ...g(1, 5, 9, 13, 2),
    ...g(2, 6, 10, 14, 4),
    ...g(3, 7, 11, 15, 6),
    ...g(0, 5, 10, 15, 8),
    ...g(1, 6, 11, 12, 10),
    ...g(2, 7, 8, 13, 12),
    ...g(3, 4, 9, 14, 14),
    ...[...op.i32(0), ...op.get(ROW), ...op.i32(STEPS), ...op.add32],
    ...[...op.get(ROW), ...op.i32(LAST_ROW), ...op.equal, ...op.select, ...op.set(ROW)],
    ...[...op.get(ROUNDS), ...op.i32(1), ...op.subtract32, ...op.set(ROUNDS)],
    ...op.branch(0),
    ...op.end,
    ...op.end,
    ...words.flatMap((i) => [...op.i32(0), ...op.get(FIRST_WORD + i), ...op.store(VECTOR + 8 * i)]),
    ...op.end,
  ]
}

/** The mixing function of RFC 7693, section 3.1, for words of the vector and a step of the round. */
function g(a: number, b: number, c: number, d: number, step: number): number[] {
  return [
    ...addTo(a, b),
    ...addMessage(a, step),
    ...xorRotate(d, a, 32),
    ...addTo(c, d),
    ...xorRotate(b, c, 24),
    ...addTo(a, b),
    ...addMessage(a, step + 1),
    ...xorRotate(d, a, 16),
    ...addTo(c, d),
    ...xorRotate(b, c, 63),
  ]
}

const word = (i: number): number[] => op.get(FIRST_WORD + i)

function addTo(target: number, other: number): number[] {
  return [...word(target), ...word(other), ...op.add, ...op.set(FIRST_WORD + target)]
}

function addMessage(target: number, step: number): number[] {
  const message = [...op.get(ROW), ...op.loadByte(SCHEDULE + step), ...op.load(MESSAGE)]
  return [...word(target), ...message, ...op.add, ...op.set(FIRST_WORD + target)]
}

function xorRotate(target: number, other: number, bits: number): number[] {
  const mixed = [...word(target), ...word(other), ...op.xor]
  return [...mixed, ...op.i64(bits), ...op.rotateRight, ...op.set(FIRST_WORD + target)]
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function vector(count: number, items: readonly number[]): number[] {
  return [...unsigned(count), ...items]
}

function text(name: string): number[] {
  return vector(
    name.length,
    [...name].map((character) => character.charCodeAt(0)),
  )
}

/** LEB128 */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]
}

/** LEB128 of a number that is not negative: the highest bit is the sign. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]
}
