/**
 * Answers about the recorded chain besu/snap, with the values that go-ethereum's `devp2p rlpx snap-test` expects of it.
 * @see go-ethereum cmd/devp2p/internal/ethtest/snap.go
 */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  bytesToHex,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  hexToBytes,
} from '../../../../../src/base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../../../src/chain/chain.ts'
import { ServedStates } from '../../../../../src/net/protocols/servedStates.ts'
import { decodeSnapMessage, encodeSnapMessage } from '../../../../../src/net/protocols/snap/codec.ts'
import type { SnapEntry, SnapMessage, SnapRequest } from '../../../../../src/net/protocols/snap/messages.ts'
import { slimAccount } from '../../../../../src/net/protocols/snap/slimAccount.ts'
import { SnapServer } from '../../../../../src/net/protocols/snap/snapServer.ts'
import { decodeAccount } from '../../../../../src/state/account.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../../../support/recorded/recordedChains.ts'
import { fullAccount } from './fullAccount.ts'
import { verifyRange } from './rangeProof.ts'

const RECORDED = recordedChainNamed('besu/snap')
const ZERO = new Uint8Array(32)
const FULL = new Uint8Array(32).fill(0xff)
const hash = (hex: string): Uint8Array => hexToBytes(hex)
const shifted = (key: Uint8Array, by: number): Uint8Array =>
  hexToBytes((BigInt(bytesToHex(key)) + BigInt(by)).toString(16).padStart(64, '0'))

