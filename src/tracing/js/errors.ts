import { NodeError } from '../../base/primitives/errors.ts'

export type JsTracerErrorDetails =
  | { readonly code: 'TRACER_FAILED'; readonly data: string }
  | { readonly code: 'JS_TRACERS_UNAVAILABLE'; readonly data: string }

/** The tracer is not valid, or one of its functions threw. */
export function tracerFailed(reason: string): NodeError<JsTracerErrorDetails> {
  return new NodeError({ code: 'TRACER_FAILED', data: reason }, reason)
}

export function jsTracersUnavailable(reason: string): NodeError<JsTracerErrorDetails> {
  return new NodeError({ code: 'JS_TRACERS_UNAVAILABLE', data: reason }, reason)
}
