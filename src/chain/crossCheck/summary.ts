import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { Receipt } from '../../types/receipt.ts'
import type { BlockOutcome } from '../transition/contract.ts'

/** The compared results of a block's execution. Bytes in hex, numbers in decimal. */
export type BlockSummary =
  | {
      readonly kind: 'executed'
      readonly stateRoot: string
      readonly gasUsed: string
      readonly logsBloom: string
      readonly requests: readonly string[]
      readonly receipts: readonly ReceiptSummary[]
    }
  | { readonly kind: 'invalid'; readonly reason: string }

interface ReceiptSummary {
  /** `0`, `1`, or the state root before Byzantium. */
  readonly status: string
  readonly cumulativeGasUsed: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
}

export type ComparedOutcome =
  | (Pick<Extract<BlockOutcome, { kind: 'executed' }>, 'kind' | 'gasUsed' | 'logsBloom' | 'requests'> & {
      readonly receipts: readonly Pick<Receipt, 'status' | 'postState' | 'cumulativeGasUsed' | 'logs'>[]
    })
  | Extract<BlockOutcome, { kind: 'invalid' }>

export function summarize(outcome: ComparedOutcome, stateRoot: Uint8Array): BlockSummary {
  if (outcome.kind === 'invalid') return outcome
  return {
    kind: 'executed',
    stateRoot: bytesToHex(stateRoot),
    gasUsed: outcome.gasUsed.toString(),
    logsBloom: bytesToHex(outcome.logsBloom),
    requests: (outcome.requests ?? []).map(bytesToHex),
    receipts: outcome.receipts.map(({ status, postState, cumulativeGasUsed, logs }) => ({
      status: postState === undefined ? String(Number(status)) : bytesToHex(postState),
      cumulativeGasUsed: cumulativeGasUsed.toString(),
      logs: logs.map(({ address, topics, data }) => ({
        address: bytesToHex(address),
        topics: topics.map(bytesToHex),
        data: bytesToHex(data),
      })),
    })),
  }
}

/** @returns the differences, one line each; two rejections agree regardless of their reasons */
export function differences(ours: BlockSummary, theirs: BlockSummary): string[] {
  if (ours.kind === 'invalid' && theirs.kind === 'invalid') return []
  if (ours.kind === 'invalid') return [`this node rejects the block: ${ours.reason}`]
  if (theirs.kind === 'invalid') return [`the reference rejects the block: ${theirs.reason}`]
  const lines: string[] = []
  const compare = (what: string, our: unknown, their: unknown): void => {
    const [a, b] = [JSON.stringify(our), JSON.stringify(their)]
    if (a !== b) lines.push(`${what}: ${a}, they have ${b}`)
  }
  compare('number of receipts', ours.receipts.length, theirs.receipts.length)
  for (const [i, receipt] of ours.receipts.entries()) {
    const other = theirs.receipts[i]
    compare(`status of transaction ${i}`, receipt.status, other?.status)
    compare(`cumulative gas after transaction ${i}`, receipt.cumulativeGasUsed, other?.cumulativeGasUsed)
    compare(`logs of transaction ${i}`, receipt.logs, other?.logs)
  }
  compare('gas used', ours.gasUsed, theirs.gasUsed)
  compare('logs bloom', ours.logsBloom, theirs.logsBloom)
  compare('requests', ours.requests, theirs.requests)
  compare('state root', ours.stateRoot, theirs.stateRoot)
  return lines
}
