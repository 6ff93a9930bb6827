/** Tracers in JavaScript, one after another: the memory of their engines returns. */
import process from 'node:process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptEngine } from '../../adapters/server/scriptEngine.ts'
import { eventually } from '../support/host/eventually.ts'
import { garbageCollector } from '../support/host/garbageCollector.ts'
import { openDevNode } from '../support/nodes/devNodeInMemory.ts'
import { CODE, FILLING, inResult, inStep } from '../unit/tracing/js/hostileTracers.ts'
import { longCount } from './count.ts'

const MIB = 1024 * 1024
const TO = '0x00000000000000000000000000000000000000aa'
/** Tracers that run before the first measurement. */
const WARM_UP = { filling: 3, small: 50 }
const SMALL_FOR_EACH_FILLING = 12

const collect = garbageCollector()
const rounds = Math.min(longCount, 400)

let dev: Awaited<ReturnType<typeof openDevNode>>
beforeAll(async () => {
  dev = await openDevNode({}, undefined, { scripts: { ...scriptEngine, isOnOwnThread: true } })
})
afterAll(() => dev.node.close())

function run(tracer: string): Promise<unknown> {
  const stateOverrides = { [TO]: { code: CODE } }
  return dev.rpc('debug_traceCall', { to: TO }, 'latest', { tracer, stateOverrides, timeout: '30s' })
}

/** Memory of engines is freed by finalizers, some turns after the collection. */
async function residentBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  return process.memoryUsage().rss
}

const expectMemoryBelow = (bytes: number): Promise<void> =>
  eventually(async () => expect(await residentBytes()).toBeLessThan(bytes))

it('memory returns after tracers that fill it', async () => {
  const tracer = inStep('var a=[];while(1)a.push(new Uint8Array(1<<20))')
  const fill = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await expect(run(tracer)).rejects.toThrow(/memory|without a pause/)
  }
  await fill(WARM_UP.filling)
  const before = await residentBytes()
  await fill(rounds)
  await expectMemoryBelow(before + 200 * MIB)
})

it('hundreds of tracers in sequence leave no memory behind', async () => {
  const trace = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) expect(await run(inResult(`return ${i}`))).toBe(i)
  }
  await trace(WARM_UP.small)
  const before = await residentBytes()
  await trace(SMALL_FOR_EACH_FILLING * rounds)
  await expectMemoryBelow(before + 100 * MIB)
})

it.each(Object.entries(FILLING))('%s is refused', async (_, [tracer, error]) => {
  await expect(run(tracer)).rejects.toThrow(new RegExp(error, 'i'))
  expect(await run(inResult('return 7'))).toBe(7)
})
