/**
 * Pages of the transactions of an account with many of them, beside anvil. Needs the built node.
 *
 *   npm run build && node test/bench/ots.bench.mjs [--transactions 100000] [--per-block 100] [--rounds 9] [--targets ours,anvil]
 *
 * Every other transaction pays the account itself, the others call a contract that calls it. Times are medians in milliseconds
 * until the last byte of the answer; the first answer is listed separately. `ours on disk` keeps the chain in a database.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installedTargets, startTarget, stopTarget } from './devTargets.mjs'

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: '100000' },
    'per-block': { type: 'string', default: '100' },
    rounds: { type: 'string', default: '9' },
    targets: { type: 'string', default: 'ours,anvil' },
  },
})
const [transactions, perBlock, rounds] = [values.transactions, values['per-block'], values.rounds].map(Number)
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const ACCOUNT = `0x${'c1'.repeat(20)}`
const RARE = `0x${'c2'.repeat(20)}`
const NOBODY = `0x${'dd'.repeat(20)}`
const CALLER = `0x${'c0'.repeat(20)}`
/** An empty CALL of ACCOUNT. */
const CALLER_CODE = `0x6000600060006000600073${'c1'.repeat(20)}5af100`
const PAGE = 25
/** Transactions of the account RARE, evenly spread. */
const RARE_COUNT = 50
const [PORT, WS_PORT] = [18741, 18742]
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
const table = {}
try {
  for (const target of chosenTargets()) {
    const running = await startTarget(target, folder)
    try {
      const begin = performance.now()
      const blocks = await fill(running)
      console.error(`${target.name}: ${blocks} blocks in ${Math.round(performance.now() - begin)} ms`)
      for (const [row, times] of Object.entries(await measureAll(running.rpc, blocks))) {
        table[row] = { ...table[row], [`${target.name} first`]: times.first, [`${target.name} median`]: times.median }
      }
    } finally {
      await stopTarget(running)
    }
  }
  console.table(table)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function chosenTargets() {
  const targets = installedTargets(values.targets.split(','))
  const ours = targets.find(({ name }) => name === 'ours')
  if (ours === undefined) return targets
  const options = ['--logging=OFF', `--rpc-http-port=${PORT}`, `--rpc-ws-port=${WS_PORT}`]
  const command = () => [...ours.command().slice(0, 2), `--data-path=${path.join(folder, 'data')}`, ...options]
  return [...targets, { ...ours, name: 'ours on disk', port: PORT, wsPort: WS_PORT, command }]
}

/** @returns the number of the newest block */
async function fill({ rpc, port }) {
  await rpc.call('anvil_setCode', [CALLER, CALLER_CODE])
  await rpc.call('evm_setAutomine', [false])
  const rareEvery = Math.floor(transactions / RARE_COUNT)
  for (let sent = 0; sent < transactions; sent += perBlock) {
    const numbers = Array.from({ length: perBlock }, (_, i) => sent + i)
    const batch = numbers.map((number) => transactionTo(number % 2 === 0 ? ACCOUNT : CALLER))
    if (numbers.some((number) => number % rareEvery === 0)) batch.push(transactionTo(RARE))
    await sendAll(port, batch)
    await rpc.call('evm_mine')
  }
  return Number(await rpc.call('eth_blockNumber'))
}

function transactionTo(to) {
  return { from: SENDER, to, value: '0x0', gas: '0x186a0', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
}

/** Both nodes would estimate more with each waiting transaction, so the fees are given. */
async function sendAll(port, batch) {
  const requests = batch.map((transaction, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendTransaction',
    params: [transaction],
  }))
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    // A connection that was idle during a long block may be closed when it is used again.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(requests),
  })
  for (const { error } of await response.json()) if (error !== undefined) throw new Error(error.message)
}

async function measureAll(rpc, blocks) {
  const middle = Math.floor(blocks / 2)
  return {
    'first page': await measured(rpc, 'ots_searchTransactionsBefore', [ACCOUNT, 0, PAGE]),
    'page in the middle': await measured(rpc, 'ots_searchTransactionsBefore', [ACCOUNT, middle, PAGE]),
    'last page': await measured(rpc, 'ots_searchTransactionsAfter', [ACCOUNT, 0, PAGE]),
    'first page of the sender': await measured(rpc, 'ots_searchTransactionsBefore', [SENDER, 0, PAGE]),
    [`first page of ${RARE_COUNT} transactions`]: await measured(rpc, 'ots_searchTransactionsBefore', [RARE, 0, PAGE]),
    'no transaction': await measured(rpc, 'ots_searchTransactionsBefore', [NOBODY, 0, PAGE], 0),
    'no transaction, from the start': await measured(rpc, 'ots_searchTransactionsAfter', [NOBODY, 0, PAGE], 0),
  }
}

async function measured(rpc, method, params, least = PAGE) {
  const times = []
  for (let round = 0; round <= rounds; round++) {
    const begin = performance.now()
    const { txs, receipts } = await rpc.call(method, params)
    times.push(performance.now() - begin)
    if (txs.length < least || receipts.length !== txs.length) throw new Error(`${method}: ${txs.length} transactions`)
  }
  return { first: times[0].toFixed(1), median: median(times.slice(1)).toFixed(1) }
}
