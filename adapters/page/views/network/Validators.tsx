import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Answer } from '../../components/Answer.tsx'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Section } from '../../components/Page.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, quantity, shortened } from '../../format/hex.ts'
import { ADDRESS } from '../../format/inputKinds.ts'
import { grouped } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import { useAction } from '../../state/action.ts'
import { request } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import type { Engine, Metric } from './engines.ts'

interface Members {
  readonly rows: readonly Row[]
  /** Of this node; undefined: its votes are not offered. */
  readonly votes: readonly Vote[] | undefined
}

interface Row {
  readonly address: string
  readonly metric: Metric | undefined
}

interface Vote {
  readonly address: string
  readonly isAdd: boolean
}

/** Validators, what each of the latest 100 blocks owes them, and the votes of this node. */
export function Validators({ engine }: { readonly engine: Engine }): VNode | null {
  const { group, name, member, propose } = engine
  const query = useQuery<Members>(`validators ${group}`, (ask) => askMembers(ask, engine), { isLive: true })
  // The group is offered, but the chain has another engine.
  if (query.phase === 'refused') return null
  const vote = async (account: string, isAdd: boolean): Promise<string> => {
    await request(propose, [account, isAdd])
    query.retry()
    return `The node votes to ${isAdd ? 'add' : 'remove'} ${shortened(account)}.`
  }
  const votes = query.data?.votes
  return (
    <Section title={`${member[0]?.toUpperCase()}${member.slice(1)}s of ${name}`}>
      <Answer query={query} what={`the ${member}s`}>
        {({ rows }) => (
          <Table
            label={`${member}s`}
            columns={columnsOf(votes === undefined ? undefined : (account) => vote(account, false))}
            rows={rows}
            keyOf={({ address }) => address}
          />
        )}
      </Answer>
      {votes && (
        <>
          <Votes votes={votes} engine={engine} onChange={query.retry} />
          <ActionForm
            title={`Vote to add a ${member}`}
            text="Blocks of this node carry the vote until it is discarded."
            submit="Vote"
            fields={[{ label: 'Account', kind: ADDRESS, placeholder: '0x…' }]}
            run={([account]) => vote(String(account), true)}
          />
        </>
      )}
    </Section>
  )
}

interface VotesProps {
  readonly votes: readonly Vote[]
  readonly engine: Engine
  readonly onChange: () => void
}

function Votes({ votes, engine, onChange }: VotesProps): VNode {
  const { isBusy, error, run } = useAction()
  const discard = (account: string): void =>
    run(async () => {
      await request(engine.discard, [account])
      onChange()
      return `The vote on ${shortened(account)} is discarded.`
    })
  return (
    <div class="action">
      <h3>Votes of this node</h3>
      {votes.length === 0 && <p class="muted">None.</p>}
      <ul class="plain">
        {votes.map(({ address, isAdd }) => (
          <li key={address} class="row">
            <Badge tone={isAdd ? 'good' : 'bad'}>{isAdd ? 'add' : 'remove'}</Badge>
            <NamedAddress value={address} />
            <Button isBusy={isBusy} label={`Discard the vote on ${address}`} onClick={() => discard(address)}>
              Discard
            </Button>
          </li>
        ))}
      </ul>
      {error && <p class="error-text">{error}</p>}
    </div>
  )
}

async function askMembers(ask: Ask, engine: Engine): Promise<Members> {
  const [addresses, metrics, votes] = await Promise.all([
    engine.validators(ask),
    ask<readonly Metric[]>(engine.metrics).catch(() => []),
    ask<Readonly<Record<string, boolean>>>(engine.votes).catch(() => undefined),
  ])
  const metricOf = new Map(metrics.map((metric) => [metric.address.toLowerCase(), metric]))
  return {
    rows: addresses.map((address) => ({ address, metric: metricOf.get(address.toLowerCase()) })),
    votes: votes && Object.entries(votes).map(([address, isAdd]) => ({ address, isAdd })),
  }
}

function columnsOf(remove: ((account: string) => Promise<string>) | undefined): readonly Column<Row>[] {
  return [
    { title: 'Account', render: ({ address }) => <NamedAddress value={address} /> },
    {
      title: 'Of the latest 100 blocks',
      isNumber: true,
      render: ({ metric }) => (metric ? grouped(quantity(metric.proposedBlockCount)) : '–'),
    },
    {
      title: 'Last block',
      isNumber: true,
      render: ({ metric }) =>
        metric && count(metric.proposedBlockCount) > 0 ? (
          <a href={`#/block/${count(metric.lastProposedBlockNumber)}`}>
            {grouped(quantity(metric.lastProposedBlockNumber))}
          </a>
        ) : (
          '–'
        ),
    },
    ...(remove === undefined
      ? []
      : [
          {
            title: '',
            isNumber: true,
            render: ({ address }: Row) => <RemoveButton address={address} remove={remove} />,
          },
        ]),
  ]
}

interface RemoveProps {
  readonly address: string
  readonly remove: (account: string) => Promise<string>
}

function RemoveButton({ address, remove }: RemoveProps): VNode {
  const { isBusy, error, run } = useAction()
  return (
    <>
      <Button isBusy={isBusy} label={`Vote to remove ${address}`} onClick={() => run(() => remove(address))}>
        Vote to remove
      </Button>
      {error && <p class="error-text">{error}</p>}
    </>
  )
}
