import { describe, expect, it } from 'vitest'
import { PageFork } from '../../../../adapters/extension/hook/fork.ts'
import { PageListeners } from '../../../../adapters/extension/hook/listeners.ts'
import { PageCalls } from '../../../../adapters/extension/hook/pageCalls.ts'
import { type OnCall, ProviderWrapper } from '../../../../adapters/extension/hook/wrapProvider.ts'

/** As wallets are: only the object itself can use its members. */
class Wallet {
  #chainId = '0x1'
  readonly isWallet = true

  get chainId(): string {
    return this.#chainId
  }

  set chainId(value: string) {
    this.#chainId = value
  }

  async request({ method }: { readonly method: string }): Promise<unknown> {
    if (method === 'eth_chainId') return this.#chainId
    throw Object.assign(new Error('refused'), { code: 4001 })
  }

  send(payload: { readonly method: string }, callback: (error: unknown, response: unknown) => void): void {
    callback(null, { id: 1, jsonrpc: '2.0', result: `${payload.method} ${this.#chainId}` })
  }

  on(): this {
    void this.#chainId
    return this
  }
}

interface Reported {
  readonly kind: string
  readonly [member: string]: unknown
}

function setUp() {
  const reported: Reported[] = []
  const calls = new PageCalls((text) => reported.push(JSON.parse(text)))
  const wrapper = new ProviderWrapper((call) =>
    call.key === 'on' ? call.pass(call.args) : calls.observed(call, 'Wallet'),
  )
  const wallet = new Wallet()
  return { reported, calls, wrapper, wallet, seen: wrapper.wrap(wallet) as Wallet }
}

describe('the stand-in of a wallet', () => {
  it('behaves like the wallet', async () => {
    const { seen, wallet, wrapper } = setUp()
    expect(seen).toBeInstanceOf(Wallet)
    expect(wrapper.wrap(wallet)).toBe(seen)
    expect(wrapper.wrap(seen)).toBe(seen)
    expect(wrapper.canWrap(seen)).toBe(false)
    expect(seen.request).toBe(seen.request)
    expect(seen.request.name).toBe('request')
    expect(seen.constructor).toBe(Wallet)
    expect(seen.on()).toBe(seen)
    expect(Object.keys(seen)).toEqual(['isWallet'])
    seen.chainId = '0x5'
    expect([seen.chainId, await seen.request({ method: 'eth_chainId' })]).toEqual(['0x5', '0x5'])
    expect('request' in seen).toBe(true)
  })

  it('leaves alone what must keep its value', () => {
    const { wrapper } = setUp()
    const request = async (): Promise<unknown> => 1
    expect(wrapper.canWrap(Object.freeze({ request }))).toBe(false)
    expect([null, 5, {}, { request: 5 }].map((value) => wrapper.canWrap(value))).toEqual([false, false, false, false])
    const provider = Object.defineProperty({ request, fixed: () => 1 }, 'fixed', {
      writable: false,
      configurable: false,
    })
    expect((wrapper.wrap(provider) as typeof provider).fixed).toBe(provider.fixed)
  })

  it('reports calls with their outcome', async () => {
    const { seen, reported } = setUp()
    await seen.request({ method: 'eth_chainId' })
    await expect(seen.request({ method: 'eth_call' })).rejects.toMatchObject({ message: 'refused', code: 4001 })
    const answer = new Promise((resolve) => seen.send({ method: 'net_version' }, (_, response) => resolve(response)))
    expect(await answer).toMatchObject({ result: 'net_version 0x1' })
    expect(reported).toMatchObject([
      { kind: 'began', id: 1, provider: 'Wallet', method: 'eth_chainId', params: [] },
      { kind: 'ended', id: 1, result: '0x1', size: 5 },
      { kind: 'began', id: 2, method: 'eth_call' },
      { kind: 'ended', id: 2, error: { code: 4001, message: 'refused' } },
      { kind: 'began', id: 3, method: 'net_version' },
      { kind: 'ended', id: 3, result: 'net_version 0x1' },
    ])
  })

  it('reports only the length of a long value', async () => {
    const { wrapper, reported } = setUp()
    const long = 'x'.repeat(2 ** 21)
    const seen = wrapper.wrap({ request: async () => long }) as Wallet
    expect(await seen.request({ method: 'eth_getLogs' })).toBe(long)
    expect(reported[1]).toEqual({ kind: 'ended', id: 1, durationMs: expect.any(Number), size: long.length + 2 })
  })

  it('passes on whatever the page does', async () => {
    const { wrapper, reported } = setUp()
    const seen = wrapper.wrap({
      request: (input: unknown) => {
        if (input === 'throw') throw new TypeError('of the wallet')
        return { input }
      },
    }) as unknown as { request(input?: unknown): unknown }
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new RangeError('of the page')
        },
      },
    )
    const loop: Record<string, unknown> = { method: 'eth_call', params: [] }
    loop['params'] = loop
    for (const input of [undefined, null, 5, {}, trap, loop]) {
      expect((seen.request(input) as { readonly input: unknown }).input).toBe(input)
    }
    expect(() => seen.request('throw')).toThrow('of the wallet')
    // The parameters that refer to themselves have no JSON.
    expect(reported.map(({ kind }) => kind)).toEqual(['ended'])
  })

  it('never asks a wallet twice that answers lazily', async () => {
    const { wrapper } = setUp()
    let asked = 0
    // biome-ignore lint/suspicious/noThenProperty: a wallet may do so
    const lazy = { then: (resolve: (value: number) => void) => resolve(++asked) }
    const seen = wrapper.wrap({ request: () => lazy }) as Wallet
    expect(await seen.request({ method: 'eth_chainId' })).toBe(1)
    expect(asked).toBe(1)
  })
})

