import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { SealingMode } from '../../../src/dev/contract.ts'
import { DevProducer } from '../../../src/dev/devProducer.ts'
import { DevTemplate } from '../../../src/dev/devTemplate.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'
import { admitted, localTransaction, openPool } from '../../support/chains/pool.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { testYield } from '../../support/host/testYield.ts'
import { ALICE, BOB, openDevChain, signed } from '../../support/nodes/devChain.ts'

const START = 1_900_000_000

async function open(mode: SealingMode) {
  const world = new SimulatedWorld(1)
  const { clock, timers } = new Life(world, 'host', START * 1000)
  const chain = await openDevChain({ clock })
  const pool = openPool(chain, { clock })
  const states = { at: (header: typeof chain.head) => chain.stateAt(header) }
  const settings = { coinbase: hexToBytes(BOB.address), extraData: new Uint8Array(0), targetGasLimit: undefined }
  const template = new DevTemplate(settings, clock)
  const ports = { clock, timers, yieldToHost: testYield, logger: silentLogger }
  const producer = new DevProducer({ chain, writer: devWriter(chain), pool, states, template, ...ports, mode })
  const send = async (nonce: number) => admitted(pool, localTransaction(await signed(ALICE, { nonce })))
  /** Timestamp and number of transactions of each block. */
  const blocks = () =>
    Array.from({ length: Number(chain.head.header.number) }, (_, i) => {
      const block = chain.headerByNumber(i + 1)
      return [
        Number(block?.header.timestamp) - START,
        block === undefined ? 0 : chain.body(block.hash)?.transactions.length,
      ]
    })
  return { world, chain, pool, producer, send, blocks }
}

describe('the producer of the dev chain', () => {
  it('produces a block at each interval, with the pending transactions', async () => {
    const { world, producer, send, blocks } = await open({ kind: 'interval', intervalMs: 5000 })
    await send(0)
    await send(1)
    await world.pass(12_000)
    expect(blocks()).toEqual([
      [5, 2],
      [10, 0],
    ])
    await send(2)
    await world.pass(3000)
    expect(blocks().at(-1)).toEqual([15, 1])
    producer.close()
    await world.pass(60_000)
    expect(blocks()).toHaveLength(3)
  })

  it('produces one block per transaction immediately, without timers', async () => {
    const { world, producer, send, blocks } = await open({ kind: 'instant' })
    const outcome = await producer.awaitMined(await send(0))
    expect(outcome).toMatchObject({ kind: 'mined' })
    await world.pass(60_000)
    expect(blocks()).toEqual([[0, 1]])
  })

  it('commits the blocks of transactions that arrive together at once', async () => {
    const { chain, pool, producer } = await open({ kind: 'instant' })
    const commits: number[] = []
    chain.events.on('head', ({ added }) => commits.push(added.length))
    const together = await Promise.all([0, 1, 2].map((nonce) => signed(ALICE, { nonce })))
    // As requests of several connections: one after the other, in the same turn of the event loop.
    const arrive = async (transaction: (typeof together)[number]) => {
      await testYield()
      return producer.awaitMined(await admitted(pool, localTransaction(transaction)))
    }
    const outcomes = await Promise.all(together.map(arrive))
    expect(outcomes).toMatchObject(together.map(() => ({ kind: 'mined' })))
    expect(commits).toEqual([3])
  })

  it('reports that a transaction is waiting when its nonce is too high', async () => {
    const { producer, send, blocks } = await open({ kind: 'instant' })
    expect(await producer.awaitMined(await send(4))).toEqual({ kind: 'waiting' })
    expect(blocks()).toEqual([])
  })

  it('produces nothing while it is off, except on demand', async () => {
    const { world, producer, send, blocks } = await open({ kind: 'off' })
    await send(0)
    await world.pass(60_000)
    expect(blocks()).toEqual([])
    await producer.mine(3n, 10n)
    expect(blocks()).toEqual([
      [60, 1],
      [70, 0],
      [80, 0],
    ])
  })

  it('restores its last interval when it is started again', async () => {
    const { world, producer, blocks } = await open({ kind: 'interval', intervalMs: 1000 })
    producer.stop()
    await world.pass(10_000)
    expect(blocks()).toEqual([])
    producer.start()
    await world.pass(2500)
    expect(blocks()).toHaveLength(2)
  })
})
