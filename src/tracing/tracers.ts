/**
 * Tracers by name, as selected by `tracer` in a request.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import type { TracerFactory } from './contract.ts'
import { GETH_TRACERS } from './geth/index.ts'
import type { StructLogOptions, TracerSettings } from './structLog/options.ts'
import { structLogTracer } from './structLog/structLogTracer.ts'

/** Selects and configures a tracer. */
export interface TracerChoice extends StructLogOptions {
  /** undefined for the opcode tracer */
  readonly tracer?: string | undefined
  /** As sent by the client. */
  readonly tracerConfig?: unknown
}

/** Valid values of `tracer`. */
export const TRACER_NAMES: readonly string[] = [...GETH_TRACERS.keys()]

/** @throws {NodeError} INVALID_PARAMS for an unknown name or an invalid configuration */
export function tracerOf(choice: TracerChoice, settings: TracerSettings): TracerFactory {
  const { tracer, tracerConfig } = choice
  if (tracer === undefined) return structLogTracer(choice, settings)
  const make = GETH_TRACERS.get(tracer)
  if (make === undefined) {
    const name = tracer.length > 100 ? `${tracer.slice(0, 100)}…` : tracer
    throw new NodeError(
      { code: 'INVALID_PARAMS' },
      `tracer ${name} is not known; there are ${TRACER_NAMES.join(', ')}; tracers written in JavaScript are not supported`,
    )
  }
  return make(tracerConfig)
}
