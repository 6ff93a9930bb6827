/**
 * The rounds of BLAKE2b in WebAssembly, whose 64-bit integers make them more than ten times as fast as in JavaScript.
 * The module is small enough to be generated here.
 * @module
 */

import { I32, I64, op, wasmModule } from '../../src/base/primitives/curves/wasmBinary.ts'
import { BLAKE2B_SCHEDULE, type Blake2bRounds, blake2fWith } from '../../src/evm/precompiles/blake2f.ts'
import type { RunPrecompile } from '../../src/evm/precompiles/runPrecompile.ts'

// Linear memory: the working vector, the message, offsets of the message words by round and step.
const VECTOR = 0
const MESSAGE = 128
const SCHEDULE = 256
const STEPS = 16
const LAST_ROW: number = BLAKE2B_SCHEDULE.length - STEPS
/** Locals: remaining rounds, position in the schedule, working vector. */
const ROUNDS = 0
const ROW = 1
const FIRST_WORD = 2

/** @throws when the platform forbids compiling WebAssembly */
export function createWasmBlake2f(): RunPrecompile {
  const rounds = instantiate()
  return blake2fWith(() => rounds)
}

function instantiate(): Blake2bRounds {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()))
  const { memory, mix } = exports as unknown as { memory: WebAssembly.Memory; mix(rounds: number): void }
  return {
    v: new Int32Array(memory.buffer, VECTOR, 32),
    m: new Int32Array(memory.buffer, MESSAGE, 32),
    run: mix,
  }
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const locals = [
    [1, I32],
    [16, I64],
  ] as const
  const mix = { name: 'mix', parameters: 1, returns: false, locals, code: mixCode() }
  const schedule = [...BLAKE2B_SCHEDULE].map((word) => 8 * word)
  return wasmModule([mix], schedule, SCHEDULE)
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
