import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Section } from '../../components/Page.tsx'
import { Prose } from '../../components/Prose.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { grouped } from '../../format/numbers.ts'
import { useQuery } from '../../state/query.ts'
import { type Failure, type FailureSearch, searchFailures } from './failures.ts'

const COLUMNS: readonly Column<Failure>[] = [
  { title: 'Transaction', render: ({ hash }) => <Hash value={hash} kind="transaction" /> },
  { title: 'Block', render: ({ block }) => <a href={`#/block/${block}`}>{grouped(block)}</a> },
  {
    title: 'Outcome',
    render: ({ sentence }) => (
      <span>
        <Prose text={sentence} />
      </span>
    ),
  },
]

interface Props {
  readonly query: string
  /** Number of the head when the search began. */
  readonly latest: number
}

/** Failed transactions of the latest blocks; earlier ones are searched in parts, when the reader asks. */
export function Failures({ query, latest }: Props): VNode {
  const [to, setTo] = useState(latest)
  const [found, setFound] = useState<readonly Failure[]>([])
  const search = useQuery<FailureSearch>(`failures ${query} ${to}`, (ask) => searchFailures(ask, query, to))
  const goOn = (done: FailureSearch): void => {
    setFound([...found, ...done.failures])
    setTo(done.from - 1)
  }
  return (
    <Section title="Failed transactions">
      {found.length > 0 && <Table label="Failed transactions" columns={COLUMNS} rows={found} keyOf={keyOf} />}
      <Answer query={search} what="the failed transactions">
        {(done) => (
          <>
            {done.failures.length > 0 && (
              <Table label="Failed transactions" columns={COLUMNS} rows={done.failures} keyOf={keyOf} />
            )}
            {found.length + done.failures.length === 0 && (
              <Empty title="No failed transaction has this text in its reason." />
            )}
            <p class="row muted">
              {grouped(done.looked)} failed {done.looked === 1 ? 'transaction' : 'transactions'} in blocks{' '}
              {grouped(done.from)} to {grouped(to)}.
              {done.from > 0 && <Button onClick={() => goOn(done)}>Search earlier blocks</Button>}
            </p>
          </>
        )}
      </Answer>
    </Section>
  )
}

function keyOf({ hash }: Failure): string {
  return hash
}
