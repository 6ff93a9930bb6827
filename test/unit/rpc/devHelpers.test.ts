import { createTestClient, custom } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { ethMethods } from '../../../src/rpc/methods/eth/index.ts'
import { MethodRegistry } from '../../../src/rpc/registry.ts'
import { openDevRpc } from '../../support/nodes/devRpc.ts'

const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const POOLED = `0x${'11'.repeat(32)}` as const
const UNKNOWN = `0x${'22'.repeat(32)}` as const
const WORD = `0x${'0'.repeat(63)}1` as const
const SLOT = `0x${'0'.repeat(63)}2` as const

let rpc: Awaited<ReturnType<typeof openDevRpc>>
beforeEach(async () => {
  rpc = await openDevRpc()
})

describe('each name', () => {
  it.each<[method: string, params: unknown[], result: unknown, told: string | readonly string[]]>([
    ['evm_snapshot', [], '0x1', 'snapshot()'],
    ['anvil_snapshot', [], '0x1', 'snapshot()'],
    ['evm_revert', ['0x1'], true, 'revert(1)'],
    ['evm_revert', [1], true, 'revert(1)'],
    ['anvil_revert', ['0x2'], false, 'revert(2)'],
    ['anvil_rollback', [], null, 'rollback(1)'],
    ['anvil_rollback', ['0x3'], null, 'rollback(3)'],
    ['anvil_addBalance', [ACCOUNT, '0x5'], null, `addBalance(${ACCOUNT}, 5)`],
    ['hardhat_addBalance', [ACCOUNT, 5], null, `addBalance(${ACCOUNT}, 5)`],
    ['anvil_reset', [], null, 'reset()'],
    ['hardhat_reset', [{ forking: { blockNumber: null } }], true, 'reset()'],
    ['hardhat_reset', [{}], true, 'reset()'],
    ['evm_mine', [], '0x0', 'mine(1)'],
    ['evm_mine', [0], '0x0', 'mine(1)'],
    ['evm_mine', [1_900_000_000], '0x0', 'mineAt(1900000000)'],
    ['evm_mine', ['0x713fb300'], '0x0', 'mineAt(1900000000)'],
    ['evm_mine', [{ blocks: '0x3' }], '0x0', 'mine(3)'],
    ['evm_mine', [{ timestamp: 1_900_000_000, blocks: 3 }], '0x0', ['mineAt(1900000000)', 'mine(2)']],
    ['anvil_mine', [], null, 'mine(1)'],
    ['anvil_mine', [3, 7], null, 'mine(3, 7)'],
    ['hardhat_mine', ['0x3', '0x7'], true, 'mine(3, 7)'],
    ['hardhat_mine', ['0x3', '0x0'], true, 'mine(3)'],
    ['hardhat_mine', ['0x0'], true, []],
    ['evm_setAutomine', [false], null, 'setAutomine(false)'],
    ['anvil_setAutomine', [true], null, 'setAutomine(true)'],
    ['anvil_getAutomine', [], true, []],
    ['hardhat_getAutomine', [], true, []],
    ['evm_setIntervalMining', [3000], null, 'setInterval(3000)'],
    ['evm_setIntervalMining', [3], null, 'setInterval(3000)'],
    ['evm_setIntervalMining', [0], null, 'setInterval(0)'],
    ['anvil_setIntervalMining', [3600], null, 'setInterval(3600000)'],
    ['anvil_getIntervalMining', [], 5, []],
    ['evm_increaseTime', [100], 140, 'increase(100)'],
    ['anvil_increaseTime', ['0x64'], 140, 'increase(100)'],
    ['evm_increaseTime', ['100'], 140, 'increase(100)'],
    ['evm_setTime', [1_900_000_000], 60, 'set(1900000000)'],
    ['anvil_setTime', [1_900_000_000_123], 60, 'set(1900000000)'],
    ['evm_setNextBlockTimestamp', ['0x713fb300'], null, 'setNextBlock(1900000000)'],
    ['anvil_setNextBlockTimestamp', [1_900_000_000], null, 'setNextBlock(1900000000)'],
    ['anvil_setBlockTimestampInterval', [5], null, 'setBlockInterval(5)'],
    ['hardhat_setBlockTimestampInterval', [5000], true, 'setBlockInterval(5)'],
    ['anvil_removeBlockTimestampInterval', [], true, 'setBlockInterval(undefined)'],
    ['anvil_setCoinbase', [ACCOUNT], null, `setCoinbase(${ACCOUNT})`],
    ['hardhat_setCoinbase', [ACCOUNT], true, `setCoinbase(${ACCOUNT})`],
    ['anvil_setNextBlockBaseFeePerGas', ['0x10'], null, 'setBaseFee(16)'],
    ['hardhat_setNextBlockBaseFeePerGas', ['0x0'], true, 'setBaseFee(0)'],
    ['hardhat_setPrevRandao', [WORD], true, `setPrevRandao(${WORD})`],
    ['evm_setBlockGasLimit', ['0x1c9c380'], true, 'setGasLimit(30000000)'],
    ['anvil_setBlockGasLimit', [30_000_000], true, 'setGasLimit(30000000)'],
    ['anvil_setBalance', [ACCOUNT, '0xde0b6b3a7640000'], null, `setBalance(${ACCOUNT}, 1000000000000000000)`],
    ['hardhat_setBalance', [ACCOUNT, '1000000000000000000'], true, `setBalance(${ACCOUNT}, 1000000000000000000)`],
    ['evm_setAccountBalance', [ACCOUNT, 7], true, `setBalance(${ACCOUNT}, 7)`],
    ['anvil_setNonce', [ACCOUNT, '0x7'], null, `setNonce(${ACCOUNT}, 7)`],
    ['hardhat_setNonce', [ACCOUNT, '0x7'], true, `setNonce(${ACCOUNT}, 7)`],
    ['evm_setAccountNonce', [ACCOUNT, '0x7'], true, `setNonce(${ACCOUNT}, 7)`],
    ['anvil_setCode', [ACCOUNT, '0x6001'], null, `setCode(${ACCOUNT}, 0x6001)`],
    ['hardhat_setCode', [ACCOUNT, '0x'], true, `setCode(${ACCOUNT}, 0x)`],
    ['evm_setAccountCode', [ACCOUNT, '0x6001'], true, `setCode(${ACCOUNT}, 0x6001)`],
    ['hardhat_setStorageAt', [ACCOUNT, '0x2', WORD], true, `setStorage(${ACCOUNT}, ${SLOT}, ${WORD})`],
    ['anvil_setStorageAt', [ACCOUNT, SLOT, WORD], true, `setStorage(${ACCOUNT}, ${SLOT}, ${WORD})`],
    ['evm_setAccountStorageAt', [ACCOUNT, 2, '0x1'], true, `setStorage(${ACCOUNT}, ${SLOT}, ${WORD})`],
    ['anvil_dropTransaction', [POOLED], POOLED, `dropTransaction(${POOLED})`],
    ['anvil_dropTransaction', [UNKNOWN], null, `dropTransaction(${UNKNOWN})`],
    ['hardhat_dropTransaction', [POOLED], true, `dropTransaction(${POOLED})`],
    ['hardhat_dropTransaction', [UNKNOWN], false, `dropTransaction(${UNKNOWN})`],
    ['anvil_dropAllTransactions', [], null, 'dropAllTransactions()'],
    ['anvil_setLoggingEnabled', [true], null, []],
    ['hardhat_setLoggingEnabled', [false], true, []],
    ['anvil_impersonateAccount', [ACCOUNT], null, []],
    ['hardhat_impersonateAccount', [ACCOUNT], true, []],
    ['anvil_stopImpersonatingAccount', [ACCOUNT], null, []],
    ['hardhat_stopImpersonatingAccount', [ACCOUNT], true, []],
    ['anvil_autoImpersonateAccount', [true], null, []],
    ['anvil_getGenesisTime', [], 0, []],
  ])('%s%j answers %j', async (method, params, result, told) => {
    expect(await rpc.call(method, ...params)).toMatchObject({ result })
    expect(rpc.told).toEqual(typeof told === 'string' ? [told] : told)
  })

  it.each([
    ['evm_revert', ['abc'], 'invalid argument 0 (id): expected an integer'],
    ['evm_increaseTime', [-5], '(seconds): expected a non-negative integer'],
    ['evm_increaseTime', [], 'missing value for required argument 0 (seconds)'],
    ['evm_mine', [{ blocks: 'x' }], '(options): blocks: expected an integer'],
    ['hardhat_mine', ['0x10000000000000000'], 'at most 64 bits'],
    ['evm_setIntervalMining', ['0x80000000'], 'at most 31 bits'],
    ['anvil_setIntervalMining', [2_200_000], 'at most 31 bits'],
    ['anvil_setBlockTimestampInterval', [0], 'at least one second'],
    ['hardhat_setBlockTimestampInterval', [500], 'at least one second'],
    ['hardhat_setBalance', [ACCOUNT], '(balance)'],
    ['hardhat_setBalance', [ACCOUNT, `0x1${'0'.repeat(64)}`], '(balance)'],
    ['hardhat_setBalance', ['x', '0x1'], '(address)'],
    ['hardhat_setStorageAt', [ACCOUNT, '0x2', `0x${'1'.repeat(66)}`], '(value)'],
    ['hardhat_setStorageAt', [ACCOUNT, 1.5, WORD], '(slot)'],
    ['hardhat_setPrevRandao', ['0x1'], '(prevRandao)'],
    ['anvil_reset', [{ forking: { jsonRpcUrl: 1 } }], 'jsonRpcUrl must be a text'],
    ['evm_setBlockGasLimit', ['0x1387'], 'gasLimit: expected at least 5000, got 4999'],
    ['hardhat_setMinGasPrice', ['0x1'], 'not supported when EIP-1559 is active'],
    ['evm_setAutomine', ['perhaps'], '(enabled)'],
  ])('%s%j is refused: %s', async (method, params, message) => {
    const { error } = await rpc.call(method, ...params)
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(message)
    expect(rpc.told).toEqual([])
  })

  it('a reset to another chain needs a chain in memory', async () => {
    const { error } = await rpc.call('anvil_reset', { forking: { jsonRpcUrl: 'http://localhost' } })
    expect(error?.message).toContain('--ephemeral')
    expect(rpc.told).toEqual([])
  })

  it('keeps impersonations', async () => {
    const bytes = new Uint8Array(20).fill(0, 0, 19)
    bytes[19] = 0xaa
    await rpc.call('hardhat_impersonateAccount', ACCOUNT)
    expect(rpc.dev.accounts.isImpersonated(bytes)).toBe(true)
    await rpc.call('anvil_stopImpersonatingAccount', ACCOUNT)
    expect(rpc.dev.accounts.isImpersonated(bytes)).toBe(false)
  })

  it('removes all transactions of a sender from the pool', async () => {
    await rpc.call('hardhat_impersonateAccount', ACCOUNT)
    const { result } = await rpc.call('eth_sendTransaction', { from: ACCOUNT, to: ACCOUNT })
    expect(await rpc.call('anvil_removePoolTransactions', ACCOUNT)).toMatchObject({ result: null })
    expect(rpc.told).toEqual([`dropTransaction(${result})`])
  })
})

