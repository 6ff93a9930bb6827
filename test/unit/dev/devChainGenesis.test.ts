/** Dev chains that options describe: their genesis, their accounts, and what an existing chain accepts. */
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../../../adapters/shared/systemPorts.ts'
import { DEV_ACCOUNTS, DEV_NETWORK_ACCOUNTS } from '../../../src/config/devAccounts.ts'
import { DEV_FORKS, devChainRecord, devGenesis } from '../../../src/config/devGenesis.ts'
import { defaultOptions, type NodeOptions, OPTIONS } from '../../../src/config/options.ts'
import { newDevChain, storedDevChain } from '../../../src/dev/devChainGenesis.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { type OpenedNode, openDevNode, TestClock } from '../../support/nodes/devNodeInMemory.ts'

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const ETHER = 10n ** 18n
const PORTS = { random: systemRandom, clock: new TestClock() }
const NOW = PORTS.clock.seconds
const [FIRST, SECOND] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]

function optionsOf(given: Partial<NodeOptions> = {}): NodeOptions {
  return { ...defaultOptions(true), ...given }
}

/** Opens a node on the chain that the options describe. */
async function open(given: Partial<NodeOptions> = {}, file?: object) {
  const options = optionsOf(given)
  const chain = await newDevChain(options, PORTS, file === undefined ? undefined : JSON.stringify(file))
  return openDevNode(options, undefined, {}, JSON.parse(chain.text), chain)
}

async function reopened(first: Partial<NodeOptions>, then: Partial<NodeOptions>, files: readonly object[] = []) {
  const [before, after] = files.map((file) => JSON.stringify(file))
  const { text } = await newDevChain(optionsOf(first), PORTS, before)
  const json = JSON.parse(text)
  const record = devChainRecord(json)
  if (record === undefined) throw new Error('not a dev chain')
  return storedDevChain({ json, record, directory: '/data' }, optionsOf(then), after)
}

async function timeOf(rpc: OpenedNode['rpc'], block: string): Promise<number> {
  return Number((await rpc<{ timestamp: string }>('eth_getBlockByNumber', block, false)).timestamp)
}

it('blocks of the DAO fork have the extra data that other nodes demand', async () => {
  const config = {
    chainId: 1,
    homesteadBlock: 0,
    daoForkBlock: 2,
    daoForkSupport: true,
    ethash: { fixeddifficulty: 1 },
  }
  const { node, rpc } = await open({}, { config, gasLimit: '0x1c9c380', difficulty: '0x1', alloc: {} })
  await rpc('hardhat_mine', '0xc')
  const extra = async (number: number): Promise<string> =>
    (await rpc<{ extraData: string }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).extraData
  const fork = '0x64616f2d686172642d666f726b'
  expect([await extra(1), await extra(2), await extra(11), await extra(12)]).toEqual(['0x', fork, fork, '0x'])
  await node.close()
})

