import { MAX_JS_TRACER_LENGTH } from '../../base/limits/limits.ts'
import type { ScriptEngine } from '../../base/ports/scriptSandbox.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { TracerFactory } from '../contract.ts'
import { jsTracersUnavailable } from './errors.ts'
import { JsTracer } from './jsTracer.ts'
import { Recording, TraceRestart } from './recording.ts'

/** A tracer written in JavaScript, as a request names it. */
export interface ScriptChoice {
  readonly code: string
  /** As sent by the client. */
  readonly config: unknown
  readonly timeoutMs: number | undefined
}

export interface ScriptRunOptions {
  /** Whether the tracer's values are elements of a list, which name the error of each transaction. */
  readonly isInList?: boolean
  /** Whether the execution cannot be repeated. */
  readonly isOnce?: boolean
}

/** Built-in tracers have names like this; everything else is JavaScript. */
const NAME = /^[\w$]{0,64}$/

export function isScript(tracer: string | undefined): boolean {
  return tracer !== undefined && !NAME.test(tracer)
}

/** @throws {NodeError} JS_TRACERS_UNAVAILABLE, INVALID_PARAMS */
export function requireEngine(
  { code }: ScriptChoice,
  isEnabled: boolean,
  engine: ScriptEngine | undefined,
): ScriptEngine {
  if (!isEnabled) {
    throw jsTracersUnavailable('tracers written in JavaScript are disabled; --rpc-js-tracers enables them')
  }
  if (engine === undefined) throw jsTracersUnavailable('this runtime has no engine for JavaScript tracers')
  if (code.length > MAX_JS_TRACER_LENGTH) {
    throw new NodeError({ code: 'INVALID_PARAMS' }, `tracer: expected at most ${MAX_JS_TRACER_LENGTH} characters`)
  }
  return engine
}

/**
 * Runs a trace until what was recorded suffices for the tracer.
 * @param trace may be called several times; each must execute the same transactions and skip those whose tracer has
 *   written its value
 */
export async function runScript(
  engine: ScriptEngine,
  { code, config, timeoutMs }: ScriptChoice,
  { isInList = false, isOnce = false }: ScriptRunOptions,
  trace: (factory: TracerFactory) => Promise<void>,
): Promise<void> {
  const recording = new Recording(isOnce)
  const json = config === undefined ? '{}' : JSON.stringify(config)
  for (;;) {
    const machine = await engine.open()
    try {
      await trace((out) => new JsTracer(out, { machine, code, config: json, timeoutMs, recording, isInList }))
      return
    } catch (error) {
      if (!(error instanceof TraceRestart)) throw error
    } finally {
      machine.close()
    }
  }
}
