/** One check per action of viem's `testActions`. Each is run in every mode, and leaves the chain as the others need it. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { pad, parseEther, parseGwei, zeroHash } from 'viem'
import { accounts } from './clients.mjs'

const NOBODY = '0x1234567890123456789012345678901234567890'
const COINBASE = '0xc0ffee0000000000000000000000000000000000'
const RETURNS_42 = '0x602a60005260206000f3'
const GAS = 100_000n

const pay = (client, fields = {}) => client.sendTransaction({ to: NOBODY, value: 1n, gas: GAS, ...fields })
const isMined = (client, hash) =>
  client.getTransactionReceipt({ hash }).then(
    () => true,
    () => false,
  )

const timeOf = async (client, blockNumber) => (await client.getBlock({ blockNumber })).timestamp

/** Transactions wait until the check ends. */
async function withoutMining(client, check) {
  await client.setAutomine(false)
  try {
    await check()
  } finally {
    await client.setAutomine(true)
    await client.mine({ blocks: 1 })
  }
}

const mining = {
  mine: async (client) => {
    const before = await client.getBlockNumber()
    await client.mine({ blocks: 3 })
    assert.equal(await client.getBlockNumber(), before + 3n)
  },
  'mine with an interval': async (client) => {
    const { timestamp, number } = await client.getBlock()
    await client.mine({ blocks: 3, interval: 10 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 20n)
    const [second, third] = [await timeOf(client, number + 2n), await timeOf(client, number + 3n)]
    assert.equal(third - second, 10n)
  },
  getAutomine: async (client) => assert.equal(await client.getAutomine(), true),
  setAutomine: (client) =>
    withoutMining(client, async () => assert.equal(await isMined(client, await pay(client)), false)),
  setIntervalMining: async (client) => {
    const before = await client.getBlockNumber()
    await client.setIntervalMining({ interval: 1 })
    try {
      await delay(1_500)
      assert.ok((await client.getBlockNumber()) > before)
    } finally {
      await client.setIntervalMining({ interval: 0 })
      await client.setAutomine(true).catch(() => {})
    }
  },
}

const time = {
  increaseTime: async (client) => {
    const { timestamp } = await client.getBlock()
    await client.increaseTime({ seconds: 1000 })
    await client.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 1000n)
  },
  setNextBlockTimestamp: async (client) => {
    const timestamp = (await client.getBlock()).timestamp + 12_345n
    await client.setNextBlockTimestamp({ timestamp })
    await client.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).timestamp, timestamp)
  },
  setBlockTimestampInterval: async (client) => {
    await client.setBlockTimestampInterval({ interval: 17 })
    try {
      await client.mine({ blocks: 1 })
      const { timestamp } = await client.getBlock()
      await client.mine({ blocks: 1 })
      assert.equal((await client.getBlock()).timestamp, timestamp + 17n)
    } finally {
      await client.removeBlockTimestampInterval()
    }
  },
  removeBlockTimestampInterval: async (client) => {
    await client.setBlockTimestampInterval({ interval: 100 })
    await client.removeBlockTimestampInterval()
    await client.mine({ blocks: 1 })
    const { timestamp } = await client.getBlock()
    await client.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp < timestamp + 100n)
  },
}

