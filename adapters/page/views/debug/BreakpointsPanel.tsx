import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Field } from '../../components/Field.tsx'
import { breakpoints, toggle } from './breakpointList.ts'
import { nameOf, parseBreakpoint } from './breakpoints.ts'

/** @param address code in which a position is meant */
export function BreakpointsPanel({ address }: { readonly address: string }): VNode {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const add = (event: Event): void => {
    event.preventDefault()
    const breakpoint = parseBreakpoint(text, address)
    if (breakpoint === undefined) {
      setError('Give a line (Vault.sol:12), a function, "pc 5", "slot 0x0" or "topic 0x…".')
    } else {
      setError(undefined)
      setText('')
      toggle(breakpoint)
    }
  }
  return (
    <>
      <form class="debug-form" onSubmit={add}>
        <Field label="New breakpoint" value={text} onInput={setText} error={error} />
        <Button type="submit">Add</Button>
      </form>
      <ul class="breakpoints">
        {breakpoints.value.map((breakpoint) => (
          <li key={nameOf(breakpoint)}>
            <code>{nameOf(breakpoint)}</code>{' '}
            <Button label={`Remove the breakpoint ${nameOf(breakpoint)}`} onClick={() => toggle(breakpoint)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
