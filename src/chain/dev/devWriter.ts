/**
 * Changes of the chain that only a dev chain allows: of the state and the environment after the head, of the newest
 * blocks, and of the whole chain. Each is an urgent task of the writer.
 * @module
 */

import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import { rlpDecode } from '../../base/primitives/rlp.ts'
import type { DevEnvironment } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import { requireState } from '../../state/errors.ts'
import type { GenesisAlloc } from '../../state/genesisState.ts'
import { readMetadata } from '../../storage/metadata.ts'
import { keys } from '../../storage/schema.ts'
import { decodeBlock } from '../../types/blockCodec.ts'
import { corrupt } from '../blockRecord.ts'
import type { Chain } from '../chain.ts'
import type { ChainHeader } from '../contract.ts'
import { type DevAmendment, decodeDevAmendment, NO_AMENDMENT } from '../devAmendment.ts'
import { completeFlatView } from '../flatCompletion.ts'
import type { ForkedBlock } from '../forkedBlock.ts'
import { encodedBlock } from '../preparedBlock.ts'
import { type NextPlan, sealBlocks } from '../sealRun.ts'
import { blockId, type SealedBlock, type WriteTask } from '../writeTask.ts'
import { type ChainCheckpoint, restoreCheckpoint, takeCheckpoint } from './checkpoint.ts'
import type { ChainDump } from './dump.ts'
import type { ChainLoad } from './load.ts'
import { removeUnfinishedLoad } from './unfinishedLoad.ts'

export class DevWriter {
  readonly #chain: Pick<Chain, 'run'>
  readonly #alloc: GenesisAlloc

  /** @param alloc accounts of the node's genesis block */
  constructor(chain: Pick<Chain, 'run'>, alloc: GenesisAlloc) {
    this.#chain = chain
    this.#alloc = alloc
  }

