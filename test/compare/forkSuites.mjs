/**
 * Runs fork tests of Hardhat 2 and 3, Foundry and viem, small projects in test/fixtures/forks, against the fork node of each
 * tool: it continues a chain of this node, and the projects continue the fork. The projects are the same for all tools.
 *
 *   node test/compare/forkSuites.mjs [--tools isonode,anvil] [--suites viem,foundry] [--verbose]
 *
 * Needs the built node. A suite whose program is not in .cache is left out. Ends with 1 when a suite fails on isonode.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { HARDHAT_2, HARDHAT_3, NODE_22, start, TOOLS, temporary } from './tools.mjs'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FIXTURES = path.join(ROOT, 'test/fixtures')
const PLATFORM = `${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}`
const FORGE = path.join(ROOT, `.cache/foundry/node_modules/@foundry-rs/forge-${PLATFORM}/bin/forge`)
const LIMIT_MS = 180_000
const CHAIN_ID = 4242
const RECEIVER = '0x1234567890123456789012345678901234567890'
/** Init code of a contract that returns slot 0, which a call with data sets to 7; such a call writes a log. */
const COUNTER =
  '0x6027600c60003960276000f3' + '36601657600054600052602060006000a160206000f35b600760005560005460005260206000a000'

const { values } = parseArgs({
  options: {
    tools: { type: 'string', default: 'isonode,anvil' },
    suites: { type: 'string', default: 'viem,foundry,hardhat2,hardhat3' },
    verbose: { type: 'boolean', default: false },
  },
})

/** By name: what must exist, the packages of the project, and the command. */
const SUITES = {
  viem: {
    needs: [],
    packages: path.join(ROOT, 'node_modules'),
    command: [process.execPath, '--test', 'fork.test.mjs'],
  },
  foundry: { needs: [FORGE, HARDHAT_2], packages: undefined, command: [FORGE, 'test', '-vv'] },
  hardhat2: {
    needs: [HARDHAT_2],
    packages: HARDHAT_2,
    command: [process.execPath, 'node_modules/hardhat/internal/cli/cli.js', 'test', '--no-compile'],
  },
  hardhat3: {
    needs: [HARDHAT_3, NODE_22],
    packages: HARDHAT_3,
    command: [NODE_22, 'node_modules/hardhat/dist/src/cli.js', 'test', 'nodejs', '--no-compile'],
  },
}

const tools = TOOLS.filter(({ name }) => values.tools.split(',').includes(name))
const source = await start(TOOLS[0], { chainId: CHAIN_ID })
const faults = []
try {
  const facts = await buildSource()
  const rows = []
  for (const name of values.suites.split(',')) {
    const { needs } = SUITES[name]
    const missing = needs.find((file) => !existsSync(file))
    if (missing !== undefined) console.error(`${name} is skipped: ${path.relative(ROOT, missing)} does not exist`)
    else rows.push([name, ...(await results(name, facts))])
  }
  console.log(`| Suite | ${tools.map(({ name }) => name).join(' | ')} |\n|${' --- |'.repeat(tools.length + 1)}`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
  console.log(`\n${rows.length - faults.length} passed, ${faults.length} failed`)
} finally {
  await source.stop()
}
process.exitCode = faults.length === 0 ? 0 : 1

/** The chain that the tools continue: a contract, its change, and three payments. @returns what the projects know of it */
async function buildSource() {
  const [from] = await source.call('eth_accounts')
  const send = async (transaction) => {
    const hash = await source.call('eth_sendTransaction', { from, ...transaction })
    return source.call('eth_getTransactionReceipt', hash)
  }
  const { contractAddress } = await send({ data: COUNTER })
  await send({ to: contractAddress, data: '0x01' })
  let last
  for (let i = 0; i < 3; i++) last = await send({ to: RECEIVER, value: '0x1' })
  return {
    CONTRACT: contractAddress,
    RECEIVER,
    BLOCK: String(Number(last.blockNumber)),
    TRANSACTION: last.transactionHash,
    CHAIN_ID: String(CHAIN_ID),
    SOURCE_URL: `http://127.0.0.1:${source.port}`,
  }
}

/** @returns `yes` or `no` for each tool */
async function results(name, facts) {
  const found = []
  for (const tool of tools) {
    const node = await start(tool, { fork: facts.SOURCE_URL })
    try {
      const { error, printed } = await run(name, { ...facts, RPC_URL: `http://127.0.0.1:${node.port}` })
      if (error !== null && tool === TOOLS[0]) faults.push(name)
      if (values.verbose || (error !== null && tool === TOOLS[0])) console.error(`${name} on ${tool.name}:\n${printed}`)
      found.push(error === null ? 'yes' : 'no')
    } finally {
      await node.stop()
    }
  }
  return found
}

function run(name, facts) {
  const { packages, command } = SUITES[name]
  const cwd = project(name, packages)
  const env = {
    ...process.env,
    ...facts,
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    SOLC_RESOLVE_FROM: path.join(HARDHAT_2, 'hardhat/package.json'),
  }
  const [program, ...args] = command
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ error, printed: stdout + stderr }),
    )
  })
}

/** @returns the folder of a fresh project */
function project(name, packages) {
  const folder = mkdtempSync(path.join(temporary, `${name}-`))
  cpSync(path.join(FIXTURES, 'forks', name), folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), name === 'hardhat2' ? '{}' : '{ "type": "module" }')
  if (packages !== undefined) symlinkSync(packages, path.join(folder, 'node_modules'))
  if (name === 'foundry') cpSync(path.join(FIXTURES, 'foundry/solc.mjs'), path.join(folder, 'solc.mjs'))
  return folder
}
