/** A validator whose head or clock goes back: it must not stop for good, or without a word. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { SIGNERS } from '../../support/chains/bftHeaders.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { bftGenesis } from '../../support/nodes/bftNode.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../support/nodes/genesisNode.ts'

const GENESIS = bftGenesis({ qbft: { blockperiodseconds: 1, requesttimeoutseconds: 2 } }, 1)

describe('a lone validator', () => {
  let store: MemoryStore
  let time: FakeTime
  let offsetMs: number
  let warnings: unknown[][]
  let node: IsoNode

  const open = async (index = 0): Promise<void> => {
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line), child: () => logger }
    const clock = { now: () => time.now() + offsetMs, monotonic: () => time.monotonic() }
    const host = { store, clock, timers: time, logger, signer: SIGNERS[index] as KeySigner }
    node = await openGenesisNode(GENESIS, { 'p2p-enabled': false, 'rpc-http-api': ['ETH', 'DEBUG'] }, host)
    await node.goOnline()
  }
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      time.advance(1000)
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setTimeout(resolve))
    }
  }
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { body } = await node.endpoints.get('http').exchange.handle({ body: request })
    const { result, error } = JSON.parse(body) as { result?: unknown; error?: unknown }
    return result ?? error
  }
  const height = (): bigint => node.chain.head.header.number

  beforeEach(() => {
    store = new MemoryStore()
    time = new FakeTime((GENESIS_SECONDS + 1) * 1000)
    offsetMs = 0
    warnings = []
  })
  afterEach(() => node.close())

  it('refuses a head below the blocks that it has signed, and continues', async () => {
    await open()
    await pass(8)
    const before = height()
    expect(before).toBeGreaterThan(5n)
    for (const method of ['debug_setHead', 'debug_replayBlock']) {
      expect(await ask(method, '0x3')).toEqual({ code: -32000, message: 'Validator has signed above this block' })
    }
    expect(height()).toBe(before)
    expect(await ask('debug_replayBlock', 'latest')).toBe('Success')
    expect(await ask('debug_setHead', 'latest')).toBe('Success')
    await pass(3)
    expect(height()).toBeGreaterThan(before)
  })

  it('says why it does not vote after its chain was cut', async () => {
    await open()
    await pass(8)
    const signed = Number(height())
    await node.chain.setHead(node.chain.headerByNumber(3)?.hash as Uint8Array)
    await node.close()
    await open()
    await pass(20)
    expect(height()).toBe(3n)
    const silent = warnings.filter(([message]) => String(message).startsWith('this validator does not vote'))
    expect(silent).toEqual([
      ['this validator does not vote below a block for which it has signed', { height: 4, signed }],
    ])
    const [standstill] = warnings.filter(([message]) => String(message).startsWith('the chain stands still'))
    expect(standstill?.[0]).toContain(`this validator does not vote below block ${signed}, for which it has signed`)
  })

  it('says that its clock is behind the newest block, once', async () => {
    offsetMs = 86_400_000
    await open()
    await pass(3)
    offsetMs = 0
    await pass(30)
    const behind = warnings.filter(([message]) => String(message).includes('clock'))
    expect(behind[0]).toEqual([
      'the clock of this node is behind the newest block, so the next block has to wait',
      { number: expect.any(Number), seconds: expect.any(Number) },
    ])
    expect((behind[0]?.[1] as { seconds: number } | undefined)?.seconds).toBeGreaterThan(86_390)
    expect(behind.filter(([message]) => !String(message).startsWith('the chain stands'))).toHaveLength(1)
    expect(
      warnings.some(
        ([message]) => message === "the chain stands still: the newest block is later than this node's clock",
      ),
    ).toBe(true)
  })
})
