/**
 * Contracts that transactions of the latest blocks created.
 * @module
 */
import { toQuantity } from '../../format/hex.ts'
import type { Block, Receipt } from '../../rpc/types.ts'
import { head } from '../../state/live.ts'
import { request } from '../../state/node.ts'

const MAX_BLOCKS = 200
const MAX_CONTRACTS = 200

/** @returns codes by address, those of the newest blocks first */
export async function createdContracts(): Promise<ReadonlyMap<string, string>> {
  const latest = head.peek()
  if (latest === undefined) return new Map()
  const last = Number(latest.number)
  const numbers = Array.from({ length: Math.min(MAX_BLOCKS, last + 1) }, (_, i) => toQuantity(last - i))
  const blocks = await Promise.all(
    numbers.map((number) => request<Block | null>('eth_getBlockByNumber', [number, false])),
  )
  const used = blocks.filter((block) => block !== null && block.transactions.length > 0) as Block[]
  const receipts = await Promise.all(used.map(({ number }) => receiptsOf(number)))
  const addresses = receipts
    .flat()
    .map(({ contractAddress }) => contractAddress?.toLowerCase())
    .filter((address) => address !== undefined)
    .slice(0, MAX_CONTRACTS)
  const codes = await Promise.all(addresses.map((address) => request<string>('eth_getCode', [address, 'latest'])))
  return new Map(addresses.map((address, i) => [address, codes[i] ?? '0x']))
}

/** Not every client has the method; then nothing is found. */
function receiptsOf(number: string): Promise<readonly Receipt[]> {
  return request<readonly Receipt[] | null>('eth_getBlockReceipts', [number]).then(
    (receipts) => receipts ?? [],
    () => [],
  )
}
