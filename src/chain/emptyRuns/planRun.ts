/**
 * Decides which empty blocks after the head can be derived, and makes their record.
 * @module
 */

import { MAX_STORED_EMPTY_BLOCKS } from '../../base/limits/limits.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../base/primitives/keccak.ts'
import { requireState } from '../../state/errors.ts'
import { draftOf, type Header } from '../../types/block.ts'
import { EMPTY_BLOOM } from '../../types/bloom.ts'
import type { ExecutionModules } from '../blockProcessor.ts'
import { nextBaseFee, nextExcessBlobGas } from '../fees.ts'
import { ParentReads } from '../parentReads.ts'
import type { BlockPlan } from '../transition/buildInput.ts'
import { draftBlock } from '../transition/draftBlock.ts'
import { receiptsRoot, requestsHash } from '../validation/resultRules.ts'
import type { WriteTask } from '../writeTask.ts'
import type { EmptyRun } from './emptyRun.ts'
import { linkStretches } from './runHeaders.ts'
import { encodeRunRecord, type RunFees, runId, STRETCH_BLOCKS } from './runRecord.ts'
import { putPiece, putRun } from './runWrites.ts'

/** Empty blocks to be mined on top of the head. */
export interface RunPlan {
  /** Of the first block. */
  readonly plan: BlockPlan
  /** Seconds between two blocks. */
  readonly interval: bigint
  readonly count: number
  nextGasLimit(parentGasLimit: bigint): bigint
}

/**
 * Stages a run on top of the head, which becomes its last block. The task must seal a block on it before it commits.
 * @returns undefined when the next blocks cannot be derived
 * @throws {StoreMiss} before anything is staged
 */
export function stageRun(task: WriteTask, plan: RunPlan): EmptyRun | undefined {
  const { blocks, stage, pointers } = task
  const { head } = pointers
  const header = firstHeader(task, plan)
  if (header === undefined) return undefined
  const rates = feesOf(header, plan, task.base.modules)
  const count = countOf(header, plan, task.base.modules, rates.areAtRest)
  if (count < MAX_STORED_EMPTY_BLOCKS) return undefined
  const { record, stretches } = linkStretches({
    count,
    header,
    interval: plan.interval,
    derivesRandao: equalBytes(header.mixHash, keccak256(head.hash)),
    totalDifficulty: head.totalDifficulty,
    fees: rates.fees,
    environment: head.dev,
  })
  const id = runId(encodeRunRecord(record))
  const { runs } = blocks
  const run = runs.open({ id, record, state: requireState(head.stateRoot) })
  for (const [stretch, hashes] of stretches) run.remember(stretch, hashes)
  putRun(stage, run)
  putPiece(stage, { run, first: run.first, last: run.last })
  runs.memory.isUsed = true
  task.setPointers({ head: blocks.runBlock(run, run.last) })
  return run
}

/** The header of the first block; undefined when its successors do not follow from it. */
function firstHeader({ blocks, stage, pointers: { head }, base }: WriteTask, { plan }: RunPlan): Header | undefined {
  const { config, consensus, states, extension } = base.modules
  const setsFees = plan.baseFeePerGas !== undefined || plan.setsGasLimit === true
  // A run begins above a stored block that is not part of another run.
  if (setsFees || extension !== undefined || head.run !== undefined || head.stateRoot.isMissing === true)
    return undefined
  const parentReads = new ParentReads({ parent: head, blocks, stage, states })
  const { block, engine, rules } = draftBlock({ plan, parent: head, config, consensus, parentReads })
  if (engine.name !== 'pos') return undefined
  const header = draftOf(block.header)
  header.stateRoot = head.stateRoot.hash
  header.transactionsRoot = EMPTY_TRIE_ROOT
  header.receiptsRoot = receiptsRoot([])
  header.logsBloom = EMPTY_BLOOM
  if (rules.eips.has(7685)) header.requestsHash = requestsHash([])
  return header
}

/** The fees of the first blocks; `areAtRest`: those after the last one are the same. */
function feesOf(
  header: Header,
  { nextGasLimit }: RunPlan,
  { config }: ExecutionModules,
): { readonly fees: readonly RunFees[]; readonly areAtRest: boolean } {
  const rules = config.rulesAt(header)
  const { baseFeePerGas: baseFee, excessBlobGas: excess } = header
  let last: RunFees = { baseFeePerGas: baseFee, excessBlobGas: excess, gasLimit: header.gasLimit }
  const fees = [last]
  while (fees.length <= STRETCH_BLOCKS) {
    const { baseFeePerGas, excessBlobGas, gasLimit } = last
    const parent = {
      gasUsed: 0n,
      gasLimit,
      blobGasUsed: 0n,
      ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
      ...(excessBlobGas === undefined ? {} : { excessBlobGas }),
    }
    const next = {
      baseFeePerGas: nextBaseFee(parent, rules, config),
      excessBlobGas: nextExcessBlobGas(parent, rules),
      gasLimit: nextGasLimit(gasLimit),
    }
    const isSame =
      next.baseFeePerGas === baseFeePerGas && next.excessBlobGas === excessBlobGas && next.gasLimit === gasLimit
    if (isSame) return { fees, areAtRest: true }
    fees.push(next)
    last = next
  }
  return { fees: fees.slice(0, STRETCH_BLOCKS), areAtRest: false }
}

/** Number of blocks under the rules of the first one. */
function countOf(
  { number, timestamp, difficulty }: Header,
  { count, interval }: RunPlan,
  { config }: ExecutionModules,
  areAtRest: boolean,
): number {
  const rulesOf = (index: number) =>
    config.rulesAt({ number: number + BigInt(index), timestamp: timestamp + BigInt(index) * interval, difficulty })
  const rules = rulesOf(0)
  let low = 0
  let high = (areAtRest ? count : Math.min(count, STRETCH_BLOCKS)) - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (rulesOf(middle) === rules) low = middle
    else high = middle - 1
  }
  return low + 1
}
