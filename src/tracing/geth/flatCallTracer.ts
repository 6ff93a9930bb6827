import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { TraceBegin } from '../contract.ts'
import { type CallFrame, CallTree } from './callTree.ts'
import { flagsOf } from './config.ts'
import type { DeferredTracer, ResultWriter } from './deferredTracer.ts'
import { EXECUTION_REVERTED } from './errorText.ts'
import { parityError } from './parityError.ts'

/** The members that all entries of a transaction share. A call belongs to no block but runs on the state after one. */
interface TraceLocation {
  readonly blockHash: string | null
  readonly blockNumber: number
  readonly transactionHash: string | null
  readonly transactionPosition: number
}

interface FlatOptions {
  readonly convertParityErrors: boolean
  readonly includePrecompiles: boolean
}

/**
 * A flat list of calls in Parity's format, each followed by the calls it made.
 * @param config `convertParityErrors`: use Parity's error texts; `includePrecompiles`: include calls of precompiles
 * @see go-ethereum documentation, "Built-in tracers": flatCallTracer
 */
export function flatCallTracer(config: unknown): () => DeferredTracer {
  const options = flagsOf(config, ['convertParityErrors', 'includePrecompiles'])
  return () => {
    const tree = new CallTree({ onlyTopCall: false, withLog: false })
    let begun: TraceBegin | undefined
    return {
      hooks: tree.hooks,
      begin: (context) => {
        begun = context
        tree.begin(context)
      },
      result: (outcome): ResultWriter => {
        const root = tree.root(outcome)
        const place = placeOf(begun as TraceBegin)
        return (out) => {
          out.ascii('[')
          writeEntries(out, root, [], place, options)
          out.ascii(']')
        }
      },
    }
  }
}

function placeOf({ transaction: { hash, position }, block }: TraceBegin): TraceLocation {
  return {
    blockHash: position === undefined ? null : bytesToHex(position.blockHash),
    blockNumber: Number(block.number),
    transactionHash: hash === undefined ? null : bytesToHex(hash),
    transactionPosition: position?.index ?? 0,
  }
}

function writeEntries(
  out: JsonWriter,
  frame: CallFrame,
  traceAddress: readonly number[],
  location: TraceLocation,
  options: FlatOptions,
): void {
  const calls = frame.calls?.filter((call) => options.includePrecompiles || !isPrecompileCall(call)) ?? []
  const { error } = frame
  out.value({
    action: actionOf(frame),
    blockHash: location.blockHash,
    blockNumber: location.blockNumber,
    error: error !== undefined && options.convertParityErrors ? parityError(error) : error,
    // A reverted call shows its output, which has the reason; other failures have no result.
    result: error === undefined || error === EXECUTION_REVERTED ? resultOf(frame) : undefined,
    subtraces: calls.length,
    traceAddress,
    transactionHash: location.transactionHash,
    transactionPosition: location.transactionPosition,
    type: ENTRY_TYPES[frame.type],
  })
  for (let i = 0; i < calls.length; i++) {
    out.ascii(',')
    writeEntries(out, calls[i] as CallFrame, [...traceAddress, i], location, options)
  }
}

function isPrecompileCall({ type, precompile }: CallFrame): boolean {
  return precompile !== undefined && (type === 'CALL' || type === 'STATICCALL')
}

const ENTRY_TYPES: Readonly<Record<CallFrame['type'], string>> = {
  CALL: 'call',
  CALLCODE: 'call',
  DELEGATECALL: 'call',
  STATICCALL: 'call',
  CREATE: 'create',
  CREATE2: 'create',
  SELFDESTRUCT: 'suicide',
}

function actionOf(frame: CallFrame): object {
  const { from, to, type } = frame
  const value = quantity(frame.value ?? 0n)
  if (type === 'SELFDESTRUCT') return { address: from, balance: value, refundAddress: to }
  const gas = quantity(frame.gas)
  const input = bytesToHex(frame.input)
  return ENTRY_TYPES[type] === 'create'
    ? { creationMethod: type.toLowerCase(), from, gas, init: input, value }
    : { callType: type.toLowerCase(), from, gas, input, to, value }
}

function resultOf({ type, to, gasUsed, output }: CallFrame): object | undefined {
  if (type === 'SELFDESTRUCT') return undefined
  const used = quantity(gasUsed)
  const bytes = bytesToHex(output)
  return ENTRY_TYPES[type] === 'create' ? { address: to, code: bytes, gasUsed: used } : { gasUsed: used, output: bytes }
}
