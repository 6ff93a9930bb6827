/** Rows about programs of developers that use the tool as their node: Hardhat, viem and ethers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { HDNodeWallet, JsonRpcProvider, NonceManager } from 'ethers'
import { createTestClient, http } from 'viem'
import { foundry } from 'viem/chains'
import { BOB, isUnknown, MNEMONIC, send, verdict, withNode, ZERO_HASH } from './nodes.mjs'
import { FAIL, PROBE } from './probe.mjs'
import { compiledProject, hardhat } from './projects.mjs'
import { GANACHE_PACKAGES, HARDHAT_2, HARDHAT_3, LIBRARY, NODE_22, temporary } from './tools.mjs'

const CHAIN_ID = 31337
const SENDS = 20
/** Ignition would compile all contracts again, each by itself. */
const PROFILE = ['--build-profile', 'default']

/** @returns 'yes' if all tests of the command passed, otherwise how many */
async function passing(project, all, tool, ...args) {
  return withNode(tool, { chainId: CHAIN_ID }, async ({ port }) => {
    const { printed } = await hardhat(project, port, ...args)
    const passed = Number([...printed.matchAll(/(\d+) passing/g)].at(-1)?.[1] ?? 0)
    if (passed === all) return 'yes'
    return passed === 0 ? 'no' : `part: ${passed} of ${all}`
  })
}

/** Parameters of the actions of viem's test client. */
const ACTIONS = {
  dropTransaction: { hash: ZERO_HASH },
  getAutomine: undefined,
  getTxpoolContent: undefined,
  getTxpoolStatus: undefined,
  impersonateAccount: { address: BOB },
  increaseTime: { seconds: 1 },
  inspectTxpool: undefined,
  mine: { blocks: 1 },
  removeBlockTimestampInterval: undefined,
  reset: undefined,
  revert: { id: '0x1' },
  sendUnsignedTransaction: { from: BOB, to: BOB },
  setAutomine: true,
  setBalance: { address: BOB, value: 1n },
  setBlockGasLimit: { gasLimit: 30_000_000n },
  setBlockTimestampInterval: { interval: 1 },
  setCode: { address: BOB, bytecode: '0x00' },
  setCoinbase: { address: BOB },
  setIntervalMining: { interval: 0 },
  setLoggingEnabled: true,
  setNextBlockBaseFeePerGas: { baseFeePerGas: 7n },
  setNextBlockTimestamp: { timestamp: 4_102_444_800n },
  setNonce: { address: BOB, nonce: 300 },
  setRpcUrl: 'http://127.0.0.1:1',
  setStorageAt: { address: BOB, index: 0, value: ZERO_HASH },
  snapshot: undefined,
  stopImpersonatingAccount: { address: BOB },
}

/** @returns whether the error of viem says that the method does not exist */
function isMissing(error) {
  const cause = error.walk?.((inner) => typeof inner.code === 'number') ?? error
  return isUnknown({ code: cause.code, message: `${cause.details ?? cause.message}` })
}

/** The creation code that the project compiled, whose metadata the tool knows. */
const compiledProbe = (folder) =>
  JSON.parse(readFileSync(path.join(folder, 'artifacts/contracts/Probe.sol/Probe.json'), 'utf8')).bytecode

/** The program of a test that runs the node within its process. */
const INSIDE = {
  isonode: {
    code: `import { startNode } from '${LIBRARY}'
const node = await startNode({ listen: false })
console.log(await node.request('eth_chainId'))
await node.close()`,
  },
  'Hardhat 3': {
    packages: HARDHAT_3,
    program: NODE_22,
    config: 'hardhat.config.js',
    code: `import { network } from 'hardhat'
console.log(await (await network.create()).provider.request({ method: 'eth_chainId', params: [] }))
process.exit()`,
  },
  'Hardhat 2': {
    packages: HARDHAT_2,
    config: 'hardhat.config.cjs',
    code: `import hardhat from 'hardhat'
console.log(await hardhat.network.provider.request({ method: 'eth_chainId', params: [] }))
process.exit()`,
  },
  ganache: {
    packages: GANACHE_PACKAGES,
    code: `import ganache from 'ganache'
const provider = ganache.provider({ logging: { quiet: true } })
console.log(await provider.request({ method: 'eth_chainId', params: [] }))
process.exit()`,
  },
}