const state = {
  setBalance: async (client) => {
    await client.setBalance({ address: COINBASE, value: 77n })
    assert.equal(await client.getBalance({ address: COINBASE }), 77n)
  },
  setCode: async (client) => {
    await client.setCode({ address: NOBODY, bytecode: RETURNS_42 })
    try {
      assert.equal((await client.call({ to: NOBODY })).data, pad('0x2a'))
    } finally {
      await client.setCode({ address: NOBODY, bytecode: '0x' })
    }
  },
  setNonce: async (client) => {
    const { address } = accounts[4]
    const nonce = 5 + (await client.getTransactionCount({ address }))
    await client.setNonce({ address, nonce })
    assert.equal(await client.getTransactionCount({ address }), nonce)
  },
  setStorageAt: async (client) => {
    await client.setStorageAt({ address: COINBASE, index: 1, value: pad('0x5') })
    assert.equal(await client.getStorageAt({ address: COINBASE, slot: pad('0x1') }), pad('0x5'))
    await client.setStorageAt({ address: COINBASE, index: 1, value: zeroHash })
  },
  impersonateAccount: async (client) => {
    await client.setBalance({ address: NOBODY, value: parseEther('1') })
    await client.impersonateAccount({ address: NOBODY })
    try {
      const hash = await pay(client, { account: NOBODY, to: COINBASE })
      assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
    } finally {
      await client.stopImpersonatingAccount({ address: NOBODY }).catch(() => {})
    }
  },
  stopImpersonatingAccount: async (client) => {
    await client.impersonateAccount({ address: NOBODY })
    await client.stopImpersonatingAccount({ address: NOBODY })
    await assert.rejects(pay(client, { account: NOBODY, to: COINBASE }))
  },
  dumpState: async (client) => assert.match(await client.dumpState(), /^0x/),
  loadState: async (client) => {
    await client.setBalance({ address: COINBASE, value: 78n })
    const dumped = await client.dumpState()
    await client.setBalance({ address: COINBASE, value: 1n })
    await client.loadState({ state: dumped })
    assert.equal(await client.getBalance({ address: COINBASE }), 78n)
  },
  snapshot: async (client) => assert.match(await client.snapshot(), /^0x/),
  revert: async (client) => {
    const [id, before] = [await client.snapshot(), await client.getBlockNumber()]
    await client.mine({ blocks: 2 })
    await client.revert({ id })
    assert.equal(await client.getBlockNumber(), before)
  },
}

const blocks = {
  setBlockGasLimit: async (client) => {
    const { gasLimit } = await client.getBlock()
    await client.setBlockGasLimit({ gasLimit: 12_345_678n })
    try {
      await client.mine({ blocks: 1 })
      assert.equal((await client.getBlock()).gasLimit, 12_345_678n)
    } finally {
      await client.setBlockGasLimit({ gasLimit })
      await client.mine({ blocks: 1 })
    }
  },
  setCoinbase: async (client) => {
    await client.setCoinbase({ address: COINBASE })
    await client.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).miner.toLowerCase(), COINBASE)
  },
  setNextBlockBaseFeePerGas: async (client) => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('7') })
    await client.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).baseFeePerGas, parseGwei('7'))
  },
  setMinGasPrice: (client) => client.setMinGasPrice({ gasPrice: parseGwei('1') }),
  setLoggingEnabled: async (client) => {
    await client.setLoggingEnabled(false)
    await client.setLoggingEnabled(true)
  },
}

const pool = {
  dropTransaction: (client) =>
    withoutMining(client, async () => {
      const hash = await pay(client)
      await client.dropTransaction({ hash })
      await client.mine({ blocks: 1 })
      assert.equal(await isMined(client, hash), false)
    }),
  getTxpoolStatus: (client) =>
    withoutMining(client, async () => {
      await pay(client)
      assert.equal((await client.getTxpoolStatus()).pending, 1)
    }),
  getTxpoolContent: (client) =>
    withoutMining(client, async () => {
      await pay(client)
      assert.equal(Object.keys((await client.getTxpoolContent()).pending).length, 1)
    }),
  inspectTxpool: (client) =>
    withoutMining(client, async () => {
      await pay(client)
      assert.equal(Object.keys((await client.inspectTxpool()).pending).length, 1)
    }),
  sendUnsignedTransaction: async (client) => {
    await client.setBalance({ address: NOBODY, value: parseEther('1') })
    await client.impersonateAccount({ address: NOBODY }).catch(() => {})
    const fields = { from: NOBODY, to: COINBASE, value: 1n, gas: GAS, maxFeePerGas: parseGwei('100') }
    const hash = await client.sendUnsignedTransaction(fields)
    assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
  },
}

/** The last ones, because they delete the contracts of the other checks. `fork` is the URL of another node. */
const resets = {
  reset: async (client) => {
    await client.mine({ blocks: 2 })
    await client.reset()
    assert.equal(await client.getBlockNumber(), 0n)
  },
  'reset to a fork': async (client, { fork }) => {
    await client.reset({ jsonRpcUrl: fork, blockNumber: 1n })
    assert.equal(await client.getBlockNumber(), 1n)
  },
  setRpcUrl: async (client, { fork }) => {
    await client.reset({ jsonRpcUrl: fork, blockNumber: 1n })
    await client.setRpcUrl(fork)
  },
}

/** Actions that only a fork of another chain makes sense of. */
export const FORK_CHECKS = ['reset to a fork', 'setRpcUrl']

export const TEST_CHECKS = { ...mining, ...time, ...state, ...blocks, ...pool, ...resets }
