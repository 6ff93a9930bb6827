/**
 * The rows of the comparison. Each check calls the tool or reads its log.
 * @returns by check: 'yes', 'no', or 'part: …'
 */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FAIL, GREET, PROBE, TOKEN } from './probe.mjs'
import { callOverWebSocket, start, TOOLS, temporary } from './tools.mjs'

const MNEMONIC = 'test test test test test test test test test test test junk'
const OTHER_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const CHECKSUMMED = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const FORKED = '0x00000000000000000000000000000000000f0f0f'
const ZERO_HASH = `0x${'0'.repeat(64)}`
const ETHER = `0x${(10n ** 18n).toString(16)}`
const GAS = '0x186a0'

/** 'yes' when nothing is missing. */
function verdict(all, missing) {
  if (missing.length === 0) return 'yes'
  return missing.length === all.length ? 'no' : `part: no ${missing.join(', ')}`
}

/** One node per tool, with default options, for checks that do not disturb each other. */
const shared = new Map()

async function withShared(tool, check) {
  if (!shared.has(tool)) shared.set(tool, start(tool))
  return check(await shared.get(tool))
}

export async function stopShared() {
  for (const node of await Promise.all(shared.values())) await node.stop()
}

async function withNode(tool, options, check) {
  const node = await start(tool, options)
  if (node === undefined) return 'no'
  try {
    return await check(node)
  } finally {
    await node.stop()
  }
}

/** Sends a transaction and waits for its receipt; the answer of a refused one is the error. */
async function send({ call }, fields) {
  const [from] = await call('eth_accounts')
  let hash
  try {
    hash = await call('eth_sendTransaction', { from, gas: GAS, ...fields })
  } catch (error) {
    // Hardhat and ganache mine a failing transaction and answer with an error that holds its hash.
    hash = error.data?.txHash ?? error.data?.hash
    if (hash === undefined) throw error
  }
  return receiptOf(call, hash)
}

async function receiptOf(call, hash) {
  for (let i = 0; i < 100; i++) {
    const receipt = await call('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    await delay(50)
  }
  throw new Error(`${hash} was not mined`)
}

const isUnknown = ({ code, message }) =>
  code === -32601 ||
  code === -32604 ||
  /not (found|supported|available|implemented)|unknown method|does not exist/i.test(message)

/** Whether the method exists: any answer but "unknown". Subscriptions are asked for over WebSocket. */
async function has({ call, port }, method, ...params) {
  if (method.endsWith('_subscribe'))
    return callOverWebSocket(port, method, params).then(
      () => true,
      () => false,
    )
  try {
    await call(method, ...params)
    return true
  } catch (error) {
    if (error.name === 'TimeoutError') return false
    return !isUnknown(error)
  }
}

/** @param methods name → parameters */
async function methods(node, table) {
  const missing = []
  for (const [method, params] of Object.entries(table)) if (!(await has(node, method, ...params))) missing.push(method)
  return verdict(Object.keys(table), missing)
}

const logRows = {
  'log names the RPC methods called': (tool) =>
    withShared(tool, async ({ call, logged }) => {
      await call('eth_getBalance', BOB, 'latest')
      return (await logged('eth_getBalance')) ? 'yes' : 'no'
    }),

  'log shows the hash, from, to, created contract and gas of a transaction': (tool) =>
    withShared(tool, async (node) => {
      const before = node.log().length
      const created = await send(node, { data: PROBE, gas: '0x7a120' })
      const called = await send(node, { to: created.contractAddress, data: GREET })
      const transfer = await send(node, { to: BOB, value: ETHER })
      const wanted = {
        hash: called.transactionHash,
        from: called.from,
        to: transfer.to,
        contract: created.contractAddress,
        gas: new RegExp(
          `\\b(${Number(called.gasUsed)}|${Number(called.gasUsed).toLocaleString('en')}|${called.gasUsed})\\b`,
        ),
      }
      const missing = []
      for (const [name, pattern] of Object.entries(wanted))
        if (!(await node.logged(pattern, before))) missing.push(name)
      return verdict(Object.keys(wanted), missing)
    }),

  'log shows a failed transaction with its reason': (tool) =>
    withShared(tool, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      const { status, transactionHash } = await send(node, { to, data: FAIL })
      if (status !== '0x0') throw new Error('the transaction did not fail')
      const [hash, reason] = [await node.logged(transactionHash), await node.logged('nothing to pay with')]
      return verdict(['hash', 'reason'], [...(hash ? [] : ['hash']), ...(reason ? [] : ['reason'])])
    }),

  'Solidity `console.log` in the log': (tool) =>
    withShared(tool, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      await send(node, { to, data: GREET })
      return (await node.logged('hello from solidity')) ? 'yes' : 'no'
    }),
}

