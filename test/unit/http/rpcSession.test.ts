import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Subscriber } from '../../../src/api/feeds/subscriptionHub.ts'
import {
  MAX_WEBSOCKET_RUNNING_MESSAGES,
  MAX_WEBSOCKET_WAITING_BYTES,
  WEBSOCKET_ABORT_MS,
  WEBSOCKET_BACKLOG_BYTES,
} from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { RpcSession, type RpcSessionOptions } from '../../../src/http/rpcSession.ts'
import type { SocketPort } from '../../../src/http/socketPort.ts'
import { defineMethod, type MethodDefinition, optional, result } from '../../../src/rpc/method.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { anything, type TestBackend, testMethods, testService } from '../../support/rpc/rpcService.ts'

/** A connection whose peer reads on command. */
class FakePort implements SocketPort {
  readonly sent: string[] = []
  backlog = 0
  paused = false
  ended: number | 'terminated' | undefined
  isReading = true

  send(text: string): void {
    this.sent.push(text)
    if (!this.isReading) this.backlog += text.length
  }

  bufferedAmount(): number {
    return this.backlog
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  close(code: number): void {
    this.ended = code
  }

  terminate(): void {
    this.ended = 'terminated'
  }
}

/** A hub that notifies within the subscription and, on request, continues to do so for a while. */
const subscribe: MethodDefinition<TestBackend> = defineMethod({
  name: 'eth_subscribe',
  group: 'ETH',
  summary: 'Subscribes.',
  params: [optional('delay', anything, 'Delay.')],
  result: result('id', anything),
  handler: (_backend: TestBackend, [delay], { subscriber }) => {
    notify(subscriber, 'first')
    if (delay === undefined) return '0x1'
    return new Promise((resolve) => setTimeout(() => resolve('0x1'), Number(delay)))
  },
})

function notify(subscriber: Subscriber | undefined, text: string): void {
  subscriber?.send(`{"params":${JSON.stringify(text)}}`)
}

const request = (id: number, method: string, ...params: unknown[]): string => JSON.stringify({ id, method, params })
const endless = (id: number): string => request(id, 'eth_getWork')

function open(options: Partial<RpcSessionOptions> = {}, authorization?: string) {
  const service = testService({ transport: 'websocket', methods: [...testMethods, subscribe] })
  const port = new FakePort()
  const session = new RpcSession(
    {
      envelope: service.envelope,
      logger: silentLogger,
      clock: { monotonic: () => 0, now: () => 0 },
      timers: testTimers,
      ...options,
    },
    port,
    authorization,
  )
  /** Ids of answers, and `params` of notifications, in order of sending. */
  const order = (): unknown[] => port.sent.map((text) => JSON.parse(text)).map(({ id, params }) => id ?? params)
  return { session, port, order, backend: service.backend }
}

describe('a WebSocket session', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('answers synchronously if no handler is asynchronous', () => {
    const { session, order } = open()
    session.receive(request(1, 'eth_chainId'))
    session.receive(new TextEncoder().encode(request(2, 'eth_chainId')))
    expect(order()).toEqual([1, 2])
  })

  it('answers a subscription before its first notification', () => {
    const { session, order } = open()
    session.receive(request(1, 'eth_subscribe'))
    notify(session, 'later')
    expect(order()).toEqual([1, 'first', 'later'])
  })

  it('also answers it first in a batch, and when it takes a while', async () => {
    const { session, order } = open()
    session.receive(`[${request(1, 'eth_subscribe')},${request(2, 'eth_getLogs', 50)}]`)
    session.receive(request(3, 'eth_subscribe', 100))
    session.receive(request(4, 'eth_chainId'))
    notify(session, 'held')
    expect(order()).toEqual([4])
    await vi.dynamicImportSettled()
    await vi.advanceTimersByTimeAsync(100)
    expect(order()).toEqual([4, undefined, 3, 'first', 'first', 'held'])
    notify(session, 'later')
    expect(order().at(-1)).toBe('later')
  })

  it('does not hold notifications back for unrelated requests', () => {
    const { session, order } = open()
    session.receive(endless(1))
    notify(session, 'now')
    expect(order()).toEqual(['now'])
  })

  it('runs a bounded number of messages at a time and starts others as these end', async () => {
    const { session, backend, order } = open()
    const waits = (id: number): string => request(id, 'eth_getLogs', 100)
    const count = MAX_WEBSOCKET_RUNNING_MESSAGES + 10
    for (let id = 0; id < count; id++) session.receive(waits(id))
    session.receive(request(count, 'eth_chainId'))
    expect(backend.ran.length).toBe(MAX_WEBSOCKET_RUNNING_MESSAGES)
    await vi.advanceTimersByTimeAsync(100)
    expect(backend.ran.length).toBe(count + 1)
    await vi.advanceTimersByTimeAsync(100)
    expect(order().toSorted((a, b) => Number(a) - Number(b))).toEqual([...Array(count + 1).keys()])
  })

  it('yields when the messages of one chunk take long', async () => {
    let time = 0
    const { session, order } = open({ clock: { monotonic: () => time++, now: () => 0 } })
    for (let id = 0; id < 100; id++) session.receive(request(id, 'eth_chainId'))
    expect(order().length).toBeLessThan(20)
    await vi.advanceTimersByTimeAsync(1)
    expect(order().length).toBeLessThan(40)
    await vi.advanceTimersByTimeAsync(100)
    expect(order()).toEqual([...Array(100).keys()])
    session.receive(request(100, 'eth_chainId'))
    expect(order().at(-1)).toBe(100)
  })

  it('does not read while many messages are pending, and resumes afterwards', async () => {
    const { session, port, order } = open()
    port.backlog = WEBSOCKET_BACKLOG_BYTES + 1
    let count = 0
    for (; !port.paused; count++) session.receive(request(count, 'eth_call', 'x'.repeat(1000)))
    expect(session.isPaused).toBe(true)
    expect(order()).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(order()).toEqual([])
    port.backlog = 0
    await vi.advanceTimersByTimeAsync(1000)
    expect(order()).toEqual([...Array(count).keys()])
    expect(port.paused).toBe(false)
    expect(session.isPaused).toBe(false)
  })

  it('ends a connection that keeps sending when reading cannot be paused', () => {
    const { session, port } = open()
    port.backlog = WEBSOCKET_BACKLOG_BYTES + 1
    const message = 'x'.repeat(1 << 20)
    for (let bytes = 0; bytes <= MAX_WEBSOCKET_WAITING_BYTES; bytes += message.length) session.receive(message)
    expect(port.ended).toBe('terminated')
    session.receive(request(1, 'eth_chainId'))
    expect(port.sent).toEqual([])
  })

  it('ends a connection whose peer does not read, but not for the length of one message', () => {
    const { session, port } = open({ maxBacklogBytes: 3_000_000 })
    port.isReading = false
    const long = 'x'.repeat(5_000_000)
    session.send(long)
    session.send('next')
    session.send('x'.repeat(3_000_000))
    expect(port.ended).toBe(undefined)
    session.send('one too many')
    expect(port.ended).toBe('terminated')
    expect(port.sent.length).toBe(3)
  })

  it('ends a connection with too many held notifications', () => {
    const { session, port } = open({ maxBacklogBytes: 3000 })
    session.receive(request(1, 'eth_subscribe', 1000))
    for (let i = 0; i < 4; i++) session.send('x'.repeat(1000))
    expect(port.ended).toBe('terminated')
  })

  it('aborts a message that takes too long, with an answer for each of its requests', async () => {
    const { session, port } = open({ timeoutMs: 1000 })
    session.receive(endless(1))
    session.receive(
      `[${request(2, 'eth_syncing')},${endless(3)},${request(4, 'eth_chainId')},{"method":"eth_chainId"}]`,
    )
    await vi.advanceTimersByTimeAsync(999)
    expect(port.sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    const answers = port.sent.map((text) => JSON.parse(text))
    expect(answers[0]).toMatchObject({ id: 1, result: 'aborted' })
    expect(answers[1]).toMatchObject([
      { id: 2, result: false },
      { id: 3, result: 'aborted' },
      { id: 4, error: { code: -32603, message: 'Timeout expired' } },
    ])
    expect(answers[1].length).toBe(3)
  })

  it('does not wait for a handler that continues after its time limit', async () => {
    const { session, port, backend } = open({ timeoutMs: 1000 })
    session.receive(request(1, 'eth_getLogs', 100_000))
    await vi.advanceTimersByTimeAsync(1000 + WEBSOCKET_ABORT_MS)
    expect(port.sent).toEqual(['{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Timeout expired"}}'])
    await vi.advanceTimersByTimeAsync(100_000)
    expect(port.sent.length).toBe(1)
    expect(backend.ran).toEqual(['eth_getLogs'])
  })

  it('authenticates each message', async () => {
    let rights: string[] = []
    const seen: (string | undefined)[] = []
    const { session, port } = open(
      {
        authenticate: async (authorization) => {
          seen.push(authorization)
          await Promise.resolve()
          return { permits: (method) => rights.includes(method), claims: undefined }
        },
      },
      'Bearer token',
    )
    session.receive(request(1, 'eth_chainId'))
    await vi.advanceTimersByTimeAsync(0)
    rights = ['eth_chainId']
    session.receive(request(2, 'eth_chainId'))
    await vi.advanceTimersByTimeAsync(0)
    expect(port.sent.map((text) => JSON.parse(text))).toMatchObject([
      { id: 1, error: { code: -40100, message: 'Unauthorized' } },
      { id: 2, result: '0x1' },
    ])
    expect(seen).toEqual(['Bearer token', 'Bearer token'])
  })

  it('ends with the token, so that its subscriptions do not outlive it', async () => {
    let nowMs = 5_000
    const { session, port, order } = open({
      clock: { monotonic: () => 0, now: () => nowMs },
      authenticate: () => ({ permits: () => true, claims: {}, expiresMs: 9_000 }),
    })
    session.receive(request(1, 'eth_subscribe'))
    await vi.advanceTimersByTimeAsync(3_999)
    nowMs = 8_999
    notify(session, 'in time')
    expect(port.ended).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2)
    nowMs = 9_001
    await vi.advanceTimersByTimeAsync(2)
    notify(session, 'too late')
    expect([order(), port.ended]).toEqual([[1, 'first', 'in time'], 1008])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits for the end of a token that is valid longer than a timer can last', async () => {
    let nowMs = 0
    const expiresMs = 2 ** 31 + 10_000
    const { session, port } = open({
      clock: { monotonic: () => 0, now: () => nowMs },
      authenticate: () => ({ permits: () => true, claims: {}, expiresMs }),
    })
    session.receive(request(1, 'eth_chainId'))
    nowMs = 2 ** 31 - 1
    await vi.advanceTimersByTimeAsync(nowMs)
    expect(port.ended).toBeUndefined()
    nowMs = expiresMs
    await vi.advanceTimersByTimeAsync(10_001)
    expect(port.ended).toBe(1008)
  })

  it('survives a failed authentication', async () => {
    const { session, port } = open({ authenticate: () => Promise.reject(new Error('secret')) })
    session.receive(request(1, 'eth_chainId'))
    await vi.advanceTimersByTimeAsync(0)
    expect(port.sent).toEqual(['{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}'])
  })

  it('ends everything when the connection closes', async () => {
    const { session, port, backend } = open()
    const told: string[] = []
    session.onClose(() => told.push('before'))
    session.receive(endless(1))
    session.receive(request(2, 'eth_subscribe', 10))
    session.closed()
    session.closed()
    session.onClose(() => told.push('after'))
    expect(told).toEqual(['before', 'after'])
    expect(backend.signals[0]?.aborted).toBe(true)
    notify(session, 'late')
    session.receive(request(3, 'eth_chainId'))
    await vi.advanceTimersByTimeAsync(1000)
    expect(port.sent).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('closes with a code', () => {
    const { session, port, backend } = open()
    session.receive(endless(1))
    session.close(1001, 'bye')
    expect(port.ended).toBe(1001)
    expect(backend.signals[0]?.aborted).toBe(true)
  })
})
