// slow: recorded chains, and contracts that a compiler made
import { describe, expect, it } from 'vitest'
import { needsData } from '../../support/host/needsData.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { compileFailures, deployFailures } from '../../support/nodes/failures.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { openRecordedChain } from '../../support/recorded/recordedRpc.ts'

type Rpc = <T>(method: string, ...params: readonly unknown[]) => Promise<T>

interface Log {
  readonly structLogs: readonly { readonly stack: unknown; readonly [name: string]: unknown }[]
  readonly failed: boolean
}

interface Steps {
  readonly steps: readonly { readonly frame: number; readonly index: number; readonly [name: string]: unknown }[]
  readonly total: number | null
  readonly failed: boolean | null
  readonly frames: readonly {
    readonly id: number
    readonly firstStep: number | null
    readonly lastStep: number | null
  }[]
}

interface Found {
  readonly index: number
  readonly op: string
}

const OPTIONS = { enableMemory: true, enableReturnData: true }
const WINDOWS = [1, 7, 2000]
/** Steps of executions of which every window is asked for. */
const MOST_STEPS = 200

/** Compares all windows with the trace. */
async function compareSteps(rpc: Rpc, target: unknown, { structLogs, failed }: Log): Promise<void> {
  const expected = structLogs.map(({ error: _, storage: __, memory, ...entry }) => ({
    ...entry,
    memory: `0x${((memory ?? []) as string[]).map((word) => word.slice(2)).join('')}`,
  }))
  for (const count of structLogs.length > MOST_STEPS ? [2000] : WINDOWS) {
    const steps: unknown[] = []
    for (;;) {
      const answer = await rpc<Steps>('debug_traceSteps', target, { from: steps.length, count, memory: true })
      // One comparison for all steps, because there are many.
      expect(answer.steps.map(({ index }) => index)).toEqual(answer.steps.map((_, i) => steps.length + i))
      const frames = new Set(answer.frames.map(({ id }) => id))
      expect(answer.steps.filter(({ frame }) => !frames.has(frame))).toEqual([])
      for (const { index: _, frame: __, memorySize: ___, error: ____, refund, ...step } of answer.steps)
        steps.push({ ...step, ...(refund !== 0 && { refund }) })
      if (answer.total === null) continue
      expect(answer).toMatchObject({ total: structLogs.length, failed })
      if (steps.length === answer.total) break
    }
    expect(steps).toEqual(expected)
  }
}

describe('debug_traceSteps agrees with debug_traceTransaction', () => {
  for (const name of ['london', 'access-list', 'shanghai', 'cancun', 'osaka'])
    it(`on the recorded chain ${name}`, needsData(`besu/${name}`), async () => {
      const genesisFile = recordedPath(`besu/${name}`, 'genesis.json')
      const blocksFile = recordedPath(`besu/${name}`, 'blocks.bin')
      const { chain, send } = await openRecordedChain({ genesisFile, blocksFile, profile: 'geth' })
      const rpc: Rpc = async (method, ...params) => {
        const { body } = await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
        const { result, error } = JSON.parse(body)
        if (error !== undefined) throw new Error(`${method}: ${error.message}`)
        return result
      }
      let compared = 0
      for (let number = 1; number <= Number(chain.head.header.number) && compared < 25; number++) {
        const { transactions } = await rpc<{ transactions: string[] }>(
          'eth_getBlockByNumber',
          `0x${number.toString(16)}`,
          false,
        )
        for (const hash of transactions) {
          await compareSteps(rpc, hash, await rpc<Log>('debug_traceTransaction', hash, OPTIONS))
          compared++
        }
      }
      expect(compared).toBeGreaterThan(0)
    })
})

describe('compiled contracts that fail', () => {
  it('have the steps of debug_traceCall, and a failure that ends a call', async () => {
    const { node, rpc } = await openDevNode()
    const calls = await deployFailures(rpc, compileFailures())
    expect(calls.size).toBeGreaterThan(20)
    for (const call of calls.values()) {
      const target = { call, block: 'latest' }
      await compareSteps(rpc, target, await rpc<Log>('debug_traceCall', call, 'latest', OPTIONS))
      const failure = await rpc<Found | null>('debug_findStep', target, { where: { failure: true } })
      const search = { where: { revert: true }, direction: 'backward' }
      const lastEnd = await rpc<Found | null>('debug_findStep', target, search)
      if (failure === null) {
        expect(lastEnd).toBeNull()
        continue
      }
      const from = failure.index
      expect(await rpc('debug_findStep', target, { ...search, from: from + 1 })).toEqual(failure)
      expect(lastEnd?.index).toBeGreaterThanOrEqual(from)
    }
    await node.close()
  })
})
