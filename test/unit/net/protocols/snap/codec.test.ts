import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigIntToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../../src/base/primitives/errors.ts'
import { rlpEncode } from '../../../../../src/base/primitives/rlp.ts'
import { decodeSnapMessage, encodeSnapMessage } from '../../../../../src/net/protocols/snap/codec.ts'
import { SNAP_CODES, type SnapMessage } from '../../../../../src/net/protocols/snap/messages.ts'
import { slimAccount } from '../../../../../src/net/protocols/snap/slimAccount.ts'
import { encodeAccount } from '../../../../../src/state/account.ts'
import { bytes, uint } from '../../../../support/host/arbitraries.ts'
import { fullAccount } from './fullAccount.ts'

const hash = bytes(32)
const id = { requestId: uint(64) }
const limited = { ...id, maxBytes: uint(64) }
const some = fc.uint8Array({ maxLength: 70 })
const strings = fc.array(some, { maxLength: 4 })
const kind = <K extends string>(name: K) => fc.constant(name)
const optional = fc.option(hash, { nil: undefined })
const slim = fc
  .tuple(uint(64), uint(128))
  .map(([nonce, balance]) =>
    rlpEncode([bigIntToBytes(nonce), bigIntToBytes(balance), new Uint8Array(0), new Uint8Array(0)]),
  )

const snapMessage: fc.Arbitrary<SnapMessage> = fc.oneof(
  fc.record({ kind: kind('getAccountRange'), root: hash, start: hash, limit: hash, ...limited }),
  fc.record({
    kind: kind('accountRange'),
    ...id,
    accounts: fc.array(fc.record({ hash, body: slim }), { maxLength: 3 }),
    proof: strings,
  }),
  fc.record({
    kind: kind('getStorageRanges'),
    root: hash,
    accounts: fc.array(hash, { maxLength: 3 }),
    start: optional,
    limit: optional,
    ...limited,
  }),
  fc.record({
    kind: kind('storageRanges'),
    ...id,
    slots: fc.array(fc.array(fc.record({ hash, body: some }), { maxLength: 3 }), { maxLength: 3 }),
    proof: strings,
  }),
  fc.record({ kind: kind('getByteCodes'), hashes: fc.array(hash, { maxLength: 3 }), ...limited }),
  fc.record({ kind: kind('byteCodes'), ...id, codes: strings }),
  fc.record({
    kind: kind('getTrieNodes'),
    root: hash,
    paths: fc.array(fc.array(some, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    ...limited,
  }),
  fc.record({ kind: kind('trieNodes'), ...id, nodes: strings }),
)

describe('messages of snap/1', () => {
  it('are given back', () => {
    fc.assert(
      fc.property(snapMessage, (message) => {
        const { code, payload } = encodeSnapMessage(message)
        expect(code).toBe(SNAP_CODES[message.kind])
        expect(decodeSnapMessage(code, payload)).toEqual(message)
      }),
      { seed: 21, numRuns: 300 },
    )
  })

  it('are refused when they are damaged, with an error of the protocol and nothing else', () => {
    const damaged = fc
      .tuple(snapMessage, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }), fc.nat(4))
      .map(([message, changes, cut]) => {
        const { code, payload } = encodeSnapMessage(message)
        const changed = payload.slice(0, payload.length - (cut > 2 ? cut : 0))
        for (const [at, value] of changes) changed[at % changed.length] = value
        return { code, payload: changed }
      })
    const random = fc.record({ code: fc.nat(10), payload: fc.uint8Array({ maxLength: 200 }) })
    fc.assert(
      fc.property(fc.oneof(damaged, random), ({ code, payload }) => {
        try {
          const decoded = decodeSnapMessage(code, payload)
          expect(encodeSnapMessage(decoded)).toEqual({ code, payload })
          if (decoded.kind === 'accountRange') for (const { body } of decoded.accounts) fullAccount(body)
        } catch (error) {
          if (!(error instanceof NodeError)) throw error
          expect(error.code).toBe('INVALID_PROTOCOL_MESSAGE')
        }
      }),
      { seed: 22, numRuns: 1500 },
    )
  })

  it('refuse paths that are longer than any in a trie', () => {
    const of = (...paths: Uint8Array[]) => {
      const request = { requestId: 1n, root: new Uint8Array(32), paths: [paths], maxBytes: 1n } as const
      const { code, payload } = encodeSnapMessage({ kind: 'getTrieNodes', ...request })
      return () => decodeSnapMessage(code, payload)
    }
    expect(of(new Uint8Array(65))).not.toThrow()
    expect(of(new Uint8Array(66))).toThrow('path has more than 65 bytes')
    expect(of(new Uint8Array(32), new Uint8Array(1_000_000))).toThrow('path has more than 65 bytes')
    expect(of(new Uint8Array(33), new Uint8Array(1))).toThrow('an account hash of 33 bytes')
  })

  it('refuse an empty set of paths', () => {
    const request: SnapMessage = {
      kind: 'getTrieNodes',
      requestId: 1n,
      root: new Uint8Array(32),
      paths: [[], [Uint8Array.of(0)]],
      maxBytes: 1n,
    }
    const { code, payload } = encodeSnapMessage(request)
    expect(() => decodeSnapMessage(code, payload)).toThrow('a set of paths is empty')
  })
})

it('slim accounts are restored', () => {
  fc.assert(
    fc.property(uint(64), uint(256), hash, hash, (nonce, balance, codeHash, root) => {
      const account = encodeAccount({ nonce, balance, codeHash }, root)
      const short = slimAccount(account)
      expect(short.length).toBeLessThanOrEqual(account.length)
      expect(fullAccount(short)).toEqual(new Uint8Array(account))
    }),
    { seed: 23, numRuns: 100 },
  )
})
