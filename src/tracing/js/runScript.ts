/**
 * A trace by a tracer written in JavaScript. Loaded on request, because it is large and seldom used.
 * @module
 */
import { JS_TRACER_CALL_MS, JS_TRACER_SHARED_CALL_MS } from '../../base/limits/limits.ts'
import type { ScriptEngine } from '../../base/ports/scriptSandbox.ts'
import type { TracerFactory } from '../contract.ts'
import { JsTracer } from './jsTracer.ts'
import { Recording, TraceRestart } from './recording.ts'
import type { ScriptChoice, ScriptRunOptions } from './scriptSelection.ts'

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
  const callMs = engine.isOnOwnThread === true ? JS_TRACER_CALL_MS : JS_TRACER_SHARED_CALL_MS
  const machine = await engine.open()
  for (;;) {
    try {
      await trace((out) => new JsTracer(out, { machine, code, config: json, timeoutMs, callMs, recording, isInList }))
      return
    } catch (error) {
      if (!(error instanceof TraceRestart)) throw error
    }
  }
}
