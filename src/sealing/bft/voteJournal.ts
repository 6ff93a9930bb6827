/**
 * Messages that this node has signed at its highest height, on disk before they are sent. A validator that restarts
 * must not sign anything else for the same height and round, and must not forget its lock.
 * @see docs/reference/consensus-ibft-qbft.md section 6
 * @module
 */

import type { KeyValueStore, Mutation } from '../../base/ports/keyValueStore.ts'
import { concatBytes, readUint } from '../../base/primitives/bytes.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import type { Remembered, SignedRecord } from '../../consensus/bft/machine/contract.ts'
import type { BftProtocol } from '../../consensus/bft/messages/packets.ts'
import type { Message, MessageKind, Prepare, Proposal } from '../../consensus/bft/messages/payloads.ts'
import { Column, keys } from '../../storage/schema.ts'
import { decodeItem, type EncodedKind, FieldReader } from '../../types/fieldReader.ts'
import { decodePayload, PROTOCOLS, type Protocol } from './protocols.ts'

const KINDS: readonly (MessageKind | 'lock')[] = ['proposal', 'prepare', 'commit', 'roundChange', 'lock']
const NAMES: readonly BftProtocol[] = ['ibft2', 'qbft']
const LOCK: EncodedKind = { code: 'INVALID_BFT_MESSAGE', name: 'stored lock' }
const HEIGHT_AT = 1
const KIND_AT = 11

type Lock = NonNullable<SignedRecord['lock']>

export class VoteJournal {
  readonly #kv: KeyValueStore
  /** Keys in the store. */
  #kept: Uint8Array[] = []
  #height = 0

  constructor(kv: KeyValueStore) {
    this.#kv = kv
  }

  /** The highest height of a stored message; 0 without one. */
  get height(): number {
    return this.#height
  }

  /**
   * Stores records; those of lower heights are deleted.
   * @returns once they are durable
   */
  record(height: number, records: readonly SignedRecord[], protocol: Protocol): void | Promise<void> {
    const batch: Mutation[] = []
    if (height !== this.#height) {
      for (const key of this.#kept) batch.push({ key, value: undefined })
      this.#kept = []
      this.#height = height
    }
    for (const { message, lock } of records) {
      const { round, kind } = message.signed.payload
      batch.push({ key: keyOf(height, round, kind), value: recordOf(protocol, protocol.codec.encode(message)) })
      if (lock !== undefined)
        batch.push({ key: keyOf(height, round, 'lock'), value: recordOf(protocol, encodeLock(lock, protocol)) })
    }
    this.#kept.push(...batch.filter(({ value }) => value !== undefined).map(({ key }) => key))
    return this.#kv.commit(batch)
  }

  /**
   * Messages signed before the restart. May throw `StoreMiss`.
   * @throws {NodeError} INVALID_BFT_MESSAGE when a record is damaged
   */
  load(): Remembered | undefined {
    const entries = [...this.#kv.range({ prefix: Uint8Array.of(Column.bftVote) })]
    this.#kept = entries.map(([key]) => key.slice())
    this.#height = Math.max(0, ...entries.map(([key]) => heightOf(key)))
    const newest = entries.filter(([key]) => heightOf(key) === this.#height)
    const first = newest[0]
    if (first === undefined) return undefined
    const protocol = NAMES[first[1][0] as number] as BftProtocol
    const messages: Message[] = []
    let lock: Lock | undefined
    // Keys are in the order of rounds.
    for (const [key, value] of newest) {
      const kind = KINDS[key[KIND_AT] as number] as MessageKind | 'lock'
      const encoded = value.slice(1)
      if (kind === 'lock') lock = decodeLock(encoded, PROTOCOLS[protocol])
      else messages.push(decodePayload(kind, encoded, PROTOCOLS[protocol]))
    }
    return { height: this.#height, protocol, messages, lock }
  }
}

function keyOf(height: number, round: number, kind: MessageKind | 'lock'): Uint8Array {
  return keys.bftVote(height, round, KINDS.indexOf(kind))
}

function heightOf(key: Uint8Array): number {
  return readUint(key, HEIGHT_AT, 6)
}

function recordOf({ codec }: Protocol, encoded: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(NAMES.indexOf(codec.protocol)), encoded)
}

/** [proposal, [prepare…]], each as it is sent */
function encodeLock({ proposal, prepares }: Lock, { codec }: Protocol): Uint8Array {
  const votes = prepares.map((signed) => codec.encode({ kind: 'prepare', signed }))
  return rlpEncode([codec.encode(proposal), votes])
}

function decodeLock(bytes: Uint8Array, protocol: Protocol): Lock {
  const fields = new FieldReader(decodeItem(LOCK, bytes), LOCK)
  const proposal = decodePayload('proposal', fields.bytes('proposal'), protocol) as Proposal
  const votes = fields.nested('prepares')
  const prepares: Prepare['signed'][] = []
  while (votes.remaining > 0)
    prepares.push((decodePayload('prepare', votes.bytes('prepare'), protocol) as Prepare).signed)
  fields.end()
  return { proposal, prepares }
}
