import { describe, expect, it } from 'vitest'
import type { LogView } from '../../../src/api/viewTypes.ts'
import { LogText } from '../../../src/rpc/codecs/logText.ts'
import { serializeLog } from '../../../src/rpc/codecs/receipt.ts'
import { Random } from '../../support/random.ts'

function randomView(random: Random): LogView {
  return {
    log: {
      address: random.bytes(20),
      topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
      data: random.bytes(random.pick([0, 1, 32, 33, 1000, 70_000])),
    },
    blockNumber: BigInt(random.pick([0, 1, 15, 16, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER])),
    blockHash: random.bytes(32),
    transactionHash: random.bytes(32),
    transactionIndex: random.below(3000),
    logIndex: random.below(100_000),
    removed: random.chance(50),
  }
}

describe('LogText', () => {
  it.each([0, 1, 2, 40])('writes the JSON of %i logs like JSON.stringify', (count) => {
    const random = new Random(count + 1)
    const views = Array.from({ length: count }, () => randomView(random))
    const text = new LogText()
    for (const view of views) text.add(view)
    expect(text.count).toBe(count)
    expect(text.result().text).toBe(JSON.stringify(views.map(serializeLog)))
  })
})
