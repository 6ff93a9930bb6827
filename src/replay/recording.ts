/**
 * A recording: the JSON-RPC calls of one page or program, with their answers, as a file that is read again.
 * @module
 */
import { MAX_RECORDED_CALLS } from '../base/limits/limits.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { described } from '../base/primitives/printable.ts'

/** Positional or named parameters. */
export type CallParams = readonly unknown[] | Readonly<Record<string, unknown>>

export interface CallError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A call has either a result or an error; it has neither while it waits, or when its answer was too long to keep. */
export interface RecordedCall {
  readonly method: string
  readonly params: CallParams
  /** Through an injected wallet, or over HTTP. */
  readonly transport: 'wallet' | 'http'
  /** Name of the wallet, or address without credentials and query. */
  readonly provider: string
  /** Unix time in ms. */
  readonly at: number
  readonly durationMs?: number
  readonly result?: unknown
  readonly error?: CallError
  /** Length of an answer, in characters of its JSON. */
  readonly size?: number
  /** Number of the HTTP request, the same for the calls of one batch. */
  readonly batch?: number
  /** The reason why parts are absent: they could sign or prove something, or a value was too long. */
  readonly omitted?: 'secret' | 'length'
}

export interface Recording {
  /** Of the page. */
  readonly origin: string
  readonly chainId?: string
  /** Number of the block after which the recorded transactions ran, in hex. */
  readonly block?: string
  readonly calls: readonly RecordedCall[]
}

const FORMAT = 'isonode-recording'
const VERSION = 1

export function writeRecording(recording: Recording): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...recording }, null, 1)}\n`
}

/**
 * @param text content of a file
 * @throws {NodeError} RECORDING_INVALID that names the part
 */
export function readRecording(text: string): Recording {
  const file = recordOf(parsed(text), 'the file')
  if (file['format'] !== FORMAT) throw invalid('it is no recording: "format" is missing or another one')
  if (file['version'] !== VERSION) {
    throw invalid(`its version is ${described(file['version'])}, and this program reads version ${VERSION}`)
  }
  const { calls, chainId, block } = file
  if (!Array.isArray(calls)) throw invalid('"calls" is no array')
  if (calls.length > MAX_RECORDED_CALLS) throw invalid(`it has more than ${MAX_RECORDED_CALLS} calls`)
  return {
    origin: textOf(file['origin'], '"origin"'),
    ...(chainId === undefined ? {} : { chainId: quantityOf(chainId, '"chainId"') }),
    ...(block === undefined ? {} : { block: quantityOf(block, '"block"') }),
    calls: calls.map((call, i) => callOf(call, `call ${i}`)),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NodeError({ code: 'RECORDING_INVALID' }, 'the recording cannot be used: it is no JSON', { cause })
  }
}

function callOf(value: unknown, name: string): RecordedCall {
  const call = recordOf(value, name)
  const { params, transport, durationMs, error, size, batch, omitted } = call
  if (typeof params !== 'object' || params === null) throw invalid(`the parameters of ${name} are no list`)
  if (transport !== 'wallet' && transport !== 'http') throw invalid(`the transport of ${name} is unknown`)
  if (omitted !== undefined && omitted !== 'secret' && omitted !== 'length') {
    throw invalid(`"omitted" of ${name} is unknown`)
  }
  return {
    method: textOf(call['method'], `the method of ${name}`),
    params: params as CallParams,
    transport,
    provider: textOf(call['provider'], `the provider of ${name}`),
    at: numberOf(call['at'], `the time of ${name}`),
    ...(durationMs === undefined ? {} : { durationMs: numberOf(durationMs, `the duration of ${name}`) }),
    ...('result' in call ? { result: call['result'] } : {}),
    ...(error === undefined ? {} : { error: errorOf(error, name) }),
    ...(size === undefined ? {} : { size: numberOf(size, `the size of ${name}`) }),
    ...(batch === undefined ? {} : { batch: numberOf(batch, `the batch of ${name}`) }),
    ...(omitted === undefined ? {} : { omitted }),
  }
}

function errorOf(value: unknown, name: string): CallError {
  const { code, message, data } = recordOf(value, `the error of ${name}`)
  return {
    code: numberOf(code, `the error code of ${name}`),
    message: textOf(message, `the error message of ${name}`),
    ...(data === undefined ? {} : { data }),
  }
}

function recordOf(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${name} is no object`)
  return value as Readonly<Record<string, unknown>>
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalid(`${name} is no text`)
  return value
}

function numberOf(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(`${name} is no number`)
  return value
}

function quantityOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i.test(value)) {
    throw invalid(`${name} is no quantity`)
  }
  return value
}

function invalid(problem: string): NodeError {
  return new NodeError({ code: 'RECORDING_INVALID' }, `the recording cannot be used: ${problem}`)
}
