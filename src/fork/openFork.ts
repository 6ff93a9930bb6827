/**
 * Puts the parts of a fork together.
 * @module
 */
import type { KeyValueStore, RemoteBlock, Residency } from '../base/ports/keyValueStore.ts'
import type { RemoteClient } from '../remote/contract.ts'
import { cacheKeys } from './cacheKeys.ts'
import type { ForkSource, VerifyMode } from './contract.ts'
import type { ForkHeader } from './forkBlock.ts'
import { ForkBlocks } from './forkBlocks.ts'
import { type ForkPoint, type ForkReference, findForkPoint } from './forkPoint.ts'
import { ForkQueries } from './forkQueries.ts'
import { ForkStore } from './forkStore.ts'
import { ReadAhead } from './readAhead.ts'
import { RemoteAccess } from './remoteAccess.ts'
import { RemoteBlocks } from './remoteBlocks.ts'
import { RemoteHeaders } from './remoteHeaders.ts'
import { RemoteState } from './remoteState.ts'
import { StateRemote } from './stateRemote.ts'

export interface ForkOptions {
  /** undefined: the fork is offline */
  readonly client: RemoteClient | undefined
  /** Of the first address, also of a fork that is offline; empty without an address. */
  readonly origin: string
  /** Pack and cache. */
  readonly source: ForkSource
  readonly mode: VerifyMode
  readonly reference: ForkReference
  /** Hears once of each kind of data that cannot be verified, such as `transactions of type 0x7e`. */
  readonly onUnverified: (what: string) => void
}

export interface Fork {
  readonly point: ForkPoint
  readonly state: RemoteState
  readonly blocks: RemoteBlocks
  readonly queries: ForkQueries
  /**
   * The store of the forked chain.
   * @param local has the fork block as its first block
   * @param residency of an asynchronous local store
   */
  storeOver(local: KeyValueStore, residency?: Residency): ForkStore
  /** Lets the store of another fork continue this one. */
  takeOver(store: ForkStore): void
}

/** @throws {NodeError} those of findForkPoint */
export async function openFork(options: ForkOptions): Promise<Fork> {
  const { client, origin, source, mode, reference, onUnverified } = options
  const remote = new RemoteAccess(client, mode === 'quorum')
  const point = await findForkPoint({ remote, source, origin, mode, onUnverified }, reference)
  const { block, scope } = point
  const checks = mode !== 'none' && block.isVerified
  const isStrict = mode === 'proofs'
  const headers = new RemoteHeaders({ remote, source, scope, forkBlock: block, checks, isStrict })
  const blocks = new RemoteBlocks({ remote, source, checks, isStrict, onUnverified })
  // The next start with the same number asks again.
  const onChanged = (number: number, hash: Uint8Array) => source.put([[cacheKeys.canonicalHash(scope, number), hash]])
  const stateRemote = new StateRemote({ remote, mode, onUnverified, onChanged })
  const readAhead = new ReadAhead({ remote, source })
  const state = new RemoteState({ source, remote: stateRemote, scope, readAhead }, remoteBlockOf(block))
  const parts = { blocks: new ForkBlocks(headers, blocks, block), state, remote }
  return {
    point,
    state,
    blocks,
    queries: new ForkQueries(remote),
    storeOver: (local, residency) => new ForkStore({ ...parts, local, residency, source }),
    takeOver: (store) => store.adopt(parts),
  }
}

export function remoteBlockOf({ number, hash, header }: ForkHeader): RemoteBlock {
  return { number, hash, stateRoot: header.stateRoot }
}
