import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { ErrorBox } from './states.tsx'

interface Props {
  /** Another one is shown although the one before could not be. */
  readonly subject?: unknown
  /** Asks the node again. */
  readonly onRetry?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** Keeps the rest of the page when a part cannot be made, because the node gave an answer of another form. */
export function Boundary({ subject, onRetry, children }: Props): VNode {
  const [error, reset] = useErrorBoundary()
  useEffect(() => {
    if (error !== undefined) reset()
  }, [subject])
  if (error === undefined) return <>{children}</>
  const retry = (): void => {
    reset()
    onRetry?.()
  }
  return (
    <ErrorBox
      title="The answer of the node cannot be shown."
      text={`It is not of the expected form (${error}).`}
      onRetry={retry}
    />
  )
}
