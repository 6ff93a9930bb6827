/** Answers in which the profiles deliberately differ or agree, through the envelope of a complete node. */
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const PROFILES = ['besu', 'geth'] as const
const EMITTER = '0x00000000000000000000000000000000000000e1'
/** PUSH1 2, PUSH1 1, PUSH1 0, PUSH1 0, LOG2: topics 1 and 2. */
const TWO_TOPICS = '0x6002600160006000a2'
/** JUMPDEST, PUSH1 0, JUMP */
const ENDLESS = '0x5b600056'
const ONE = `0x${'1'.padStart(64, '0')}`
const TWO = `0x${'2'.padStart(64, '0')}`
const WHOLE = { fromBlock: 'earliest', toBlock: 'latest' }
const LEGACY = [
  '0xf868808203e882520894627306090abab3a6e1400e9345bc60c78a8bef57872386f26fc1000080',
  'a0ac74ecfa0e9b85785f042c143ead4780931234cc9a032fce99fab1f45e0d90faa02fd17e8eb433d4ca47727653232045d4f81322619c0852d3fe8ddcfcedb66a43',
] as const

const open = closedAfterEach()

describe.each(PROFILES)('in the profile %s', (profile) => {
  const options = { 'rpc-profile': profile } as const

  it('an empty list of topics is a wildcard', async () => {
    const { rpc } = await open(options)
    await rpc('anvil_setCode', EMITTER, TWO_TOPICS)
    const topics = [[], [TWO]]
    const filters = await Promise.all(
      [
        { ...WHOLE, topics },
        { ...WHOLE, topics: [[], [ONE]] },
      ].map((f) => rpc('eth_newFilter', f)),
    )
    await rpc('eth_sendRawTransaction', bytesToHex(await signed(ALICE, { nonce: 0, to: EMITTER, gas: 100_000n })))
    expect(await rpc('eth_getLogs', { ...WHOLE, topics })).toHaveLength(1)
    expect(await rpc('eth_getLogs', { ...WHOLE, topics: [[], []] })).toHaveLength(1)
    expect(await rpc('eth_getLogs', { ...WHOLE, topics: [[], [], []] })).toHaveLength(0)
    expect(await rpc('eth_getLogs', { ...WHOLE, topics: [[], [ONE]] })).toHaveLength(0)
    expect(await Promise.all(filters.map((id) => rpc<unknown[]>('eth_getFilterChanges', id)))).toMatchObject([
      [{ topics: [ONE, TWO] }],
      [],
    ])
  })

  it('slot 0 of a proof is 0x0', async () => {
    const { rpc } = await open(options)
    const proof = await rpc<{ storageProof: { key: string }[] }>(
      'eth_getProof',
      ALICE.address,
      ['0x00', '0x'],
      'latest',
    )
    expect(proof.storageProof.map(({ key }) => key)).toEqual(['0x0', '0x0'])
  })

  it('safe and finalized are the head of the dev chain', async () => {
    const { rpc } = await open(options)
    await rpc('hardhat_mine', '0x3')
    for (const tag of ['safe', 'finalized']) {
      expect(await rpc('eth_getBlockByNumber', tag, false)).toMatchObject({ number: '0x3' })
      expect(await rpc('eth_getBalance', ALICE.address, tag)).toMatch(/^0x[1-9a-f]/)
    }
  })

  it('a traced call ends at the time limit of calls', async () => {
    const { rpc } = await open({ ...options, 'rpc-call-timeout-ms': 30, 'rpc-call-gas-cap': 0n })
    await rpc('anvil_setCode', EMITTER, ENDLESS)
    const call = { from: ALICE.address, to: EMITTER, gas: '0x1000000000' }
    const expired = profile === 'geth' ? 'execution aborted' : 'Timeout expired'
    const tracer = { tracer: 'callTracer' }
    await expect(rpc('debug_traceCall', call, 'latest', tracer)).rejects.toThrow(expired)
    const free = { from: ALICE.address, to: EMITTER, gas: '0x1000000', gasPrice: '0x3b9aca00' }
    await expect(rpc('trace_callMany', Array(400).fill([free, ['trace']]), 'latest')).rejects.toThrow(expired)
  })
})

