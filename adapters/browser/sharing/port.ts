/**
 * One end of a connection: a message port, or a channel that only one tab and the node use.
 * @module
 */

export interface Port {
  post(message: object): void
  /** Replaces the listener. */
  onMessage(listener: (data: unknown) => void): void
  close(): void
}

interface Postable {
  onmessage: ((event: MessageEvent) => void) | null
  postMessage(message: unknown): void
  close(): void
}

/**
 * A closed port posts nothing.
 * @param target a MessagePort or a BroadcastChannel
 */
export function portOf(target: Postable): Port {
  let isOpen = true
  return {
    post: (message) => {
      if (isOpen) target.postMessage(message)
    },
    onMessage: (listener) => {
      target.onmessage = ({ data }) => listener(data)
    },
    close: () => {
      isOpen = false
      target.close()
    },
  }
}
