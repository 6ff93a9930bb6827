/**
 * Follows a chain of IBFT 2.0 or QBFT by the seals of its blocks. A block is believed when two thirds of its own validators
 * sealed it, and more than a third of the validators of a block that is believed already: of those, at most a third are
 * faulty. Where the sets have less in common, a block between them is asked for.
 * @module
 */
import { MAX_FOLLOWED_HEADERS } from '../../base/limits/limits.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ConsensusSchedule, ParentCall, ParentCallResult } from '../../chain/engine.ts'
import { type Addresses, hasAddress } from '../../consensus/bft/addresses.ts'
import { BftEngine } from '../../consensus/bft/bft.ts'
import { decodeExtraData } from '../../consensus/bft/extraData.ts'
import { commitSealHash } from '../../consensus/bft/hashes.ts'
import { quorumOf } from '../../consensus/bft/quorum.ts'
import { readSealers } from '../../consensus/bft/rules.ts'
import { validatorsOfCall } from '../../consensus/bft/validatorContract.ts'
import type { ForkHeader } from '../../fork/forkBlock.ts'
import { headUntrusted } from '../errors.ts'
import type { HeaderLookup } from './headerReads.ts'
import type { SealTrust } from './sealTrust.ts'

/** Runs a call on the state after a block, which is proven against the header. */
export type ProvenCall = (call: ParentCall, block: ForkHeader) => Promise<ParentCallResult>

export interface BftTrustDeps {
  readonly headers: HeaderLookup
  readonly schedule: ConsensusSchedule
  /** For validators in a contract. */
  readonly callAt: ProvenCall
}

/** A block that is believed, and the validators whose seals lead further. */
interface Anchor {
  readonly block: ForkHeader
  readonly validators: Addresses
}

export class BftTrust implements SealTrust {
  readonly #deps: BftTrustDeps
  #anchor: Anchor | undefined
  #trusted: ForkHeader

  /** @param trusted believed without seals: the genesis block or a checkpoint */
  constructor(deps: BftTrustDeps, trusted: ForkHeader) {
    this.#deps = deps
    this.#trusted = trusted
  }

  /** The newest block that is believed. */
  get trusted(): ForkHeader {
    return this.#trusted
  }

  /** The same: a sealed block is final. */
  get newest(): ForkHeader {
    return this.#trusted
  }

  /**
   * Leads from the newest block that is believed to another one, which need not be newer.
   * @throws {NodeError} HEAD_UNTRUSTED
   */
  async follow(target: ForkHeader): Promise<void> {
    const anchor = this.#anchor ?? { block: this.#trusted, validators: await this.#firstValidators() }
    this.#anchor = anchor
    if (target.number < anchor.block.number) return
    if (target.number === anchor.block.number) {
      if (equalBytes(target.hash, anchor.block.hash)) return
      throw headUntrusted(target.number, 'a block with another hash was trusted before')
    }
    await this.#advance(target)
  }

  /** Blocks in which the search divides the way wait in a stack, the nearest last. */
  async #advance(target: ForkHeader): Promise<void> {
    const ahead = [target]
    let asked = 0
    for (let next = ahead.at(-1); next !== undefined; next = ahead.at(-1)) {
      const { block } = this.#anchor as Anchor
      const validators = await this.#validatorsOf(next)
      const sealers = this.#checkedSealers(next, validators)
      if (await this.#isReached(next, validators, sealers)) {
        this.#anchor = { block: next, validators }
        this.#trusted = next
        ahead.pop()
      } else if (next.number === block.number + 1) {
        throw headUntrusted(next.number, `too few validators of block ${block.number} sealed it`)
      } else {
        if (++asked > MAX_FOLLOWED_HEADERS) throw headUntrusted(next.number, `${asked} headers do not lead to it`)
        const middle = block.number + Math.floor((next.number - block.number) / 2)
        ahead.push(...(await this.#deps.headers.at([middle])))
      }
    }
  }

  /** Whether enough of those who are believed have sealed the block. */
  async #isReached(block: ForkHeader, validators: Addresses, sealers: Addresses): Promise<boolean> {
    const anchor = this.#anchor as Anchor
    if (block.number === anchor.block.number + 1) {
      if (!equalBytes(block.header.parentHash, anchor.block.hash)) {
        throw headUntrusted(block.number, `its parent is another block than the one that was trusted`)
      }
      // The state of a trusted parent lists the validators.
      if (this.#engineOf(block).parentCall() !== undefined) return true
      // The rules alone say who validates after an epoch block, and after a transition in the genesis file.
      const required = this.#requiredAfter(anchor.block, block)
      if (required !== undefined) return isSameSet(required, validators)
    }
    const shared = sealers.filter((sealer) => hasAddress(anchor.validators, sealer)).length
    return 3 * shared > anchor.validators.length
  }

  /** The validators that the block on top of a trusted one must have; undefined when that depends on earlier votes. */
  #requiredAfter(parent: ForkHeader, block: ForkHeader): Addresses | undefined {
    const engine = this.#engineOf(block)
    try {
      const nothing = { headers: { headerByHash: () => undefined }, store: { get: () => undefined, put: () => {} } }
      const found = engine.validatorsAfter(parent.hash, parent.header, nothing)
      return found.kind === 'validators' ? found.validators : undefined
    } catch (error) {
      if (isNodeError(error, 'VALIDATORS_UNKNOWN')) return undefined
      throw error
    }
  }

  async #firstValidators(): Promise<Addresses> {
    const block = this.#trusted
    const engine = this.#engineOf(block)
    const call = engine.parentCall()
    if (call !== undefined) return this.#called(call, block)
    return decoded(block, engine).validators
  }

  /** The validators of a block, as its header or the state of its parent lists them. */
  async #validatorsOf(block: ForkHeader): Promise<Addresses> {
    const engine = this.#engineOf(block)
    const call = engine.parentCall()
    if (call === undefined) return decoded(block, engine).validators
    return this.#called(call, await this.#deps.headers.of(block.header.parentHash))
  }

  async #called(call: ParentCall, block: ForkHeader): Promise<Addresses> {
    const found = validatorsOfCall(call, await this.#deps.callAt(call, block))
    if (found.kind === 'unknown') throw headUntrusted(block.number, found.reason)
    return found.validators
  }

  #checkedSealers(block: ForkHeader, validators: Addresses): Addresses {
    const engine = this.#engineOf(block)
    const extra = decoded(block, engine)
    const read = readSealers(commitSealHash(block.header, engine.flavour, extra), extra.seals, validators)
    if (read.kind === 'invalid') throw headUntrusted(block.number, read.reason)
    const { length } = read.sealers
    const quorum = quorumOf(validators.length)
    if (length >= quorum && length > 0) return read.sealers
    throw headUntrusted(block.number, `${length} of its ${validators.length} validators sealed it, ${quorum} must`)
  }

  #engineOf({ header, number }: ForkHeader): BftEngine {
    const engine = this.#deps.schedule.claimedBy(header)
    if (engine instanceof BftEngine) return engine
    throw headUntrusted(number, `seals of ${engine.name} cannot be followed from those of IBFT 2.0 or QBFT`)
  }
}

function decoded({ header, number }: ForkHeader, { flavour }: BftEngine) {
  try {
    return decodeExtraData(header.extraData, flavour)
  } catch (error) {
    if (isNodeError(error, 'INVALID_EXTRA_DATA')) throw headUntrusted(number, error.message)
    throw error
  }
}

function isSameSet(a: Addresses, b: Addresses): boolean {
  return a.length === b.length && a.every((address) => hasAddress(b, address))
}
