import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Field } from '../../components/Field.tsx'
import { grouped, parseInteger } from '../../format/numbers.ts'
import { setSearch } from '../../state/router.ts'
import { PRESETS, type Range } from './range.ts'

interface Props {
  readonly range: Range
  /** Number of the head. */
  readonly latest: number
}

export function RangeForm({ range, latest }: Props): VNode {
  const [from, setFrom] = useState(String(range.from))
  const [to, setTo] = useState(String(range.to))
  const [first, last] = [parseInteger(from), parseInteger(to)]
  const isValid = first !== undefined && last !== undefined && first >= 0n && first < last && first < BigInt(latest)
  const submit = (event: Event): void => {
    event.preventDefault()
    if (isValid) setSearch({ from: first.toString(), to: last.toString(), last: undefined })
  }
  const showLast = (count: number | 'all'): void => setSearch({ from: undefined, to: undefined, last: `${count}` })
  return (
    <div class="range">
      <fieldset class="row">
        <legend class="visually-hidden">The latest blocks</legend>
        {PRESETS.filter((count, i) => i === 0 || count <= latest).map((count) => (
          <Button key={count} label={`The latest ${count} blocks`} onClick={() => showLast(count)}>
            {`Latest ${grouped(count)}`}
          </Button>
        ))}
        <Button onClick={() => showLast('all')}>All</Button>
      </fieldset>
      <form class="row" aria-label="Range of blocks" onSubmit={submit}>
        <Field label="From block" value={from} onInput={setFrom} />
        <Field
          label="To block"
          value={to}
          onInput={setTo}
          error={isValid ? undefined : 'From must be below To, and below the head.'}
        />
        <Button type="submit" isDisabled={!isValid}>
          Show
        </Button>
      </form>
    </div>
  )
}
