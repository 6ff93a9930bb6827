/**
 * The program's output about a running node: endpoints, keys of the dev chain, new blocks.
 * @module
 */

import type { Chain } from '../../src/chain/chain.ts'
import type { ChainEvents, ChainHeader } from '../../src/chain/contract.ts'
import { DEV_ACCOUNTS } from '../../src/config/devGenesis.ts'
import { VERSION } from '../../src/node/node.ts'
import { bytesToHex } from '../../src/primitives/bytes.ts'
import type { Services } from './services.ts'
import type { Session } from './session.ts'

type Row = readonly [name: string, text: string]

const WEI_PER_ETHER = 10n ** 18n

/** Endpoints, chain and head; on the dev chain also accounts and keys. */
export function banner(session: Session, services: Services): string {
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

const FLUSH_MS = 100
/** Blocks that arrive faster are combined into one line. */
const MAX_LINES_PER_FLUSH = 20

/** Prints one line for each new head. @returns a function that stops it */
export function printBlocks(chain: Chain, print: (text: string) => void): () => void {
  let waiting: ChainHeader[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    const blocks = waiting
    waiting = []
    if (blocks.length <= MAX_LINES_PER_FLUSH) print(blocks.map((block) => line(chain, block)).join('\n'))
    else print(summary(chain, blocks))
  }
  const unsubscribe = chain.events.on('head', ({ head, added, removed }: ChainEvents['head']) => {
    if (removed.length > 0 && added.length === 0) print(`back to block ${head.header.number} ${bytesToHex(head.hash)}`)
    waiting.push(...added)
    if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
    if (waiting.length > 0) flush()
  }
}

function line(chain: Chain, { header: { number, gasUsed }, hash }: ChainHeader): string {
  const count = chain.transactionHashes(hash)?.length ?? 0
  const transactions = count === 1 ? '1 transaction' : `${count} transactions`
  return `block ${number}  ${transactions}  ${gasUsed} gas  ${bytesToHex(hash)}`
}

function summary(chain: Chain, blocks: readonly ChainHeader[]): string {
  let transactions = 0
  let gas = 0n
  for (const { header, hash } of blocks) {
    transactions += chain.transactionHashes(hash)?.length ?? 0
    gas += header.gasUsed
  }
  const [first, last] = [blocks[0], blocks.at(-1)] as [ChainHeader, ChainHeader]
  return `blocks ${first.header.number} to ${last.header.number}  ${transactions} transactions  ${gas} gas  ${bytesToHex(last.hash)}`
}
