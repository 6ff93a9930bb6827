/**
 * The explorer over the chain that the inspected page uses.
 * @module
 */
import type { Provider } from '../page/rpc/eip1193.ts'
import type { Answered } from './link/messages.ts'
import { openChannel } from './link/reconnecting.ts'
import { ProviderError, Requests } from './link/requests.ts'

const channel = openChannel({
  role: 'view',
  tabId: Number(new URLSearchParams(location.search).get('tab')),
  receive(message) {
    if (message.kind === 'answer') requests.settle(message as Answered)
  },
  lost: () => requests.fail('the page cannot be reached'),
})
const requests = new Requests((message) => channel.send(message))

const UNSUPPORTED = 4200

/** Notifications stay in the page, so the explorer polls. */
const provider: Provider = {
  async request({ method, params = [] }) {
    if (method === 'eth_subscribe') throw new ProviderError({ code: UNSUPPORTED, message: 'no subscriptions' })
    return requests.request(method, params)
  },
}
globalThis.isonodeProvider = provider
await import('../page/main.tsx')
