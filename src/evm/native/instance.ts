import { MAX_CALL_MEMORY_BYTES } from '../../base/limits/limits.ts'
import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { executionOutOfMemory } from '../errors.ts'
import { MOST_PAGES, STATE_FRAME, STATE_MEMORY_LIMIT, STATE_SEED } from './assembly/layout.ts'

/** The exports of the module, documented in assembly/abi.md. */
interface NativeExports {
  readonly memory: WebAssembly.Memory
  reset(): void
  allocate(bytes: number): number
  analyze(code: number, length: number, bitmap: number): void
  forgetCodes(): void
  keccak256(data: number, length: number, out: number): void
  addressId(pointer: number): number
  warmAddress(pointer: number): number
  warmSlot(addressId: number, pointer: number): number
  warmPrecompiles(): number
  rulesChanged(): void
  enterTop(): number
  run(): number
  outputSpace(bytes: number): number
  addRefund(amount: number): void
  slotKey(index: number, out: number): void
  slotValue(index: number, out: number): void
}

const PAGE_BYTES = 0x10000
/** Up to this length, copying byte by byte is faster. */
const LOOPED_BYTES = 64

/**
 * One instance of the module with views of its memory that survive its growth. The host reads and writes all numbers in
 * memory through this class; the offsets are those of assembly/layout.ts.
 */
export class NativeInstance {
  readonly #exports: NativeExports
  /** The whole memory; replaced by any call that may grow it. */
  bytes: Uint8Array
  #numbers: DataView
  /** The content of RULES and of the block's part of ENVIRONMENT; compared by identity. */
  rules: object | undefined
  block: object | undefined
  /** Its memory as the pool has counted it; 0 when it is not in use. */
  countedBytes = 0

  /** @param seed of its hash tables, STATE_SEED_BYTES long; secret, so that nobody can choose keys that collide */
  constructor(module: WebAssembly.Module, seed: Uint8Array) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as NativeExports
    const { buffer } = this.#exports.memory
    this.bytes = new Uint8Array(buffer)
    this.#numbers = new DataView(buffer)
    this.bytes.set(seed, STATE_SEED)
    this.limitMemory(MAX_CALL_MEMORY_BYTES)
  }

  /** Bounds the memory; a memory that is larger already does not grow. */
  limitMemory(bytes: number): void {
    this.setU32(STATE_MEMORY_LIMIT, Math.min(bytes / PAGE_BYTES, MOST_PAGES))
  }

  /** Size of the memory, bytes. */
  get size(): number {
    return this.bytes.length
  }

  /** Discards the last message. */
  reset(): void {
    this.#exports.reset()
    this.#follow()
  }

  /** @returns EXIT_* */
  run(): number {
    const exit = this.#exports.run()
    this.#follow()
    return exit
  }

  /** Header of the running frame; may change with any call that allocates. */
  get frame(): number {
    return this.#numbers.getUint32(STATE_FRAME, true)
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  allocate(length: number): number {
    return this.#allocated(this.#exports.allocate(length))
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  outputSpace(length: number): number {
    return this.#allocated(this.#exports.outputSpace(length))
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  enterTop(): void {
    this.#allocated(this.#exports.enterTop())
  }

  /** @returns the address's id */
  warmAddress(pointer: number): number {
    const id = this.#exports.warmAddress(pointer)
    this.#follow()
    if (id < 0) throw executionOutOfMemory()
    return id
  }

  /** @throws {NodeError} EXECUTION_OUT_OF_MEMORY */
  warmPrecompiles(): void {
    this.#allocated(this.#exports.warmPrecompiles())
  }

  /** Must be called when RULES has been written. */
  rulesChanged(): void {
    this.#exports.rulesChanged()
  }

  warmSlot(addressId: number, pointer: number): void {
    this.#allocated(this.#exports.warmSlot(addressId, pointer))
  }

  /** Must be called before the space of released code is used again. */
  forgetCodes(): void {
    this.#exports.forgetCodes()
  }

  analyze(code: number, length: number, bitmap: number): void {
    this.#exports.analyze(code, length, bitmap)
  }

  keccak256(data: number, length: number, out: number): void {
    this.#exports.keccak256(data, length, out)
  }

  addRefund(amount: number): void {
    this.#exports.addRefund(amount)
    this.#follow()
  }

  slotKey(index: number, out: number): void {
    this.#exports.slotKey(index, out)
  }

  slotValue(index: number, out: number): void {
    this.#exports.slotValue(index, out)
  }

  u32(at: number): number {
    return this.#numbers.getUint32(at, true)
  }

  i32(at: number): number {
    return this.#numbers.getInt32(at, true)
  }

  setU32(at: number, value: number): void {
    this.#numbers.setUint32(at, value, true)
  }

  /** A u64 below 2^53. */
  u64(at: number): number {
    return this.u32(at + 4) * 2 ** 32 + this.u32(at)
  }

  /** @param value an integer below 2^53 */
  setU64(at: number, value: number): void {
    this.setU32(at, value % 2 ** 32)
    this.setU32(at + 4, Math.floor(value / 2 ** 32))
  }

  i64(at: number): bigint {
    return this.#numbers.getBigInt64(at, true)
  }

  setI64(at: number, value: bigint): void {
    this.#numbers.setBigInt64(at, value, true)
  }

  /** A copy. */
  copy(at: number, length: number): Uint8Array {
    if (length === 0) return EMPTY_BYTES
    if (length > LOOPED_BYTES) return this.bytes.slice(at, at + length)
    // For addresses and words a loop is several times as fast.
    const { bytes } = this
    const copy = new Uint8Array(length)
    for (let i = 0; i < length; i++) copy[i] = bytes[at + i] as number
    return copy
  }

  /** A view, valid until the memory grows. */
  view(at: number, length: number): Uint8Array {
    return this.bytes.subarray(at, at + length)
  }

  /** A copy of 20 bytes. */
  address(at: number): Uint8Array {
    return this.copy(at, 20)
  }

  /** 32 big-endian bytes as a number. */
  word(at: number): bigint {
    const numbers = this.#numbers
    const high = (numbers.getBigUint64(at) << 64n) | numbers.getBigUint64(at + 8)
    const low = (numbers.getBigUint64(at + 16) << 64n) | numbers.getBigUint64(at + 24)
    return high === 0n ? low : (high << 128n) | low
  }

  /** Writes a number below 2^256 as 32 big-endian bytes. */
  setWord(at: number, value: bigint): void {
    const numbers = this.#numbers
    numbers.setBigUint64(at + 24, value)
    numbers.setBigUint64(at + 16, value >> 64n)
    numbers.setBigUint64(at + 8, value >> 128n)
    numbers.setBigUint64(at, value >> 192n)
  }

  write(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at)
  }

  #allocated(pointer: number): number {
    this.#follow()
    if (pointer === 0) throw executionOutOfMemory()
    return pointer >>> 0
  }

  /** Replaces the views after the memory has grown. */
  #follow(): void {
    // Growth detaches the buffer of the old views.
    if (this.bytes.length !== 0) return
    const { buffer } = this.#exports.memory
    this.bytes = new Uint8Array(buffer)
    this.#numbers = new DataView(buffer)
  }
}