function runInside({ packages, program = process.execPath, config, code }) {
  const folder = mkdtempSync(path.join(temporary, 'inside-'))
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(path.join(folder, 'inside.mjs'), code)
  if (config !== undefined) writeFileSync(path.join(folder, config), config.endsWith('.cjs') ? '' : 'export default {}')
  if (packages !== undefined) symlinkSync(packages, path.join(folder, 'node_modules'))
  return new Promise((resolve) => {
    execFile(program, ['inside.mjs'], { cwd: folder, timeout: 30_000 }, (error, stdout) =>
      resolve(error === null && /^0x[0-9a-f]+$/m.test(stdout) ? 'yes' : 'no'),
    )
  })
}

export const clientRows = {
  "Hardhat 2's sample test `Lock` passes on a new chain": (tool) =>
    passing('lock', 9, tool, 'test', '--no-compile', '--network', 'localhost'),

  'tests of a Hardhat 3 project: ethers, viem, assertions, network helpers': (tool) =>
    passing('token', 15, tool, 'test', '--no-compile', '--network', 'isonode'),

  'Hardhat Ignition deploys, and finds nothing to do in the second run': (tool) =>
    withNode(tool, { chainId: CHAIN_ID }, async ({ port }) => {
      const id = ['--deployment-id', tool.name.replace(' ', '')]
      const deploy = ['ignition', 'deploy', 'ignition/modules/Token.js', '--network', 'isonode', ...PROFILE, ...id]
      if (!(await hardhat('token', port, ...deploy)).printed.includes('successfully deployed')) return 'no'
      return (await hardhat('token', port, ...deploy)).printed.includes('Nothing new to deploy') ? 'yes' : 'no'
    }),

  'a transaction that reverts is answered with its error, or can be': (tool) =>
    withNode(tool, { failOnRevert: true }, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      const [from] = await node.call('eth_accounts')
      const answer = node.call('eth_sendTransaction', { from, to, data: FAIL, gas: '0x186a0' })
      const text = await answer.then(String, ({ message }) => message)
      return text.includes('nothing to pay with') ? 'yes' : 'no'
    }),

  'the error or the log of a transaction that reverts has lines of the Solidity source': async (tool) => {
    const folder = await compiledProject(tool.name === 'Hardhat 3' ? 'token' : 'lock')
    if (folder === undefined) return 'no'
    return withNode(tool, { artifacts: path.join(folder, 'artifacts') }, async (node) => {
      const { contractAddress: to } = await send(node, { data: compiledProbe(folder), gas: '0x7a120' })
      const [from] = await node.call('eth_accounts')
      const fields = { from, to, data: FAIL, gas: '0x186a0' }
      const answer = await node.call('eth_sendTransaction', fields).then(String, ({ message }) => message)
      const lines = /Probe\.sol:\d+/
      return lines.test(answer) || (await node.logged(lines)) ? 'yes' : 'no'
    })
  },

  [`${SENDS} transactions at once with ethers' NonceManager`]: (tool) =>
    withNode(tool, { mnemonic: MNEMONIC }, async ({ port, call }) => {
      const provider = new JsonRpcProvider(`http://127.0.0.1:${port}`)
      try {
        const sender = new NonceManager(HDNodeWallet.fromPhrase(MNEMONIC).connect(provider))
        const transaction = { to: BOB, value: 1n, gasLimit: 21_000n }
        await Promise.all(Array.from({ length: SENDS }, () => sender.sendTransaction(transaction)))
        for (let i = 0; i < 100; i++) {
          const count = await call('eth_getTransactionCount', await sender.getAddress(), 'latest')
          if (Number(count) === SENDS) return 'yes'
        }
        return 'no'
      } finally {
        provider.destroy()
      }
    }),

  "actions of viem's test client, in its mode for the tool": (tool) =>
    withNode(tool, {}, async ({ port }) => {
      const client = createTestClient({
        mode: tool.mode,
        chain: foundry,
        transport: http(`http://127.0.0.1:${port}`, { retryCount: 0 }),
      })
      const missing = []
      for (const [action, parameters] of Object.entries(ACTIONS))
        await client[action](parameters).catch((error) => {
          if (isMissing(error)) missing.push(action)
        })
      return verdict(Object.keys(ACTIONS), missing)
    }),

  'runs inside the process of a test': (tool) => (tool.name in INSIDE ? runInside(INSIDE[tool.name]) : 'no'),
}