const chainRows = {
  '`eth_getLogs` from 0 to latest after 1,100 blocks': (tool) =>
    withShared(tool, async (node) => {
      const { call } = node
      await send(node, { data: TOKEN, gas: '0x1e8480' })
      if (!(await has(node, 'hardhat_mine', '0x44c'))) for (let i = 0; i < 1100; i++) await call('evm_mine')
      if (Number(await call('eth_blockNumber')) <= 1100) throw new Error('the blocks were not mined')
      const logs = await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }).catch(() => [])
      return logs.length > 0 ? 'yes' : 'no'
    }),

  'a new chain begins at the present time': (tool) =>
    withNode(tool, {}, async ({ call }) => {
      const { timestamp } = await call('eth_getBlockByNumber', 'latest', false)
      const age = Date.now() / 1000 - Number(timestamp)
      return age >= -1 && age < 60 ? 'yes' : 'no'
    }),

  'chain id 31337, or by option': async (tool) => {
    const usual = await withNode(tool, {}, async ({ chainId }) => chainId)
    const chosen = await withNode(tool, { chainId: 4242 }, async ({ chainId }) => chainId)
    if (chosen !== 4242) return 'no'
    return usual === 31337 ? 'yes' : `yes (default: ${usual})`
  },

  'options: accounts, balance, mnemonic, derivation path, chain id, gas limit, base fee, code size limit, host, port, silent, auto-impersonate, no mining':
    async (tool) => {
      const missing = []
      for (const [option, check] of Object.entries(OPTIONS)) if (!(await check(tool))) missing.push(option)
      return verdict(Object.keys(OPTIONS), missing)
    },

  'snapshots, time travel, impersonation, state changes': (tool) =>
    withNode(tool, {}, async (node) => {
      const checks = { snapshots, time, impersonation, state }
      const missing = []
      for (const [name, check] of Object.entries(checks))
        if (!(await check(node).catch(() => false))) missing.push(name)
      return verdict(Object.keys(checks), missing)
    }),

  "geth's built-in tracers": (tool) =>
    withShared(tool, async (node) => {
      const { transactionHash } = await send(node, { to: BOB, value: '0x1' })
      const { type } = await node.call('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
      return type === 'CALL' ? 'yes' : 'no'
    }),

  '`trace_transaction`': (tool) =>
    withShared(tool, async (node) => {
      const { transactionHash } = await send(node, { to: BOB, value: '0x1' })
      const traces = await node.call('trace_transaction', transactionHash).catch(() => [])
      return traces.length === 1 ? 'yes' : 'no'
    }),

  'own genesis file, mining at once': async (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'genesis-')), 'genesis.json')
    writeFileSync(file, JSON.stringify(GENESIS))
    return withNode(tool, { genesis: file }, async (node) => {
      const { call, chainId } = node
      const kept = BigInt(await call('eth_getBalance', BOB, 'latest')) === 77n && chainId === 4242
      const { status } = await send(node, { to: BOB, value: '0x1' })
      return kept && status === '0x1' ? 'yes' : 'no'
    })
  },

  'dump and load of the state, by RPC': (tool) =>
    withNode(tool, {}, async (node) => {
      const { call } = node
      await send(node, { to: BOB, value: ETHER })
      const balance = await call('eth_getBalance', BOB, 'latest')
      const dump = await call('anvil_dumpState').catch(() => undefined)
      if (dump === undefined) return 'no'
      return withNode(tool, {}, async (other) => {
        await other.call('anvil_loadState', dump)
        return (await other.call('eth_getBalance', BOB, 'latest')) === balance ? 'yes' : 'no'
      })
    }),

  'dump and load of the state, by file': async (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'dump-')), 'state.json')
    const balance = await withNode(tool, { dumpState: file }, async (node) => {
      await send(node, { to: BOB, value: ETHER })
      return node.call('eth_getBalance', BOB, 'latest')
    })
    if (balance === 'no' || !existsSync(file)) return 'no'
    const loaded = await withNode(tool, { loadState: file }, ({ call }) => call('eth_getBalance', BOB, 'latest'))
    return loaded === balance ? 'yes' : 'no'
  },

  'reorg and rollback': (tool) =>
    withNode(tool, {}, async (node) => {
      const { call } = node
      for (let i = 0; i < 5; i++) await send(node, { to: BOB, value: '0x1' })
      const { hash } = await call('eth_getBlockByNumber', '0x4', false)
      if (!(await has(node, 'anvil_reorg', 3, []))) return 'no'
      const other = await call('eth_getBlockByNumber', '0x4', false)
      await call('anvil_rollback', 2)
      return hash !== other.hash && Number(await call('eth_blockNumber')) === 3 ? 'yes' : 'no'
    }),

  'a transaction above the gas cap of EIP-7825 can be allowed': (tool) =>
    withNode(tool, { unlimitedGas: true }, async (node) => {
      const { status } = await send(node, { to: BOB, gas: '0x1312d00' }).catch(() => ({}))
      return status === '0x1' ? 'yes' : 'no'
    }),

  'printed accounts: EIP-55 addresses, mnemonic, path': (tool) =>
    withShared(tool, async ({ logged }) => {
      const shown = {
        'EIP-55': await logged(/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266|0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1/),
        mnemonic: await logged(/test test test junk|mnemonic: +[a-z]+ [a-z]+/i),
        path: await logged(/m\/44'\/60'\/0'\/0/),
      }
      return verdict(
        Object.keys(shown),
        Object.keys(shown).filter((name) => !shown[name]),
      )
    }),

  'keeps the whole chain over `kill -9`': async (tool) => {
    const dataPath = path.join(mkdtempSync(path.join(temporary, 'data-')), 'chain')
    if (!tool.supports('dataPath')) return 'no'
    const first = await start(tool, { dataPath })
    const { transactionHash } = await send(first, { to: BOB, value: '0x1' })
    await first.stop('SIGKILL')
    return withNode(tool, { dataPath }, async ({ call }) => {
      const receipt = await call('eth_getTransactionReceipt', transactionHash).catch(() => null)
      return receipt === null ? 'no' : 'yes'
    })
  },
}

