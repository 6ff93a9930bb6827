/** Options of the command line: each is started with its effect checked. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { BOB, CHECKSUMMED, ETHER, GAS, MNEMONIC, OTHER_MNEMONIC, send, verdict, withNode } from './nodes.mjs'
import { preflight } from './pageRows.mjs'
import { temporary } from './tools.mjs'

/** Creates a contract of 30,000 zero bytes. */
const LARGE_CONTRACT = { data: '0x6175306000f3', gas: '0x7a1200' }

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
    (await accountsOf(tool, { mnemonic: MNEMONIC, derivationPath: tool.otherPath }))[0]?.toLowerCase() !==
      CHECKSUMMED.toLowerCase(),
  'chain id': async (tool) => (await withNode(tool, { chainId: 4242 }, async ({ chainId }) => chainId)) === 4242,
  'gas limit': async (tool) => Number((await latest(tool, { gasLimit: 50_000_000 }))?.gasLimit) === 50_000_000,
  'base fee': async (tool) => Number((await latest(tool, { baseFee: 7_000_000_000 }))?.baseFeePerGas) === 7_000_000_000,
  'code size limit': async (tool) =>
    (await withNode(tool, { codeSizeLimit: 100_000 }, async (node) => {
      const { status } = await send(node, LARGE_CONTRACT).catch(() => ({}))
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

async function latest(tool, options) {
  const block = await withNode(tool, options, ({ call }) => call('eth_getBlockByNumber', 'latest', false))
  return block === 'no' ? undefined : block
}

/** Options that anvil has, apart from those above, and others of the same kind. */
const FURTHER = {
  timestamp: async (tool) => Number((await latest(tool, { timestamp: 2_000_000_000 }))?.timestamp) >= 2_000_000_000,
  number: async (tool) => Number((await latest(tool, { number: 1000 }))?.number) === 1000,
  'slots in an epoch': (tool) =>
    holds(tool, { slotsInAnEpoch: 2 }, async ({ call }) => {
      for (let i = 0; i < 5; i++) await call('evm_mine')
      return Number((await call('eth_getBlockByNumber', 'safe', false)).number) < 5
    }),
  'mixed mining': (tool) =>
    holds(tool, { mixedMining: 600 }, async (node) => (await send(node, { to: BOB })).status === '0x1'),
  'config out': (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'config-')), 'config.json')
    return holds(tool, { configOut: file }, async () => readFileSync(file, 'utf8').includes('private'))
  },
  IPC: (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'ipc-')), 'node.ipc')
    return holds(tool, { ipc: file }, () => answersOnSocket(file))
  },
  'no CORS': (tool) =>
    holds(tool, { noCors: true }, async ({ port }) => (await preflight(port, 'http://localhost:3000')) === null),
  'mnemonic seed': async (tool) => {
    const [first, second] = [await accountsOf(tool, { seed: 1 }), await accountsOf(tool, { seed: 2 })]
    return first !== 'no' && first[0] !== second[0] && first[0].toLowerCase() !== CHECKSUMMED.toLowerCase()
  },
  'no minimum priority fee': (tool) =>
    holds(tool, { noPriorityFee: true }, async (node) => {
      const { baseFeePerGas } = await node.call('eth_getBlockByNumber', 'latest', false)
      const fees = { maxFeePerGas: baseFeePerGas, maxPriorityFeePerGas: '0x0' }
      return (await send(node, { to: BOB, ...fees })).status === '0x1'
    }),
  'no block gas limit': (tool) =>
    holds(
      tool,
      { noGasLimit: true },
      async (node) => (await send(node, { to: BOB, gas: '0x5f5e100' })).status === '0x1',
    ),
  'no code size limit': (tool) =>
    holds(tool, { noCodeSizeLimit: true }, async (node) => (await send(node, LARGE_CONTRACT)).status === '0x1'),
  'JSON log': (tool) =>
    holds(tool, { json: true }, async ({ call, logged }) => {
      await call('eth_getBalance', BOB, 'latest')
      return logged(/^\{.*"eth_getBalance.*\}$/m)
    }),
}

/** Whether the tool has these options and passes the check. */
const holds = async (tool, options, check) =>
  (await withNode(tool, options, check).catch((error) => `${error.message}`)) === true

/** @returns whether a request over the Unix socket is answered */
function answersOnSocket(file) {
  const socket = connect(file)
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.once('data', (text) => resolve(text.toString().includes('"result"')))
    socket.setTimeout(2000, () => resolve(false))
    socket.write('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}\n')
  }).finally(() => socket.destroy())
}

const row = (options) => async (tool) => {
  const missing = []
  for (const [option, check] of Object.entries(options))
    if (!(await Promise.resolve(check(tool)).catch(() => false))) missing.push(option)
  return verdict(Object.keys(options), missing)
}

const title = (options) => Object.keys(options).join(', ')

export const optionRows = {
  [`options: ${title(OPTIONS)}`]: row(OPTIONS),
  [`further options: ${title(FURTHER)}`]: row(FURTHER),
}
