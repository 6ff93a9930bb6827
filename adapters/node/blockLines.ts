/**
 * One line for each new head.
 * @module
 */
import type { Chain } from '../../src/chain/chain.ts'
import type { ChainEvents, ChainHeader } from '../../src/chain/contract.ts'
import { bytesToHex } from '../../src/primitives/bytes.ts'
import type { Output } from './output.ts'

const FLUSH_MS = 100
/** Blocks that arrive faster are combined into one line. */
const MAX_LINES_PER_FLUSH = 20
const CATEGORY = 'chain'

/** @returns a function that stops it */
export function reportBlocks(chain: Chain, output: Output): () => void {
  let waiting: ChainHeader[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    const blocks = waiting
    waiting = []
    if (blocks.length <= MAX_LINES_PER_FLUSH) for (const block of blocks) reportBlock(chain, block, output)
    else reportMany(chain, blocks, output)
  }
  const unsubscribe = chain.events.on('head', ({ head, added, removed }: ChainEvents['head']) => {
    if (!output.shows('info')) return
    if (removed.length > 0 && added.length === 0) {
      const [number, hash] = [head.header.number, bytesToHex(head.hash)]
      const text = (): string => `back to block ${number} ${hash}`
      output.report({ category: CATEGORY, message: 'back to block', fields: { number, hash }, text })
    }
    waiting.push(...added)
    if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
    if (waiting.length > 0) flush()
  }
}

function reportBlock(chain: Chain, { header: { number, gasUsed }, hash }: ChainHeader, output: Output): void {
  const transactions = chain.transactionHashes(hash)?.length ?? 0
  const count = transactions === 1 ? '1 transaction' : `${transactions} transactions`
  output.report({
    category: CATEGORY,
    message: 'block',
    fields: { number, transactions, gasUsed, hash },
    text: () => `block ${number}  ${count}  ${gasUsed} gas  ${bytesToHex(hash)}`,
  })
}

function reportMany(chain: Chain, blocks: readonly ChainHeader[], output: Output): void {
  let transactions = 0
  let gasUsed = 0n
  for (const { header, hash } of blocks) {
    transactions += chain.transactionHashes(hash)?.length ?? 0
    gasUsed += header.gasUsed
  }
  const last = blocks.at(-1) as ChainHeader
  const [from, to] = [(blocks[0] as ChainHeader).header.number, last.header.number]
  output.report({
    category: CATEGORY,
    message: 'blocks',
    fields: { from, to, transactions, gasUsed, hash: last.hash },
    text: () => `blocks ${from} to ${to}  ${transactions} transactions  ${gasUsed} gas  ${bytesToHex(last.hash)}`,
  })
}
