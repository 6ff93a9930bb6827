import type { VNode } from 'preact'
import { count } from '../../format/hex.ts'
import type { Block } from '../../rpc/types.ts'
import { removed } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'

/** Says that a block is no longer part of the chain, and leads to the one that replaced it. */
export function RemovedNote({ block }: { readonly block: Block<unknown> }): VNode | null {
  const { data: present } = useQuery<Block>(`canonical ${block.hash}`, (ask) =>
    ask('eth_getBlockByNumber', block.number, false),
  )
  const isRemoved = removed.value.has(block.hash) || (present !== undefined && present.hash !== block.hash)
  if (!isRemoved) return null
  return (
    <p class="notice" role="status">
      A reorganisation removed this block. <a href={`#/block/${count(block.number)}`}>The block that replaced it</a>
    </p>
  )
}
