import { beforeAll, describe, expect, it } from 'vitest'
import type { Subscriber, SubscriptionRequest } from '../../../../src/api/feeds/subscriptionHub.ts'
import { Subscriptions, type SyncEvents } from '../../../../src/api/feeds/subscriptions.ts'
import type { RpcProfile } from '../../../../src/api/profile.ts'
import { blockView } from '../../../../src/api/views.ts'
import { MAX_SUBSCRIPTION_CRITERIA, MAX_SUBSCRIPTIONS_PER_CONNECTION } from '../../../../src/base/limits/limits.ts'
import { type Residency, StoreMiss } from '../../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, quantity } from '../../../../src/base/primitives/bytes.ts'
import { Emitter } from '../../../../src/base/primitives/events.ts'
import type { ChainEvents, ChainReader } from '../../../../src/chain/contract.ts'
import { serializeBlock } from '../../../../src/rpc/codecs/block.ts'
import { logFilter } from '../../../../src/rpc/codecs/filter.ts'
import { notificationTexts } from '../../../../src/rpc/notificationTexts.ts'
import type { PoolEvents, PooledTransaction } from '../../../../src/txpool/contract.ts'
import { type Branches, openBranches, topicOf } from '../../../support/chains/logChain.ts'
import { ALICE, plannedOf, signed } from '../../../support/nodes/devChain.ts'

let branches: Branches

beforeAll(async () => {
  branches = await openBranches()
})

interface OpenOptions {
  readonly chain?: ChainReader
  readonly profile?: RpcProfile
  readonly residency?: Residency
}

function open({ chain = branches.chain, profile = 'besu', residency }: OpenOptions = {}) {
  const chainEvents = new Emitter<ChainEvents>()
  const poolEvents = new Emitter<PoolEvents>()
  const syncEvents = new Emitter<SyncEvents>()
  const errors: unknown[] = []
  const hub = new Subscriptions({
    chain,
    chainEvents,
    poolEvents,
    syncEvents,
    texts: notificationTexts(profile),
    ...(residency === undefined ? {} : { residency }),
    onError: (error) => errors.push(error),
  })
  return { hub, chainEvents, poolEvents, syncEvents, errors }
}

interface Frame {
  readonly method: string
  readonly params: { readonly subscription: string; readonly result: unknown }
}

class Connection implements Subscriber {
  readonly texts: string[] = []
  readonly #listeners: (() => void)[] = []
  isClosed = false

  send(text: string): void {
    this.texts.push(text)
  }

  onClose(listener: () => void): void {
    if (this.isClosed) listener()
    else this.#listeners.push(listener)
  }

