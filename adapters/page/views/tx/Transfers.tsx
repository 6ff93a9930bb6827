import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { More } from '../../components/More.tsx'
import { grouped, parseInteger } from '../../format/numbers.ts'
import type { Transfer } from '../../rpc/isonode.ts'

/** Transfers of the transaction: ether, also by internal calls, and tokens. */
export function Transfers({ transfers }: { readonly transfers: readonly Transfer[] }): VNode {
  return (
    <More rows={transfers} step={10}>
      {(shown) => (
        <ul class="plain">
          {shown.map((transfer, i) => (
            <li key={i} class="row">
              <NamedAddress value={transfer.from} /> → <NamedAddress value={transfer.to} />
              <Moved transfer={transfer} />
            </li>
          ))}
        </ul>
      )}
    </More>
  )
}

/** Tokens in their smallest unit, because their decimals are not part of the transaction. */
function Moved({ transfer: { standard, token, amount, tokenId } }: { readonly transfer: Transfer }): VNode {
  const units = parseInteger(amount) ?? 0n
  if (token === null) return <Amount wei={units} />
  return (
    <span>
      {standard !== 'ERC721' && grouped(units)} {tokenId !== undefined && `#${tokenId}`} of{' '}
      <NamedAddress value={token} />
    </span>
  )
}
