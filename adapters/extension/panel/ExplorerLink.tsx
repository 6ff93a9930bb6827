import type { VNode } from 'preact'
import { isAddress, shortened } from '../../page/format/hex.ts'
import { tabId } from './session.ts'

/** Opens the explorer over the chain that the page uses. @param hex an address, or the hash of a transaction */
export function ExplorerLink({ hex }: { readonly hex: string }): VNode {
  const route = isAddress(hex) ? `/address/${hex}` : `/tx/${hex}`
  return (
    <a class="digits" href={`explorer.html?tab=${tabId}#${route}`} target="_blank" rel="noreferrer" title={hex}>
      {shortened(hex)}
    </a>
  )
}
