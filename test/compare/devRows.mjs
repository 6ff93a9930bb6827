/** Rows about methods and contracts that developers use on a dev chain, by what they do. */
import { privateKeyToAccount } from 'viem/accounts'
import { BOB, has, MNEMONIC, receiptOf, send, verdict, withNode, withShared } from './nodes.mjs'
import { FAIL, PROBE } from './probe.mjs'
import { freePort } from './tools.mjs'

const NOBODY = '0x00000000000000000000000000000000000000f2'
/** The first account of the mnemonic. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const CREATE2 = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

const USUAL = { 'CREATE2 deployer': CREATE2, Multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11' }
const SYSTEM = {
  'EIP-4788': '0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02',
  'EIP-2935': '0x0000F90827F1C53a10cb7A02335B175320002935',
  'EIP-7002': '0x00000961Ef480Eb55e80D19ad83579A64c007002',
  'EIP-7251': '0x0000BBdDc7CE488642fb579F8B00f3a590007251',
}
/** Name in the option → address. */
const OPTIONAL = {
  permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  entrypoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  createx: '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed',
}

/** Functions of a tracer of geth, whose result is a constant. */
const TRACER = '{ step: function () {}, fault: function () {}, result: function () { return "traced" } }'

const hasCode = async ({ call }, address) => (await call('eth_getCode', address, 'latest')).length > 2

async function contracts(node, table) {
  const missing = []
  for (const [name, address] of Object.entries(table)) if (!(await hasCode(node, address))) missing.push(name)
  return verdict(Object.keys(table), missing)
}

/** Number of blocks → time within which a tool has to mine them that does not execute each. */
const MANY_BLOCKS = { '10,000': 3000, '10,000,000': 5000 }

async function mines(tool, blocks, limitMs) {
  return withNode(tool, {}, async ({ port, call }) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'hardhat_mine', params: [`0x${blocks.toString(16)}`] }
    await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    })
    return Number(await call('eth_blockNumber')) === blocks
  })
}

export const devRows = {
  '`hardhat_mine` of 10,000 and 10,000,000 blocks in seconds': async (tool) => {
    const missing = []
    for (const [blocks, limitMs] of Object.entries(MANY_BLOCKS)) {
      const attempt = () => mines(tool, Number(blocks.replaceAll(',', '')), limitMs).catch(() => false)
      // Other programs may hold up one attempt.
      if (!(await attempt()) && !(await attempt())) missing.push(blocks)
    }
    return verdict(Object.keys(MANY_BLOCKS), missing)
  },

  'tracers written in JavaScript': (tool) =>
    withShared(tool, async ({ call }) => {
      const answer = await call('debug_traceCall', { from: BOB, to: NOBODY }, 'latest', { tracer: TRACER })
      return answer === 'traced' ? 'yes' : 'no'
    }),

  [`contracts on a new chain: ${Object.keys(USUAL).join(', ')}`]: (tool) =>
    withShared(tool, (node) => contracts(node, USUAL)),
  [`contracts of the protocol on a new chain: ${Object.keys(SYSTEM).join(', ')}`]: (tool) =>
    withShared(tool, (node) => contracts(node, SYSTEM)),

  [`contracts by option: ${Object.keys(OPTIONAL).join(', ')}`]: async (tool) => {
    const missing = []
    for (const [name, address] of Object.entries(OPTIONAL)) {
      const there = withNode(tool, { predeploys: name }, (node) => hasCode(node, address))
      if ((await there.catch(() => false)) !== true) missing.push(name)
    }
    return verdict(Object.keys(OPTIONAL), missing)
  },

  'the CREATE2 deployer is there after a reset': (tool) =>
    withNode(tool, {}, async (node) => {
      const method = (await has(node, 'hardhat_reset')) ? 'hardhat_reset' : 'anvil_reset'
      await node.call(method)
      return (await hasCode(node, CREATE2)) ? 'yes' : 'no'
    }),

  'revert data in the errors of `eth_call` and `eth_estimateGas`': (tool) =>
    withShared(tool, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      const missing = []
      for (const method of ['eth_call', 'eth_estimateGas']) {
        const data = await node.call(method, { from: BOB, to, data: FAIL }, 'latest').catch((error) => error.data)
        if (!JSON.stringify(data ?? '').includes('0x08c379a0')) missing.push(method)
      }
      return verdict(['eth_call', 'eth_estimateGas'], missing)
    }),

  '`eth_simulateV1`, with transfers of ether as logs': (tool) =>
    withShared(tool, async ({ call }) => {
      const calls = [{ from: BOB, to: NOBODY, value: '0x1' }]
      const [block] = await call('eth_simulateV1', { blockStateCalls: [{ calls }], traceTransfers: true }, 'latest')
      return block.calls[0].status === '0x1' && block.calls[0].logs.length === 1 ? 'yes' : 'no'
    }),

  'GraphQL, by option': async (tool) => {
    const port = await freePort()
    return withNode(tool, { graphql: port }, async () => {
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ block(number: 0) { number } }"}',
      })
      return (await response.text()).includes('"block":{"number"') ? 'yes' : 'no'
    })
  },

  'a transaction that sets code (EIP-7702)': (tool) =>
    withNode(tool, { mnemonic: MNEMONIC }, async ({ call, chainId }) => {
      const account = privateKeyToAccount(KEY)
      const authorization = await account.signAuthorization({ address: CREATE2, chainId, nonce: 1 })
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      const transaction = { type: 'eip7702', chainId, nonce: 0, to: NOBODY, gas: 200_000n, ...fees }
      const raw = await account.signTransaction({ ...transaction, authorizationList: [authorization] })
      const { status } = await receiptOf(call, await call('eth_sendRawTransaction', raw))
      const code = await call('eth_getCode', account.address, 'latest')
      return status === '0x1' && code.startsWith('0xef0100') ? 'yes' : 'no'
    }),

  '`wallet_sendCalls`, all calls in one transaction': (tool) =>
    withNode(tool, {}, async ({ call, chainId }) => {
      const [from] = await call('eth_accounts')
      const calls = [NOBODY, BOB].map((to) => ({ to, value: '0x1' }))
      const request = { version: '2.0.0', chainId: `0x${chainId.toString(16)}`, from, atomicRequired: true, calls }
      const { id } = await call('wallet_sendCalls', request)
      const { atomic, receipts } = await call('wallet_getCallsStatus', id)
      return atomic === true && receipts.length === 1 ? 'yes' : 'no'
    }),
}
