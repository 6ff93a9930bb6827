import { describe, expect, it } from 'vitest'
import type { RemoteClientOptions } from '../../../src/remote/client.ts'
import { failureOf, openVirtualClient, pass, settled, VirtualRemote } from '../../support/remote/virtualRemote.ts'

const open = (options: Partial<RemoteClientOptions> = {}) => {
  let remote: VirtualRemote | undefined
  const opened = openVirtualClient((time) => {
    remote = new VirtualRemote(time, 'https://one')
    return [remote]
  }, options)
  return { ...opened, remote: remote as VirtualRemote }
}

const echo = (value: unknown) => ({ method: 'eth_call', params: [value] })
const methodsOf = (remote: VirtualRemote): string[][] =>
  remote.sent.map(({ requests }) => requests.map((r) => r.method))

describe('the requests of one turn', () => {
  it('are joined into one batch, and their answers are matched by id', async () => {
    const { client, time, remote } = open()
    remote.react = (body) => ({ text: JSON.stringify(JSON.parse(remote.answerTo(body)).reverse()) })
    const answers = Promise.all([client.request('eth_chainId', ['a']), client.request('eth_call', ['b'])])
    await settled(time, answers, 1000)
    expect(await answers).toEqual(['a', 'b'])
    expect(methodsOf(remote)).toEqual([['eth_chainId', 'eth_call']])
    expect(client.can('batches')).toBe(true)
  })

  it('are a single request without a batch when there is one', async () => {
    const { client, time, remote } = open()
    await settled(time, client.request('eth_chainId', ['a']), 1000)
    expect(remote.sent.map(({ isBatch }) => isBatch)).toEqual([false])
    expect(client.can('batches')).toBeUndefined()
  })

  it('share an answer when they are equal, until it has come', async () => {
    const { client, time, remote } = open()
    const first = client.request('eth_call', ['a'])
    await pass(time, 30)
    const second = client.request('eth_call', ['a'])
    await settled(time, Promise.all([first, second]), 1000)
    await settled(time, client.request('eth_call', ['a']), 1000)
    expect(client.status).toMatchObject({ requests: 2, calls: 2 })
    expect(await second).toBe('a')
    expect(remote.sent.length).toBe(2)
  })

  it('are divided by the largest batch, and sent in parallel', async () => {
    const { client, time, remote } = open({ limits: { maxBatch: 10, maxParallel: 2 } })
    const answers = client.requestAll(Array.from({ length: 35 }, (_, i) => echo(i)))
    const ms = await settled(time, answers, 1000)
    expect((await answers).map((answer) => answer.kind === 'result' && answer.value)).toEqual([...Array(35).keys()])
    expect(remote.sent.map(({ requests }) => requests.length)).toEqual([10, 10, 10, 5])
    expect(ms).toBeLessThan(130)
  })

  it('keep the errors of single requests', async () => {
    const { client, time } = open()
    const remote = openVirtualClient((t) => [
      new VirtualRemote(t, 'https://one', ({ method }) => {
        if (method === 'eth_call') throw { code: 3, message: 'execution reverted: rate limit', data: '0x08' }
        return method
      }),
    ])
    client.close()
    const answers = remote.client.requestAll([echo(1), { method: 'eth_chainId', params: [] }])
    await settled(remote.time, answers, 1000)
    expect(await answers).toEqual([
      {
        kind: 'error',
        origin: 'https://one',
        error: { code: 3, message: 'execution reverted: rate limit', data: '0x08' },
      },
      { kind: 'result', origin: 'https://one', value: 'eth_chainId' },
    ])
    const single = failureOf(remote.client.request('eth_call', [1]))
    await settled(remote.time, single, 1000)
    expect(await single).toMatchObject({
      code: 'REMOTE_REFUSED',
      message: 'eth_call: execution reverted: rate limit',
      details: { method: 'eth_call', error: { code: 3, data: '0x08' } },
    })
    expect(time.now()).toBeGreaterThan(0)
  })
})

