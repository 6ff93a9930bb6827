/**
 * Block objects: blocks, ommers, withdrawals.
 * @see docs/reference/eth-objects.md section 1; execution-apis Block
 * @module
 */
import type { BlockView, MinedTransaction } from '../../api/viewTypes.ts'
import { bytesToHex, quantity } from '../../base/primitives/bytes.ts'
import type { Header, Withdrawal } from '../../types/block.ts'
import type { Codec } from '../method.ts'
import { BLOCK } from './schemas.ts'
import { answerCodec } from './support.ts'
import { serializeMinedTransaction } from './transaction.ts'

export function serializeWithdrawal(withdrawal: Withdrawal): unknown {
  return {
    index: quantity(withdrawal.index),
    validatorIndex: quantity(withdrawal.validatorIndex),
    address: bytesToHex(withdrawal.address),
    amount: quantity(withdrawal.amount),
  }
}

function serializeTransaction(entry: Uint8Array | MinedTransaction): unknown {
  return entry instanceof Uint8Array ? bytesToHex(entry) : serializeMinedTransaction(entry)
}

/** Members that a pending block lacks; go-ethereum shows them as null. */
const UNSEALED_FIELDS = ['hash', 'nonce', 'miner'] as const

export function serializeBlock(view: BlockView): Record<string, unknown> {
  const { header } = view
  const json: Record<string, unknown> = {
    number: quantity(header.number),
    hash: bytesToHex(view.hash),
    mixHash: bytesToHex(header.mixHash),
    parentHash: bytesToHex(header.parentHash),
    nonce: bytesToHex(header.nonce),
    sha3Uncles: bytesToHex(header.ommersHash),
    logsBloom: bytesToHex(header.logsBloom),
    transactionsRoot: bytesToHex(header.transactionsRoot),
    stateRoot: bytesToHex(header.stateRoot),
    receiptsRoot: bytesToHex(header.receiptsRoot),
    miner: bytesToHex(header.beneficiary),
    difficulty: quantity(header.difficulty),
    totalDifficulty: quantity(view.totalDifficulty),
    extraData: bytesToHex(header.extraData),
  }
  if (header.baseFeePerGas !== undefined) json['baseFeePerGas'] = quantity(header.baseFeePerGas)
  json['size'] = quantity(view.size)
  json['gasLimit'] = quantity(header.gasLimit)
  json['gasUsed'] = quantity(header.gasUsed)
  json['timestamp'] = quantity(header.timestamp)
  json['uncles'] = view.ommerHashes.map(bytesToHex)
  json['transactions'] = view.transactions.map(serializeTransaction)
  laterForks(json, header, view.withdrawals)
  if (view.isPending === true) for (const name of UNSEALED_FIELDS) json[name] = null
  return json
}

function laterForks(
  json: Record<string, unknown>,
  header: Header,
  withdrawals: readonly Withdrawal[] | undefined,
): void {
  if (header.withdrawalsRoot !== undefined) json['withdrawalsRoot'] = bytesToHex(header.withdrawalsRoot)
  if (withdrawals !== undefined) json['withdrawals'] = withdrawals.map(serializeWithdrawal)
  if (header.blobGasUsed !== undefined) json['blobGasUsed'] = quantity(header.blobGasUsed)
  if (header.excessBlobGas !== undefined) json['excessBlobGas'] = quantity(header.excessBlobGas)
  if (header.parentBeaconBlockRoot !== undefined) {
    json['parentBeaconBlockRoot'] = bytesToHex(header.parentBeaconBlockRoot)
  }
  if (header.requestsHash !== undefined) json['requestsHash'] = bytesToHex(header.requestsHash)
}

export const block: Codec<BlockView> = answerCodec(BLOCK, serializeBlock)
