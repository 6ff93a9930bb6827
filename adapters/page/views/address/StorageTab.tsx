import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { Field } from '../../components/Field.tsx'
import { Hash } from '../../components/Hash.tsx'
import { More } from '../../components/More.tsx'
import { Section } from '../../components/Page.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/Table.tsx'
import { count, quantity, toQuantity } from '../../format/hex.ts'
import { grouped, parseInteger } from '../../format/numbers.ts'
import type { Ask } from '../../rpc/ask.ts'
import type { Transaction } from '../../rpc/types.ts'
import { useQuery } from '../../state/query.ts'

interface Variable {
  readonly name: string
  readonly type: string
  readonly text: string
  readonly known: boolean
  readonly slot?: string
  readonly members?: readonly Variable[]
}

interface Storage {
  readonly variables: readonly Variable[]
  readonly unknown: readonly { readonly slot: string; readonly value: string }[]
  readonly isComplete: boolean
}

export function StorageTab({ address }: { readonly address: string }): VNode {
  const query = useQuery<Storage>(`storage ${address}`, (ask) => ask('isonode_storage', address, 'latest'), {
    isLive: true,
  })
  return (
    <div class="stack">
      <Section title="Variables">
        <Answer query={query} what="the variables" gone="The layout of this contract is not known.">
          {(storage) => <Variables storage={storage} />}
        </Answer>
      </Section>
      <SlotReader address={address} />
    </div>
  )
}

const VARIABLES: readonly Column<Variable & { readonly path: string }>[] = [
  { title: 'Variable', render: ({ path }) => <code>{path}</code> },
  { title: 'Type', render: ({ type }) => <span class="type">{type}</span> },
  {
    title: 'Value',
    render: ({ text, known }) => (known ? <span class="value">{text}</span> : <span class="muted">not known</span>),
  },
  { title: 'Slot', render: ({ slot }) => slot && <Hash value={slot} /> },
]

const SLOTS: readonly Column<Storage['unknown'][number]>[] = [
  { title: 'Slot', render: ({ slot }) => <Hash value={slot} /> },
  { title: 'Value', render: ({ value }) => <Hash value={value} /> },
]

function Variables({ storage: { variables, unknown, isComplete } }: { readonly storage: Storage }): VNode {
  const rows = flatten(variables)
  if (rows.length === 0 && unknown.length === 0) return <Empty title="Nothing is stored, as far as the node knows." />
  return (
    <>
      <More rows={rows}>
        {(shown) => <Table label="Variables" columns={VARIABLES} rows={shown} keyOf={({ path }) => path} />}
      </More>
      {unknown.length > 0 && (
        <>
          <h3>Slots without a name</h3>
          <More rows={unknown}>
            {(shown) => <Table label="Slots" columns={SLOTS} rows={shown} keyOf={({ slot }) => slot} />}
          </More>
        </>
      )}
      {!isComplete && (
        <p class="muted">There may be more: keys of mappings are known only if a transaction used them here.</p>
      )}
    </>
  )
}

const MAX_VARIABLES = 2000

function flatten(variables: readonly Variable[], prefix = ''): (Variable & { readonly path: string })[] {
  const rows: (Variable & { readonly path: string })[] = []
  for (const variable of variables) {
    if (rows.length >= MAX_VARIABLES) break
    const path = prefix === '' ? variable.name : `${prefix}${variable.name.startsWith('[') ? '' : '.'}${variable.name}`
    rows.push({ ...variable, path }, ...flatten(variable.members ?? [], path))
  }
  return rows.slice(0, MAX_VARIABLES)
}

interface SlotValue {
  readonly block: number
  readonly value: string
}

/** Reads one slot now, and at the blocks whose transactions touched the account. */
function SlotReader({ address }: { readonly address: string }): VNode {
  const [text, setText] = useState('0')
  const [slot, setSlot] = useState<string>()
  const parsed = parseInteger(text)
  const isValid = parsed !== undefined && parsed >= 0n && parsed < 1n << 256n
  const query = useQuery<readonly SlotValue[]>(slot && `slot ${address} ${slot}`, (ask) =>
    slotHistory(ask, address, slot ?? ''),
  )
  const submit = (event: Event): void => {
    event.preventDefault()
    if (isValid) setSlot(toQuantity(parsed))
  }
  return (
    <Section title="One slot">
      <form class="stack" onSubmit={submit}>
        <Field
          label="Slot"
          hint="number or hex"
          value={text}
          onInput={setText}
          error={isValid ? undefined : 'A number below 2^256.'}
        />
        <p>
          <Button type="submit">Read</Button>
        </p>
      </form>
      {slot !== undefined && (
        <Answer query={query} what="the slot">
          {(values) => (
            <Table label="Values of the slot" columns={HISTORY} rows={values} keyOf={({ block }) => String(block)} />
          )}
        </Answer>
      )}
    </Section>
  )
}

const HISTORY: readonly Column<SlotValue>[] = [
  { title: 'Since block', render: ({ block }) => <a href={`#/block/${block}`}>{grouped(block)}</a> },
  { title: 'Value', render: ({ value }) => <Hash value={value} /> },
  { title: 'As a number', isNumber: true, render: ({ value }) => grouped(quantity(value)) },
]

const MAX_BLOCKS = 25

/** Newest first; the oldest value may be older than its block, where the search ends. */
async function slotHistory(ask: Ask, address: string, slot: string): Promise<readonly SlotValue[]> {
  const head = count(await ask<string>('eth_blockNumber'))
  const touched = await ask<{ readonly txs: readonly Transaction[] }>(
    'ots_searchTransactionsBefore',
    address,
    0,
    MAX_BLOCKS,
  ).catch(() => ({ txs: [] }))
  const numbers = [...new Set(touched.txs.map(({ blockNumber }) => count(blockNumber)))]
  const blocks = numbers.length === 0 ? [head] : numbers
  const values = await Promise.all(
    blocks.map((block) => ask<string>('eth_getStorageAt', address, slot, toQuantity(block))),
  )
  const all = blocks.map((block, i) => ({ block, value: values[i] ?? '0x0' }))
  return all.filter(({ value }, i) => value !== all[i + 1]?.value)
}
