import { describe, expect, it } from 'vitest'
import type { Link } from '../../../../../adapters/browser/sharing/link.ts'
import { TabNode } from '../../../../../adapters/browser/sharing/tabNode.ts'
import type { HostMessage, TabMessage, WelcomeMessage } from '../../../../../adapters/browser/sharing/wire.ts'
import { HEARD_STEP, MAX_TAB_REQUESTS } from '../../../../../src/base/limits/limits.ts'

/** A node at the other end of a link, which the test plays. */
class FakeLink implements Link {
  readonly posted: TabMessage[] = []
  readonly ended: Promise<void>
  readonly welcome: WelcomeMessage
  isClosed = false
  end: () => void = () => {}
  #listener: (message: HostMessage) => void = () => {}

  constructor(welcome: Partial<WelcomeMessage> = {}) {
    this.welcome = { isonode: 'welcome', accounts: [], chainId: '0x1', isKept: true, ...welcome }
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
  }

  post(message: TabMessage): void {
    this.posted.push(message)
  }

  onMessage(listener: (message: HostMessage) => void): void {
    this.#listener = listener
  }

  close(): void {
    this.isClosed = true
  }

  say(message: HostMessage): void {
    this.#listener(message)
  }

  answer(id: number, result: unknown): void {
    this.say({ isonode: 'answer', id, result })
  }

  notify(subscription: string, result: unknown): void {
    const value = { type: 'eth_subscription', data: { subscription, result } }
    this.say({ isonode: 'event', name: 'message', value })
  }

  /** Method, number and whether it is repeated of what was asked. */
  get asked(): (readonly [string, number, boolean])[] {
    return this.posted.flatMap((message) =>
      message.isonode === 'request' ? [[message.method, message.id, message.isRepeated] as const] : [],
    )
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

/** A tab whose node is at the links, one after the other. */
async function openTab(...links: FakeLink[]) {
  const waiting = [...links]
  const connector = {
    connect: async () => {
      const link = waiting.shift()
      if (link === undefined) throw new Error('nobody has the node')
      return link
    },
    close: async () => {},
  }
  const tab = new TabNode(connector)
  const events: string[] = []
  for (const name of ['connect', 'disconnect', 'chainChanged']) tab.on(name, () => events.push(name))
  await tab.open()
  return { tab, events }
}

describe('a tab whose node ends', () => {
  it('asks its successor what has no answer, and tells its listeners', async () => {
    const [first, second] = [new FakeLink(), new FakeLink({ chainId: '0x2' })]
    const { tab, events } = await openTab(first, second)
    const answers = Promise.all([tab.request('eth_chainId'), tab.request({ method: 'evm_mine' })])
    await settled()
    first.answer(1, '0x1')
    first.end()
    await settled()
    expect(first.asked).toEqual([
      ['eth_chainId', 1, false],
      ['evm_mine', 2, false],
    ])
    expect(second.asked).toEqual([['evm_mine', 2, true]])
    second.answer(2, '0x0')
    expect(await answers).toEqual(['0x1', '0x0'])
    expect(events).toEqual(['disconnect', 'connect', 'chainChanged'])
  })

  it('keeps what it is asked meanwhile', async () => {
    const [first, second] = [new FakeLink(), new FakeLink()]
    const { tab } = await openTab(first, second)
    first.end()
    await Promise.resolve()
    const answer = tab.request('eth_chainId')
    await settled()
    second.answer(1, '0x1')
    expect(await answer).toBe('0x1')
  })

  it('fails what cannot be asked again after a chain in memory', async () => {
    const [first, second] = [new FakeLink({ isKept: false }), new FakeLink({ isKept: false })]
    const { tab } = await openTab(first, second)
    const mined = tab.request('evm_mine').catch((error) => error)
    const read = tab.request('eth_chainId')
    await settled()
    first.end()
    await settled()
    expect(await mined).toMatchObject({ code: 4900 })
    second.answer(2, '0x1')
    expect(await read).toBe('0x1')
  })

  it('opens its subscriptions again, under the ids that the page knows', async () => {
    const [first, second] = [new FakeLink(), new FakeLink()]
    const { tab } = await openTab(first, second)
    const heads: unknown[] = []
    const messages: unknown[] = []
    tab.on('newHeads', (head: unknown) => heads.push(head))
    tab.on('message', ({ data }: { data: unknown }) => messages.push(data))
    const id = tab.request('eth_subscribe', ['logs'])
    await settled()
    first.answer(1, '0xa')
    first.answer(2, '0xb')
    expect(await id).toBe('0xb')
    first.notify('0xa', 'head 1')
    first.end()
    await settled()
    expect(second.asked.map(([method]) => method)).toEqual(['eth_subscribe', 'eth_subscribe'])
    second.answer(3, '0xc')
    second.answer(4, '0xd')
    await settled()
    second.notify('0xc', 'head 2')
    second.notify('0xd', 'log')
    second.notify('0xa', 'of another subscription')
    expect(heads).toEqual(['head 1', 'head 2'])
    expect(messages).toEqual([{ subscription: '0xb', result: 'log' }])
    const ended = tab.request('eth_unsubscribe', ['0xb'])
    await settled()
    expect(second.posted.at(-1)).toMatchObject({ method: 'eth_unsubscribe', params: '["0xd"]' })
    second.answer(5, true)
    expect(await ended).toBe(true)
  })

  it('is closed when nobody has the node', async () => {
    const first = new FakeLink()
    const { tab, events } = await openTab(first)
    const answer = tab.request('eth_chainId').catch((error) => error)
    first.end()
    expect(await answer).toMatchObject({ code: 4900, message: 'nobody has the node' })
    expect(events).toEqual(['disconnect', 'disconnect'])
    await expect(tab.request('eth_chainId')).rejects.toMatchObject({ code: 4900 })
  })
})

describe('a tab', () => {
  it('posts no more requests than the node takes', async () => {
    const link = new FakeLink()
    const { tab } = await openTab(link)
    const answers = Array.from({ length: MAX_TAB_REQUESTS + 2 }, () => tab.request('eth_chainId'))
    await settled()
    expect(link.asked.length).toBe(MAX_TAB_REQUESTS)
    for (let id = 1; id <= answers.length; id++) link.answer(id, id)
    expect(await Promise.all(answers)).toEqual(answers.map((_, i) => i + 1))
  })

  it('confirms notifications, and answers errors with code and data', async () => {
    const link = new FakeLink()
    const { tab } = await openTab(link)
    for (let i = 0; i < HEARD_STEP; i++) link.notify('0xa', i)
    expect(link.posted.at(-1)).toEqual({ isonode: 'heard', count: HEARD_STEP })
    const answer = tab.request('eth_call').catch((error) => error)
    await settled()
    link.say({ isonode: 'failure', id: 1, error: { code: 3, message: 'reverted', data: '0x' } })
    expect(await answer).toMatchObject({ name: 'RequestError', code: 3, data: '0x' })
  })

  it('refuses what is no request', async () => {
    const { tab } = await openTab(new FakeLink())
    await expect(tab.request(5 as never)).rejects.toMatchObject({ code: -32600 })
    await expect(tab.request('eth_call', [1n])).rejects.toMatchObject({ code: -32602 })
    expect(() => tab.on('newHeads', 5)).toThrow(TypeError)
  })

  it('fails what waits when it is closed', async () => {
    const link = new FakeLink()
    const { tab } = await openTab(link)
    const answer = tab.request('eth_chainId').catch((error) => error)
    await tab.close()
    expect(await answer).toMatchObject({ code: 4900, message: 'the node is closed' })
    expect(link.isClosed).toBe(true)
  })
})
