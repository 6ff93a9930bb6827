/**
 * Ommers for a new block.
 * @module
 */
import { retryMisses } from '../storage/retryMisses.ts'
import type { Header } from '../types/block.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import { ParentReads } from './parentReads.ts'
import { MAX_OMMER_DEPTH, MAX_OMMERS, validateOmmers } from './validation/ommerRules.ts'

/**
 * Stored blocks off the branch of a block that one on top of it may list, oldest first: their rewards decrease with
 * each block.
 * @param parentHash of a block, which may be absent
 */
export async function selectOmmers(
  parentHash: Uint8Array,
  blocks: BlockStore,
  modules: Pick<ExecutionModules, 'config' | 'consensus' | 'states' | 'residency'>,
  nowMs: number,
): Promise<readonly Header[]> {
  const select = (): readonly Header[] => {
    const parent = blocks.header(parentHash)
    return parent === undefined ? [] : storedOmmers(parent, blocks, modules, nowMs)
  }
  return retryMisses(select, modules.residency)
}

/** @throws {StoreMiss} */
function storedOmmers(
  parent: StoredHeader,
  blocks: BlockStore,
  { config, consensus, states }: Pick<ExecutionModules, 'config' | 'consensus' | 'states'>,
  nowMs: number,
): readonly Header[] {
  const number = parent.header.number + 1n
  const { engine } = consensus.nextBlock({ number, timestamp: parent.header.timestamp + 1n }, parent.totalDifficulty)
  if (!engine.allowsOmmers) return []
  const reads = new ParentReads({ parent, blocks, states })
  const context = {
    config,
    engine,
    headers: reads.headers,
    consensus,
    // Seals were verified at import.
    verifyContext: (of: Parameters<ParentReads['context']>[0], rules: Parameters<ParentReads['context']>[1]) => ({
      ...reads.context(of, rules),
      verifySeal: false,
      nowMs,
      isOmmer: true,
    }),
    ommersOf: (hash: Uint8Array) => blocks.body(hash)?.ommers,
  }
  const selectedOmmers: Header[] = []
  const lowest = number > BigInt(MAX_OMMER_DEPTH) ? Number(number) - MAX_OMMER_DEPTH : 1
  for (let height = lowest; height < Number(number); height++) {
    for (const { header } of blocks.siblings(height)) {
      if (selectedOmmers.length === MAX_OMMERS) return selectedOmmers
      const ommers = [...selectedOmmers, header]
      const block = { header: { ...header, parentHash: parent.hash, number }, transactions: [], ommers }
      if (validateOmmers(block, context) === undefined) selectedOmmers.push(header)
    }
  }
  return selectedOmmers
}
