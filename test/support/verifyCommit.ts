/** Takes recorded chains through `verify` and `commit` and counts the executions. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Chain } from '../../src/chain/chain.ts'
import type { ChainHeader } from '../../src/chain/contract.ts'
import { encodedBlock, prepareBlocks } from '../../src/chain/preparedBlock.ts'
import { parseGenesisFile } from '../../src/config/genesisFile.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../src/types/blockCodec.ts'
import { readBlocks } from '../../src/types/blockSplitter.ts'
import { genesisBlock } from '../../src/types/genesisHeader.ts'
import { blockFile, openRecorded, type RecordedChain } from './recordedChains.ts'
import { openTestChain, TEST_SENDERS } from './testChain.ts'

/** Counts the states that something is executed on: one a block. */
class CountedStates extends StateStore {
  executions = 0

  override mutable(...parameters: Parameters<StateStore['mutable']>): ReturnType<StateStore['mutable']> {
    this.executions++
    return super.mutable(...parameters)
  }
}

export interface VerifiedChain {
  readonly head: ChainHeader
  readonly blocks: number
  /** Executions of each block while it was verified, and while it was committed. */
  readonly whileVerified: readonly number[]
  readonly whileCommitted: readonly number[]
}

async function verifyAndCommit(chain: Chain, file: Uint8Array, states: CountedStates): Promise<VerifiedChain> {
  const whileVerified: number[] = []
  const whileCommitted: number[] = []
  for await (const rlp of readBlocks([file])) {
    const block = decodeBlock(rlp)
    if (block.header.number === 0n) continue
    const [prepared] = await prepareBlocks([encodedBlock(block, chain.consensus, rlp)], TEST_SENDERS)
    if (prepared === undefined) throw new Error('a block was lost')
    states.executions = 0
    const verified = await chain.verify(prepared)
    if (verified.kind !== 'verified') throw new Error(`block ${block.header.number}: ${JSON.stringify(verified.kind)}`)
    whileVerified.push(states.executions)
    states.executions = 0
    const outcome = await chain.commit(verified.candidate)
    if (outcome.kind !== 'imported') throw new Error(`block ${block.header.number}: ${outcome.kind}`)
    whileCommitted.push(states.executions)
  }
  return { head: chain.head, blocks: whileVerified.length, whileVerified, whileCommitted }
}

export async function verifyRecorded(recorded: RecordedChain): Promise<VerifiedChain> {
  const kv = new MemoryStore()
  const states = new CountedStates(kv)
  return verifyAndCommit(await openRecorded(recorded, { kv, states }), blockFile(recorded), states)
}

/** A chain that comes with the repository. */
export async function verifyVector(folder: string): Promise<VerifiedChain> {
  const at = (name: string): string => path.resolve(import.meta.dirname, '../vectors', folder, name)
  const text = readFileSync(at('genesis.json'), 'utf8')
  const genesis = parseGenesisFile(text)
  const kv = new MemoryStore()
  const states = new CountedStates(kv)
  const chain = await openTestChain({
    kv,
    states,
    config: genesis.config,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
  })
  return verifyAndCommit(chain, new Uint8Array(readFileSync(at('blocks.bin'))), states)
}
