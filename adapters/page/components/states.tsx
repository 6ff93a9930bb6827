/**
 * The states of a view that has nothing to show, or not yet.
 * @module
 */
import type { ComponentChildren, VNode } from 'preact'
import { plainText } from '../../../src/abi/plainText.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'

/** Placeholders of the size of the lines that come. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }): VNode {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class={`bone bone-${i % 4}`} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** There is nothing here, and what could be. */
export function Empty({ title, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Characters of an error that are shown. */
const MAX_ERROR = 4000

interface ErrorProps {
  /** Names the failure: `The node gave an error`. */
  readonly title: string
  /** As the node gave it. */
  readonly text: string
  readonly onRetry?: () => void
}

export function ErrorBox({ title, text, onRetry }: ErrorProps): VNode {
  return (
    <div class="error-box" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{title}</strong>
        <p class="error-text">{plainText(text, MAX_ERROR)}</p>
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  )
}
