/**
 * A database that grows as a chain does, without executing anything, its journal, and what a mirror has of it.
 * @module
 */

import { KeySigner } from '../../../src/base/ports/keySigner.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import type { ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { bytesToHexUnprefixed, concatBytes, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { sha256 } from '../../../src/base/primitives/sha256.ts'
import { decodeNumber, encodeNumber } from '../../../src/chain/blockRecord.ts'
import { MirrorObjects } from '../../../src/mirror/mirrorObjects.ts'
import type { PublishedDatabase } from '../../../src/mirror/publisher/contract.ts'
import { type PublishedPosition, positionMutation } from '../../../src/mirror/publisher/journal.ts'
import { type DiskStore, JournaledStore } from '../../../src/mirror/publisher/journaledStore.ts'
import { readContent } from '../../../src/mirror/publisher/mirrorContent.ts'
import { contentBlocks } from '../../../src/mirror/publisher/segmentStreams.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { metadataMutations } from '../../../src/storage/metadata.ts'
import { isPublishedKey } from '../../../src/storage/published.ts'
import { keys, SCHEMA_VERSION } from '../../../src/storage/schema.ts'

export const MIRROR_SIGNER: KeySigner = new KeySigner(new Uint8Array(32).fill(7))

const ACCOUNTS = 40

export class MemoryDisk extends MemoryStore implements DiskStore {
  readonly hasChecksums = true

  requireAbsent(): void {}

  addChecksums(): number {
    return 1
  }

  /** A store with the same content, as a snapshot or a backup. */
  copy(): MemoryDisk {
    const copy = new MemoryDisk()
    copy.commit([...this.range({ prefix: new Uint8Array(0) })].map(([key, value]) => ({ key, value })))
    return copy
  }
}

function hashOf(...parts: (string | number)[]): Uint8Array {
  return sha256(new TextEncoder().encode(parts.join(':')))
}

export interface PublishedChainOptions {
  readonly disk?: MemoryDisk
  readonly chainId?: number
  readonly onCommit?: () => void
}

export class PublishedChain implements PublishedDatabase {
  readonly disk: MemoryDisk
  readonly journal: JournaledStore
  readonly #branch: string
  height = 0
  #version = 0

  /** @param branch makes the blocks of chains differ */
  constructor({ disk, chainId = 1337, onCommit = () => {} }: PublishedChainOptions = {}, branch = 'a') {
    this.#branch = branch
    this.disk = disk ?? new MemoryDisk()
    this.journal = new JournaledStore(this.disk, onCommit)
    if (disk !== undefined) {
      this.#version = decodeNumber(disk.get(keys.meta('stateVersion')) ?? new Uint8Array(0))
      return
    }
    const genesisHash = hashOf('genesis', chainId)
    this.journal.commit([
      ...metadataMutations({ schemaVersion: SCHEMA_VERSION, genesisHash, genesis: '{}' }),
      { key: keys.meta('rules'), value: new TextEncoder().encode(`{"chainId":"${chainId}","forks":{}}`) },
      { key: keys.meta('head'), value: genesisHash },
      { key: keys.numberByHash(genesisHash), value: encodeNumber(0) },
      { key: keys.canonicalHash(0), value: genesisHash },
    ])
  }

  /** Continues a chain that was grown elsewhere. */
  at(height: number): this {
    this.height = height
    return this
  }

  /** Adds a block that changes some accounts and deletes one. */
  grow(blocks = 1): void {
    for (let i = 0; i < blocks; i++) {
      const number = ++this.height
      const hash = hashOf('block', this.#branch, number)
      const account = (n: number): Uint8Array => keys.flatAccount(hashOf('account', n % ACCOUNTS))
      const batch: Mutation[] = [
        { key: keys.header(number, hash), value: concatBytes(hash, uintBytes(number, 6)) },
        { key: keys.body(number, hash), value: hash },
        { key: keys.receipts(number, hash), value: hash },
        { key: keys.numberByHash(hash), value: encodeNumber(number) },
        { key: keys.canonicalHash(number), value: hash },
        { key: keys.meta('head'), value: hash },
        { key: keys.meta('stateVersion'), value: encodeNumber(++this.#version) },
        { key: account(number), value: hash },
        { key: account(number * 7 + 1), value: hash.slice(0, 8) },
        { key: account(number * 3 + 2), value: undefined },
        { key: keys.localTransaction(hash), value: hash },
      ]
      this.journal.commit(batch)
    }
  }

  /** Removes the newest blocks, as a reorganisation does. */
  shrink(blocks: number): void {
    const head = this.height - blocks
    const removed = Array.from({ length: blocks }, (_, i) => keys.canonicalHash(head + 1 + i))
    this.journal.commit([
      ...removed.map((key) => ({ key, value: undefined })),
      { key: keys.meta('head'), value: this.disk.get(keys.canonicalHash(head)) },
    ])
    this.height = head
  }

  open(): MemoryDisk {
    return this.disk.copy()
  }

  note(position: PublishedPosition): void {
    this.journal.publishedTo(position)
  }

  async record(position: PublishedPosition): Promise<void> {
    this.disk.commit([positionMutation(position)])
  }
}

type Content = Readonly<Record<string, string>>

/** The part of a database that a mirror should have. */
export function publishedContent(disk: MemoryDisk): Content {
  const entries = [...disk.range({ prefix: new Uint8Array(0) })].filter(([key]) => isPublishedKey(key))
  return Object.fromEntries(entries.map(([key, value]) => [bytesToHexUnprefixed(key), bytesToHexUnprefixed(value)]))
}

/** The content of a mirror. */
export async function mirroredContent(objects: ObjectStore): Promise<Content> {
  const mirror = new MirrorObjects(objects)
  const manifest = await mirror.manifest((await mirror.lastListed()) ?? 0, await mirror.identity(MIRROR_SIGNER.address))
  if (manifest === undefined) return {}
  const found: Record<string, string> = {}
  for await (const block of contentBlocks(objects, await readContent(mirror, manifest))) {
    for (const { key, value } of block) {
      if (value !== undefined) found[bytesToHexUnprefixed(key)] = bytesToHexUnprefixed(value)
    }
  }
  return found
}
