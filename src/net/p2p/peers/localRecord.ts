/**
 * The node record of this node.
 * @see EIP-778; docs/reference/p2p.md section 2
 * @module
 */
import type { Signer } from '../../../base/ports/signer.ts'
import { equalBytes } from '../../../base/primitives/bytes.ts'
import { type NodeRecord, renewRecord, tryDecodeRecord } from '../discovery/nodeRecord.ts'
import { contactEntries, type ForkId, type RecordAddress } from '../discovery/recordEntries.ts'
import type { ValueStore } from './storedValue.ts'

export interface LocalRecordOptions {
  readonly signer: Signer
  /** Keeps the newest record; without it, sequence numbers repeat after a restart. */
  readonly store: ValueStore
  readonly address: RecordAddress
  /** The current fork id of the chain. */
  forkId(): ForkId
}

/** The sequence number grows with each change of the content, across restarts too. */
export class LocalRecord {
  readonly #options: LocalRecordOptions
  #record: NodeRecord
  #forkId: ForkId

  /** @throws {RangeError} when the host of the address is not an IP address */
  constructor(options: LocalRecordOptions) {
    this.#options = options
    const stored = options.store.load()
    const previous = stored && tryDecodeRecord(stored)
    this.#forkId = options.forkId()
    this.#record = this.#renew(isOwn(previous, options.signer) ? previous : undefined)
  }

  /** The current record. If the fork id has changed, a new one is signed and saved. */
  get current(): NodeRecord {
    const forkId = this.#options.forkId()
    if (forkId.next !== this.#forkId.next || !equalBytes(forkId.hash, this.#forkId.hash)) {
      this.#forkId = forkId
      this.#record = this.#renew(this.#record)
    }
    return this.#record
  }

  #renew(previous: NodeRecord | undefined): NodeRecord {
    const { signer, address, store } = this.#options
    const record = renewRecord(signer, previous, contactEntries(address, this.#forkId))
    if (record !== previous) store.save(record.bytes)
    return record
  }
}

/** The node key may have been replaced. */
function isOwn(record: NodeRecord | undefined, { publicKey }: Signer): boolean {
  return record !== undefined && equalBytes(record.publicKey, publicKey)
}
