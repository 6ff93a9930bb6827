/** Traces of a node that stores its chain on disk: they run on threads in every runtime. */
import { describe, expect, it } from 'vitest'
import {
  type ProgramRuntime,
  RUNTIMES,
  type RunningNode,
  startNode,
  temporaryDirectory,
} from '../support/nodes/program.ts'

const ENDLESS = '0x00000000000000000000000000000000000000bb'
/** JUMPDEST PUSH1 0 JUMP */
const ENDLESS_CODE = '0x5b600056'
const ENDLESS_TRACE = [{ to: ENDLESS, gas: '0xffffffffff' }, 'latest', { tracer: 'callTracer' }]
/** Less than the five seconds that other requests have to end. */
const STOP_MS = 4500

async function start(runtime: ProgramRuntime): Promise<RunningNode> {
  const node = await startNode([`--data-path=${temporaryDirectory()}`, '--rpc-call-gas-cap=0'], { runtime })
  await node.rpc('anvil_setCode', [ENDLESS, ENDLESS_CODE])
  return node
}

describe.each(RUNTIMES)('traces on %s', (runtime) => {
  it('see previous transactions, keep the node responsive, and do not delay its stop', async () => {
    const node = await start(runtime)
    const [from] = await node.rpc<string[]>('eth_accounts')
    for (let i = 0; i < 3; i++) {
      const hash = await node.rpc('eth_sendTransaction', [{ from, to: from }])
      expect(await node.rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
        from,
        to: from,
      })
    }
    const endless = node.rpc('debug_traceCall', ENDLESS_TRACE).then(
      () => 'answered',
      (error: Error) => error.message,
    )
    for (let i = 0; i < 50; i++) expect(await node.rpc('eth_blockNumber')).toBe('0x3')
    const begun = performance.now()
    expect((await node.stop()).code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(STOP_MS)
    expect(await endless).toMatch(/execution aborted/)
  })

  it('keep the node responsive while a tracer in JavaScript never ends', async () => {
    const node = await start(runtime)
    const tracer = '{step(){},fault(){},result(){for(;;){}}}'
    let isTracing = true
    const traced = node
      .rpc('debug_traceCall', [{ to: ENDLESS, gas: '0x9000' }, 'latest', { tracer, timeout: '2s' }])
      .catch((error: Error) => error.message)
      .finally(() => {
        isTracing = false
      })
    for (let i = 0; i < 5; i++) expect(await node.rpc('eth_blockNumber')).toBe('0x0')
    expect(isTracing).toBe(true)
    expect(await traced).toBe('execution timeout: the tracer ran for longer than its timeout of 2000 ms')
    await node.stop()
  })
})
