/**
 * Starts a node inside a program on Node, Deno or Bun.
 * @module
 */

import process from 'node:process'
import type { ActivityHost } from '../../src/activityLog/output.ts'
import type { Logger, LogLevel } from '../../src/base/ports/host.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { LogLevels } from '../../src/base/ports/logLevels.ts'
import type { AbortSignal } from '../../src/base/ports/webTypes.ts'
import { urlOf } from '../../src/base/primitives/hostPort.ts'
import { type LibraryOptions, libraryLine } from '../../src/cli/libraryOptions.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { GRAPHQL_PATH } from '../../src/http/graphqlRoutes.ts'
import { keepAlive, type LocalNode, localNode } from '../shared/localNode.ts'
import { AdjustableThreshold, createLogger, formatRecord, shows } from '../shared/logging.ts'
import type { LogRecord } from '../shared/logRecord.ts'
import { colorStyle, plainStyle } from '../shared/style.ts'
import { openActivity } from './program/activity.ts'
import { type OutputEvent, recordOf } from './program/output.ts'
import { type Services, startServices } from './services.ts'
import { openSession, type Session } from './session.ts'

interface CommonOptions {
  /**
   * Receives the log, entry by entry, from the level `logging` on; on the dev chain also calls and transactions, as the
   * program prints them. `console.log` fits. Default: nothing is logged.
   */
  readonly log?: ((entry: string) => void) | undefined
  /** Receives the node's messages as objects, instead of `log`. */
  readonly logger?: Logger | undefined
  /** Closes the node when aborted. If aborted during the start, `startNode` rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

/** Options of the command line in camel case, such as `dev`, `port` and `chainId`, with a few of the library. */
export type StartOptions = LibraryOptions &
  CommonOptions & {
    /** Whether the node serves JSON-RPC over HTTP and WebSocket, on one port. Default: true. */
    readonly listen?: true | undefined
  }

/** Options of a node without a server. */
export type SilentStartOptions = LibraryOptions & CommonOptions & { readonly listen: false }

export interface ListeningNode extends LocalNode {
  /** The URL of JSON-RPC over HTTP, such as `http://127.0.0.1:8545`. */
  readonly url: string
  /** The URL of JSON-RPC over WebSocket. */
  readonly wsUrl: string
  /** The URL of GraphQL, such as `http://127.0.0.1:8547/graphql`; undefined unless `graphqlHttpEnabled` is set. */
  readonly graphqlUrl: string | undefined
}

export interface SilentNode extends LocalNode {
  readonly url: undefined
  readonly wsUrl: undefined
  readonly graphqlUrl: undefined
}

/**
 * Starts a node in this process: without options, the dev chain on port 8545. The chain is in memory unless `dataPath`
 * names a directory. The environment is not read, no signal handlers are installed, and nothing is printed. The node
 * keeps the process alive until it is closed.
 * @throws {NodeError} INVALID_OPTION that names the option, PORT_IN_USE, INVALID_GENESIS, GENESIS_MISMATCH,
 *   DIRECTORY_LOCKED and others of the data directory
 * @example
 * await using node = await startNode({ dev: true, port: 0 })
 * const client = createPublicClient({ transport: custom(node) })
 */
export function startNode(options?: StartOptions): Promise<ListeningNode>
export function startNode(options: SilentStartOptions): Promise<SilentNode>
export async function startNode(given: StartOptions | SilentStartOptions = {}): Promise<ListeningNode | SilentNode> {
  const { listen: isListening = true, log, logger: ownLogger, signal, ...named } = given
  signal?.throwIfAborted()
  const line = libraryLine(named, isListening)
  const { logger, logLevels, activity } = await openLog(line.options, { log, logger: ownLogger })
  for (const warning of line.warnings) logger.warn(warning)
  const session = await openSession({ options: line.options, logger, logLevels, activity, runtimeName: runtimeName() })
  try {
    signal?.throwIfAborted()
    if (!isListening) await session.node.startMining()
    const services = isListening ? await startServices({ ...line, sharesPort: true }, session) : undefined
    return running(session, services, signal)
  } catch (error) {
    await session.close()
    throw error
  }
}

interface Log {
  readonly logger: Logger
  /** undefined: the program determines them */
  readonly logLevels: LogLevels | undefined
  /** undefined: calls and transactions of the dev chain are not logged. */
  readonly activity: ActivityHost | undefined
}

async function openLog(options: NodeOptions, { log, logger }: CommonOptions): Promise<Log> {
  if (log === undefined) return { logger: logger ?? silentLogger, logLevels: undefined, activity: undefined }
  const { logging: level, 'logging-format': format } = options
  const style = options['color-enabled'] === true ? colorStyle : plainStyle
  const write = (record: LogRecord): void => {
    try {
      log(formatRecord(record, format, style))
    } catch (error) {
      // The program's own error must not affect the node.
      void Promise.reject(error)
    }
  }
  const levels = new AdjustableThreshold(level)
  const output = {
    shows: (wanted: LogLevel) => shows(levels.level, wanted),
    isBehind: false,
    reportAll: (events: readonly OutputEvent[]) => {
      for (const event of events) if (shows(levels.level, event.level ?? 'info')) write(recordOf(event))
    },
  }
  return {
    logger: logger ?? createLogger(levels, write),
    logLevels: logger === undefined ? levels : undefined,
    activity: await openActivity(output, options.abi),
  }
}

function running(session: Session, services: Services | undefined, signal: AbortSignal | undefined) {
  const { node } = session
  // Sockets that listen keep it alive as well.
  const release = services === undefined ? keepAlive() : () => {}
  const onAbort = (): void => void local.close()
  const local = localNode(node, node.openProvider(), session.chosen.accounts ?? [], async () => {
    signal?.removeEventListener('abort', onAbort)
    release()
    await services?.close()
    await session.close()
  })
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  const { http, webSocket, graphql } = services ?? {}
  const url = http && urlOf('http', http)
  const wsUrl = webSocket && urlOf('ws', webSocket)
  const graphqlUrl = graphql && `${urlOf('http', graphql)}${GRAPHQL_PATH}`
  return { ...local, url, wsUrl, graphqlUrl } as ListeningNode | SilentNode
}

/** As shown in web3_clientVersion. */
function runtimeName(): string {
  const { deno, bun } = process.versions
  if (deno !== undefined) return `deno-v${deno}`
  return bun === undefined ? `node-${process.version}` : `bun-v${bun}`
}
