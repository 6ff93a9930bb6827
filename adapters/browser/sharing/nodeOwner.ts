/**
 * The right to open a node: one worker at a time has it.
 * @module
 */
import { PREDECESSOR_WAIT_MS } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { VERSION } from '../../../src/node/version.ts'
import { type HeldLock, holdLock, type Locks } from './locks.ts'
import { nodeLock } from './names.ts'
import { otherVersion } from './nodeHost.ts'
import type { Port } from './port.ts'
import { readChannelMessage } from './wire.ts'

export interface OwnerParts {
  readonly locks: Locks
  /** Of the node. */
  readonly node: string
  /** Names the worker. */
  readonly host: string
  /** Opens the channel of all tabs and workers of the node. */
  openChannel(): Port
}

/**
 * Asks for the right, and a worker that has it what becomes of it: a service worker gives way.
 * @returns undefined when another worker with the same version has the node
 * @throws {NodeError} SHARED_VERSION, DATABASE_LOCKED
 */
export async function ownNode({ locks, node, host, openChannel }: OwnerParts): Promise<HeldLock | undefined> {
  const free = await holdLock(locks, nodeLock(node), { ifAvailable: true })
  if (free !== undefined) return free
  const waiting = new AbortController()
  const channel = openChannel()
  const timer = setTimeout(() => waiting.abort(), PREDECESSOR_WAIT_MS)
  let running: string | undefined
  channel.onMessage((data) => {
    const message = readChannelMessage(data)
    if (message?.isonode !== 'open') return
    running = message.version
    waiting.abort()
  })
  channel.post({ isonode: 'opening', host })
  try {
    return await holdLock(locks, nodeLock(node), { signal: waiting.signal })
  } catch (cause) {
    if (running === VERSION) return undefined
    if (running !== undefined) throw otherVersion(running, VERSION)
    const message = `the shared node ${node} is open in a worker that does not answer: close the other tabs`
    throw new NodeError({ code: 'DATABASE_LOCKED', name: node }, message, { cause })
  } finally {
    clearTimeout(timer)
    channel.close()
  }
}
