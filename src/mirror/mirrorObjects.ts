/**
 * The small objects of a mirror, each read whole within a bound and checked.
 * @module
 */
import { MAX_MANIFEST_BYTES, MAX_MIRROR_IDENTITY_BYTES, MAX_SEGMENT_LIST_BYTES } from '../base/limits/limits.ts'
import type { ObjectReader } from '../base/ports/objectStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { sha256 } from '../base/primitives/sha256.ts'
import { mirrorDamaged, mirrorUnavailable, mirrorUnsigned } from './errors.ts'
import { decodeIdentity, type MirrorIdentity } from './format/identity.ts'
import { decodeManifest, type SignedManifest } from './format/manifest.ts'
import {
  decodeLatest,
  IDENTITY_NAME,
  LATEST_NAME,
  listName,
  MANIFEST_PREFIX,
  manifestName,
  manifestNumber,
} from './format/names.ts'
import type { MergedSegment } from './format/segmentInfo.ts'
import { decodeSegmentList } from './format/segmentList.ts'

const LATEST_BYTES = 64

/** The chain of a mirror, with the hash that manifests name. */
export interface KnownIdentity extends MirrorIdentity {
  /** SHA-256 of `mirror.json` */
  readonly hash: Uint8Array
}

export class MirrorObjects {
  readonly #objects: ObjectReader

  constructor(objects: ObjectReader) {
    this.#objects = objects
  }

  /**
   * @param publisher that the reader trusts, 20 bytes; undefined: the one that the mirror names
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_FORMAT, MIRROR_DAMAGED; MIRROR_UNSIGNED when the mirror names another publisher
   */
  async identity(publisher: Uint8Array | undefined): Promise<KnownIdentity> {
    const bytes = await this.#whole(IDENTITY_NAME, MAX_MIRROR_IDENTITY_BYTES)
    if (bytes === undefined) throw mirrorUnavailable(IDENTITY_NAME, 'the store does not have it')
    const identity = decodeIdentity(bytes)
    if (publisher !== undefined && !equalBytes(publisher, identity.publisher)) {
      const names = `${bytesToHex(identity.publisher)}, not ${bytesToHex(publisher)}`
      throw mirrorUnsigned(IDENTITY_NAME, `its publisher is ${names}`)
    }
    return { ...identity, hash: sha256(bytes) }
  }

  /**
   * @returns undefined: there is no manifest of this number
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_FORMAT, MIRROR_DAMAGED, MIRROR_UNSIGNED
   */
  async manifest(number: number, identity: KnownIdentity): Promise<SignedManifest | undefined> {
    const bytes = await this.#whole(manifestName(number), MAX_MANIFEST_BYTES)
    if (bytes === undefined) return undefined
    const manifest = decodeManifest(bytes, number, identity.publisher)
    if (!equalBytes(manifest.identity, identity.hash)) {
      throw mirrorDamaged(manifestName(number), `it belongs to another ${IDENTITY_NAME}`)
    }
    return manifest
  }

  /** @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED */
  async list(hash: Uint8Array): Promise<MergedSegment[]> {
    const bytes = await this.#whole(listName(hash), MAX_SEGMENT_LIST_BYTES)
    if (bytes === undefined) throw mirrorUnavailable(listName(hash), 'the store does not have it')
    return decodeSegmentList(bytes, hash)
  }

  /** The hint about the newest manifest; undefined: there is none */
  async latest(): Promise<number | undefined> {
    const bytes = await this.#objects.get(LATEST_NAME, 0, LATEST_BYTES)
    return bytes === undefined ? undefined : decodeLatest(bytes)
  }

  /** The number of the last manifest that the store lists; undefined: it lists none, or cannot list. */
  async lastListed(): Promise<number | undefined> {
    let found = await this.#firstAfter(0)
    if (found === undefined) return undefined
    let last = 2 * found
    for (let next = await this.#firstAfter(last); next !== undefined; next = await this.#firstAfter(last)) {
      found = next
      last = 2 * next
    }
    // There is a manifest `found`, and none after `last`.
    while (last > found) {
      const middle = Math.floor((found + last) / 2)
      const next = await this.#firstAfter(middle)
      if (next === undefined) last = middle
      else found = next
    }
    return found
  }

  close(): Promise<void> {
    return this.#objects.close()
  }

  async #firstAfter(number: number): Promise<number | undefined> {
    const names = this.#objects.list?.(MANIFEST_PREFIX, manifestName(number))
    if (names === undefined) return undefined
    for await (const name of names) {
      const found = manifestNumber(name)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** One byte more than the bound is asked for, so that a longer object is noticed. */
  async #whole(name: string, maximum: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#objects.get(name, 0, maximum + 1)
    if (bytes !== undefined && bytes.length > maximum) throw mirrorDamaged(name, `it is longer than ${maximum} bytes`)
    return bytes
  }
}