  close(): void {
    this.isClosed = true
    for (const listener of this.#listeners) listener()
  }

  get frames(): Frame[] {
    return this.texts.map((text) => JSON.parse(text) as Frame)
  }

  get results(): unknown[] {
    return this.frames.map(({ params }) => params.result)
  }

  /** `topic`, negative if the log was removed. */
  get topics(): number[] {
    const logs = this.results as { topics: string[]; removed: boolean }[]
    return logs.map(({ topics, removed }) => (removed ? -Number(topics[0]) : Number(topics[0])))
  }
}

const NEW_HEADS: SubscriptionRequest = { kind: 'newHeads', includeTransactions: false }
const logs = (filter: unknown): SubscriptionRequest => ({ kind: 'logs', filter: logFilter.parse(filter) })
const code = (code: string) => expect.objectContaining({ details: { code } })

/** The head moves from the left branch to the right one. */
function reorganisation(): ChainEvents['head'] {
  const { left, right } = branches
  return { head: right[1], added: right, removed: left }
}

async function waiting(): Promise<PooledTransaction> {
  const candidate = plannedOf(await signed(ALICE, { nonce: 9, value: 5n }))
  return { ...candidate, encoding: new Uint8Array(0), isLocal: true, addedAtMs: 0, sequence: 0 }
}

describe('subscriptions', () => {
  it('to new heads show each block of the new branch, oldest first, like eth_getBlockByHash', () => {
    const { hub, chainEvents } = open()
    const connection = new Connection()
    expect(hub.subscribe(connection, NEW_HEADS)).toBe(1n)
    expect(hub.subscribe(connection, { kind: 'newHeads', includeTransactions: true })).toBe(2n)
    chainEvents.emit('head', reorganisation())
    const expected = branches.right.flatMap((block) =>
      [false, true].map((full, at) => ({
        jsonrpc: '2.0',
        method: 'eth_subscription',
        params: {
          subscription: quantity(at + 1),
          result: serializeBlock(blockView(branches.chain, block, full) as NonNullable<ReturnType<typeof blockView>>),
        },
      })),
    )
    expect(connection.frames).toEqual(expected)
  })

  it('to logs show those of removed blocks first, in reverse order', () => {
    const { hub, chainEvents } = open()
    const connection = new Connection()
    hub.subscribe(connection, logs({}))
    chainEvents.emit('head', reorganisation())
    expect(connection.topics).toEqual([-0x21, -0x20, -0x11, -0x10, 0x30, 0x31, 0x40, 0x41])
  })

  it('to logs apply address, topics and numeric bounds', () => {
    const { hub, chainEvents } = open()
    const topicsOf = (filter: unknown) => {
      const connection = new Connection()
      hub.subscribe(connection, logs(filter))
      return connection
    }
    const connections = [
      topicsOf({ topics: [[topicOf(0x41), topicOf(0x20)]] }),
      topicsOf({ address: `0x${'99'.repeat(20)}` }),
      topicsOf({ fromBlock: '0x3' }),
      topicsOf({ toBlock: '0x2', address: branches.address, topics: [topicOf(0x30)] }),
      topicsOf({ fromBlock: 'latest', toBlock: 'latest', topics: [topicOf(0x30)] }),
    ]
    chainEvents.emit('head', reorganisation())
    expect(connections.map(({ topics }) => topics)).toEqual([[-0x20, 0x41], [], [0x40, 0x41], [0x30], [0x30]])
  })

  it('to transactions show hashes, or objects in the form of the profile', async () => {
    const pooled = await waiting()
    const request: SubscriptionRequest = { kind: 'newPendingTransactions', includeTransactions: true }
    const resultsOf = (profile: RpcProfile) => {
      const { hub, poolEvents } = open({ profile })
      const connection = new Connection()
      hub.subscribe(connection, { ...request, includeTransactions: false })
      hub.subscribe(connection, request)
      poolEvents.emit('added', pooled)
      return connection.results
    }
    const [hash, besu] = resultsOf('besu')
    expect(hash).toBe(bytesToHex(pooled.hash))
    const keys = ['from', 'gas', 'gasPrice', 'hash', 'input', 'nonce', 'to', 'value', 'v', 'r', 's']
    expect(Object.keys(besu as object)).toEqual(keys)
    expect(besu).toMatchObject({ from: ALICE.address.toLowerCase(), gasPrice: null, nonce: '0x9', value: '0x5' })
    const [, geth] = resultsOf('geth')
    expect(geth).toMatchObject({ blockHash: null, type: '0x2', maxFeePerGas: '0x2540be400', hash })
    expect(geth).not.toHaveProperty('publicKey')
  })

  it('to dropped transactions show hashes', async () => {
    const { hub, poolEvents } = open()
    const pooled = await waiting()
    const connection = new Connection()
    hub.subscribe(connection, { kind: 'droppedPendingTransactions' })
    poolEvents.emit('added', pooled)
    poolEvents.emit('dropped', { pooled, reason: 'replaced' })
    expect(connection.results).toEqual([bytesToHex(pooled.hash)])
  })

  it('to the synchronisation state show its changes', () => {
    const { hub, syncEvents } = open()
    const connection = new Connection()
    hub.subscribe(connection, { kind: 'syncing' })
    syncEvents.emit('sync', { startingBlock: 1n, currentBlock: 2n, highestBlock: 3n })
    syncEvents.emit('sync', undefined)
    expect(connection.results).toEqual([{ startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x3' }, false])
  })

  it('build a result once for all subscribers', () => {
    let reads = 0
    const counting = new Proxy(branches.chain, {
      get: (target, name) => {
        if (name === 'body' || name === 'storedLogsOf') reads++
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { hub, chainEvents } = open({ chain: counting })
    const connections = Array.from({ length: 100 }, () => new Connection())
    for (const connection of connections) {
      hub.subscribe(connection, NEW_HEADS)
      hub.subscribe(connection, logs({ address: branches.address }))
    }
    chainEvents.emit('head', { head: branches.left[0], added: branches.left, removed: [] })
    expect(reads).toBe(2)
    const [first] = connections as [Connection]
    for (const connection of connections) expect(connection.results).toEqual(first.results)
    expect(first.results).toHaveLength(5)
  })

  it('end with the connection, and remove their listeners', async () => {
    const { hub, chainEvents, poolEvents, syncEvents } = open()
    const connection = new Connection()
    const other = new Connection()
    const kinds: SubscriptionRequest[] = [
      NEW_HEADS,
      logs({}),
      { kind: 'newPendingTransactions', includeTransactions: false },
      { kind: 'droppedPendingTransactions' },
      { kind: 'syncing' },
    ]
    const listening = () => [
      chainEvents.has('head'),
      poolEvents.has('added'),
      poolEvents.has('dropped'),
      syncEvents.has('sync'),
    ]
    expect(listening()).toEqual([false, false, false, false])
    for (const kind of kinds) hub.subscribe(connection, kind)
    const id = hub.subscribe(other, NEW_HEADS)
    expect(listening()).toEqual([true, true, true, true])
    connection.close()
    expect(listening()).toEqual([true, false, false, false])
    chainEvents.emit('head', reorganisation())
    expect(connection.texts).toEqual([])
    expect(other.texts).toHaveLength(2)
    expect(hub.unsubscribe(connection, id)).toBe(false)
    expect([hub.unsubscribe(other, id), hub.unsubscribe(other, id)]).toEqual([true, false])
    expect(listening()).toEqual([false, false, false, false])
  })

  it('of a closed connection are not kept', () => {
    const { hub, chainEvents } = open()
    const connection = new Connection()
    connection.close()
    hub.subscribe(connection, NEW_HEADS)
    expect(chainEvents.has('head')).toBe(false)
  })

  it('survive a connection that closes during a send', () => {
    const { hub, chainEvents } = open()
    const [first, second] = [new Connection(), new Connection()]
    first.send = () => first.close()
    hub.subscribe(first, NEW_HEADS)
    hub.subscribe(second, NEW_HEADS)
    chainEvents.emit('head', reorganisation())
    expect(second.texts).toHaveLength(2)
  })

  it('are bounded on each connection', () => {
    const { hub } = open()
    const connection = new Connection()
    const ids = Array.from({ length: MAX_SUBSCRIPTIONS_PER_CONNECTION }, () => hub.subscribe(connection, NEW_HEADS))
    expect(() => hub.subscribe(connection, NEW_HEADS)).toThrow(code('TOO_MANY_SUBSCRIPTIONS'))
    expect(hub.subscribe(new Connection(), NEW_HEADS)).toBeGreaterThan(ids.at(-1) as bigint)
    hub.unsubscribe(connection, ids[0] as bigint)
    expect(hub.subscribe(connection, NEW_HEADS)).toBeGreaterThan(0n)
  })

  it('are bounded in addresses and topics', () => {
    const { hub } = open()
    const connection = new Connection()
    const address = Array.from({ length: 1000 }, (_, i) => quantity(i))
    const big = logs({ address })
    for (let i = 0; i < Math.floor(MAX_SUBSCRIPTION_CRITERIA / 1000); i++) hub.subscribe(connection, big)
    expect(() => hub.subscribe(connection, big)).toThrow(code('TOO_MANY_SUBSCRIPTIONS'))
  })

  it('wait for data that a store has to load, and keep their order', async () => {
    let isMissing = true
    let loaded = (): void => {}
    const lossy = new Proxy(branches.chain, {
      get: (target, name) => {
        if (name === 'body' && isMissing) throw new StoreMiss({ kind: 'keys', keys: [] })
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const residency: Residency = {
      load: async () => {
        isMissing = false
      },
    }
    const { hub, chainEvents, errors } = open({ chain: lossy, residency })
    const connection = new Connection()
    const arrived = new Promise<void>((resolve) => {
      loaded = resolve
    })
    const send = connection.send.bind(connection)
    connection.send = (text) => {
      send(text)
      if (connection.texts.length === 6) loaded()
    }
    hub.subscribe(connection, logs({}))
    hub.subscribe(connection, NEW_HEADS)
    chainEvents.emit('head', { ...reorganisation(), removed: [] })
    expect(connection.texts).toEqual([])
    await arrived
    const kinds = connection.results.map((result) => ('topics' in (result as object) ? 'log' : 'head'))
    expect(kinds).toEqual(['head', 'log', 'log', 'head', 'log', 'log'])
    expect(errors).toEqual([])
  })
})
