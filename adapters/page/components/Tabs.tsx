import type { ComponentChildren, VNode } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly label: string
  /** Shown beside the label. */
  readonly count?: number | undefined
  readonly render: () => ComponentChildren
}

interface Props {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** Of the tab that is open; an unknown one opens the first */
  readonly active: string | null | undefined
  readonly onSelect: (id: string) => void
}

/** Tabs whose arrows, Home and End work as the ARIA practices say. Only the open panel is rendered. */
export function Tabs({ label, tabs, active, onSelect }: Props): VNode {
  const id = useId()
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === active),
  )
  const open = tabs[at]
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, at, tabs.length)
    const tab = to === undefined ? undefined : tabs[to]
    if (tab === undefined) return
    event.preventDefault()
    onSelect(tab.id)
    document.getElementById(`${id}-${tab.id}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {tabs.map((tab, i) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={i === at}
            aria-controls={i === at ? `${id}-panel` : undefined}
            tabIndex={i === at ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            onKeyDown={onKeyDown}
          >
            {tab.label}
            {tab.count !== undefined && <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      {open && (
        <div key={open.id} class="panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open.id}`}>
          {open.render()}
        </div>
      )}
    </>
  )
}

function targetOf(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % length
    case 'ArrowLeft':
      return (at + length - 1) % length
    case 'Home':
      return 0
    case 'End':
      return length - 1
    default:
      return undefined
  }
}
