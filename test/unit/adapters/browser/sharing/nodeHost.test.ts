import { afterEach, describe, expect, it } from 'vitest'
import { createHostYield } from '../../../../../adapters/browser/hostYield.ts'
import type { HostedNode, TabProvider } from '../../../../../adapters/browser/sharing/hostedNode.ts'
import { NodeHost, type TabOptions } from '../../../../../adapters/browser/sharing/nodeHost.ts'
import { portOf } from '../../../../../adapters/browser/sharing/port.ts'
import type { HostMessage, QuestionMessage } from '../../../../../adapters/browser/sharing/wire.ts'
import { MAX_TAB_PARALLEL, MAX_TAB_REQUESTS, MAX_UNHEARD_EVENTS } from '../../../../../src/base/limits/limits.ts'
import { VERSION } from '../../../../../src/node/version.ts'
import { eventually } from '../../../../support/host/eventually.ts'

const ports: MessagePort[] = []
afterEach(() => {
  for (const port of ports.splice(0)) port.close()
})

/** The events of a tab's provider. */
class FakeProvider {
  readonly listeners = new Map<string, (event: unknown) => void>()
  isClosed = false

  on(event: string, listener: (event: unknown) => void): this {
    this.listeners.set(event, listener)
    return this
  }

  close(): void {
    this.isClosed = true
  }
}

/** A node that answers when the test says so. */
class FakeNode {
  readonly asked: string[] = []
  readonly providers: FakeProvider[] = []
  readonly options: TabOptions[] = []
  closed = 0
  /** Resolves the oldest question. */
  readonly answers: ((result: unknown) => void)[] = []

  open(options: TabOptions): HostedNode {
    this.options.push(options)
    return {
      node: { accounts: [], request: async () => '0x1' },
      isKept: true,
      openProvider: () => {
        const provider = new FakeProvider()
        this.providers.push(provider)
        return provider as unknown as TabProvider
      },
      answer: (tab: string, { id }: QuestionMessage) => {
        this.asked.push(`${tab}:${id}`)
        return new Promise((resolve) => this.answers.push(resolve))
      },
      close: async () => {
        this.closed++
      },
    } as unknown as HostedNode
  }
}

/** A tab on the other side of a port. */
class FakeTab {
  readonly messages: HostMessage[] = []
  readonly #port: MessagePort

  constructor(port: MessagePort) {
    this.#port = port
    port.onmessage = ({ data }) => void this.messages.push(data as HostMessage)
  }

  post(message: unknown): void {
    this.#port.postMessage(message)
  }

  connect(tab: string, options: TabOptions = {}, version = VERSION): void {
    this.post({ isonode: 'connect', version, tab, options })
  }

  ask(id: number): void {
    this.post({ isonode: 'request', id, isRepeated: false, method: 'eth_chainId', params: '[]' })
  }

  async welcomed(): Promise<void> {
    await eventually(() => expect(this.of('welcome').length).toBe(1))
  }

  of(kind: HostMessage['isonode']): HostMessage[] {
    return this.messages.filter(({ isonode }) => isonode === kind)
  }
}

function openHost() {
  const node = new FakeNode()
  const ends = new Map<string, () => void>()
  const host = new NodeHost({
    host: 'worker',
    yieldToHost: createHostYield(),
    openNode: async (options) => node.open(options),
    endOfTab: (tab) => new Promise((resolve) => ends.set(tab, resolve)),
  })
  const openTab = (): FakeTab => {
    const { port1, port2 } = new MessageChannel()
    ports.push(port1, port2)
    host.accept(portOf(port1))
    return new FakeTab(port2)
  }
  return { host, node, ends, openTab }
}

