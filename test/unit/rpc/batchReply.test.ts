import process from 'node:process'
import { expect, it } from 'vitest'
import type { ByteStream } from '../../../src/base/primitives/byteStream.ts'
import { BatchRunner } from '../../../src/rpc/batchReply.ts'
import { type OutboundAccount, OutboundBudget } from '../../../src/rpc/connection/outboundBudget.ts'
import type { Reply } from '../../../src/rpc/reply.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'
import { garbageCollector } from '../../support/host/garbageCollector.ts'
import { notOnBun } from '../../support/host/needs.ts'

const LENGTH = 10_000
const MIB = 1024 * 1024
const clock = { monotonic: () => 0 }
const yieldToHost = (): Promise<void> => Promise.resolve()
const timers = { schedule: () => ({ cancel: () => {} }) }

/** The stream of a batch of `count` requests, each of which takes `bytes / count` of memory. */
async function openBatch(outbound: OutboundAccount, count: number, bytes: number, body: () => string) {
  const context = new RpcRequestContext({ groups: new Set(), outbound })
  const answer = (): Reply => ({ status: 200, body: body() })
  const { stream } = await new BatchRunner(clock, yieldToHost).run({ context, count, bytes, answer }, 1, '')
  await settle()
  return stream as ByteStream
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

/** Returns the memory that the answers of a batch count for while it runs, in bytes per character. */
async function countedBytes(character: string): Promise<number> {
  const budget = new OutboundBudget({ clock, yieldToHost, timers })
  const outbound = budget.open({ end: () => {} })
  const context = new RpcRequestContext({ groups: new Set(), outbound, streams: false })
  let most = 0
  const answer = () => {
    most = Math.max(most, budget.total)
    return { status: 200 as const, body: character + 'a'.repeat(LENGTH - 1) }
  }
  await new BatchRunner(clock, yieldToHost).run({ context, count: 4, bytes: 0, answer }, 1, '')
  context.release()
  expect(budget.total).toBe(0)
  return most / (2 * LENGTH + 1)
}

it('counts the memory of the answers of a batch', async () => {
  expect(await countedBytes('é')).toBe(1)
  expect(await countedBytes('…')).toBe(2)
})

it('streams answers of any length to a peer that reads, and counts all that waits for one that does not', async () => {
  const budget = new OutboundBudget({ clock, yieldToHost, timers })
  const stream = await openBatch(budget.open({ end: () => {} }), 4, 1000, () => 'a'.repeat(2 * MIB))
  expect(budget.total).toBe(1000 + '['.length + 2 * MIB)
  let length = 0
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) length += chunk.length
  expect(length).toBe('[,,]'.length + 3 * 2 * MIB)
  expect(budget.total).toBe(0)
})

it('goes on with a batch only below a quarter of the budget', async () => {
  const budget = new OutboundBudget({ clock, yieldToHost, timers, maxBytes: 4 * MIB })
  const other = budget.open({ end: () => {} })
  other.add(MIB)
  let answered = 0
  const body = (): string => {
    answered++
    return 'a'.repeat(100_000)
  }
  const stream = await openBatch(budget.open({ end: () => {} }), 4, 1000, body)
  await stream.read()
  await stream.read()
  void stream.read()
  await settle()
  expect(answered).toBe(1)
  other.sent(MIB)
  await settle()
  expect(answered).toBe(3)
})

it('ends a batch that waits for room when others need the memory', async () => {
  const checks: (() => void)[] = []
  let now = 0
  const checking = { schedule: (_: number, run: () => void) => ({ cancel: () => {}, at: checks.push(run) }) }
  const options = { clock: { monotonic: () => now }, yieldToHost, timers: checking, maxBytes: 8 * MIB }
  const budget = new OutboundBudget(options)
  const ended: number[] = []
  for (let i = 0; i < 4; i++) {
    const account = budget.open({ end: () => ended.push(i) })
    const stream = await openBatch(account, 4, MIB, () => 'a'.repeat(100_000))
    await stream.read()
    await stream.read()
    void stream.read()
    await settle()
  }
  now = 60_000
  for (const check of checks.splice(0)) check()
  await settle()
  expect(ended.length).toBeGreaterThan(0)
  expect(budget.total).toBeLessThan(budget.idleLimit)
})

it('keeps no text of an answer that waits for its reader', notOnBun, async () => {
  const collect = garbageCollector()
  const heap = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const budget = new OutboundBudget({ clock, yieldToHost, timers })
  const streams: ByteStream[] = []
  const before = heap()
  for (let i = 0; i < 16; i++) {
    streams.push(await openBatch(budget.open({ end: () => {} }), 4, 0, () => `${i}`.padEnd(2 * MIB)))
  }
  expect(heap() - before).toBeLessThan(4 * MIB)
  expect(streams.length).toBe(16)
})
