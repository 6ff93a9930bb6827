/**
 * Serves a node in a worker, over message ports and over the channels of tabs.
 * @module
 */

import { VERSION } from '../../../src/node/version.ts'
import type { BrowserNodeOptions } from '../contract.ts'
import { createHostYield } from '../hostYield.ts'
import { type HostedNode, openHostedNode } from './hostedNode.ts'
import { endOf, holdLife, type Locks } from './locks.ts'
import { commonChannel, tabChannel } from './names.ts'
import { NodeHost, type TabOptions } from './nodeHost.ts'
import { ownNode } from './nodeOwner.ts'
import { type Port, portOf } from './port.ts'
import { readChannelMessage } from './wire.ts'

export interface ServedNode {
  accept(port: Port): void
  /** Ends all connections and closes the node. */
  close(): Promise<void>
}

/** @param node name of the node */
export async function serveNode(node: string, locks: Locks): Promise<ServedNode> {
  const host = crypto.randomUUID()
  const life = await holdLife(locks, host)
  const openChannel = (): Port => portOf(new BroadcastChannel(commonChannel(node)))
  const openNode = async (options: TabOptions): Promise<HostedNode | undefined> => {
    const right = await ownNode({ locks, node, host, openChannel })
    if (right === undefined) return undefined
    try {
      const hosted = await openHostedNode(options as BrowserNodeOptions)
      return { ...hosted, close: () => hosted.close().finally(() => right.release()) }
    } catch (error) {
      right.release()
      throw error
    }
  }
  const endOfTab = (tab: string, signal: AbortSignal): Promise<void> => endOf(locks, tab, signal)
  const served = new NodeHost({ host, yieldToHost: createHostYield(), openNode, endOfTab })
  const channel = openChannel()
  channel.onMessage((data) => {
    const message = readChannelMessage(data)
    if (message?.isonode === 'hello') {
      served.accept(portOf(new BroadcastChannel(tabChannel(node, message.tab))))
    } else if (message?.isonode === 'opening' && message.host !== host && served.isOpen) {
      channel.post({ isonode: 'open', version: VERSION })
    }
  })
  channel.post({ isonode: 'here' })
  return {
    accept: (port) => served.accept(port),
    close: async () => {
      await served.close()
      channel.close()
      life.release()
    },
  }
}
