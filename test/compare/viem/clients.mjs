/** The clients that the checks of viem's actions use, on one running tool. */
import { setTimeout as delay } from 'node:timers/promises'
import { createTestClient, defineChain, http, publicActions, walletActions, webSocket } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { NAMES, TOKEN } from '../probe.mjs'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 31337
export const MODES = ['anvil', 'hardhat', 'ganache']
const REQUEST_LIMIT_MS = 30_000
const POLL_MS = 25
const CREATION_GAS = 3_000_000n
const MAX_SENDS = 40

/** Accounts of which the tool knows the keys; all of them are funded. */
export const accounts = [0, 1, 2, 3, 4].map((addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }))

/**
 * @param node a running tool
 * @returns `node`: a client whose transactions the tool signs; `local`: one that signs itself; `socket`: as `node`, over
 *   WebSocket; `modes`: as `node`, by mode of the test client; `token` and `names`: addresses of contracts
 */
export async function openClients({ port }) {
  const url = `http://127.0.0.1:${port}`
  const transport = () => http(url, { retryCount: 0, timeout: REQUEST_LIMIT_MS })
  const bare = chainWith({})
  const deployer = clientOf({ mode: 'anvil', chain: bare, account: accounts[0].address, transport: transport() })
  const [token, names] = [await deploy(deployer, TOKEN), await deploy(deployer, NAMES)]
  const chain = chainWith({ ensUniversalResolver: { address: names } })
  const onNode = (mode, transportOfMode) =>
    clientOf({ mode, chain, account: accounts[0].address, transport: transportOfMode })
  const sockets = webSocket(url.replace('http', 'ws'), { retryCount: 0, reconnect: false, timeout: REQUEST_LIMIT_MS })
  const socket = onNode('anvil', sockets)
  const modes = Object.fromEntries(MODES.map((mode) => [mode, onNode(mode, transport())]))
  return {
    url,
    chain,
    token,
    names,
    modes,
    node: modes.anvil,
    local: clientOf({ mode: 'anvil', chain, account: accounts[1], transport: transport() }),
    socket,
    close: async () => (await socket.transport.getRpcClient()).close(),
  }
}

function clientOf(options) {
  const client = createTestClient({ ...options, cacheTime: 0, pollingInterval: POLL_MS })
  return client.extend(publicActions).extend(walletActions)
}

function chainWith(contracts) {
  return defineChain({
    id: CHAIN_ID,
    name: 'dev',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts,
  })
}

async function deploy(client, data) {
  const hash = await client.sendTransaction({ data, gas: CREATION_GAS })
  return (await client.waitForTransactionReceipt({ hash })).contractAddress
}

/** Resolves with the first report of a watcher while `send` is repeated: clients do not show when a watch is active. */
export async function firstReport(watch, send) {
  let stop = () => {}
  let reported = false
  const report = new Promise((resolve, reject) => {
    stop = watch(resolve, reject)
  })
  report
    .catch(() => {})
    .finally(() => {
      reported = true
    })
  try {
    for (let i = 0; i < MAX_SENDS && !reported; i++) {
      await send()
      await delay(2 * POLL_MS)
    }
    if (!reported) throw new Error('nothing was reported')
    return await report
  } finally {
    stop()
  }
}
