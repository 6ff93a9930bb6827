/**
 * Verifies the chain of a mirror from a trusted block to the head, at each state of the mirror: hashes of headers, ancestry, and
 * the seals of the consensus. A publisher then cannot show a chain that its validators did not agree on.
 * @module
 */
import { MAX_FOLLOWED_HEADERS, MAX_KEPT_ANCESTORS } from '../../base/limits/limits.ts'
import type { YieldToHost } from '../../base/ports/yieldToHost.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import type { ConsensusEngine, ConsensusSchedule } from '../../chain/engine.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { sealsUnproven } from '../../mirror/errors.ts'
import type { BlockName } from '../../mirror/format/manifest.ts'
import { Column, numberedKey, numberedParts } from '../../storage/schema.ts'
import { headUntrusted } from '../../verified/errors.ts'
import type { HeaderLookup } from '../../verified/trust/headerReads.ts'
import { openSealTrust } from '../../verified/trust/openSealTrust.ts'
import type { SealTrust } from '../../verified/trust/sealTrust.ts'
import { type ChainTable, StoredHeaders } from './storedHeaders.ts'

export interface SealedChainDeps {
  readonly config: ChainConfig
  readonly schedule: ConsensusSchedule
  readonly yieldToHost: YieldToHost
  /** Wall clock, milliseconds since 1970. */
  now(): number
}

/** A state of the mirror. */
export interface ChainState {
  readonly table: ChainTable
  readonly head: BlockName
  /** Keys whose values may differ from the state before; undefined: any may. */
  readonly changed: readonly Uint8Array[] | undefined
}

/** Headers that are read together. */
const HEADERS_PER_BATCH = 256

export class SealedChain {
  readonly #deps: SealedChainDeps
  /** Hash of the trusted block, 32 bytes. */
  readonly #root: Uint8Array
  #headers: StoredHeaders
  #trust: SealTrust | undefined
  /** Hashes of the last canonical blocks that were verified, ascending by number. */
  #known: ReadonlyMap<number, Uint8Array> = new Map()

  /**
   * Verifies nothing yet.
   * @param root hash of a block that is trusted, 32 bytes
   * @param table of the first state
   */
  constructor(deps: SealedChainDeps, root: Uint8Array, table: ChainTable) {
    this.#deps = deps
    this.#root = root
    this.#headers = new StoredHeaders(table, deps.schedule)
  }

