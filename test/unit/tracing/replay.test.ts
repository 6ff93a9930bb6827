import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import type { ExecutionHooks } from '../../../src/evm/hooks.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { TraceBegin, TraceEnd, Tracer } from '../../../src/tracing/contract.ts'
import { decodeBlock, encodeBlock } from '../../../src/types/blockCodec.ts'
import { openReplay } from '../../support/chains/replay.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { cpuTimeMs } from '../../support/host/cpuTime.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const LIMITS = { signal: undefined, timeoutMs: undefined }
const ALICE_BYTES = hexToBytes(ALICE.address)
const BOB_BYTES = hexToBytes(BOB.address)
const CONTRACT = hexToBytes(`0x${'c0'.repeat(20)}`)
const LOOP = hexToBytes(`0x${'1f'.repeat(20)}`)
/** SSTORE(0, SLOAD(0) + 1), LOG0 */
const COUNTER = hexToBytes('0x600054600101600055600080a000')
/** JUMPDEST PUSH1 0 JUMP */
const ENDLESS = hexToBytes('0x5b600056')
const SLOT = new Uint8Array(32)

/** Three calls of a counter, between two accounts, in one block. */
async function openWithBlock() {
  const kv = new MemoryStore()
  const chain = await openDevChain({ kv })
  await devWriter(chain).amendHead((state) => {
    state.setCode(CONTRACT, COUNTER)
    state.setCode(LOOP, ENDLESS)
  })
  const call = { to: `0x${'c0'.repeat(20)}` as const, gas: 100_000n, value: 7n }
  const candidates = [
    plannedOf(await signed(ALICE, { nonce: 0, ...call })),
    plannedOf(await signed(BOB, { nonce: 0, ...call })),
    plannedOf(await signed(ALICE, { nonce: 1, ...call })),
  ]
  const [block] = await sealBlocks(chain, [{ transactions: candidates }])
  if (block === undefined) throw new Error('no block')
  return { chain, kv, block, ...(await openReplay(chain, kv)) }
}

/** A block with one transaction that loops until its gas is used up. */
async function openWithLoop(gas: bigint) {
  const kv = new MemoryStore()
  const chain = await openDevChain({ kv })
  await devWriter(chain).amendHead((state) => state.setCode(LOOP, ENDLESS))
  const transaction = await signed(ALICE, { nonce: 0, to: `0x${'1f'.repeat(20)}`, gas })
  const [block] = await sealBlocks(chain, [
    { transactions: [plannedOf(transaction)], gasLimit: 2n * gas, setsGasLimit: true },
  ])
  if (block === undefined) throw new Error('no block')
  return { block, ...(await openReplay(chain, kv)) }
}

interface Seen {
  readonly begin: TraceBegin
  end?: TraceEnd
}

/** A tracer that records its calls. */
function watcher(
  seen: Seen[],
  look: (context: TraceBegin, outcome?: TraceEnd) => void,
  hooks?: ExecutionHooks,
): Tracer {
  let own: Seen | undefined
  return {
    hooks,
    begin: (context) => {
      own = { begin: context }
      seen.push(own)
      look(context)
    },
    end: (outcome) => {
      if (own === undefined) throw new Error('it has not begun')
      own.end = outcome
      look(own.begin, outcome)
    },
  }
}

const storedSender = (chain: Chain, { hash }: ChainHeader, index: number) => chain.senders(hash)?.[index]

