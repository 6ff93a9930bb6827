import { isHash } from '../format/hex.ts'
import type { Block } from './types.ts'

const TEXTS = ['number', 'timestamp', 'gasUsed', 'gasLimit', 'miner', 'extraData'] as const

/**
 * The blocks that the whole page follows, in contrast to what one view asks for, have the form that the page relies on.
 * @throws {TypeError} for anything else
 */
export function requireBlock(value: unknown): Block {
  const block = (value ?? {}) as Partial<Record<keyof Block, unknown>>
  const { hash, parentHash, transactions, baseFeePerGas = '' } = block
  const hasHashes = [hash, parentHash].every((each) => typeof each === 'string' && isHash(each))
  const hasTexts = typeof baseFeePerGas === 'string' && TEXTS.every((name) => typeof block[name] === 'string')
  const hasTransactions = Array.isArray(transactions) && transactions.every((each) => typeof each === 'string')
  if (!hasHashes || !hasTexts || !hasTransactions) throw new TypeError('The node gave a block of another form.')
  return value as Block
}
