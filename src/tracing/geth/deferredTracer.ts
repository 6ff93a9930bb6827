import type { ExecutionHooks } from '../../evm/hooks.ts'
import type { JsonWriter } from '../../primitives/jsonWriter.ts'
import type { TraceBegin, TraceEnd, TracerFactory } from '../contract.ts'

/** Writes the value of a tracer. */
export type ResultWriter = (out: JsonWriter) => void

/** A tracer that has nothing to say before the end. */
export interface DeferredTracer {
  readonly hooks: ExecutionHooks | undefined
  begin(context: TraceBegin): void
  /** Reads whatever the result needs; may throw a miss and be asked again. */
  result(outcome: TraceEnd): ResultWriter
}

/**
 * Takes the `tracerConfig` of a request; absent and null are no configuration.
 * @throws {NodeError} INVALID_PARAMS naming what was wrong
 */
export type DeferredTracerMaker = (config: unknown) => () => DeferredTracer

/** As {@link DeferredTracerMaker}, for tracers that write by themselves. */
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
