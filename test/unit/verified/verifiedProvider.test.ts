import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { DEV_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { VerifiedOptions, VerifiedProvider } from '../../../src/verified/contract.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

interface Simulated {
  readonly calls: [{ readonly logs: readonly unknown[] }]
}

const open = closedAfterEach()
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const OTHER = '0x00000000000000000000000000000000000c0de2'
const READER = '0x00000000000000000000000000000000000c0de3'
const SLOT = `0x${'0'.repeat(63)}5`
const READER_CODE = evmCode(`5 SLOAD ${OTHER} BALANCE ADD 0 MSTORE 32 0 RETURN`)
/** Sums slot 5, the balance of another contract and a block hash, emits a log, writes slot 6, and returns the sum. */
const CODE = evmCode(
  `5 SLOAD ${OTHER} BALANCE ADD 2 BLOCKHASH ADD 0 MSTORE 1 6 SSTORE 7 32 0 LOG1 ${OTHER} EXTCODESIZE POP 32 0 RETURN`,
)

const providers: VerifiedProvider[] = []
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close()
})

async function setUp(options: Partial<VerifiedOptions> = {}) {
  const { rpc } = await open()
  await rpc('hardhat_setCode', CONTRACT, bytesToHex(CODE))
  await rpc('hardhat_setCode', OTHER, '0x6001')
  await rpc('hardhat_setCode', READER, bytesToHex(READER_CODE))
  await rpc('hardhat_setStorageAt', READER, SLOT, `0x${'0'.repeat(62)}42`)
  await rpc('hardhat_setBalance', OTHER, '0x77')
  await rpc('hardhat_setStorageAt', CONTRACT, SLOT, `0x${'0'.repeat(62)}99`)
  await rpc('hardhat_mine', '0x3')
  const sent: string[] = []
  for (const to of [BOB, CONTRACT, BOB]) {
    sent.push(await rpc<string>('eth_sendTransaction', { from: ALICE, to, value: '0x5', gas: '0x20000' }))
  }
  const transport = new NodeTransport(rpc)
  const head = await rpc<{ hash: string; number: string }>('eth_getBlockByNumber', 'latest', false)
  const provider = await openVerified(transport, { genesis: devGenesis(), trust: { hash: head.hash }, ...options })
  providers.push(provider)
  return { rpc, transport, provider, head, sent }
}

const without = (value: unknown, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value as object).filter(([name]) => !names.includes(name)))

