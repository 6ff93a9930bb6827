/**
 * The long runs: kill loops, fuzzing, many clients, comparisons with anvil and of precompiles with noble, endurance, recorded chains
 * on both EVMs with cross-check, slow state tests, public sets, all official tests on the reference EVM.
 *
 *   node test/long/run.mjs [--share 0.05] [--only TEXT] [--simulation]
 *
 * `--share` runs this fraction of each (CI runs a twentieth); `--only` runs those whose name contains the text;
 * `--simulation` runs the seeds of simulated networks, in parallel processes.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    simulation: { type: 'boolean', default: false },
  },
})
const share = Number(values.share)
/** Characters that are kept of what a run printed. */
const MAX_OUTPUT = 1_000_000

const VITEST = ['node_modules/vitest/vitest.mjs', 'run']
const REFERENCE = { ISONODE_TEST_EVM: 'reference' }
/** The tests in the repository come first. */
const OFFICIAL_TESTS = readdirSync(path.join(root, 'test/spec'))
  .map((file) => `test/spec/${file}`)
  .sort((a, b) => Number(b.includes('core')) - Number(a.includes('core')))

/** Unit tests that have a part of their generated cases in `npm test`. */
const GENERATED = readdirSync(path.join(root, 'test/unit'), { recursive: true })
  .map((file) => path.join('test/unit', file))
  .filter(
    (file) => file.endsWith('.test.ts') && readFileSync(path.join(root, file), 'utf8').includes('generatedCases('),
  )

/** A script that accepts the number as an option. */
function script(file, flag) {
  return (count) => ({ args: [file, flag, String(count)] })
}

/** A test in this folder, or those of its parts whose name contains a text. */
function longTest(file, environment = {}, part = '') {
  return (count) => ({
    args: [...VITEST, '--config', 'test/long/vitest.config.ts', file, ...(part === '' ? [] : ['-t', part])],
    environment: { ...environment, ISONODE_LONG_COUNT: String(count) },
  })
}

/** @param part of the names of the tests */
function runtimeTest(file, part) {
  return (count) => ({
    args: [...VITEST, '--config', 'test/runtime/vitest.config.ts', `test/runtime/${file}.test.ts`, '-t', part],
    environment: { ISONODE_LONG_COUNT: String(count) },
  })
}

/** Kills of validators as processes on real sockets. */
function validatorNetwork(name, engine, isWhole) {
  const file = 'test/reliability/validatorNetwork.mjs'
  const command = (count) => ({ args: [file, '--engine', engine, '--rounds', String(count)] })
  return {
    name: `network of validators of ${name} on real sockets, kills`,
    waits: true,
    full: 50,
    least: 1,
    isWhole,
    command,
  }
}

/** A kind of fault in networks of validators as processes. */
function validatorFault(name, scenario, isWhole) {
  const file = 'test/reliability/validatorFaults.mjs'
  const command = (count) => ({ args: [file, '--only', scenario, '--seconds', String(count)] })
  return { name: `validators that are ${name}, seconds`, waits: true, full: 600, least: 10, most: 10, isWhole, command }
}

/** Seeds of a kind of simulated network. */
function simulation(name, kind, full, least, most) {
  const command = (count) => ({ args: ['test/long/simulations.mjs', '--kind', kind, '--seeds', String(count)] })
  return { name: `${name}, seeds`, full, least, most, isSimulation: true, command }
}

/**
 * `full` seconds, rounds, transactions, entries or files; a share has from `least` to `most` of them. `isWhole`: no share
 * runs, because other tests run a part.
 * A share runs two at once, of which one `waits`, mostly for blocks, peers and faults. Those that have limits of time
 * (`measures`) follow one by one.
 */
