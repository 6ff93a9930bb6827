import { beforeAll, describe, expect, it } from 'vitest'
import { scriptEngine } from '../../../../adapters/server/scriptEngine.ts'
import type { SandboxOptions, ScriptEngine, ScriptMachine } from '../../../../src/base/ports/scriptSandbox.ts'
import { closedAfterEach, type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

const COUNT = '{n:0,step(){this.n++},fault(){},result(){return this.n}}'
/** Writes slot 1, then reverts if there is input. */
const CODE = '0x600760015536600a57005b60006000fd'
const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = '0x00000000000000000000000000000000000000aa'

/** Counts the sandboxes: one for each execution of a transaction. */
function counted(engine: ScriptEngine): { readonly engine: ScriptEngine; readonly sandboxes: () => number } {
  let count = 0
  const open = async (): Promise<ScriptMachine> => {
    const machine = await engine.open()
    return {
      sandbox: (options: SandboxOptions) => {
        count++
        return machine.sandbox(options)
      },
    }
  }
  return { engine: { open }, sandboxes: () => count }
}

describe('tracers in JavaScript', () => {
  let node: OpenedNode
  let hashes: string[]
  const traces = counted(scriptEngine)

  beforeAll(async () => {
    node = await openDevNode({ 'no-mining': true }, undefined, { scripts: traces.engine })
    await node.rpc('anvil_setCode', CONTRACT, CODE)
    hashes = []
    for (const data of ['0x', '0x01', '0x']) {
      hashes.push(await node.rpc('eth_sendTransaction', { from: FROM, to: CONTRACT, gas: '0x20000', data }))
    }
    await node.rpc('evm_mine')
    return () => node.node.close()
  })

  it('trace a transaction', async () => {
    const tracer = '{step(){},fault(){},result(ctx){return [ctx.txIndex,toHex(ctx.txHash),ctx.error,ctx.gasUsed]}}'
    const receipt = await node.rpc<{ gasUsed: string }>('eth_getTransactionReceipt', hashes[1])
    expect(await node.rpc('debug_traceTransaction', hashes[1], { tracer })).toEqual([
      1,
      hashes[1],
      'execution reverted',
      Number(receipt.gasUsed),
    ])
  })

  it('trace a block, each transaction with a fresh object', async () => {
    const result = [7, 10, 7].map((count, i) => ({ txHash: hashes[i], result: count }))
    expect(await node.rpc('debug_traceBlockByNumber', 'latest', { tracer: COUNT })).toEqual(result)
  })

  it('name the error of each transaction of a block', async () => {
    const tracer = "{step(){},fault(){throw new Error('no')},result(ctx){return 1}}"
    expect(await node.rpc('debug_traceBlockByNumber', 'latest', { tracer })).toEqual([
      { txHash: hashes[0], result: 1 },
      { txHash: hashes[1], error: "Error: no    in server-side tracer function 'fault'" },
      { txHash: hashes[2], result: 1 },
    ])
  })

  it('see the state before each opcode of each transaction', async () => {
    const tracer = `{r:[],step(l,db){if(l.op.toString()==='SSTORE'||l.op.toString()==='STOP')
      this.r.push(parseInt(toHex(db.getState(l.contract.getAddress(),toWord('0x1')))))},fault(){},result(){return this.r}}`
    const first = await node.rpc('debug_traceTransaction', hashes[0], { tracer })
    const third = await node.rpc('debug_traceTransaction', hashes[2], { tracer })
    expect([first, third]).toEqual([
      [0, 7],
      [7, 7],
    ])
  })

  it('run again with more only when they use more', async () => {
    const before = traces.sandboxes()
    await node.rpc('debug_traceTransaction', hashes[0], { tracer: COUNT })
    expect(traces.sandboxes() - before).toBe(1)
    const tracer =
      '{n:[],step(l){if(l.stack.length()>1)this.n.push(l.stack.peek(1))},fault(){},result(){return this.n}}'
    expect(await node.rpc('debug_traceTransaction', hashes[0], { tracer })).toEqual(['7', '0'])
    expect(traces.sandboxes() - before).toBe(3)
  })

  it('draw the same random numbers each time', async () => {
    const tracer = "{fault(){},result(){return bigInt.randBetween(0,'1'+'0'.repeat(40))}}"
    const [first, second] = [
      await node.rpc<string>('debug_traceTransaction', hashes[0], { tracer }),
      await node.rpc<string>('debug_traceTransaction', hashes[2], { tracer }),
    ]
    expect(first).toBe(second)
    expect(first.length).toBeGreaterThan(30)
  })

  it('get their configuration', async () => {
    const tracer = '{setup(c){this.c=JSON.parse(c)},fault(){},result(){return this.c.deep[0]}}'
    const options = { tracer, tracerConfig: { deep: [5] } }
    expect(await node.rpc('debug_traceTransaction', hashes[0], options)).toBe(5)
  })

  it('trace bundles of calls, each on the state that the preceding one leaves', async () => {
    const tracer = `{r:[],step(l,db){if(l.op.toString()==='SSTORE')
      this.r.push(l.stack.peek(0),db.getNonce(toAddress('${FROM}')))},fault(){},result(){return this.r}}`
    const call = { from: FROM, to: CONTRACT }
    const [bundle] = await node.rpc<unknown[][]>(
      'debug_traceCallMany',
      [{ transactions: [call, call] }],
      { blockNumber: 'latest' },
      { tracer },
    )
    expect(bundle).toHaveLength(2)
    expect(bundle?.[0]).toEqual(['1', 4])
  })
})

describe('without them', () => {
  const open = closedAfterEach()
  const call = { to: CONTRACT }

  it('the option that enables them is named', async () => {
    const { rpc } = await open({ 'rpc-js-tracers': false }, undefined, { scripts: scriptEngine })
    await expect(rpc('debug_traceCall', call, 'latest', { tracer: COUNT })).rejects.toThrow('--rpc-js-tracers')
  })

  it('a runtime without an engine says so, and does not name an option that would not help', async () => {
    for (const isEnabled of [true, false]) {
      const { rpc } = await open({ 'rpc-js-tracers': isEnabled })
      await expect(rpc('debug_traceCall', call, 'latest', { tracer: COUNT })).rejects.toThrow(
        'this runtime has no engine for JavaScript tracers; Node, Deno and Bun have one, and callTracer works here',
      )
    }
  })

  it('a misspelt name of a tracer lists the names', async () => {
    const { rpc } = await open({}, undefined, { scripts: scriptEngine })
    await expect(rpc('debug_traceCall', call, 'latest', { tracer: 'calltracer' })).rejects.toThrow(
      'tracer calltracer is not known; expected callTracer',
    )
  })
})
