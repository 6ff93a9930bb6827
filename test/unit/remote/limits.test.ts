/** Limits of rate of remotes, in virtual time. */
import { describe, expect, it } from 'vitest'
import type { RemoteClientOptions } from '../../../src/remote/client.ts'
import type { RemoteWait } from '../../../src/remote/contract.ts'
import type { FakeTime } from '../../support/host/fakeTime.ts'
import {
  failureOf,
  openVirtualClient,
  pass,
  type Reaction,
  type SentBody,
  settled,
  type VirtualClient,
  VirtualRemote,
} from '../../support/remote/virtualRemote.ts'

type Refuse = (body: SentBody) => Reaction

/** Like most gateways: a second's worth at once, then one at a time. */
class Bucket {
  refusals = 0
  #tokens: number
  #atMs = 0
  readonly #perSecond: number
  readonly #burst: number

  constructor(perSecond: number, burst = perSecond) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
  }

  take(count: number, nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) * this.#perSecond) / 1000)
    this.#atMs = nowMs
    const isAllowed = this.#tokens >= count
    if (isAllowed) this.#tokens -= count
    else this.refusals++
    return isAllowed
  }
}

/** As others do: so many in each second of the clock. */
class Window {
  refusals = 0
  #second = -1
  #count = 0
  readonly #perSecond: number

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  take(count: number, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) this.#count = 0
    this.#second = second
    const isAllowed = this.#count + count <= this.#perSecond
    if (isAllowed) this.#count += count
    else this.refusals++
    return isAllowed
  }
}

interface Limited extends VirtualClient {
  readonly remote: VirtualRemote
}

function openLimited(
  limit: Bucket | Window,
  refuse: Refuse,
  countsCalls: boolean,
  options: Partial<RemoteClientOptions> = {},
): Limited {
  const remotes: VirtualRemote[] = []
  const opened = openVirtualClient((time) => {
    const remote = new VirtualRemote(time, 'https://one')
    remote.react = (body) => (limit.take(countsCalls ? body.requests.length : 1, body.atMs) ? 'usual' : refuse(body))
    remotes.push(remote)
    return [remote]
  }, options)
  return { ...opened, remote: remotes[0] as VirtualRemote }
}

const plain: Refuse = () => ({ status: 429 })
const retryAfter: Refuse = () => ({ status: 429, retryAfterMs: 1000 })
const whole: Refuse = () => ({
  text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32005, message: 'daily request count exceeded' } }),
})
const each: Refuse = ({ requests, isBatch }) => {
  const error = { code: 429, message: 'Your app has exceeded its compute units per second capacity.' }
  const members = requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
  return { text: JSON.stringify(isBatch ? members : members[0]) }
}

const answered: Refuse = ({ requests }) => ({
  text: JSON.stringify({ jsonrpc: '2.0', id: requests[0]?.id, result: '0x' }),
})

/** One request after the other, as of an execution whose reads cannot be foreseen, in several executions. */
async function chains(client: Limited['client'], count: number, length: number): Promise<void> {
  const chain = async (i: number): Promise<void> => {
    for (let at = 0; at < length; at++) await client.request('eth_getStorageAt', [`${i}:${at}`])
  }
  await Promise.all(Array.from({ length: count }, (_, i) => chain(i)))
}

const single = { limits: { maxBatch: 1 } }

describe('a remote with five requests a second', () => {
  it.each([
    ['HTTP 429', new Bucket(5), plain],
    ['HTTP 429 with Retry-After', new Bucket(5), retryAfter],
    ['an error for everything', new Bucket(5), whole],
    ['an error for each request', new Bucket(5), each],
    ['HTTP 429, counted by second', new Window(5), plain],
    ['HTTP 429 with Retry-After, counted by second', new Window(5), retryAfter],
  ])('that refuses with %s answers everything in nearly the shortest time', async (_, limit, refuse) => {
    const { client, time } = openLimited(limit, refuse, false, single)
    const requests = Array.from({ length: 300 }, (_, i) => ({ method: 'eth_getStorageAt', params: [i] }))
    const ms = await settled(time, client.requestAll(requests), 200_000, 5)
    expect(ms / ((300 / 5 - 1) * 1000)).toBeLessThan(1.2)
  })

  it.each([
    ['HTTP 429', 300, plain, 1.2],
    ['HTTP 429', 100, plain, 1.2],
    ['an error for each request', 300, each, 1.2],
    // Each step towards the size of a batch that it answers costs a second.
    ['HTTP 429 with Retry-After', 300, retryAfter, 1.3],
  ])('that counts the requests in batches and refuses with %s does so too', async (_, count, refuse, most) => {
    const { client, time } = openLimited(new Bucket(5), refuse, true)
    const requests = Array.from({ length: count }, (_, i) => ({ method: 'eth_getStorageAt', params: [i] }))
    const ms = await settled(time, client.requestAll(requests), 200_000, 5)
    expect(ms / ((count / 5 - 1) * 1000)).toBeLessThan(most)
  })

  it('is not asked faster when its limit is given, and refuses nothing', async () => {
    const limit = new Bucket(5)
    const { client, time } = openLimited(limit, plain, true, { limits: { requestsPerSecond: 5 } })
    const requests = Array.from({ length: 100 }, (_, i) => ({ method: 'eth_getStorageAt', params: [i] }))
    const ms = await settled(time, client.requestAll(requests), 200_000, 5)
    expect(limit.refusals).toBe(0)
    expect(ms / ((100 / 5 - 1) * 1000)).toBeLessThan(1.1)
  })
})

