/** Processes recorded chains by `verify` and `commit`, and counts executions. */
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { encodedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { blockFile, openRecorded, type RecordedChain } from '../recorded/recordedChains.ts'
import { TEST_SENDERS } from './testChain.ts'

/** Counts the states used for execution: one per block. */
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
  /** Executions of each block during verification and during its commit. */
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
