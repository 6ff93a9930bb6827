import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { rlpDecode, rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { toRpcError } from '../../../src/rpc/errors.ts'
import { decodeSubmission } from '../../../src/txpool/decode.ts'
import { encodeTransaction } from '../../../src/types/transactionCodec.ts'
import { codeOf } from '../../support/chains/pool.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'

async function legacyFields(): Promise<Uint8Array[]> {
  const raw = await ALICE.signTransaction({
    type: 'legacy',
    nonce: 0,
    gas: 21_000n,
    gasPrice: 10n ** 9n,
    to: BOB.address,
  })
  return rlpDecode(hexToBytes(raw)) as Uint8Array[]
}

async function legacyWith(changes: Readonly<Record<number, number[]>>): Promise<Uint8Array> {
  const fields = await legacyFields()
  return rlpEncode(fields.map((field, i) => (changes[i] === undefined ? field : Uint8Array.from(changes[i]))))
}

const [V, R, S] = [6, 7, 8] as const
const code = (raw: Uint8Array): string | undefined => codeOf(() => decodeSubmission(raw))

describe("a client's transaction", () => {
  it('is decoded in its canonical form', async () => {
    for (const raw of [await signed(ALICE, { nonce: 3 }), await legacyWith({})]) {
      expect(encodeTransaction(decodeSubmission(raw).transaction)).toEqual(raw)
    }
  })

  it('has invalid parameters when it is not a transaction', async () => {
    const raw = await signed(ALICE, { nonce: 3 })
    const wrong = ['00', '02', '03', '80', 'c0', 'ff'].map(hexToBytes)
    for (const bytes of [...wrong, raw.subarray(0, -1), concatBytes(raw, Uint8Array.of(0))]) {
      expect(code(bytes)).toMatch(/INVALID_PARAMS|UNSUPPORTED_TRANSACTION_TYPE/)
    }
    expect(code(Uint8Array.of(5, 0xc0))).toBe('UNSUPPORTED_TRANSACTION_TYPE')
  })

  it('has invalid parameters when it is not signed', async () => {
    expect(code(await legacyWith({ [R]: [] }))).toBe('INVALID_PARAMS')
    expect(code(await legacyWith({ [S]: [] }))).toBe('INVALID_PARAMS')
    expect(code(await legacyWith({ [R]: [], [S]: [] }))).toBe('INVALID_PARAMS')
  })

  it('is an internal error in Besu when it is empty or has an impossible v', async () => {
    expect(code(new Uint8Array(0))).toBe('UNDECODABLE_TRANSACTION')
    for (const v of [[], [1], [26], [29], [34], [35], [36]]) {
      expect(code(await legacyWith({ [V]: v }))).toBe('UNDECODABLE_TRANSACTION')
    }
    expect(code(await legacyWith({ [V]: [], [R]: [], [S]: [] }))).toBe('UNDECODABLE_TRANSACTION')
    for (const v of [[27], [28], [37]]) expect(code(await legacyWith({ [V]: v }))).toBeUndefined()
  })

  it('is an internal error in Besu when it is a blob transaction with invalid fields', () => {
    expect(code(hexToBytes('03c0'))).toBe('UNDECODABLE_TRANSACTION')
    expect(code(hexToBytes('03c20102'))).toBe('UNDECODABLE_TRANSACTION')
  })

  it('is answered in the wording of each profile', () => {
    let error: unknown
    try {
      decodeSubmission(new Uint8Array(0))
    } catch (caught) {
      error = caught
    }
    expect(toRpcError(error, 'besu')).toEqual({ code: -32603, message: 'Internal error' })
    expect(toRpcError(error, 'geth')).toEqual({ code: -32000, message: 'typed transaction too short' })
  })
})
