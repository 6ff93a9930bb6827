import type { VNode } from 'preact'
import { Amount } from '../../components/Amount.tsx'
import { Answer } from '../../components/Answer.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { byteLength, quantity } from '../../format/hex.ts'
import { byteSize, grouped } from '../../format/numbers.ts'
import type { AccountChanges, Change, SlotChange, Summary } from '../../rpc/isonode.ts'
import { type Query, useQuery } from '../../state/query.ts'
import { changesOfDiff, type PrestateDiff } from './stateDiff.ts'

interface Props {
  readonly hash: string
  readonly summary: Query<Summary>
}

/** State before and after: by variable name where the node knows the layout, by slot elsewhere. */
export function Changes({ hash, summary }: Props): VNode {
  const needsTrace = summary.phase === 'refused' || summary.phase === 'failed'
  const diff = useQuery<readonly AccountChanges[]>(needsTrace ? `diff ${hash}` : undefined, async (ask) =>
    changesOfDiff(
      await ask<PrestateDiff>('debug_traceTransaction', hash, {
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true },
      }),
    ),
  )
  if (needsTrace) {
    return (
      <Answer query={diff} what="the state changes">
        {(changes) => <AccountList changes={changes} />}
      </Answer>
    )
  }
  return (
    <Answer query={summary} what="the state changes">
      {({ changes }) => <AccountList changes={changes} />}
    </Answer>
  )
}

function AccountList({ changes }: { readonly changes: readonly AccountChanges[] }): VNode {
  if (changes.length === 0) return <Empty title="The transaction changed nothing." />
  return (
    <More rows={changes} step={20}>
      {(shown) => (
        <div class="stack">
          {shown.map((account) => (
            <Account key={account.address} account={account} />
          ))}
        </div>
      )}
    </More>
  )
}

const COLUMNS: readonly Column<SlotChange>[] = [
  {
    title: 'Variable or slot',
    render: ({ variable, type, slot }) =>
      variable === null ? <Hash value={slot} /> : <Variable name={variable} type={type} />,
  },
  { title: 'Before', render: ({ before, beforeText }) => <Word text={beforeText} word={before} /> },
  { title: 'After', render: ({ after, afterText }) => <Word text={afterText} word={after} /> },
]

function Account({ account: { address, balance, nonce, code, slots } }: { readonly account: AccountChanges }): VNode {
  return (
    <section class="card">
      <h3>
        <NamedAddress value={address} isFull />
      </h3>
      <ul class="plain">
        {balance && <BalanceChange change={balance} />}
        {nonce && (
          <li>
            Nonce: {grouped(quantity(nonce.before))} → {grouped(quantity(nonce.after))}
          </li>
        )}
        {code && (
          <li>
            Code: {byteSize(byteLength(code.before))} → {byteSize(byteLength(code.after))}
          </li>
        )}
      </ul>
      {slots.length > 0 && (
        <More rows={slots}>
          {(shown) => <Table label="Storage" columns={COLUMNS} rows={shown} keyOf={({ slot }) => slot} />}
        </More>
      )}
    </section>
  )
}

function BalanceChange({ change: { before, after } }: { readonly change: Change<string> }): VNode {
  const difference = quantity(after) - quantity(before)
  return (
    <li>
      Balance: <Amount wei={before} /> → <Amount wei={after} />{' '}
      <span class="muted">
        ({difference > 0n && '+'}
        <Amount wei={difference} />)
      </span>
    </li>
  )
}

function Variable({ name, type }: { readonly name: string; readonly type: string | null }): VNode {
  return (
    <span>
      <code>{name}</code> <span class="type">{type}</span>
    </span>
  )
}

function Word({ text, word }: { readonly text: string | null; readonly word: string }): VNode {
  return text === null ? <Hash value={word} /> : <span class="value">{text}</span>
}
