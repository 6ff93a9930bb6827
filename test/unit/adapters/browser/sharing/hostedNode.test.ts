// slow: opens databases
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type HostedNode, openHostedNode } from '../../../../../adapters/browser/sharing/hostedNode.ts'
import type { QuestionMessage } from '../../../../../adapters/browser/sharing/wire.ts'
import { FakeLocks } from '../../../../support/host/fakeLocks.ts'

beforeEach(() => vi.stubGlobal('navigator', { locks: new FakeLocks() }))
afterEach(() => vi.unstubAllGlobals())

const TAB = 'tab'
const RECEIVER = `0x${'bb'.repeat(20)}`
let databases = 0

/** A worker after another over one database. */
class Workers {
  readonly #dataPath = `shared-${databases++}`
  #hosted: HostedNode | undefined

  async next(): Promise<void> {
    await this.#hosted?.close()
    this.#hosted = await openHostedNode({ dataPath: this.#dataPath })
  }

  ask(id: number, method: string, params: readonly unknown[] = [], isRepeated = false): Promise<unknown> {
    return this.#answer({ isonode: 'request', id, isRepeated, method, params: JSON.stringify(params) })
  }

  async fetch(id: number, calls: object): Promise<unknown> {
    const body = new TextEncoder().encode(JSON.stringify(calls)).buffer
    const request = { url: 'http://localhost/', method: 'POST', headers: [], body }
    const answer = await this.#answer({ isonode: 'fetch', id, isRepeated: false, request })
    return JSON.parse((answer as { body: string }).body)
  }

  async close(): Promise<void> {
    await this.#hosted?.close()
  }

  async #answer(message: QuestionMessage): Promise<unknown> {
    const hosted = this.#hosted
    if (hosted === undefined) throw new Error('no worker')
    const provider = hosted.openProvider()
    try {
      return await hosted.answer(TAB, message, provider)
    } finally {
      provider.close()
    }
  }
}

async function openWorkers(): Promise<Workers> {
  const workers = new Workers()
  await workers.next()
  return workers
}

describe('a request that the worker has done, asked again from its successor', () => {
  it.each([
    ['eth_sendTransaction', [{ to: RECEIVER, value: '0x1' }]],
    ['eth_sendUnsignedTransaction', [{ to: RECEIVER, value: '0x1' }]],
    ['eth_sendTransactionSync', [{ to: RECEIVER, value: '0x1' }]],
    ['evm_mine', []],
    ['anvil_mine', ['0x3']],
    ['wallet_sendCalls', [{ version: '2.0.0', chainId: '0x7a69', atomicRequired: false, calls: [{ to: RECEIVER }] }]],
  ])('%s has the same answer and is not done again', async (method, params) => {
    const workers = await openWorkers()
    const answer = await workers.ask(1, method, params)
    const head = await workers.ask(2, 'eth_blockNumber')
    expect(Number(head)).toBeGreaterThan(0)
    await workers.next()
    expect(await workers.ask(1, method, params, true)).toEqual(answer)
    expect(await workers.ask(3, 'eth_blockNumber')).toBe(head)
    await workers.close()
  })

  it.each([
    ['anvil_setBalance', [RECEIVER, '0x5'], [RECEIVER, '0x6'], 'eth_getBalance', '0x6'],
    ['hardhat_setNonce', [RECEIVER, '0x5'], [RECEIVER, '0x6'], 'eth_getTransactionCount', '0x6'],
    ['anvil_setCode', [RECEIVER, '0x05'], [RECEIVER, '0x06'], 'eth_getCode', '0x06'],
  ])('%s does not overwrite what came later', async (method, first, second, read, expected) => {
    const workers = await openWorkers()
    const answer = await workers.ask(1, method, first)
    await workers.ask(2, method, second)
    await workers.next()
    expect(await workers.ask(1, method, first, true)).toEqual(answer)
    expect(await workers.ask(3, read, [RECEIVER, 'latest'])).toBe(expected)
    await workers.close()
  })

  it('a transaction that waits in the pool is known', async () => {
    const workers = await openWorkers()
    await workers.ask(1, 'evm_setAutomine', [false])
    const hash = await workers.ask(2, 'eth_sendTransaction', [{ to: RECEIVER, value: '0x1' }])
    await workers.next()
    expect(await workers.ask(2, 'eth_sendTransaction', [{ to: RECEIVER, value: '0x1' }], true)).toBe(hash)
    await workers.close()
  })

  it('a batch over HTTP has the same answers', async () => {
    const workers = await openWorkers()
    const send = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [{ to: RECEIVER, value: '0x1' }] }
    const calls = [send, { jsonrpc: '2.0', id: 2, method: 'eth_blockNumber', params: [] }]
    const answers = await workers.fetch(1, calls)
    await workers.next()
    expect(await workers.fetch(1, calls)).toEqual(answers)
    expect(await workers.ask(2, 'eth_blockNumber')).toBe('0x1')
    await workers.close()
  })

  it('a signed transaction is known', async () => {
    const workers = await openWorkers()
    const { raw } = (await workers.ask(1, 'eth_signTransaction', [{ to: RECEIVER, value: '0x1' }])) as { raw: string }
    const hash = await workers.ask(2, 'eth_sendRawTransaction', [raw])
    await workers.next()
    expect(await workers.ask(2, 'eth_sendRawTransaction', [raw], true)).toBe(hash)
    await expect(workers.ask(3, 'eth_sendRawTransaction', [raw])).rejects.toThrow('nonce too low')
    await expect(workers.ask(4, 'eth_sendRawTransaction', ['0x00'], true)).rejects.toThrow()
    await workers.close()
  })
})

describe('many transactions of tabs at once', () => {
  it('have nonces without gaps', async () => {
    const workers = await openWorkers()
    const sends = Array.from({ length: 20 }, (_, id) =>
      workers.ask(id, 'eth_sendTransaction', [{ to: RECEIVER, value: '0x1' }]),
    )
    expect(new Set(await Promise.all(sends)).size).toBe(20)
    expect(await workers.ask(20, 'eth_blockNumber')).toBe('0x14')
    await workers.close()
  })
})

it('opens a chain with few readings of its database, because a browser takes milliseconds for each', async () => {
  const workers = await openWorkers()
  await workers.ask(1, 'eth_sendTransaction', [{ to: RECEIVER, value: '0x1' }])
  const begin = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await workers.next()
  expect(await workers.ask(2, 'eth_blockNumber')).toBe('0x1')
  expect(begin.mock.calls.length).toBeLessThanOrEqual(11)
  begin.mockRestore()
  await workers.close()
})
