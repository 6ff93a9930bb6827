/** Filters, subscriptions and sending, through the envelope. */
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { KnownKeyAccounts } from '../../../../src/dev/devAccounts.ts'
import { type LogChain, openLogChain, topicOf } from '../../../support/chains/logChain.ts'
import { eventually } from '../../../support/host/eventually.ts'
import { ALICE, signed } from '../../../support/nodes/devChain.ts'
import { openWriteRpc } from '../../../support/rpc/writeRpc.ts'

let opened: LogChain

beforeAll(async () => {
  opened = await openLogChain()
})

const rpc = (profile: 'besu' | 'geth' = 'besu') => openWriteRpc(opened.chain, { profile })
const request = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })
const nextNonce = () => Number(opened.chain.stateAt(opened.chain.head).getAccount(bytes(ALICE.address))?.nonce ?? 0n)
const bytes = (hex: string) => Uint8Array.from(hex.slice(2).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))

describe('filter methods', () => {
  it('poll new results, and read the whole range', async () => {
    const { call } = rpc()
    const first = Number(opened.chain.head.header.number) + 1
    const { result: id } = await call('eth_newFilter', {
      fromBlock: `0x${first.toString(16)}`,
      topics: [topicOf(0x51)],
    })
    const { result: blocks } = await call('eth_newBlockFilter')
    expect(await call('eth_getFilterChanges', id)).toMatchObject({ result: [] })
    const block = await opened.seal(0x50, 0x60)
    const log = { removed: false, blockHash: bytesToHex(block.hash), logIndex: '0x1', topics: [topicOf(0x51)] }
    expect(await call('eth_getFilterChanges', id)).toMatchObject({ result: [log] })
    expect(await call('eth_getFilterChanges', id)).toMatchObject({ result: [] })
    expect(await call('eth_getFilterLogs', id)).toMatchObject({ result: [log] })
    expect(await call('eth_getFilterChanges', blocks)).toMatchObject({ result: [bytesToHex(block.hash)] })
    expect(await call('eth_getFilterLogs', blocks)).toMatchObject({
      error: { code: -32000, message: 'Logs filter not found' },
    })
    expect(await call('eth_uninstallFilter', id)).toMatchObject({ result: true })
    expect(await call('eth_getFilterLogs', id)).toMatchObject({ error: { code: -32000 } })
  })

  it('resolve tags to the head at the time of the call, earliest to the first block', async () => {
    const { call } = rpc()
    const ids: unknown[] = []
    for (const fromBlock of ['earliest', 'latest', 'pending', 'safe', 'finalized']) {
      ids.push((await call('eth_newFilter', { fromBlock, topics: [topicOf(0x70)] })).result)
    }
    await opened.seal(0x70)
    await opened.seal(0x80)
    const counts = await Promise.all(ids.map(async (id) => (await call('eth_getFilterLogs', id)).result as unknown[]))
    expect(counts.map(({ length }) => length)).toEqual([1, 0, 0, 0, 0])
  })

  it('accept any text as an id, but know only those of filters', async () => {
    const { call } = rpc()
    for (const id of ['', 'foo', '0x', '0xzz', `0x${'f'.repeat(100)}`, '0x1', 7]) {
      expect(await call('eth_getFilterChanges', id)).toMatchObject({
        error: { code: -32000, message: 'Filter not found' },
      })
      expect(await call('eth_uninstallFilter', id)).toMatchObject({ result: false })
    }
    expect(await rpc('geth').call('eth_getFilterChanges', '0x1')).toMatchObject({
      error: { code: -32000, message: 'filter not found' },
    })
  })

  it('ignore a parameter of eth_newPendingTransactionFilter', async () => {
    const { call } = rpc('geth')
    const { result: id } = await call('eth_newPendingTransactionFilter', false)
    const raw = bytesToHex(await signed(ALICE, { nonce: nextNonce() }))
    const { result: hash } = await call('eth_sendRawTransaction', raw)
    expect(await call('eth_getFilterChanges', id)).toMatchObject({ result: [hash] })
  })
})