/** Invalid parameters, unknown accounts, unknown batches of calls, parts that this node lacks. */
const REFUSALS = [undefined, -32602, -32000, -32601, 5730]

describe('parameters of any kind', () => {
  const ODD: readonly unknown[] = [
    null,
    true,
    -1,
    1.5,
    2 ** 60,
    '',
    '0x',
    'x',
    '0xzz',
    '-0x1',
    ' 1',
    `0x${'f'.repeat(65)}`,
    ACCOUNT,
    WORD,
    [],
    [[]],
    {},
    { to: 1 },
    { from: ACCOUNT, to: ACCOUNT, gas: {} },
    { forking: 1 },
    { timestamp: [] },
    { blocks: -1 },
    { types: {}, primaryType: 'toString', domain: {}, message: {} },
    '{"types":{"__proto__":[]},"primaryType":"__proto__","domain":{},"message":{}}',
  ]

  it('are either answered or refused', async () => {
    for (const { name } of devMethods) {
      for (const first of ODD) {
        for (const params of [[first], [ACCOUNT, first], [first, ACCOUNT], [ACCOUNT, first, first]]) {
          const { error } = await rpc.call(name, ...params)
          expect(REFUSALS, `${name} ${JSON.stringify(params)} ${error?.message}`).toContain(error?.code)
        }
      }
    }
  })
})

