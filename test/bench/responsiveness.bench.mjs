/**
 * How long eth_blockNumber takes while the node does long work. Run on built code:
 *
 *   npm run build && node test/bench/responsiveness.bench.mjs [--server dist/server.js] [--only TEXT] [--accounts 200000]
 *     [--blocks 20000] [--seconds 5]
 *
 * A separate thread polls over one connection, at most every 2 ms. `idle` shows the latency of the machine itself.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { WORST_PRECOMPILES } from './worstPrecompiles.mjs'

const root = path.resolve(import.meta.dirname, '../..')

function post(url, body, agent) {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } }
    const sent = httpRequest(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** In the polling thread: milliseconds of each answer, until told to stop. */
async function poll(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const times = []
  let isStopped = false
  parentPort.on('message', () => {
    isStopped = true
  })
  parentPort.postMessage('ready')
  while (!isStopped) {
    const started = performance.now()
    await post(url, body, agent)
    times.push(performance.now() - started)
    await sleep(2)
  }
  parentPort.postMessage(times)
  agent.destroy()
  parentPort.close()
}

/** @returns latencies while `work` runs */
async function polled(url, work) {
  const worker = new Worker(import.meta.filename, { workerData: url })
  const message = () => new Promise((resolve) => worker.once('message', resolve))
  await message()
  const started = performance.now()
  const outcome = await work()
  const ms = performance.now() - started
  const times = message()
  worker.postMessage('stop')
  return { times: await times, ms, outcome }
}

function report(name, { times, ms, outcome }) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
  const figures = `p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)} ms`
  console.log(
    `${name.padEnd(34)} ${figures.padEnd(44)} ${times.length} polls, ${(ms / 1000).toFixed(1)} s  ${outcome ?? ''}`,
  )
}

