import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { CallStart } from '../../evm/hooks.ts'
import { precompileAt } from '../../evm/precompiles/index.ts'
import type { TraceBegin } from '../contract.ts'
import { configObject } from './config.ts'
import type { DeferredTracer } from './deferredTracer.ts'

const SELECTOR_BYTES = 4

/**
 * Counts calls by function selector and number of argument bytes. Omits precompiles, which have no functions.
 * @see go-ethereum documentation, "Built-in tracers": 4byteTracer
 */
export function fourByteTracer(config: unknown): () => DeferredTracer {
  configObject(config)
  return () => {
    const counts = new Map<string, number>()
    let context: TraceBegin | undefined
    const count = ({ kind, input, target }: CallStart): void => {
      if (input.length < SELECTOR_BYTES || kind === 'CREATE' || kind === 'CREATE2') return
      if (context !== undefined && precompileAt(target, context.rules) !== undefined) return
      const key = `${bytesToHex(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return {
      hooks: { enter: count },
      begin: (begin) => {
        context = begin
      },
      result: () => (out) => out.value(Object.fromEntries([...counts].sort(byKey))),
    }
  }
}

function byKey([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1
}
