/**
 * Metrics of chain, pool, peers and EVM, under Besu's names where it has them. Most are read on request; only events
 * are counted when they occur.
 * @module
 */
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { MetricCategory, Metrics } from '../base/ports/metrics.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainHeader } from '../chain/contract.ts'
import type { ExecutionScheduler } from '../evm/scheduler.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface NodeMetricsDeps {
  readonly metrics: Metrics
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly info: NodeInfo
  readonly scheduler: ExecutionScheduler | undefined
  /** --max-peers */
  readonly maxPeers: number
}

const STANDSTILL_HELP = '1 while no block arrives although blocks are due, else 0.'

/** Registers the metrics and counts until it is stopped. */
export function nodeMetrics(deps: NodeMetricsDeps): Lifecycle {
  const { metrics, chain, info, maxPeers } = deps
  const set = (category: MetricCategory, name: string, help: string, value: number): void =>
    metrics.gauge({ category, name, help }).set(value)
  const stopNode = metrics.onRead(() => {
    const { head } = chain
    const height = Number(head.header.number)
    const best = info.syncStatus?.highestBlock ?? head.header.number
    set('ETHEREUM', 'blockchain_height', 'Block number of the head.', height)
    set('ETHEREUM', 'best_known_block_number', 'Highest known block number.', Number(best))
    set('ETHEREUM', 'peer_count', 'Connected peers.', info.network.peerCount)
    set('ETHEREUM', 'peer_limit', 'Maximum number of peers.', maxPeers)
    set('ETHEREUM', 'blockchain_standstill', STANDSTILL_HELP, info.standstill === undefined ? 0 : 1)
    set('SYNCHRONIZER', 'in_sync', 'Whether the head is the highest known block.', best > head.header.number ? 0 : 1)
    setHead(deps, head, set)
  })
  const stops = [stopNode, setPool(deps), setExecutions(deps), ...countBlocks(deps), ...countTransactions(deps)]
  return {
    name: 'metrics',
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

type SetGauge = (category: MetricCategory, name: string, help: string, value: number) => void

function setHead({ chain }: NodeMetricsDeps, { header, hash, totalDifficulty }: ChainHeader, set: SetGauge): void {
  const head = (name: string, help: string, value: number): void => set('BLOCKCHAIN', `chain_head_${name}`, help, value)
  set('BLOCKCHAIN', 'difficulty_total', 'Total difficulty of the head.', Number(totalDifficulty))
  head('timestamp', 'Time of the head, seconds since 1970.', Number(header.timestamp))
  head('gas_limit', 'Gas limit of the head.', Number(header.gasLimit))
  head('gas_used', 'Gas used by the head.', Number(header.gasUsed))
  const body = chain.body(hash)
  if (body === undefined) return
  head('transaction_count', 'Transactions of the head.', body.transactions.length)
  head('ommer_count', 'Ommers of the head.', body.ommers.length)
}

function setPool({ metrics, pool }: NodeMetricsDeps): Unsubscribe {
  const size = metrics.gauge({
    category: 'TRANSACTION_POOL',
    name: 'transactions',
    help: 'Transactions in the pool.',
  })
  const local = metrics.gauge({
    category: 'TRANSACTION_POOL',
    name: 'local_transactions',
    help: 'Transactions in the pool that this node submitted.',
  })
  return metrics.onRead(() => {
    size.set(pool.size)
    local.set(pool.localCount)
  })
}

function setExecutions({ metrics, scheduler }: NodeMetricsDeps): Unsubscribe {
  if (scheduler === undefined) return () => {}
  const running = metrics.gauge({ category: 'EVM', name: 'executions_running', help: 'Messages in execution.' })
  const started = metrics.counter({ category: 'EVM', name: 'executions_total', help: 'Executed messages.' })
  const pauses = metrics.counter({
    category: 'EVM',
    name: 'yields_total',
    help: 'Times that executions let other work run.',
  })
  return metrics.onRead(() => {
    running.set(scheduler.running)
    started.raiseTo(scheduler.started)
    pauses.raiseTo(scheduler.pauses)
  })
}

function countBlocks({ metrics, chain }: NodeMetricsDeps): (() => void)[] {
  const blocks = metrics.counter({
    category: 'BLOCKCHAIN',
    name: 'blocks_total',
    help: 'Blocks that became canonical.',
  })
  const gas = metrics.counter({
    category: 'BLOCKCHAIN',
    name: 'gas_used_total',
    help: 'Gas used by blocks that became canonical.',
  })
  const bad = metrics.counter({ category: 'BLOCKCHAIN', name: 'bad_blocks_total', help: 'Invalid blocks.' })
  return [
    chain.events.on('head', ({ added }) => {
      blocks.add(added.length)
      for (const { header } of added) gas.add(Number(header.gasUsed))
    }),
    chain.events.on('badBlock', () => bad.add()),
  ]
}

function countTransactions({ metrics, pool }: NodeMetricsDeps): (() => void)[] {
  const count = (source: string) =>
    metrics.counter(
      { category: 'TRANSACTION_POOL', name: 'transactions_added_total', help: 'Transactions added to the pool.' },
      { source },
    )
  const [local, remote] = [count('local'), count('remote')]
  return [
    pool.events.on('added', ({ isLocal }) => (isLocal ? local : remote).add()),
    pool.events.on('dropped', ({ reason }) =>
      metrics
        .counter(
          {
            category: 'TRANSACTION_POOL',
            name: 'transactions_dropped_total',
            help: 'Transactions dropped from the pool.',
          },
          { reason },
        )
        .add(),
    ),
  ]
}
