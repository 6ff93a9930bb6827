/**
 * Carries requests and answers between an inspected page, its panels and views, and the node of its fork.
 *
 * The page asks its fork. Panels and views ask the fork, or else the wallet of the page. The node asks the wallet. Only
 * pages of the extension are panels, views or nodes, and a page gets answers to nothing but what it asked.
 * @module
 */
import { type Answered, type Asked, type ForkState, parseMessage, type Role, type Settled } from './messages.ts'

/** A port of the extension API, as far as the relay needs it. */
interface Port {
  readonly name: string
  readonly sender?: { readonly tab?: { readonly id?: number }; readonly url?: string; readonly origin?: string }
  readonly onMessage: { addListener(listener: (text: unknown) => void): void }
  readonly onDisconnect: { addListener(listener: () => void): void }
  postMessage(text: string): void
  disconnect(): void
}

export interface RelayHost {
  /** Address of the extension's pages, with `/` at its end. */
  readonly root: string
  /** Registers the hook for a site. @throws {Error} without the permission */
  startHook(origin: string, isForked: boolean): Promise<void>
  openNodePage(): Promise<void>
  closeNodePage(): Promise<void>
}

/** The ports of one inspected tab. */
interface Tab {
  readonly id: number
  page?: Port | undefined
  pageOrigin?: string | undefined
  readonly panels: Set<Port>
  readonly views: Set<Port>
  node?: Port | undefined
  fork: ForkState
  forkOrigin?: string | undefined
  accounts: readonly string[]
}

interface Pending {
  readonly asker: Port
  readonly id: number
  /** The port that has to answer. */
  readonly asked: Port
}

/** The report of a node whose fork is open. */
export interface Forked {
  readonly kind: 'forked'
  readonly chainId: string
  readonly block: string
  readonly accounts: readonly string[]
  /** Of the page that was forked. */
  readonly origin: string
}

const DISCONNECTED = 4900
const TOO_MANY = -32005
const MAX_PENDING = 20_000

export class Relay {
  readonly #host: RelayHost
  readonly #tabs = new Map<number, Tab>()
  readonly #pending = new Map<number, Pending>()
  #control: Port | undefined
  #nextId = 1

  constructor(host: RelayHost) {
    this.#host = host
  }

  accept(port: Port): void {
    const [role = '', tabText] = port.name.split(' ', 2) as [Role, string?]
    const isOwn = port.sender?.url?.startsWith(this.#host.root) === true
    const tabId = role === 'page' ? port.sender?.tab?.id : Number(tabText)
    if (isOwn && role === 'node' && tabText === undefined) this.#acceptControl(port)
    else if (tabId !== undefined && Number.isSafeInteger(tabId) && isOwn === (role !== 'page')) {
      this.#acceptTab(port, role as Role, this.#tab(tabId))
    } else port.disconnect()
  }

  /** The hidden page has opened, or the background script was stopped meanwhile. */
  #acceptControl(port: Port): void {
    this.#control = port
    port.onDisconnect.addListener(() => {
      if (this.#control === port) this.#control = undefined
    })
    for (const tab of this.#tabs.values()) if (tab.fork.kind === 'opening') open(port, tab)
  }

  #acceptTab(port: Port, role: Role, tab: Tab): void {
    port.onMessage.addListener((text) => {
      const message = parseMessage(text)
      if (message !== undefined) this.#receive(message, port, role, tab)
    })
    port.onDisconnect.addListener(() => this.#left(port, role, tab))
    if (role === 'page') this.#acceptPage(port, tab)
    else if (role === 'node') tab.node = port
    else if (role === 'view') tab.views.add(port)
    else {
      tab.panels.add(port)
      this.#tellPage(tab, { kind: 'record', isOn: true })
      send(port, { kind: 'state', fork: tab.fork, origin: tab.pageOrigin })
    }
  }

  #acceptPage(port: Port, tab: Tab): void {
    tab.page = port
    tab.pageOrigin = port.sender?.origin
    send(port, { kind: 'record', isOn: tab.panels.size > 0 })
    this.#tellPanels(tab, { kind: 'page' })
    this.#tellPanels(tab, { kind: 'state', fork: tab.fork, origin: tab.pageOrigin })
    if (tab.fork.kind === 'forked' && tab.forkOrigin === tab.pageOrigin) this.#switch(tab, tab.fork.chainId)
  }

  #receive(message: { readonly kind: string }, port: Port, role: Role, tab: Tab): void {
    switch (message.kind) {
      case 'ask':
        this.#ask(message as Asked, port, this.#answerer(role, tab))
        return
      case 'answer':
        this.#answer(message as Answered, port)
        return
      case 'began':
      case 'ended':
      case 'lost':
        if (role === 'page') this.#tellPanels(tab, message)
        return
    }
    if (role === 'node') this.#fromNode(message, tab)
    if (role === 'panel') this.#fromPanel(message, tab)
  }

