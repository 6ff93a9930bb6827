import { describe, expect, test } from 'vitest'
import { concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../../src/base/primitives/secp256k1.ts'
import { sha256 } from '../../../../src/base/primitives/sha256.ts'
import { decodeIdentity, encodeIdentity } from '../../../../src/mirror/format/identity.ts'
import { decodeManifest, encodeManifest, INLINE_OFFSET, type Manifest } from '../../../../src/mirror/format/manifest.ts'
import {
  decodeLatest,
  encodeLatest,
  listName,
  manifestName,
  manifestNumber,
} from '../../../../src/mirror/format/names.ts'
import { SegmentBuilder } from '../../../../src/mirror/format/segmentBuilder.ts'
import type { MergedSegment } from '../../../../src/mirror/format/segmentInfo.ts'
import { decodeSegmentList, encodeSegmentList } from '../../../../src/mirror/format/segmentList.ts'

const KEY = new Uint8Array(32).fill(7)
const PUBLISHER = publicKeyToAddress(publicKeyOf(KEY))
const sign = (hash: Uint8Array) => signHash(hash, KEY)
const HASH = new Uint8Array(32).fill(1)

async function segmentOf(...keys: number[]) {
  const builder = new SegmentBuilder()
  for (const key of keys) await builder.add({ key: Uint8Array.of(key), value: HASH })
  return builder.finish()
}

async function manifestOf(changes: Partial<Manifest> = {}): Promise<Manifest> {
  const { content, ...first } = await segmentOf(1, 2)
  const { content: inline, ...second } = await segmentOf(2, 9)
  return {
    number: 12,
    previous: HASH,
    identity: HASH,
    epoch: 3,
    head: { number: 1000, hash: HASH },
    safe: { number: 990, hash: HASH },
    finalized: undefined,
    stateVersion: 1234,
    timeMs: 1_700_000_000_123,
    list: undefined,
    recent: [
      { ...first, manifest: 0 },
      { ...second, manifest: 12 },
    ],
    added: 1,
    inline,
    ...changes,
  }
}

describe('a manifest', () => {
  test('gives back what was signed, with its hash', async () => {
    const manifest = await manifestOf()
    const bytes = await encodeManifest(manifest, sign)
    expect(decodeManifest(bytes, 12, PUBLISHER)).toEqual({ ...manifest, hash: sha256(bytes), publisher: PUBLISHER })
    expect(bytes.subarray(INLINE_OFFSET).slice(0, manifest.inline?.length)).toEqual(manifest.inline)
  })

  test('may have no segment inside, and no list', async () => {
    const manifest = await manifestOf({ recent: [], added: 0, inline: undefined, list: HASH })
    expect(decodeManifest(await encodeManifest(manifest, sign), 12, PUBLISHER)).toMatchObject(manifest)
  })

  test('is refused when any byte differs, with the name of the object', async () => {
    const bytes = await encodeManifest(await manifestOf(), sign)
    for (let at = 0; at < bytes.length; at += 13) {
      const changed = bytes.slice()
      changed[at] = (changed[at] as number) ^ 1
      expect(() => decodeManifest(changed, 12, PUBLISHER)).toThrow(/^manifests\/00000000000000000012 of the mirror /)
      if (at > 0) expect(() => decodeManifest(bytes.subarray(0, at), 12, PUBLISHER)).toThrow('manifests/')
    }
  })

  test('is refused from another publisher, which the error names', async () => {
    const other = new Uint8Array(20).fill(0xab)
    const bytes = await encodeManifest(await manifestOf(), sign)
    expect(() => decodeManifest(bytes, 12, other)).toThrow('signed it, not 0xabababababababababababababababababababab')
    expect(() => decodeManifest(bytes, 12, other)).toThrow(expect.objectContaining({ code: 'MIRROR_UNSIGNED' }))
  })

  test('is refused under another number, of a newer format, and without the segment that it names', async () => {
    const bytes = await encodeManifest(await manifestOf(), sign)
    expect(() => decodeManifest(bytes, 13, PUBLISHER)).toThrow('it has the number 12')
    const newer = bytes.slice()
    newer[3] = 0x32
    expect(() => decodeManifest(newer, 12, PUBLISHER)).toThrow('it has format 2, newer than 1')
    expect(() => decodeManifest(new TextEncoder().encode(`<html>${' '.repeat(99)}`), 12, PUBLISHER)).toThrow(
      'not a manifest',
    )
    const without = await encodeManifest(await manifestOf({ inline: undefined }), sign)
    expect(() => decodeManifest(without, 12, PUBLISHER)).toThrow('does not name the segment that lies inside')
    const wrong = await encodeManifest(await manifestOf({ inline: (await segmentOf(3)).content }), sign)
    expect(() => decodeManifest(wrong, 12, PUBLISHER)).toThrow('the segment inside has another hash')
  })

  test('is not written longer than readers accept', async () => {
    await expect(encodeManifest(await manifestOf({ inline: new Uint8Array(200_000) }), sign)).rejects.toThrow(
      '200000 bytes',
    )
  })
})

describe('the list of merged segments', () => {
  const merged = async (level: number, ...keys: number[]): Promise<MergedSegment> => {
    const { content, filter, ...info } = await segmentOf(...keys)
    return { level, ...info }
  }

  test('gives back its segments', async () => {
    const segments = [await merged(1, 1, 5), await merged(1, 6), await merged(2, 2, 9)]
    const bytes = encodeSegmentList(segments)
    expect(decodeSegmentList(bytes, sha256(bytes))).toEqual(segments)
  })

  test('is refused with another hash, overlapping segments, or levels out of order', async () => {
    const decoded = (segments: MergedSegment[]) => {
      const bytes = encodeSegmentList(segments)
      return () => decodeSegmentList(bytes, sha256(bytes))
    }
    expect(() => decodeSegmentList(encodeSegmentList([]), HASH)).toThrow(`${listName(HASH)} of the mirror is damaged`)
    expect(decoded([await merged(1, 1, 5), await merged(1, 5, 6)])).toThrow('segments of level 1 overlap')
    expect(decoded([await merged(2, 1), await merged(1, 5)])).toThrow('levels are not in order')
    expect(decoded([await merged(0, 1)])).toThrow('level 0')
  })
})

describe('the identity of a mirror', () => {
  const identity = { chainId: 1337n, genesisHash: HASH, genesis: '{"config":{}}', publisher: PUBLISHER }

  test('gives back the chain and its publisher', () => {
    expect(decodeIdentity(encodeIdentity(identity))).toEqual(identity)
  })

  test('is refused from the future, and when it is something else', () => {
    const changed = (from: string, to: string) => () =>
      decodeIdentity(new TextEncoder().encode(new TextDecoder().decode(encodeIdentity(identity)).replace(from, to)))
    expect(changed('"format":1', '"format":2')).toThrow('mirror.json of the mirror cannot be read: it has format 2')
    expect(changed('{', '<html>')).toThrow('it is not JSON')
    expect(changed('"format":1', '"form":1')).toThrow('it is not the description of a mirror')
    expect(changed('"1337"', '"abc"')).toThrow('chainId has the wrong form')
    expect(changed('"0x', '"0xzz')).toThrow('has the wrong form')
    expect(() => decodeIdentity(concatBytes(encodeIdentity(identity).subarray(1)))).toThrow('it is not JSON')
  })
})

describe('names', () => {
  test('sort manifests by number', () => {
    expect(manifestName(12)).toBe('manifests/00000000000000000012')
    expect(manifestNumber(manifestName(12))).toBe(12)
    expect(manifestNumber('manifests/12')).toBeUndefined()
    expect(manifestNumber(`manifests/${'9'.repeat(20)}`)).toBeUndefined()
    expect(listName(hexToBytes('00ff'))).toBe('lists/00ff')
  })

  test('take a malformed hint for none', () => {
    expect(decodeLatest(encodeLatest(42))).toBe(42)
    expect(decodeLatest(new TextEncoder().encode('<html>'))).toBeUndefined()
    expect(decodeLatest(new TextEncoder().encode('9'.repeat(18)))).toBeUndefined()
    expect(decodeLatest(new Uint8Array(0))).toBeUndefined()
  })
})
