/** viem's test client in its modes for anvil, hardhat and ganache: every action that the tool itself supports. */
import {
  createTestClient,
  defineChain,
  type Hex,
  http,
  type PublicActions,
  parseEther,
  parseGwei,
  publicActions,
  type TestClient,
  toHex,
  type WalletActions,
  walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { needsHost } from '../../support/host/needs.ts'
import { DEV_CHAIN_ID, DEV_HOSTS, DEV_MNEMONIC, type DevNode, startDevNode } from '../../support/nodes/devNode.ts'

type Mode = 'anvil' | 'hardhat' | 'ganache'
type Client = TestClient & PublicActions & WalletActions

const NOBODY = '0x1234567890123456789012345678901234567890'
const COINBASE = '0xc0ffee0000000000000000000000000000000000'
const RETURNS_42: Hex = '0x602a60005260206000f3'
/** Returns the word in slot 0. */
const READS_SLOT_0: Hex = '0x60005460005260206000f3'

const chain = defineChain({
  id: DEV_CHAIN_ID,
  name: 'dev',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})
const account = mnemonicToAccount(DEV_MNEMONIC)

function connect({ http: url }: DevNode, mode: Mode): Client {
  // One attempt, so that unsupported methods fail immediately.
  return createTestClient({ mode, chain, transport: http(url, { retryCount: 0 }), cacheTime: 0, pollingInterval: 25 })
    .extend(publicActions)
    .extend(walletActions) as unknown as Client
}

describe.each(DEV_HOSTS)('the test client on %s', (host) => {
  let node: DevNode
  beforeAll(async () => {
    node = await startDevNode(host)
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  /** Actions supported by all tools. */
  describe.each<Mode>(['anvil', 'hardhat', 'ganache'])('as it speaks to %s', (mode) => {
    let client: Client
    beforeEach(() => {
      client = connect(node, mode)
    })
    const likeGanache = needsHost(!(host === 'anvil' && mode === 'ganache'), 'anvil has other names for it')

    it('setBalance', likeGanache, async () => {
      await client.setBalance({ address: NOBODY, value: parseEther('3') })
      expect(await client.getBalance({ address: NOBODY })).toBe(parseEther('3'))
      await client.setBalance({ address: NOBODY, value: 0n })
      expect(await client.getBalance({ address: NOBODY })).toBe(0n)
    })

    it('setCode', likeGanache, async () => {
      await client.setCode({ address: NOBODY, bytecode: RETURNS_42 })
      expect(await client.getCode({ address: NOBODY })).toBe(RETURNS_42)
      expect((await client.call({ to: NOBODY })).data).toBe(toHex(42, { size: 32 }))
      await client.setCode({ address: NOBODY, bytecode: '0x' })
      expect(await client.getCode({ address: NOBODY })).toBeUndefined()
    })

    it('mine', likeGanache, async () => {
      const before = await client.getBlockNumber()
      await client.mine({ blocks: 3 })
      expect(await client.getBlockNumber()).toBe(before + 3n)
    })

    it('increaseTime', async () => {
      const { timestamp } = await client.getBlock()
      await client.increaseTime({ seconds: 3600 })
      await connect(node, 'anvil').mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp - timestamp).toBeGreaterThanOrEqual(3600n)
    })

    it('snapshot and revert', async () => {
      const [number, balance] = [await client.getBlockNumber(), await client.getBalance({ address: NOBODY })]
      const id = await client.snapshot()
      const hash = await client.sendTransaction({ account, chain, to: NOBODY, value: 1n })
      await client.waitForTransactionReceipt({ hash })
      expect(await client.getBalance({ address: NOBODY })).toBe(balance + 1n)
      await client.revert({ id: id as Hex })
      expect(await client.getBalance({ address: NOBODY })).toBe(balance)
      expect(await client.getBlockNumber()).toBe(number)
      await expect(client.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')
    })

    it('setAutomine and getAutomine', likeGanache, async () => {
      expect(await client.getAutomine()).toBe(true)
      await client.setAutomine(false)
      expect(await client.getAutomine()).toBe(false)
      const hash = await client.sendTransaction({ account, chain, to: NOBODY, value: 1n })
      expect((await client.getTransaction({ hash })).blockNumber).toBeNull()
      await client.setAutomine(true)
      expect(await client.getAutomine()).toBe(true)
      await client.mine({ blocks: 1 })
      expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    })
  })

  /** Actions that ganache does not support. */
  describe.each<Mode>(['anvil', 'hardhat'])('as it speaks to %s', (mode) => {
    let client: Client
    beforeEach(() => {
      client = connect(node, mode)
    })

    it('setNonce', async () => {
      await client.setNonce({ address: NOBODY, nonce: mode === 'anvil' ? 100 : 200 })
      expect(await client.getTransactionCount({ address: NOBODY })).toBe(mode === 'anvil' ? 100 : 200)
    })

    it('setStorageAt', async () => {
      await client.setCode({ address: NOBODY, bytecode: READS_SLOT_0 })
      const read = async (): Promise<Hex | undefined> => (await client.call({ to: NOBODY })).data
      await client.setStorageAt({ address: NOBODY, index: 0, value: toHex(7, { size: 32 }) })
      expect(await read()).toBe(toHex(7, { size: 32 }))
      await client.setStorageAt({ address: NOBODY, index: toHex(0, { size: 32 }), value: toHex(0, { size: 32 }) })
      expect(await read()).toBe(toHex(0, { size: 32 }))
      await client.setCode({ address: NOBODY, bytecode: '0x' })
    })

    it('impersonateAccount and stopImpersonatingAccount', async () => {
      const owner = '0x00000000000000000000000000000000000000aa'
      await client.setBalance({ address: owner, value: parseEther('1') })
      const send = (): Promise<Hex> => client.sendTransaction({ account: owner, chain, to: NOBODY, value: 1n })
      await expect(send()).rejects.toThrow()
      await client.impersonateAccount({ address: owner })
      const receipt = await client.waitForTransactionReceipt({ hash: await send() })
      expect(receipt).toMatchObject({ from: owner, status: 'success' })
      expect(await client.getTransaction({ hash: receipt.transactionHash })).toMatchObject({ from: owner })
      expect(await client.getTransactionCount({ address: owner })).toBeGreaterThan(0)
      await client.stopImpersonatingAccount({ address: owner })
      await expect(send()).rejects.toThrow()
    })

    it('mine with an interval', async () => {
      await client.mine({ blocks: 3, interval: 60 })
      const last = await client.getBlock()
      const first = await client.getBlock({ blockNumber: last.number - 2n })
      expect(last.timestamp - first.timestamp).toBe(120n)
    })

    it('setNextBlockTimestamp', async () => {
      const timestamp = (await client.getBlock()).timestamp + 1000n
      await client.setNextBlockTimestamp({ timestamp })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp).toBe(timestamp)
      await expect(client.setNextBlockTimestamp({ timestamp: timestamp - 500n })).rejects.toThrow()
    })

    it('setNextBlockBaseFeePerGas', async () => {
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('33') })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).baseFeePerGas).toBe(parseGwei('33'))
    })

    it('setBlockGasLimit', async () => {
      const { gasLimit } = await client.getBlock()
      await client.setBlockGasLimit({ gasLimit: 12_345_678n })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).gasLimit).toBe(12_345_678n)
      await client.setBlockGasLimit({ gasLimit })
    })

    it('setCoinbase', async () => {
      await client.setCoinbase({ address: COINBASE })
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).miner).toBe(COINBASE)
    })

    it('dropTransaction', async () => {
      await client.setAutomine(false)
      const hash = await client.sendTransaction({ account, chain, to: NOBODY, value: 1n })
      await client.dropTransaction({ hash })
      await expect(client.getTransaction({ hash })).rejects.toThrow('could not be found')
      await client.setAutomine(true)
    })

    // The unit of evm_setIntervalMining is milliseconds in hardhat and seconds in anvil.
    const likeHardhat = needsHost(!(host === 'anvil' && mode === 'hardhat'), 'anvil has another unit')
    it('setIntervalMining', likeHardhat, async () => {
      const before = await client.getBlockNumber()
      await client.setIntervalMining({ interval: 1 })
      await eventually(async () => expect(await client.getBlockNumber()).toBeGreaterThan(before))
      await client.setIntervalMining({ interval: 0 })
      await client.setAutomine(true)
      expect(await client.getAutomine()).toBe(true)
    })

    it('setLoggingEnabled', async () => {
      await client.setLoggingEnabled(false)
      const setLogging = { method: `${mode}_setLoggingEnabled` as never, params: [true] as never }
      expect(await client.request(setLogging)).toBe(host === 'anvil' || mode === 'anvil' ? null : true)
    })

    it('refuses setMinGasPrice when blocks have a base fee', async () => {
      await expect(client.setMinGasPrice({ gasPrice: parseGwei('3') })).rejects.toThrow()
    })

    it('reset', async () => {
      await client.mine({ blocks: 2 })
      // anvil itself refuses viem's request without a URL to fork from.
      if (host === 'anvil') await client.request({ method: 'anvil_reset' as never })
      else await client.reset()
      expect(await client.getBlockNumber()).toBe(0n)
      expect(await client.getBalance({ address: account.address })).toBe(parseEther('10000'))
      expect(await client.getTransactionCount({ address: NOBODY })).toBe(0)
    })
  })

  /** Actions that only anvil supports. */
  describe('as it speaks to anvil', () => {
    let client: Client
    beforeEach(() => {
      client = connect(node, 'anvil')
    })

    it('setBlockTimestampInterval and removeBlockTimestampInterval', async () => {
      await client.mine({ blocks: 1 })
      await client.setBlockTimestampInterval({ interval: 17 })
      await client.mine({ blocks: 1 })
      const { timestamp } = await client.getBlock()
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp).toBe(timestamp + 17n)
      await client.removeBlockTimestampInterval()
      await client.mine({ blocks: 1 })
      expect((await client.getBlock()).timestamp).toBeLessThan(timestamp + 34n)
    })

    it('sendUnsignedTransaction', async () => {
      await client.impersonateAccount({ address: NOBODY })
      await client.setBalance({ address: NOBODY, value: parseEther('1') })
      const hash = await client.sendUnsignedTransaction({ from: NOBODY, to: COINBASE, value: 1n })
      expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ from: NOBODY, status: 'success' })
      await client.stopImpersonatingAccount({ address: NOBODY })
    })

    it('getTxpoolStatus, getTxpoolContent and inspectTxpool', async () => {
      expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
      expect(await client.getTxpoolContent()).toEqual({ pending: {}, queued: {} })
      expect(await client.inspectTxpool()).toEqual({ pending: {}, queued: {} })
    })

    it('dumpState and loadState', async () => {
      await client.setBalance({ address: COINBASE, value: 77n })
      const state = await client.dumpState()
      await client.setBalance({ address: COINBASE, value: 1n })
      await client.loadState({ state })
      expect(await client.getBalance({ address: COINBASE })).toBe(77n)
    })
  })
})
