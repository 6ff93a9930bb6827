/** Several addresses of one chain, in virtual time. */
import { describe, expect, it } from 'vitest'
import type { RemoteClientOptions } from '../../../src/remote/client.ts'
import {
  failureOf,
  openVirtualClient,
  pass,
  type SentBody,
  settled,
  type VirtualClient,
  VirtualRemote,
} from '../../support/remote/virtualRemote.ts'

interface Opened extends VirtualClient {
  readonly one: VirtualRemote
  readonly two: VirtualRemote
}

/** Each answers with its origin. */
function open(
  options: Partial<RemoteClientOptions> = {},
  origins: readonly [string, string] = ['https://one', 'https://two'],
): Opened {
  const remotes: VirtualRemote[] = []
  const opened = openVirtualClient((time) => {
    for (const origin of origins) remotes.push(new VirtualRemote(time, origin, () => origin))
    return remotes
  }, options)
  return { ...opened, one: remotes[0] as VirtualRemote, two: remotes[1] as VirtualRemote }
}

/** Refuses a single request. */
const error =
  (message: string, code = -32000) =>
  ({ requests }: SentBody) => ({
    text: JSON.stringify({ jsonrpc: '2.0', id: requests[0]?.id, error: { code, message } }),
  })

async function ask({ client, time }: VirtualClient, value: unknown = 0): Promise<unknown> {
  const answer = client.request('eth_call', [value]).catch((reason: unknown) => reason)
  await settled(time, answer, 100_000, 5)
  return answer
}

describe('the second address', () => {
  it('is not asked while the first one answers', async () => {
    const opened = open()
    expect([await ask(opened, 1), await ask(opened, 2)]).toEqual(['https://one', 'https://one'])
    expect(opened.two.sent).toEqual([])
  })

  it('is asked at once when the first one fails, and first for a while', async () => {
    const opened = open()
    opened.one.react = () => 'connect ECONNREFUSED'
    expect(await ask(opened, 1)).toBe('https://two')
    expect(opened.time.monotonic()).toBeLessThan(200)
    expect(await ask(opened, 2)).toBe('https://two')
    expect(opened.one.sent.length).toBe(1)
    opened.one.react = undefined
    await pass(opened.time, 31_000, 100)
    expect(await ask(opened, 3)).toBe('https://one')
  })

  it('is asked after a second of silence, and the first answer counts', async () => {
    const opened = open()
    opened.one.latencyMs = 5_000
    expect(await ask(opened)).toBe('https://two')
    expect(opened.time.monotonic()).toBeLessThan(1_200)
    expect(opened.one.sent[0]?.signal.aborted).toBe(true)
    opened.one.latencyMs = 1_100
    opened.two.latencyMs = 5_000
    await pass(opened.time, 31_000, 100)
    expect(await ask(opened)).toBe('https://one')
  })

  it('is asked again when it failed while the first one is silent', async () => {
    const opened = open({ limits: { backoffMs: 100 } })
    opened.one.react = () => undefined
    opened.two.react = (_, number) => (number < 3 ? 'socket hang up' : 'usual')
    expect(await ask(opened)).toBe('https://two')
    expect(opened.time.monotonic()).toBeLessThan(2_000)
    expect(opened.one.sent.length).toBe(1)
  })

  it('does not answer null or an error in place of one that is slow', async () => {
    const opened = open()
    opened.one.latencyMs = 3_000
    opened.two.react = ({ requests }) => ({
      text: JSON.stringify({ jsonrpc: '2.0', id: requests[0]?.id, result: null }),
    })
    expect(await ask(opened, 1)).toBe('https://one')
    opened.two.react = error('header not found')
    await pass(opened.time, 31_000, 100)
    expect(await ask(opened, 2)).toBe('https://one')
  })

  it('is asked for what the first one lacks, and the error of the first one remains otherwise', async () => {
    const opened = open()
    opened.one.react = error('missing trie node 1234 (path ) state 0x12 is not available')
    expect(await ask(opened, 1)).toBe('https://two')
    opened.two.react = error('the method eth_call does not exist/is not available', -32601)
    expect(await ask(opened, 2)).toMatchObject({
      code: 'REMOTE_REFUSED',
      message: 'eth_call: missing trie node 1234 (path ) state 0x12 is not available',
    })
    opened.one.react = error('execution reverted: header not found', 3)
    const asked = opened.two.sent.length
    expect(await ask(opened, 3)).toMatchObject({ details: { error: { code: 3 } } })
    expect(opened.two.sent.length).toBe(asked)
  })

  it('takes over what waits for a long pause of the first one', async () => {
    const opened = open({ limits: { maxBatch: 1, maxParallel: 1 } })
    opened.one.react = () => ({ status: 429, retryAfterMs: 20_000 })
    const answers = opened.client.requestAll([1, 2, 3].map((i) => ({ method: 'eth_call', params: [i] })))
    await settled(opened.time, answers, 100_000, 5)
    expect((await answers).map(({ origin }) => origin)).toEqual(['https://two', 'https://two', 'https://two'])
    expect(opened.time.monotonic()).toBeLessThan(1_000)
  })

  it('takes over without a failed request when the first one dies', async () => {
    const opened = open({ limits: { maxBatch: 5, maxParallel: 2 } })
    opened.one.react = (_, number) => (number < 4 ? 'usual' : 'socket hang up')
    const requests = Array.from({ length: 100 }, (_, i) => ({ method: 'eth_call', params: [i] }))
    const answers = opened.client.requestAll(requests)
    await settled(opened.time, answers, 10_000, 5)
    expect((await answers).every(({ kind }) => kind === 'result')).toBe(true)
    expect(opened.one.sent.length).toBeLessThan(7)
  })

  it('is named with the first one when both fail', async () => {
    const opened = open({ limits: { retries: 1 } })
    opened.one.react = () => 'connect ECONNREFUSED'
    opened.two.react = () => ({ status: 502 })
    expect(await ask(opened)).toMatchObject({
      code: 'FORK_UNAVAILABLE',
      message: 'https://one: connect ECONNREFUSED; https://two: HTTP 502',
    })
    expect([opened.one.sent.length, opened.two.sent.length]).toEqual([2, 2])
  })
})

