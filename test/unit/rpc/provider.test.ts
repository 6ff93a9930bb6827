import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import type { Provider } from '../../../src/rpc/provider.ts'
import { eventually } from '../../support/host/eventually.ts'
import { testYield } from '../../support/host/testYield.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const [FROM, TO] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const transfer = { from: FROM, to: TO, value: '0x1' }
/** Emits one log with the topic 0x2a from its constructor. */
const LOGGING_CODE = '0x602a5f5fa1'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

async function open(): Promise<Provider> {
  const { node } = await openDevNode()
  const provider = node.openProvider()
  opened.push(async () => {
    provider.close()
    await node.close()
  })
  return provider
}

/** Long enough for notifications of the preceding requests. */
async function nextTurn(): Promise<void> {
  for (let i = 0; i < 5; i++) await testYield()
}

describe('requests within the process', () => {
  it('answers in both forms', async () => {
    const { request } = await open()
    expect(await request('eth_blockNumber')).toBe('0x0')
    expect(await request({ method: 'eth_getBalance', params: [TO, 'latest'] })).toMatch(/^0x/)
  })

  it('rejects with code, message and data', async () => {
    const { request } = await open()
    await expect(request('eth_nothing')).rejects.toMatchObject({ name: 'RequestError', code: -32601 })
    // Reverts with the 4 bytes 0xdeadbeef.
    const call = { data: '0x63deadbeef5f526004601cfd' }
    await expect(request('eth_call', [call])).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
    await expect(request('eth_call', [{ value: 1n }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params cannot be written as JSON'),
    })
    await expect(request(undefined as unknown as string)).rejects.toMatchObject({ code: -32600 })
    await expect(request('eth_chainId', { a: 1 })).rejects.toMatchObject({ code: -32602 })
  })

  it('answers completely where HTTP would stream', async () => {
    const { request } = await open()
    // Counts down from 2,000.
    const data = '0x6107d05b600190038060035700'
    const trace = await request<{ structLogs: unknown[] }>('debug_traceCall', [{ data, gas: '0x100000' }, 'latest', {}])
    expect(trace.structLogs.length).toBeGreaterThan(8000)
  })

  it('rejects pending and further requests once closed', async () => {
    const provider = await open()
    const [disconnected, closed] = [vi.fn(), vi.fn()]
    provider.on('disconnect', disconnected)
    await provider.request('evm_setAutomine', [false])
    const hash = await provider.request('eth_sendTransaction', [transfer])
    const pending = provider
      .request('debug_traceCall', [{ data: '0x5b5f56', gas: '0xffffffff' }, 'latest', {}])
      .catch(closed)
    expect(hash).toMatch(/^0x/)
    provider.close()
    provider.close()
    await pending
    expect(closed.mock.calls[0]?.[0]).toMatchObject({ code: 4900, message: 'the node is closed' })
    await expect(provider.request('eth_blockNumber')).rejects.toMatchObject({ code: 4900 })
    expect(disconnected).toHaveBeenCalledTimes(1)
  })
})

describe('events within the process', () => {
  it('opens a subscription for a listener, and cancels it', async () => {
    const provider = await open()
    const { request } = provider
    const [heads, logs, hashes, transactions] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
    const listening = provider
      .on('newHeads', heads)
      .on('logs', { topics: [`0x${'2a'.padStart(64, '0')}`] }, logs)
      .on('newPendingTransactions', hashes)
      .on('newPendingTransactions', true, transactions)
    expect(listening).toBe(provider)
    const hash = await request('eth_sendTransaction', [{ from: FROM, data: LOGGING_CODE }])
    await nextTurn()
    expect(heads).toHaveBeenCalledTimes(1)
    expect(heads.mock.calls[0]?.[0]).toMatchObject({ number: '0x1' })
    expect(logs).toHaveBeenCalledTimes(1)
    expect(logs.mock.calls[0]?.[0]).toMatchObject({ transactionHash: hash, removed: false })
    expect(hashes.mock.calls).toEqual([[hash]])
    expect(transactions.mock.calls[0]?.[0]).toMatchObject({ hash })
    for (let i = 0; i < 2; i++) expect(provider.removeListener('newHeads', heads)).toBe(provider)
    await request('evm_mine')
    await nextTurn()
    expect(heads).toHaveBeenCalledTimes(1)
  })

  it('emits notifications of eth_subscribe as messages, with the id known before', async () => {
    const provider = await open()
    const { request } = provider
    const message = vi.fn()
    provider.on('message', message)
    provider.on('newHeads', () => {})
    const subscribed = request<string>('eth_subscribe', ['newHeads'])
    const mined = request('evm_mine')
    const subscription = await subscribed
    expect(message).not.toHaveBeenCalled()
    await mined
    await nextTurn()
    expect(message.mock.calls).toEqual([
      [{ type: 'eth_subscription', data: { subscription, result: expect.objectContaining({ number: '0x1' }) } }],
    ])
    provider.removeListener('message', message)
    await request('evm_mine')
    await nextTurn()
    expect(message).toHaveBeenCalledTimes(1)
    expect(await request('eth_unsubscribe', [subscription])).toBe(true)
  })

  it('discards notifications of a listener that was removed before they arrived', async () => {
    const provider = await open()
    const { request } = provider
    const [heads, message] = [vi.fn(), vi.fn()]
    provider.on('newHeads', heads)
    provider.on('message', message)
    const mined = request('evm_mine')
    provider.removeListener('newHeads', heads)
    await mined
    await nextTurn()
    expect(heads).not.toHaveBeenCalled()
    expect(message).not.toHaveBeenCalled()
  })

  it('names what is wrong with a subscription', async () => {
    const provider = await open()
    expect(() => provider.on('logs', { address: '0x12' }, () => {})).toThrow(/address/)
    expect(() => provider.on('newHeads', undefined as never)).toThrow(
      "on('newHeads', …): expected a function, got undefined",
    )
    for (let i = 0; i < 1024; i++) provider.on('syncing', () => {})
    expect(() => provider.on('syncing', () => {})).toThrow('too many subscriptions')
  })

  it('calls every listener although one throws', async () => {
    const provider = await open()
    const { request } = provider
    const heads = vi.fn()
    const unhandled = vi.fn()
    process.once('unhandledRejection', unhandled)
    provider.on('newHeads', () => {
      throw new Error('of the listener')
    })
    provider.on('newHeads', heads)
    await request('evm_mine')
    await nextTurn()
    expect(heads).toHaveBeenCalledTimes(1)
    // Bun reports no unhandled rejections of threads.
    if (!('Bun' in globalThis)) expect(unhandled.mock.calls[0]?.[0]).toMatchObject({ message: 'of the listener' })
  })

  it('tells each listener that the node is connected', async () => {
    const provider = await open()
    const [connected, removed] = [vi.fn(), vi.fn()]
    provider.on('connect', removed).removeListener('connect', removed)
    provider.on('connect', connected)
    await eventually(() => expect(connected.mock.calls).toEqual([[{ chainId: '0x7a69' }]]))
    expect(removed).not.toHaveBeenCalled()
  })

  it('reports changes of the chain id and of the accounts', async () => {
    const provider = await open()
    const { request } = provider
    const [chainChanged, accountsChanged] = [vi.fn(), vi.fn()]
    provider.on('chainChanged', chainChanged).on('accountsChanged', accountsChanged)
    await request('evm_mine')
    await request('anvil_setChainId', [5])
    await request('anvil_impersonateAccount', [`0x${'12'.repeat(20)}`])
    await eventually(() => expect(accountsChanged).toHaveBeenCalledTimes(1))
    expect(chainChanged.mock.calls).toEqual([['0x5']])
    expect(accountsChanged.mock.calls[0]?.[0]).toContain(`0x${'12'.repeat(20)}`)
  })

  it('link the description of their code from errors', async () => {
    const { request } = await open()
    await expect(request('eth_nothing')).rejects.toMatchObject({
      docs: expect.stringMatching(/docs\/errors\.md#32601$/),
    })
  })
})
