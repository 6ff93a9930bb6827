import { executionOutOfMemory } from '../errors.ts'
import { STATE_FRAME, STATE_SEED } from './assembly/layout.ts'

/** What the module exports; assembly/abi.md says what it means. */
interface NativeExports {
  readonly memory: WebAssembly.Memory
  reset(): void
  allocate(bytes: number): number
  analyze(code: number, length: number, bitmap: number): void
  keccak256(data: number, length: number, out: number): void
  addressId(pointer: number): number
  warmAddress(pointer: number): number
  warmSlot(addressId: number, pointer: number): number
  enterTop(): number
  run(): number
  outputSpace(bytes: number): number
  addRefund(amount: number): void
  slotKey(index: number, out: number): void
  slotValue(index: number, out: number): void
}

const SEED_BYTES = 8

/**
 * One instance of the module with views of its memory that survive its growth. All numbers in memory that the host
 * reads or writes go through here; offsets are those of assembly/layout.ts.
 */
export class NativeInstance {
  readonly #exports: NativeExports
  #buffer: ArrayBuffer
  /** The whole memory; another object after any call that may grow it. */
  bytes: Uint8Array
  #view: DataView
  /** What RULES and the block's part of ENVIRONMENT hold now; compared by identity. */
  rules: object | undefined
  block: object | undefined

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as NativeExports
    this.#buffer = this.#exports.memory.buffer
    this.bytes = new Uint8Array(this.#buffer)
    this.#view = new DataView(this.#buffer)
    this.bytes.set(crypto.getRandomValues(new Uint8Array(SEED_BYTES)), STATE_SEED)
  }

  /** Bytes of memory. */
  get size(): number {
    return this.bytes.length
  }

  /** Forgets the last message. */
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

  /** Header of the running frame; another one after any call that may allocate. */
  get frame(): number {
    return this.#view.getUint32(STATE_FRAME, true)
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

  warmSlot(addressId: number, pointer: number): void {
    this.#allocated(this.#exports.warmSlot(addressId, pointer))
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
    return this.#view.getUint32(at, true)
  }

  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true)
  }

  i64(at: number): bigint {
    return this.#view.getBigInt64(at, true)
  }

  setI64(at: number, value: bigint): void {
    this.#view.setBigInt64(at, value, true)
  }

  /** A copy. */
  copy(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length)
  }

  /** A copy of 20 bytes. */
  address(at: number): Uint8Array {
    return this.bytes.slice(at, at + 20)
  }

  /** 32 big-endian bytes as a number. */
  word(at: number): bigint {
    const view = this.#view
    const high = (view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8)
    const low = (view.getBigUint64(at + 16) << 64n) | view.getBigUint64(at + 24)
    return high === 0n ? low : (high << 128n) | low
  }

  /** Writes a number below 2^256 as 32 big-endian bytes. */
  setWord(at: number, value: bigint): void {
    const view = this.#view
    view.setBigUint64(at + 24, value)
    view.setBigUint64(at + 16, value >> 64n)
    view.setBigUint64(at + 8, value >> 128n)
    view.setBigUint64(at, value >> 192n)
  }

  write(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at)
  }

  #allocated(pointer: number): number {
    this.#follow()
    if (pointer === 0) throw executionOutOfMemory()
    return pointer >>> 0
  }

  /** Takes new views when the memory has grown. */
  #follow(): void {
    const { buffer } = this.#exports.memory
    if (buffer === this.#buffer) return
    this.#buffer = buffer
    this.bytes = new Uint8Array(buffer)
    this.#view = new DataView(buffer)
  }
}
