/**
 * Names and arguments of calls, by the standard interfaces that the node knows as well.
 * @module
 */
import type { Decoded } from '../../../src/abi/decoded.ts'
import { decodedText } from '../../../src/abi/decodedText.ts'
import { Decoder } from '../../../src/abi/decoder.ts'
import { plainText } from '../../../src/abi/plainText.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { CallError, RecordedCall } from '../../../src/replay/recording.ts'
import { isData, shortened } from '../../page/format/hex.ts'

const decoder = new Decoder(() => undefined)
/** Longer data are shown by their selector. */
const MAX_DECODED = 32_768
const MAX_TEXT = 200

const decodedCalls = new WeakMap<RecordedCall, Decoded | null>()

/** The call of a contract in a request; undefined when it has none, or nobody knows it. */
export function decodedCall(call: RecordedCall): Decoded | undefined {
  const known = decodedCalls.get(call)
  if (known !== undefined) return known ?? undefined
  const data = dataOf(call)
  const decoded = data === undefined ? undefined : decoder.call(hexToBytes(data))
  decodedCalls.set(call, decoded ?? null)
  return decoded
}

/** One line: `transfer(0x…, 5)`, or what is most of interest in the parameters. */
export function callText(call: RecordedCall): string {
  const decoded = decodedCall(call)
  if (decoded !== undefined) return plainText(decodedText(decoded), MAX_TEXT)
  const [first] = Array.isArray(call.params) ? (call.params as readonly unknown[]) : []
  const target = targetOf(call)
  if (target !== undefined) return `${shortened(target)} ${(dataOf(call) ?? '').slice(0, 10)}`
  return first === undefined
    ? ''
    : plainText(typeof first === 'string' ? shortened(first) : JSON.stringify(first), MAX_TEXT)
}

/** The contract or account that a call is sent to. */
function targetOf({ params }: RecordedCall): string | undefined {
  const { to } = inputOf(params)
  return typeof to === 'string' ? to : undefined
}

/** The revert reason of an error, as the contract wrote it. */
export function errorText({ message, data }: CallError): string {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  const isReadable = typeof inner === 'string' && inner.length <= MAX_DECODED && isData(inner)
  const decoded = isReadable ? decoder.error(hexToBytes(inner)) : undefined
  return plainText(decoded === undefined ? message : `${message}: ${decodedText(decoded)}`, MAX_TEXT)
}

/** The block parameter. */
export function blockOf({ method, params }: RecordedCall): string | undefined {
  if (!Array.isArray(params)) return undefined
  const list = params as readonly unknown[]
  const at = /^eth_getStorageAt|^eth_getProof/.test(method) ? 2 : /^eth_getBlockBy/.test(method) ? 0 : 1
  const block = list[at]
  const isBlock =
    typeof block === 'string' && /^(?:0x[0-9a-f]{1,16}|latest|pending|safe|finalized|earliest)$/.test(block)
  return isBlock ? block : undefined
}

function dataOf({ params }: RecordedCall): string | undefined {
  const { data, input } = inputOf(params)
  const text = input ?? data
  return typeof text === 'string' && text.length >= 10 && text.length <= MAX_DECODED && isData(text) ? text : undefined
}

function inputOf(params: RecordedCall['params']): Readonly<Record<string, unknown>> {
  const [first] = Array.isArray(params) ? (params as readonly unknown[]) : []
  return typeof first === 'object' && first !== null ? (first as Readonly<Record<string, unknown>>) : {}
}