const STRANGER = '0x00000000000000000000000000000000000000f1'

/** Calls the first method that the tool has. */
async function firstOf({ call }, methods) {
  for (const [method, ...params] of methods) {
    try {
      return await call(method, ...params)
    } catch (error) {
      if (!isUnknown(error)) throw error
    }
  }
  throw new Error('none of the methods exists')
}

async function snapshots(node) {
  const { call } = node
  const [id, before] = [await call('evm_snapshot'), await call('eth_getBalance', BOB, 'latest')]
  await send(node, { to: BOB, value: ETHER })
  return (await call('evm_revert', id)) === true && (await call('eth_getBalance', BOB, 'latest')) === before
}

async function time({ call }) {
  const timestamp = async () => Number((await call('eth_getBlockByNumber', 'latest', false)).timestamp)
  const before = await timestamp()
  await call('evm_increaseTime', 3600)
  await call('evm_mine')
  return (await timestamp()) >= before + 3600
}

async function state(node) {
  await firstOf(node, [
    ['hardhat_setBalance', STRANGER, ETHER],
    ['evm_setAccountBalance', STRANGER, ETHER],
  ])
  await firstOf(node, [
    ['hardhat_setCode', BOB, '0x00'],
    ['evm_setAccountCode', BOB, '0x00'],
  ])
  const [balance, code] = [
    await node.call('eth_getBalance', STRANGER, 'latest'),
    await node.call('eth_getCode', BOB, 'latest'),
  ]
  return balance === ETHER && code === '0x00'
}

