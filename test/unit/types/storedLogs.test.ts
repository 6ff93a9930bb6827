import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { logsBloom } from '../../../src/types/bloom.ts'
import type { Log, StoredReceipt } from '../../../src/types/receipt.ts'
import { encodeStoredReceipts } from '../../../src/types/receiptCodec.ts'
import { logAt, StoredLogWalk } from '../../../src/types/storedLogs.ts'
import { Random } from '../../support/host/random.ts'

const random = new Random(11)

function randomReceipt(): StoredReceipt {
  const logs = Array.from({ length: random.below(4) }, () => ({
    address: random.bytes(20),
    topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
    data: random.bytes(random.pick([0, 1, 55, 56, 300, 70_000])),
  }))
  const outcome = random.chance(50) ? { status: random.chance(50) } : { postState: random.bytes(32) }
  const type = random.below(5) as StoredReceipt['type']
  const gas = { cumulativeGasUsed: BigInt(random.below(1e9)), gasUsed: BigInt(random.below(200)) }
  return { type, ...outcome, ...gas, logsBloom: logsBloom(logs), logs, revertReason: random.bytes(random.below(80)) }
}

type FoundLog = [log: string, transactionIndex: number, logIndex: number]

/** Comparing text is faster than comparing long byte strings one by one. */
const textOf = ({ address, topics, data }: Log): string => [address, ...topics, data].map(bytesToHex).join()

function allLogs(bytes: Uint8Array): FoundLog[] {
  const found: FoundLog[] = []
  const walk = new StoredLogWalk(bytes)
  while (walk.next()) {
    walk.locateData()
    found.push([textOf(logAt(walk)), walk.transactionIndex, walk.logIndex])
  }
  return found
}

/** A stored receipt with one log of the given items. */
function withLog(log: Parameters<typeof rlpEncode>[0]): Uint8Array {
  const empty = new Uint8Array(0)
  return rlpEncode([[empty, empty, empty, empty, empty, [log], empty, []]])
}

describe('logs of stored receipts', () => {
  it('are the stored ones, with their positions', () => {
    for (let round = 0; round < 100; round++) {
      const receipts = Array.from({ length: random.below(6) }, randomReceipt)
      const expected = receipts.flatMap(({ logs }, index) => logs.map((log) => [textOf(log), index]))
      expect(allLogs(encodeStoredReceipts(receipts))).toEqual(expected.map(([log, index], at) => [log, index, at]))
    }
  })

  it('are refused when items are inconsistent', () => {
    const whole = encodeStoredReceipts([
      { ...randomReceipt(), logs: [{ address: random.bytes(20), topics: [random.bytes(32)], data: random.bytes(9) }] },
    ])
    const refused = /^invalid (RLP|stored receipt)/
    for (let length = 0; length < whole.length; length++) {
      expect(() => allLogs(whole.subarray(0, length))).toThrow(refused)
    }
    expect(() => allLogs(Uint8Array.of(0x82, 1, 2))).toThrow(refused)
  })

  it('are refused when a log has other items than address, topics and data', () => {
    const [address, topic, data] = [random.bytes(20), random.bytes(32), random.bytes(40)]
    expect(allLogs(withLog([address, [topic], data]))).toHaveLength(1)
    const damaged = [
      [],
      [address],
      [address, [topic]],
      [address, topic, data],
      [address, [topic], data, data],
      [address, [topic], [data]],
      [random.bytes(19), [topic], data],
      [address, [random.bytes(31)], data],
      [address, [random.bytes(33), random.bytes(31)], data],
      [address, [topic, topic, topic, topic, topic], data],
    ]
    for (const log of damaged) expect(() => allLogs(withLog(log))).toThrow(/^invalid (RLP|stored receipt)/)
    expect(() => allLogs(withLog(address))).toThrow(/^invalid stored receipt/)
  })
})
