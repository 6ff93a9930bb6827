/**
 * The node of one inspected tab: a fork of the page's chain at its newest block.
 * @module
 */
import type { CallError } from '../../../src/replay/recording.ts'
import { type BrowserNode, createBrowserNode } from '../../browser/index.ts'
import type { Answered, Asked } from '../link/messages.ts'
import { type Channel, openChannel } from '../link/reconnecting.ts'
import type { Forked } from '../link/relay.ts'
import { Requests } from '../link/requests.ts'
import { forkedWallet, type Request } from './forkedWallet.ts'

export interface ForkedTab {
  close(): Promise<void>
}

/** @param onEnd called when the panel has asked for the end, or the fork could not be opened */
export function openForkedTab(tabId: number, origin: string, onEnd: () => void): ForkedTab {
  let answer: Request | undefined
  let node: BrowserNode | undefined
  let forked: Forked | undefined
  let isClosed = false
  const channel: Channel = openChannel({
    role: 'node',
    tabId,
    receive(message) {
      if (message.kind === 'answer') wallet.settle(message as Answered)
      else if (message.kind === 'ask') void reply(channel, message as Asked, answer)
      else if (message.kind === 'close') void close()
    },
    hello: () => (forked === undefined ? [] : [forked]),
    lost: () => wallet.fail('the page cannot be reached'),
  })
  const wallet = new Requests((message) => channel.send(message))
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    channel.close()
    onEnd()
    await node?.close()
  }
  const open = async (): Promise<void> => {
    const opened = await openFork(wallet)
    node = opened.node
    if (isClosed) return await node.close()
    answer = opened.answer
    forked = { kind: 'forked', origin, ...opened.identity }
    channel.send(forked)
  }
  open().catch((error: unknown) => {
    channel.send({ kind: 'failed', message: `the fork could not be opened: ${errorOf(error).message}` })
    setTimeout(() => void close())
  })
  return { close }
}

async function openFork(wallet: Requests) {
  const provider = {
    request: ({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }) =>
      wallet.request(method, params),
  }
  const [accounts, block, chainId] = (await Promise.all([
    wallet.request('eth_accounts', []),
    wallet.request('eth_blockNumber', []),
    wallet.request('eth_chainId', []),
  ])) as [readonly string[], string, string]
  const node = await createBrowserNode({
    fork: { provider, block: BigInt(block) },
    chainId: Number(chainId),
    autoImpersonate: true,
  })
  const identity = { accounts, block, chainId }
  const answer = forkedWallet(identity, (method, params) => node.request({ method, params: params as unknown[] }))
  return { node, identity, answer }
}

async function reply(channel: Channel, { id, method, params }: Asked, answer: Request | undefined): Promise<void> {
  try {
    if (answer === undefined) throw new Error('the fork is not open yet')
    channel.send({ kind: 'answer', id, result: (await answer(method, params)) ?? null })
  } catch (error) {
    channel.send({ kind: 'answer', id, error: errorOf(error) })
  }
}

function errorOf(error: unknown): CallError {
  const { code = -32603, message, data } = error as Partial<CallError>
  return {
    code: typeof code === 'number' ? code : -32603,
    message: message ?? String(error),
    ...(data === undefined ? {} : { data }),
  }
}