async function impersonation(node) {
  await firstOf(node, [
    ['hardhat_setBalance', STRANGER, ETHER],
    ['evm_setAccountBalance', STRANGER, ETHER],
  ])
  const added = await firstOf(node, [
    ['hardhat_impersonateAccount', STRANGER],
    ['evm_addAccount', STRANGER, ''],
  ])
  // ganache: the added account has to be unlocked.
  if (added === true && node.tool.name === 'ganache') await node.call('personal_unlockAccount', STRANGER, '', 0)
  const hash = await node.call('eth_sendTransaction', { from: STRANGER, to: BOB, gas: GAS })
  return (await receiptOf(node.call, hash)).status === '0x1'
}

const METHOD_ROWS = {
  'methods: `anvil_addBalance, dealERC20, setERC20Allowance, setChainId, impersonateSignature, getBlobByHash`': {
    anvil_addBalance: [BOB, '0x1'],
    anvil_dealERC20: [BOB, BOB, '0x1'],
    anvil_setERC20Allowance: [BOB, BOB, BOB, '0x1'],
    anvil_setChainId: [31337],
    anvil_impersonateSignature: [`0x${'11'.repeat(65)}`, BOB],
    anvil_getBlobByHash: [ZERO_HASH],
  },
  'methods: keys added at run time (`evm_addAccount, personal_newAccount, importRawKey, unlockAccount`)': {
    evm_addAccount: [BOB, ''],
    personal_newAccount: [''],
    personal_importRawKey: [`0x${'42'.repeat(32)}`, ''],
    personal_unlockAccount: [BOB, '', 0],
  },
  'methods: `eth_getRawTransactionByHash, …ByBlockHashAndIndex, …ByBlockNumberAndIndex, eth_fillTransaction, eth_getTransactionBySenderAndNonce`':
    {
      eth_getRawTransactionByHash: [ZERO_HASH],
      eth_getRawTransactionByBlockHashAndIndex: [ZERO_HASH, '0x0'],
      eth_getRawTransactionByBlockNumberAndIndex: ['0x0', '0x0'],
      eth_fillTransaction: [{ from: BOB, to: BOB, value: '0x1' }],
      eth_getTransactionBySenderAndNonce: [BOB, '0x0'],
    },
  'methods: `debug_dumpBlock, debug_subscribe, debug_traceCallMany`': {
    debug_dumpBlock: ['latest'],
    debug_subscribe: ['traceChain', '0x0', '0x1'],
    debug_traceCallMany: [[{ transactions: [{ from: BOB, to: BOB }] }], { blockNumber: 'latest' }, {}],
  },
}

const methodRows = Object.fromEntries(
  Object.entries(METHOD_ROWS).map(([row, table]) => [row, (tool) => withShared(tool, (node) => methods(node, table))]),
)

const accountsOf = (tool, options) => withNode(tool, options, ({ call }) => call('eth_accounts'))