  /**
   * Amends the state after the head: every later execution starts from the amended state.
   * @param change may be called again after a store miss
   */
  amendHead(change: (state: MutableState) => void): Promise<ChainHeader> {
    return this.#chain.run('urgent', async (task) => {
      const { head } = task.pointers
      const id = blockId(head)
      const stateRoot = await task.resident(() => {
        const { stage } = task
        const state = task.base.modules.states.mutable(requireState(head.stateRoot), stage)
        change(state)
        const amend = stage.get(keys.stateDiff(id.number, id.hash)) !== undefined
        return state.persist({ version: task.nextVersion(), stage, block: id, amend })
      })
      await task.putDevAmendment(head, { ...(await amendmentOfHead(task)), stateRoot })
      task.replaceHead({ ...head, stateRoot })
      return task.pointers.head
    })
  }

  /**
   * Changes the environment of calls on the head and of all further blocks.
   * @throws whatever `change` throws
   */
  setEnvironment(change: (current: DevEnvironment | undefined) => DevEnvironment | undefined): Promise<ChainHeader> {
    return this.#chain.run('urgent', async (task) => {
      const { head } = task.pointers
      const environment = change(head.dev)
      await task.putDevAmendment(head, { ...(await amendmentOfHead(task)), environment })
      task.replaceHead({ ...head, dev: environment })
      return task.pointers.head
    })
  }

  /** The current position of the chain, for a later restore. Valid until the process ends. */
  checkpoint(): Promise<ChainCheckpoint> {
    return this.#chain.run('urgent', checkpointOf)
  }

  /**
   * Restores a checkpoint of this chain; undefined: the original genesis block of the node.
   * @throws {NodeError} STATE_PRUNED when the state of its block was deleted
   */
  restore(checkpoint: ChainCheckpoint | undefined): Promise<ChainHeader> {
    return this.#chain.run('urgent', async (task) => {
      if (checkpoint === undefined) return this.#begin(task, await originalGenesis(task))
      const { block } = checkpoint
      requireState(task.blocks.stateBound.check(Number(block.header.number), block.stateRoot))
      // The diffs lead to the state that the block has, not to that of the checkpoint.
      await task.moveHead((await task.resident(() => task.blocks.header(block.hash))) ?? block)
      await restoreCheckpoint(task, checkpoint)
      return task.pointers.head
    })
  }

  /**
   * Begins the chain again at another time.
   * @param timestamp of the first block, which is otherwise the original one; seconds
   */
  begin(timestamp: bigint): Promise<ChainHeader> {
    return this.#chain.run('urgent', async (task) => {
      const { rlp } = await originalGenesis(task)
      const block = decodeBlock(rlpDecode(await rlp()))
      const header = { ...block.header, timestamp }
      const first = encodedBlock({ ...block, header }, task.base.modules.consensus)
      return this.#begin(task, { hash: first.hash, rlp: () => first.rlp })
    })
  }

  /**
   * Begins the chain again on another block of the chain that it continues.
   * @param genesis the text of the genesis, which is stored
   * @param adopt lets the store and the states continue that block; called as soon as the chain begins there
   */
  continueAt(forked: ForkedBlock, genesis: string, adopt: () => void): Promise<ChainHeader> {
    return this.#chain.run('urgent', (task) => {
      const begin = async (load: ChainLoad): Promise<void> => {
        await load.begin(forked.hash)
        task.stage.put(keys.meta('genesis'), new TextEncoder().encode(genesis))
        await load.forkedBlock(forked)
      }
      const adopted = (): void => {
        adopt()
        task.base.blocks.forgetFirst()
        task.base.modules.states.forget()
      }
      return this.#load(task, begin, adopted)
    })
  }

  async #begin(task: WriteTask, first: FirstBlock): Promise<ChainHeader> {
    const { stateBound, firstNumber } = task.blocks
    if (!equalBytes(task.pointers.genesis.hash, first.hash) || stateBound.from > firstNumber) {
      return this.#load(task, (load) => this.#loadFirst(load, first))
    }
    const genesis = await task.resident(() => task.blocks.genesis)
    if (genesis !== undefined) await task.moveHead(genesis)
    await restoreCheckpoint(task, undefined)
    return task.pointers.head
  }

  /**
   * Removes the newest blocks.
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks
   */
  rollback(depth: number): Promise<ChainHeader> {
    return this.#chain.run('urgent', async (task) => {
      await moveBack(task, depth)
      return task.pointers.head
    })
  }

  /**
   * Replaces the newest blocks by the same number of sealed ones, in one batch if they fit; nothing is changed when it
   * fails. Prepare their transactions first (Chain.prepareExtension): the task loads what is missing.
   * @param built called once per block, before its batch is committed
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks; BLOCK_NOT_BUILT
   */
  reorganise(depth: number, next: NextPlan, built: (block: SealedBlock) => void): Promise<void> {
    return this.#chain.run('urgent', async (task) => {
      const before = await checkpointOf(task)
      try {
        await replaceBlocks(task, depth, next, built)
      } catch (error) {
        task.discard()
        // Some batches may have been committed.
        if (!equalBytes(task.pointers.head.hash, before.block.hash)) {
          await task.moveHead(before.block)
          await restoreCheckpoint(task, before)
          await task.commit()
        }
        throw error
      }
    })
  }

  /** The chain up to its current head, for reading it whole. */
  async dump(): Promise<ChainDump> {
    const { ChainDump } = await import('./dump.ts')
    return this.#chain.run('urgent', async (task) => {
      const { kv, blocks } = task.base
      return new ChainDump(kv, blocks, await checkpointOf(task))
    })
  }

  /**
   * Replaces the whole chain.
   * @param work nothing is changed when it fails
   */
  load(work: (load: ChainLoad) => Promise<void>): Promise<ChainHeader> {
    return this.#chain.run('urgent', (task) => this.#load(task, work))
  }

  /** @param onCommit called as soon as the chain is replaced */
  async #load(task: WriteTask, work: (load: ChainLoad) => Promise<void>, onCommit?: () => void): Promise<ChainHeader> {
    const { base } = task
    const { kv, modules } = base
    const [{ ChainLoad }, { LoadSpill }] = await Promise.all([import('./load.ts'), import('./loadSpill.ts')])
    const spill = new LoadSpill(kv, modules.residency, base.stateVersion + 1, () => base.stateVersion)
    const { stateBound } = base.blocks
    const { from } = stateBound
    try {
      await work(new ChainLoad(task, this.#alloc, spill))
    } catch (error) {
      stateBound.from = from
      await removeUnfinishedLoad(kv, modules.residency)
      throw error
    }
    spill.complete(task.stage)
    // Blocks of both chains may have different amendments.
    base.blocks.forgetAmendable()
    await task.commit()
    onCommit?.()
    const { head } = task.pointers
    await completeFlatView(kv, head, modules)
    return head
  }

  async #loadFirst(load: ChainLoad, { hash, rlp }: FirstBlock): Promise<void> {
    const nothing = { senders: [], hashes: [], receipts: undefined, terms: undefined, amendment: undefined }
    await load.begin(hash)
    for (const account of this.#alloc) await load.account(account)
    await load.block({ rlp: await rlp(), changes: [], ...nothing })
  }
}