describe('a new dev chain', () => {
  it('has ten accounts and the chain id 31337 by default', async () => {
    const chain = await newDevChain(optionsOf(), PORTS)
    expect(chain.accounts).toEqual(DEV_ACCOUNTS)
    expect(chain.accounts).toHaveLength(10)
    expect(chain.genesis.config.chainId).toBe(31337n)
    expect(chain.genesis.config.networkId).toBe(31337n)
    const { isonodeDevChain, ...json } = JSON.parse(chain.text)
    expect(json).toEqual(devGenesis({ timestamp: NOW }))
    expect(isonodeDevChain).toEqual({ wallet: chain.wallet })
  })

  it('uses the defaults that the option table names', async () => {
    const { genesis, wallet, accounts } = await newDevChain(optionsOf(), PORTS)
    expect(Number(genesis.config.chainId)).toBe(OPTIONS['chain-id'].newChainDefault)
    expect(genesis.fields.gasLimit).toBe(OPTIONS['gas-limit'].newChainDefault)
    expect(genesis.fields.baseFeePerGas).toBe(OPTIONS['base-fee'].newChainDefault)
    expect(wallet).toEqual({
      mnemonic: OPTIONS.mnemonic.newChainDefault,
      derivationPath: OPTIONS['derivation-path'].newChainDefault,
      accounts: OPTIONS.accounts.newChainDefault,
    })
    expect(BigInt(accounts[0]?.balance ?? 0)).toBe(OPTIONS.balance.newChainDefault)
    expect(OPTIONS['dev-fork'].choices).toEqual(DEV_FORKS)
    expect(OPTIONS['dev-fork'].newChainDefault).toBe(DEV_FORKS.at(-1))
  })

  it('begins at the present time, rounded down, and follows the clock', async () => {
    const now = NOW * 1000 + 999
    const { genesis } = await newDevChain(optionsOf(), { ...PORTS, clock: { now: () => now } })
    expect(genesis.fields.timestamp).toBe(BigInt(NOW))
    const { rpc, clock } = await open()
    expect(await timeOf(rpc, '0x0')).toBe(NOW)
    await rpc('evm_mine')
    expect(await timeOf(rpc, 'latest')).toBe(NOW + 1)
    clock.seconds += 60
    await rpc('evm_mine')
    expect(await timeOf(rpc, 'latest')).toBe(NOW + 60)
  })

  it.each(['anvil_reset', 'hardhat_reset'])('begins again at the present time after %s', async (reset) => {
    const { rpc, clock } = await open()
    const first = await rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
    const balance = await rpc('eth_getBalance', FIRST, 'latest')
    await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    await rpc('evm_increaseTime', 1000)
    clock.seconds += 60
    for (const later of [0, 60, 60]) {
      clock.seconds += later
      await rpc(reset)
      expect(await rpc('eth_blockNumber')).toBe('0x0')
      expect(await timeOf(rpc, 'latest')).toBe(clock.seconds)
      expect(await rpc('eth_getBalance', FIRST, 'latest')).toBe(balance)
      expect(await rpc('eth_getBlockByNumber', '0x0', false)).not.toMatchObject({ hash: first.hash })
      const hash = await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
      expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1', status: '0x1' })
      expect(await timeOf(rpc, 'latest')).toBe(clock.seconds + 1)
    }
  })

  it('keeps a new beginning in its store', async () => {
    const chain = await newDevChain(optionsOf(), PORTS)
    const kv = new MemoryStore()
    const openStored = () => openDevNode(optionsOf(), kv, {}, JSON.parse(chain.text), chain)
    const before = await openStored()
    before.clock.seconds += 60
    await before.rpc('anvil_reset')
    await before.rpc('evm_mine')
    const head = await before.rpc('eth_getBlockByNumber', 'latest', false)
    await before.node.close()
    const { rpc } = await openStored()
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toEqual(head)
    expect(await timeOf(rpc, '0x0')).toBe(NOW + 60)
  })

  it('begins at a given time, from which its clock continues, also after a reset', async () => {
    const { rpc, clock } = await open({ timestamp: 1_000_000 })
    for (const reset of [false, true]) {
      clock.seconds += 60
      if (reset) await rpc('anvil_reset')
      expect(await timeOf(rpc, '0x0')).toBe(1_000_000)
      await rpc('evm_mine')
      expect(await timeOf(rpc, 'latest')).toBeGreaterThan(1_000_000)
      expect(await timeOf(rpc, 'latest')).toBeLessThan(1_000_100)
    }
  })

  it('derives its accounts from a random mnemonic, which an existing chain keeps', async () => {
    const chain = await newDevChain(optionsOf({ 'mnemonic-random': 15, accounts: 3 }), PORTS)
    expect(chain.wallet.mnemonic.split(' ')).toHaveLength(15)
    expect(chain.accounts).toHaveLength(3)
    const other = await newDevChain(optionsOf({ 'mnemonic-random': 15 }), PORTS)
    expect(other.wallet.mnemonic).not.toBe(chain.wallet.mnemonic)
    expect(other.accounts).toHaveLength(10)
    const stored = { json: JSON.parse(chain.text), record: { wallet: chain.wallet }, directory: '/data' }
    expect((await storedDevChain(stored, optionsOf({ 'mnemonic-random': 12 }))).accounts).toEqual(chain.accounts)
    expect((await storedDevChain(stored, optionsOf())).wallet.mnemonic).toBe(chain.wallet.mnemonic)
    await expect(reopened({}, { 'mnemonic-random': 12 })).rejects.toThrow('was created without --mnemonic-random')
    await expect(newDevChain(optionsOf({ 'mnemonic-random': 13 }), PORTS)).rejects.toThrow(
      'the mnemonic: expected 12, 15, 18, 21 or 24 words, got 13',
    )
  })

  it.each([
    ['FEES', [2, 1]],
    ['FIFO', [1, 2]],
  ] as const)('orders the transactions of a block: %s', async (order, values) => {
    const { rpc } = await open({ order, 'no-mining': true })
    for (const [from, value] of [
      [FIRST, 1],
      [SECOND, 2],
    ] as const) {
      const fee = `0x${(BigInt(value) * 10n ** 10n).toString(16)}`
      await rpc('eth_sendTransaction', { from, to: FIRST, value: `0x${value}`, gasPrice: fee })
    }
    await rpc('evm_mine')
    const { transactions } = await rpc<{ transactions: { value: string }[] }>('eth_getBlockByNumber', 'latest', true)
    expect(transactions.map(({ value }) => Number(value))).toEqual(values)
  })

  it('funds and lists exactly the accounts that are asked for', async () => {
    const { rpc } = await open({ accounts: 12, balance: ETHER / 2n })
    const accounts = await rpc<string[]>('eth_accounts')
    expect(accounts).toHaveLength(12)
    for (const account of accounts) expect(BigInt(await rpc('eth_getBalance', account, 'latest'))).toBe(ETHER / 2n)
    await rpc('eth_sendTransaction', { from: accounts[11], to: FIRST, value: '0x1' })
    expect(BigInt(await rpc('eth_getBalance', FIRST, 'latest'))).toBe(ETHER / 2n + 1n)
  })

  it('derives the accounts of another mnemonic', async () => {
    const { rpc } = await open({ mnemonic: OTHER, accounts: 2 })
    const [first] = await rpc<string[]>('eth_accounts')
    expect(first).toBe('0x58a57ed9d8d624cbd12e2c467d34787555bb1b25')
    const hash = await rpc('eth_sendTransaction', { from: first, to: FIRST, value: '0x1' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ from: first, status: '0x1' })
  })

  it('may have no accounts', async () => {
    expect(await (await open({ accounts: 0 })).rpc('eth_accounts')).toEqual([])
  })

  it('has the gas limit and the base fee of the options', async () => {
    const { rpc } = await open({ 'gas-limit': 5_000_000n, 'base-fee': 0n, 'chain-id': 7 })
    await rpc('evm_mine')
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      gasLimit: '0x4c4b40',
      baseFeePerGas: '0x0',
    })
    expect(await rpc('eth_chainId')).toBe('0x7')
  })

  it('accepts code up to the limit of the options', async () => {
    // Returns 30,000 bytes.
    const data = '0x6175306000f3'
    const send = { from: FIRST, data, gas: '0x989680' }
    const limited = await open()
    await expect(limited.rpc('eth_call', send)).rejects.toThrow(/code size/)
    expect(await (await open({ 'code-size-limit': 30_000 })).rpc('eth_call', send)).toMatch(/^0x0{60000}$/)
  })

  it('lifts the gas limits of calls and of transactions on request', async () => {
    const transaction = { from: FIRST, to: SECOND, gas: '0x1312d00' }
    await expect((await open()).rpc('eth_sendTransaction', transaction)).rejects.toThrow(/16777216/)
    const { rpc } = await open({ 'allow-unlimited-gas': true })
    const hash = await rpc('eth_sendTransaction', transaction)
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    // GAS, returned
    const gas = await rpc('eth_call', { to: SECOND, gas: '0xffffffffff' }, 'latest', {
      [SECOND]: { code: '0x5a5f5260205ff3' },
    })
    expect(BigInt(gas as string)).toBeGreaterThan(10n ** 12n)
  })

  it.each(DEV_FORKS)('seals transactions under %s', async (fork) => {
    const { rpc } = await open({ 'dev-fork': fork })
    const hash = await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1', gasUsed: '0x5208' })
    const block = await rpc<Record<string, unknown>>('eth_getBlockByNumber', 'latest', false)
    expect('baseFeePerGas' in block).toBe(DEV_FORKS.indexOf(fork) >= DEV_FORKS.indexOf('LONDON'))
    const { type } = await rpc<{ type: string }>('eth_getTransactionByHash', hash)
    expect(type).toBe('baseFeePerGas' in block ? '0x2' : '0x0')
  })

  it('refuses a base fee before London, and balances beyond 2^256', async () => {
    await expect(newDevChain(optionsOf({ 'base-fee': 1n, 'dev-fork': 'BERLIN' }), PORTS)).rejects.toThrow(
      '--base-fee needs the fork LONDON or a later one, not BERLIN',
    )
    await expect(newDevChain(optionsOf({ balance: 2n ** 255n, accounts: 2 }), PORTS)).rejects.toThrow(
      'the balances of 2 accounts add up to 2^256 wei or more',
    )
  })
})