  #fromNode(message: { readonly kind: string }, tab: Tab): void {
    if (message.kind === 'forked') {
      const { chainId, block, accounts, origin } = message as Forked
      tab.forkOrigin = origin
      tab.accounts = accounts
      this.#setFork(tab, { kind: 'forked', chainId, block, account: accounts[0] })
      this.#switch(tab, chainId)
    } else if (message.kind === 'failed') {
      this.#setFork(tab, message as ForkState)
      void this.#restore(tab)
    }
  }

  #fromPanel(message: { readonly kind: string }, tab: Tab): void {
    switch (message.kind) {
      case 'start':
        void this.#start(tab, (message as unknown as { readonly origin: string }).origin)
        return
      case 'fork':
        void this.#fork(tab)
        return
      case 'back':
        void this.#back(tab)
    }
  }

  async #start(tab: Tab, origin: string): Promise<void> {
    try {
      await this.#host.startHook(origin, false)
      this.#tellPanels(tab, { kind: 'started' })
    } catch (error) {
      this.#setFork(tab, { kind: 'failed', message: textOf(error) })
    }
  }

  async #fork(tab: Tab): Promise<void> {
    if (tab.fork.kind === 'forked' || tab.fork.kind === 'opening') return
    if (tab.page === undefined || tab.pageOrigin === undefined) {
      return this.#setFork(tab, { kind: 'failed', message: 'the page is not recorded: start that first' })
    }
    tab.forkOrigin = tab.pageOrigin
    this.#setFork(tab, { kind: 'opening' })
    try {
      // The page may load itself again as soon as its chain changes.
      await this.#host.startHook(tab.pageOrigin, true)
      await this.#host.openNodePage()
      if (this.#control !== undefined) open(this.#control, tab)
    } catch (error) {
      this.#setFork(tab, { kind: 'failed', message: textOf(error) })
    }
  }

  async #back(tab: Tab): Promise<void> {
    if (tab.node !== undefined) send(tab.node, { kind: 'close' })
    this.#tellPage(tab, { kind: 'back' })
    this.#setFork(tab, { kind: 'wallet' })
    await this.#restore(tab)
  }

  /** The page is loaded with its wallet again. The hidden page ends with the last fork. */
  async #restore(tab: Tab): Promise<void> {
    try {
      if (tab.forkOrigin !== undefined) await this.#host.startHook(tab.forkOrigin, false)
      const isUsed = [...this.#tabs.values()].some(({ fork }) => fork.kind === 'forked' || fork.kind === 'opening')
      if (!isUsed) await this.#host.closeNodePage()
    } catch (error) {
      this.#setFork(tab, { kind: 'failed', message: textOf(error) })
    }
  }

  #left(port: Port, role: Role, tab: Tab): void {
    for (const [id, { asker, asked, id: ownId }] of this.#pending) {
      if (asker !== port && asked !== port) continue
      this.#pending.delete(id)
      if (asker !== port) send(asker, { kind: 'answer', id: ownId, ...refusal(DISCONNECTED, 'the page has gone') })
    }
    if (role === 'page' && tab.page === port) tab.page = undefined
    else if (role === 'view') tab.views.delete(port)
    else if (role === 'node' && tab.node === port) tab.node = undefined
    else if (role === 'panel') {
      tab.panels.delete(port)
      if (tab.panels.size > 0) return
      this.#tellPage(tab, { kind: 'record', isOn: false })
      if (tab.fork.kind !== 'wallet') void this.#back(tab)
    }
    const isUsed = tab.page !== undefined || tab.node !== undefined || tab.panels.size + tab.views.size > 0
    if (!isUsed && this.#tabs.get(tab.id) === tab) this.#tabs.delete(tab.id)
  }

  #answerer(role: Role, tab: Tab): Port | undefined {
    const isForked = tab.fork.kind === 'forked'
    if (role === 'page') return isForked && tab.forkOrigin === tab.pageOrigin ? tab.node : undefined
    return role !== 'node' && isForked ? tab.node : tab.page
  }

  #ask({ id, method, params }: Asked, asker: Port, asked: Port | undefined): void {
    const refuse = (code: number, message: string): void =>
      send(asker, { kind: 'answer', id, ...refusal(code, message) })
    if (asked === undefined) refuse(DISCONNECTED, 'the chain of the page cannot be reached')
    else if (this.#pending.size >= MAX_PENDING) refuse(TOO_MANY, 'too many requests wait for an answer')
    else {
      const ownId = this.#nextId++
      this.#pending.set(ownId, { asker, id, asked })
      send(asked, { kind: 'ask', id: ownId, method, params })
    }
  }

  #answer({ id, ...answer }: Answered, from: Port): void {
    const pending = this.#pending.get(id)
    if (pending?.asked !== from) return
    this.#pending.delete(id)
    send(pending.asker, { ...answer, id: pending.id })
  }

  #switch(tab: Tab, chainId: string): void {
    this.#tellPage(tab, { kind: 'fork', chainId, accounts: tab.accounts })
  }

  #setFork(tab: Tab, fork: ForkState): void {
    tab.fork = fork
    this.#tellPanels(tab, { kind: 'state', fork, origin: tab.pageOrigin })
  }

  #tellPage({ page }: Tab, message: object): void {
    if (page !== undefined) send(page, message)
  }

  #tellPanels({ panels }: Tab, message: object): void {
    for (const panel of panels) send(panel, message)
  }

  #tab(id: number): Tab {
    const known = this.#tabs.get(id)
    if (known !== undefined) return known
    const tab: Tab = { id, panels: new Set(), views: new Set(), fork: { kind: 'wallet' }, accounts: [] }
    this.#tabs.set(id, tab)
    return tab
  }
}

/** Asks the hidden page for the node of a tab. It opens one, however often it is asked. */
function open(control: Port, { id, forkOrigin }: Tab): void {
  send(control, { kind: 'open', tabId: id, origin: forkOrigin })
}

function send(port: Port, message: object): void {
  try {
    port.postMessage(JSON.stringify(message))
  } catch {
    // The other side has just gone; its event follows.
  }
}

function refusal(code: number, message: string): Settled {
  return { error: { code, message } }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
