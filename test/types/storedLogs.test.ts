import { describe, expect, it } from 'vitest'
import { logsBloom } from '../../src/types/bloom.ts'
import type { Log, StoredReceipt } from '../../src/types/receipt.ts'
import { encodeStoredReceipts } from '../../src/types/receiptCodec.ts'
import { forEachStoredLog } from '../../src/types/storedLogs.ts'
import { Random } from '../support/random.ts'

const random = new Random(11)

function randomReceipt(): StoredReceipt {
  const logs = Array.from({ length: random.below(4) }, () => ({
    address: random.bytes(20),
    topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
    data: random.bytes(random.pick([0, 1, 55, 56, 300])),
  }))
  const outcome = random.chance(50) ? { status: random.chance(50) } : { postState: random.bytes(32) }
  const type = random.below(5) as StoredReceipt['type']
  const gas = { cumulativeGasUsed: BigInt(random.below(1e9)), gasUsed: BigInt(random.below(200)) }
  return { type, ...outcome, ...gas, logsBloom: logsBloom(logs), logs, revertReason: random.bytes(random.below(80)) }
}

describe('logs of stored receipts', () => {
  it('are the stored ones, with their positions', () => {
    for (let round = 0; round < 100; round++) {
      const receipts = Array.from({ length: random.below(6) }, randomReceipt)
      const found: [Log, number, number][] = []
      forEachStoredLog(encodeStoredReceipts(receipts), (...each) => found.push(each))
      const expected = receipts.flatMap(({ logs }, index) => logs.map((log): [Log, number] => [log, index]))
      expect(found).toEqual(expected.map(([log, index], at) => [log, index, at]))
    }
  })

  it('are refused when items are inconsistent', () => {
    const whole = encodeStoredReceipts([
      { ...randomReceipt(), logs: [{ address: random.bytes(20), topics: [], data: random.bytes(9) }] },
    ])
    const refused = /^invalid (RLP|stored receipt)/
    for (let length = 1; length < whole.length; length++) {
      expect(() => forEachStoredLog(whole.subarray(0, length), () => {})).toThrow(refused)
    }
    expect(() => forEachStoredLog(Uint8Array.of(0x82, 1, 2), () => {})).toThrow(refused)
  })
})