describe('createVerifiedProvider', () => {
  it('answers as the node does', async () => {
    const { rpc, provider, head, sent } = await setUp()
    const call = { from: ALICE, to: CONTRACT, gas: '0x20000' }
    for (const [method, ...params] of [
      ['eth_blockNumber'],
      ['eth_chainId'],
      ['eth_getBalance', ALICE, 'latest'],
      ['eth_getBalance', OTHER, head.number],
      ['eth_getBalance', ALICE, '0x2'],
      ['eth_getTransactionCount', ALICE, 'latest'],
      ['eth_getCode', CONTRACT, 'latest'],
      ['eth_getStorageAt', CONTRACT, SLOT, 'latest'],
      ['eth_getStorageAt', CONTRACT, '0x6', 'latest'],
      ['eth_getProof', CONTRACT, [SLOT, '0x0'], 'latest'],
      ['eth_call', call, 'latest'],
      ['eth_call', call, { blockHash: head.hash }],
      ['eth_estimateGas', call, 'latest'],
      ['eth_createAccessList', call, 'latest'],
      ['eth_getTransactionByHash', sent[1]],
      ['eth_getTransactionReceipt', sent[1]],
      ['eth_getBlockReceipts', 'latest'],
      ['eth_getTransactionByBlockNumberAndIndex', head.number, '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', head.number, '0x9'],
      ['eth_getBlockTransactionCountByNumber', head.number],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest', address: CONTRACT }],
      ['eth_feeHistory', '0x3', 'latest', [50]],
    ] as const) {
      const expected = await rpc(method, ...params)
      expect(await provider.request(method, params), `${method} ${JSON.stringify(params)}`).toEqual(expected)
    }
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByNumber', '0x0', false],
      ['eth_getBlockByHash', head.hash, false],
    ] as const) {
      expect(await provider.request(method, params), method).toEqual(
        without(await rpc(method, ...params), 'totalDifficulty'),
      )
    }
  })

  it('answers eth_simulateV1 without the roots and hashes of a state that nobody has', async () => {
    const { rpc, provider } = await setUp()
    const calls = [{ from: ALICE, to: CONTRACT, gas: '0x20000' }]
    const [expected] = await rpc<[Simulated]>('eth_simulateV1', { blockStateCalls: [{ calls }] }, 'latest')
    const [simulated] = await provider.request<[Simulated]>('eth_simulateV1', [{ blockStateCalls: [{ calls }] }])
    expect(without(simulated, 'calls')).toEqual(without(expected, 'calls', 'hash', 'stateRoot'))
    const [call] = expected.calls
    expect(simulated.calls).toEqual([{ ...call, logs: call.logs.map((log) => without(log, 'blockHash')) }])
    const two = { blockStateCalls: [{ calls }, { calls }] }
    await expect(provider.request('eth_simulateV1', [two])).rejects.toMatchObject({ code: 'FORK_UNSUPPORTED' })
  })

  it('fetches what a call needs in one request from a node of this project, and in few from others', async () => {
    const { rpc, provider, transport } = await setUp()
    await provider.head()
    const call = { to: READER, from: ALICE, data: '0x01' }
    const expected = await rpc('eth_call', call, 'latest')
    transport.reset()
    expect(await provider.request('eth_call', [call, 'latest'])).toBe(expected)
    expect(transport).toMatchObject({
      requests: 1,
      methods: ['isonode_callWitness', 'eth_createAccessList', 'eth_createAccessList'],
    })
    transport.reset()
    await provider.request('eth_call', [{ ...call, data: '0x02' }, 'latest'])
    expect(transport.requests).toBe(0)
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    const plain = new NodeTransport(rpc)
    plain.hidden = new Set(['isonode_callWitness'])
    const second = await openVerified(plain, { genesis: devGenesis(), trust: { hash } })
    providers.push(second)
    expect(await second.request('eth_call', [call, 'latest'])).toBe(expected)
    expect(plain.methods.slice(0, 3)).toEqual(['eth_getBlockByHash', 'isonode_callWitness', 'eth_createAccessList'])
    // The head, the list, what it names, and the account whose balance is read: lists leave out accounts without slots.
    expect(plain.requests).toBe(4)
  })

  it('does not believe the size of the trusted block, which its hash does not cover', async () => {
    const { provider, transport, head } = await setUp()
    transport.lie = (_, __, result) => {
      transport.lie = undefined
      return { ...(result as object), size: '0x999' }
    }
    await expect(provider.request('eth_getBlockByNumber', [head.number, false])).rejects.toMatchObject({
      code: 'PROOF_INVALID',
    })
  })

  it('refuses to say that something does not exist where nothing proves it', async () => {
    const { provider } = await setUp()
    const unknown = `0x${'77'.repeat(32)}`
    for (const [method, ...params] of [
      ['eth_getTransactionByHash', unknown],
      ['eth_getTransactionReceipt', unknown],
      ['eth_getBlockByHash', unknown, false],
      ['eth_getBlockTransactionCountByHash', unknown],
      ['eth_getTransactionByBlockHashAndIndex', unknown, '0x0'],
      ['eth_getLogs', { blockHash: unknown }],
    ] as const) {
      await expect(provider.request(method, params), method).rejects.toMatchObject({ code: 'FORK_UNPROVEN' })
    }
    expect(await provider.request('eth_getBlockByNumber', ['0x999', false])).toBeNull()
  })

  it('shows nothing above the trusted block', async () => {
    const { rpc, provider, head, sent } = await setUp()
    const later = await rpc<string>('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x5' })
    expect(await provider.head()).toEqual({ number: Number(head.number), hash: head.hash })
    expect(await provider.request('eth_blockNumber')).toBe(head.number)
    expect(await provider.request('eth_getTransactionReceipt', [sent[0]])).toBeTruthy()
    await expect(provider.request('eth_getTransactionReceipt', [later])).rejects.toMatchObject({
      code: 'FORK_UNPROVEN',
    })
  })

  it('refuses other methods, or passes them on with a mark', async () => {
    const { provider, transport, head } = await setUp()
    await expect(provider.request('eth_gasPrice')).rejects.toMatchObject({ code: -32601 })
    await expect(provider.request('eth_call', ['0x1'])).rejects.toMatchObject({ code: -32602 })
    expect(transport.methods).not.toContain('eth_gasPrice')
    for (const methods of ['all', ['eth_gasPrice']] as const) {
      const passing = await openVerified(transport, { genesis: devGenesis(), trust: { hash: head.hash }, methods })
      providers.push(passing)
      expect(await passing.ask('eth_gasPrice')).toMatchObject({ isProven: false })
      expect(await passing.ask('eth_blockNumber')).toEqual({ result: head.number, isProven: true })
    }
  })

  it('sends transactions, and checks their hash', async () => {
    const { provider, transport } = await setUp()
    const account = privateKeyToAccount(DEV_ACCOUNTS[1]?.privateKey as `0x${string}`)
    const raw = await account.signTransaction({
      chainId: 31337,
      nonce: 0,
      to: BOB as `0x${string}`,
      gas: 21000n,
      maxFeePerGas: 10n ** 10n,
    })
    transport.lie = (method, _, result) => (method === 'eth_sendRawTransaction' ? `0x${'1'.repeat(64)}` : result)
    await expect(provider.request('eth_sendRawTransaction', [raw])).rejects.toMatchObject({ code: 'PROOF_INVALID' })
  })

  it('names an option that is wrong', async () => {
    const transport = new NodeTransport(async () => null)
    const hash = `0x${'1'.repeat(64)}`
    for (const [options, message] of [
      [{ trust: { hash } }, /either genesis or network/],
      [{ genesis: devGenesis(), trust: { hash: '0x12' } }, /trust.hash must be a block hash/],
      [{ genesis: devGenesis(), trust: { heads: ['http://a', 'http://a'], agree: 2 } }, /from 1 to 1/],
      [{ genesis: devGenesis(), trust: { hash }, url: [] }, /at least one address/],
      [{ network: 'nowhere', trust: { hash } }, /no network nowhere/],
    ] as const) {
      await expect(openVerified(transport, options as never)).rejects.toThrow(message)
    }
  })
})