/** Option → whether it has its effect. */
const OPTIONS = {
  accounts: async (tool) => {
    const accounts = await accountsOf(tool, { accounts: 3, mnemonic: MNEMONIC })
    return accounts.length >= 3 && accounts.length !== 10 && accounts.length < 10
  },
  balance: async (tool) =>
    (await withNode(tool, { balance: 5, mnemonic: MNEMONIC }, ({ call }) =>
      call('eth_getBalance', CHECKSUMMED, 'latest'),
    )) === `0x${(5n * 10n ** 18n).toString(16)}`,
  mnemonic: async (tool) =>
    (await accountsOf(tool, { mnemonic: OTHER_MNEMONIC }))[0]?.toLowerCase() ===
    '0x58a57ed9d8d624cbd12e2c467d34787555bb1b25',
  'derivation path': async (tool) =>
    (await accountsOf(tool, { mnemonic: MNEMONIC, derivationPath: "m/44'/60'/1'/0/" }).catch(() => [''])).length > 0 &&
    (await accountsOf(tool, { mnemonic: MNEMONIC, derivationPath: PATHS[tool.name] }))[0]?.toLowerCase() !==
      CHECKSUMMED.toLowerCase(),
  'chain id': async (tool) => (await withNode(tool, { chainId: 4242 }, async ({ chainId }) => chainId)) === 4242,
  'gas limit': async (tool) => Number((await latest(tool, { gasLimit: 50_000_000 }))?.gasLimit) === 50_000_000,
  'base fee': async (tool) => Number((await latest(tool, { baseFee: 7_000_000_000 }))?.baseFeePerGas) === 7_000_000_000,
  'code size limit': async (tool) =>
    (await withNode(tool, { codeSizeLimit: 100_000 }, async (node) => {
      // Creates a contract of 30,000 zero bytes.
      const { status } = await send(node, { data: '0x6175306000f3', gas: '0x7a1200' }).catch(() => ({}))
      return status
    })) === '0x1',
  host: async (tool) => (await withNode(tool, { host: '127.0.0.1' }, async () => 'yes')) === 'yes',
  port: async () => true,
  silent: async (tool) =>
    (await withNode(tool, { silent: true }, async ({ call, log }) => {
      const before = log().length
      await call('eth_getBalance', BOB, 'latest')
      return log().length === before
    })) === true,
  'auto-impersonate': async (tool) =>
    (await withNode(tool, { autoImpersonate: true }, async ({ call }) => {
      const from = '0x00000000000000000000000000000000000000f1'
      await call('anvil_setBalance', from, ETHER)
      return call('eth_sendTransaction', { from, to: BOB, gas: GAS }).then(
        () => 'yes',
        () => 'no',
      )
    })) === 'yes',
  'no mining': async (tool) =>
    (await withNode(tool, { noMining: true }, async ({ call }) => {
      const [from] = await call('eth_accounts')
      await call('eth_sendTransaction', { from, to: BOB, gas: GAS })
      return Number(await call('eth_blockNumber'))
    })) === 0,
}

const PATHS = {
  isonode: "m/44'/60'/1'/0/",
  anvil: "m/44'/60'/1'/0/",
  Hardhat: "m/44'/60'/1'/0",
  ganache: "m/44'/60'/1'/0/",
}

async function latest(tool, options) {
  const block = await withNode(tool, options, ({ call }) => call('eth_getBlockByNumber', 'latest', false))
  return block === 'no' ? undefined : block
}

const GENESIS = {
  config: {
    chainId: 4242,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 } },
  },
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  mixHash: ZERO_HASH,
  coinbase: '0x0000000000000000000000000000000000000000',
  baseFeePerGas: '0x3b9aca00',
  alloc: { [BOB.slice(2)]: { balance: '0x4d' }, [CHECKSUMMED.slice(2)]: { balance: '0x21e19e0c9bab2400000' } },
}

const forkRow = {
  'state of another chain (fork mode)': async (tool) => {
    const source = await start(TOOLS[0])
    try {
      await send(source, { to: FORKED, value: '0x7' })
      const balance = await withNode(tool, { fork: `http://127.0.0.1:${source.port}` }, ({ call }) =>
        call('eth_getBalance', FORKED, 'latest'),
      )
      return balance === '0x7' ? 'yes' : 'no'
    } finally {
      await source.stop()
    }
  },
}

export const ROWS = { ...logRows, ...chainRows, ...methodRows, ...forkRow }
