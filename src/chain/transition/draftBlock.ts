/**
 * A new block before its transactions.
 * @module
 */

import { EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { EMPTY_LIST_HASH, keccak256 } from '../../base/primitives/keccak.ts'
import type { ForkRules } from '../../config/forks.ts'
import { orderedTrieRoot } from '../../trie/orderedRoot.ts'
import type { Block, HeaderDraft } from '../../types/block.ts'
import { encodeOmmers } from '../../types/blockCodec.ts'
import { encodeWithdrawal } from '../../types/withdrawalCodec.ts'
import type { ConsensusEngine } from '../engine.ts'
import { nextBaseFee, nextExcessBlobGas } from '../fees.ts'
import { requiredExtraData } from '../validation/headerRules.ts'
import type { BuildInput } from './buildInput.ts'

export interface BlockDraft {
  /** Without transactions, and without the header fields that result from executing them. */
  readonly block: Block
  readonly engine: ConsensusEngine
  readonly rules: ForkRules
}

type DraftInput = Pick<BuildInput, 'plan' | 'parent' | 'config' | 'consensus' | 'parentReads'>

const ZERO_HASH = new Uint8Array(32)
const ZERO_NONCE = new Uint8Array(8)

/**
 * @throws {NodeError} BLOCK_NOT_BUILT when the plan has withdrawals but the fork does not support them
 * @throws {StoreMiss} when the consensus engine reads data that is not in memory
 */
export function draftBlock(input: DraftInput): BlockDraft {
  const { timestamp } = input.plan
  const draft = draftAt(input, timestamp)
  const engineTimestamp = draft.block.header.timestamp
  // The timestamp may select other rules, so all fields are drafted again.
  return engineTimestamp === timestamp ? draft : draftAt(input, engineTimestamp)
}

function draftAt({ plan, parent, config, consensus, parentReads }: DraftInput, timestamp: bigint): BlockDraft {
  const number = parent.header.number + 1n
  const { engine, rules } = consensus.nextBlock({ number, timestamp }, parent.totalDifficulty)
  const { withdrawals = [], ommers = [] } = plan
  if (withdrawals.length > 0 && !rules.eips.has(4895)) {
    throw new NodeError(
      { code: 'BLOCK_NOT_BUILT' },
      `${rules.name} has no withdrawals, the plan has ${withdrawals.length}`,
    )
  }
  const baseFee = plan.baseFeePerGas ?? nextBaseFee(parent.header, rules, config)
  const excessBlobGas = nextExcessBlobGas(parent.header, rules)
  const draft: HeaderDraft = {
    parentHash: parent.hash,
    ommersHash: ommers.length === 0 ? EMPTY_LIST_HASH : keccak256(encodeOmmers(ommers)),
    beneficiary: plan.beneficiary,
    stateRoot: EMPTY_BYTES,
    transactionsRoot: EMPTY_BYTES,
    receiptsRoot: EMPTY_BYTES,
    logsBloom: EMPTY_BYTES,
    difficulty: 0n,
    number,
    gasLimit: plan.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: requiredExtraData(number, config) ?? plan.extraData,
    mixHash: plan.prevRandao ?? ZERO_HASH,
    nonce: ZERO_NONCE,
  }
  if (rules.eips.has(1559) && baseFee !== undefined) draft.baseFeePerGas = baseFee
  if (rules.eips.has(4895)) draft.withdrawalsRoot = orderedTrieRoot(withdrawals.map(encodeWithdrawal))
  if (rules.eips.has(4844) && excessBlobGas !== undefined) {
    draft.blobGasUsed = 0n
    draft.excessBlobGas = excessBlobGas
  }
  if (rules.eips.has(4788)) draft.parentBeaconBlockRoot = plan.parentBeaconBlockRoot ?? ZERO_HASH
  const context = { ...parentReads.context(engine, rules), author: plan.author }
  const header = engine.prepare(draft, parent.header, context)
  const transactions: Block['transactions'] = []
  const block =
    header.withdrawalsRoot === undefined
      ? { header, transactions, ommers }
      : { header, transactions, ommers, withdrawals }
  return { block, engine, rules }
}
