import type { ComponentChildren, VNode } from 'preact'
import { exactTime } from '../format/time.ts'
import { refusalAdvice } from '../rpc/capabilities.ts'
import { isRefusal, RpcError } from '../rpc/errors.ts'
import { capabilities, lastAnswer } from '../state/node.ts'
import type { Query } from '../state/query.ts'
import { Boundary } from './Boundary.tsx'
import { Button } from './Button.tsx'
import { Empty, ErrorBox, Skeleton } from './states.tsx'

interface Props<T> {
  readonly query: Query<T>
  /** Completes "Waiting for": `the trace of this transaction`. */
  readonly what: string
  /** Said when the node does not know the thing. */
  readonly gone?: string
  /** Of the size of the data; default: some lines */
  readonly skeleton?: VNode
  readonly children: (data: T) => ComponentChildren
}

/** Shows the data of a question, or the state in which it is. */
export function Answer<T>({ query, what, gone, skeleton = <Skeleton />, children }: Props<T>): VNode {
  const { phase, data, error, retry, stop } = query
  const shown = data !== undefined && (
    <Boundary subject={data} onRetry={retry}>
      <Data data={data}>{children}</Data>
    </Boundary>
  )
  switch (phase) {
    case 'gone':
      return <Empty title={gone ?? 'The node does not know this.'} />
    case 'refused':
      return <Refused error={error} what={what} />
    case 'failed':
      return (
        <ErrorBox title={`The node gave an error (${codeOf(error)})`} text={error?.message ?? ''} onRetry={retry} />
      )
    case 'stopped':
      return (
        <Empty title="Stopped.">
          <Button onClick={retry}>Ask again</Button>
        </Empty>
      )
    case 'disconnected':
      return data === undefined ? (
        <Empty title="The node does not answer. This page asks again by itself." />
      ) : (
        <Stale>{shown}</Stale>
      )
  }
  if (data !== undefined) return <>{shown}</>
  return (
    <div class="answer" aria-busy="true">
      {phase !== 'loading' && <progress class="bar" aria-label={`Waiting for ${what}`} />}
      {phase === 'waiting' && (
        <p class="waiting" role="status">
          Still waiting for {what}. <Button onClick={stop}>Stop</Button>
        </p>
      )}
      {skeleton}
    </div>
  )
}

/** A component, so that a boundary can be around what `children` does. */
function Data<T>({ data, children }: Pick<Props<T>, 'children'> & { readonly data: T }): VNode {
  return <>{children(data)}</>
}

function codeOf(error: Error | undefined): string {
  return error instanceof RpcError ? `code ${error.code}` : (error?.name ?? 'unknown')
}

function Refused({ error, what }: { readonly error: Error | undefined; readonly what: string }): VNode {
  const advice = isRefusal(error) ? refusalAdvice(capabilities.value, error.method) : error?.message
  return (
    <Empty title={`Not available: ${what}.`}>
      <p>{advice}</p>
    </Empty>
  )
}

function Stale({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <div class="stale">
      <p class="stale-note">Data of {exactTime(Math.floor(lastAnswer.value / 1000))}; the node does not answer now.</p>
      {children}
    </div>
  )
}
