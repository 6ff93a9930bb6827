/**
 * Shortcuts of single keys. They can be switched off, because speech input and shaking hands press keys by accident.
 * @see WCAG 2.2, 2.1.4
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { readSetting, writeSetting } from './settings.ts'

export interface Shortcut {
  /** As `KeyboardEvent.key`; two letters with a space are pressed one after the other: `g h`. `Shift+F11` has its modifier. */
  readonly keys: string
  /** The action, for the list of shortcuts: `Next block`. */
  readonly text: string
  readonly run: () => void
}

const SEQUENCE_MS = 1500

export const areShortcutsOn: Signal<boolean> = signal(readSetting('shortcuts') !== 'off')
/** All that hold now, those of the view last. */
export const shortcuts: Signal<readonly Shortcut[]> = signal([])

export function switchShortcuts(isOn: boolean): void {
  areShortcutsOn.value = isOn
  writeSetting('shortcuts', isOn ? undefined : 'off')
}

/** Adds shortcuts while the component is on the page. */
export function useShortcuts(list: readonly Shortcut[]): void {
  const latest = useRef(list)
  latest.current = list
  useEffect(() => {
    // The functions may change with each rendering; the keys do not.
    const added = list.map(({ keys, text }) => ({
      keys,
      text,
      run: () => latest.current.find((one) => one.keys === keys)?.run(),
    }))
    shortcuts.value = [...shortcuts.peek(), ...added]
    return () => {
      shortcuts.value = shortcuts.peek().filter((one) => !added.includes(one))
    }
  }, [list.map(({ keys }) => keys).join()])
}

export function startShortcuts(): void {
  let first: { readonly key: string; readonly at: number } | undefined
  addEventListener('keydown', (event) => {
    if (!areShortcutsOn.value || event.defaultPrevented || isTyping(event) || hasModifier(event)) return
    const key = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key
    const sequence = first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${key}` : key
    first = undefined
    const found = shortcuts.value.findLast(({ keys }) => keys === sequence)
    if (found !== undefined) {
      event.preventDefault()
      found.run()
    } else if (shortcuts.value.some(({ keys }) => keys.startsWith(`${key} `))) {
      first = { key, at: event.timeStamp }
    }
  })
}

function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey
}

/** Function keys work in fields too. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (/^F\d+$/.test(key)) return false
  if (document.querySelector('dialog[open]') !== null) return true
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** Moves the focus to another row of the lists of the view. */
export function moveInRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].filter((row) => row.offsetParent !== null)
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step]
  const target = row?.querySelector<HTMLElement>('a[href], button') ?? row
  target?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}
