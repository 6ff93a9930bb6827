import { MAX_IDLE_NATIVE_INSTANCE_BYTES, MAX_IDLE_NATIVE_INSTANCES } from '../../config/limits.ts'
import { NativeInstance } from './instance.ts'

/** Keeps a few instances between messages. An instance that is never released is garbage collected. */
export class InstancePool {
  readonly #module: WebAssembly.Module
  readonly #idle: NativeInstance[] = []

  constructor(module: WebAssembly.Module) {
    this.#module = module
  }

  /** An instance without data of another message. */
  acquire(): NativeInstance {
    const instance = this.#idle.pop() ?? new NativeInstance(this.#module)
    instance.reset()
    return instance
  }

  /** Memory never shrinks, so an instance that has grown large is not kept. */
  release(instance: NativeInstance): void {
    if (this.#idle.length >= MAX_IDLE_NATIVE_INSTANCES || instance.size > MAX_IDLE_NATIVE_INSTANCE_BYTES) return
    this.#idle.push(instance)
  }
}
