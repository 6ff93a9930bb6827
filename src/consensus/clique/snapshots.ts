/**
 * Finds the snapshot after a block: in memory, in the engine's store, or by applying the headers since the last of
 * them or since the last epoch block.
 * @module
 */
import { CLIQUE_SNAPSHOT_CACHE_ITEMS } from '../../base/limits/limits.ts'
import { bytesToHex, equalBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { EngineStore, EngineStoreReader, HeaderSource } from '../../chain/engine.ts'
import { keyToText } from '../../storage/keyText.ts'
import type { Header } from '../../types/block.ts'
import { ADD_NONCE } from '../signedHeader.ts'
import { checkExtraData, parseExtraData, sortedSigners } from './extraData.ts'
import { SealReader } from './seal.ts'
import { applyStep, type CliqueSnapshot, type SnapshotStep, signerLimit } from './snapshot.ts'
import { decodeSnapshot, encodeSnapshot } from './snapshotCodec.ts'

export interface SnapshotReads {
  readonly headers: HeaderSource
  readonly store: EngineStoreReader
}

/** Distance of the blocks whose snapshots are stored. */
const STORED_INTERVAL = 64n

export class CliqueSnapshots {
  readonly seals: SealReader = new SealReader()
  readonly #epochLength: bigint
  /** By block hash as text. A snapshot is a function of the block, so entries remain valid over reorganisations. */
  readonly #cache = new LruCache<string, CliqueSnapshot>(CLIQUE_SNAPSHOT_CACHE_ITEMS)

  /** @param epochLength blocks, greater than 0 */
  constructor(epochLength: number) {
    this.#epochLength = BigInt(epochLength)
  }

  isEpochBlock(number: bigint): boolean {
    return number % this.#epochLength === 0n
  }

  /**
   * @param hash of a stored block
   * @throws {NodeError} STORE_DAMAGED when an ancestor is missing
   */
  after(hash: Uint8Array, reads: SnapshotReads): CliqueSnapshot {
    const pending: { readonly key: string; readonly header: Header }[] = []
    let snapshot: CliqueSnapshot | undefined
    for (let at = hash; snapshot === undefined; ) {
      const key = keyToText(at)
      snapshot = this.#cache.get(key) ?? this.#stored(at, reads)
      if (snapshot !== undefined) break
      const header = headerOf(at, reads)
      if (this.isEpochBlock(header.number)) {
        snapshot = this.#atEpoch(header, reads)
        this.#cache.set(key, snapshot)
      } else {
        pending.push({ key, header })
        at = header.parentHash
      }
    }
    for (const { key, header } of pending.reverse()) {
      snapshot = applyStep(snapshot, this.#stepOf(header))
      this.#cache.set(key, snapshot)
    }
    return snapshot
  }

  /** Stores the snapshot after a block if it is due. */
  keep(header: Header, hash: Uint8Array, snapshot: CliqueSnapshot, store: EngineStore): void {
    if (header.number % STORED_INTERVAL !== 0n || store.get(hash) !== undefined) return
    store.put(hash, encodeSnapshot(snapshot))
  }

  #stored(hash: Uint8Array, { store }: SnapshotReads): CliqueSnapshot | undefined {
    const bytes = store.get(hash)
    return bytes === undefined ? undefined : decodeSnapshot(bytes)
  }

  #stepOf(header: Header): SnapshotStep {
    const { beneficiary, nonce, number } = header
    return {
      signer: this.seals.signerOf(header),
      vote: isZeroBytes(beneficiary) ? undefined : { subject: beneficiary, adds: equalBytes(nonce, ADD_NONCE) },
      checkpoint: this.isEpochBlock(number) ? checkpointOf(header) : undefined,
    }
  }

  /** An epoch block lists the signers and closes all votes; only the last signers are found in its ancestors. */
  #atEpoch(epoch: Header, reads: SnapshotReads): CliqueSnapshot {
    const signers = checkpointOf(epoch)
    const recent: Uint8Array[] = []
    for (let header = epoch; header.number > 0n && recent.length < signerLimit(signers.length); ) {
      const signer = this.seals.signerOf(header)
      if (signer !== undefined) recent.push(signer)
      header = headerOf(header.parentHash, reads)
    }
    return { signers, recent, votes: [] }
  }
}

/**
 * The signers that an epoch block lists.
 * @throws {NodeError} INVALID_CLIQUE_CHECKPOINT
 */
function checkpointOf({ extraData, number }: Header): readonly Uint8Array[] {
  const reason = checkExtraData(extraData)
  if (reason === undefined) return sortedSigners(parseExtraData(extraData).signers)
  throw new NodeError({ code: 'INVALID_CLIQUE_CHECKPOINT' }, `block ${number} lists no Clique signers: ${reason}`)
}

function headerOf(hash: Uint8Array, { headers }: SnapshotReads): Header {
  const header = headers.headerByHash(hash)
  if (header !== undefined) return header
  throw new NodeError({ code: 'STORE_DAMAGED' }, `the database is damaged: block ${bytesToHex(hash)} is missing`)
}
