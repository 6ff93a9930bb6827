/** Messages of eth and snap, and packets of discovery, whose form is valid and whose contents are arbitrary. */

import type { Message } from '../../src/net/p2p/discovery/v4/messages.ts'
import type { EncodedTransaction, EthMessage, HeaderQuery } from '../../src/net/protocols/eth/messages.ts'
import type { SnapRequest } from '../../src/net/protocols/snap/messages.ts'
import type { IsoNode } from '../../src/node/node.ts'
import type { Header } from '../../src/types/block.ts'
import { encodeBlock } from '../../src/types/blockCodec.ts'
import { encodeHeader } from '../../src/types/headerCodec.ts'
import type { SeededRandom } from '../simulation/seededRandom.ts'
import { GENESIS_SECONDS } from '../support/nodes/genesisNode.ts'

const MAX_UINT64 = 2n ** 64n - 1n

export class AttackMessages {
  readonly #random: SeededRandom
  readonly #chain: IsoNode['chain']
  readonly #transactions: readonly EncodedTransaction[]

  /** @param transactions signed ones */
  constructor(random: SeededRandom, { chain }: IsoNode, transactions: readonly EncodedTransaction[]) {
    this.#random = random
    this.#chain = chain
    this.#transactions = transactions
  }

  #transaction(): EncodedTransaction {
    return this.#transactions[this.#random.below(this.#transactions.length)] as EncodedTransaction
  }

  /** A hash of the chain, or an unknown one. */
  #hash(): Uint8Array {
    const { header } = this.#chain.head
    const block = this.#chain.headerByNumber(this.#random.below(Number(header.number) + 1))
    if (block === undefined || this.#random.chance(0.5)) return this.#random.bytes(32)
    return this.#random.chance(0.3) ? block.header.stateRoot : block.hash
  }

  #hashes(most: number): Uint8Array[] {
    return Array.from({ length: this.#random.below(most + 1) }, () => this.#hash())
  }

  #number(): bigint {
    const random = this.#random
    const near = this.#chain.head.header.number + BigInt(random.below(20))
    return [0n, 1n, near, BigInt(random.uint32()), MAX_UINT64][random.below(5)] as bigint
  }

  #query(): HeaderQuery {
    const start = this.#random.chance(0.5) ? this.#hash() : this.#number()
    const limit = this.#random.chance(0.8) ? BigInt(this.#random.below(8)) : this.#number()
    return { start, limit, skip: this.#random.chance(0.7) ? 0n : this.#number(), isReverse: this.#random.chance(0.5) }
  }

  eth(): EthMessage {
    const random = this.#random
    const requestId = BigInt(random.uint32())
    switch (random.below(9)) {
      case 0:
        return { kind: 'getBlockHeaders', requestId, ...this.#query() }
      case 1:
        return { kind: 'getBlockBodies', requestId, hashes: this.#hashes(8) }
      case 2:
        return { kind: 'getReceipts', requestId, hashes: this.#hashes(8) }
      case 3:
        return { kind: 'getPooledTransactions', requestId, hashes: this.#hashes(8) }
      case 4:
      case 5: {
        const hashes = this.#hashes(6)
        const types = random.bytes(hashes.length).map((type) => type % 5)
        const forms = { types, sizes: hashes.map(() => random.below(200_000)) }
        return { kind: 'newPooledTransactionHashes', hashes, forms }
      }
      case 6:
        return { kind: 'newBlockHashes', blocks: this.#hashes(2).map((hash) => ({ hash, number: this.#number() })) }
      case 7:
        return this.#newBlock()
      default: {
        const chosen = new Set(Array.from({ length: 1 + random.below(3) }, () => this.#transaction()))
        return { kind: 'transactions', transactions: [...chosen] }
      }
    }
  }

  /** A recent block, or one with another header, under another total difficulty. */
  #newBlock(): EthMessage {
    const { header: head } = this.#chain.head
    const number = Math.max(1, Number(head.number) - this.#random.below(3))
    const known = this.#chain.headerByNumber(number)?.header ?? head
    const changes: readonly Partial<Header>[] = [
      {},
      { stateRoot: this.#random.bytes(32) },
      { number: this.#number() },
      { parentHash: this.#random.bytes(32) },
      { timestamp: known.timestamp + 1000n },
    ]
    const header: Header = { ...known, ...changes[this.#random.below(changes.length)] }
    const block = encodeBlock({ header, transactions: [], ommers: [] })
    const totalDifficulty = this.#number()
    return { kind: 'newBlock', block, header: { header, encoding: encodeHeader(header) }, totalDifficulty }
  }

  snap(): SnapRequest {
    const random = this.#random
    const common = { requestId: BigInt(random.uint32()), root: this.#hash(), maxBytes: this.#number() }
    switch (random.below(4)) {
      case 0:
        return { kind: 'getAccountRange', ...common, start: random.bytes(32), limit: this.#hash() }
      case 1:
        return { kind: 'getStorageRanges', ...common, accounts: this.#hashes(4), start: undefined, limit: undefined }
      case 2:
        return { kind: 'getByteCodes', ...common, hashes: this.#hashes(4) }
      default:
        return { kind: 'getTrieNodes', ...common, paths: [[random.bytes(random.below(4))]] }
    }
  }

  datagram(host: string, target: Uint8Array): Message {
    const random = this.#random
    const port = (): number => [0, 1, 30_303, 65_535][random.below(4)] as number
    const hosts = [host, '10.0.0.2', '127.0.0.1', '255.255.255.255', '2001:db8::1']
    const endpoint = () => ({
      host: hosts[random.below(hosts.length)] as string,
      udpPort: port(),
      tcpPort: port(),
    })
    const expiration = [0, GENESIS_SECONDS + 10_000_000, 2 ** 32, 2 ** 53 - 1][random.below(4)] as number
    const enrSeq = random.chance(0.5) ? this.#number() : undefined
    switch (random.below(6)) {
      case 0:
        return { type: 'ping', from: endpoint(), to: endpoint(), expiration, enrSeq }
      case 1:
        return { type: 'pong', to: endpoint(), pingHash: random.bytes(32), expiration, enrSeq }
      case 2:
        return { type: 'findNode', target, expiration }
      case 3: {
        const nodes = Array.from({ length: random.below(12) }, () => ({ ...endpoint(), id: random.bytes(64) }))
        return { type: 'neighbors', nodes, expiration }
      }
      case 4:
        return { type: 'enrRequest', expiration }
      default:
        return { type: 'enrResponse', requestHash: random.bytes(32), record: Uint8Array.of(0xc0) }
    }
  }
}
