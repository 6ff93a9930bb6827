import { MAX_JS_TRACER_LENGTH } from '../../base/limits/limits.ts'
import type { ScriptEngine } from '../../base/ports/scriptSandbox.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { jsTracersUnavailable } from './errors.ts'

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
  // Checked first: where there is no engine, the option does not help.
  if (engine === undefined) {
    throw jsTracersUnavailable(
      'this runtime has no engine for JavaScript tracers; Node, Deno and Bun have one, and callTracer works here',
    )
  }
  if (!isEnabled) {
    throw jsTracersUnavailable('tracers written in JavaScript are disabled; --rpc-js-tracers enables them')
  }
  if (code.length > MAX_JS_TRACER_LENGTH) {
    throw new NodeError({ code: 'INVALID_PARAMS' }, `tracer: expected at most ${MAX_JS_TRACER_LENGTH} characters`)
  }
  return engine
}
