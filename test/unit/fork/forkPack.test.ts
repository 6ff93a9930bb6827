import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_FORK_PACK_BYTES } from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHexUnprefixed, concatBytes, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { cacheKeys, originScope } from '../../../src/fork/cacheKeys.ts'
import {
  decodeForkPack,
  encodeForkPack,
  type ForkPack,
  type ForkPackHeader,
  type PackEntry,
  requireSameFork,
} from '../../../src/fork/forkPack.ts'
import { PackSource } from '../../../src/fork/packSource.ts'
import { Random } from '../../support/host/random.ts'
import { bytes } from '../storage/contract.ts'

const hash = (n: number): Uint8Array => keccak256(uintBytes(n, 4))
const HEADER: ForkPackHeader = { chainId: 1n, forkBlock: { number: 21_000_000, hash: hash(1) } }
const OTHER_BLOCK: ForkPackHeader = { chainId: 1n, forkBlock: { number: 5, hash: hash(2) } }

const hex = (entries: readonly PackEntry[]): string[][] =>
  entries.map(([key, value]) => [bytesToHexUnprefixed(key), bytesToHexUnprefixed(value)])
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'FORK_PACK_INVALID', message: expect.stringMatching(message) })

function sample(): Uint8Array {
  const slots = Array.from({ length: 20 }, (_, i): PackEntry => [cacheKeys.slot(hash(7), hash(100 + i)), bytes(1, i)])
  return encodeForkPack(HEADER, [...slots, [cacheKeys.code(hash(3)), new Uint8Array(1000).fill(0x60)]])
}

describe('a pack', () => {
  const entry = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 101 }), fc.uint8Array({ maxLength: 300 }))
  const entries = fc.uniqueArray(entry, { maxLength: 30, selector: ([key]) => bytesToHexUnprefixed(key) })

  it('returns the header and all entries, sorted', () => {
    fc.assert(
      fc.property(entries, fc.bigInt(0n, 2n ** 256n - 1n), fc.nat(2 ** 40), (all, chainId, number) => {
        const header = { chainId, forkBlock: { number, hash: hash(9) } }
        const pack = decodeForkPack(encodeForkPack(header, all))
        expect(pack.header).toEqual(header)
        expect(hex(pack.entries)).toEqual(hex(all).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
      }),
    )
  })

  it('has equal bytes for equal entries, in whatever order they came', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(encodeForkPack(HEADER, [...all].reverse())).toEqual(encodeForkPack(HEADER, all))
      }),
    )
  })

  it('that is cut off anywhere is refused', () => {
    const whole = sample()
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeForkPack(whole.subarray(0, length))).toThrow(refusal(/is cut off/))
    }
  })

  it('with any changed byte is refused', () => {
    const whole = sample()
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice()
      changed[at] = (changed[at] as number) ^ 0x10
      expect(() => decodeForkPack(changed)).toThrow(refusal(/is damaged|is cut off|not a pack|version|bytes instead/))
    }
  })

  it.each<[string, () => Uint8Array, RegExp]>([
    ['of another kind', () => new TextEncoder().encode('{"chain": 1}, and more text'), /is not a pack of isonode/],
    ['that is followed by more', () => concatBytes(sample(), bytes(0)), /instead of/],
    [
      'whose ends of lines a program has changed',
      () => Uint8Array.from([...sample()].flatMap((byte, i, all) => (byte === 13 && all[i + 1] === 10 ? [] : [byte]))),
      /is not a pack/,
    ],
    [
      'that names an absurd length',
      () => {
        const whole = sample()
        whole.set(uintBytes(MAX_FORK_PACK_BYTES, 6), 14 + 32 + 8 + 32 + 2)
        return whole
      },
      /is cut off/,
    ],
  ])('%s is refused', (_what, make, message) => {
    expect(() => decodeForkPack(make())).toThrow(refusal(message))
  })

  it('takes at most 1.2 times the bytes of what it holds', () => {
    // A swap through three pools: 15 contracts, 70 slots of mappings, and as few bytes of code as to make the keys count.
    const random = new Random(3)
    const [stateRoot, all] = [random.bytes(32), [] as PackEntry[]]
    let needed = 0
    for (let contract = 0; contract < 15; contract++) {
      const [address, code, account, storageRoot] = [20, 200, 75, 32].map((length) => random.bytes(length)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ]
      all.push([cacheKeys.account(stateRoot, address), account], [cacheKeys.code(keccak256(code)), code])
      needed += address.length + account.length + code.length
      for (let slot = 0; slot < 5; slot++) {
        const [name, value] = [random.bytes(32), random.bytes(1 + random.below(32))]
        all.push([cacheKeys.slot(storageRoot, name), value])
        needed += name.length + value.length
      }
    }
    expect(encodeForkPack(HEADER, all).length).toBeLessThan(1.2 * needed)
  })

  it('of another chain, or another block, is refused', () => {
    const { header } = decodeForkPack(sample())
    expect(() => requireSameFork(header, { ...HEADER, chainId: 10n })).toThrow(
      refusal(/is of chain 1, not of chain 10/),
    )
    expect(() => requireSameFork(header, OTHER_BLOCK)).toThrow(refusal(/is of block 21000000 \(0x.*, not of block 5/))
    requireSameFork(header, HEADER)
  })
})