describe('mining and impersonation at the start', () => {
  it('waits for a request with no-mining, and mines each transaction after miner_start', async () => {
    const { rpc } = await open({ 'no-mining': true })
    await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    await rpc('evm_mine')
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    await rpc('miner_start')
    await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    expect(await rpc('eth_blockNumber')).toBe('0x2')
  })

  it('accepts every sender with auto-impersonate, also after a reset', async () => {
    const { rpc } = await open({ 'auto-impersonate': true })
    const stranger = `0x${'ab'.repeat(20)}`
    const receiptOfStranger = async () => {
      await rpc('anvil_setBalance', stranger, '0xde0b6b3a7640000')
      const hash = await rpc('eth_sendTransaction', { from: stranger, to: SECOND })
      return rpc('eth_getTransactionReceipt', hash)
    }
    const expected = { from: stranger, status: '0x1', blockNumber: '0x1' }
    expect(await receiptOfStranger()).toMatchObject(expected)
    await rpc('anvil_reset')
    expect(await receiptOfStranger()).toMatchObject(expected)
  })
})

describe('an existing dev chain', () => {
  it('continues with its own accounts and properties', async () => {
    const chain = await reopened({ accounts: 3, mnemonic: OTHER, balance: 5n, 'chain-id': 9 }, {})
    expect(chain.accounts).toHaveLength(3)
    expect(chain.accounts[0]).toMatchObject({ address: '0x58a57ed9d8d624cbd12e2c467d34787555bb1b25', balance: '0x5' })
    expect(chain.genesis.config.chainId).toBe(9n)
    expect((await reopened({}, {})).accounts).toEqual(DEV_ACCOUNTS)
  })

  it('keeps the time of its block 0', async () => {
    const given = await reopened({ timestamp: 5 }, {})
    expect(given).toMatchObject({ beginsNow: false, genesis: { fields: { timestamp: 5n } } })
    const chain = await newDevChain(optionsOf(), PORTS)
    const stored = { json: JSON.parse(chain.text), record: { wallet: chain.wallet }, directory: '/data' }
    const again = await storedDevChain(stored, optionsOf())
    expect(again).toMatchObject({ beginsNow: true, genesis: { fields: { timestamp: BigInt(NOW) } } })
    await expect(storedDevChain(stored, optionsOf({ timestamp: 5 }))).rejects.toThrow(
      `was created with --timestamp=${NOW}, not 5`,
    )
  })

  it('of an older build has the accounts of --network=dev as well', async () => {
    const accounts = [...DEV_ACCOUNTS, ...DEV_NETWORK_ACCOUNTS]
    const stored = { json: devGenesis({ accounts }), record: {}, directory: '/data' }
    expect((await storedDevChain(stored, optionsOf())).accounts).toEqual(accounts)
  })

  it('accepts the options that it was created with', async () => {
    const options = {
      accounts: 2,
      balance: ETHER / 4n,
      mnemonic: OTHER,
      'base-fee': 5n,
      'chain-id': 3,
      'code-size-limit': 99_999,
      'dev-fork': 'PRAGUE',
      'gas-limit': 6_000_000n,
      'allow-unlimited-gas': true,
    } as const
    const chain = await reopened(options, { ...options, mnemonic: OTHER.toUpperCase() })
    expect(chain.accounts).toHaveLength(2)
    await expect(reopened({}, { accounts: 10, balance: 10_000n * ETHER, 'dev-fork': 'OSAKA' })).resolves.toBeDefined()
  })

  it.each([
    [{ 'chain-id': 5 }, 'with --chain-id=31337, not 5'],
    [{ 'dev-fork': 'PARIS' }, 'with --dev-fork=OSAKA, not PARIS'],
    [{ 'gas-limit': 6000n }, 'with --gas-limit=30000000, not 6000'],
    [{ 'base-fee': 7n }, 'with --base-fee=1000000000, not 7'],
    [{ 'code-size-limit': 7 }, 'without --code-size-limit'],
    [{ 'allow-unlimited-gas': true }, 'with --allow-unlimited-gas=false, not true'],
    [{ mnemonic: OTHER }, 'with another --mnemonic'],
    [{ 'derivation-path': 'm/1' }, "with --derivation-path=m/44'/60'/0'/0, not m/1"],
    [{ accounts: 3 }, 'with --accounts=10, not 3'],
    [{ balance: ETHER / 2n }, 'with --balance=10000, not 0.5'],
  ] as const)('refuses %o', async (options, difference) => {
    const message = `the dev chain in /data was created ${difference}: omit the option, or create another chain with --data-path or --ephemeral`
    await expect(reopened({}, options)).rejects.toMatchObject({ code: 'GENESIS_MISMATCH', message })
  })
})

