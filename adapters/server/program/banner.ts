/**
 * The program's announcement of a running node: endpoints, and keys of the dev chain.
 * @module
 */

import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { urlOf } from '../../../src/base/primitives/hostPort.ts'
import { chainIdAfter } from '../../../src/chain/nextBlock.ts'
import { accountList } from '../../../src/dev/accountList.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import type { EndpointName } from '../../../src/node/endpoints.ts'
import { VERSION } from '../../../src/node/version.ts'
import type { RunningEnclave } from '../enclave/running.ts'
import type { IpcServer } from '../http/ipcServer.ts'
import type { ServerReplica } from '../replica.ts'
import type { ServerNode } from '../serverNode.ts'
import type { Services } from '../services.ts'
import type { Output } from './output.ts'

export type Row = readonly [name: string, text: string]

type ForkedChain = NonNullable<ServerNode['host']['fork']>

/** A server that listens at all addresses has none that a browser can open. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

const NOT_EXTENDED: Row = [
  'blocks',
  'only from `blocks import`: nothing extends this chain (no block producer, no peers)',
]

/** Prints endpoints, chain and head; on the dev chain also accounts and keys. */
export function printBanner(serverNode: ServerNode, services: Services, output: Output): void {
  const text = (): string => bannerText(serverNode, services)
  output.print({ message: 'the node is running', fields: bannerFields(serverNode, services), text })
}

/** The values of the banner by name. */
function bannerFields(serverNode: ServerNode, services: Services) {
  const { http, webSocket, ipc, graphql, metrics } = services
  const { node, host, directory, chosenGenesis, enclave } = serverNode
  const { fork } = host
  const explorer = explorerUrl(serverNode, services)
  const { head } = node.chain
  const continuesAt = continuedBlock(serverNode)
  return {
    version: VERSION,
    chain: chosenGenesis.folder,
    chainId: chainIdAfter(chosenGenesis.genesis.config, head),
    head: head.header.number,
    isExtended: node.isExtended,
    hash: head.hash,
    ...(continuesAt === undefined ? {} : { continuesAt }),
    directory: directory ?? null,
    http: http === undefined ? null : { url: urlOf('http', http), apis: groupsOf(node, 'http') },
    webSocket: webSocket === undefined ? null : { url: urlOf('ws', webSocket), apis: groupsOf(node, 'webSocket') },
    ...(explorer === undefined ? {} : { explorer }),
    ...(ipc === undefined ? {} : { ipc: { path: ipc.path, apis: groupsOf(node, 'ipc') } }),
    ...(graphql === undefined ? {} : { graphql: { url: graphqlUrl(graphql) } }),
    ...(metrics === undefined ? {} : { metrics: metricsUrl(metrics) }),
    ...(enclave === undefined ? {} : { enclave: { url: enclave.url, keys: enclave.enclave.publicKeys } }),
    ...(fork === undefined
      ? {}
      : { fork: { url: fork.origin ?? null, block: fork.block.number, hash: fork.block.hash } }),
    ...(chosenGenesis.isDev ? { accounts: chosenGenesis.accounts, wallet: chosenGenesis.wallet } : {}),
  }
}

function bannerText(serverNode: ServerNode, services: Services): string {
  const blocks = [`isonode v${VERSION}`, rows(endpoints(serverNode, services))]
  const continuesAt = continuedBlock(serverNode)
  if (continuesAt !== undefined) {
    blocks.push('', `Continues at block ${continuesAt} from an earlier start; --ephemeral starts a new chain`)
  }
  if (serverNode.chosenGenesis.isDev) {
    blocks.push('', ...accountList(serverNode.chosenGenesis.accounts ?? [], serverNode.chosenGenesis.wallet))
  }
  return blocks.join('\n')
}

/** The head of a stored dev chain, unless a loaded dump has replaced it. */
function continuedBlock({ node, chosenGenesis, continuesAt }: ServerNode): bigint | undefined {
  const isKept = continuesAt !== undefined && node.chain.isCanonical(continuesAt.hash)
  return chosenGenesis.isDev && isKept ? continuesAt.header.number : undefined
}

