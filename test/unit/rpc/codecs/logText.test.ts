// slow: generated logs
import { describe, expect, it } from 'vitest'
import { LogViews } from '../../../../src/api/logScan.ts'
import { MAX_LOG_TEXT_LENGTH } from '../../../../src/base/limits/limits.ts'
import { LogText } from '../../../../src/rpc/codecs/logText.ts'
import { serializeLog } from '../../../../src/rpc/codecs/receipt.ts'
import { StoredLogWalk } from '../../../../src/types/storedLogs.ts'
import { storedLogs } from '../../../support/chains/storedLogs.ts'
import { Random } from '../../../support/host/random.ts'

const LENGTHS = [0, 1, 32, 33, 1000, 16_383, 16_384, 16_385, 70_000]

function randomBlock(random: Random, logs: number) {
  const transactions = Array.from({ length: logs === 0 ? 0 : 1 + random.below(3) }, () => {
    return { hash: random.bytes(32), logs: [] as ReturnType<typeof randomLog>[] }
  })
  for (let i = 0; i < logs; i++) random.pick(transactions).logs.push(randomLog(random))
  const number = random.pick([0, 1, 15, 16, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER])
  return storedLogs({ number, blockHash: random.bytes(32), transactions })
}

function randomLog(random: Random) {
  return {
    address: random.bytes(20),
    topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
    data: random.bytes(random.pick(LENGTHS)),
  }
}

describe('LogText', () => {
  it.each([0, 1, 2, 40])('writes the JSON of %i logs per block like JSON.stringify', (count) => {
    const random = new Random(count + 1)
    const text = new LogText()
    const views = new LogViews()
    for (let i = 0; i < 10; i++) {
      const block = randomBlock(random, count)
      const removed = random.chance(50)
      const walk = new StoredLogWalk(block.receipts)
      while (walk.next()) {
        walk.locateData()
        for (const collector of [text, views]) collector.add(walk, block, removed)
      }
    }
    expect(text.count).toBe(10 * count)
    expect(text.result().text).toBe(JSON.stringify(views.views.map(serializeLog)))
  })

  it('writes the same for logs that were asked for before, alone or with others', () => {
    const random = new Random(7)
    const blocks = Array.from({ length: 5 }, () => randomBlock(random, 20))
    for (let round = 0; round < 6; round++) {
      const text = new LogText()
      const views = new LogViews()
      for (const block of blocks) {
        const removed = random.chance(20)
        const walk = new StoredLogWalk(block.receipts)
        while (walk.next()) {
          if (random.chance(50)) continue
          walk.locateData()
          for (const collector of [text, views]) collector.add(walk, block, removed)
        }
      }
      expect(text.result().text).toBe(JSON.stringify(views.views.map(serializeLog)))
    }
  })

  it('refuses a text that is too long, or for which there is no space', () => {
    const data = new Uint8Array(2 ** 20)
    const block = storedLogs({
      number: 1,
      blockHash: new Uint8Array(32),
      transactions: [{ hash: new Uint8Array(32), logs: [{ address: new Uint8Array(20), topics: [], data }] }],
    })
    const fill = (text: LogText) => {
      const walk = new StoredLogWalk(block.receipts)
      walk.next()
      walk.locateData()
      for (let i = 0; i < MAX_LOG_TEXT_LENGTH / 2 ** 21 + 1; i++) text.add(walk, block, false)
    }
    const code = (code: string) => expect.objectContaining({ details: { code } })
    let held = 0
    const hold = (bytes: number) => {
      held += bytes
      return held < 2 ** 23
    }
    expect(() => fill(new LogText(hold))).toThrow(code('RESPONSE_TOO_LARGE'))
    expect(() => fill(new LogText())).toThrow(code('RANGE_TOO_LARGE'))
  })
})
