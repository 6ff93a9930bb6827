/**
 * The summary of a transaction that waits for a block.
 * @module
 */
import { retryMisses } from '../../storage/retryMisses.ts'
import type { PooledTransaction } from '../../txpool/contract.ts'
import { checksumAddress } from '../../types/address.ts'
import { calledFunction, createdName } from './calledContract.ts'
import { ContractResolver } from './resolve.ts'
import { sentenceOf } from './sentence.ts'
import { NOTHING, type SummaryBackend, type SummaryView } from './summaryView.ts'
import { type DevSealing, waitReason } from './waitReason.ts'

/** Settings of the dev chain. */
export interface DevOutlook {
  readonly sealing: DevSealing
  /** Base fee of the next block if it was set, wei. */
  readonly nextBaseFee: bigint | undefined
}

/** @param dev undefined on other chains */
export async function pooledSummary(
  backend: SummaryBackend,
  pooled: PooledTransaction,
  dev: DevOutlook | undefined,
): Promise<SummaryView> {
  const { chain, states, residency } = backend
  const { transaction, sender } = pooled
  const account = await retryMisses(() => states.at(chain.head)?.getAccount(sender), residency)
  const outlook = { ...backend, sealing: dev?.sealing, nextBaseFee: dev?.nextBaseFee }
  const { status, text } = waitReason(pooled, account, outlook)
  const target = transaction.to && (await new ContractResolver(backend, chain.head).at(transaction.to))
  const call = calledFunction(backend, transaction, target)
  const contractName = target?.name ?? createdName(backend, transaction)
  const hasCode = target !== undefined
  return {
    ...NOTHING,
    status,
    sentence: sentenceOf({ kind: 'waiting', transaction, sender, call, contractName, hasCode }),
    contract: target === undefined ? null : checksumAddress(target.address),
    contractName: contractName ?? null,
    call: call ?? null,
    waitsFor: text,
  }
}