describe('sending', () => {
  it('accepts exactly one parameter', async () => {
    const { call } = rpc()
    const raw = bytesToHex(await signed(ALICE, { nonce: nextNonce() }))
    expect(await call('eth_sendRawTransaction', raw, 'latest')).toMatchObject({ error: { code: -32602 } })
    expect(await call('eth_sendRawTransaction')).toMatchObject({ error: { code: -32602 } })
    expect(await call('eth_sendRawTransaction', '0x0')).toMatchObject({ error: { code: -32602 } })
    expect(await call('eth_sendRawTransaction', raw)).toMatchObject({
      result: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(await call('eth_sendRawTransaction', raw)).toMatchObject({ error: { message: 'Known transaction' } })
  })

  it('of a batch reports the outcome of each, in order', async () => {
    const { call, pool } = rpc()
    const nonce = nextNonce()
    const raws = await Promise.all([
      signed(ALICE, { nonce }),
      signed(ALICE, { nonce, value: 1n }),
      signed(ALICE, { nonce: nonce + 1 }),
    ])
    const params = raws.map((raw) => bytesToHex(raw))
    expect((await call('debug_batchSendRawTransaction', ...params, '0xzz', null)).result).toEqual([
      { index: 0, success: true },
      { index: 1, success: false, errorMessage: 'TRANSACTION_REPLACEMENT_UNDERPRICED' },
      { index: 2, success: true },
      { index: 3, success: false, errorMessage: 'Invalid raw transaction hex' },
      { index: 4, success: false, errorMessage: 'Invalid raw transaction hex' },
    ])
    expect(pool.size).toBe(2)
    expect(await call('debug_batchSendRawTransaction')).toMatchObject({ result: [] })
  })
})

describe('eth_subscribe', () => {
  it('is answered before the first notification, even in a batch with the cause', async () => {
    const { connect } = rpc()
    const { send, messages } = connect()
    const raw = bytesToHex(await signed(ALICE, { nonce: nextNonce() }))
    send([request(1, 'eth_subscribe', 'newPendingTransactions'), request(2, 'eth_sendRawTransaction', raw)])
    await eventually(() => expect(messages()).toHaveLength(2), 1)
    const [answers, notification] = messages() as [{ id: number; result: string }[], unknown]
    expect(answers.map(({ id }) => id)).toEqual([1, 2])
    expect(notification).toEqual({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: answers[0]?.result, result: answers[1]?.result },
    })
  })

  it('notifies until it is unsubscribed', async () => {
    const { connect } = rpc()
    const { send, messages } = connect()
    const other = connect()
    send(request(1, 'eth_subscribe', 'logs', { topics: [topicOf(0x91)] }))
    await opened.seal(0x90)
    expect(messages()).toMatchObject([{ id: 1, result: '0x1' }, { params: { result: { topics: [topicOf(0x91)] } } }])
    other.send(request(2, 'eth_unsubscribe', '0x1'))
    expect(other.messages()).toMatchObject([{ error: { code: -32000, message: 'Subscription not found' } }])
    send(request(3, 'eth_unsubscribe', '0x1'))
    await opened.seal(0x90)
    expect(messages()).toHaveLength(3)
    expect(messages()[2]).toMatchObject({ id: 3, result: true })
    send(request(4, 'eth_unsubscribe', '0x1'))
    expect(messages()[3]).toMatchObject({ error: { code: -32000 } })
  })

  it('ends with the connection', async () => {
    const { connect } = rpc()
    const { send, session, texts } = connect()
    send(request(1, 'eth_subscribe', 'newHeads'))
    session.closed()
    await opened.seal()
    expect(texts).toHaveLength(1)
  })

  it.each([
    [[]],
    [['newheads']],
    [[7]],
    [['newHeads', { full: true }]],
    [['newHeads', true]],
    [['newHeads', { includeTransactions: 'perhaps' }]],
    [['newPendingTransactions', true]],
    [['newPendingTransactions', { full: true }]],
    [['logs']],
    [['logs', { from: '0x1' }]],
    [['logs', { address: 'foo' }]],
  ])('refuses %j as an invalid request', (params) => {
    const { send, messages } = rpc().connect()
    send(request(1, 'eth_subscribe', ...params))
    expect(messages()).toMatchObject([{ error: { code: -32600, message: 'Invalid Request' } }])
  })

  it.each([
    [[], -32601],
    [['newheads'], -32601],
    [['newHeads', { full: true }], -32602],
    [['logs', { from: '0x1' }], -32602],
  ])('refuses %j in the geth profile with %i', (params, code) => {
    const { send, messages } = rpc('geth').connect()
    send(request(1, 'eth_subscribe', ...params))
    expect(messages()).toMatchObject([{ error: { code } }])
  })

  it.each([
    ['newHeads', {}],
    ['newHeads', null],
    ['newHeads', { includeTransactions: true }],
    ['logs', {}],
    ['newPendingTransactions'],
    ['newPendingTransactions', { includeTransactions: true }],
    ['droppedPendingTransactions'],
    ['syncing'],
  ])('accepts %s %j', (...params) => {
    const { send, messages } = rpc().connect()
    send(request(1, 'eth_subscribe', ...params))
    expect(messages()).toMatchObject([{ result: '0x1' }])
  })

  it('accepts the flag of go-ethereum in its profile', async () => {
    const { connect, call } = rpc('geth')
    const { send, messages } = connect()
    send(request(1, 'eth_subscribe', 'newPendingTransactions', true))
    const { result: hash } = await call(
      'eth_sendRawTransaction',
      bytesToHex(await signed(ALICE, { nonce: nextNonce() })),
    )
    expect(messages()[1]).toMatchObject({ params: { result: { hash, from: ALICE.address.toLowerCase() } } })
  })

  it('does not exist on connections without notifications', async () => {
    const besu = rpc()
    expect(await besu.call('eth_subscribe', 'newHeads')).toMatchObject({ error: { code: -32604 } })
    expect(await besu.call('eth_unsubscribe', '0x1')).toMatchObject({ error: { code: -32604 } })
    expect(await rpc('geth').call('eth_subscribe', 'newHeads')).toMatchObject({ error: { code: -32601 } })
  })

  it.each([['foo'], [-1], [{}], [undefined]])('cannot be ended by %j', (id) => {
    const { send, messages } = rpc().connect()
    send(request(1, 'eth_unsubscribe', id))
    expect(messages()).toMatchObject([{ error: { code: -32600 } }])
  })
})

describe('eth_accounts', () => {
  it('lists accounts with public keys, only on the dev chain', async () => {
    expect(await rpc().call('eth_accounts')).toMatchObject({ result: [] })
    const { call } = openWriteRpc(opened.chain, { dev: { accounts: new KnownKeyAccounts() } })
    const { result } = await call('eth_accounts')
    expect((result as string[])[0]).toBe(ALICE.address.toLowerCase())
  })
})

describe('miner methods', () => {
  it('accept the target gas limit as a number or decimal text', async () => {
    const { call, miner } = rpc()
    for (const [given, expected] of [
      [5000, 5000n],
      ['30000000', 30_000_000n],
      ['9223372036854775807', 2n ** 63n - 1n],
    ] as const) {
      expect(await call('miner_changeTargetGasLimit', given)).toMatchObject({ result: 'Success' })
      expect(miner.targetGasLimit).toBe(expected)
    }
    expect(await call('miner_changeTargetGasLimit', 4999)).toMatchObject({ error: { code: -32011 } })
    for (const given of [-1, 1.5, '0x1388', '', 'many', '9223372036854775808', true]) {
      expect(await call('miner_changeTargetGasLimit', given)).toMatchObject({ error: { code: -32602 } })
    }
  })
})
