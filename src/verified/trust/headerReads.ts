/**
 * Headers of a remote whose hash is their own. That they belong to the chain is for others to find out.
 * @module
 */
import { bytesToHex, equalBytes, quantity } from '../../base/primitives/bytes.ts'
import { contradictedAnswer, unknownBlock } from '../../fork/errors.ts'
import { type ForkHeader, readForkHeader } from '../../fork/forkBlock.ts'
import type { RemoteAccess } from '../../fork/remoteAccess.ts'
import type { RemoteRequest } from '../../remote/contract.ts'

export type HeadTag = 'latest' | 'safe' | 'finalized'

/** Headers whose hash is their own, from a remote or from a mirror. */
export interface HeaderLookup {
  /**
   * In the order of the numbers.
   * @throws {NodeError} when one of them is missing, or is not that of its hash
   */
  at(numbers: readonly number[]): Promise<readonly ForkHeader[]>
  /** @throws {NodeError} as {@link at} */
  of(hash: Uint8Array): Promise<ForkHeader>
}

export class HeaderReads implements HeaderLookup {
  readonly #remote: RemoteAccess
  /** Headers that were asked for. */
  #count = 0

  constructor(remote: RemoteAccess) {
    this.#remote = remote
  }

  get count(): number {
    return this.#count
  }

  /** @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE */
  async tagged(tag: HeadTag): Promise<ForkHeader> {
    const [block] = await this.#ask([byNumber(tag)], [`the ${tag} block`])
    return block as ForkHeader
  }

  /**
   * In the order of the numbers.
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE
   */
  async at(numbers: readonly number[]): Promise<ForkHeader[]> {
    const names = numbers.map((number) => `block ${number}`)
    const blocks = await this.#ask(
      numbers.map((number) => byNumber(quantity(number))),
      names,
    )
    for (const [i, { number }] of blocks.entries()) {
      if (number !== numbers[i]) throw contradictedAnswer(`number of ${names[i]}`, `it is ${number}`)
    }
    return blocks
  }

  /** @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE */
  async of(hash: Uint8Array): Promise<ForkHeader> {
    const name = `block ${bytesToHex(hash)}`
    const [block] = await this.#ask([{ method: 'eth_getBlockByHash', params: [bytesToHex(hash), false] }], [name])
    if (block === undefined || !equalBytes(block.hash, hash)) throw contradictedAnswer(name, 'it has another hash')
    return block
  }

  async #ask(requests: readonly RemoteRequest[], names: readonly string[]): Promise<ForkHeader[]> {
    this.#count += requests.length
    const values = await this.#remote.valuesOf(requests, names[0] ?? 'no block')
    return values.map((value, i) => {
      const name = names[i] as string
      if (value === null) throw unknownBlock(name)
      const block = readForkHeader(value, name)
      if (!block.isVerified) throw contradictedAnswer(`hash of ${name}`, 'it is not that of the header')
      return block
    })
  }
}

function byNumber(block: string): RemoteRequest {
  return { method: 'eth_getBlockByNumber', params: [block, false] }
}
