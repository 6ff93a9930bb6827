import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { ExecutionHooks } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd, TracerFactory } from '../contract.ts'

/** Writes the result of a tracer. */
export type ResultWriter = (out: JsonWriter) => void

/** A tracer that produces output only at the end. */
export interface DeferredTracer {
  readonly hooks: ExecutionHooks | undefined
  begin(context: TraceBegin): void
  /** Reads everything that the result needs. May throw a `StoreMiss` and be called again. */
  result(outcome: TraceEnd): ResultWriter
}

/**
 * Accepts the `tracerConfig` of a request; absent and null mean no configuration.
 * @throws {NodeError} INVALID_PARAMS naming the invalid member
 */
export type DeferredTracerMaker = (config: unknown) => () => DeferredTracer

/** Like {@link DeferredTracerMaker}, but for tracers that write while the transaction runs. */
export type TracerMaker = (config: unknown) => TracerFactory

export function writing(maker: DeferredTracerMaker): TracerMaker {
  return (config) => {
    const make = maker(config)
    return (out) => {
      const tracer = make()
      return {
        hooks: tracer.hooks,
        begin: (context) => tracer.begin(context),
        end: (outcome) => tracer.result(outcome)(out),
      }
    }
  }
}