it.each([
  [20, 5],
  [50, 50],
  [100, 10],
])('a limit of %i a second, of which %i at once, is found', async (perSecond, burst) => {
  const limit = new Bucket(perSecond, burst)
  const { client, time } = openLimited(limit, plain, false, single)
  const count = 40 * perSecond
  const requests = Array.from({ length: count }, (_, i) => ({ method: 'eth_getStorageAt', params: [i] }))
  const ms = await settled(time, client.requestAll(requests), 200_000, 5)
  expect(ms / 40_000).toBeLessThan(1.2)
})

it('dependent requests of several executions share the batches that a limit allows', async () => {
  const { client, time, remote } = openLimited(new Bucket(5), plain, false)
  await settled(time, chains(client, 20, 10), 60_000, 5)
  expect(remote.sent.length).toBeLessThan(30)
})

it('a limit that ends is noticed', async () => {
  const limit = new Bucket(5)
  let isOver = false
  const { client, time, remote } = openLimited(
    limit,
    (body) => (isOver ? { text: remote.answerTo(body) } : { status: 429 }),
    false,
    single,
  )
  const first = client.requestAll(Array.from({ length: 50 }, (_, i) => ({ method: 'eth_getStorageAt', params: [i] })))
  await settled(time, first, 60_000, 5)
  isOver = true
  await pass(time, 31_000, 50)
  const second = client.requestAll(Array.from({ length: 500 }, (_, i) => ({ method: 'eth_call', params: [i] })))
  expect(await settled(time, second, 60_000, 5)).toBeLessThan(15_000)
})

it('a minute of refusals fails nothing, and its progress is reported', async () => {
  const waits: RemoteWait[] = []
  const remotes: VirtualRemote[] = []
  const { client, time } = openVirtualClient(
    (virtual: FakeTime) => {
      const remote = new VirtualRemote(virtual, 'https://one')
      remote.react = ({ atMs }) => (atMs < 60_000 ? { status: 429 } : 'usual')
      remotes.push(remote)
      return [remote]
    },
    { onWait: (wait) => void waits.push(wait) },
  )
  const answers = client.requestAll([1, 2, 3].map((i) => ({ method: 'eth_call', params: [i] })))
  const ms = await settled(time, answers, 100_000, 10)
  expect((await answers).every(({ kind }) => kind === 'result')).toBe(true)
  expect(ms).toBeLessThan(76_000)
  expect(remotes[0]?.sent.length).toBeLessThan(20)
  expect(waits.length).toBeGreaterThan(3)
  expect(waits.every(({ origin, requests, nextMs }) => origin === 'https://one' && requests > 0 && nextMs > 0)).toBe(
    true,
  )
  expect(client.status.waitedMs).toBeGreaterThan(50_000)
})

it('HTTP 503 is a failure of a remote that has never answered, and a lack of time otherwise', async () => {
  let isBusy = true
  const { client, time } = openLimited(new Bucket(0), (body) => (isBusy ? { status: 503 } : answered(body)), false)
  const failure = failureOf(client.request('eth_call', [1]))
  expect(await settled(time, failure, 20_000, 5)).toBeLessThan(15_000)
  expect(await failure).toMatchObject({ code: 'FORK_UNAVAILABLE', message: 'https://one: HTTP 503' })
  isBusy = false
  await settled(time, client.request('eth_call', [2]), 1_000)
  isBusy = true
  const answer = client.request('eth_call', [3])
  await pass(time, 60_000, 10)
  isBusy = false
  await settled(time, answer, 20_000, 5)
  expect(await answer).toBe('0x')
})

it('a remote that refuses everything fails the requests in the end, with its words', async () => {
  const { client, time } = openLimited(new Bucket(0), whole, false)
  const failure = failureOf(client.request('eth_call', [1]))
  const ms = await settled(time, failure, 400_000, 50)
  expect(await failure).toMatchObject({
    code: 'FORK_RATE_LIMITED',
    message: 'https://one: daily request count exceeded',
  })
  expect(ms).toBeGreaterThan(300_000)
  const next = failureOf(client.request('eth_call', [2]))
  expect(await settled(time, next, 400_000, 50)).toBeLessThan(30_000)
})

it('a remote that wants a pause of an hour fails the requests at once', async () => {
  const { client, time } = openLimited(new Bucket(0), () => ({ status: 429, retryAfterMs: 3_600_000 }), false)
  const failure = failureOf(client.request('eth_call', [1]))
  await settled(time, failure, 1000)
  expect((await failure).code).toBe('FORK_RATE_LIMITED')
})
