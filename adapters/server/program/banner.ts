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
import type { ServerNode } from '../serverNode.ts'
import type { Services } from '../services.ts'
import type { Output } from './output.ts'

export type Row = readonly [name: string, text: string]

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
function bannerFields(serverNode: ServerNode, { http, webSocket, ipc, graphql, metrics }: Services) {
  const { node, directory, chosenGenesis, enclave } = serverNode
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
    ...(ipc === undefined ? {} : { ipc: { path: ipc.path, apis: groupsOf(node, 'ipc') } }),
    ...(graphql === undefined ? {} : { graphql: { url: graphqlUrl(graphql) } }),
    ...(metrics === undefined ? {} : { metrics: metricsUrl(metrics) }),
    ...(enclave === undefined ? {} : { enclave: { url: enclave.url, keys: enclave.enclave.publicKeys } }),
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

function endpoints(
  { node, directory, chosenGenesis, enclave }: ServerNode,
  { http, webSocket, ipc, graphql, metrics }: Services,
): Row[] {
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
    ['WebSocket', webSocket === undefined ? 'off (--rpc-ws-enabled)' : urlOf('ws', webSocket)],
    ...(webSocket === undefined || webSocketGroups === groups ? [] : [['APIs', webSocketGroups] as Row]),
    ...(ipc === undefined ? [] : ipcRows(node, ipc, groups)),
    ...(graphql === undefined ? [] : [['GraphQL', graphqlUrl(graphql)] as Row]),
    ...(metrics === undefined ? [] : [['metrics', metricsUrl(metrics)] as Row]),
    ...(enclave === undefined ? [] : enclaveRows(enclave)),
  ]
}

function ipcRows(node: ServerNode['node'], { path }: IpcServer, httpGroups: string): Row[] {
  const groups = groupsOf(node, 'ipc').join(',')
  return [['IPC', path], ...(groups === httpGroups ? [] : [['APIs', groups] as Row])]
}

export function enclaveRows({ url, enclave }: RunningEnclave): Row[] {
  return [['enclave', url], ...enclave.publicKeys.map((key): Row => ['public key', key])]
}

function graphqlUrl(server: HttpServer): string {
  return `${urlOf('http', server)}/graphql`
}

function metricsUrl(server: HttpServer): string {
  return `${urlOf('http', server)}/metrics`
}

function groupsOf({ endpoints }: ServerNode['node'], name: EndpointName): readonly string[] {
  return [...endpoints.get(name as 'http').groups].sort()
}

export function rows(list: readonly Row[]): string {
  const width = Math.max(...list.map(([name]) => name.length)) + 2
  return list.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join('\n')
}
