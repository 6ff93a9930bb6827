import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Tab, Tabs } from '../../components/Tabs.tsx'
import { byteLength, checksummed, isAddress } from '../../format/hex.ts'
import type { ViewProps } from '../../routes.ts'
import type { ContractInfo } from '../../rpc/isonode.ts'
import { contractAt } from '../../state/meaning.ts'
import { type Query, useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { AccountFacts } from './AccountFacts.tsx'
import { AccountTransactions } from './AccountTransactions.tsx'
import { ContractTab } from './contract/ContractTab.tsx'
import { EventsTab } from './EventsTab.tsx'
import { InteractTab } from './interact/InteractTab.tsx'
import { StorageTab } from './StorageTab.tsx'
import { TokenBalances } from './TokenBalances.tsx'

export interface AccountData {
  readonly balance: string
  readonly nonce: string
  readonly code: string
}

export default function AddressView({ params, search }: ViewProps): VNode {
  const address = checksummed(params['address'] ?? '')
  if (!isAddress(address)) {
    return (
      <Page title="Address">
        <Empty title="This is no address.">An address has 40 hex digits after 0x.</Empty>
      </Page>
    )
  }
  return <Account address={address} search={search} />
}

function Account({ address, search }: { readonly address: string; readonly search: URLSearchParams }): VNode {
  const query = useAccount(address)
  const contract = contractAt(address).value ?? undefined
  const hasCode = byteLength(query.data?.code ?? '0x') > 0
  const name = contract?.matchedBy === 'code' ? contract.name : hasCode ? 'Contract' : 'Account'
  return (
    <Page title={name}>
      <Answer query={query} what="the account">
        {(data) => (
          <>
            <AccountFacts address={address} data={data} contract={contract} />
            <Tabs
              label="Parts of the account"
              tabs={tabsOf(address, hasCode, contract)}
              active={search.get('tab')}
              onSelect={(tab) => setSearch({ tab })}
            />
          </>
        )}
      </Answer>
    </Page>
  )
}

function useAccount(address: string): Query<AccountData> {
  return useQuery<AccountData>(
    `account ${address}`,
    async (ask) => {
      const [balance, nonce, code] = await Promise.all([
        ask<string>('eth_getBalance', address, 'latest'),
        ask<string>('eth_getTransactionCount', address, 'latest'),
        ask<string>('eth_getCode', address, 'latest'),
      ])
      return { balance, nonce, code }
    },
    { isLive: true },
  )
}

function tabsOf(address: string, hasCode: boolean, contract: ContractInfo | undefined): Tab[] {
  const tabs: Tab[] = [
    { id: 'transactions', label: 'Transactions', render: () => <AccountTransactions address={address} /> },
    { id: 'tokens', label: 'Tokens', render: () => <TokenBalances owner={address} /> },
  ]
  if (!hasCode) return tabs
  return [
    ...tabs,
    { id: 'contract', label: 'Contract', render: () => <ContractTab address={address} contract={contract} /> },
    { id: 'interact', label: 'Read and write', render: () => <InteractTab address={address} contract={contract} /> },
    { id: 'storage', label: 'Storage', render: () => <StorageTab address={address} /> },
    { id: 'events', label: 'Events', render: () => <EventsTab address={address} contract={contract} /> },
  ]
}
