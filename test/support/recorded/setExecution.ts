/** Executes a block of a public benchmark set on the state that it comes with. */
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { executeBlock } from '../../../src/chain/transition/executeBlock.ts'
import { executionInput } from '../../../src/chain/transition/executionInput.ts'
import { receiptsRoot, requestsHash } from '../../../src/chain/validation/resultRules.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import type { Block } from '../../../src/types/block.ts'
import { transactionSender } from '../../../src/types/transactionCodec.ts'
import type { SetBlock } from './publicSets.ts'

/** In hex, except for the gas. */
export interface SetResult {
  readonly gasUsed: number
  readonly receiptsRoot: string
  readonly logsBloom: string
  readonly stateRoot: string
  /** Since Prague. */
  readonly requestsHash?: string
}

/** The state before a block, in a store of its own. */
export class PreparedSetBlock {
  readonly #set: SetBlock
  readonly #evm: Evm
  readonly #kv: MemoryStore
  readonly #root: StateRoot

  private constructor(set: SetBlock, evm: Evm, kv: MemoryStore, root: StateRoot) {
    this.#set = set
    this.#evm = evm
    this.#kv = kv
    this.#root = root
  }

  static async open(set: SetBlock, evm: Evm): Promise<PreparedSetBlock> {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const stage = new StagedStore(kv)
    const [first] = [...set.setup, set.block] as [Block]
    const root = genesisState(stage, set.alloc)
    const parent = { number: Number(first.header.number) - 1, hash: first.header.parentHash }
    states.moveFlat(stage, [], [parent], root)
    await kv.commit(stage.mutations())
    let prepared = new PreparedSetBlock(set, evm, kv, root)
    for (const [i, block] of set.setup.entries()) prepared = await prepared.#after(block, i + 1)
    return prepared
  }

  /** @param version of the trie nodes that the block writes */
  async #after(block: Block, version: number): Promise<PreparedSetBlock> {
    const state = await this.begin()
    await this.#execute(block, state)
    const stage = new StagedStore(this.#kv)
    const root = state.persist({ version, stage })
    await this.#kv.commit(stage.mutations())
    return new PreparedSetBlock(this.#set, this.#evm, this.#kv, root)
  }

  /** A new state of which nothing is in memory but the store. */
  begin(): WorldState {
    return new StateStore(this.#kv).mutable(this.#root)
  }

  /** Recovers the senders, executes the block and computes its roots. */
  execute(state: WorldState): Promise<SetResult> {
    return this.#execute(this.#set.block, state)
  }

  async #execute(block: Block, state: WorldState): Promise<SetResult> {
    const { config, ancestors } = this.#set
    const senders = block.transactions.map((transaction, i) => {
      const sender = transactionSender(transaction)
      if (sender === undefined) throw new Error(`transaction ${i} has no sender`)
      return sender
    })
    const deps = { config, evm: this.#evm, consensus: createSchedule(config), control: {} }
    const target = { block, senders, state, blockHash: (number: bigint) => ancestors.get(number) }
    const outcome = await executeBlock(executionInput(deps, target))
    if (outcome.kind === 'invalid') throw new Error(outcome.reason)
    return {
      gasUsed: Number(outcome.gasUsed),
      receiptsRoot: bytesToHex(receiptsRoot(outcome.receipts)),
      logsBloom: bytesToHex(outcome.logsBloom),
      stateRoot: bytesToHex(state.rootHash()),
      ...(outcome.requests === undefined ? {} : { requestsHash: bytesToHex(requestsHash(outcome.requests)) }),
    }
  }
}

/**
 * @param result of which a program may tell only a part
 * @returns what differs from the results that are known in advance
 */
export function differences({ expected, block }: SetBlock, result: Partial<SetResult>): string[] {
  const { requestsHash } = block.header
  const wanted: Partial<SetResult> = {
    ...(expected.gasUsed === undefined ? {} : { gasUsed: Number(expected.gasUsed) }),
    ...(expected.receiptsRoot === undefined ? {} : { receiptsRoot: bytesToHex(expected.receiptsRoot) }),
    ...(expected.logsBloom === undefined ? {} : { logsBloom: bytesToHex(expected.logsBloom) }),
    ...(expected.stateRoot === undefined ? {} : { stateRoot: bytesToHex(expected.stateRoot) }),
    ...(requestsHash === undefined ? {} : { requestsHash: bytesToHex(requestsHash) }),
  }
  return contradictions(wanted, result)
}

/** @returns the fields that both results have with different values */
export function contradictions(wanted: Partial<SetResult>, result: Partial<SetResult>): string[] {
  return (Object.keys(wanted) as (keyof SetResult)[])
    .filter((field) => result[field] !== undefined && wanted[field] !== undefined && wanted[field] !== result[field])
    .map((field) => `${field} is ${result[field]}, not ${wanted[field]}`)
}
