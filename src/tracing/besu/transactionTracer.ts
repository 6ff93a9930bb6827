/**
 * Writes the result of trace_call and trace_replay* for one transaction.
 *
 * The vmTrace precedes the other members, because it is written while the transaction runs; all others are known only
 * at its end.
 * @see docs/reference/debug-and-trace.md section 8
 * @module
 */

import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { ExecutionHooks } from '../../evm/hooks.ts'
import { combineHooks } from '../combineHooks.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../contract.ts'
import { FlatTrace } from './flatTrace.ts'
import { FlatEntryWriter } from './flatTraceText.ts'
import { stateDiff, writeStateDiff } from './stateDiff.ts'
import { VmTrace } from './vmTrace.ts'

/** The requested traces; the others are null, or an empty list. */
export interface TraceTypes {
  readonly trace: boolean
  readonly vmTrace: boolean
  readonly stateDiff: boolean
}

export class TransactionTracer implements Tracer {
  readonly hooks: ExecutionHooks | undefined
  readonly #out: JsonWriter
  readonly #types: TraceTypes
  readonly #transactionHash: Uint8Array | undefined
  readonly #flat: FlatTrace | undefined
  readonly #vm: VmTrace | undefined
  #context: TraceBegin | undefined

  /**
   * @param transactionHash undefined for a call that is not part of a block
   * @param markerTarget 20 bytes; undefined without private transactions
   */
  constructor(out: JsonWriter, types: TraceTypes, transactionHash: Uint8Array | undefined, markerTarget?: Uint8Array) {
    this.#out = out
    this.#types = types
    this.#transactionHash = transactionHash
    this.#flat = types.trace ? new FlatTrace() : undefined
    this.#vm = types.vmTrace ? new VmTrace(out, markerTarget) : undefined
    const parts = [this.#flat?.hooks, this.#vm?.hooks]
    this.hooks = combineHooks(parts.filter((part) => part !== undefined))
  }

  begin(context: TraceBegin): void {
    this.#context = context
    this.#out.ascii(this.#vm === undefined ? '{' : '{"vmTrace":')
  }

  end(outcome: TraceEnd): void {
    const out = this.#out
    const context = this.#context
    // All reads precede the first write, so this method can be repeated after a `StoreMiss`.
    const diff =
      this.#types.stateDiff && context !== undefined
        ? stateDiff(context.before, context.now, outcome.changed)
        : undefined
    if (this.#vm !== undefined) {
      this.#vm.finish()
      out.ascii(',')
    }
    this.#writeOutput(outcome)
    out.ascii(',"stateDiff":')
    if (diff === undefined) out.ascii('null')
    else writeStateDiff(out, diff)
    this.#writeCalls()
    const hash = this.#transactionHash
    if (hash !== undefined) out.ascii(`,"transactionHash":"${bytesToHex(hash)}"`)
    out.ascii(this.#vm === undefined ? ',"vmTrace":null}' : '}')
  }

  /** A failed transaction has no output, but a call includes its revert data. */
  #writeOutput({ result }: TraceEnd): void {
    const out = this.#out
    const isCall = this.#transactionHash === undefined
    out.ascii('"output":"0x')
    if (result.outcome === 'success' || (isCall && result.outcome === 'revert')) out.hex(result.output)
    out.ascii('"')
    if (isCall || result.outcome !== 'revert' || result.output.length === 0) return
    out.ascii(',"revertReason":"0x')
    out.hex(result.output)
    out.ascii('"')
  }

  #writeCalls(): void {
    const out = this.#out
    out.ascii(',"trace":[')
    const format = { location: undefined, creationMethod: this.#transactionHash !== undefined }
    const writer = new FlatEntryWriter(out, format)
    for (const [i, entry] of (this.#flat?.entries ?? []).entries()) {
      if (i > 0) out.ascii(',')
      writer.write(entry)
    }
    out.ascii(']')
  }
}