describe("the node's self-description", () => {
  it('has the shape of hardhat and of anvil', async () => {
    const hash = bytesToHex(rpc.chain.head.hash)
    const common = {
      clientVersion: 'isonode/v1.2.3/test',
      chainId: 31337,
      instanceId: `0x${'07'.repeat(32)}`,
      latestBlockNumber: 0,
      latestBlockHash: hash,
    }
    expect((await rpc.call('hardhat_metadata')).result).toEqual((await rpc.call('anvil_metadata')).result)
    expect((await rpc.call('anvil_metadata')).result).toEqual({
      ...common,
      clientSemver: '1.2.3',
      clientCommitSha: '',
      forkedNetwork: null,
      snapshots: { '0x1': [0, `0x${'07'.repeat(32)}`] },
    })
    expect((await rpc.call('anvil_nodeInfo')).result).toEqual({
      currentBlockNumber: '0x0',
      currentBlockTimestamp: 0,
      currentBlockHash: hash,
      hardFork: 'osaka',
      transactionOrder: 'fees',
      environment: { baseFee: '0x342770c0', chainId: 31337, gasLimit: '0x1c9c380', gasPrice: '0x6fc23ac0' },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    })
  })

  it('mines and shows the blocks', async () => {
    // The chain of this test does not advance: its head is the genesis block, which was not mined.
    expect((await rpc.call('anvil_mine_detailed')).result).toEqual([])
    expect(rpc.told).toEqual(['mine(1)'])
  })
})

