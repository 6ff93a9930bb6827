/** Behaviour of the methods when a block cannot be executed again, and when the answer is no longer awaited. */
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_API_OPTIONS } from '../../../../src/api/options.ts'
import type { RpcProfile } from '../../../../src/api/profile.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { JsonWriter } from '../../../../src/base/primitives/jsonWriter.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import { createSchedule } from '../../../../src/consensus/createSchedule.ts'
import { invoke } from '../../../../src/rpc/invoke.ts'
import type { MethodDefinition, RequestContext } from '../../../../src/rpc/method.ts'
import { traceMethods } from '../../../../src/rpc/methods/trace/index.ts'
import type { StreamedResult } from '../../../../src/rpc/streamedResult.ts'
import type { BlockTracing } from '../../../../src/tracing/contract.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../../../support/nodes/devChain.ts'

const BLOCKS = 5

/** Traces nothing and records the requested blocks. */
class FakeTracing implements Partial<BlockTracing> {
  readonly asked: number[] = []
  readonly #keeps: boolean

  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  canTrace(): boolean {
    return this.#keeps
  }

  async block({ header }: Parameters<BlockTracing['block']>[0]): Promise<void> {
    this.asked.push(Number(header.number))
  }
}

describe('trace_*', () => {
  let chain: Chain
  let hash: string

  beforeAll(async () => {
    chain = await openDevChain()
    const raws = await Promise.all(Array.from({ length: BLOCKS }, (_, nonce) => signed(ALICE, { nonce })))
    for (const raw of raws) await sealBlocks(chain, [{ transactions: [plannedOf(raw)] }])
    hash = bytesToHex(plannedOf(raws[0] as Uint8Array).hash)
  })

  function call(
    name: string,
    params: readonly unknown[],
    tracing: FakeTracing,
    { profile = 'besu', signal }: { profile?: RpcProfile; signal?: AbortSignal } = {},
  ): unknown {
    const definition = traceMethods.find((method) => method.name === name) as MethodDefinition<object>
    const consensus = createSchedule(chain.config)
    const options = { ...DEFAULT_API_OPTIONS, profile }
    const backend = { chain, tracing, consensus, options, yieldToHost: () => Promise.resolve() }
    const context: RequestContext = {
      signal,
      groups: new Set(['TRACE'] as const),
      reason: undefined,
      get aborted() {
        return signal?.aborted === true
      },
    }
    return invoke(definition, backend, params, context)
  }

  describe('where the state before the block is not available', () => {
    const requests = (): readonly [string, readonly unknown[], unknown][] => [
      ['trace_block', ['0x1'], []],
      ['trace_transaction', [hash], []],
      ['trace_replayBlockTransactions', ['0x1', ['trace']], []],
      ['trace_filter', [{ fromBlock: '0x1' }], []],
      ['trace_get', [hash, []], null],
      ['trace_replayTransaction', [hash, ['trace']], null],
    ]

    it('returns nothing in the profile besu', () => {
      for (const [name, params, nothing] of requests()) {
        expect(call(name, params, new FakeTracing(false)), name).toEqual(nothing)
      }
    })

    it('is an error in the profile geth', () => {
      for (const [name, params] of requests()) {
        const request = (): unknown => call(name, params, new FakeTracing(false), { profile: 'geth' })
        expect(request, name).toThrow(expect.objectContaining({ code: 'WORLD_STATE_UNAVAILABLE' }))
      }
    })
  })

  describe('trace_filter', () => {
    const write = (filter: object, tracing: FakeTracing, out: JsonWriter, signal?: AbortSignal): Promise<void> => {
      const result = call('trace_filter', [{ fromBlock: '0x1', ...filter }], tracing, signal && { signal })
      return (result as StreamedResult).write(out) as Promise<void>
    }
    const writerOf = (isFull: boolean, drained: () => Promise<void>): JsonWriter =>
      new JsonWriter({ write: () => {}, isFull, drained })
    const open = (): JsonWriter => writerOf(false, () => Promise.resolve())

    it('executes the blocks one after the other', async () => {
      const tracing = new FakeTracing(true)
      await write({}, tracing, open())
      expect(tracing.asked).toEqual([1, 2, 3, 4, 5])
    })

    it('executes only blocks that may concern the accounts', async () => {
      const tracing = new FakeTracing(true)
      await write({ fromAddress: `0x${'77'.repeat(20)}` }, tracing, open())
      expect(tracing.asked).toEqual([])
      await write({ fromAddress: ALICE.address }, tracing, open())
      expect(tracing.asked).toEqual([1, 2, 3, 4, 5])
    })

    it('executes no block after the last requested entry', async () => {
      const tracing = new FakeTracing(true)
      await write({ count: 2 }, tracing, open())
      expect(tracing.asked).toEqual([1, 2])
    })

    it('stops when the request ends', async () => {
      const tracing = new FakeTracing(true)
      const controller = new AbortController()
      tracing.block = async ({ header }) => {
        tracing.asked.push(Number(header.number))
        if (header.number === 2n) controller.abort()
      }
      const written = write({}, tracing, open(), controller.signal)
      await expect(written).rejects.toMatchObject({ code: 'TIMEOUT' })
      expect(tracing.asked).toEqual([1, 2])
    })

    it('stops when the output is no longer read', async () => {
      const tracing = new FakeTracing(true)
      const gone = new Error('gone')
      const out = writerOf(true, () => Promise.reject(gone))
      await expect(write({}, tracing, out)).rejects.toBe(gone)
      expect(tracing.asked).toEqual([1])
    })
  })
})