describe('in the profile geth', () => {
  it.each([
    ['eth_getBalance', ['0x1234', 'latest']],
    ['eth_getBalance', [`${ALICE.address}00`, 'latest']],
    ['eth_getBalance', [ALICE.address.slice(0, -1), 'latest']],
    ['eth_getCode', ['0x', 'latest']],
    ['eth_getTransactionCount', ['0x0', 'latest']],
    ['eth_getStorageAt', ['0x00', '0x0', 'latest']],
    ['eth_getProof', ['0x01', [], 'latest']],
    ['eth_call', [{ to: '0x01' }, 'latest']],
    ['eth_call', [{ from: '0x01', to: EMITTER }, 'latest']],
    ['eth_call', [{ to: EMITTER }, 'latest', { '0x1': { balance: '0x1' } }]],
    ['eth_call', [{ to: EMITTER }, 'latest', { [EMITTER]: { stateDiff: { '0x1': ONE } } }]],
    ['eth_call', [{ to: EMITTER, accessList: [{ address: EMITTER, storageKeys: ['0x1'] }] }, 'latest']],
    ['eth_estimateGas', [{ to: '0x01' }]],
    ['eth_getLogs', [{ address: '0x01' }]],
    ['eth_getLogs', [{ address: [EMITTER, '0x01'] }]],
    ['eth_getLogs', [{ topics: ['0x01'] }]],
    ['eth_newFilter', [{ address: '0x01' }]],
    ['eth_getTransactionByHash', ['0x01']],
    ['eth_getBlockByHash', ['0x01', false]],
    ['eth_sendRawTransaction', ['0x123']],
    ['eth_call', [{ to: EMITTER, data: '0x123' }, 'latest']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: '0x01' }] }] }, 'latest']],
    ['trace_filter', [{ fromAddress: ['0x01'] }]],
    ['trace_callMany', [[[{ to: '0x01' }, ['trace']]], 'latest']],
    ['txpool_contentFrom', ['0x01']],
  ])('%s refuses %j', async (method, params) => {
    const { rpc } = await open({ 'rpc-profile': 'geth', 'rpc-http-api': ['ETH', 'TRACE', 'TXPOOL', 'DEV'] })
    await expect(rpc(method, ...params)).rejects.toMatchObject({ code: -32602 })
  })

  it('named parameters are an error of the method', async () => {
    const { node } = await open({ 'rpc-profile': 'geth' })
    const answer = async (request: object) => {
      const reply = await node.endpoints
        .get('http')
        .exchange.handle({ body: JSON.stringify({ jsonrpc: '2.0', ...request }) })
      return 'body' in reply && reply.body !== '' ? JSON.parse(reply.body as string) : undefined
    }
    const params = { type: 'ERC20', options: {} }
    expect(await answer({ id: 'a', method: 'wallet_registerOnboarding', params })).toMatchObject({
      id: 'a',
      error: { code: -32601, message: 'the method wallet_registerOnboarding does not exist/is not available' },
    })
    expect(await answer({ id: 1, method: 'eth_chainId', params })).toMatchObject({ id: 1, error: { code: -32602 } })
    expect(await answer({ method: 'wallet_registerOnboarding', params })).toBeUndefined()
    expect(await answer({ id: 1, method: 'wallet_registerOnboarding', params: 'x' })).toMatchObject({
      error: { code: -32600 },
    })
  })
})

describe('in the profile besu', () => {
  it('a short address is padded', async () => {
    const { rpc } = await open({ 'rpc-profile': 'besu' })
    expect(await rpc('eth_getBalance', '0x1234', 'latest')).toBe('0x0')
  })

  it('trace_filter does not support safe as block', async () => {
    const { rpc } = await open({ 'rpc-profile': 'besu' })
    await expect(rpc('trace_filter', { fromBlock: 'safe' })).rejects.toMatchObject({ code: -32603 })
  })

  it('named parameters make the request invalid', async () => {
    const { node } = await open({ 'rpc-profile': 'besu' })
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'wallet_registerOnboarding', params: {} })
    const reply = await node.endpoints.get('http').exchange.handle({ body: request })
    expect(reply).toMatchObject({ body: expect.stringContaining('"code":-32600') })
  })
})

describe('debug_batchSendRawTransaction', () => {
  const outcomes = async (profile: (typeof PROFILES)[number]) => {
    const { rpc } = await open({ 'rpc-profile': profile })
    const raws = await Promise.all([
      signed(ALICE, { nonce: 0 }),
      signed(ALICE, { nonce: 0 }),
      signed(ALICE, { nonce: 1, value: 10n ** 30n }),
      signed(BOB, { nonce: 0, gas: 20_000n }),
    ])
    const malformed = [LEGACY.join('1f'), '0x', '0xc0', '0xc101', '0x123', 'gdTr', null]
    const answers = await rpc<{ errorMessage?: string }[]>(
      'debug_batchSendRawTransaction',
      ...raws.map(bytesToHex),
      ...malformed,
    )
    return answers.map(({ errorMessage }) => errorMessage)
  }
  const undecodable = [
    'An unsupported encoded `v` value of 31 was found',
    ...Array(3).fill('Invalid RLP in raw transaction hex'),
    ...Array(3).fill('Invalid raw transaction hex'),
  ]

  it('names the reasons in the profile besu', async () => {
    const [first, ...others] = await outcomes('besu')
    expect(first).toBeUndefined()
    const reasons = ['NONCE_TOO_LOW', 'UPFRONT_COST_EXCEEDS_BALANCE', 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT']
    expect(others).toEqual([...reasons, ...undecodable])
  })

  it("uses go-ethereum's wording in the profile geth", async () => {
    const [first, ...others] = await outcomes('geth')
    expect(first).toBeUndefined()
    expect(others.slice(0, 3)).toEqual([
      expect.stringMatching(/^nonce too low/),
      expect.stringMatching(/^insufficient funds for gas/),
      expect.stringMatching(/^intrinsic gas too low/),
    ])
    expect(others.slice(3)).toEqual(undecodable)
  })
})
