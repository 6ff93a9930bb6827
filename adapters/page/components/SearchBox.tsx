import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { searchTarget } from '../state/searchTarget.ts'
import { useShortcuts } from '../state/shortcuts.ts'
import { Icon } from './Icon.tsx'

export function SearchBox(): VNode {
  const input = useRef<HTMLInputElement>(null)
  useShortcuts([{ keys: '/', text: 'Search', run: () => input.current?.focus() }])
  const submit = (event: Event): void => {
    event.preventDefault()
    const target = searchTarget(input.current?.value ?? '')
    if (target === undefined) return
    location.hash = `#${target}`
    input.current?.blur()
  }
  return (
    <search>
      <form class="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label="Search"
          placeholder="Block, hash, address or name"
          spellcheck={false}
          autocomplete="off"
          enterkeyhint="search"
        />
        <kbd>/</kbd>
      </form>
    </search>
  )
}
