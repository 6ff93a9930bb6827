/**
 * The history of a flexible group for a new member: earlier transactions run on the blocks of their markers, and their
 * results are stored for those blocks.
 * @module
 */

import type { Logger } from '../../base/ports/host.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { ancestorHashes } from '../../chain/ancestorHashes.ts'
import type { ExtendedBlock } from '../../chain/blockExtension.ts'
import type { StoredHeader } from '../../chain/blockTables.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { Evm } from '../../evm/evm.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import { BlockGroups } from './blockGroups.ts'
import type { GroupHistory, PastTransaction } from './groupHistory.ts'
import { executePrivateTransaction } from './privateExecution.ts'
import { type OnChain, readGroupRecord } from './privateRecords.ts'
import { PublicReplay } from './publicReplay.ts'

export interface HistoryReplayOptions {
  /** The block that adds the member. */
  readonly block: ExtendedBlock
  /** The chain up to its parent. */
  readonly onChain: OnChain
  readonly execution: ExecutionDeps
  readonly evm: Evm
  readonly states: StateStore
  readonly privateStates: StateStore
  readonly keepRevertReasons: boolean
  readonly logger: Logger
}

interface PastBlock {
  readonly header: StoredHeader
  readonly transactions: { readonly index: number; readonly past: PastTransaction }[]
}

/**
 * Runs the transactions that this node has not run. The history is a claim of another member: it is refused when a
 * marker is not on the chain, and ends before the first block after which the state differs.
 */
export async function addHistory(history: GroupHistory, options: HistoryReplayOptions): Promise<void> {
  const { execution, logger } = options
  const [first] = history.past
  const groupId = first?.transaction.recipients.kind === 'group' ? first.transaction.recipients.id : undefined
  if (groupId?.length !== 32) return
  const { residency } = execution.control
  const blocks = await retryMisses(() => locate(history.past, groupId, options), residency)
  if (blocks === undefined) {
    logger.warn('the history of a privacy group names markers that are not on this chain')
    return
  }
  for (const past of blocks) {
    if (await replayBlock(past, groupId, options)) continue
    logger.warn('the history of a privacy group does not lead to the states that it claims', {
      block: bytesToHex(past.header.hash),
    })
    return
  }
}

/** @returns undefined when the history does not fit the chain */
function locate(
  past: readonly PastTransaction[],
  groupId: Uint8Array,
  { block: { blocks, parent }, onChain }: HistoryReplayOptions,
): PastBlock[] | undefined {
  const pastBlocks: PastBlock[] = []
  for (const item of past) {
    const location = blocks.transactionLocation(item.marker)
    const header = location && blocks.header(location.blockHash)
    if (location === undefined || header === undefined) return undefined
    const number = Number(header.header.number)
    if (number > Number(parent.header.number) || !onChain(number, header.hash)) return undefined
    const { recipients } = item.transaction
    if (recipients.kind !== 'group' || !equalBytes(recipients.id, groupId)) return undefined
    const last = pastBlocks.at(-1)
    if (last !== undefined && equalBytes(last.header.hash, header.hash)) {
      last.transactions.push({ index: location.index, past: item })
    } else {
      pastBlocks.push({ header, transactions: [{ index: location.index, past: item }] })
    }
  }
  return pastBlocks
}

/** @returns false when a state differs */
async function replayBlock(
  { header, transactions }: PastBlock,
  groupId: Uint8Array,
  { block: derived, onChain, execution, evm, states, privateStates, keepRevertReasons }: HistoryReplayOptions,
): Promise<boolean> {
  const { stage, blocks } = derived
  const { residency } = execution.control
  const place = { number: Number(header.header.number), hash: header.hash }
  if ((await retryMisses(() => readGroupRecord(stage, groupId, place), residency)) !== undefined) return true
  const [body, keysOf, parent] = await retryMisses(
    () =>
      [blocks.body(header.hash), blocks.transactionKeys(header.hash), blocks.header(header.header.parentHash)] as const,
    residency,
  )
  if (body === undefined || keysOf === undefined || parent === undefined || parent.stateRoot.isMissing) return false
  const nextVersion = (): number => derived.nextVersion()
  const groups = new BlockGroups({ place, onChain, stage, privateStates, nextVersion })
  const replay = await PublicReplay.open(
    {
      block: { header: header.header, ...body },
      senders: keysOf.senders,
      state: states.mutable(parent.stateRoot, stage),
      dev: parent.dev,
      blockHash: ancestorHashes(parent, blocks, (hash) => blocks.header(hash)),
    },
    execution,
  )
  const context = replay.contextFor(evm)
  for (const { index, past } of transactions) {
    const isEqual = await replay.within(index, async (publicState) => {
      const groupState = await retryMisses(() => groups.open(groupId, true), residency)
      const pair = { own: groupState, public: publicState }
      const receipt = await executePrivateTransaction(past.transaction, groupId, pair, context, keepRevertReasons)
      await retryMisses(() => groups.store(groupId, past.marker, groupState, receipt), residency)
      return receipt.status === 1 && equalBytes(groups.rootOf(groupId).hash, past.stateRoot)
    })
    if (!isEqual) return false
  }
  await retryMisses(() => groups.stageRecords(), residency)
  return true
}
