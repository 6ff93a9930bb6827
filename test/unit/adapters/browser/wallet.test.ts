import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BrowserNode, type BrowserNodeOptions, createBrowserNode } from '../../../../adapters/browser/index.ts'
import { announce, type Wallet, type WalletOptions, type WalletProvider } from '../../../../adapters/browser/wallet.ts'
import { MAX_WAITING_APPROVALS } from '../../../../src/base/limits/limits.ts'
import { eventually } from '../../../support/host/eventually.ts'

interface Announced {
  readonly info: { readonly name: string; readonly rdns: string; readonly uuid: string; readonly icon: string }
  readonly provider: WalletProvider
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function openNode(options: BrowserNodeOptions = {}): Promise<BrowserNode> {
  const node = await createBrowserNode({ storage: 'memory', ...options })
  closing.push(() => node.close())
  return node
}

async function open(options: WalletOptions = {}): Promise<{ node: BrowserNode; wallet: Wallet; page: WalletProvider }> {
  const node = await openNode()
  const wallet = await announce(node, { window: new EventTarget(), ...options })
  closing.push(() => wallet.close())
  return { node, wallet, page: wallet.provider }
}

/** Wallets that answer when a page asks for them. */
function found(window: EventTarget): Announced[] {
  const wallets: Announced[] = []
  const add = (event: Event) => void wallets.push((event as CustomEvent<Announced>).detail)
  window.addEventListener('eip6963:announceProvider', add)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  window.removeEventListener('eip6963:announceProvider', add)
  return wallets
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let settle = (_: T): void => {}
  const promise = new Promise<T>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle(value) }
}

const connect = (page: WalletProvider) => page.request({ method: 'eth_requestAccounts' }) as Promise<string[]>

describe('the announcement', () => {
  it('is made at once and when a page asks, until the wallet is closed', async () => {
    const window = new EventTarget()
    const atOnce = vi.fn()
    window.addEventListener('eip6963:announceProvider', atOnce)
    const { wallet } = await open({ window, name: 'Test', rdns: 'com.example.test' })
    expect(atOnce).toHaveBeenCalledTimes(1)
    const [announced, ...others] = found(window)
    expect(others).toEqual([])
    expect(announced?.info).toMatchObject({ name: 'Test', rdns: 'com.example.test' })
    expect(announced?.info.uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(announced?.info.icon).toMatch(/^data:image\//)
    expect(found(new EventTarget())).toEqual([])
    wallet.close()
    expect(found(window)).toEqual([])
  })

  it('gives objects that no script of the page can change', async () => {
    const window = new EventTarget()
    await open({ window })
    const [announced] = found(window)
    for (const object of [announced, announced?.info, announced?.provider]) expect(Object.isFrozen(object)).toBe(true)
  })

  it.each<[WalletOptions, string]>([
    [{ name: '' }, "option 'name'"],
    [{ icon: 'https://example.com/icon.png' }, "option 'icon'"],
    [{ rdns: 'wallet' }, "option 'rdns'"],
    [{ window: {} as EventTarget }, 'announce needs a window'],
  ])('refuses %j', async (options, message) => {
    await expect(open(options)).rejects.toThrow(message)
  })
})

describe('permissions', () => {
  it('shows no account before the page is connected, and none after it is disconnected', async () => {
    const { node, page, wallet } = await open()
    const changes = vi.fn()
    page.on('accountsChanged', changes)
    expect(await page.request({ method: 'eth_accounts' })).toEqual([])
    expect(await page.request({ method: 'wallet_getPermissions' })).toEqual([])
    const accounts = node.accounts.map(({ address }) => address)
    expect(await connect(page)).toEqual(accounts)
    expect(await page.request({ method: 'eth_accounts' })).toEqual(accounts)
    expect(await page.request({ method: 'wallet_getPermissions' })).toEqual([
      { parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: accounts }] },
    ])
    await page.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
    expect(await page.request({ method: 'eth_accounts' })).toEqual([])
    await page.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
    wallet.disconnect()
    expect(await page.request({ method: 'eth_accounts' })).toEqual([])
    expect(changes.mock.calls.map(([list]) => (list as string[]).length)).toEqual([10, 0, 10, 0])
  })

  it('requires the permission for each signature', async () => {
    const { page, node } = await open()
    const [account] = node.accounts.map(({ address }) => address)
    const refused: [string, unknown[]][] = [
      ['eth_sendTransaction', [{ from: account, to: account }]],
      ['eth_sendTransaction', [{ to: account }]],
      ['personal_sign', ['0x00', account]],
      ['eth_signTypedData_v4', [account, {}]],
      ['wallet_sendCalls', [{ version: '2.0.0', chainId: '0x7a69', atomicRequired: false, from: account, calls: [] }]],
      ['wallet_getCapabilities', [account]],
    ]
    for (const [method, params] of refused) {
      await expect(page.request({ method, params }), method).rejects.toMatchObject({ code: 4100 })
    }
    await connect(page)
    const stranger = `0x${'11'.repeat(20)}`
    await expect(page.request({ method: 'eth_sign', params: [stranger, '0x00'] })).rejects.toMatchObject({ code: 4100 })
    expect(await page.request({ method: 'eth_blockNumber' })).toBe('0x0')
  })

  it('answers methods of wallets and reads only', async () => {
    const { page } = await open()
    await connect(page)
    for (const method of ['evm_mine', 'anvil_setBalance', 'eth_sendUnsignedTransaction', 'debug_traceCall', 'eth_no']) {
      await expect(page.request({ method }), method).rejects.toMatchObject({ code: 4200 })
    }
    expect(await page.request({ method: 'net_version' })).toBe('31337')
  })

  it.each<[unknown, number]>([
    [undefined, -32600],
    [{ params: [] }, -32600],
    [{ method: 'eth_call', params: [1n] }, -32602],
    [{ method: 'eth_sendTransaction', params: ['0x'] }, -32602],
    [{ method: 'personal_sign', params: ['0x00'] }, -32602],
    [{ method: 'wallet_switchEthereumChain', params: [{ chainId: 1 }] }, -32602],
    [{ method: 'wallet_requestPermissions', params: [{ everything: {} }] }, -32602],
  ])('refuses a request such as %o', async (call, code) => {
    const { page } = await open()
    await connect(page)
    await expect(page.request(call as never)).rejects.toMatchObject({ code })
  })
})