describe('a dropped address', () => {
  it('is not asked any longer, and its requests go to the others', async () => {
    const opened = open()
    opened.one.react = () => undefined
    const answer = opened.client.request('eth_call', [])
    await pass(opened.time, 10)
    opened.client.drop('https://one', 'its block 7 has another hash')
    opened.client.drop('https://one', 'again')
    await settled(opened.time, answer, 1_000)
    expect(await answer).toBe('https://two')
    expect(opened.log).toEqual(['https://one is not used any longer: its block 7 has another hash'])
    expect(opened.one).toMatchObject({ isClosed: true, sent: [{ signal: { aborted: true } }] })
    expect(opened.client.status).toMatchObject({ origins: ['https://two'], requests: 2 })
  })

  it('is named when it was the last one', async () => {
    const opened = open()
    opened.client.drop('https://one', 'it is another chain')
    opened.one.react = () => undefined
    opened.client.drop('https://two', 'it is another chain too')
    expect(await ask(opened)).toMatchObject({
      code: 'FORK_UNAVAILABLE',
      message: 'https://two: it is another chain too',
    })
  })
})

describe('asking all', () => {
  it('gives the answer of each address, or why there is none', async () => {
    const opened = open({ limits: { retries: 0 } })
    const both = opened.client.askAll('eth_call', [1])
    await settled(opened.time, both, 1_000)
    expect(await both).toEqual([
      { kind: 'result', value: 'https://one', origin: 'https://one' },
      { kind: 'result', value: 'https://two', origin: 'https://two' },
    ])
    opened.one.react = error('header not found')
    opened.two.react = () => 'connect ECONNREFUSED'
    const neither = opened.client.askAll('eth_call', [1])
    await settled(opened.time, neither, 1_000)
    expect(await neither).toMatchObject([
      { kind: 'error', origin: 'https://one', error: { message: 'header not found' } },
      { kind: 'failed', origin: 'https://two', error: { code: 'FORK_UNAVAILABLE' } },
    ])
  })

  it('joins the requests of one turn for each address', async () => {
    const opened = open()
    const answers = Promise.all([1, 2, 3].map((i) => opened.client.askAll('eth_call', [i])))
    await settled(opened.time, answers, 1_000)
    expect(opened.client.status).toMatchObject({ requests: 2, calls: 6 })
  })

  it('can tell two addresses of one host apart', async () => {
    const opened = open({}, ['https://one', 'https://one'])
    expect(opened.client.status.origins).toEqual(['https://one', 'https://one (2)'])
    opened.client.drop('https://one (2)', 'test')
    expect(opened.client.status.origins).toEqual(['https://one'])
  })
})

describe('a provider of EIP-1193', () => {
  it('answers like an address', async () => {
    const provider = {
      send: () => {
        throw new Error('an older interface')
      },
      request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
        if (method === 'eth_call') throw Object.assign(new Error('execution reverted'), { code: 3, data: '0x01' })
        if (method === 'eth_sign') throw 'a text'
        return method === 'eth_chainId' ? '0x1' : params[5]
      },
    }
    const { client, time } = openVirtualClient(() => [provider])
    const methods = ['eth_chainId', 'eth_call', 'eth_sign', 'eth_getBlockByHash']
    const answers = client.requestAll(methods.map((method) => ({ method, params: [] })))
    await settled(time, answers, 1_000)
    const origin = 'the provider'
    expect(await answers).toEqual([
      { kind: 'result', value: '0x1', origin },
      { kind: 'error', error: { code: 3, message: 'execution reverted', data: '0x01' }, origin },
      { kind: 'error', error: { code: -32603, message: 'a text' }, origin },
      { kind: 'result', value: null, origin },
    ])
  })

  it('is not waited for longer than for an address', async () => {
    const provider = { request: () => new Promise<never>(() => {}) }
    const { client, time } = openVirtualClient(() => [provider], { limits: { timeoutMs: 1_000, retries: 0 } })
    const failure = failureOf(client.request('eth_chainId', []))
    await settled(time, failure, 5_000)
    expect((await failure).message).toBe('the provider: no answer within 1 s')
  })
})
