/**
 * Headers of a store that another node wrote, each compared with its hash.
 * @module
 */
import type { Entry, RangeOptions } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import { decodeNumber } from '../../chain/blockRecord.ts'
import type { BlockHasher } from '../../chain/engine.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { mirrorBehind } from '../../mirror/errors.ts'
import { Column, keys, numberedParts } from '../../storage/schema.ts'
import type { Header } from '../../types/block.ts'
import { decodeHeader } from '../../types/headerCodec.ts'
import { headUntrusted } from '../../verified/errors.ts'
import type { HeaderLookup } from '../../verified/trust/headerReads.ts'

/** The keys and values of a chain. */
export interface ChainTable {
  getMany(keys: readonly Uint8Array[]): MaybePromise<(Uint8Array | undefined)[]>
  range(options: RangeOptions): MaybePromise<Iterable<Entry>>
}

export class StoredHeaders implements HeaderLookup {
  readonly #table: ChainTable
  readonly #hasher: BlockHasher

  constructor(table: ChainTable, hasher: BlockHasher) {
    this.#table = table
    this.#hasher = hasher
  }

  /** @throws {NodeError} HEAD_UNTRUSTED */
  async at(numbers: readonly number[]): Promise<ForkHeader[]> {
    const hashes = await this.#table.getMany(numbers.map(keys.canonicalHash))
    const blocks = numbers.map((number, i) => {
      const hash = hashes[i]
      if (hash === undefined) throw headUntrusted(number, 'the mirror does not have it')
      return { number, hash }
    })
    return this.#named(blocks)
  }

  /** @throws {NodeError} HEAD_UNTRUSTED; MIRROR_BEHIND when the store does not have it */
  async of(hash: Uint8Array): Promise<ForkHeader> {
    const [number] = await this.#table.getMany([keys.numberByHash(hash)])
    if (number === undefined) throw mirrorBehind(`the mirror does not have block ${bytesToHex(hash)}`)
    const [block] = await this.#named([{ number: decodeNumber(number), hash }])
    return block as ForkHeader
  }

  /** The block that the store names as its head. */
  async pointer(): Promise<Uint8Array | undefined> {
    const [hash] = await this.#table.getMany([keys.meta('head')])
    return hash
  }

  /** Number of the last canonical block. */
  async lastNumber(): Promise<number | undefined> {
    const last = { prefix: Uint8Array.of(Column.canonicalHash), reverse: true, limit: 1 }
    for (const [key] of await this.#table.range(last)) return numberedParts(key, 1).number
    return undefined
  }

  async #named(blocks: readonly { readonly number: number; readonly hash: Uint8Array }[]): Promise<ForkHeader[]> {
    const values = await this.#table.getMany(blocks.map(({ number, hash }) => keys.header(number, hash)))
    return blocks.map(({ number, hash }, i) => {
      const header = this.#verified(number, hash, values[i])
      return { number, hash, header, isVerified: true, size: 0, totalDifficulty: 0n }
    })
  }

  #verified(number: number, hash: Uint8Array, rlp: Uint8Array | undefined): Header {
    if (rlp === undefined) throw headUntrusted(number, 'the mirror does not have its header')
    const header = decoded(number, rlp)
    const actual = this.#hasher.hash(header, rlp)
    if (!equalBytes(actual, hash)) throw headUntrusted(number, `the hash of its header is ${bytesToHex(actual)}`)
    if (Number(header.number) !== number) throw headUntrusted(number, `the number of its header is ${header.number}`)
    return header
  }
}

function decoded(number: number, rlp: Uint8Array): Header {
  try {
    return decodeHeader(rlpDecode(rlp))
  } catch (error) {
    throw headUntrusted(number, `its header cannot be decoded: ${(error as Error).message}`)
  }
}
