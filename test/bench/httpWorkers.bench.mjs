/**
 * Compares nodes with 0, 1 and 2 processes for HTTP with each other and with anvil, alternating in one run: answers per second,
 * CPU time per request of the processes that answer, and the share of the main process.
 *
 *   node test/bench/httpWorkers.bench.mjs [rounds] [seconds]
 *
 * Needs the built node, Linux, and anvil in .cache. The load has one core; on a busy machine only the CPU times say something.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { INIT_CODE } from './devContract.mjs'
import { connected, cpuMs } from './measuredNode.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const anvil = path.join(root, '.cache/foundry/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')
const [rounds = 1, seconds = 1] = process.argv.slice(2).map(Number)
const CONNECTIONS = [1, 16, 64]
const BATCH = 100
const LOGS = 100
const FIRST_PORT = 18761
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** A contract whose balanceOf(address) reads a mapping in slot 0. */
const TOKEN = '0x60198060093d393df3600435600052600060205260406000205460005260206000f3'
const BALANCE_OF = `0x70a08231${ACCOUNT.slice(2).padStart(64, '0')}`
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-workers-'))
const run = promisify(execFile)

const ours = (workers, index) => ({
  name: `${workers} workers`,
  port: FIRST_PORT + index,
  command: [
    process.execPath,
    path.join(root, 'dist/server.js'),
    `--data-path=${path.join(folder, String(workers))}`,
    `--rpc-http-port=${FIRST_PORT + index}`,
    '--rpc-ws-port=0',
    '--logging=OFF',
    '--silent',
    `--rpc-http-workers=${workers}`,
  ],
})
const TARGETS = [
  ...[0, 1, 2].map(ours),
  { name: 'anvil', port: FIRST_PORT + 3, command: [anvil, '--silent', '--port', String(FIRST_PORT + 3)] },
].filter(({ command: [program] }) => existsSync(program))

function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

async function open(target) {
  const [program, ...options] = target.command
  const child = spawn(program, options, { stdio: 'ignore', cwd: folder })
  children.push(child)
  const rpc = new RpcConnection(target.port)
  await connected(rpc)
  const deploy = async (data) => {
    const hash = await rpc.call('eth_sendTransaction', [{ from: ACCOUNT, data, gas: '0x100000' }])
    // Anvil answers before it has mined.
    for (;;) {
      const receipt = await rpc.call('eth_getTransactionReceipt', [hash])
      if (receipt !== null) return receipt.contractAddress
    }
  }
  const token = await deploy(TOKEN)
  const answer = await rpc.call('eth_call', [{ to: token, data: BALANCE_OF }, 'latest'])
  if (!/^0x0{64}$/.test(answer)) throw new Error(`${target.name}: a wrong balance: ${answer}`)
  const emitter = await deploy(`0x${INIT_CODE.toString('hex')}`)
  for (let i = 0; i < LOGS; i++)
    await rpc.call('eth_sendTransaction', [{ from: ACCOUNT, to: emitter, gas: '0x100000' }])
  const workers = childrenOf(child.pid)
  return { ...target, main: child.pid, answering: workers.length === 0 ? [child.pid] : workers, token, emitter }
}

const request = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const LOADS = [
  { name: 'eth_blockNumber', body: () => request('eth_blockNumber', []), calls: 1 },
  {
    name: 'eth_call balanceOf',
    body: ({ token }) => request('eth_call', [{ to: token, data: BALANCE_OF }, 'latest']),
    calls: 1,
  },
  {
    name: `batch of ${BATCH}`,
    body: () => `[${Array(BATCH).fill(request('eth_blockNumber', [])).join()}]`,
    calls: BATCH,
  },
  {
    name: `eth_getLogs, ${LOGS} logs`,
    body: ({ emitter }) => request('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: emitter }]),
    calls: 1,
  },
]

const sum = (values) => values.reduce((total, value) => total + value, 0)
const cpuOf = (pids) => sum(pids.map(cpuMs))

async function measure(target, load, connections) {
  const before = { main: cpuMs(target.main), answering: cpuOf(target.answering) }
  const options = [path.join(import.meta.dirname, 'httpLoad.mjs'), target.port, connections, seconds, load.body(target)]
  const rate = Number((await run(process.execPath, options.map(String))).stdout)
  const main = cpuMs(target.main) - before.main
  const answering = cpuOf(target.answering) - before.answering
  // The load runs 0.2 s before it counts.
  const answers = rate * (seconds + 0.2)
  return { rate: rate * load.calls, us: (answering * 1000) / answers, main: main / seconds / 10 }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const children = []
const targets = []
try {
  for (const target of TARGETS) targets.push(await open(target))
  console.log('answers/s, CPU µs per request where it is answered, % of a core in the main process')
  for (const load of LOADS) {
    for (const connections of CONNECTIONS) {
      const figures = new Map(targets.map(({ name }) => [name, []]))
      for (let round = 0; round < rounds; round++) {
        for (const target of targets) figures.get(target.name).push(await measure(target, load, connections))
      }
      const cells = [...figures].map(([name, all]) => {
        const of = (key) => median(all.map((each) => each[key]))
        return `${name}: ${String(Math.round(of('rate'))).padStart(7)} ${of('us').toFixed(1).padStart(6)} ${of('main').toFixed(0).padStart(3)}`
      })
      console.log(`${load.name.padEnd(22)} ${String(connections).padStart(2)}  ${cells.join('   ')}`)
    }
  }
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
