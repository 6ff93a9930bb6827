/**
 * A mined transaction: its facts, and their text.
 * @module
 */

import { functionText } from '../abi/contractNames.ts'
import { failureText } from '../api/contracts/failureText.ts'
import type { FailureTrace } from '../api/contracts/failureTracer.ts'
import { ether, grouped, gwei } from '../base/primitives/amounts.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { effectiveGasPrice } from '../chain/fees.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import { withAdvice } from '../config/optionAdvice.ts'
import { type TreeOptions, treeLines } from './callPath.ts'
import { heading, type Line, nextLines, type Paint, row } from './lines.ts'
import { consoleBlock, pathLines } from './reportParts.ts'
import { pathTexts, stackTexts } from './stackText.ts'

export interface TransactionFacts {
  readonly block: SealedBlock['block']
  /** Position in the block. */
  readonly index: number
  readonly hash: string
  readonly from: string
  readonly to: string | undefined
  /** Name of the called or created contract. */
  readonly contract: string | undefined
  /** Called function, or the selector; undefined for a transfer and a creation. */
  readonly call: string | undefined
  readonly created: string | undefined
  readonly value: bigint
  readonly gasUsed: bigint
  readonly gasLimit: bigint
  /** wei per gas */
  readonly gasPrice: bigint
  readonly logs: readonly string[]
  readonly console: readonly string[]
  /** undefined after success */
  readonly failure: string | undefined
  /** Outermost call first; undefined unless it is known. */
  readonly path: readonly string[] | undefined
  /** The failed function first; undefined where no line of the source is known. */
  readonly stack: readonly string[] | undefined
  /** With --verbose. */
  readonly tree: readonly Line[] | undefined
}

/**
 * @param trace its calls, if they were recorded
 * @param showsTree whether all of them are shown
 */
export function transactionFacts(
  { block, included, receipts, results }: SealedBlock,
  index: number,
  tree: TreeOptions,
  trace: FailureTrace | undefined,
  showsTree: boolean,
): TransactionFacts | undefined {
  const planned = included[index]
  const receipt = receipts[index]
  const result = results[index]
  if (planned === undefined || receipt === undefined || result === undefined) return undefined
  const { transaction, sender, hash } = planned
  const { to, data, value, gasLimit } = transaction
  const { names, code } = tree
  const contract = to === undefined ? names.created(data) : names.at(to, code)
  const failed = result.outcome === 'success' ? undefined : result
  const path = failed && trace && pathTexts(trace, names, code)
  const isCall = to !== undefined && (data.length > 0 || contract !== undefined)
  return {
    block,
    index,
    hash: bytesToHex(hash),
    from: names.address(sender),
    to: to && names.address(to),
    contract: contract?.name,
    call: isCall ? functionText(data, names.index, contract) : undefined,
    created: receipt.contractAddress && names.address(receipt.contractAddress),
    value,
    gasUsed: receipt.gasUsed ?? 0n,
    gasLimit,
    gasPrice: effectiveGasPrice(transaction, block.header.baseFeePerGas),
    logs: receipt.logs.map(({ topics }) => names.index?.event(topics[0]) ?? ''),
    console: result.watchedCalls?.inputs.map((input) => tree.consoleText(input)) ?? [],
    failure: failed && failureText(failed, tree, contract, trace),
    path,
    stack: path && trace && stackTexts(trace, path),
    tree: showsTree ? trace && treeLines(trace.root, tree) : undefined,
  }
}

/** @param isAlone whether the block has no other transaction; its own line is then omitted */
export function transactionText(facts: TransactionFacts, isAlone: boolean, paint: Paint): string {
  const { hash, from, to, contract, call, created, logs, failure, block } = facts
  const name = contract === undefined ? '' : `  ${paint('name', contract)}`
  let text = `transaction  ${paint(failure === undefined ? 'good' : 'bad', paint('transaction', hash))}`
  text += row(paint, 'from', paint('address', from))
  if (to !== undefined) text += row(paint, 'to', paint('address', to) + name)
  if (call !== undefined) text += row(paint, 'call', call)
  if (created !== undefined) {
    text +=
      failure === undefined
        ? row(paint, 'created', paint('address', created) + name)
        : row(paint, 'creates', contract ?? 'a contract')
  }
  text += amountRows(facts, paint)
  if (call !== undefined || created !== undefined || logs.length > 0) text += row(paint, 'logs', logsText(logs))
  if (isAlone) text += row(paint, 'block', `${block.header.number}  ${paint('block', bytesToHex(block.hash))}`)
  if (facts.tree === undefined) text += consoleBlock(facts.console, paint)
  if (failure !== undefined)
    text += row(paint, 'failed', paint('bad', withAdvice(failure))) + pathLines(facts.path, facts.stack, paint)
  return facts.tree === undefined ? text : text + heading(paint, 'calls') + nextLines(facts.tree, paint)
}

/** The rows of value, gas and fee. */
export function amountRows(
  { value, gasUsed, gasLimit, gasPrice }: Pick<TransactionFacts, 'value' | 'gasUsed' | 'gasLimit' | 'gasPrice'>,
  paint: Paint,
): string {
  const fee = `${ether(gasUsed * gasPrice)} at ${gwei(gasPrice)}`
  return row(paint, 'value', ether(value)) + row(paint, 'gas', gasText(gasUsed, gasLimit)) + row(paint, 'fee', fee)
}

function gasText(used: bigint, limit: bigint): string {
  const percent = limit === 0n ? 0 : Math.floor((Number(used) * 1000) / Number(limit)) / 10
  return `${grouped(used)} of ${grouped(limit)} (${percent} %)`
}

function logsText(logs: readonly string[]): string {
  const names = [...new Set(logs.filter((name) => name !== ''))]
  return names.length === 0 ? String(logs.length) : `${logs.length}: ${names.slice(0, 8).join(', ')}`
}

/** The record for programs. Amounts are in wei. */
export function transactionRecord(facts: TransactionFacts): Record<string, unknown> {
  const { block, path, stack, failure, call, to, contract, created } = facts
  return {
    hash: facts.hash,
    blockNumber: Number(block.header.number),
    blockHash: bytesToHex(block.hash),
    from: facts.from,
    ...(to === undefined ? {} : { to }),
    ...(contract === undefined ? {} : { contract }),
    ...(call === undefined ? {} : { call }),
    ...(created === undefined ? {} : { created }),
    value: String(facts.value),
    gasUsed: Number(facts.gasUsed),
    gasLimit: Number(facts.gasLimit),
    fee: String(facts.gasUsed * facts.gasPrice),
    logs: facts.logs.length,
    ...(facts.console.length === 0 ? {} : { console: facts.console }),
    status: failure === undefined ? 'success' : 'failed',
    ...(failure === undefined ? {} : { failure }),
    ...(path === undefined ? {} : { path }),
    ...(stack === undefined ? {} : { stackTrace: stack }),
  }
}
