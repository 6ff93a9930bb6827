/**
 * The validators of stored blocks and of the blocks on top of them.
 * @see docs/reference/consensus-ibft-qbft.md sections 10 and 11
 * @module
 */

import { NodeError } from '../../base/primitives/errors.ts'
import { type MaybePromise, mapMaybe } from '../../base/primitives/maybePromise.ts'
import { storedAncestorHashes } from '../../chain/ancestorHashes.ts'
import type { BlockReads } from '../../chain/blockReads.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { ConsensusEngine, ParentCallResult } from '../../chain/engine.ts'
import { callOnParent } from '../../chain/parentCall.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { StateSource } from '../../state/contract.ts'
import { type Addresses, sortAddresses } from './addresses.ts'
import { BftEngine } from './bft.ts'
import { HEADER_READERS } from './headerReaders.ts'
import { LegacyIbftEngine } from './legacyIbft.ts'
import { type ContractValidators, validatorsOfCall } from './validatorContract.ts'
import type { VoteTally } from './votes.ts'

export interface ValidatorReaderDeps {
  readonly chain: ChainReader & Pick<BlockReads, 'engineStore'>
  readonly states: StateSource
  readonly execution: ExecutionDeps
}

export class ValidatorReader {
  readonly #deps: ValidatorReaderDeps

  constructor(deps: ValidatorReaderDeps) {
    this.#deps = deps
  }

  /** BFT engine of a block; undefined if it belongs to another engine. */
  engineOf({ header }: Pick<ChainHeader, 'header'>): BftEngine | LegacyIbftEngine | undefined {
    return bftEngine(this.#deps.execution.consensus.claimedBy(header))
  }

  /** BFT engine of the block on top of another; undefined if it belongs to another engine. */
  engineAfter({ header, totalDifficulty }: ChainHeader): BftEngine | LegacyIbftEngine | undefined {
    const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
    return bftEngine(this.#deps.execution.consensus.nextBlock(next, totalDifficulty).engine)
  }

  /**
   * Validators of a block as clients see them: the list of its header, for QBFT in ascending order; in contract mode the
   * validators that the contract lists after the block.
   * @returns 20 bytes each; synchronously unless a contract is called
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  listedBy(block: ChainHeader): MaybePromise<Addresses> {
    const engine = required(this.engineOf(block), block.header.number)
    if (engine.name === 'qbft' && engine.settings.validatorContract !== undefined) return this.#called(engine, block)
    const list = HEADER_READERS[engine.name].validators(block.header)
    return engine.name === 'qbft' ? sortAddresses(list) : list
  }

  /**
   * Validators of the block on top of another, ascending.
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  after(block: ChainHeader): MaybePromise<Addresses> {
    const engine = required(this.engineAfter(block), block.header.number + 1n)
    if (engine instanceof BftEngine && engine.settings.validatorContract !== undefined)
      return this.#called(engine, block)
    return this.tallyAfter(block).validators
  }

  /**
   * Validators after a block with the open votes, where blocks carry votes.
   * @throws {NodeError} VALIDATORS_UNKNOWN
   */
  tallyAfter(block: ChainHeader): VoteTally {
    const { chain } = this.#deps
    const engine = required(this.engineAfter(block), block.header.number + 1n)
    const headers = { headerByHash: (hash: Uint8Array) => chain.headerByHash(hash)?.header }
    return engine.history.after(block.hash, block.header, { headers, store: chain.engineStore(engine.name) })
  }

  /** The account that created a block, 20 bytes. Blocks below a change to QBFT may belong to another engine. */
  proposerOf({ header }: Pick<ChainHeader, 'header'>): Uint8Array {
    const claimed = this.#deps.execution.consensus.claimedBy(header)
    const engine = bftEngine(claimed)
    return engine === undefined ? claimed.author(header) : HEADER_READERS[engine.name].proposer(header)
  }

  #called(engine: BftEngine, block: ChainHeader): MaybePromise<Addresses> {
    const { chain, states, execution } = this.#deps
    const call = engine.parentCall()
    if (call === undefined) throw unknown('the engine names no contract')
    const state = states.mutable(block)
    const result: MaybePromise<ParentCallResult | undefined> =
      state && callOnParent(call, { parent: block, state, blockHash: storedAncestorHashes(chain, block) }, execution)
    return mapMaybe(result, (output) => requireKnown(validatorsOfCall(call, output)))
  }
}

function bftEngine(engine: ConsensusEngine): BftEngine | LegacyIbftEngine | undefined {
  return engine instanceof BftEngine || engine instanceof LegacyIbftEngine ? engine : undefined
}

function required<T>(engine: T | undefined, number: bigint): T {
  if (engine === undefined) throw unknown(`block ${number} belongs to an engine without validators`)
  return engine
}

function requireKnown(found: ContractValidators): Addresses {
  if (found.kind === 'unknown') throw unknown(found.reason)
  return found.validators
}

function unknown(reason: string): NodeError {
  return new NodeError({ code: 'VALIDATORS_UNKNOWN' }, `the validators are unknown: ${reason}`)
}
