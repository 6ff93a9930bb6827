import {
  MAX_CALL_MEMORY_BYTES,
  MAX_IDLE_NATIVE_INSTANCE_BYTES,
  MAX_IDLE_NATIVE_INSTANCES,
  MIN_CALL_MEMORY_BYTES,
} from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { executionOutOfMemory } from '../errors.ts'
import { STATE_SEED_BYTES } from './assembly/layout.ts'
import { NativeInstance } from './instance.ts'

function isSmall(instance: NativeInstance): boolean {
  return instance.size <= MAX_IDLE_NATIVE_INSTANCE_BYTES
}

/** The instances of one EVM. Bounds the memory of all that are in use. */
export class InstancePool {
  readonly #module: WebAssembly.Module
  readonly #random: Random
  readonly #maxBytes: number
  readonly #idle: NativeInstance[] = []
  #idleBytes = 0
  #inUse = 0
  #bytesInUse = 0

  /** @param maxBytes memory of all instances that calls may use */
  constructor(module: WebAssembly.Module, random: Random, maxBytes: number) {
    this.#module = module
    this.#random = random
    this.#maxBytes = maxBytes
  }

  /** Memory of all instances in use. */
  get bytesInUse(): number {
    return this.#bytesInUse
  }

  /**
   * An instance without data of another message. Return it with {@link release}.
   * @throws {NodeError} EXECUTION_OUT_OF_MEMORY
   */
  acquire(): NativeInstance {
    const instance = this.#takeIdle() ?? this.#create()
    this.#inUse++
    instance.reset()
    this.account(instance)
    return instance
  }

  /** Called before an instance runs: sets the memory that it may grow to. Only one instance runs at a time. */
  limit(instance: NativeInstance, isUnbounded: boolean): void {
    if (isUnbounded) {
      instance.limitMemory(Number.POSITIVE_INFINITY)
      return
    }
    const left = this.#maxBytes - this.#idleBytes - (this.#bytesInUse - instance.countedBytes)
    instance.limitMemory(Math.min(Math.max(left, MIN_CALL_MEMORY_BYTES), MAX_CALL_MEMORY_BYTES))
  }

  /** Called when an instance has run. */
  account(instance: NativeInstance): void {
    const { size } = instance
    this.#bytesInUse += size - instance.countedBytes
    instance.countedBytes = size
  }

  /**
   * Memory never shrinks, so an instance that has grown large is kept only while others are in use. Then it serves the next of
   * many large calls, whose memory would otherwise pile up until the host collects it.
   */
  release(instance: NativeInstance): void {
    this.#inUse--
    this.#bytesInUse -= instance.countedBytes
    instance.countedBytes = 0
    if (this.#idleBytes + instance.size <= this.#maxBytes / 2) this.#keep(instance)
    if (this.#inUse === 0) this.#trim()
  }

  /** Keeps what serves ordinary messages. */
  #trim(): void {
    if (this.#idle.length <= MAX_IDLE_NATIVE_INSTANCES && this.#idle.every(isSmall)) return
    const kept = this.#idle.filter(isSmall).slice(0, MAX_IDLE_NATIVE_INSTANCES)
    this.#idle.length = 0
    this.#idleBytes = 0
    for (const instance of kept) this.#keep(instance)
  }

  #keep(instance: NativeInstance): void {
    this.#idle.push(instance)
    this.#idleBytes += instance.size
  }

  #takeIdle(): NativeInstance | undefined {
    const instance = this.#idle.pop()
    if (instance !== undefined) this.#idleBytes -= instance.size
    return instance
  }

  #create(): NativeInstance {
    try {
      return new NativeInstance(this.#module, this.#random.bytes(STATE_SEED_BYTES))
    } catch (error) {
      // The host has no memory for another instance.
      if (error instanceof RangeError) throw executionOutOfMemory()
      throw error
    }
  }
}
