import { describe, expect, it } from 'vitest'
import { Relay } from '../../../../adapters/extension/link/relay.ts'

const ROOT = 'chrome-extension://own/'

interface Message {
  readonly kind: string
  readonly [member: string]: unknown
}

/** One end of a port, which keeps what it gets. */
class FakePort {
  readonly got: Message[] = []
  isOpen = true
  readonly #messages: ((text: unknown) => void)[] = []
  readonly #ends: (() => void)[] = []
  readonly onMessage = { addListener: (listener: (text: unknown) => void) => void this.#messages.push(listener) }
  readonly onDisconnect = { addListener: (listener: () => void) => void this.#ends.push(listener) }
  readonly name: string
  readonly sender: object

  constructor(name: string, sender: object = { url: `${ROOT}panel.html` }) {
    this.name = name
    this.sender = sender
  }

  postMessage(text: unknown): void {
    this.got.push(JSON.parse(String(text)))
  }

  disconnect(): void {
    this.isOpen = false
  }

  says(message: unknown): void {
    for (const listener of this.#messages) listener(typeof message === 'string' ? message : JSON.stringify(message))
  }

  ends(): void {
    for (const listener of this.#ends) listener()
  }

  kinds(): string[] {
    return this.got.splice(0).map(({ kind }) => kind)
  }
}

function setUp() {
  const hooks: [origin: string, isForked: boolean][] = []
  let openPages = 0
  const relay = new Relay({
    root: ROOT,
    startHook: async (origin, isForked) => void hooks.push([origin, isForked]),
    openNodePage: async () => void openPages++,
    closeNodePage: async () => void openPages--,
  })
  const connect = (name: string, sender?: object): FakePort => {
    const port = new FakePort(name, sender)
    relay.accept(port)
    return port
  }
  const page = (origin = 'https://dapp.example') => connect('page', { tab: { id: 7 }, url: `${origin}/`, origin })
  return { hooks, connect, page, openPages: () => openPages }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

async function forked() {
  const parts = setUp()
  const page = parts.page()
  const panel = parts.connect('panel 7')
  panel.says({ kind: 'fork' })
  await turn()
  const control = parts.connect('node')
  const node = parts.connect('node 7')
  node.says({ kind: 'forked', chainId: '0x1', block: '0x5', accounts: ['0xa'], origin: 'https://dapp.example' })
  return { ...parts, open: parts.page, page, panel, control, node }
}

describe('the relay', () => {
  it('accepts pages of the extension, and scripts in tabs as pages only', () => {
    const { connect } = setUp()
    const site = { tab: { id: 7 }, url: 'https://evil.example/', origin: 'https://evil.example' }
    for (const name of ['panel 7', 'view 7', 'node 7', 'node']) expect(connect(name, site).isOpen).toBe(false)
    expect(connect('panel x').isOpen).toBe(false)
    expect(connect('page', { tab: { id: 7 }, url: `${ROOT}panel.html` }).isOpen).toBe(false)
    expect(connect('page', site).isOpen).toBe(true)
    expect(connect('panel 7').isOpen).toBe(true)
  })

  it('carries records to the panels of the tab, and from nobody else', () => {
    const { connect, page } = setUp()
    const [panel, other, view] = [connect('panel 7'), connect('panel 8'), connect('view 7')]
    const inspected = page()
    for (const port of [panel, other, inspected]) port.kinds()
    inspected.says({ kind: 'began', id: 1 })
    inspected.says('no JSON')
    inspected.says('null')
    view.says({ kind: 'began', id: 2 })
    expect([panel.kinds(), other.kinds()]).toEqual([['began'], []])
    panel.ends()
    expect(inspected.got).toEqual([{ kind: 'record', isOn: false }])
  })

  it('asks the wallet of the page, and gives an answer to the one that asked', () => {
    const { connect, page } = setUp()
    const inspected = page()
    const [one, two] = [connect('view 7'), connect('view 7')]
    one.says({ kind: 'ask', id: 1, method: 'a', params: [] })
    two.says({ kind: 'ask', id: 1, method: 'b', params: [] })
    const [a, b] = inspected.got.filter(({ kind }) => kind === 'ask')
    one.says({ kind: 'answer', id: b?.['id'], result: 'forged' })
    inspected.says({ kind: 'answer', id: b?.['id'], result: 'B' })
    inspected.says({ kind: 'answer', id: a?.['id'], result: 'A' })
    expect([one.got, two.got]).toEqual([
      [{ kind: 'answer', id: 1, result: 'A' }],
      [{ kind: 'answer', id: 1, result: 'B' }],
    ])
  })

  it('refuses what nobody can answer, also when the page goes', () => {
    const { connect, page } = setUp()
    const view = connect('view 7')
    view.says({ kind: 'ask', id: 1, method: 'a', params: [] })
    const inspected = page()
    view.says({ kind: 'ask', id: 2, method: 'a', params: [] })
    inspected.says({ kind: 'ask', id: 9, method: 'eth_chainId', params: [] })
    inspected.ends()
    expect(view.got).toMatchObject([
      { id: 1, error: { code: 4900 } },
      { id: 2, error: { code: 4900 } },
    ])
    expect(inspected.got.at(-1)).toMatchObject({ kind: 'answer', id: 9, error: { code: 4900 } })
  })

  it('switches the page to the node of a fork, and back', async () => {
    const { page, panel, control, node, hooks, openPages } = await forked()
    expect(control.got).toEqual([{ kind: 'open', tabId: 7, origin: 'https://dapp.example' }])
    expect(page.got.at(-1)).toEqual({ kind: 'fork', chainId: '0x1', accounts: ['0xa'] })
    expect(panel.got.at(-1)).toMatchObject({ kind: 'state', fork: { kind: 'forked', block: '0x5', account: '0xa' } })
    page.says({ kind: 'ask', id: 3, method: 'eth_call', params: [] })
    expect(node.got.at(-1)).toMatchObject({ kind: 'ask', method: 'eth_call' })
    panel.says({ kind: 'back' })
    await turn()
    expect([node.got.at(-1)?.kind, page.got.at(-1)?.kind]).toEqual(['close', 'back'])
    expect(hooks).toEqual([
      ['https://dapp.example', true],
      ['https://dapp.example', false],
    ])
    expect(openPages()).toBe(0)
  })

  it('keeps the fork from another site in the same tab', async () => {
    const { page, open } = await forked()
    page.ends()
    const other = open('https://other.example')
    expect(other.kinds()).toEqual(['record'])
    other.says({ kind: 'ask', id: 1, method: 'eth_chainId', params: [] })
    expect(other.got).toMatchObject([{ kind: 'answer', error: { code: 4900 } }])
    other.ends()
    expect(open('https://dapp.example').kinds()).toEqual(['record', 'fork'])
  })

  it('ends the fork with the last panel', async () => {
    const { panel, node } = await forked()
    panel.ends()
    await turn()
    expect(node.got.at(-1)).toEqual({ kind: 'close' })
  })
})