describe.each(['anvil', 'hardhat', 'ganache'] as const)("viem's test client for %s", (mode) => {
  const client = () =>
    createTestClient({
      mode,
      transport: custom({
        request: async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
          const { result, error } = await rpc.call(method, ...params)
          if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
          return result
        },
      }),
    })

  it('finds its methods', async () => {
    const test = client()
    await test.setBalance({ address: ACCOUNT, value: 10n ** 18n })
    await test.setCode({ address: ACCOUNT, bytecode: '0x6001' })
    await test.setNonce({ address: ACCOUNT, nonce: 3 })
    await test.setStorageAt({ address: ACCOUNT, index: 2, value: WORD })
    await test.setCoinbase({ address: ACCOUNT })
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n })
    await test.setBlockGasLimit({ gasLimit: 30_000_000n })
    await test.setNextBlockTimestamp({ timestamp: 1_900_000_000n })
    await test.setBlockTimestampInterval({ interval: 5 })
    await test.removeBlockTimestampInterval()
    await test.increaseTime({ seconds: 100 })
    await test.mine({ blocks: 2 })
    await test.setIntervalMining({ interval: 5 })
    await test.impersonateAccount({ address: ACCOUNT })
    await test.stopImpersonatingAccount({ address: ACCOUNT })
    await test.dropTransaction({ hash: POOLED })
    await test.setLoggingEnabled(true)
    const id = await test.snapshot()
    await test.revert({ id })
    await test.reset()
    expect(rpc.told).toEqual([
      `setBalance(${ACCOUNT}, 1000000000000000000)`,
      `setCode(${ACCOUNT}, 0x6001)`,
      `setNonce(${ACCOUNT}, 3)`,
      `setStorage(${ACCOUNT}, ${SLOT}, ${WORD})`,
      `setCoinbase(${ACCOUNT})`,
      'setBaseFee(5)',
      'setGasLimit(30000000)',
      'setNextBlock(1900000000)',
      'setBlockInterval(5)',
      'setBlockInterval(undefined)',
      'increase(100)',
      'mine(2)',
      'setInterval(5000)',
      `dropTransaction(${POOLED})`,
      'snapshot()',
      'revert(1)',
      'reset()',
    ])
  })

  // ganache has no such methods.
  it.each(mode === 'ganache' ? [] : [mode])('reads and sets automatic mining', async () => {
    expect(await client().getAutomine()).toBe(true)
    await client().setAutomine(false)
    expect(rpc.told).toEqual(['setAutomine(false)'])
  })

  it('sends for any account', async () => {
    const hash = await client().sendUnsignedTransaction({ from: ACCOUNT, to: ACCOUNT, gas: 21_000n })
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(rpc.submitted).toHaveLength(1)
  })
})

describe('on any other chain', () => {
  it('the names are unknown, except for eth_sendTransaction', () => {
    const served = new MethodRegistry([...ethMethods]).serve(['ETH', 'DEV'])
    for (const { name, aliases = [] } of devMethods) {
      for (const each of [name, ...aliases]) {
        expect(served.methods.has(each)).toBe(false)
        const expected = each === 'eth_sendTransaction' ? 'SEND_TRANSACTION_NOT_AVAILABLE' : 'METHOD_NOT_FOUND'
        expect(served.refusal(each).code).toBe(expected)
      }
    }
  })
})
