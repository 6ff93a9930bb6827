/**
 * The hidden page with the nodes of forks.
 * @module
 */
import { openChannel } from '../link/reconnecting.ts'
import { type ForkedTab, openForkedTab } from './forkedTab.ts'

interface Open {
  readonly kind: 'open'
  readonly tabId: number
  readonly origin: string
}

/** A fork needs up to some hundred MB. */
const MAX_FORKS = 8

const tabs = new Map<number, ForkedTab>()

openChannel({
  role: 'node',
  receive(message) {
    if (message.kind !== 'open') return
    const { tabId, origin } = message as Open
    if (tabs.has(tabId) || tabs.size >= MAX_FORKS) return
    tabs.set(
      tabId,
      openForkedTab(tabId, origin, () => tabs.delete(tabId)),
    )
  },
})
