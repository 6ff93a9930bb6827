// slow: each tracer runs until it is stopped
import { afterAll, describe, expect, it } from 'vitest'
import { scriptEngine } from '../../../../adapters/server/scriptEngine.ts'
import { JS_TRACER_SHARED_CALL_MS, MAX_JS_TRACER_LENGTH } from '../../../../src/base/limits/limits.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import {
  ABSENT,
  CALLING_CODE,
  CODE,
  calling,
  inLastStep,
  inResult,
  inStep,
  MISUSES,
  REFUSED,
  STOPPED,
} from './hostileTracers.ts'

/** Short, because each of them is waited for. */
const TIMEOUT_MS = 30

describe('hostile tracers', async () => {
  const { rpc, node } = await openDevNode({}, undefined, {
    scripts: { ...scriptEngine, isOnOwnThread: true },
  })
  const to = '0x00000000000000000000000000000000000000aa'
  const stateOverrides = { [to]: { code: CODE } }
  const run = (tracer: string, timeout = '30s'): Promise<unknown> =>
    rpc('debug_traceCall', { to }, 'latest', { tracer, stateOverrides, timeout })
  afterAll(() => node.close())

  it.each(Object.entries(STOPPED))('%s is stopped', { timeout: 60_000 }, async (_, tracer) => {
    await expect(run(tracer, `${TIMEOUT_MS}ms`)).rejects.toThrow(/execution timeout|execution aborted|memory/)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  it.each(['enter', 'exit', 'fault', 'setup'])(
    'an endless loop in %s is stopped',
    { timeout: 60_000 },
    async (place) => {
      const overrides = { [to]: { code: CALLING_CODE } }
      const options = {
        tracer: calling(`${place}(){while(1);}`),
        stateOverrides: overrides,
        timeout: `${TIMEOUT_MS}ms`,
      }
      // On a busy machine, the time may be over before the tracer has begun.
      await expect(rpc('debug_traceCall', { to }, 'latest', options)).rejects.toThrow(
        new RegExp(`the tracer ran for longer than its timeout of ${TIMEOUT_MS} ms|execution aborted \\(timeout`),
      )
    },
  )

  it('a tracer that keeps its thread busy is stopped before its timeout', { timeout: 60_000 }, async () => {
    const shared = await openDevNode({}, undefined, { scripts: scriptEngine })
    const traced = shared.rpc('debug_traceCall', { to }, 'latest', { tracer: inResult('while(1);') })
    await expect(traced).rejects.toThrow(
      `execution timeout: the tracer ran for ${JS_TRACER_SHARED_CALL_MS} ms without a pause`,
    )
  })

  it('a tracer of 10 MB is refused before it runs', async () => {
    const tracer = inResult(`return "${'x'.repeat(10 << 20)}"`)
    await expect(run(tracer)).rejects.toThrow(`tracer: expected at most ${MAX_JS_TRACER_LENGTH} characters`)
  })

  it.each(Object.entries(MISUSES))('%s does no harm', { timeout: 60_000 }, async (_, [tracer, outcome]) => {
    const answer = await run(tracer).then(
      (result) => JSON.stringify(result),
      (error: Error) => error.message,
    )
    if (typeof outcome === 'string') expect(answer).toBe(outcome)
    else expect(answer).toMatch(outcome)
    expect(answer).not.toMatch(/node_modules|\/adapters\/|\/src\/|file:|internal/)
    expect(await run(inResult('return 7'))).toBe(7)
  })

  it('errors and stacks show nothing of the host', async () => {
    const stack = (await run(inResult('try{null.x}catch(e){return e.stack}'))) as string
    expect(stack).toMatch(/tracer|input/)
    expect(stack).not.toMatch(/node_modules|adapters|file:|\.ts|\.c?js/)
  })

  it('a wait for another thread ends', { timeout: 60_000 }, async () => {
    const tracer = inStep('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0)')
    await expect(run(tracer, `${TIMEOUT_MS}ms`)).rejects.toThrow(/not defined|cannot block|timeout|memory|allowed/i)
  })

  it.each(Object.entries(REFUSED))('%s is refused', { timeout: 60_000 }, async (_, [tracer, error]) => {
    await expect(run(tracer)).rejects.toThrow(new RegExp(error, 'i'))
    expect(await run(inResult('return 7'))).toBe(7)
  })

  it.each(ABSENT)('%s is undefined', async (expression) => {
    expect(await run(inLastStep(expression))).toBe('undefined')
  })

  it('a tracer leaves nothing behind for the next one', async () => {
    expect(await run(inStep('globalThis.left=1;Object.prototype.left=1;Array.prototype.map=0;JSON.stringify=0'))).toBe(
      1,
    )
    expect(await run(inResult('return [typeof left, ({}).left === undefined, typeof [].map]'))).toEqual([
      'undefined',
      true,
      'function',
    ])
  })

  it('a prototype that a tracer changes is its own', async () => {
    const tracer =
      '{step(){Uint8Array.prototype.slice=function(){this.buffer.transfer&&this.buffer.transfer();return this}},fault(){},result(ctx){return 1}}'
    expect(await run(tracer)).toBe(1)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(({} as { left?: unknown }).left).toBeUndefined()
  })
})