function endpoints(serverNode: ServerNode, services: Services): Row[] {
  const { node, host, directory, chosenGenesis, enclave } = serverNode
  const { http, webSocket, ipc, graphql, metrics } = services
  const explorer = explorerUrl(serverNode, services)
  const { head } = node.chain
  const groups = groupsOf(node, 'http').join(',')
  const webSocketGroups = groupsOf(node, 'webSocket').join(',')
  return [
    ['chain', `${chosenGenesis.folder}, id ${chainIdAfter(chosenGenesis.genesis.config, head)}`],
    ['head', `${head.header.number} ${bytesToHex(head.hash)}`],
    ...(node.isExtended ? [] : [NOT_EXTENDED]),
    ['data', directory ?? 'in memory'],
    ['JSON-RPC', http === undefined ? 'off (--rpc-http-enabled)' : urlOf('http', http)],
    ...(http === undefined ? [] : [['APIs', groups] as Row]),
    ...(explorer === undefined ? [] : [['explorer', explorer] as Row]),
    ['WebSocket', webSocket === undefined ? 'off (--rpc-ws-enabled)' : urlOf('ws', webSocket)],
    ...(webSocket === undefined || webSocketGroups === groups ? [] : [['APIs', webSocketGroups] as Row]),
    ...(ipc === undefined ? [] : ipcRows(node, ipc, groups)),
    ...(graphql === undefined ? [] : [['GraphQL', graphqlUrl(graphql)] as Row]),
    ...(metrics === undefined ? [] : [['metrics', metricsUrl(metrics)] as Row]),
    ...(enclave === undefined ? [] : enclaveRows(enclave)),
    // After the endpoints: scripts take the first address for that of the node.
    ...(host.fork === undefined ? [] : [['fork of', forkText(host.fork)] as Row]),
  ]
}

/** The address without its path, which may hold a key. */
function forkText({ chainId, block, origin }: ForkedChain): string {
  return `chain ${chainId} at block ${block.number}, from ${origin ?? 'a pack'}`
}

function ipcRows(node: ServerNode['node'], { path }: IpcServer, httpGroups: string): Row[] {
  const groups = groupsOf(node, 'ipc').join(',')
  return [['IPC', path], ...(groups === httpGroups ? [] : [['APIs', groups] as Row])]
}

export function enclaveRows({ url, enclave }: RunningEnclave): Row[] {
  return [['enclave', url], ...enclave.publicKeys.map((key): Row => ['public key', key])]
}

/** Prints endpoints, chain and head of a replica. */
export function printReplicaBanner(replica: ServerReplica, services: Services, output: Output): void {
  const { http, webSocket, graphql, metrics } = services
  const { chainId } = replica.config
  const { manifest, publisher, head } = replica.mirror.status
  const explorer = explorerUrl(replica, services)
  const text = (): string =>
    [
      `isonode v${VERSION}`,
      rows([
        ['chain', `id ${chainId}, from a mirror`],
        ['publisher', bytesToHex(publisher)],
        ['manifest', `${manifest}`],
        ['head', `${head.number} ${bytesToHex(head.hash)}`],
        ['JSON-RPC', http === undefined ? 'off (--rpc-http-enabled)' : urlOf('http', http)],
        ...(http === undefined ? [] : [['APIs', groupsOf(replica.node, 'http').join(',')] as Row]),
        ...(explorer === undefined ? [] : [['explorer', explorer] as Row]),
        ['WebSocket', webSocket === undefined ? 'off (--rpc-ws-enabled)' : urlOf('ws', webSocket)],
        ...(graphql === undefined ? [] : [['GraphQL', graphqlUrl(graphql)] as Row]),
        ...(metrics === undefined ? [] : [['metrics', metricsUrl(metrics)] as Row]),
      ]),
    ].join('\n')
  const fields = {
    version: VERSION,
    chainId,
    publisher,
    manifest,
    head: head.number,
    hash: head.hash,
    http: http === undefined ? null : { url: urlOf('http', http), apis: groupsOf(replica.node, 'http') },
    webSocket: webSocket === undefined ? null : { url: urlOf('ws', webSocket) },
    ...(graphql === undefined ? {} : { graphql: { url: graphqlUrl(graphql) } }),
    ...(metrics === undefined ? {} : { metrics: metricsUrl(metrics) }),
  }
  output.print({ message: 'the replica is running', fields, text })
}

/** @returns undefined unless the node serves the explorer */
export function explorerUrl(
  { settings }: Pick<ServerNode, 'settings'>,
  { http }: Pick<Services, 'http'>,
): string | undefined {
  if (!settings.hasExplorer || http === undefined) return undefined
  const host = EVERY_ADDRESS.has(http.host) ? 'localhost' : http.host
  return `${urlOf('http', { host, port: http.port, isSecure: http.isSecure })}/`
}

function graphqlUrl(server: HttpServer): string {
  return `${urlOf('http', server)}/graphql`
}

function metricsUrl(server: HttpServer): string {
  return `${urlOf('http', server)}/metrics`
}

function groupsOf({ endpoints }: Pick<ServerNode['node'], 'endpoints'>, name: EndpointName): readonly string[] {
  return [...endpoints.get(name as 'http').groups].sort()
}

export function rows(list: readonly Row[]): string {
  const width = Math.max(...list.map(([name]) => name.length)) + 2
  return list.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join('\n')
}