describe('a batch', () => {
  const twenty = Array.from({ length: 20 }, (_, i) => echo(i))
  const sizes = (remote: VirtualRemote): number[] => remote.sent.map(({ requests }) => requests.length)
  const refusedAbove = (remote: VirtualRemote, most: number, message: string) => {
    remote.react = (body) =>
      body.requests.length > most
        ? { text: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } }) }
        : 'usual'
  }

  it('becomes as small as the remote says', async () => {
    const { client, time, remote } = open()
    refusedAbove(remote, 3, 'Batch of more than 3 requests are not allowed on free tier')
    await settled(time, client.requestAll(twenty), 2000)
    expect(sizes(remote)).toEqual([20, 3, 3, 3, 3, 3, 3, 2])
    expect(client.can('batches')).toBe(true)
  })

  it('is halved when the remote names no size, or answers with HTTP 413', async () => {
    const { client, time, remote } = open()
    refusedAbove(remote, 6, 'batch too large')
    await settled(time, client.requestAll(twenty), 2000)
    expect(sizes(remote)).toEqual([20, 10, 10, 5, 5, 5, 5])
    const other = open()
    other.remote.react = ({ requests }) => (requests.length > 10 ? { status: 413, text: 'too large' } : 'usual')
    await settled(other.time, other.client.requestAll(twenty), 2000)
    expect(sizes(other.remote)).toEqual([20, 10, 10])
  })

  it.each([
    [
      'an error without a word on batches',
      { text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid"}}' },
    ],
    ['HTTP 400', { status: 400, text: 'Bad Request' }],
    ['HTTP 500', { status: 500, text: '<html>' }],
    ['no JSON', { text: 'expected an object' }],
  ])('is given up for single requests after %s', async (_, reaction) => {
    const { client, time, remote } = open()
    remote.react = ({ isBatch }) => (isBatch ? reaction : 'usual')
    const answers = client.requestAll(twenty)
    await settled(time, answers, 2000)
    expect((await answers).every(({ kind }) => kind === 'result')).toBe(true)
    expect(sizes(remote)).toEqual([20, ...Array(20).fill(1)])
    expect(client.can('batches')).toBe(false)
  })

  it('is asked again for members that its answer lacks, once', async () => {
    const { client, time, remote } = open()
    remote.react = (body, number) => {
      const answers = JSON.parse(remote.answerTo(body))
      const foreign = { jsonrpc: '2.0', id: 987_654, result: 'of another' }
      return number === 1 ? { text: JSON.stringify([foreign, ...answers.slice(5)]) } : 'usual'
    }
    const answers = client.requestAll(twenty)
    await settled(time, answers, 2000)
    expect((await answers).map((answer) => answer.kind === 'result' && answer.value)).toEqual([...Array(20).keys()])
    expect(sizes(remote)).toEqual([20, 5])
    expect(client.status.retries).toBe(5)
  })

  it('is halved when its answer is too long', async () => {
    const { remote, client, time } = open()
    const { answerTooLong } = await import('../../../src/remote/errors.ts')
    const send = remote.send.bind(remote)
    remote.send = (text, options) =>
      JSON.parse(text).length > 5 ? Promise.reject(answerTooLong(options.maxBytes)) : send(text, options)
    const answers = client.requestAll(twenty)
    await settled(time, answers, 2000)
    expect((await answers).every(({ kind }) => kind === 'result')).toBe(true)
    expect(sizes(remote)).toEqual([5, 5, 5, 5])
  })
})

describe('an answer', () => {
  const reasons = async (text: string | object, count = 1): Promise<string> => {
    const { client, time, remote } = open({ limits: { retries: 0 } })
    remote.react = () => ({ text: typeof text === 'string' ? text : JSON.stringify(text) })
    const failure = failureOf(client.requestAll(Array.from({ length: count }, (_, i) => echo(i))))
    await settled(time, failure, 200_000, 100)
    expect((await failure).code).toBe('FORK_UNAVAILABLE')
    return (await failure).message
  }

  it.each([
    ['HTML', '<!doctype html>', 'the answer is not JSON-RPC'],
    ['half a JSON', '{"jsonrpc":"2.0","id":1,"resu', 'the answer is not JSON-RPC'],
    ['a number', '7', 'the answer is not JSON-RPC'],
    ['nothing', '', 'the answer is not JSON-RPC'],
    ['another id', { jsonrpc: '2.0', id: 77, result: 1 }, 'the answer lacks a request'],
    ['an empty array', [], 'the answer lacks a request'],
    ['no result', { jsonrpc: '2.0', id: 1 }, 'an answer without result and error'],
    ['no version', { id: 1, result: 1 }, 'an answer without result and error'],
    ['an error of another form', { jsonrpc: '2.0', id: 1, error: 7 }, 'an answer without result and error'],
    ['a gateway', '{"error":"busy"}', 'busy'],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(9000)}`, 'the answer is not JSON-RPC'],
  ])('of %s is not believed', async (_, text, reason) => {
    expect(await reasons(text)).toBe(`https://one: ${reason}`)
  })

  it('may have its id as a text, and brackets in its texts', async () => {
    const { client, time, remote } = open()
    const value = '["\\'.repeat(10_000)
    remote.react = () => ({ text: JSON.stringify({ jsonrpc: '2.0', id: '1', result: value }) })
    const answer = client.request('eth_call', [])
    await settled(time, answer, 1000)
    expect(await answer).toBe(value)
  })

  it('has a limit of bytes that depends on the methods', async () => {
    const { client, time, remote } = open()
    for (const method of ['eth_getBalance', 'eth_getProof', 'eth_getCode', 'debug_traceTransaction'])
      await settled(time, client.request(method, []), 1000)
    await settled(
      time,
      client.requestAll(
        Array(3)
          .fill(0)
          .map((_, i) => ({ method: 'eth_getBalance', params: [i] })),
      ),
      1000,
    )
    expect(remote.sent.map(({ maxBytes }) => maxBytes / 2 ** 20)).toEqual([1, 16, 64, 128, 3])
  })
})

