import type { ExecutionHooks } from '../../evm/hooks.ts'
import type { TraceEnd, Tracer } from '../contract.ts'
import { type FlatEntry, FlatTrace } from './flatTrace.ts'

/** Returns the calls of one transaction after its end. */
export class FlatTracer implements Tracer {
  readonly hooks: ExecutionHooks
  readonly #trace = new FlatTrace()
  readonly #use: (entries: readonly FlatEntry[]) => void

  constructor(use: (entries: readonly FlatEntry[]) => void) {
    this.#use = use
    this.hooks = this.#trace.hooks
  }

  begin(): void {}

  end(_outcome: TraceEnd): void {
    this.#use(this.#trace.entries)
  }
}