describe('a replay', () => {
  it('gives a tracer its transaction and the states before and after', async () => {
    const { replay, block, chain } = await openWithBlock()
    const seen: Seen[] = []
    const nonces: (bigint | undefined)[][] = []
    const look = ({ before, now }: TraceBegin) =>
      nonces.push([before.getAccount(ALICE_BYTES)?.nonce, now.getAccount(ALICE_BYTES)?.nonce])
    await replay.block(block, { tracerFor: (index) => (index === 2 ? watcher(seen, look) : undefined) }, LIMITS)
    expect(nonces).toEqual([
      [1n, 1n],
      [1n, 2n],
    ])
    const [{ begin, end } = { begin: undefined, end: undefined }] = seen
    if (begin === undefined || end === undefined) throw new Error('nothing was told')
    expect(begin.transaction).toMatchObject({
      hash: chain.transactionHashes(block.hash)?.[2],
      from: storedSender(chain, block, 2),
      to: CONTRACT,
      value: 7n,
      gasLimit: 100_000n,
      intrinsicGas: 21_000n,
      position: { blockHash: block.hash, index: 2, logsBefore: 2 },
    })
    expect(end.gasUsed).toBe(chain.receipts(block.hash)?.[2]?.gasUsed)
    expect(end.result.logs).toHaveLength(1)
    expect(begin.before.getStorage(CONTRACT, SLOT)[31]).toBe(2)
    expect(begin.now.getStorage(CONTRACT, SLOT)[31]).toBe(3)
    expect(begin.before.getAccount(CONTRACT)?.balance).toBe(14n)
    expect(begin.now.getAccount(CONTRACT)?.balance).toBe(21n)
    expect(begin.before.getCode(CONTRACT)).toEqual(COUNTER)
    expect(begin.before.getAccount(BOB_BYTES)).toEqual(begin.now.getAccount(BOB_BYTES))
    expect(end.changed.map(({ address }) => bytesToHex(address)).slice(0, 2)).toEqual([
      bytesToHex(ALICE_BYTES),
      bytesToHex(CONTRACT),
    ])
    expect(end.changed[1]?.slots).toEqual([SLOT])
  })

  it('does not execute the predecessors of a traced transaction twice', async () => {
    const { replay, block, messages } = await openWithBlock()
    const run = async (index: number): Promise<number> => {
      const seen: Seen[] = []
      const before = messages()
      const tracerFor = (at: number) => (at === index ? watcher(seen, () => {}) : undefined)
      await replay.block(block, { tracerFor, end: index + 1 }, LIMITS)
      expect(seen[0]?.begin.before.getStorage(CONTRACT, SLOT)[31]).toBe(index)
      expect(seen[0]?.begin.transaction.position?.logsBefore).toBe(index)
      return messages() - before
    }
    expect([await run(1), await run(2), await run(2), await run(0)]).toEqual([2, 1, 1, 1])
  })

  it('executes a block again when the state below it was amended', async () => {
    const { replay, block, chain } = await openWithBlock()
    const count = async (): Promise<number> => {
      const { state } = await replay.stateAfter(block, 3, LIMITS)
      return state.getStorage(CONTRACT, SLOT)[31] as number
    }
    expect(await count()).toBe(3)
    await chain.setHead(block.header.parentHash)
    await devWriter(chain).amendHead((state) => state.setStorage(CONTRACT, SLOT, new Uint8Array(32).fill(9, 31)))
    expect(await count()).toBe(12)
  })

  it('accepts a block that is not stored', async () => {
    const { replay, block, chain } = await openWithBlock()
    const body = chain.body(block.hash)
    const parent = chain.headerByHash(block.header.parentHash)
    if (body === undefined || parent === undefined) throw new Error('not stored')
    const header = { ...block.header, extraData: Uint8Array.of(1) }
    const other = decodeBlock(encodeBlock({ header, ...body, transactions: body.transactions.slice(1, 2) }))
    const seen: Seen[] = []
    await replay.blockOn(parent, other, { tracerFor: () => watcher(seen, () => {}) }, LIMITS)
    expect(seen.map(({ begin }) => bytesToHex(begin.transaction.from))).toEqual([bytesToHex(BOB_BYTES)])
    expect(seen[0]?.begin.now.getStorage(CONTRACT, SLOT)[31]).toBe(1)
    const broken = { ...other, transactions: body.transactions.slice(2) }
    await expect(replay.blockOn(parent, broken, { tracerFor: () => undefined }, LIMITS)).rejects.toMatchObject({
      code: 'REPLAY_FAILED',
    })
  })

  it('waits for the consumer of a trace before it continues', async () => {
    const { replay, block } = await openWithBlock()
    const order: string[] = []
    await replay.block(
      block,
      {
        tracerFor: (index) => {
          order.push(`begin ${index}`)
          return index === 1 ? undefined : watcher([], () => {})
        },
        traced: async (index) => {
          await new Promise((resolve) => setImmediate(resolve))
          order.push(`end ${index}`)
        },
      },
      LIMITS,
    )
    expect(order).toEqual(['begin 0', 'end 0', 'begin 1', 'begin 2', 'end 2'])
  })
})

describe('a replay of a long transaction', () => {
  const steps = (onStep: () => void): ExecutionHooks => ({ step: onStep })

  it('ends within 100 ms when it is aborted', async () => {
    const { replay, block } = await openWithLoop(16_000_000n)
    const controller = new AbortController()
    let abortedAt = 0
    let count = 0
    const hooks = steps(() => {
      count++
      if (count !== 1000) return
      setTimeout(() => {
        abortedAt = cpuTimeMs()
        controller.abort(new Error('enough'))
      }, 20)
    })
    const plan = { tracerFor: () => watcher([], () => {}, hooks) }
    const run = replay.block(block, plan, { signal: controller.signal, timeoutMs: undefined })
    await expect(run).rejects.toMatchObject({ code: 'EXECUTION_ABORTED' })
    expect(cpuTimeMs() - abortedAt).toBeLessThan(100)
  })

  it('ends at its time limit, not counting waits for the output', async () => {
    const { replay, block } = await openWithLoop(16_000_000n)
    const endless = {
      tracerFor: () =>
        watcher(
          [],
          () => {},
          steps(() => {}),
        ),
    }
    await expect(replay.block(block, endless, { signal: undefined, timeoutMs: 10 })).rejects.toMatchObject({
      code: 'EXECUTION_TIMEOUT',
    })
    const small = await openWithLoop(200_000n)
    let waits = 0
    let isFull = false
    const hooks: ExecutionHooks = {
      step: () => {
        isFull = waits < 3
      },
      isFull: () => isFull,
      drained: () => {
        waits++
        isFull = false
        return new Promise((resolve) => setTimeout(resolve, 400))
      },
    }
    const seen: Seen[] = []
    await small.replay.block(
      small.block,
      { tracerFor: () => watcher(seen, () => {}, hooks) },
      { signal: undefined, timeoutMs: 1000 },
    )
    expect(waits).toBe(3)
    expect(seen[0]?.end?.result.halt).toBe('INSUFFICIENT_GAS')
  })
})
