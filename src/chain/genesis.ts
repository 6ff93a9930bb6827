/**
 * The first block: created in an empty store, compared with the stored one otherwise.
 * @module
 */

import { GENESIS_SLICE_BYTES, LOAD_SLICE_KEYS } from '../base/limits/limits.ts'
import type { KeyValueStore, Mutation } from '../base/ports/keyValueStore.ts'
import type { StateRoot } from '../state/contract.ts'
import { type GenesisAlloc, genesisState } from '../state/genesisState.ts'
import { MemoryStore } from '../storage/memoryStore.ts'
import {
  metadataMutations,
  preimageMutations,
  readMetadata,
  type StoreMetadata,
  verifyGenesis,
} from '../storage/metadata.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { keys, SCHEMA_VERSION } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import type { Block } from '../types/block.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { corrupt, decodeNumber, encodeNumber } from './blockRecord.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import { putBlock, putCanonical } from './blockWrites.ts'
import type { BlockHasher } from './engine.ts'
import { type ForkedBlock, putForkedBlock } from './forkedBlock.ts'
import type { Pause } from './genesisSlices.ts'
import { encodedBlock, withSenders } from './preparedBlock.ts'
import { rulesMutations, verifyRules } from './storedRules.ts'
import { firstPosition } from './termIndex/sectionBuilder.ts'
import type { ChainPointers } from './writeTaskBase.ts'

/** Data of the first block. */
export interface ChainGenesis {
  readonly alloc: GenesisAlloc
  /** The genesis file as JSON text, as it is stored. */
  readonly text: string
  /** Whether the database stores preimages. Default: true. */
  readonly keepsPreimages?: boolean
  /** @param stateRoot of the state given by `alloc`, 32 bytes */
  block(stateRoot: Uint8Array): Block
  /** The block of another chain with which this one begins, instead of `block` and `alloc`. */
  readonly forked?: ForkedBlock | undefined
  /** Called while the state of many accounts is written; default: nothing yields or stops. */
  readonly pause?: Pause | undefined
}

export interface OpenedChain {
  readonly pointers: ChainPointers
  readonly stateVersion: number
}

/**
 * Reads the pointers of a store's chain; writes the genesis block to an empty store first, in one batch.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain; STORE_DAMAGED; what `genesis.pause` throws
 */
export async function openGenesis(
  kv: KeyValueStore,
  blocks: BlockStore,
  genesis: ChainGenesis,
  modules: Pick<ExecutionModules, 'config' | 'consensus' | 'residency' | 'states'>,
): Promise<OpenedChain> {
  const { config, consensus, residency } = modules
  const metadata = await retryMisses(() => readMetadata(kv), residency)
  const isNew = metadata === undefined
  if (isNew) await writeGenesis(kv, genesis, modules)
  const changed = isNew ? [] : verifiedMetadata(genesis, metadata, consensus)
  const opened = await retryMisses(() => readOpened(kv, blocks), residency)
  const recorded = await retryMisses(() => {
    verifyRules(config, kv, opened.pointers.head)
    return rulesMutations(config, kv)
  }, residency)
  if (changed.length + recorded.length > 0) await kv.commit([...changed, ...recorded])
  return opened
}

function readOpened(kv: KeyValueStore, blocks: BlockStore): OpenedChain {
  const metadata = readMetadata(kv)
  const original = metadata === undefined ? undefined : blocks.header(metadata.genesisHash)
  const { genesis } = blocks
  const [head, version] = [blocks.pointer('head'), kv.get(keys.meta('stateVersion'))]
  if (head === undefined || version === undefined) throw corrupt('it has no head')
  if (genesis === undefined || original === undefined) throw corrupt('it has no genesis block')
  const pointers = { genesis, head, safe: blocks.pointer('safe'), finalized: blocks.pointer('finalized') }
  return { pointers, stateVersion: decodeNumber(version) }
}

async function writeGenesis(
  kv: KeyValueStore,
  genesis: ChainGenesis,
  { config, consensus, residency, states }: Pick<ExecutionModules, 'config' | 'consensus' | 'residency' | 'states'>,
): Promise<void> {
  const isLarge = exceedsSlice(genesis.alloc)
  const isInterrupted = (await retryMisses(() => kv.get(keys.meta('loading')), residency)) !== undefined
  const slices = isLarge || isInterrupted ? await import('./genesisSlices.ts') : undefined
  const deps = { kv, states, residency, pause: genesis.pause }
  if (slices !== undefined) await genesis.pause?.()
  if (isInterrupted) await slices?.removeSlices(deps)
  const written = isLarge ? await slices?.writeSlices(deps, genesis.alloc) : undefined
  const stage = new StagedStore(new MemoryStore())
  const genesisHash = stageGenesis(stage, genesis, consensus, written)
  const metadata = { schemaVersion: SCHEMA_VERSION, genesisHash, genesis: genesis.text }
  // The store is empty, and so is the stage for the rules; reading the store could miss.
  await kv.commit([
    ...stage.mutations(),
    ...(slices === undefined ? [] : [slices.slicesMark(false)]),
    ...metadataMutations(metadata),
    ...preimageMutations(genesis.keepsPreimages !== false),
    ...rulesMutations(config, stage),
  ])
}

/**
 * The same text gives the same block, so the block is computed only if the text differs.
 * @returns what to commit
 * @throws {NodeError} GENESIS_MISMATCH
 */
function verifiedMetadata(genesis: ChainGenesis, metadata: StoreMetadata, hasher: BlockHasher): Mutation[] {
  if (metadata.genesis === genesis.text) return []
  verifyGenesis(metadata, stageGenesis(new StagedStore(new MemoryStore()), genesis, hasher))
  return metadataMutations({ ...metadata, genesis: genesis.text })
}

/** Whether the accounts are too many for one batch. */
function exceedsSlice(alloc: GenesisAlloc): boolean {
  let [entries, bytes] = [0, 0]
  for (const { code, storage } of alloc) {
    bytes += code?.length ?? 0
    entries++
    for (const _ of storage ?? []) entries++
    if (entries > LOAD_SLICE_KEYS || bytes > GENESIS_SLICE_BYTES) return true
  }
  return false
}

const GENESIS_STATE_VERSION = 0

/**
 * @param written its state if it is in the store already
 * @returns the hash of the block
 */
function stageGenesis(stage: StagedStore, genesis: ChainGenesis, hasher: BlockHasher, written?: StateRoot): Uint8Array {
  const { forked } = genesis
  if (forked !== undefined) {
    putForkedBlock(stage, forked)
    stagePointers(stage, forked, GENESIS_STATE_VERSION)
    return forked.hash
  }
  const stateRoot = written ?? genesisState(stage, genesis.alloc, GENESIS_STATE_VERSION, genesis.keepsPreimages)
  const block = genesis.block(stateRoot.hash)
  const prepared = withSenders(encodedBlock(block, hasher), [], [])
  const stored: StoredHeader = {
    header: block.header,
    hash: prepared.hash,
    totalDifficulty: block.header.difficulty,
    stateRoot,
    size: prepared.rlp.length,
  }
  putBlock(stage, prepared, stored, [], [])
  putCanonical(stage, stored, [])
  stagePointers(stage, stored, stateRoot.version)
  return prepared.hash
}

function stagePointers(
  stage: StagedStore,
  { header, hash }: Pick<ForkedBlock, 'header' | 'hash'>,
  stateVersion: number,
): void {
  for (const { key, value } of firstPosition(Number(header.number))) stage.put(key, value)
  stage.put(keys.meta('head'), hash)
  stage.put(keys.meta('stateVersion'), encodeNumber(stateVersion))
}
