/**
 * Entries of flat traces as JSON text.
 * @see docs/reference/debug-and-trace.md section 7
 * @module
 */

import { bytesToHex, EMPTY_BYTES, quantity } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { CallEnd, CallStart, SelfDestructEvent } from '../../evm/hooks.ts'
import { haltDescription } from '../halts.ts'
import { callFrom, type FlatEntry, isCreation, traceAddress } from './flatTrace.ts'

export interface FlatTraceLocation {
  /** 32 bytes */
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  /** 32 bytes */
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
}

/** Optional content of the entries. */
export interface FlatFormat {
  /** undefined for entries without block and transaction */
  readonly location: FlatTraceLocation | undefined
  /** Whether creations include the opcode. */
  readonly creationMethod: boolean
}

/** Writes the entries of one transaction. */
export class FlatEntryWriter {
  readonly #out: JsonWriter
  readonly #creationMethod: boolean
  readonly #blockMembers: string
  readonly #transactionMembers: string

  constructor(out: JsonWriter, { location: place, creationMethod }: FlatFormat) {
    this.#out = out
    this.#creationMethod = creationMethod
    this.#blockMembers = place === undefined ? '' : blockMembers(place)
    this.#transactionMembers =
      place === undefined
        ? ''
        : `,"transactionHash":"${bytesToHex(place.transactionHash)}","transactionPosition":${place.transactionIndex}`
  }

  write(entry: FlatEntry): void {
    const { event } = entry
    if (event.kind === 'call') this.#call(entry, event.start)
    else this.#selfDestruct(event.selfDestruct)
    const type = event.kind === 'call' ? (isCreation(event.start) ? 'create' : 'call') : 'suicide'
    const address = traceAddress(entry).join()
    this.#out.ascii(`,"subtraces":${entry.children},"traceAddress":[`)
    // The text of a deep trace address may exceed the largest single write.
    for (let at = 0; at < address.length; at += TEXT_PART) this.#out.ascii(address.slice(at, at + TEXT_PART))
    this.#out.ascii(`]${this.#transactionMembers},"type":"${type}"}`)
  }

  #call(entry: FlatEntry, start: CallStart): void {
    const out = this.#out
    const creation = isCreation(start)
    const kind = start.kind.toLowerCase()
    const method = !creation ? `"callType":"${kind}",` : this.#creationMethod ? `"creationMethod":"${kind}",` : ''
    const from = bytesToHex(callFrom(entry) as Uint8Array)
    out.ascii(
      `{"action":{${method}"from":"${from}","gas":"${quantity(start.gas)}","${creation ? 'init' : 'input'}":"0x`,
    )
    out.hex(start.input)
    if (!creation) out.ascii(`","to":"${bytesToHex(start.target)}`)
    out.ascii(`","value":"${quantity(start.value)}"}${this.#blockMembers}`)
    if (entry.end !== undefined) this.#end(start, entry.end)
  }

  #end(start: CallStart, end: CallEnd): void {
    const out = this.#out
    if (end.outcome !== 'success') {
      out.ascii(`,"error":"${failureText(end)}"`)
      // Only the outermost call includes the revert reason.
      if (end.outcome !== 'revert' || end.depth > 0 || end.output.length === 0) return
      out.ascii(',"revertReason":"0x')
      out.hex(end.output)
      out.ascii('"')
      return
    }
    const gasUsed = `"gasUsed":"${quantity(end.gasUsed)}"`
    // The output of a precompile called by the transaction itself is omitted.
    const output = start.runs === 'precompile' ? EMPTY_BYTES : end.output
    if (isCreation(start)) {
      out.ascii(`,"result":{"address":"${bytesToHex(start.address)}","code":"0x`)
      out.hex(output)
      out.ascii(`",${gasUsed}}`)
      return
    }
    out.ascii(`,"result":{${gasUsed},"output":"0x`)
    out.hex(output)
    out.ascii('"}')
  }

  #selfDestruct({ address, beneficiary, balance }: SelfDestructEvent): void {
    const names = `"address":"${bytesToHex(address)}","balance":"${quantity(balance)}"`
    const action = `{"action":{${names},"refundAddress":"${bytesToHex(beneficiary)}"}`
    this.#out.ascii(`${action}${this.#blockMembers},"result":null`)
  }
}

const TEXT_PART = 4096

/** The block members of an entry, with a leading comma. */
export function blockMembers({ blockHash, blockNumber }: Pick<FlatTraceLocation, 'blockHash' | 'blockNumber'>): string {
  return `,"blockHash":"${bytesToHex(blockHash)}","blockNumber":${blockNumber}`
}

function failureText({ outcome, halt }: CallEnd): string {
  if (outcome === 'revert') return 'Reverted'
  return haltDescription(halt ?? 'INSUFFICIENT_GAS')
}
