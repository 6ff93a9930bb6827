/**
 * Tracers by name: what `tracer` of a request may say.
 * @module
 */
import { NodeError } from '../primitives/errors.ts'
import type { TracerFactory } from './contract.ts'
import { GETH_TRACERS } from './geth/index.ts'
import type { StructLogOptions, StructLogProfile } from './structLog/options.ts'
import { structLogTracer } from './structLog/structLogTracer.ts'

/** Which tracer, and what it is to show. */
export interface TracerChoice extends StructLogOptions {
  /** undefined: the opcode tracer */
  readonly tracer?: string | undefined
  /** As the client gave it. */
  readonly tracerConfig?: unknown
}

/** Names that `tracer` may have. */
export const TRACER_NAMES: readonly string[] = [...GETH_TRACERS.keys()]

/** @throws {NodeError} INVALID_PARAMS for a name that no tracer has, and for a configuration that is not its own */
export function tracerOf(choice: TracerChoice, profile: StructLogProfile): TracerFactory {
  const { tracer, tracerConfig } = choice
  if (tracer === undefined) return structLogTracer(choice, profile)
  const make = GETH_TRACERS.get(tracer)
  if (make === undefined) {
    const shown = tracer.length > 100 ? `${tracer.slice(0, 100)}…` : tracer
    throw new NodeError(
      { code: 'INVALID_PARAMS' },
      `tracer ${shown} is not known; there are ${TRACER_NAMES.join(', ')}; tracers written in JavaScript are not supported`,
    )
  }
  return make(tracerConfig)
}