/** Several turns of the event loop, after which nothing must have happened. */
async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('a node that tabs share', () => {
  it('is opened once, and closed after the last tab', async () => {
    const { node, openTab, ends } = openHost()
    const [first, second] = [openTab(), openTab()]
    first.connect('a', { chainId: 5 })
    second.connect('b')
    await eventually(() => {
      expect(first.messages).toEqual([
        { isonode: 'ready', host: 'worker' },
        { isonode: 'welcome', accounts: [], chainId: '0x1', isKept: true },
      ])
      expect(second.of('welcome').length).toBe(1)
    })
    expect(node.options).toEqual([{ chainId: 5 }])
    first.post({ isonode: 'leave' })
    await settled()
    expect(node.closed).toBe(0)
    // The browser tells that the other tab has ended.
    ends.get('b')?.()
    await eventually(() => expect(node.closed).toBe(1))
    expect(node.providers.every(({ isClosed }) => isClosed)).toBe(true)
    const third = openTab()
    third.connect('c')
    await eventually(() => expect(node.options).toEqual([{ chainId: 5 }, {}]))
  })

  it('refuses tabs with other options, or another version of the library', async () => {
    const { openTab } = openHost()
    const [first, second, third, fourth] = [openTab(), openTab(), openTab(), openTab()]
    first.connect('a', { chainId: 5 })
    await first.welcomed()
    second.connect('b', { chainId: 6 })
    third.connect('c', {}, '0.0.1')
    fourth.connect('d', {}, '99.0.0')
    await eventually(() => {
      for (const tab of [second, third, fourth]) expect(tab.of('refused').length).toBe(1)
    })
    expect(second.of('refused')).toMatchObject([
      { code: 'INVALID_OPTION', message: expect.stringContaining("'chainId'") },
    ])
    expect(third.of('refused')).toMatchObject([
      { code: 'SHARED_VERSION', message: expect.stringContaining('reload this tab') },
    ])
    expect(fourth.of('refused')).toMatchObject([
      { code: 'SHARED_VERSION', message: expect.stringContaining('reload the tabs with') },
    ])
  })

  it('ignores what is no message of a tab', async () => {
    const { node, openTab } = openHost()
    const tab = openTab()
    tab.ask(1)
    for (const data of [null, 'connect', { isonode: 'connect' }, { type: 'connect' }]) tab.post(data)
    await settled()
    expect(node.options).toEqual([])
    expect(tab.of('refused')).toEqual([])
  })

  it('works on requests of a tab that floods it, and on those of others', async () => {
    const { node, openTab } = openHost()
    const [loud, quiet] = [openTab(), openTab()]
    loud.connect('loud')
    quiet.connect('quiet')
    await Promise.all([loud.welcomed(), quiet.welcomed()])
    for (let id = 1; id <= MAX_TAB_REQUESTS + 10; id++) loud.ask(id)
    await eventually(() => expect(loud.of('failure').length).toBe(10))
    await eventually(() => expect(node.asked.length).toBe(MAX_TAB_PARALLEL))
    expect(loud.of('failure')[0]).toMatchObject({ id: MAX_TAB_REQUESTS + 1, error: { code: -32005 } })
    quiet.ask(1)
    await eventually(() => expect(node.asked.at(-1)).toBe('quiet:1'))
    node.answers.shift()?.('0x1')
    await eventually(() => {
      expect(loud.of('answer')).toEqual([{ isonode: 'answer', id: 1, result: '0x1' }])
      expect(node.asked.at(-1)).toBe(`loud:${MAX_TAB_PARALLEL + 1}`)
    })
  })

  it('ends the connection of a tab that hears no notifications', async () => {
    const { node, openTab } = openHost()
    const tab = openTab()
    tab.connect('a')
    await tab.welcomed()
    const notify = node.providers[0]?.listeners.get('message')
    for (let i = 0; i < MAX_UNHEARD_EVENTS; i++) notify?.({ data: i })
    tab.post({ isonode: 'heard', count: MAX_UNHEARD_EVENTS })
    // The question comes after the confirmation.
    tab.ask(1)
    await eventually(() => expect(node.asked).toEqual(['a:1']))
    expect(tab.of('ended')).toEqual([])
    for (let i = 0; i <= MAX_UNHEARD_EVENTS; i++) notify?.({ data: i })
    await eventually(() => expect(tab.of('ended').length).toBe(1))
    expect(node.providers[0]?.isClosed).toBe(true)
  })
})