const FILE = {
  config: { chainId: 4711, terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
  difficulty: '0x0',
  gasLimit: '0x47b760',
  alloc: { [SECOND.slice(2).toUpperCase()]: { balance: '7' }, [`0x${'99'.repeat(20)}`]: { balance: '0x3' } },
}

describe('a genesis file on the dev chain', () => {
  it('keeps its chain id, forks and accounts, and has the dev accounts as well', async () => {
    const { rpc } = await open({}, FILE)
    expect(await rpc('eth_chainId')).toBe('0x1267')
    expect(await rpc('eth_accounts')).toHaveLength(10)
    expect(await rpc('eth_getBalance', SECOND, 'latest')).toBe('0x7')
    expect(await rpc('eth_getBalance', `0x${'99'.repeat(20)}`, 'latest')).toBe('0x3')
    const hash = await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', blockNumber: '0x1' })
    const block = await rpc<Record<string, unknown>>('eth_getBlockByNumber', 'latest', false)
    expect(block).toMatchObject({ gasLimit: '0x47b760', requestsHash: expect.any(String) })
  })

  it.each([
    ['proof of work at London', { chainId: 8, londonBlock: 0, ethash: {} }, '0x2', true],
    ['proof of authority at Berlin', { chainId: 8, berlinBlock: 0, clique: { period: 5 } }, '0x0', false],
    ['a migration of validators', { chainId: 8, londonBlock: 0, ibft2: {}, qbft: { startBlock: 9 } }, '0x2', true],
    ['a merge in the future', { chainId: 8, londonBlock: 0, terminalTotalDifficulty: 10n.toString() }, '0x2', true],
    [
      'forks by time',
      { chainId: 8, londonBlock: 0, terminalTotalDifficulty: 5, shanghaiTime: 0, cancunTime: 0 },
      '0x2',
      true,
    ],
  ])('mines immediately, whatever its consensus: %s', async (_name, config, type, hasBaseFee) => {
    const { rpc } = await open({}, { config, difficulty: '0x1', gasLimit: '0x47b760', alloc: {} })
    for (let number = 1; number < 12; number++) {
      const hash = await rpc('eth_sendTransaction', { from: FIRST, to: SECOND, value: '0x1' })
      expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: `0x${number.toString(16)}` })
      expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ type })
    }
    expect('baseFeePerGas' in (await rpc<object>('eth_getBlockByNumber', 'latest', false))).toBe(hasBaseFee)
  })

  it('names the consensus engine that does not apply', async () => {
    const file = { ...FILE, config: { chainId: 8, londonBlock: 0, clique: {} } }
    expect((await newDevChain(optionsOf(), PORTS, JSON.stringify(file))).unusedSections).toEqual(['clique'])
    expect((await newDevChain(optionsOf(), PORTS, JSON.stringify(FILE))).unusedSections).toEqual([])
  })

  it('is unchanged without accounts', async () => {
    const { genesis } = await newDevChain(optionsOf({ accounts: 0 }), PORTS, JSON.stringify(FILE))
    expect(genesis.alloc).toHaveLength(2)
  })

  it('is recognized when the chain is opened again', async () => {
    const again = await reopened({}, {}, [FILE, { ...FILE }])
    expect(again.genesis.config.chainId).toBe(4711n)
    expect(again.accounts[0]).toEqual(DEV_ACCOUNTS[0])
    expect(again.accounts[1]?.balance).toBe('0x7')
    await expect(reopened({}, {}, [FILE, { ...FILE, gasLimit: '0x1' }])).rejects.toThrow(
      /was created from another genesis file/,
    )
  })

  it('is refused with the faults of the file', async () => {
    await expect(newDevChain(optionsOf(), PORTS, '{"config":5}')).rejects.toMatchObject({
      code: 'INVALID_GENESIS',
    })
    await expect(newDevChain(optionsOf(), PORTS, '{')).rejects.toMatchObject({ code: 'INVALID_GENESIS' })
  })
})