describe('the approval', () => {
  it('sees what is asked for, and decides', async () => {
    const approve = vi.fn<NonNullable<WalletOptions['approve']>>(({ method }) => method !== 'personal_sign')
    const { page } = await open({ approve })
    const [from, to] = await connect(page)
    await page.request({ method: 'eth_sendTransaction', params: [{ to, value: '0x1' }] })
    await expect(page.request({ method: 'personal_sign', params: ['0x00', from] })).rejects.toMatchObject({
      code: 4001,
      message: 'the user refused personal_sign',
    })
    expect(approve.mock.calls.map(([request]) => request)).toEqual([
      { method: 'eth_requestAccounts', params: [], account: undefined, chainId: '0x7a69' },
      { method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }], account: from, chainId: '0x7a69' },
      { method: 'personal_sign', params: ['0x00', from], account: from, chainId: '0x7a69' },
    ])
    expect(await page.request({ method: 'eth_blockNumber' })).toBe('0x1')
  })

  it('may take its time, while the page cannot change what it asked for', async () => {
    const decision = deferred<boolean>()
    const asked = deferred<void>()
    const { page } = await open({
      approve: ({ method }) => {
        if (method === 'eth_requestAccounts') return true
        asked.resolve()
        return decision.promise
      },
    })
    const [, to] = await connect(page)
    const transaction = { to, value: '0x1' }
    const sending = page.request({ method: 'eth_sendTransaction', params: [transaction] }) as Promise<string>
    await asked.promise
    transaction.value = '0xffff'
    expect(await page.request({ method: 'eth_blockNumber' })).toBe('0x0')
    decision.resolve(true)
    const hash = await sending
    expect(await page.request({ method: 'eth_getTransactionByHash', params: [hash] })).toMatchObject({ value: '0x1' })
  })

  it.each<[string, WalletOptions['approve']]>([
    ['answers something else than true', () => 'yes' as never],
    ['fails', () => Promise.reject(new Error('no window'))],
  ])('refuses when the program %s', async (_, approve) => {
    const { page } = await open({ approve })
    await expect(connect(page)).rejects.toMatchObject({ code: 4001 })
    expect(await page.request({ method: 'eth_accounts' })).toEqual([])
  })

  it('is no by default on a chain that is no dev chain', async () => {
    const genesis = { config: { chainId: 5, londonBlock: 0 }, difficulty: '0x1', gasLimit: '0x1c9c380', alloc: {} }
    const node = await openNode({ genesis })
    const { provider } = await announce(node, { window: new EventTarget() })
    await expect(connect(provider)).rejects.toMatchObject({ code: 4001 })
  })

  it('bounds the requests that wait for it', async () => {
    const decision = deferred<boolean>()
    const { page } = await open({ approve: () => decision.promise })
    const waiting = Array.from({ length: MAX_WAITING_APPROVALS }, () => connect(page))
    await expect(connect(page)).rejects.toMatchObject({ code: -32005 })
    decision.resolve(true)
    expect((await Promise.all(waiting)).length).toBe(MAX_WAITING_APPROVALS)
  })
})