  /**
   * Verifies a state of the mirror, the first time all of it.
   * @throws {NodeError} HEAD_UNTRUSTED, SEALS_UNPROVEN; MIRROR_BEHIND when the mirror does not have the trusted block; those of
   *   the store
   */
  async verify({ table, head, changed }: ChainState): Promise<void> {
    this.#headers = new StoredHeaders(table, this.#deps.schedule)
    await this.#requireHead(head)
    const [root, target] = await Promise.all([this.#headers.of(this.#root), this.#headers.of(head.hash)])
    requireSeals(this.#engineOf(root), this.#engineOf(target))
    const known = await this.#ancestry(head, root, firstChange(changed))
    await this.#seals(target, root)
    this.#known = known
  }

  async #requireHead({ number, hash }: BlockName): Promise<void> {
    const [pointer, last] = await Promise.all([this.#headers.pointer(), this.#headers.lastNumber()])
    if (pointer === undefined || !equalBytes(pointer, hash)) {
      throw headUntrusted(number, 'the manifest names another head than the mirror has')
    }
    if (last !== number) throw headUntrusted(number, `it is the head, but the last canonical block is ${last}`)
  }

  /**
   * Links the blocks from one that is known to the head.
   * @returns the hashes that are known then
   */
  async #ancestry(head: BlockName, root: ForkHeader, changedFrom: number): Promise<Map<number, Uint8Array>> {
    const known = new Map([...this.#known].filter(([number]) => number < changedFrom && number <= head.number))
    if (known.size === 0) {
      await this.#requireCanonical(root)
      known.set(root.number, root.hash)
    }
    let [number, hash] = [...known].at(-1) ?? [root.number, root.hash]
    while (number < head.number) {
      const from = number + 1
      const count = Math.min(HEADERS_PER_BATCH, head.number - number)
      for (const block of await this.#headers.at(Array.from({ length: count }, (_, i) => from + i))) {
        if (!equalBytes(block.header.parentHash, hash)) {
          throw headUntrusted(block.number, `its parent is another block than ${bytesToHex(hash)}`)
        }
        ;({ number, hash } = block)
        keep(known, number, hash)
      }
      await this.#deps.yieldToHost()
    }
    if (number === head.number && equalBytes(hash, head.hash)) return known
    throw headUntrusted(head.number, `the canonical block of its number is ${bytesToHex(hash)}`)
  }

  async #requireCanonical(block: ForkHeader): Promise<void> {
    if (await this.#isCanonical(block)) return
    throw headUntrusted(block.number, `it is another block than the trusted ${bytesToHex(block.hash)}`)
  }

  async #isCanonical({ number, hash }: ForkHeader): Promise<boolean> {
    const [block] = await this.#headers.at([number])
    return block !== undefined && equalBytes(block.hash, hash)
  }

  /** After a deep reorganisation, and after a mirror went back, the chain is followed from the trusted block again. */
  async #seals(target: ForkHeader, root: ForkHeader): Promise<void> {
    let trust = this.#trust ?? (await this.#openTrust(root))
    const { trusted } = trust
    const isBehind = target.number < trusted.number
    if (isBehind || !(await this.#isCanonical(trusted))) {
      if (!isBehind && this.#engineOf(trusted).finality === 'immediate') {
        throw headUntrusted(trusted.number, 'a block with another hash was trusted before')
      }
      trust = await this.#openTrust(root)
    }
    await this.#lead(trust, target)
    this.#trust = trust
  }

  async #lead(trust: SealTrust, target: ForkHeader): Promise<void> {
    for (let next = nextStop(trust); next < target.number; next = nextStop(trust)) {
      for (const block of await this.#headers.at([next])) await trust.follow(block)
    }
    await trust.follow(target)
    if (!equalBytes(trust.newest.hash, target.hash)) throw headUntrusted(target.number, 'no seals lead to it')
  }

  async #openTrust(root: ForkHeader): Promise<SealTrust> {
    const { config, schedule, yieldToHost, now } = this.#deps
    const headers: HeaderLookup = {
      at: (numbers) => this.#headers.at(numbers),
      of: (hash) => this.#headers.of(hash),
    }
    if (this.#engineOf(root).name === 'pow') {
      const { PowTrust } = await import('../../verified/trust/powTrust.ts')
      return new PowTrust({ headers, schedule, config, yieldToHost }, root)
    }
    const trust = await openSealTrust(root, { headers, schedule, config, now, callAt })
    if (trust === undefined) throw sealsUnproven('they do not lead from one block to the next')
    return trust
  }

  #engineOf({ header }: ForkHeader): ConsensusEngine {
    return this.#deps.schedule.claimedBy(header)
  }
}

function nextStop({ trusted }: SealTrust): number {
  return trusted.number + MAX_FOLLOWED_HEADERS
}

function keep(known: Map<number, Uint8Array>, number: number, hash: Uint8Array): void {
  known.set(number, hash)
  const [first] = known.keys()
  if (known.size > MAX_KEPT_ANCESTORS && first !== undefined) known.delete(first)
}

/** Number of the block that a key belongs to; infinite for keys that tell nothing of the chain of headers. */
function numberOf(key: Uint8Array): number {
  if (key[0] === Column.canonicalHash) return numberedParts(key, 1).number
  return key[0] === Column.header ? numberedKey(key).number : Number.POSITIVE_INFINITY
}

function firstChange(changed: readonly Uint8Array[] | undefined): number {
  if (changed === undefined) return 0
  return changed.reduce((first, key) => Math.min(first, numberOf(key)), Number.POSITIVE_INFINITY)
}

const BFT: readonly ConsensusEngine['name'][] = ['ibft2', 'qbft']

/** @throws {NodeError} SEALS_UNPROVEN */
function requireSeals({ name: first }: ConsensusEngine, { name: last }: ConsensusEngine): void {
  if (last === 'pos') throw sealsUnproven('blocks of proof of stake have none')
  if (last === 'ibft') throw sealsUnproven('they are those of IBFT before IBFT 2.0')
  const isSame = first === last || (BFT.includes(first) && BFT.includes(last))
  if (!isSame) throw sealsUnproven(`the consensus changes from ${first} to ${last}`)
}

async function callAt(): Promise<never> {
  throw sealsUnproven('the validators are in a contract, and a mirror does not prove states')
}
