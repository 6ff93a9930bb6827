import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Badge } from '../../components/Badge.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Address, Hash } from '../../components/Hash.tsx'
import { Section } from '../../components/Page.tsx'
import { byteLength, quantity } from '../../format/hex.ts'
import { byteSize, grouped } from '../../format/numbers.ts'
import type { ContractInfo } from '../../rpc/isonode.ts'
import { useQuery } from '../../state/query.ts'
import type { AccountData } from './AddressView.tsx'
import { delegateOf } from './delegation.ts'

interface Props {
  readonly address: string
  readonly data: AccountData
  readonly contract: ContractInfo | undefined
}

interface Creator {
  readonly hash: string
  readonly creator: string
}

const MATCHES = {
  code: undefined,
  interface: 'looks like, by its functions',
  selectors: 'not known, functions by their selectors',
} as const

export function AccountFacts({ address, data: { balance, nonce, code }, contract }: Props): VNode {
  const size = byteLength(code)
  const delegate = delegateOf(code)
  const isContract = size > 0 && delegate === undefined
  const creator = useQuery<Creator>(isContract ? `creator ${address}` : undefined, (ask) =>
    ask('ots_getContractCreator', address),
  )
  const doubt = contract === undefined ? undefined : MATCHES[contract.matchedBy]
  return (
    <Section title="Account">
      <Facts
        facts={[
          { term: 'Address', value: <Address value={address} isFull isLinked={false} /> },
          { term: 'Balance', value: <Amount wei={balance} canCopy /> },
          {
            term: 'Nonce',
            meaning: isContract ? 'Contracts created, plus 1.' : 'Transactions sent.',
            value: grouped(quantity(nonce)),
          },
          delegate !== undefined && {
            term: 'Runs the code of',
            meaning: 'Delegation (EIP-7702).',
            value: <NamedAddress value={delegate} isFull />,
          },
          isContract && { term: 'Code', value: byteSize(size) },
          contract !== undefined && {
            term: 'Contract',
            value: (
              <>
                {contract.name} {contract.sourceName && <span class="muted">{contract.sourceName}</span>}{' '}
                {doubt && <Badge tone="note">{doubt}</Badge>}
              </>
            ),
          },
          contract?.compiler != null && { term: 'Compiler', value: contract.compiler },
          contract?.implementation != null && {
            term: 'Proxy for',
            value: <NamedAddress value={contract.implementation} isFull />,
          },
          creator.data !== undefined && {
            term: 'Created by',
            value: (
              <>
                <NamedAddress value={creator.data.creator} /> in <Hash value={creator.data.hash} kind="transaction" />
              </>
            ),
          },
        ]}
      />
      <p class="row">
        {contract?.abi.some(({ name }) => name === 'totalSupply' || name === 'ownerOf') && (
          <a href={`#/token/${address}`}>As a token</a>
        )}
      </p>
    </Section>
  )
}
