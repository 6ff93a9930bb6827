import { describe, expect, it } from 'vitest'
import { MAX_FORWARDED_REQUESTS } from '../../../../src/base/limits/limits.ts'
import type { LinkMessage } from '../../../../src/node/httpWorkers/messages.ts'
import { type LinkAnswers, ProcessLink } from '../../../../src/node/httpWorkers/processLink.ts'
import type { Reply } from '../../../../src/rpc/reply.ts'

const request = (method: string) => ({ id: '1', method, params: [] })
const call = (method: string) => ({ request: request(method), claims: undefined, subscriber: undefined })
const never = new AbortController().signal
const ok = (body: string): Reply => ({ status: 200, body })

const NO_ANSWERS: LinkAnswers = {
  call: () => ok('nothing'),
  graphql: async () => ({ status: 200, body: 'nothing' }),
  login: async () => ({ status: 401, body: '' }),
  called: () => {},
}

/** Two ends; each message is cloned, and arrives at once. */
function connected(answers: Partial<LinkAnswers>): { worker: ProcessLink; main: ProcessLink; sent: LinkMessage[] } {
  const sent: LinkMessage[] = []
  const isBehind = (): boolean => false
  const worker: ProcessLink = new ProcessLink({
    send: (message) => {
      sent.push(message)
      main.receive(structuredClone(message))
    },
    isBehind,
    answers: NO_ANSWERS,
  })
  const main: ProcessLink = new ProcessLink({
    send: (message) => worker.receive(structuredClone(message)),
    isBehind,
    answers: { ...NO_ANSWERS, ...answers },
  })
  return { worker, main, sent }
}

/** A connection that records its notifications. */
function subscriber() {
  const texts: string[] = []
  const listeners: (() => void)[] = []
  return {
    texts,
    send: (text: string) => texts.push(text),
    onClose: (listener: () => void) => listeners.push(listener),
    close: () => {
      for (const listener of listeners) listener()
    },
  }
}

describe('a link between two processes', () => {
  it('carries requests and answers in both directions', async () => {
    const { worker } = connected({
      call: ({ method }) => (method === 'later' ? Promise.resolve(ok('later')) : ok(method)),
      graphql: async ({ query }, _signal, permits) => ({ status: 200, body: `${query} ${permits?.('mutation')}` }),
    })
    expect(await worker.call(call('now'), never)).toEqual(ok('now'))
    expect(await worker.call(call('later'), never)).toEqual(ok('later'))
    expect(await worker.login('http', '{}', '127.0.0.1')).toEqual({ status: 401, body: '' })
    const input = { query: '{ a }', operationName: undefined, variables: undefined }
    const permits = (operation: string): boolean => operation === 'query'
    expect(await worker.graphql(input, never, permits)).toEqual({ status: 200, body: '{ a } false' })
  })

  it('notifies the connection that subscribed, after the answer, until it closes', async () => {
    const open: { send(text: string): void; onClose(listener: () => void): void }[] = []
    let closed = 0
    const { worker } = connected({
      call: (_request, caller) => {
        if (caller.subscriber !== undefined) open.push(caller.subscriber)
        caller.subscriber?.onClose(() => closed++)
        return ok('subscribed')
      },
    })
    const [first, second] = [subscriber(), subscriber()]
    for (const each of [first, second]) await worker.call({ ...call('eth_subscribe'), subscriber: each }, never)
    open[0]?.send('to the first')
    open[1]?.send('to the second')
    expect([first.texts, second.texts]).toEqual([['to the first'], ['to the second']])
    first.close()
    expect(closed).toBe(1)
    open[0]?.send('lost')
    expect(first.texts).toEqual(['to the first'])
  })

  it('aborts what is no longer awaited', async () => {
    let aborted = false
    const { worker } = connected({
      call: (_request, _caller, signal) => {
        signal.addEventListener('abort', () => {
          aborted = true
        })
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const pending = worker.call(call('slow'), controller.signal)
    controller.abort(new Error('the client has gone'))
    await expect(pending).rejects.toThrow('the client has gone')
    expect(aborted).toBe(true)
  })

  it('fails what is not answered when the other process ends, and everything later', async () => {
    const { worker } = connected({ call: () => new Promise(() => {}) })
    const pending = worker.call(call('slow'), never)
    worker.close()
    const failure = { details: { code: 'WORKER_UNAVAILABLE' } }
    await expect(pending).rejects.toMatchObject(failure)
    await expect(worker.call(call('next'), never)).rejects.toMatchObject(failure)
  })

  it('refuses requests beyond its limit', async () => {
    const { worker } = connected({ call: () => new Promise(() => {}) })
    for (let i = 0; i < MAX_FORWARDED_REQUESTS; i++)
      void worker.call(call('slow'), new AbortController().signal).catch(() => {})
    await expect(worker.call(call('next'), never)).rejects.toThrow(`has ${MAX_FORWARDED_REQUESTS} requests to answer`)
    worker.close()
  })
})
