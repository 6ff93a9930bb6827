/** The scenarios measured on a running dev node. Each scenario uses separate senders, whose nonces start at 0. */
import { setTimeout as delay } from 'node:timers/promises'
import { makeSenders, signTransaction, signTransfer } from '../reliability/devNode.mjs'
import { INIT_CODE } from './devContract.mjs'
import { openSubscribers } from './devSubscribers.mjs'
import { Watch } from './devWatch.mjs'
import { RpcConnection } from './rpcConnection.mjs'

/** A slow target is measured on the work it completes in this time. */
const LIMIT_MS = 3_000
const CALL_MS = 1000
/** Calls that are not counted: a young process still compiles its code. */
const CALL_WARMUP_MS = 1000
const FIRST_TRANSFERS = 100
const BURST_SENDERS = 64
const BURST_EACH = 10
const SUBSCRIBERS = 50
const FUNDS = 10n ** 24n
const EVENT_GAS = 50_000n
const DEPLOYMENT_GAS = 200_000n
/**
 * A receipt is polled this often without pauses, then with doubling pauses, so that polling does not become the load.
 */
const EAGER_POLLS = 3
const MAX_PAUSE_MS = 16

/** The scenarios in execution order; `run(target)` resolves to figures `{ row: { unit, value, nudged, stalls } }`. */
export function makeScenarios({ transactions, samples }) {
  const [deployer, first, single, one, many, ...others] = makeSenders(5 + 8 + 16 + BURST_SENDERS)
  const workers = (from, count) => others.slice(from, from + count)
  const per = (count) => Math.ceil((2 * transactions) / count)
  const load = (senders, each, options) => {
    const raws = signer((chainId) => signTransfers(senders, each, chainId))
    return async (target) => loadFigures(await transfers(target, raws(target.chainId), options))
  }
  const notified = (sender, subscribers) => async (target) =>
    notifications(target, signEvents(sender, samples, target), subscribers)
  return {
    funded: [deployer, first, single, one, many, ...others],
    deployer,
    scenarios: {
      [`first ${FIRST_TRANSFERS} transfers`]: load([first], FIRST_TRANSFERS),
      'eth_call, 1 connection': (target) => calls(target, 1),
      'eth_call, 16 connections': (target) => calls(target, 16),
      'WebSocket, 1 connection': notified(one, 1),
      [`WebSocket, ${SUBSCRIBERS} connections`]: notified(many, SUBSCRIBERS),
      'transfers, 1 connection': load([single], transactions),
      'transfers, 8 connections': load(workers(0, 8), per(8)),
      'transfers, 16 connections': load(workers(8, 16), per(16)),
      [`${BURST_SENDERS} senders, ${BURST_EACH} each`]: load(workers(24, BURST_SENDERS), BURST_EACH, {
        together: true,
      }),
    },
  }
}

/** Funds the senders and deploys the contract; sets `target.contract`. */
export async function prepare(target, { funded, deployer }) {
  for (const { hex } of funded) await target.fund(hex, FUNDS)
  const raw = signTransaction(deployer, {
    chainId: BigInt(target.chainId),
    nonce: 0n,
    gasLimit: DEPLOYMENT_GAS,
    data: INIT_CODE,
  })
  const hash = await target.rpc.call('eth_sendRawTransaction', [raw])
  const { contractAddress } = await receipt(target.rpc, hash, { gaveUp: false })
  target.contract = contractAddress
}

/** `sign(chainId)`, evaluated once per chain id, so that the targets share the signed transactions. */
function signer(sign) {
  const signed = new Map()
  return (chainId) => {
    if (!signed.has(chainId)) signed.set(chainId, sign(chainId))
    return signed.get(chainId)
  }
}

function signTransfers(senders, each, chainId) {
  return senders.map((sender, i) => {
    const to = senders[(i + 1) % senders.length]
    return Array.from({ length: each }, (_, nonce) => signTransfer(sender, nonce, to, 1n, chainId))
  })
}

function signEvents(sender, count, { chainId, contract }) {
  const to = Buffer.from(contract.slice(2), 'hex')
  return Array.from({ length: count }, (_, nonce) =>
    signTransaction(sender, { chainId: BigInt(chainId), nonce: BigInt(nonce), gasLimit: EVENT_GAS, to }),
  )
}

/** Polls until the receipt is there; rejects when the transaction failed. */
async function receipt(rpc, hash, watch) {
  let pauseMs = 1
  for (let polls = 1; ; polls++) {
    const found = await rpc.call('eth_getTransactionReceipt', [hash])
    if (found !== null) {
      if (found.status !== '0x1') throw new Error(`transaction ${hash} failed`)
      return found
    }
    if (watch.gaveUp) throw new Error('given up')
    if (polls < EAGER_POLLS) continue
    await delay(pauseMs)
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
  }
}

