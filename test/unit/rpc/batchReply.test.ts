import { expect, it } from 'vitest'
import { BatchRunner } from '../../../src/rpc/batchReply.ts'
import { OutboundBudget } from '../../../src/rpc/connection/outboundBudget.ts'
import { NO_ANSWER } from '../../../src/rpc/reply.ts'
import { RpcRequestContext } from '../../../src/rpc/requestContext.ts'

const LENGTH = 10_000

/** Returns the memory that the answers of a batch count for while it runs, in bytes per character. */
async function countedBytes(character: string): Promise<number> {
  const yieldToHost = (): Promise<void> => Promise.resolve()
  const clock = { monotonic: () => 0 }
  const timers = { schedule: () => ({ cancel: () => {} }) }
  const budget = new OutboundBudget({ clock, yieldToHost, timers })
  const outbound = budget.open({ end: () => {} })
  const context = new RpcRequestContext({ groups: new Set(), outbound, streams: false })
  let most = 0
  const answer = () => {
    most = Math.max(most, budget.total)
    return { status: 200 as const, body: character + 'a'.repeat(LENGTH - 1) }
  }
  const first = Promise.resolve(NO_ANSWER)
  await new BatchRunner(clock, yieldToHost).run({ context, count: 4, bytes: 0, answer }, 0, '', first)
  context.release()
  expect(budget.total).toBe(0)
  return most / (2 * LENGTH + 1)
}

it('counts the memory of the answers of a batch', async () => {
  expect(await countedBytes('é')).toBe(1)
  expect(await countedBytes('…')).toBe(2)
})