/** A first block with the accounts of the node's genesis. */
interface FirstBlock {
  readonly hash: Uint8Array
  rlp(): MaybePromise<Uint8Array>
}

/** The block of the genesis file, which a loaded chain may have replaced. */
function originalGenesis(task: WriteTask): MaybePromise<FirstBlock> {
  return task.resident(() => {
    const hash = readMetadata(task.base.kv)?.genesisHash
    if (hash === undefined) throw corrupt('it has no genesis block')
    const readRlp = (): Uint8Array => {
      const rlp = task.blocks.blockRlp(hash)
      if (rlp === undefined) throw corrupt(`the genesis block ${bytesToHex(hash)} is missing`)
      return rlp
    }
    return { hash, rlp: () => task.resident(readRlp) }
  })
}

/** The last batch remains to be committed. */
async function replaceBlocks(
  task: WriteTask,
  depth: number,
  next: NextPlan,
  built: (block: SealedBlock) => void,
): Promise<void> {
  await moveBack(task, depth)
  for (let remainingBlocks = depth; remainingBlocks > 0; ) {
    const end = remainingBlocks
    let builtCount = 0
    const limited: NextPlan = (parent) => (builtCount < end ? next(parent) : undefined)
    const count = (block: SealedBlock): void => {
      builtCount++
      built(block)
    }
    const { sealed, isComplete } = await sealBlocks(task, limited, count, { mayLoad: true })
    remainingBlocks -= sealed.length
    if (isComplete || remainingBlocks === 0) return
    await task.commit()
  }
}

async function amendmentOfHead(task: WriteTask): Promise<DevAmendment> {
  const { number, hash } = blockId(task.pointers.head)
  const before = await task.resident(() => task.stage.get(keys.devAmendment(number, hash)))
  return before === undefined ? NO_AMENDMENT : decodeDevAmendment(before)
}

async function checkpointOf(task: WriteTask): Promise<ChainCheckpoint> {
  return task.resident(() => takeCheckpoint(task.pointers.head, task.stage))
}

async function moveBack(task: WriteTask, depth: number): Promise<void> {
  const { head, genesis } = task.pointers
  const height = Number(head.header.number - genesis.header.number)
  if (depth > height) {
    const message = `depth ${depth} is more than the ${height} blocks above the genesis block`
    throw new NodeError({ code: 'INVALID_PARAMS' }, message)
  }
  const number = Number(head.header.number) - depth
  const target = await task.resident(() => task.blocks.headerByNumber(number))
  if (target === undefined) throw corrupt(`block ${number} is not in the canonical index`)
  if (target.stateRoot.isMissing === true) {
    const message = `the state after block ${target.header.number} is not available`
    throw new NodeError({ code: 'INVALID_PARAMS' }, message)
  }
  await task.moveHead(target)
}
