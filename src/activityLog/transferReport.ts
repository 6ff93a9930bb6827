/**
 * Reports of successful transactions without input, logs and messages: most of a busy chain's log.
 * @module
 */

import type { ContractNames } from '../abi/contractNames.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { effectiveGasPrice } from '../chain/fees.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import { type Paint, row } from './lines.ts'
import type { Report } from './output.ts'
import { amountRows } from './transactionReport.ts'

/** Whether only sender, recipient and amounts of a transaction are shown, unless its contract has a name. */
export function isTransfer({ included, receipts, results }: SealedBlock, index: number): boolean {
  const transaction = included[index]?.transaction
  const result = results[index]
  return (
    transaction?.to !== undefined &&
    transaction.data.length === 0 &&
    result?.outcome === 'success' &&
    result.watchedCalls === undefined &&
    receipts[index]?.logs.length === 0
  )
}

/** Labels of the rows, in their colour. */
interface Labels {
  readonly paint: Paint
  readonly from: string
  readonly to: string
  readonly block: string
}

/** Consecutive transfers often have the same amounts, whose text is then computed once. */
interface Amounts {
  readonly paint: Paint
  readonly value: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  readonly gasPrice: bigint
  readonly text: string
}

export class TransferReports {
  readonly #names: Pick<ContractNames, 'address'>
  #labels: Labels | undefined
  #amounts: Amounts | undefined

  constructor(names: Pick<ContractNames, 'address'>) {
    this.#names = names
  }

  /** @param record of the same transaction */
  report(sealed: SealedBlock, index: number, record: Report['record']): Report {
    return { level: 'info', kind: 'transaction', text: (paint) => this.#text(sealed, index, paint), record }
  }

  /** Like `transactionText`. */
  #text({ block, included, receipts }: SealedBlock, index: number, paint: Paint): string {
    const planned = included[index]
    if (planned === undefined) return ''
    const { transaction, sender, hash } = planned
    const names = this.#names
    const labels = this.#labelsOf(paint)
    const gasUsed = receipts[index]?.gasUsed ?? 0n
    const gasPrice = effectiveGasPrice(transaction, block.header.baseFeePerGas)
    const to = transaction.to && paint('address', names.address(transaction.to))
    const id = paint('good', paint('transaction', bytesToHex(hash)))
    const from = paint('address', names.address(sender))
    const text = `transaction  ${id}${labels.from}${from}${labels.to}${to}${this.#amountsOf(transaction.value, gasUsed, transaction.gasLimit, gasPrice, paint)}`
    return included.length === 1
      ? `${text}${labels.block}${block.header.number}  ${paint('block', bytesToHex(block.hash))}`
      : text
  }

  #labelsOf(paint: Paint): Labels {
    if (this.#labels?.paint === paint) return this.#labels
    this.#labels = { paint, from: row(paint, 'from', ''), to: row(paint, 'to', ''), block: row(paint, 'block', '') }
    return this.#labels
  }

  #amountsOf(value: bigint, gasUsed: bigint, gasLimit: bigint, gasPrice: bigint, paint: Paint): string {
    const last = this.#amounts
    if (
      last?.paint === paint &&
      last.value === value &&
      last.gasUsed === gasUsed &&
      last.gasLimit === gasLimit &&
      last.gasPrice === gasPrice
    ) {
      return last.text
    }
    const text = amountRows({ value, gasUsed, gasLimit, gasPrice }, paint)
    this.#amounts = { paint, value, gasUsed, gasLimit, gasPrice, text }
    return text
  }
}
