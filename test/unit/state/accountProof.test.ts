import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { proof } from '../../../src/rpc/codecs/proof.ts'
import { verifyAccountProof } from '../../../src/state/accountProof.ts'
import type { StateReader } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Random } from '../../support/host/random.ts'
import { thrown } from '../../support/host/thrown.ts'
import { changedAnswers } from '../../support/remote/changedAnswers.ts'

const random = new Random(3)
const ADDRESSES = Array.from({ length: 40 }, () => random.bytes(20))
const SLOTS = Array.from({ length: 20 }, () => random.bytes(32))
const ABSENT = new Uint8Array(20).fill(0xee)
const OWNER = ADDRESSES[3] as Uint8Array

function stateOf(): StateReader {
  const store = new StateStore(new MemoryStore())
  const state = store.mutable(EMPTY_STATE_ROOT)
  for (const [i, address] of ADDRESSES.entries()) {
    state.setBalance(address, BigInt(i) * 10n ** 18n + 1n)
    state.setNonce(address, BigInt(i))
    if (i % 3 === 0) state.setCode(address, random.bytes(100))
  }
  for (const [i, slot] of SLOTS.entries()) state.setStorage(OWNER, slot, random.bytes(32).fill(0, 0, i))
  return store.reader(store.detach(state))
}

const state = stateOf()
const root = state.root.hash

function answer(address: Uint8Array, slots: readonly Uint8Array[]): Record<string, unknown> {
  const view = { address, proof: state.prove(address, slots), keys: slots.map(bytesToHex) }
  return JSON.parse(JSON.stringify(proof.serialize(view))) as Record<string, unknown>
}

describe('verifyAccountProof', () => {
  it('gives what the state has', () => {
    const slots = [...SLOTS, new Uint8Array(32)]
    const proven = verifyAccountProof(root, OWNER, slots, answer(OWNER, slots))
    expect(proven.account).toMatchObject({ balance: 3n * 10n ** 18n + 1n, nonce: 3n })
    expect(proven.values).toEqual(slots.map((slot) => state.getStorage(OWNER, slot)))
    for (const address of ADDRESSES) {
      const { nonce, balance, codeHash } = state.getAccount(address) ?? {}
      const { account } = verifyAccountProof(root, address, [], answer(address, []))
      expect(account).toMatchObject({ nonce, balance, codeHash })
    }
  })

  it('proves the absence of an account and of its slots', () => {
    const [slot] = SLOTS as [Uint8Array]
    const absent = answer(ABSENT, [slot])
    const nothing = { account: undefined, values: [new Uint8Array(32)] }
    expect(verifyAccountProof(root, ABSENT, [slot], absent)).toEqual(nothing)
    const zeros = { ...absent, codeHash: `0x${'0'.repeat(64)}`, storageHash: `0x${'0'.repeat(64)}` }
    expect(verifyAccountProof(root, ABSENT, [slot], zeros)).toEqual(nothing)
    expect(verifyAccountProof(EMPTY_TRIE_ROOT, ABSENT, [slot], { ...absent, accountProof: [] })).toEqual(nothing)
  })

  it('accepts keys with and without leading zeros', () => {
    const zero = new Uint8Array(32)
    for (const key of ['0x0', '0x', '0x00', bytesToHex(zero)]) {
      const given = answer(OWNER, [zero])
      const [first] = given.storageProof as [Record<string, unknown>]
      const changed = { ...given, storageProof: [{ ...first, key }] }
      expect(verifyAccountProof(root, OWNER, [zero], changed).values).toEqual([zero])
    }
  })

  it('refuses every change of an answer', () => {
    const slots = [...SLOTS.slice(0, 3), new Uint8Array(32)]
    for (const address of [OWNER, ABSENT]) {
      const given = answer(address, slots)
      for (const changed of changedAnswers(given, new Random(9), 400)) {
        const error = thrown(() => verifyAccountProof(root, address, slots, changed.answer))
        expect(error, changed.path).toMatchObject({ code: 'PROOF_INVALID' })
        expect(error.message).toContain(`account ${bytesToHex(address)}`)
      }
    }
  })

  it('names the datum that is wrong', () => {
    const slots = SLOTS.slice(0, 2)
    const given = answer(OWNER, slots)
    const name = `account ${bytesToHex(OWNER)}`
    const refusal = (changes: object) =>
      thrown(() => verifyAccountProof(root, OWNER, slots, { ...given, ...changes })).message
    expect(refusal({ balance: '0x5' })).toBe(
      `the proof of balance of ${name} is invalid: it is 3000000000000000001, not 5`,
    )
    expect(refusal({ nonce: 3 })).toBe(`the proof of ${name} is invalid: nonce is not a number`)
    expect(refusal({ address: bytesToHex(ABSENT) })).toBe(`the proof of ${name} is invalid: it is for another address`)
    expect(refusal({ storageProof: [] })).toBe(`the proof of ${name} is invalid: 0 slots, not 2`)
    const [first, second] = given.storageProof as [Record<string, unknown>, Record<string, unknown>]
    const slot = `slot ${bytesToHex(slots[1] as Uint8Array)} of ${name}`
    expect(refusal({ storageProof: [first, first] })).toBe(`the proof of ${slot} is invalid: it is for another slot`)
    expect(refusal({ storageProof: [first, { ...second, value: '0x7' }] })).toContain(`value of ${slot}`)
  })

  it('refuses leaves that hold no account or no slot', () => {
    const leafProof = (key: Uint8Array, value: Uint8Array) => {
      const node = rlpEncode([Uint8Array.of(0x20, ...keccak256(key)), value])
      return { hash: keccak256(node), nodes: [bytesToHex(node)] }
    }
    const claim = (accountProof: string[], storageHash: Uint8Array, storageProof: unknown[]) => ({
      address: bytesToHex(OWNER),
      nonce: '0x0',
      balance: '0x0',
      codeHash: bytesToHex(EMPTY_CODE_HASH),
      storageHash: bytesToHex(storageHash),
      accountProof,
      storageProof,
    })
    const zeroNonce = rlpEncode([Uint8Array.of(0), Uint8Array.of(), EMPTY_TRIE_ROOT, EMPTY_CODE_HASH])
    for (const value of [hexToBytes('0xc0'), rlpEncode([OWNER, OWNER]), zeroNonce]) {
      const { hash, nodes } = leafProof(OWNER, value)
      const error = thrown(() => verifyAccountProof(hash, OWNER, [], claim(nodes, EMPTY_TRIE_ROOT, [])))
      expect(error.message).toContain('the leaf is not an account')
    }
    const [slot] = SLOTS as [Uint8Array]
    for (const value of [rlpEncode(new Uint8Array(33)), rlpEncode([]), hexToBytes('0x820001')]) {
      const storage = leafProof(slot, value)
      const account = rlpEncode([new Uint8Array(0), new Uint8Array(0), storage.hash, EMPTY_CODE_HASH])
      const { hash, nodes } = leafProof(OWNER, account)
      const entry = { key: bytesToHex(slot), value: '0x1', proof: storage.nodes }
      const error = thrown(() => verifyAccountProof(hash, OWNER, [slot], claim(nodes, storage.hash, [entry])))
      expect(error.message).toMatch(/the leaf is not a slot|not minimal/)
    }
  })
})
