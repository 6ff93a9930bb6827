import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { EXPECTED, isBlock, isForkUrl, queryOf } from '../address.ts'
import { type FoundWallet, watchWallets } from '../wallets.ts'
import { PlaceForm } from './PlaceForm.tsx'

/** A fork of a chain at an address, or of the one of a wallet. */
export function ForkSection(): VNode {
  const [wallets, setWallets] = useState<readonly FoundWallet[]>([])
  useEffect(() => watchWallets(setWallets), [])
  return (
    <PlaceForm
      title="Fork a chain"
      text="Continues another chain in this browser. Reads go to its node, changes stay here until the tab is closed or reloaded."
      fields={[
        {
          name: 'fork',
          label: 'Address of a node',
          placeholder: 'https://',
          accepts: isForkUrl,
          expected: EXPECTED.url,
        },
        {
          name: 'block',
          label: 'Block',
          placeholder: 'latest',
          isOptional: true,
          accepts: isBlock,
          expected: EXPECTED.block,
        },
      ]}
      submit="Fork"
      queryFor={queryOf}
    >
      {wallets.length > 0 && (
        <ul class="plain start-wallets">
          {wallets.map(({ id, name }) => (
            <li key={id}>
              <a class="button" href={queryOf({ wallet: id })}>
                Fork the chain of {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </PlaceForm>
  )
}
