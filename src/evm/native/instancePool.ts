import { MAX_IDLE_NATIVE_INSTANCE_BYTES, MAX_IDLE_NATIVE_INSTANCES } from '../../base/limits/limits.ts'
import type { Random } from '../../base/ports/random.ts'
import { STATE_SEED_BYTES } from './assembly/layout.ts'
import { NativeInstance } from './instance.ts'

/** Keeps a few instances between messages. An instance that is never released is garbage collected. */
export class InstancePool {
  readonly #module: WebAssembly.Module
  readonly #random: Random
  readonly #idle: NativeInstance[] = []

  constructor(module: WebAssembly.Module, random: Random) {
    this.#module = module
    this.#random = random
  }

  /** An instance without data of another message. */
  acquire(): NativeInstance {
    const instance = this.#idle.pop() ?? new NativeInstance(this.#module, this.#random.bytes(STATE_SEED_BYTES))
    instance.reset()
    return instance
  }

  /** Memory never shrinks, so an instance that has grown large is not kept. */
  release(instance: NativeInstance): void {
    if (this.#idle.length >= MAX_IDLE_NATIVE_INSTANCES || instance.size > MAX_IDLE_NATIVE_INSTANCE_BYTES) return
    this.#idle.push(instance)
  }
}
