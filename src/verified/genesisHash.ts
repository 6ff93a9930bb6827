import type { ConsensusSchedule } from '../chain/engine.ts'
import type { Genesis } from '../config/genesisFile.ts'
import { genesisState } from '../state/genesisState.ts'
import { MemoryStore } from '../storage/memoryStore.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import { genesisBlock } from '../types/genesisHeader.ts'

/** Makes the state of the genesis block. @returns 32 bytes */
export function genesisHash(genesis: Genesis, schedule: ConsensusSchedule): Uint8Array {
  const { hash } = genesisState(new StagedStore(new MemoryStore()), genesis.alloc)
  return schedule.hash(genesisBlock(genesis, hash).header)
}