describe('a page whose chain is a fork', () => {
  function forked() {
    const sent: { readonly id: number; readonly method: string }[] = []
    const listeners = new PageListeners()
    const fork = new PageFork((text) => sent.push(JSON.parse(text)), listeners, false)
    const onCall: OnCall = (call) => {
      if (call.key === 'on') listeners.follow(call)
      return call.key === 'request' || call.key === 'send' ? fork.call(call) : call.pass(call.args)
    }
    const seen = new ProviderWrapper(onCall).wrap(new Wallet()) as Wallet & {
      on(event: string, listener: (value: unknown) => void): void
    }
    return { sent, fork, seen, state: () => ({ chainId: '0x1', accounts: ['0xa'] }) }
  }

  it('hears of the change, and of the way back', () => {
    const { fork, seen, state } = forked()
    const heard: unknown[] = []
    seen.on('chainChanged', () => {
      throw new Error('of the page')
    })
    seen.on('chainChanged', (chainId) => heard.push(chainId))
    seen.on('accountsChanged', (accounts) => heard.push(accounts))
    fork.walletAsked()
    fork.change({ kind: 'fork', chainId: '0x7a69', accounts: ['0xb'] }, state)
    // The background script was stopped, and says it again.
    fork.change({ kind: 'fork', chainId: '0x7a69', accounts: ['0xb'] }, state)
    fork.change({ kind: 'back' }, state)
    expect(heard).toEqual([['0xb'], '0x7a69', ['0xa'], '0x1'])
  })

  it('hears of no change before it has asked its wallet, since it knows no other chain', () => {
    const { fork, seen, state } = forked()
    const heard: unknown[] = []
    seen.on('chainChanged', (chainId) => heard.push(chainId))
    fork.change({ kind: 'fork', chainId: '0x7a69', accounts: ['0xb'] }, state)
    expect(heard).toEqual([])
    expect(fork.isOn).toBe(true)
  })

  it('gets an error when nobody will answer', async () => {
    const { fork, seen } = forked()
    const requests = [1, 2].map(() => seen.request({ method: 'eth_chainId' }))
    fork.settle({ kind: 'answer', id: 2, result: '0x1' })
    fork.fail()
    await expect(requests[0]).rejects.toMatchObject({ code: 4900 })
    expect(await requests[1]).toBe('0x1')
  })

  it('gets answers of the fork in the form that it asked for', async () => {
    const { fork, seen, sent } = forked()
    const answer = seen.request({ method: 'eth_chainId' })
    const response = new Promise((resolve) => seen.send({ method: 'eth_call' }, (_, value) => resolve(value)))
    const refused = seen.request({ method: 'eth_sign' })
    expect(sent).toMatchObject([{ id: 1, method: 'eth_chainId' }, { id: 2, method: 'eth_call' }, { id: 3 }])
    fork.settle({ kind: 'answer', id: 1, result: '0x7a69' })
    fork.settle({ kind: 'answer', id: 1, result: 'again' })
    fork.settle({ kind: 'answer', id: 2, result: '0x' })
    fork.settle({ kind: 'answer', id: 3, error: { code: 4200, message: 'no key', data: 1 } })
    expect(await answer).toBe('0x7a69')
    expect(await response).toEqual({ id: 1, jsonrpc: '2.0', result: '0x' })
    await expect(refused).rejects.toMatchObject({ code: 4200, message: 'no key', data: 1 })
  })
})
