/**
 * Runs the fuzzer's cases as transactions on our dev chain and on anvil; receipts and states must agree.
 *
 *   node test/fuzz/anvil.mjs [--seconds 120] [--cases N] [--from N] [--seed S] [--out FOLDER]
 *   node test/fuzz/anvil.mjs --case FILE
 *
 * Needs the built node and anvil 1.7.1 in .cache/foundry. A differing case is shrunk and printed (see run.mjs).
 * transactionCase.mjs lists what is changed in a case because a chain cannot reproduce it. Two conventions of anvil
 * matter: it invents the random value of a block, which our block adopts, and its storage roots include zero slots, so
 * our roots are compared with roots computed from its dump.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CHAIN_ID, startNode } from '../reliability/devNode.mjs'
import { numberOption } from '../reliability/random.mjs'
import { accountsByDump, accountsByProof } from './chainAccounts.mjs'
import { DevChain } from './devChain.mjs'
import { generateCase } from './generator.mjs'
import { loadChainKit, loadProject } from './project.mjs'
import { shrink } from './shrink.mjs'
import { BLOCK_GAS_LIMIT, transactionCase } from './transactionCase.mjs'

const FORK = 'osaka'
/** After the genesis of either chain. */
const TIMESTAMP = 4_000_000_000
const MAX_KINDS = 20
const START_LIMIT_MS = 60_000

const root = path.resolve(import.meta.dirname, '../..')
const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}`
const program = path.join(root, `.cache/foundry/node_modules/@foundry-rs/anvil-${platform}/bin/anvil`)

const text = (name) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

const project = await loadProject(path.join(root, 'dist'))
const kit = { ...(await loadChainKit(path.join(root, 'dist'))), chainId: BigInt(CHAIN_ID) }
const rules = project.forkRules(FORK)
const children = new Set()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

if (!existsSync(program)) {
  console.log(`anvil is not installed: ${path.relative(root, program)} does not exist\n0 passed, 1 failed`)
  process.exit(1)
}
const chains = await startChains()
const file = text('case')
process.exit((await (file === undefined ? runMany() : runFile(file))) ? 0 : 1)

/** Starts both chains at a block before the first case. */
async function startChains() {
  const anvil = new DevChain(await startAnvil())
  const node = await startNode(['--ephemeral', `--dev-fork=${FORK.toUpperCase()}`])
  children.add(node.child)
  const ours = new DevChain(node.http)
  await ours.call('anvil_autoImpersonateAccount', [true])
  for (const chain of [anvil, ours]) await chain.call('evm_setBlockGasLimit', [`0x${BLOCK_GAS_LIMIT.toString(16)}`])
  const first = { ...(await accountsByDump(anvil, kit)), ...(await accountsByProof(ours)) }
  return { anvil, ours, known: new Set(Object.keys(first)) }
}

function startAnvil() {
  const options = ['--port=0', `--chain-id=${CHAIN_ID}`, `--hardfork=${FORK}`, '--auto-impersonate']
  const child = spawn(program, [...options, '--disable-default-create2-deployer', '--prune-history'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  return new Promise((resolve, reject) => {
    let printed = ''
    const timer = setTimeout(() => reject(new Error(`anvil does not start: ${printed}`)), START_LIMIT_MS)
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`anvil ended with ${code}`)))
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      printed = (printed + chunk).slice(-20_000)
      const address = /Listening on (\S+)/.exec(printed)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(`http://${address}`)
    })
  })
}

/** @returns the results of both chains, and the names of the differing fields */
async function compare(fuzzCase) {
  const { anvil, ours, known } = chains
  const run = transactionCase(kit, rules, fuzzCase)
  const settings = [
    ['anvil_setCoinbase', [run.block.coinbase]],
    ['anvil_setNextBlockBaseFeePerGas', [run.block.baseFee]],
    ['evm_setNextBlockTimestamp', [TIMESTAMP]],
  ]
  const receipt = await anvil.run(run, settings)
  const { mixHash } = await anvil.call('eth_getBlockByNumber', ['latest', false])
  const ownReceipt = await ours.run(run, [...settings, ['anvil_setPrevRandao', [mixHash]]])
  const expected = { ...receipt, ...(await accountsByDump(anvil, kit, known)) }
  const actual = { ...ownReceipt, ...(await accountsByProof(ours, known)) }
  return { expected, actual, differs: differences(expected, actual) }
}

function differences(expected, actual) {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
  const isRefused = expected.refused !== undefined && actual.refused !== undefined
  return names.filter((name) => {
    // Error messages differ between implementations.
    if (name === 'refused' && isRefused) return false
    return JSON.stringify(expected[name]) !== JSON.stringify(actual[name])
  })
}

async function runFile(name) {
  const outcome = await compare(JSON.parse(readFileSync(name, 'utf8')))
  report(outcome)
  console.log(outcome.differs.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed')
  return outcome.differs.length === 0
}

async function runMany() {
  const seed = numberOption('seed', Date.now() % 1_000_000)
  const cases = numberOption('cases', Number.POSITIVE_INFINITY)
  const seconds = numberOption('seconds', cases === Number.POSITIVE_INFINITY ? 120 : Number.POSITIVE_INFINITY)
  const from = numberOption('from', 0)
  console.log(`seed ${seed}, ${FORK}`)
  const start = performance.now()
  const kinds = new Set()
  const outcomes = { succeeded: 0, failed: 0, refused: 0 }
  let failed = 0
  let count = 0
  while (count < cases && performance.now() - start < seconds * 1000 && kinds.size < MAX_KINDS) {
    const caseNumber = from + count++
    const fuzzCase = generateCase(project, { seed, caseNumber, forks: [FORK] })
    const outcome = await compare(fuzzCase)
    const { refused, status } = outcome.expected
    outcomes[refused !== undefined ? 'refused' : status === '0x1' ? 'succeeded' : 'failed']++
    if (outcome.differs.length === 0) continue
    failed++
    console.log(`case ${caseNumber} of seed ${seed} differs: ${outcome.differs.join(', ')}`)
    const kind = outcome.differs.join()
    if (kinds.has(kind)) continue
    kinds.add(kind)
    await show(fuzzCase, outcome.differs, `${seed}-${caseNumber}.json`)
  }
  const elapsed = (performance.now() - start) / 1000
  console.log(`${Math.round(count / elapsed)} cases a second (${count} in ${elapsed.toFixed(1)} s)`)
  console.log(`transactions: ${JSON.stringify(outcomes)}`)
  console.log(`${count - failed} passed, ${failed} failed`)
  return failed === 0
}

async function show(fuzzCase, differs, name) {
  const small = await shrink(fuzzCase, async (candidate) => {
    try {
      const found = (await compare(candidate)).differs
      return found.includes(differs[0]) && found.includes('refused') === differs.includes('refused')
    } catch {
      return false
    }
  })
  report(await compare(small))
  console.log(JSON.stringify(small))
  const out = text('out')
  if (out === undefined) return
  mkdirSync(out, { recursive: true })
  writeFileSync(path.join(out, name), `${JSON.stringify(small, undefined, 2)}\n`)
}

function report({ expected, actual, differs }) {
  for (const name of differs) {
    console.log(`  ${name}: anvil ${JSON.stringify(expected[name])}, ours ${JSON.stringify(actual[name])}`)
  }
}