describe('a failed attempt', () => {
  it('is repeated after a random delay that grows', async () => {
    const { client, time, remote } = open({ limits: { backoffMs: 1000 } })
    remote.react = (_, number) => (number < 4 ? 'connect ECONNREFUSED 127.0.0.1:1' : 'usual')
    const answer = client.request('eth_call', ['a'])
    await settled(time, answer, 10_000)
    expect(await answer).toBe('a')
    const pauses = remote.sent.slice(1).map(({ atMs }, i) => atMs - (remote.sent[i]?.atMs ?? 0) - 60)
    expect(pauses.length).toBe(3)
    for (const [i, ms] of pauses.entries()) expect(ms).toBeLessThanOrEqual(1000 * 2 ** i)
    expect(client.status).toMatchObject({ requests: 4, calls: 4, retries: 3 })
  })

  it('fails the request after as many repetitions as allowed', async () => {
    const { client, time, remote } = open({ limits: { retries: 2 } })
    remote.react = () => 'getaddrinfo ENOTFOUND one'
    const failure = failureOf(client.request('eth_call', ['a']))
    await settled(time, failure, 10_000)
    expect(await failure).toMatchObject({ code: 'FORK_UNAVAILABLE', message: 'https://one: getaddrinfo ENOTFOUND one' })
    expect(remote.sent.length).toBe(3)
  })

  it('fails the request at once when a repetition would not help', async () => {
    const { client, time, remote } = open()
    remote.react = () => ({ status: 401, text: '{"error":"Must be authenticated!"}' })
    const failure = failureOf(client.request('eth_call', ['a']))
    await settled(time, failure, 100)
    expect((await failure).message).toBe('https://one: HTTP 401, Must be authenticated!')
    const redirected = open()
    redirected.remote.react = () => ({ status: 307 })
    const other = failureOf(redirected.client.request('eth_call', ['a']))
    await settled(redirected.time, other, 100)
    expect((await other).message).toBe('https://one: HTTP 307, a redirection')
  })

  it('is one without an answer in time, and a request ends after two of them', async () => {
    const { client, time, remote } = open({ limits: { timeoutMs: 10_000 } })
    remote.react = () => undefined
    const failure = failureOf(client.request('eth_call', ['a']))
    const ms = await settled(time, failure, 60_000, 10)
    expect((await failure).message).toBe('https://one: no answer within 10 s')
    expect(ms).toBeLessThan(22_000)
    expect(remote.sent.length).toBe(2)
    expect(remote.sent.every(({ signal }) => signal.aborted)).toBe(true)
  })

  it('is one with an error that says so', async () => {
    const { client, time, remote } = open()
    const error = { code: -32000, message: 'upstream request timeout' }
    remote.react = (_, number) => (number === 1 ? { text: JSON.stringify({ jsonrpc: '2.0', id: 1, error }) } : 'usual')
    const answer = client.request('eth_call', ['a'])
    await settled(time, answer, 10_000)
    expect(await answer).toBe('a')
  })
})