describe('changes', () => {
  it('puts the chosen account first, and tells the page', async () => {
    const { node, page, wallet } = await open()
    const [first, second, ...others] = node.accounts.map(({ address }) => address)
    const changes = vi.fn()
    page.on('accountsChanged', changes)
    await connect(page)
    await wallet.switchAccount((second as string).toUpperCase().replace('X', 'x'))
    expect(((await page.request({ method: 'eth_accounts' })) as string[]).slice(0, 2)).toEqual([second, first])
    expect(changes).toHaveBeenLastCalledWith([second, first, ...others])
    await expect(wallet.switchAccount(`0x${'11'.repeat(20)}`)).rejects.toThrow('the node has no account 0x1111')
    page.removeListener('accountsChanged', changes)
    await wallet.switchAccount(first as string)
    expect(changes).toHaveBeenCalledTimes(2)
  })

  it('switches to chains that it knows, and adds those that it may', async () => {
    const [known, addable] = [await openNode({ chainId: 5 }), await openNode({ chainId: 6 })]
    const { page, wallet } = await open({ chains: [known], addable: [addable] })
    const chains = vi.fn()
    page.on('chainChanged', chains)
    const ask = (method: string, chainId: string) => page.request({ method, params: [{ chainId }] })
    await ask('wallet_switchEthereumChain', '0x5')
    expect(await page.request({ method: 'eth_chainId' })).toBe('0x5')
    await expect(ask('wallet_switchEthereumChain', '0x6')).rejects.toMatchObject({ code: 4902 })
    await ask('wallet_addEthereumChain', '0x6')
    expect(await page.request({ method: 'eth_chainId' })).toBe('0x6')
    await expect(ask('wallet_addEthereumChain', '0x7')).rejects.toMatchObject({ code: 4902 })
    await wallet.switchChain(31337)
    await expect(wallet.switchChain(8)).rejects.toMatchObject({ code: 4902 })
    expect(chains.mock.calls.flat()).toEqual(['0x5', '0x6', '0x7a69'])
  })

  it('passes on changes of the node, and notifications of the subscriptions of the page', async () => {
    const { node, page } = await open()
    const chains = vi.fn()
    page.on('chainChanged', chains)
    await node.request('anvil_setChainId', ['0x9'])
    await eventually(() => expect(chains.mock.calls.flat()).toEqual(['0x9']))
    const messages: unknown[] = []
    page.on('message', (message) => messages.push(message))
    await node.request('eth_subscribe', ['newHeads'])
    const id = await page.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await node.request('evm_mine')
    await eventually(() => expect(messages).toMatchObject([{ type: 'eth_subscription', data: { subscription: id } }]))
    expect(await page.request({ method: 'eth_unsubscribe', params: [id] })).toBe(true)
    expect(await page.request({ method: 'eth_unsubscribe', params: ['0x1'] })).toBe(false)
  })

  it('connects each listener, and disconnects when the wallet or the node is closed', async () => {
    const { page, node, wallet } = await open()
    const connected = await new Promise((resolve) => page.on('connect', resolve))
    expect(connected).toEqual({ chainId: '0x7a69' })
    const disconnects = vi.fn()
    page.on('disconnect', disconnects)
    await node.close()
    await eventually(() => expect(disconnects.mock.calls).toMatchObject([[{ code: 4900 }]]))
    wallet.close()
    expect(disconnects).toHaveBeenCalledTimes(1)
    await expect(page.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4900 })
  })
})
