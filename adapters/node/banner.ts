/**
 * The program's announcement of a running node: endpoints, and keys of the dev chain.
 * @module
 */

import { DEV_ACCOUNTS } from '../../src/config/devGenesis.ts'
import { VERSION } from '../../src/node/node.ts'
import { bytesToHex } from '../../src/primitives/bytes.ts'
import type { Output } from './output.ts'
import type { Services } from './services.ts'
import type { Session } from './session.ts'

type Row = readonly [name: string, text: string]

const WEI_PER_ETHER = 10n ** 18n

/** Prints endpoints, chain and head; on the dev chain also accounts and keys. */
export function printBanner(session: Session, services: Services, output: Output): void {
  const text = (): string => bannerText(session, services)
  output.print({ message: 'the node is running', fields: bannerFields(session, services), text })
}

/** The values of the banner by name. */
function bannerFields({ node, settings, directory, chosen }: Session, { http, webSocket }: Services) {
  const { head } = node.chain
  return {
    version: VERSION,
    chain: chosen.folder,
    chainId: chosen.genesis.config.chainId,
    head: head.header.number,
    hash: head.hash,
    directory: directory ?? null,
    http: http === undefined ? null : { url: `http://${http.host}:${http.port}`, apis: settings.groups },
    webSocket:
      webSocket === undefined
        ? null
        : { url: `ws://${webSocket.host}:${webSocket.port}`, apis: settings.webSocketGroups },
    ...(chosen.isDev ? { accounts: DEV_ACCOUNTS } : {}),
  }
}

function bannerText(session: Session, services: Services): string {
  const blocks = [`isonode v${VERSION}`, rows(endpoints(session, services))]
  if (session.chosen.isDev) {
    const accounts = DEV_ACCOUNTS.map(({ address, privateKey, balance }): Row => {
      return [address, `${privateKey}  ${BigInt(balance) / WEI_PER_ETHER} ETH`]
    })
    blocks.push(
      '',
      'Accounts, private keys (public knowledge: never use them elsewhere) and initial balances',
      rows(accounts),
    )
  }
  return blocks.join('\n')
}

function endpoints({ node, settings, directory, chosen }: Session, { http, webSocket }: Services): Row[] {
  const { head } = node.chain
  const groups = settings.groups.join(',')
  const webSocketGroups = settings.webSocketGroups.join(',')
  return [
    ['chain', `${chosen.folder}, id ${chosen.genesis.config.chainId}`],
    ['head', `${head.header.number} ${bytesToHex(head.hash)}`],
    ['data', directory ?? 'in memory'],
    ['JSON-RPC', http === undefined ? 'off (--rpc-http-enabled)' : `http://${http.host}:${http.port}`],
    ...(http === undefined ? [] : [['APIs', groups] as Row]),
    ['WebSocket', webSocket === undefined ? 'off (--rpc-ws-enabled)' : `ws://${webSocket.host}:${webSocket.port}`],
    ...(webSocket === undefined || webSocketGroups === groups ? [] : [['APIs', webSocketGroups] as Row]),
  ]
}

function rows(list: readonly Row[]): string {
  const width = Math.max(...list.map(([name]) => name.length)) + 2
  return list.map(([name, text]) => `  ${name.padEnd(width)}${text}`).join('\n')
}
