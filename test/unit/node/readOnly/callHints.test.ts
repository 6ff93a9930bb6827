import { describe, expect, test } from 'vitest'
import type { MissCause, MissRequest, Residency } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { CallHints } from '../../../../src/node/readOnly/callHints.ts'
import { keys } from '../../../../src/storage/schema.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const account = (byte: number): Uint8Array => keys.flatAccount(keccak256(address(byte)))
const code = keys.code(new Uint8Array(32).fill(0xc0))
const slot = (byte: number): Uint8Array =>
  keys.flatStorage(keccak256(address(2)), 0, keccak256(new Uint8Array(32).fill(byte)))

const call = (data = '0x70a08231', to: Uint8Array | undefined = address(2)): MissCause => ({
  sender: address(1),
  to,
  value: 0n,
  data: hexToBytes(data),
  beneficiary: address(9),
})

function open(fails: (wanted: readonly Uint8Array[]) => boolean = () => false) {
  const loads: string[][] = []
  const residency: Residency = {
    async load(request) {
      const wanted = request.kind === 'keys' ? request.keys : []
      loads.push([...new Set(wanted.map((key) => bytesToHex(key)))].sort())
      if (fails(wanted)) throw new Error('the store is down')
    },
  }
  const hinted = new CallHints().over(residency)
  return { loads, load: (wanted: Uint8Array[], cause?: MissCause) => hinted.load(ofKeys(wanted), cause) }
}

const ofKeys = (wanted: Uint8Array[]): MissRequest => ({ kind: 'keys', keys: wanted })
const names = (...wanted: Uint8Array[]): string[] => wanted.map((key) => bytesToHex(key)).sort()

describe('reads ahead of calls', () => {
  test('load the target with the sender, and what the same function needed before', async () => {
    const { loads, load } = open()
    await load([account(1)], call())
    await load([code], call())
    await load([slot(5)], call())
    await load([account(1)], call('0x70a0823100ff'))
    await load([account(1)], call('0xa9059cbb'))
    await load([account(1)], call('0x70a08231', address(3)))
    expect(loads[0]).toEqual(names(account(1), account(2)))
    expect(loads[3]).toEqual(names(account(1), account(2), code, slot(5)))
    expect(loads[4]).toEqual(names(account(1), account(2)))
    expect(loads[5]).toEqual(names(account(1), account(3)))
  })

  test('keep few slots, since these depend on the arguments', async () => {
    const { loads, load } = open()
    for (let i = 0; i < 30; i++) await load([slot(i)], call())
    expect(loads.at(-1)).toEqual(names(account(2), ...Array.from({ length: 9 }, (_, i) => slot(21 + i))))
  })

  test('change nothing for what is not the state at the head, without a message, and for creations', async () => {
    const { loads, load } = open()
    const node = keys.trieNode(1, new Uint8Array(0), new Uint8Array(2))
    await load([node], call())
    await load([account(1)])
    await load([account(1)], { ...call(), to: undefined })
    expect(loads).toEqual([names(node), names(account(1)), names(account(1))])
  })

  test('do not fail a call that does not need them', async () => {
    const { loads, load } = open((wanted) => wanted.length > 1)
    await load([account(1)], call())
    expect(loads).toEqual([names(account(1), account(2)), names(account(1))])
  })
})
