/**
 * Starts a node inside a program on Node, Deno or Bun.
 * @module
 */

import process from 'node:process'
import type { AbortSignal } from '../../src/base/ports/webTypes.ts'
import { urlOf } from '../../src/base/primitives/hostPort.ts'
import { type LibraryLine, libraryLine, type OwnProperties } from '../../src/cli/libraryOptions.ts'
import { ProgressReport } from '../../src/cli/progress.ts'
import type { DevAccount } from '../../src/config/devAccounts.ts'
import { GRAPHQL_PATH } from '../../src/http/graphqlRoutes.ts'
import type { IsoNode } from '../../src/node/node.ts'
import type { ReadNode } from '../../src/node/readOnly/readOnlyNode.ts'
import { keepAlive, localNode } from '../shared/localNode.ts'
import type { LocalNode } from '../shared/nodeHandle.ts'
import { LOG_PROPERTIES, type OpenedLog, openLog } from '../shared/openLog.ts'
import { openArtifacts } from './data/artifactFolders.ts'
import type { StateFiles } from './data/stateFiles.ts'
import { openServerNode, type ServerNode } from './serverNode.ts'
import { type Services, startServices } from './services.ts'
import type { StartOptions } from './startOptions.ts'

/** A node that serves JSON-RPC on a port. */
export interface ListeningNode extends LocalNode {
  /** Address of JSON-RPC over HTTP, such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** Address of JSON-RPC over WebSocket, such as `ws://127.0.0.1:40123`. */
  readonly wsUrl: string
  /** Address of GraphQL, such as `http://127.0.0.1:40124/graphql`; undefined unless `graphql` is set. */
  readonly graphqlUrl: string | undefined
  /** Path of the Unix socket or named pipe; undefined unless the flag `rpcIpcEnabled` is set. */
  readonly ipcPath: string | undefined
}

/** A node without a port: only its program can reach it. */
export interface UnservedNode extends LocalNode {
  readonly url: undefined
  readonly wsUrl: undefined
  readonly graphqlUrl: undefined
  readonly ipcPath: undefined
}

/** The result of {@link startNode} for the type of `listen`. */
export type StartedNode<Listen extends boolean> = Listen extends true ? ListeningNode : UnservedNode

const OWN_PROPERTIES: OwnProperties = {
  ...LOG_PROPERTIES,
  listen: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  signal: { expected: 'an AbortSignal', accepts: (value) => value instanceof AbortSignal },
}

/**
 * Starts a node in this process. Without options, it is a dev chain in memory that listens on a free port of 127.0.0.1,
 * prints nothing and writes no file; `listen: false` opens no port; `dataPath` keeps the chain in a directory. The
 * environment is not read, and no signal handlers are installed. The node keeps the process alive until it is closed.
 * @throws {NodeError} INVALID_OPTION that names the option, PORT_IN_USE, INVALID_GENESIS, GENESIS_MISMATCH,
 *   DIRECTORY_LOCKED, STATE_FILE_FAILED and others of the data directory
 * @example
 * const node = await startNode({ chainId: 1337, accounts: 2, balance: 100 })
 * const [account] = node.accounts
 * console.log(node.url, await node.request('eth_getBalance', [account.address, 'latest']))
 * await node.close()
 */
export async function startNode<Listen extends boolean = true>(
  options: StartOptions<Listen> = {},
): Promise<StartedNode<Listen>> {
  const isListening = options?.listen ?? true
  const line = libraryLine(options, { kind: 'server', ownProperties: OWN_PROPERTIES, isListening })
  const { log, logger, artifacts, signal } = options
  signal?.throwIfAborted()
  try {
    const openedLog = await openLog(line.options, { log, logger, artifacts }, () => openArtifacts(line.options.abi))
    return (await start(line, { openedLog, listen: isListening, signal })) as StartedNode<Listen>
  } catch (error) {
    throw line.renamed(error)
  }
}

interface Start {
  readonly openedLog: OpenedLog
  readonly listen: boolean
  readonly signal: AbortSignal | undefined
}

async function start(line: LibraryLine, { openedLog, listen, signal }: Start): Promise<ListeningNode | UnservedNode> {
  for (const warning of line.warnings) openedLog.logger.warn(warning)
  const { options, genesisText } = line
  if (options['mirror-from'] !== undefined) return startReplica(line, { openedLog, listen, signal })
  const serverNode = await openServerNode({ options, genesisText, ...openedLog, runtimeName: runtimeName() })
  try {
    signal?.throwIfAborted()
    const states = await openStates(line, serverNode, openedLog)
    if (!listen) await serverNode.node.goOnline()
    const services = listen ? await startServices({ ...line, sharesPort: true }, serverNode) : undefined
    const accounts = serverNode.chosenGenesis.accounts ?? []
    return running({ ...serverNode, accounts }, { services, states, signal })
  } catch (error) {
    await serverNode.close()
    throw error
  }
}

/** The code of replicas is loaded for replicas only. */
async function startReplica(
  line: LibraryLine,
  { openedLog: { logger }, listen, signal }: Start,
): Promise<ListeningNode | UnservedNode> {
  const { openServerReplica } = await import('./replica.ts')
  // Its timers alone would not keep the process alive while the mirror is read.
  const release = keepAlive()
  try {
    const replica = await openServerReplica({ options: line.options, logger, runtimeName: runtimeName() })
    try {
      signal?.throwIfAborted()
      const services = listen ? await startServices({ ...line, sharesPort: true }, replica) : undefined
      return running({ ...replica, accounts: [] }, { services, states: undefined, signal })
    } catch (error) {
      await replica.close()
      throw error
    }
  } finally {
    release()
  }
}

/** Opens the files of state dumps; their progress is logged. */
async function openStates(
  { options }: LibraryLine,
  { node }: ServerNode,
  { logger }: OpenedLog,
): Promise<StateFiles | undefined> {
  const { state, 'load-state': load, 'dump-state': dump } = options
  if (state === undefined && load === undefined && dump === undefined) return undefined
  const { openStateFiles } = await import('./data/stateFiles.ts')
  const progress = new ProgressReport(
    undefined,
    (message, fields) => logger.info(message, fields),
    () => performance.now(),
  )
  return openStateFiles(options, node.stateDumps, { progress, logger })
}

interface Running {
  readonly services: Services | undefined
  readonly states: StateFiles | undefined
  readonly signal: AbortSignal | undefined
}

interface OpenedNode {
  readonly node: IsoNode | ReadNode
  readonly accounts: readonly DevAccount[]
  close(): Promise<void>
}

function running(opened: OpenedNode, { services, states, signal }: Running): ListeningNode | UnservedNode {
  const { node, accounts } = opened
  // Sockets that listen keep it alive as well.
  const release = services === undefined ? keepAlive() : () => {}
  const onAbort = (): void => void local.close()
  const { http, webSocket, graphql, ipc } = services ?? {}
  const addresses = {
    url: http && urlOf('http', http),
    wsUrl: webSocket && urlOf('ws', webSocket),
    graphqlUrl: graphql && `${urlOf('http', graphql)}${GRAPHQL_PATH}`,
    ipcPath: ipc?.path,
  }
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    release()
    await services?.close()
    try {
      await states?.close()
    } finally {
      await opened.close()
    }
  }
  const local = localNode(node, node.openProvider(), accounts, close, addresses)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted === true) onAbort()
  return local as ListeningNode | UnservedNode
}

/** As shown in web3_clientVersion. */
function runtimeName(): string {
  const { deno, bun } = process.versions
  if (deno !== undefined) return `deno-v${deno}`
  return bun === undefined ? `node-${process.version}` : `bun-v${bun}`
}