describe('snap/1 over a recorded chain', () => {
  let chain: Chain
  let states: ServedStates
  let server: SnapServer
  let headRoot: Uint8Array

  beforeAll(async () => {
    const kv = new MemoryStore()
    chain = await openRecorded(RECORDED, { kv })
    await importFile(chain, [blockFile(RECORDED)], { verifySeal: false })
    states = new ServedStates({ chain, reader: kv })
    server = new SnapServer({ states })
    headRoot = chain.head.header.stateRoot
  }, 60_000)

  /** Over the wire in both directions. */
  function ask<K extends SnapMessage['kind']>(request: SnapRequest, kind: K): Extract<SnapMessage, { kind: K }> {
    const sent = encodeSnapMessage(request)
    const { code, payload } = server.answer(decodeSnapMessage(sent.code, sent.payload) as SnapRequest)
    const answer = decodeSnapMessage(code, payload)
    expect(answer).toMatchObject({ kind, requestId: request.requestId })
    return answer as Extract<SnapMessage, { kind: K }>
  }

  const accounts = (start: Uint8Array, limit: Uint8Array, maxBytes: number, root = headRoot) => {
    const answer = ask(
      { kind: 'getAccountRange', requestId: 7n, root, start, limit, maxBytes: BigInt(maxBytes) },
      'accountRange',
    )
    if (answer.accounts.length + answer.proof.length > 0) {
      const entries = answer.accounts.map(({ hash: key, body }) => ({ key, value: fullAccount(body) }))
      verifyRange({ root, start, entries, proof: answer.proof })
    }
    return answer.accounts
  }
  const ends = (entries: readonly SnapEntry[]) => [
    entries.length,
    ...[entries[0], entries.at(-1)].map((entry) => entry && bytesToHex(entry.hash)),
  ]
  const rootAt = (number: number): Uint8Array => chain.headerByNumber(number)?.header.stateRoot as Uint8Array

  it('answers ranges of accounts', () => {
    const [first, second] = accounts(ZERO, FULL, 4000).map((entry) => entry.hash) as [Uint8Array, Uint8Array]
    const one = [1, bytesToHex(first), bytesToHex(first)]
    const upTo = (count: number, last: string, from = first) => [count, bytesToHex(from), `0x${last}`]
    const LAST_86 = '445cb5c1278fdce2f9cbdb681bdd76c52f8e50e41dbd9e220242a69ba99ac099'
    expect(ends(accounts(ZERO, FULL, 4000))).toEqual(upTo(86, LAST_86))
    expect(ends(accounts(ZERO, FULL, 3000))).toEqual(
      upTo(65, '2e6fe1362b3e388184fd7bf08e99e74170b26361624ffd1c5f646da7067b58b6'),
    )
    expect(ends(accounts(ZERO, FULL, 2000))).toEqual(
      upTo(44, '1c3f74249a4892081ba0634a819aec9ed25f34c7653f5719b9098487e65ab595'),
    )
    expect(ends(accounts(ZERO, FULL, 1))).toEqual(one)
    expect(ends(accounts(ZERO, FULL, 0))).toEqual(one)
    expect(ends(accounts(shifted(first, -500), shifted(first, 1), 4000))).toEqual([
      2,
      bytesToHex(first),
      bytesToHex(second),
    ])
    expect(ends(accounts(shifted(first, -500), shifted(first, -450), 4000))).toEqual(one)
    expect(ends(accounts(ZERO, ZERO, 4000))).toEqual(one)
    expect(ends(accounts(first, FULL, 4000))).toEqual(upTo(86, LAST_86))
    expect(ends(accounts(shifted(first, 1), FULL, 4000))).toEqual(
      upTo(86, '4615e5f5df5b25349a00ad313c6cd0436b6c08ee5826e33a018661997f85ebaa', second),
    )
    expect(ends(accounts(first, shifted(first, -1), 4000))).toEqual(one)
    expect(ends(accounts(first, ZERO, 4000))).toEqual(one)
    expect(accounts(FULL, ZERO, 4000)).toEqual([])
  })

  it('answers about states of the last 128 blocks only', () => {
    expect(accounts(ZERO, FULL, 4000, concatBytes(hash('1337'), new Uint8Array(30)))).toEqual([])
    expect(accounts(ZERO, FULL, 4000, rootAt(0))).toEqual([])
    expect(accounts(ZERO, FULL, 4000, rootAt(372))).toEqual([])
    const found = accounts(ZERO, FULL, 4000, rootAt(373))
    expect(ends(found)).toEqual([
      84,
      bytesToHex(found[0]?.hash as Uint8Array),
      '0x580aa878e2f92d113a12c0a3ce3c21972b03dbe80786858d49a72097e2c491a3',
    ])
  })

  it('walks all accounts and storages in pieces', () => {
    let start: Uint8Array = ZERO
    const all: SnapEntry[] = []
    for (;;) {
      const piece = accounts(start, FULL, 1500)
      all.push(...piece)
      if (piece.length === 0) break
      start = shifted(piece.at(-1)?.hash as Uint8Array, 1)
    }
    expect(all.length).toBeGreaterThan(100)
    const state = states.at(headRoot)
    expect(all.map((entry) => bytesToHex(entry.hash))).toEqual(
      [...(state?.accounts.from() ?? [])].map(({ key }) => bytesToHex(key)),
    )
    const withStorage = all.filter(
      ({ body }) => !equalBytes(decodeAccount(fullAccount(body), 0).storageRoot, EMPTY_TRIE_ROOT),
    )
    const answer = ask(
      {
        kind: 'getStorageRanges',
        requestId: 1n,
        root: headRoot,
        accounts: withStorage.map((one) => one.hash),
        start: undefined,
        limit: undefined,
        maxBytes: 1_000_000n,
      },
      'storageRanges',
    )
    expect(answer.proof).toEqual([])
    for (const [i, { body }] of withStorage.entries()) {
      const entries = (answer.slots[i] ?? []).map((slot) => ({ key: slot.hash, value: slot.body }))
      verifyRange({ root: decodeAccount(fullAccount(body), 0).storageRoot, start: ZERO, entries, proof: [] })
    }
  })

  it('answers ranges of slots, with a proof unless they are complete', () => {
    const account = keccak256(hash('8bebc8ba651aee624937e7d897853ac30c95a067'))
    const keys = [
      '405787fa12a823e0f2b7631cc41b3ba8828b3321ca811111fa75cd3aa3bb5ace',
      'b10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6',
      'c2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b',
    ] as const
    const all = [2, 1, 3].map((value, i) => ({ hash: hash(keys[i] as string), body: Uint8Array.of(value) }))
    const root = hash('be3d75a1729be157e79c3b77f00206db4d54e3ea14375a015451c88ec067c790')
    const slots = (start: Uint8Array | undefined, limit: Uint8Array | undefined, maxBytes = 500n) => {
      const answer = ask(
        { kind: 'getStorageRanges', requestId: 2n, root: headRoot, accounts: [account], start, limit, maxBytes },
        'storageRanges',
      )
      expect(answer.slots).toHaveLength(1)
      const found = answer.slots[0] as SnapEntry[]
      const entries = found.map((slot) => ({ key: slot.hash, value: slot.body }))
      if (answer.proof.length > 0) verifyRange({ root, start: start ?? ZERO, entries, proof: answer.proof })
      return { found, isProven: answer.proof.length > 0 }
    }
    expect(slots(ZERO, FULL)).toEqual({ found: all, isProven: false })
    expect(slots(undefined, undefined)).toEqual({ found: all, isProven: false })
    expect(slots(hash(keys[0]), FULL)).toEqual({ found: all, isProven: true })
    expect(slots(shifted(hash(keys[0]), 1), FULL)).toEqual({ found: all.slice(1), isProven: true })
    expect(slots(hash(keys[0]), hash(keys[1]))).toEqual({ found: all.slice(0, 2), isProven: true })
    expect(slots(hash(`4${'f'.repeat(63)}`), shifted(hash(keys[1]), 1))).toEqual({
      found: all.slice(1),
      isProven: true,
    })
    expect(slots(ZERO, FULL, 1n)).toEqual({ found: all.slice(0, 1), isProven: true })
    expect(slots(FULL, FULL)).toEqual({ found: [], isProven: true })
  })

  it('ends an answer after a number of entries, with a proof', () => {
    const few = new SnapServer({ states, maxEntries: 2 })
    const answered = <K extends SnapMessage['kind']>(request: SnapRequest, kind: K) => {
      const { code, payload } = few.answer(request)
      const answer = decodeSnapMessage(code, payload)
      expect(answer.kind).toBe(kind)
      return answer as Extract<SnapMessage, { kind: K }>
    }
    const range = { requestId: 5n, root: headRoot, start: ZERO, limit: FULL, maxBytes: 500_000n }
    const { accounts: found, proof } = answered({ kind: 'getAccountRange', ...range }, 'accountRange')
    expect(found).toEqual(accounts(ZERO, FULL, 4000).slice(0, 2))
    const entries = found.map(({ hash: key, body }) => ({ key, value: fullAccount(body) }))
    verifyRange({ root: headRoot, start: ZERO, entries, proof })
    const owner = keccak256(hash('8bebc8ba651aee624937e7d897853ac30c95a067'))
    const storages = { kind: 'getStorageRanges', ...range, accounts: [owner, owner] } as const
    const { slots, proof: slotProof } = answered(storages, 'storageRanges')
    expect(slots.map((storage) => storage.length)).toEqual([2])
    expect(slotProof.length).toBeGreaterThan(0)
  })

  it('answers code, leaving out what is unknown', () => {
    const codes = (hashes: readonly Uint8Array[], maxBytes: bigint) =>
      ask({ kind: 'getByteCodes', requestId: 3n, hashes, maxBytes }, 'byteCodes').codes
    const known = [...(states.at(headRoot)?.accounts.from() ?? [])]
      .map(({ value }) => decodeAccount(value, 0).codeHash)
      .filter((code) => !equalBytes(code, EMPTY_CODE_HASH))
    expect(known.length).toBeGreaterThan(1)
    expect(codes([rootAt(0), headRoot, EMPTY_TRIE_ROOT], 10_000n)).toEqual([])
    expect(codes([EMPTY_CODE_HASH, EMPTY_CODE_HASH, EMPTY_CODE_HASH], 10_000n)).toEqual([
      EMPTY_BYTES,
      EMPTY_BYTES,
      EMPTY_BYTES,
    ])
    const answered = codes([headRoot, ...known, headRoot], 500_000n)
    expect(answered.map((code) => bytesToHex(keccak256(code)))).toEqual(known.map((code) => bytesToHex(code)))
    expect(codes(known, 1n)).toHaveLength(1)
    expect(codes(known, 0n)).toHaveLength(1)
    const [first] = known as [Uint8Array]
    expect(codes([first, first, first, first], 100_000n)).toHaveLength(4)
  })

  it('answers single trie nodes', () => {
    const nodes = (paths: readonly (readonly Uint8Array[])[], root = headRoot) =>
      ask({ kind: 'getTrieNodes', requestId: 4n, root, paths, maxBytes: 5000n }, 'trieNodes').nodes.map((node) =>
        bytesToHex(keccak256(node)),
      )
    const EMPTY = bytesToHex(EMPTY_CODE_HASH)
    expect(nodes([])).toEqual([])
    expect(nodes([[Uint8Array.of(0)], [Uint8Array.of(1), Uint8Array.of(0)]], rootAt(499))).toEqual([
      bytesToHex(rootAt(499)),
    ])
    expect(nodes([[Uint8Array.from({ length: 63 }, (_, i) => i % 9)]])).toEqual([EMPTY])
    const key = hash('a87387b50b481431c6ccdb9ae99a54d4dcdd4a3eff75d7b17b4818f7bbfc21e9')
    const nibbles = [...key].flatMap((byte) => [byte >> 4, byte & 15])
    const paths = Array.from({ length: 65 }, (_, i) => [compact([...nibbles.slice(0, i), 0])])
    const [A, B] = [
      '0x3e963a69401a70224cbfb8c0cc2249b019041a538675d71ccf80c9328d114e2e',
      '0xd0670d09cdfbf3c6320eb3e92c47c57baa6c226551a2d488c05581091e6b1689',
    ]
    expect(nodes(paths)).toEqual([A, B, ...Array.from({ length: 63 }, () => EMPTY)])
    expect(nodes([paths[10], paths[1], paths[0]] as Uint8Array[][])).toEqual([EMPTY, B, A])
    const storage = keccak256(hash('8bebc8ba651aee624937e7d897853ac30c95a067'))
    const [C, D] = [
      '0xbe3d75a1729be157e79c3b77f00206db4d54e3ea14375a015451c88ec067c790',
      '0xf4984a11f61a2921456141df88de6e1a710d28681b91af794c5a721e47839cd7',
    ]
    expect(nodes([[storage, Uint8Array.of(0)]])).toEqual([C])
    expect(nodes([[storage, Uint8Array.of(0), Uint8Array.of(0x1b)]])).toEqual([C, D])
  })

  it('restores accounts from the slim form', () => {
    for (const { value } of states.at(headRoot)?.accounts.from() ?? [])
      expect(fullAccount(slimAccount(value))).toEqual(value)
  })
})

/** Hex-prefix encoding of an inner path. */
function compact(nibbles: readonly number[]): Uint8Array {
  const all = nibbles.length & 1 ? [1, ...nibbles] : [0, 0, ...nibbles]
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, i) => ((all[2 * i] as number) << 4) | (all[2 * i + 1] as number),
  )
}