/**
 * One connection per sender. Each sender awaits its receipt before it sends the next transaction. With `together`, it
 * awaits only the answer, and reads the receipts at the end.
 */
async function transfers(target, raws, { together = false } = {}) {
  return withConnections(target, raws.length, LIMIT_MS, async (connections, watch) => {
    const latencies = []
    let done = 0
    const confirm = async (rpc, hash) => {
      await receipt(rpc, hash, watch)
      watch.progress()
      done++
    }
    await Promise.all(
      connections.map(async (rpc, i) => {
        const unread = []
        for (const raw of raws[i]) {
          if (watch.over) break
          const begin = performance.now()
          const hash = await rpc.call('eth_sendRawTransaction', [raw])
          latencies.push(performance.now() - begin)
          watch.progress()
          if (together) unread.push(hash)
          else await confirm(rpc, hash)
        }
        for (const hash of unread) await confirm(rpc, hash)
      }),
    )
    return { done, latencies, nudged: watch.nudges > 0 }
  })
}

function loadFigures({ done, latencies, elapsedMs, nudged, stalls }) {
  const figure = (unit, value) => ({ unit, value: stalls ? undefined : value, nudged, stalls })
  return {
    'until the receipt': figure('tx/s', (done / elapsedMs) * 1000),
    'send p50': figure('ms', quantile(latencies, 0.5)),
    'send p99': figure('ms', quantile(latencies, 0.99)),
  }
}

async function calls(target, count) {
  await callRounds(target, count, CALL_WARMUP_MS)
  const { done, elapsedMs, stalls } = await callRounds(target, count, CALL_MS)
  return { calls: { unit: 'req/s', value: stalls ? undefined : (done / elapsedMs) * 1000, stalls } }
}

function callRounds(target, count, limitMs) {
  const params = [{ to: target.contract }, 'latest']
  return withConnections(target, count, limitMs, async (connections, watch) => {
    let done = 0
    await Promise.all(
      connections.map(async (rpc) => {
        while (!watch.over) {
          const answer = await rpc.call('eth_call', params)
          if (BigInt(answer) !== 1n) throw new Error(`eth_call answered ${answer}`)
          watch.progress()
          done++
        }
      }),
    )
    return { done }
  })
}

/**
 * Measures the time from sending a transaction until each subscriber has received the head of its block and its log.
 */
async function notifications(target, raws, count) {
  const { heads, logs, nudged, stalls } = await withConnections(target, 1, LIMIT_MS, async ([rpc], watch) => {
    const subscribers = await openSubscribers(target, count, watch)
    const [heads, logs] = [[], []]
    try {
      for (const raw of raws) {
        if (watch.over) break
        const nudges = watch.nudges
        const after = Number(await rpc.call('eth_blockNumber'))
        const begin = performance.now()
        const arrivals = subscribers.next(after)
        await rpc.call('eth_sendRawTransaction', [raw])
        const at = await arrivals
        watch.progress()
        // The latency of a notification after a nudge is meaningless.
        if (watch.nudges > nudges) continue
        heads.push(...at.newHeads.map((time) => time - begin))
        logs.push(...at.logs.map((time) => time - begin))
      }
      return { heads, logs, nudged: watch.nudges > 0 }
    } finally {
      subscribers.close()
    }
  })
  const figure = (values, share) => ({
    unit: 'ms',
    value: stalls ? undefined : quantile(values, share),
    nudged,
    stalls,
  })
  return {
    'head p50': figure(heads, 0.5),
    'head p99': figure(heads, 0.99),
    'log p50': figure(logs, 0.5),
    'log p99': figure(logs, 0.99),
  }
}

/** Runs `work` with open connections and a watch; resolves to `{ stalls: true }` when the target stalls permanently. */
async function withConnections(target, count, limitMs, work) {
  const connections = Array.from({ length: count }, () => new RpcConnection(target.port))
  await Promise.all(connections.map((rpc) => rpc.connect()))
  const watch = new Watch(target, limitMs)
  const closeAll = () => {
    for (const rpc of connections) rpc.close()
  }
  watch.onGiveUp(closeAll)
  try {
    const result = await work(connections, watch)
    return { ...result, elapsedMs: watch.elapsedMs }
  } catch (error) {
    if (watch.gaveUp) return { stalls: true }
    throw error
  } finally {
    watch.stop()
    closeAll()
  }
}

function quantile(values, share) {
  const sorted = values?.toSorted((a, b) => a - b) ?? []
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
