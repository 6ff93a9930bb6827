import { describe, expect, it } from 'vitest'
import { POOL_SWEEP_INTERVAL_MS } from '../../../src/base/limits/limits.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Life, SimulatedWorld } from '../../simulation/world.ts'
import { admitted, localTransaction, openPool } from '../../support/chains/pool.ts'
import { ALICE, BOB, openDevChain, signed } from '../../support/nodes/devChain.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const HOUR_MS = 3_600_000

describe('the age limit of the pool', () => {
  it('drops transactions that have waited longer, and keeps the others', async () => {
    const world = new SimulatedWorld(1)
    const { clock } = new Life(world, 'host', Date.UTC(2030, 0, 1))
    const pool = openPool(await openDevChain({ clock }), { clock, settings: { retentionMs: HOUR_MS } })
    const dropped: unknown[] = []
    pool.events.on('dropped', ({ pooled, reason }) => dropped.push([pooled.transaction.nonce, reason]))
    admitted(pool, localTransaction(await signed(ALICE, { nonce: 0 })))
    await world.pass(HOUR_MS / 2)
    admitted(pool, localTransaction(await signed(BOB, { nonce: 3 })))
    await world.pass(HOUR_MS / 2 - 1000)
    pool.sweep()
    expect(pool.size).toBe(2)
    await world.pass(2000)
    pool.sweep()
    expect(dropped).toEqual([[0n, expect.any(String)]])
    await world.pass(HOUR_MS)
    pool.sweep()
    expect(pool.size).toBe(0)
  })

  it('counts from the first admission of a transaction, even across a restart', async () => {
    const world = new SimulatedWorld(1)
    const { clock } = new Life(world, 'host', Date.UTC(2030, 0, 1))
    const pool = openPool(await openDevChain({ clock }), { clock, settings: { retentionMs: HOUR_MS } })
    admitted(pool, localTransaction(await signed(ALICE, { nonce: 0 })), clock.now() - HOUR_MS + 1000)
    await world.pass(2000)
    pool.sweep()
    expect(pool.size).toBe(0)
  })
})

describe('the sweeps of a node', () => {
  it('run once a minute while transactions are waiting, and end with the last one', async () => {
    const world = new SimulatedWorld(1)
    const { clock, timers } = new Life(world, 'host', Date.UTC(2030, 0, 1))
    const { node, rpc } = await openDevNode({ 'tx-pool-retention-hours': 1 }, new MemoryStore(), { clock, timers })
    await world.pass(HOUR_MS)
    const before = world.events
    await rpc('eth_sendRawTransaction', bytesToHex(await signed(ALICE, { nonce: 3 })))
    await world.pass(HOUR_MS - 1)
    expect(await rpc('txpool_status')).toMatchObject({ queued: '0x1' })
    expect(world.events - before).toBe(HOUR_MS / POOL_SWEEP_INTERVAL_MS)
    await world.pass(2 * POOL_SWEEP_INTERVAL_MS)
    expect(await rpc('txpool_status')).toMatchObject({ queued: '0x0' })
    const after = world.events
    await world.pass(HOUR_MS)
    expect(world.events - after).toBe(1)
    await node.close()
  })
})
