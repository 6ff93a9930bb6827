/**
 * Runs beside the inspected page in a world that the page cannot reach, and carries messages between the hook and the
 * extension.
 * @module
 */
import { HANDSHAKE } from './link/handshake.ts'
import type { ToPage } from './link/messages.ts'
import { openChannel } from './link/reconnecting.ts'
import { titleNotice } from './titleNotice.ts'

/** Reports of one page. A page that asks more loses records, and the browser stays responsive. */
const BYTES_PER_SECOND = 8 * 1024 * 1024

const { port1: port, port2 } = new MessageChannel()
let budget = BYTES_PER_SECOND
let filledAt = performance.now()
let lostCalls = 0

const channel = openChannel({
  role: 'page',
  receive(message) {
    if (message.kind === 'fork') titleNotice.show()
    if (message.kind === 'back') titleNotice.hide()
    port.postMessage(JSON.stringify(message))
  },
  lost: () => port.postMessage(JSON.stringify({ kind: 'gone' } satisfies ToPage)),
})

port.onmessage = ({ data }: MessageEvent<unknown>) => {
  if (typeof data !== 'string') return
  const message = JSON.parse(data) as { readonly kind: string }
  const isRecord = message.kind === 'began' || message.kind === 'ended'
  if (isRecord && !allowed(data.length)) {
    if (message.kind === 'began') lostCalls++
    return
  }
  if (lostCalls > 0) {
    channel.send({ kind: 'lost', calls: lostCalls })
    lostCalls = 0
  }
  channel.send(message)
}

function allowed(bytes: number): boolean {
  const now = performance.now()
  budget = Math.min(BYTES_PER_SECOND, budget + ((now - filledAt) * BYTES_PER_SECOND) / 1000)
  filledAt = now
  if (bytes > budget) return false
  budget -= bytes
  return true
}

window.postMessage(HANDSHAKE, location.origin === 'null' ? '*' : location.origin, [port2])
