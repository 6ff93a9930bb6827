/**
 * The worker of a node that several tabs share: `isonode/browser-worker`. As a shared worker, it serves the port of each
 * tab; as the worker of the tab that leads, it serves their channels.
 * @module
 */
import { webLocks } from './locks.ts'
import { portOf } from './port.ts'
import { type ServedNode, serveNode } from './serveNode.ts'
import { readLeaderMessage } from './wire.ts'

interface WorkerScope {
  /** Of a shared worker: that of the node, after the prefix. */
  readonly name: string
  onconnect?: ((event: MessageEvent) => void) | null
  onmessage?: ((event: MessageEvent) => void) | null
  postMessage?(message: unknown): void
  close(): void
}

const scope = globalThis as unknown as WorkerScope
const NAME_PREFIX = 'isonode:'

function locksOfWorker(): NonNullable<ReturnType<typeof webLocks>> {
  const locks = webLocks()
  if (locks === undefined) throw new TypeError('a shared node needs navigator.locks')
  return locks
}

let serving: Promise<ServedNode> | undefined
const serve = (node: string): Promise<ServedNode> => {
  serving ??= serveNode(node, locksOfWorker())
  return serving
}

if ('onconnect' in scope) {
  scope.onconnect = ({ ports }) => {
    const [port] = ports
    if (port !== undefined) void serve(scope.name.slice(NAME_PREFIX.length)).then((node) => node.accept(portOf(port)))
  }
} else {
  scope.onmessage = async ({ data }) => {
    const message = readLeaderMessage(data)
    if (message?.isonode === 'lead') await serve(message.node)
    if (message?.isonode !== 'end') return
    await (await serving)?.close()
    scope.postMessage?.({ isonode: 'ended' })
    scope.close()
  }
}
