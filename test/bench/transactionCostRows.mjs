/** The rows of transactionCost.bench.mjs that need running nodes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { startTarget, stopTarget } from './devTargets.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const SENDERS = 50
const RICH = 10n ** 24n
const MICROS_PER_NANO = 1e-3
/** Executions before the measured ones: V8 has then compiled what runs often. */
const WARM_UP = 8
/** Executions of a block of the main network before the measured ones. */
const BLOCK_WARM_UP = 3
/** Contracts that draw numbers from block hashes may use other gas on another chain. */
const GAS_TOLERANCE = 0.01
const ANVIL_OPTIONS = ['--hardfork', 'cancun', '--timestamp', '1']
const ANVIL_MINING_OPTIONS = ['--no-mining', '--order', 'fifo']

/** Processor time of all threads of a process, in microseconds. */
function cpuMicros({ child: { pid } }) {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).reduce((sum, thread) => {
    const [nanos] = readFileSync(path.join(folder, thread, 'schedstat'), 'utf8').split(' ')
    return sum + Number(nanos) * MICROS_PER_NANO
  }, 0)
}

async function measured(target, work) {
  const before = cpuMicros(target)
  const result = await work()
  return { micros: cpuMicros(target) - before, result }
}

function withOptions(target, options) {
  if (target.name !== 'anvil') return target
  return { ...target, command: (folder) => [...target.command(folder), ...options] }
}

async function withTargets(targets, temporary, work) {
  const running = []
  try {
    for (const target of targets) running.push(await startTarget(target, temporary))
    await work(running)
  } finally {
    await Promise.all(running.map(stopTarget))
  }
}

const turned = (list, round) => (round % 2 === 0 ? list : list.toReversed())

/** Transfers that are simulated, mined, traced and read. */
export async function transferRows({ targets, temporary, transfers, rounds, isWanted, note }) {
  const rows = ['simulated transfers', 'mined transfers', 'traced transfers', 'read transfers'].filter(isWanted)
  if (rows.length === 0) return
  const senders = makeSenders(SENDERS)
  const started = targets.map((target) => withOptions(target, ANVIL_MINING_OPTIONS))
  await withTargets(started, temporary, async (running) => {
    for (const { rpc, fund } of running) {
      await rpc.call('evm_setAutomine', [false])
      for (const { hex } of senders) await fund(hex, RICH)
    }
    for (let round = -WARM_UP; round < rounds; round++) {
      const isYoung = round === -WARM_UP
      const signed = signedTransfers({ senders, transfers, round: round + WARM_UP, chainId: running[0].chainId })
      for (const target of turned(running, round))
        for (const [row, micros] of await transferRound(target, { senders, transfers, rows, signed }))
          if (round >= 0 || isYoung)
            note(isYoung ? `${row}, young process` : row, target.name, Math.max(round, 0), micros / transfers)
    }
  })
}

async function transferRound(target, { senders, transfers, rows, signed }) {
  const { name, port } = target
  const rpc = await connection(port)
  const results = []
  const measure = async (row, work) => {
    if (!rows.includes(row) || (name === 'anvil' && row === 'traced transfers')) return
    const { micros, result } = await measured(target, work)
    if (result !== transfers) throw new Error(`${name}, ${row}: ${result} transactions`)
    results.push([row, micros])
  }
  const calls = Array.from({ length: transfers }, (_, i) => simulatedTransfer(senders, i))
  await measure('simulated transfers', async () => {
    const [block] = await rpc.call('eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest'])
    return block.calls.filter(({ status }) => status === '0x1').length
  })
  await fillPool(port, signed)
  await measure('mined transfers', async () => {
    await rpc.call('evm_mine')
    return Number(await rpc.call('eth_getBlockTransactionCountByNumber', ['latest']))
  })
  await measure('traced transfers', async () => {
    const traces = await rpc.call('debug_traceBlockByNumber', ['latest', { tracer: 'callTracer' }])
    return traces.length
  })
  await measure('read transfers', async () => {
    const { transactions } = await rpc.call('eth_getBlockByNumber', ['latest', true])
    const receipts = await rpc.call('eth_getBlockReceipts', ['latest'])
    return (transactions.length + receipts.length) / 2
  })
  rpc.close()
  return results
}

function simulatedTransfer(senders, index) {
  const from = senders[index % SENDERS].hex
  const to = senders[(index + 1) % SENDERS].hex
  return {
    from,
    to,
    value: '0x1',
    gas: '0x5208',
    maxFeePerGas: '0x2540be400',
    maxPriorityFeePerGas: '0x1',
    input: '0x',
  }
}

function signedTransfers({ senders, transfers, round, chainId }) {
  const each = Math.ceil(transfers / SENDERS)
  return Array.from({ length: transfers }, (_, i) => {
    const nonce = round * each + Math.floor(i / SENDERS)
    return signTransfer(senders[i % SENDERS], nonce, senders[(i + 1) % SENDERS], 1n, chainId)
  })
}

/** Servers close connections that were idle for seconds. */
async function connection(port) {
  const rpc = new RpcConnection(port)
  await rpc.connect()
  return rpc
}

async function fillPool(port, signed) {
  const batch = signed.map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }))
  const headers = { 'content-type': 'application/json' }
  const sent = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: JSON.stringify(batch) })
  const refused = (await sent.json()).find(({ error }) => error !== undefined)
  if (refused !== undefined) throw new Error(refused.error.message)
}

/** One block of the main network on all targets. */
export async function simulatedBlock({ targets, temporary, rounds, note, block }) {
  const genesisFile = path.join(temporary, 'genesis.json')
  writeFileSync(genesisFile, JSON.stringify(block.genesis))
  const started = targets.map((target) => onGenesis(target, genesisFile))
  const row = `main network, block ${block.number}, ${block.transactions} transactions`
  await withTargets(started, temporary, async (running) => {
    let gas
    for (let round = -BLOCK_WARM_UP; round < rounds; round++)
      for (const target of turned(running, round)) {
        const rpc = await connection(target.port)
        const { micros, result } = await measured(target, () => rpc.call('eth_simulateV1', [block.payload, 'latest']))
        rpc.close()
        const used = Number(result[0].gasUsed)
        gas ??= used
        if (Math.abs(used / gas - 1) > GAS_TOLERANCE) throw new Error(`${row}, ${target.name}: ${used} gas, not ${gas}`)
        if (round >= 0) note(row, target.name, round, micros / block.transactions)
      }
  })
}

function onGenesis(target, genesisFile) {
  const own =
    target.name === 'anvil' ? ['--init', genesisFile, ...ANVIL_OPTIONS] : ['--dev', `--genesis-file=${genesisFile}`]
  return { ...target, command: (folder) => [...target.command(folder), ...own] }
}