describe('the source of a pack', () => {
  const saved: Uint8Array[] = []
  const open = (pack?: ForkPack, isOffline = false) =>
    new PackSource({
      pack,
      save: isOffline ? undefined : async (source) => void saved.push(source.encode() as Uint8Array),
      logger: silentLogger,
    })
  const lastSaved = (): ForkPack => decodeForkPack(saved.at(-1) as Uint8Array)

  it('records what others supply, and answers from it in the next run', async () => {
    const first = open()
    first.begin(HEADER)
    first.put([[cacheKeys.code(hash(1)), bytes(1)]])
    await first.close()
    const second = open(lastSaved())
    expect(second.header).toEqual(HEADER)
    expect(await second.getMany([cacheKeys.code(hash(1)), cacheKeys.code(hash(2))])).toEqual([bytes(1), undefined])
    second.begin(HEADER)
    second.put([[cacheKeys.code(hash(2)), bytes(2)]])
    await second.close()
    expect(lastSaved().entries).toHaveLength(2)
  })

  it('serves what a remote said without proof to every URL, and none', async () => {
    const keysOf = (origin: string): Uint8Array[] => [
      cacheKeys.chainId(origin),
      cacheKeys.canonicalHash(originScope(1n, origin), 5),
      cacheKeys.plainAccount(originScope(1n, origin), hash(1), bytes(20)),
      cacheKeys.plainSlot(originScope(1n, origin), hash(1), bytes(20), hash(2)),
    ]
    const first = open()
    first.begin(HEADER)
    first.put(keysOf('https://one.example').map((key, i) => [key, bytes(i)]))
    await first.close()
    const second = open(lastSaved(), true)
    expect(await second.getMany(keysOf('https://two.example:8545'))).toEqual([bytes(0), bytes(1), bytes(2), bytes(3)])
  })

  it('has no plans: they depend on the course of a run', async () => {
    const source = open()
    source.begin(HEADER)
    source.put([[cacheKeys.plan(hash(1)), bytes(1)]])
    expect(await source.getMany([cacheKeys.plan(hash(1))])).toEqual([undefined])
  })

  it('writes nothing when a run has read nothing new, or is offline', async () => {
    const first = open()
    first.begin(HEADER)
    first.put([[bytes(1, 1), bytes(1)]])
    await first.close()
    const { length } = saved
    for (const isOffline of [false, true]) {
      const again = open(lastSaved(), isOffline)
      again.begin(HEADER)
      again.put([[bytes(1, 1), bytes(1)]])
      if (isOffline) again.put([[bytes(1, 2), bytes(1)]])
      await again.close()
    }
    expect(saved).toHaveLength(length)
  })

  it('refuses a fork of another block', () => {
    const source = open(decodeForkPack(sample()))
    expect(() => source.begin(OTHER_BLOCK)).toThrow(refusal(/is of block/))
  })

  it('keeps its bound, and says so once', async () => {
    const lines: string[] = []
    const logger = { ...silentLogger, warn: (message: string) => void lines.push(message) }
    const source = new PackSource({ pack: undefined, save: async () => {}, logger })
    const large = new Uint8Array(MAX_FORK_PACK_BYTES / 4)
    for (let i = 0; i < 6; i++) source.put([[bytes(1, i), large]])
    const kept = await source.getMany(Array.from({ length: 6 }, (_, i) => bytes(1, i)))
    expect(kept.filter((each) => each !== undefined)).toHaveLength(3)
    expect(lines).toEqual(['the pack of the fork is full: further entries are not added'])
  })
})
