/**
 * A connection of a tab to the worker that has the node.
 * @module
 */
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { VERSION } from '../../../src/node/version.ts'
import { endOf, type Locks } from './locks.ts'
import type { Port } from './port.ts'
import { type HostMessage, readHostMessage, type TabMessage, type WelcomeMessage } from './wire.ts'

export interface Link {
  readonly welcome: WelcomeMessage
  post(message: TabMessage): void
  /** Messages that came before are passed on at once. */
  onMessage(listener: (message: HostMessage) => void): void
  /** Resolves when the node has ended, or has ended this connection. */
  readonly ended: Promise<void>
  /** The node forgets the tab. */
  close(): void
}

/** The first message of a tab, about itself. */
export interface Introduction {
  readonly tab: string
  readonly options: Readonly<Record<string, unknown>>
}

/** `elsewhere`: another worker has the node. `lost`: the worker has ended, or does not answer. */
export type LinkOutcome = Link | 'elsewhere' | 'lost'

/**
 * Introduces the tab to the worker behind a port. The caller closes the port when there is no link.
 * @param signal ends the attempt, and the link
 * @throws {NodeError} what the worker refuses the tab with
 */
export function openLink(
  port: Port,
  { tab, options }: Introduction,
  locks: Locks,
  signal: AbortSignal,
): Promise<LinkOutcome> {
  return new Promise((resolve, reject) => {
    const life = new AbortController()
    const early: HostMessage[] = []
    let pass = (message: HostMessage): void => void early.push(message)
    let endLink = (): void => {}
    const ended = new Promise<void>((done) => {
      endLink = done
    })
    const end = (): void => {
      life.abort()
      resolve('lost')
      endLink()
    }
    const post = (message: TabMessage): void => port.post(message)
    const onMessage: Link['onMessage'] = (listener) => {
      pass = listener
      for (const message of early.splice(0)) listener(message)
    }
    const close = (): void => {
      post({ isonode: 'leave' })
      end()
      port.close()
    }
    const take = (message: HostMessage): void => {
      switch (message.isonode) {
        case 'ready':
          endOf(locks, message.host, life.signal).then(end, () => {})
          post({ isonode: 'connect', version: VERSION, tab, options })
          break
        case 'welcome':
          resolve({ welcome: message, post, onMessage, ended, close })
          break
        case 'refused':
          reject(new NodeError({ code: message.code }, message.message))
          break
        case 'elsewhere':
          resolve('elsewhere')
          break
        case 'ended':
          end()
          break
        default:
          pass(message)
      }
    }
    signal.addEventListener('abort', end, { once: true })
    port.onMessage((data) => {
      const message = readHostMessage(data)
      if (message !== undefined) take(message)
    })
  })
}