async function startNode(server, args) {
  const child = spawn(process.execPath, [server, ...args], { stdio: ['ignore', 'pipe', 'inherit'], cwd: tmpdir() })
  const url = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /http:\/\/[^\s/]+:\d+/.exec(text)
      if (found !== null) resolve(found[0])
    })
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}: ${text}`)))
  })
  const rpc = async (method, ...params) => {
    const { result, error } = JSON.parse(await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve)
      child.kill('SIGTERM')
    })
  return { url, rpc, stop }
}

const word = (value) => `0x${value.toString(16).padStart(64, '0')}`
const address = (value) => `0x${value.toString(16).padStart(40, '0')}`

function stateGenesis(file, accounts) {
  const config = { chainId: 1337, londonBlock: 0, terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0 }
  const alloc = {}
  for (let i = 0; i < accounts; i++) alloc[address(0x1000_0000 + i)] = { balance: `0x${(i + 1).toString(16)}` }
  writeFileSync(file, JSON.stringify({ config, difficulty: '0x0', gasLimit: '0x1c9c380', alloc }))
}

/** Signed transactions of six blobs each, with the same blobs. */
async function blobTransactions(count, version) {
  const { Transaction, Wallet } = await import('ethers')
  const wallets = Array.from({ length: count }, (_, i) => new Wallet(word(0xb10b_0000 + i)))
  const blob = new Uint8Array(131_072)
  for (let at = 31; at < blob.length; at += 32) blob[at] = 1
  // The commitment to a blob that holds 1 everywhere is the generator; its proof is the point at infinity.
  const commitment = Buffer.from(
    '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
    'hex',
  )
  const proof = Buffer.alloc(48)
  proof[0] = 0xc0
  const blobs = Array.from({ length: 6 }, () => ({ data: blob, commitment, proof }))
  const raws = wallets.map((wallet) => {
    const transaction = Transaction.from({
      type: 3,
      chainId: 1337,
      nonce: 0,
      to: address(0xb0b),
      gasLimit: 21_000,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      maxFeePerBlobGas: 10_000_000_000n,
      blobs,
    })
    transaction.signature = wallet.signingKey.sign(transaction.unsignedHash)
    return transaction.serialized
  })
  return { senders: wallets.map((wallet) => wallet.address), raws, version }
}

async function main() {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: path.join(root, 'dist/server.js') },
      only: { type: 'string', default: '' },
      accounts: { type: 'string', default: '200000' },
      blocks: { type: 'string', default: '20000' },
      seconds: { type: 'string', default: '5' },
    },
  })
  const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-responsiveness-'))
  const server = path.resolve(values.server)
  const dev = () =>
    startNode(server, [
      '--ephemeral',
      '--rpc-http-port=0',
      '--rpc-ws-port=0',
      '--rpc-http-api=ETH,NET,WEB3,DEBUG,TXPOOL,DEV',
    ])
  const scenarios = devScenarios(Number(values.seconds) * 1000, Number(values.blocks))
  try {
    for (const [name, work] of Object.entries(scenarios)) {
      if (!name.includes(values.only)) continue
      const node = await dev()
      await node.rpc('eth_call', { to: address(1) }, 'latest')
      try {
        const prepared = (await work.prepare?.(node)) ?? undefined
        report(name, await polled(node.url, () => work.run(node, prepared)))
      } catch (error) {
        console.log(name, String(error))
      } finally {
        await node.stop()
      }
    }
    if ('resync of the state'.includes(values.only)) await resync(server, temporary, Number(values.accounts))
    if ('ethash import'.includes(values.only)) await ethashImport(server)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function devScenarios(spanMs, blocks) {
  const slots = (count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [word(i + 1), word(i + 7)]))
  const call = { to: address(0xe1) }
  const repeat = async (work) => {
    const end = performance.now() + spanMs
    let count = 0
    while (performance.now() < end) {
      await work()
      count++
    }
    return `${count} times`
  }
  return {
    idle: { run: () => sleep(spanMs) },
    [`hardhat_mine of ${blocks}`]: {
      run: async ({ rpc }) => void (await rpc('hardhat_mine', `0x${blocks.toString(16)}`)),
    },
    [`anvil_mine_detailed of ${blocks}`]: {
      run: async ({ rpc }) => `${(await rpc('anvil_mine_detailed', { blocks })).length} blocks`,
    },
    '30,000 override slots': {
      prepare: () => ({ [address(0xe1)]: { stateDiff: slots(30_000) } }),
      run: ({ rpc }, overrides) => repeat(() => rpc('eth_call', call, 'latest', overrides)),
    },
    '20,000 override accounts': {
      prepare: () =>
        Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [address(0x5000 + i), { balance: '0x1' }])),
      run: ({ rpc }, overrides) => repeat(() => rpc('eth_call', call, 'latest', overrides)),
    },
    ...precompileScenarios(spanMs),
    'eth_simulateV1 of 256 blocks': {
      run: ({ rpc }) =>
        repeat(() => rpc('eth_simulateV1', { blockStateCalls: Array(256).fill({ calls: [call] }) }, 'latest')),
    },
    'simulation, 30,000 override slots': {
      prepare: () => ({ blockStateCalls: [{ stateOverrides: { [address(0xe1)]: { stateDiff: slots(30_000) } } }] }),
      run: ({ rpc }, payload) => repeat(() => rpc('eth_simulateV1', payload, 'latest')),
    },
    'eth_getProof of 4,096 slots': {
      prepare: () => Array.from({ length: 4096 }, (_, i) => word(i)),
      run: ({ rpc }, keys) => repeat(() => rpc('eth_getProof', address(0xe1), keys, 'latest')),
    },
    'txpool_content of 4,096': {
      prepare: async ({ rpc }) => {
        await rpc('evm_setAutomine', false)
        const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
        for (let nonce = 0; nonce < 4096; nonce++) {
          await rpc('eth_sendTransaction', { from, to: address(1), nonce: `0x${nonce.toString(16)}` }).catch(() => {})
        }
      },
      run: ({ rpc }) => repeat(() => rpc('txpool_content')),
    },
    'eth_feeHistory of 1,024': {
      prepare: ({ rpc }) => rpc('hardhat_mine', '0x400'),
      run: ({ rpc }) => repeat(() => rpc('eth_feeHistory', '0x400', 'latest', [10, 50, 90])),
    },
    'eth_getLogs over 1,000 blocks': {
      prepare: ({ rpc }) => rpc('hardhat_mine', '0x3e8'),
      run: ({ rpc }) => repeat(() => rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })),
    },
    '6 blobs a transaction': {
      prepare: async ({ rpc }) => {
        await rpc('evm_setAutomine', false)
        const { senders, raws } = await blobTransactions(12, 0)
        for (const sender of senders) await rpc('anvil_setBalance', sender, '0x56bc75e2d63100000')
        return raws
      },
      run: async ({ rpc }, raws) => {
        for (const raw of raws) await rpc('eth_sendRawTransaction', raw)
        return `${raws.length} transactions`
      },
    },
  }
}

const PRECOMPILE_CLIENTS = 8

/** The longest calls of precompiles that 100 million gas pay for, by several clients at once. */
function precompileScenarios(spanMs) {
  const scenarios = Object.entries(WORST_PRECOMPILES).map(([name, { call, overrides }]) => [
    `${PRECOMPILE_CLIENTS} clients: ${name}`,
    {
      run: async ({ rpc }) => {
        const end = performance.now() + spanMs
        let [count, errors] = [0, 0]
        const client = async () => {
          for (; performance.now() < end; count++)
            await rpc('eth_call', call, 'latest', overrides).catch(() => errors++)
        }
        await Promise.all(Array.from({ length: PRECOMPILE_CLIENTS }, client))
        return `${count} calls, ${errors} at the deadline`
      },
    },
  ])
  return Object.fromEntries(scenarios)
}

async function resync(server, folder, accounts) {
  const genesis = path.join(folder, 'genesis.json')
  stateGenesis(genesis, accounts)
  const options = ['--rpc-http-enabled', '--rpc-http-port=0', '--p2p-enabled=false', '--rpc-http-api=ETH,DEBUG']
  const node = await startNode(server, [`--genesis-file=${genesis}`, `--data-path=${folder}/state`, ...options])
  try {
    report(
      `resync of the state, ${accounts} accounts`,
      await polled(node.url, () => node.rpc('debug_resyncWorldstate')),
    )
  } finally {
    await node.stop()
  }
}

/** Imports ethash blocks in this process with the modules beside the server, and reads the head every 2 ms meanwhile. */
async function ethashImport(server) {
  const recorded = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance', 'besu/frontier')
  if (!existsSync(recorded)) return
  const load = (file) => import(path.join(path.dirname(server), file))
  const [{ openServerNode }, { importBlocks }, { defaultOptions }, { readBlocks }, { silentLogger }] =
    await Promise.all(
      [
        'adapters/server/serverNode.js',
        'src/chain/import.js',
        'src/config/options.js',
        'src/types/blockSplitter.js',
        'src/base/ports/logging.js',
      ].map(load),
    )
  const options = { ...defaultOptions(false), ephemeral: true, 'genesis-file': path.join(recorded, 'genesis.json') }
  const { node, host, close } = await openServerNode({ options, logger: silentLogger, runtimeName: 'node' })
  const blocks = readBlocks([readFileSync(path.join(recorded, 'blocks.bin'))])
  const times = []
  let isDone = false
  const started = performance.now()
  const work = importBlocks({ chain: node.chain, senders: host.senders, clock: host.clock }, { blocks }).finally(() => {
    isDone = true
  })
  while (!isDone) {
    const asked = performance.now()
    await sleep(2)
    times.push(performance.now() - asked - 2)
  }
  const { imported } = await work
  report('import of ethash blocks', { times, ms: performance.now() - started, outcome: `${imported} blocks` })
  await close()
}

if (isMainThread) await main()
else await poll(workerData)
