/**
 * Tracers, as selected by `tracer` in a request: by name, or written in JavaScript.
 * @module
 */
import type { ScriptEngine } from '../base/ports/scriptSandbox.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { TracerFactory } from './contract.ts'
import { GETH_TRACERS } from './geth/index.ts'
import { isScript, requireEngine, type ScriptRunOptions } from './js/scriptSelection.ts'
import type { StructLogOptions, TracerSettings } from './structLog/options.ts'
import { structLogTracer } from './structLog/structLogTracer.ts'

/** Selects and configures a tracer. */
export interface TracerChoice extends StructLogOptions {
  /** undefined for the opcode tracer */
  readonly tracer?: string | undefined
  /** As sent by the client. */
  readonly tracerConfig?: unknown
  /** Limit in wall-clock time for one transaction; undefined: none. */
  readonly timeoutMs?: number | undefined
}

export interface TracerSelection {
  /** Whether the tracer is written in JavaScript. */
  readonly isScript: boolean
  /** @param trace may be called several times, see js/runScript.ts */
  run(trace: (factory: TracerFactory) => Promise<void>, options?: ScriptRunOptions): Promise<void>
}

/** Names of the built-in tracers. */
export const TRACER_NAMES: readonly string[] = [...GETH_TRACERS.keys()]

/** @throws {NodeError} INVALID_PARAMS for an unknown name or an invalid configuration; JS_TRACERS_UNAVAILABLE */
export function selectTracer(
  choice: TracerChoice,
  settings: TracerSettings,
  engine: ScriptEngine | undefined,
): TracerSelection {
  const { tracer, tracerConfig, timeoutMs } = choice
  if (tracer === undefined || !isScript(tracer)) {
    const factory = builtIn(choice, settings)
    return { isScript: false, run: (trace) => trace(factory) }
  }
  const script = { code: tracer, config: tracerConfig, timeoutMs }
  const available = requireEngine(script, settings.jsTracers === true, engine)
  return {
    isScript: true,
    run: async (trace, options = {}) => {
      const { runScript } = await import('./js/runScript.ts')
      return runScript(available, script, options, trace)
    },
  }
}

function builtIn(choice: TracerChoice, settings: TracerSettings): TracerFactory {
  const { tracer, tracerConfig } = choice
  if (tracer === undefined) return structLogTracer(choice, settings)
  const make = GETH_TRACERS.get(tracer)
  if (make === undefined) {
    throw new NodeError(
      { code: 'INVALID_PARAMS' },
      `tracer ${tracer} is not known; expected ${TRACER_NAMES.join(', ')} or a JavaScript expression`,
    )
  }
  return make(tracerConfig)
}