const RUNS = [
  {
    name: 'kill loop of a synchronising node',
    full: 50,
    command: script('test/reliability/syncKillLoop.mjs', '--rounds'),
  },
  { name: 'kill loop over an import', full: 50, command: script('test/reliability/killLoop.mjs', '--rounds') },
  {
    name: 'kill loop under transactions',
    full: 100,
    command: script('test/reliability/transactionKillLoop.mjs', '--rounds'),
  },
  {
    name: 'kill loop of a fork under transactions',
    full: 100,
    command: (count) => ({ args: ['test/reliability/transactionKillLoop.mjs', '--rounds', String(count), '--fork'] }),
  },
  {
    name: 'backups under transactions',
    full: 20,
    least: 1,
    command: script('test/reliability/backupLoop.mjs', '--rounds'),
  },
  {
    name: 'reads after writes across processes for HTTP',
    full: 20_000,
    command: longTest('test/long/httpWorkers.test.ts'),
  },
  {
    name: 'subscribers of the Worker whose objects sleep, sockets',
    waits: true,
    full: 2000,
    command: longTest('test/long/workerSockets.test.ts'),
  },
  {
    name: 'kill loop over a migration',
    full: 50,
    command: script('test/reliability/migrationKillLoop.mjs', '--rounds'),
  },
  {
    name: 'kill loop of the cache of forks',
    full: 100,
    least: 6,
    command: script('test/reliability/forkCacheKills.mjs', '--rounds'),
  },
  {
    name: 'kills of the worker that tabs share',
    waits: true,
    full: 100,
    command: runtimeTest('sharing', 'when its worker is killed'),
  },
  {
    name: 'kills of the browser while tabs send transactions to a saved chain',
    waits: true,
    full: 60,
    least: 2,
    most: 2,
    command: longTest('test/long/browserKills.test.ts'),
  },
  {
    name: 'stops of the service worker that answers over HTTP',
    waits: true,
    full: 200,
    most: 6,
    command: runtimeTest('sharing', 'answers over HTTP'),
  },
  {
    name: 'recorded requests through workers of pages, requests of each chain',
    full: 100,
    isWhole: true,
    command: runtimeTest('recordedWorkers', 'are answered as recorded'),
  },
  {
    name: 'chains read through a fork, calls',
    full: 2000,
    command: script('test/reliability/forkExact.mjs', '--calls'),
  },
  {
    name: 'kill loop over pruning and compaction',
    full: 120,
    least: 6,
    command: script('test/reliability/pruningKillLoop.mjs', '--rounds'),
  },
  {
    name: 'contract that is destroyed with its slots, kills while they are deleted, slots',
    full: 10_000_000,
    least: 100_000,
    most: 100_000,
    command: script('test/reliability/giantContract.mjs', '--slots'),
  },
  {
    name: 'kill loop of a validator',
    full: 100,
    command: script('test/reliability/validatorKillLoop.mjs', '--rounds'),
  },
  validatorNetwork('IBFT 2.0', 'ibft2', false),
  // Shares have the faults of such validators.
  validatorNetwork('QBFT', 'qbft', true),
  validatorFault('away', 'away', false),
  validatorFault('paused', 'paused', false),
  // Shares have the scenario of late validators, who are cut off too.
  validatorFault('cut off', 'split', true),
  validatorFault('late and cut off', 'late', false),
  validatorFault('equivocating', 'twins', false),
  {
    name: 'hostile connections to nodes of each consensus, seconds',
    measures: true,
    // Ten minutes for each scenario.
    full: 600,
    most: 8,
    command: longTest('test/long/hostileCrowd.test.ts'),
  },
  {
    name: 'hostile messages',
    full: 1,
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, 'test/unit/net/protocols/hostileMessages.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'generated cases of unit tests, percent',
    full: 100,
    // `npm test` has a quarter of them.
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, ...GENERATED],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'publishers on stores that fail, seeds',
    full: 400,
    least: 10,
    command: (count) => ({
      args: [...VITEST, 'test/unit/mirror/publisher/faults.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'damages to a mirror of 21 kinds, places',
    full: 20,
    // `npm test` has one.
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, 'test/unit/mirror/verify.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'kill loop of a publishing node',
    full: 50,
    least: 3,
    command: script('test/reliability/mirrorKillLoop.mjs', '--rounds'),
  },
  {
    name: 'kill loop of a publisher, its Redis and its replicas',
    full: 20,
    least: 1,
    command: script('test/reliability/replicaKillLoop.mjs', '--rounds'),
  },
  {
    name: 'recorded requests on all that answers, of each kind and chain',
    full: 1000,
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, '--config', 'test/runtime/vitest.config.ts', 'test/runtime/sameAnswers.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'network with private transactions, kills',
    waits: true,
    full: 50,
    least: 2,
    command: longTest('test/long/privateNetwork.test.ts'),
  },
  {
    name: 'reorganisations with private transactions',
    waits: true,
    full: 1,
    least: 1,
    command: longTest('test/long/privateReorganisation.test.ts'),
  },
  {
    name: 'permissioned network of miners',
    waits: true,
    full: 1,
    least: 1,
    command: longTest('test/long/permissionedNetwork.test.ts'),
  },
  {
    name: 'libraries for private transactions',
    waits: true,
    full: 1,
    least: 1,
    command: longTest('test/long/privacyClients.test.ts'),
  },
  { name: 'fuzz of the engines', full: 2400, most: 20, command: script('test/fuzz/run.mjs', '--seconds') },
  {
    name: 'proofs against another library, seconds',
    full: 600,
    most: 10,
    command: longTest('test/long/proofFuzz.test.ts'),
  },
  {
    name: 'lies to a verified provider',
    full: 10_000,
    least: 500,
    command: longTest('test/long/verifiedLies.test.ts'),
  },
  {
    name: 'lies to a fork that believes proofs only',
    full: 10_000,
    // `npm test` has 420.
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, 'test/unit/fork/lies.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'traces of a fork beside those of the node with the chain, transactions',
    full: 500,
    command: longTest('test/long/forkTraces.test.ts'),
  },
  { name: 'comparison with anvil', full: 600, most: 10, command: script('test/fuzz/anvil.mjs', '--seconds') },
  {
    name: 'comparison of precompiles with noble',
    full: 1200,
    most: 10,
    command: script('test/fuzz/precompiles.mjs', '--seconds'),
  },
  {
    name: 'file of a chain from a tab to the command line and back, blocks',
    full: 20_000,
    most: 500,
    command: longTest('test/long/chainFile.test.ts'),
  },
  {
    name: 'endurance',
    full: 100_000,
    most: 2500,
    command: script('test/reliability/endurance.mjs', '--transactions'),
  },
  {
    name: 'clients over HTTP, WebSocket and GraphQL, seconds',
    measures: true,
    full: 600,
    most: 15,
    command: script('test/long/soak.mjs', '--seconds'),
  },
  {
    name: 'recorded command lines',
    full: 1,
    least: 1,
    command: () => ({ args: ['test/conformance/commandLines.mjs'] }),
  },
  { name: 'damages to a database', full: 400, least: 20, command: longTest('test/long/damage.test.ts') },
  {
    name: 'limits of time under load',
    measures: true,
    full: 1,
    least: 1,
    command: longTest('test/long/deadline.test.ts'),
  },
  { name: 'build of the native module', full: 1, least: 1, command: longTest('test/long/assemblyBuild.test.ts') },
  {
    name: 'discovery against the devp2p tool',
    full: 1,
    least: 1,
    command: longTest('test/long/devp2pDiscovery.test.ts'),
  },
  {
    name: 'eth and snap against the devp2p tool',
    full: 1,
    least: 1,
    command: longTest('test/long/devp2pEth.test.ts'),
  },
  {
    name: 'proof of stake against the devp2p tool',
    full: 1,
    least: 1,
    command: longTest('test/long/devp2pStake.test.ts'),
  },
  { name: 'long competing branches', full: 1, least: 1, command: longTest('test/long/forkStress.test.ts') },
  {
    name: 'answers that nobody reads, connections',
    measures: true,
    full: 1000,
    // The tests of networks have 80 connections.
    isWhole: true,
    command: script('test/reliability/unreadAnswers.mjs', '--connections'),
  },
  simulation('simulated agreement of IBFT 2.0 and QBFT', 'agreement', 20_000, 500, 500),
  simulation('simulated validators of IBFT 2.0 and QBFT', 'validators', 10_000, 50, 50),
  simulation('simulated validators with a late clock and a cut', 'lateValidator', 1000, 10, 10),
  simulation('simulated validators with transitions', 'transitions', 1000, 20, 20),
  simulation('inbox of a validator among loud peers', 'inbox', 1000, 50),
  simulation('simulated signers of Clique', 'clique', 5000, 100, 100),
  simulation('synchronisation among hostile peers', 'hostilePeers', 2000, 50, 50),
  simulation('simulated nodes', 'nodes', 1000, 50),
  simulation('lying peers and partitions', 'lyingPeers', 200, 10),
  simulation('signers with real connections and partitions', 'connections', 200, 10),
  {
    name: 'attacker with 10,000 identities and planted faults, seeds',
    full: 3,
    // `npm test` has a seed without planted faults.
    isWhole: true,
    isSimulation: true,
    command: (count) => ({
      args: [...VITEST, 'test/simulation/eclipse.test.ts'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'search for the faults of agreement',
    full: 1,
    isWhole: true,
    isSimulation: true,
    command: (count) => ({
      args: [...VITEST, 'test/simulation/bft', '-t', 'a fault is found'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'gossip of 500 transactions per second among 50 nodes, virtual seconds',
    full: 600,
    least: 5,
    most: 10,
    command: longTest('test/long/gossipLoad.test.ts'),
  },
  {
    name: 'memory of tracers in JavaScript, rounds',
    full: 400,
    least: 20,
    command: longTest('test/long/tracerMemory.test.ts'),
  },
  { name: "tests of go-ethereum's tracers", full: 1, least: 1, command: longTest('test/long/gethTracers.test.ts') },
  { name: 'sessions with geth', full: 1, least: 1, command: longTest('test/long/gethSession.test.ts') },
  { name: 'proof of work with geth', full: 1, least: 1, command: longTest('test/long/gethProofOfWork.test.ts') },
  {
    name: 'signers of Clique with geth, blocks',
    full: 200,
    least: 40,
    command: longTest('test/long/gethClique.test.ts'),
  },
  { name: 'proof of stake served to geth', full: 1, least: 1, command: longTest('test/long/gethProofOfStake.test.ts') },
  { name: 'EthereumJS as a follower', full: 1, least: 1, command: longTest('test/long/ethereumjs.test.ts') },
  { name: 'miners outside the node', full: 1, least: 1, command: longTest('test/long/outsideMiner.test.ts') },
  { name: 'calls of web3j', full: 1, least: 1, command: longTest('test/long/web3jBesu.test.ts') },
  {
    name: 'fuzz of all codecs of the network, inputs',
    full: 100_000_000,
    least: 250_000,
    most: 250_000,
    command: longTest('test/long/codecFuzz.test.ts'),
  },
  { name: 'fuzz of RLPx', full: 2_000_000, least: 20_000, command: longTest('test/long/rlpxFuzz.test.ts') },
  {
    name: 'fuzz of a running node at its sockets, messages',
    full: 10_000_000,
    least: 50_000,
    most: 50_000,
    command: longTest('test/long/nodeFuzz.test.ts'),
  },
  { name: 'recorded chains with cross-check', full: 31, command: longTest('test/long/crossCheck.test.ts') },
  { name: 'recorded chains through verify and commit', full: 20, command: longTest('test/long/verifyCommit.test.ts') },
  {
    name: 'variables of the debugger beside those of instrumented code, types',
    full: 60,
    least: 1,
    most: 1,
    command: longTest('test/long/debuggerTruth.test.ts'),
  },
  {
    name: 'files of contracts that lie',
    full: 10_000,
    least: 100,
    most: 200,
    command: longTest('test/long/hostileContracts.test.ts'),
  },
  {
    name: 'answers that lie to the page, views',
    full: 600,
    // The tests of the page have 8.
    isWhole: true,
    command: (count) => ({
      args: [...VITEST, '--config', 'test/page/vitest.config.ts', 'test/page/hostileData.test.ts', '-t', 'in answers'],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  {
    name: 'lines of failing transactions, beside Hardhat 2',
    full: 338,
    least: 60,
    command: longTest('test/long/failingLines.test.ts'),
  },
  {
    name: 'views of a fork in the browser',
    full: 40,
    // The tests of the page have 4.
    isWhole: true,
    command: (count) => ({
      args: [
        ...VITEST,
        '--config',
        'test/page/vitest.config.ts',
        'test/page/devtools.test.ts',
        '-t',
        'views of a fork',
      ],
      environment: { ISONODE_LONG_COUNT: String(count) },
    }),
  },
  { name: 'slow state tests', full: 21, least: 1, most: 1, command: longTest('test/long/stateTests.test.ts') },
  {
    name: 'slow state tests on the reference engine',
    full: 21,
    isWhole: true,
    command: longTest('test/long/stateTests.test.ts', REFERENCE),
  },
  {
    name: 'official cases of much gas or memory on the native engine',
    full: 1,
    least: 1,
    command: longTest('test/long/eestCases.test.ts', {}, 'with the native EVM'),
  },
  {
    name: 'official cases of much gas or memory on the reference engine',
    full: 1,
    isWhole: true,
    command: longTest('test/long/eestCases.test.ts', {}, 'with the reference EVM'),
  },
  {
    name: 'blocks of public sets on both engines',
    full: 462,
    most: 7,
    command: longTest('test/long/publicSets.test.ts'),
  },
  {
    name: 'official tests on the reference engine',
    full: OFFICIAL_TESTS.length,
    least: 1,
    command: (count) => ({ args: [...VITEST, ...OFFICIAL_TESTS.slice(0, count)], environment: REFERENCE }),
  },
]

const chosen = RUNS.filter(
  ({ name, isWhole = false, isSimulation = false }) =>
    name.includes(values.only) && !(isWhole && share < 1) && (!values.simulation || isSimulation),
)

/** @returns how many seconds, rounds or others of a run are asked for */
function countOf({ full, least = 3, most = full }) {
  const asked = Math.max(least, Math.ceil(full * share))
  return share < 1 ? Math.min(asked, most) : asked
}

/** Runs a program to its end. @returns its exit status, and what it printed unless that is shown at once */
function runToEnd(args, environment, isShown) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
  }
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}

let passed = 0
let failed = 0

/** Runs one after the other. @param isShown whether output appears at once; otherwise at the end of its run */
async function runInTurn(next, isShown) {
  for (let run = next(); run !== undefined; run = next()) {
    const { name, full, command } = run
    const count = countOf(run)
    console.log(`${name}: ${count} of ${full}`)
    const { args, environment } = command(count)
    const began = performance.now()
    const { status, output } = await runToEnd(args, environment, isShown)
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log(`${output}${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`)
    if (status === 0) passed++
    else failed++
  }
}

if (share === 1) await runInTurn(() => chosen.shift(), true)
else {
  const measured = chosen.filter(({ measures = false }) => measures)
  const waiting = chosen.filter(({ waits = false }) => waits)
  const busy = chosen.filter((run) => !measured.includes(run) && !waiting.includes(run))
  await Promise.all([
    runInTurn(() => waiting.shift() ?? busy.shift(), false),
    runInTurn(() => busy.shift() ?? waiting.shift(), false),
  ])
  await runInTurn(() => measured.shift(), true)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
