/**
 * A port to the background script that is opened again when it ends: browsers stop a background script that is idle.
 * @module
 */
import { parseMessage, type Role } from './messages.ts'

const MAX_RETRY_MS = 5000

export interface Channel {
  send(message: object): void
  close(): void
}

interface Options {
  readonly role: Role
  /** The inspected tab; absent in its own scripts. */
  readonly tabId?: number | undefined
  receive(message: { readonly kind: string }): void
  /** The first messages of each new port. */
  hello?(): readonly object[]
  /** Called when a port has ended: requests over it get no answer. */
  lost?(): void
}

export function openChannel({ role, tabId, receive, hello, lost }: Options): Channel {
  let port: chrome.runtime.Port | undefined
  let isClosed = false
  let retryMs = 0
  const open = (): void => {
    if (isClosed) return
    try {
      port = chrome.runtime.connect({ name: tabId === undefined ? role : `${role} ${tabId}` })
    } catch {
      // The extension was removed or updated while this page was open.
      isClosed = true
      return
    }
    port.onMessage.addListener((text) => {
      retryMs = 0
      const message = parseMessage(text)
      if (message !== undefined) receive(message)
    })
    port.onDisconnect.addListener(() => {
      void chrome.runtime.lastError
      port = undefined
      lost?.()
      setTimeout(open, retryMs)
      retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs + 50)
    })
    for (const message of hello?.() ?? []) send(message)
  }
  const send = (message: object): void => {
    try {
      port?.postMessage(JSON.stringify(message))
    } catch {
      // The port has just ended; its event follows.
    }
  }
  open()
  return {
    send,
    close() {
      isClosed = true
      port?.disconnect()
    },
  }
}