describe('a request', () => {
  it('is given up when its signal says so, and another with the same text is not', async () => {
    const { client, time, remote } = open()
    const controller = new AbortController()
    const given = failureOf(client.request('eth_call', ['a'], { signal: controller.signal }))
    const kept = client.request('eth_call', ['a'])
    await pass(time, 10)
    controller.abort(new Error('enough'))
    await settled(time, Promise.all([given, kept]), 1000)
    expect([(await given).message, await kept]).toEqual(['enough', 'a'])
    expect(remote.sent.map(({ signal }) => signal.aborted)).toEqual([false])
  })

  it('ends its connection when nobody waits any longer', async () => {
    const { client, time, remote } = open()
    const controller = new AbortController()
    const given = client.request('eth_call', ['a'], { signal: controller.signal }).catch(() => 'given up')
    await pass(time, 10)
    controller.abort()
    expect(await given).toBe('given up')
    expect(remote.sent.map(({ signal }) => signal.aborted)).toEqual([true])
    await expect(client.request('eth_call', ['a'], { signal: controller.signal })).rejects.toThrow()
    const after = client.request('eth_call', ['a'])
    await settled(time, after, 1000)
    expect(await after).toBe('a')
  })

  it('fails when the client is closed', async () => {
    const { client, time, remote } = open()
    const waiting = client.request('eth_call', ['a']).catch((error) => error.code)
    await pass(time, 10)
    client.close()
    expect(await waiting).toBe('STOPPED')
    expect(remote.isClosed).toBe(true)
    await expect(client.request('eth_call', ['a'])).rejects.toMatchObject({ code: 'STOPPED' })
    await expect(client.askAll('eth_call', ['a'])).rejects.toMatchObject({ code: 'STOPPED' })
  })

  it('is refused when too many wait', async () => {
    const { client, time } = open()
    const long = 'x'.repeat(40 * 2 ** 20)
    const first = client.request('eth_call', [long])
    await expect(client.request('eth_call', [`${long}y`])).rejects.toMatchObject({ code: 'FORK_UNAVAILABLE' })
    await settled(time, first, 1000)
    const many = Array.from({ length: 300_000 }, (_, i) => echo(i))
    await expect(client.requestAll(many)).rejects.toThrow('too many requests to other nodes: 0 wait already')
  })
})

it('fewer requests are sent at a time when their answers are too long together', async () => {
  const { client, time, remote } = open({ limits: { maxBatch: 1 } })
  const send = remote.send.bind(remote)
  let most = 0
  let now = 0
  remote.send = async (text, options) => {
    most = Math.max(most, ++now)
    try {
      for (let i = 0; i < 10; i++) {
        await new Promise<void>((resolve) => time.schedule(5, resolve))
        options.onBytes?.(10 * 2 ** 20)
      }
      return await send(text, options)
    } finally {
      now--
    }
  }
  const answers = client.requestAll(Array.from({ length: 12 }, (_, i) => echo(i)))
  await settled(time, answers, 10_000)
  expect((await answers).every(({ kind }) => kind === 'result')).toBe(true)
  expect(most).toBe(12)
  expect(client.status.retries).toBeGreaterThan(0)
  expect(client.status.retries).toBeLessThan(40)
})

it('a timer is pending as long as a request waits, and none afterwards', async () => {
  const { client, time, timers, remote } = open({ limits: { retries: 2, timeoutMs: 1_000 } })
  const reactions = ['connect ECONNREFUSED', { status: 429 }, undefined] as const
  remote.react = (_, number) => (number > 3 ? 'usual' : reactions[number - 1])
  let isAnswered = false
  const answer = client.request('eth_call', ['a']).finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    expect(timers.pending).toBeGreaterThan(0)
    await pass(time, 1)
  }
  expect(await answer).toBe('a')
  await pass(time, 1)
  expect(timers.pending).toBe(0)
  remote.react = () => 'connect ECONNREFUSED'
  const failure = client.request('eth_call', ['a']).catch(() => 'closed')
  await pass(time, 100)
  client.close()
  expect([await failure, timers.pending]).toEqual(['closed', 0])
})

it('20,000 requests of one turn take one batch after the other', async () => {
  const { client, time, remote } = open()
  const answers = client.requestAll(Array.from({ length: 20_000 }, (_, i) => echo(i)))
  await settled(time, answers, 10_000, 10)
  expect(remote.sent.length).toBe(200)
  expect((await answers).every((answer, i) => answer.kind === 'result' && answer.value === i)).toBe(true)
})

it('needs a source', () => {
  expect(() => openVirtualClient(() => [])).toThrow('sources: expected 1 to 16, got 0')
})
