import type { VNode } from 'preact'
import { type TokenInfo, tokenInfo } from '../../abi/tokens.ts'
import { Answer } from '../../components/Answer.tsx'
import { ButtonLink } from '../../components/Button.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Address } from '../../components/Hash.tsx'
import { Page, Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import { checksummed, isAddress } from '../../format/hex.ts'
import { cutDecimals, fixedPoint } from '../../format/numbers.ts'
import type { ViewProps } from '../../routes.ts'
import { useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { Holders } from './Holders.tsx'
import { Transfers } from './Transfers.tsx'

export default function TokenView({ params, search }: ViewProps): VNode {
  const address = checksummed(params['address'] ?? '')
  return isAddress(address) ? (
    <Token address={address} search={search} />
  ) : (
    <Page title="Token">
      <Empty title="This is no address." />
    </Page>
  )
}

function Token({ address, search }: { readonly address: string; readonly search: URLSearchParams }): VNode {
  const query = useQuery<TokenInfo>(`token ${address}`, (ask) => tokenInfo(ask, address), { isLive: true })
  return (
    <Page
      title={query.data?.name || 'Token'}
      actions={<ButtonLink href={`#/address/${address}`}>As a contract</ButtonLink>}
    >
      <Answer query={query} what="the token">
        {(info) => (
          <>
            <TokenFacts address={address} info={info} />
            <Tabs
              label="Parts of the token"
              tabs={[
                { id: 'transfers', label: 'Transfers', render: () => <Transfers token={address} info={info} /> },
                { id: 'holders', label: 'Holders', render: () => <Holders token={address} info={info} /> },
              ]}
              active={search.get('tab')}
              onSelect={(tab) => setSearch({ tab })}
            />
          </>
        )}
      </Answer>
    </Page>
  )
}

function TokenFacts({
  address,
  info: { name, symbol, decimals, totalSupply },
}: {
  readonly address: string
  readonly info: TokenInfo
}): VNode {
  return (
    <Section title="Token">
      <Facts
        facts={[
          { term: 'Address', value: <Address value={address} isFull /> },
          { term: 'Name', meaning: 'The token’s own word; others may have the same.', value: name || 'none' },
          { term: 'Symbol', value: symbol || 'none' },
          { term: 'Decimals', value: decimals },
          totalSupply !== undefined && {
            term: 'Total supply',
            value: `${cutDecimals(fixedPoint(totalSupply, decimals), 6)} ${symbol}`,
          },
        ]}
      />
    </Section>
  )
}
