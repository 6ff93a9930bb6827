import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Badge } from '../../components/Badge.tsx'
import { ButtonLink } from '../../components/Button.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { More } from '../../components/More.tsx'
import { Page, Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, shortened } from '../../format/hex.ts'
import type { ViewProps } from '../../routes.ts'
import { offers, refusalAdvice } from '../../rpc/capabilities.ts'
import { head } from '../../state/live.ts'
import { capabilities } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { searchTarget } from '../../state/searchTarget.ts'
import { Failures } from './Failures.tsx'
import { knownContracts } from './knownContracts.ts'
import { type Contract, type Match, matchingContracts, matchingItems } from './matches.ts'

const MAX_QUERY = 200

export default function SearchView({ search }: ViewProps): VNode {
  const query = (search.get('q') ?? '').trim().slice(0, MAX_QUERY)
  if (query === '') {
    return (
      <Page title="Search">
        <Empty title="Search for a block number, a hash, an address, or a name.">
          <p>
            Names of contracts, functions, events and errors, selectors, and texts of failures are found. <kbd>/</kbd>{' '}
            goes to the search field from everywhere.
          </p>
        </Empty>
      </Page>
    )
  }
  const target = searchTarget(query)
  return (
    <Page title={`Search: ${query}`}>
      <div class="stack">
        {target !== undefined && !target.startsWith('/search') && <Direct target={target} />}
        <Names query={query} />
        {head.value !== undefined && <Failures key={query} query={query} latest={count(head.value.number)} />}
      </div>
    </Page>
  )
}

/** A number, a hash or an address leads to one place. */
function Direct({ target }: { readonly target: string }): VNode {
  const [, kind = '', id = ''] = target.split('/')
  const name = { block: 'Block', address: 'Address', tx: 'Transaction or block' }[kind] ?? kind
  return (
    <div>
      <ButtonLink href={`#${target}`} icon="next">
        {`${name} ${shortened(id)}`}
      </ButtonLink>
    </div>
  )
}

function Names({ query }: { readonly query: string }): VNode {
  const known = useQuery<readonly Contract[]>('known contracts', (ask) => knownContracts(ask))
  return (
    <Answer query={known} what="the names of contracts">
      {(contracts) => {
        const named = matchingContracts(contracts, query)
        const items = matchingItems(contracts, query)
        return (
          <>
            <Section title="Contracts">
              {named.length === 0 ? (
                <Empty title="No contract has this name.">
                  {!offers(capabilities.value, 'isonode') && (
                    <p>{refusalAdvice(capabilities.value, 'isonode_contracts')}</p>
                  )}
                  <p>
                    <a href="#/contracts">Contracts</a> lists those that are known, and takes ABIs of others.
                  </p>
                </Empty>
              ) : (
                <More rows={named}>
                  {(shown) => <Table label="Contracts" columns={CONTRACT_COLUMNS} rows={shown} keyOf={contractKey} />}
                </More>
              )}
            </Section>
            <Section title="Functions, events and errors">
              {items.length === 0 ? (
                <Empty title="No name or selector fits." />
              ) : (
                <More rows={items}>
                  {(shown) => (
                    <Table
                      label="Functions, events and errors"
                      columns={ITEM_COLUMNS}
                      rows={shown}
                      keyOf={({ kind, signature, contract }) => `${contractKey(contract)} ${kind} ${signature}`}
                    />
                  )}
                </More>
              )}
            </Section>
          </>
        )
      }}
    </Answer>
  )
}

function contractKey({ name, sourceName, address }: Contract): string {
  return `${name} ${sourceName} ${address}`
}

function Place({ address }: { readonly address: string | undefined }): VNode {
  return address === undefined ? <span class="muted">not deployed</span> : <NamedAddress value={address} />
}

const CONTRACT_COLUMNS: readonly Column<Contract>[] = [
  {
    title: 'Contract',
    render: ({ name, address }) =>
      address === undefined ? name : <a href={`#/address/${address}?tab=contract`}>{name}</a>,
  },
  { title: 'Source', render: ({ sourceName }) => sourceName ?? <span class="muted">standard interface</span> },
  { title: 'Address', render: ({ address }) => <Place address={address} /> },
]

const ITEM_COLUMNS: readonly Column<Match>[] = [
  { title: 'Kind', render: ({ kind }) => <Badge>{kind}</Badge> },
  { title: 'Signature', render: ({ signature }) => <code>{signature}</code> },
  {
    title: 'Selector',
    render: ({ selector }) => (
      <span class="hash">
        <code>{shortened(selector)}</code>
        <CopyButton text={selector} label="selector" />
      </span>
    ),
  },
  {
    title: 'Contract',
    render: ({ contract: { name, address } }) =>
      address === undefined ? name : <a href={`#/address/${address}?tab=contract`}>{name}</a>,
  },
]
