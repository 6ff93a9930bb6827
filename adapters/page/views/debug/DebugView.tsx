import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Page } from '../../components/Page.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import type { ViewProps } from '../../routes.ts'
import { useQuery } from '../../state/query.ts'
import { setSearch } from '../../state/router.ts'
import { Debugger } from './Debugger.tsx'
import { openingStep } from './moves.ts'
import { StepCache } from './stepCache.ts'
import { targetKey, targetOf } from './target.ts'
import type { Target } from './types.ts'

/** `#/debug/0x…?step=N`: a transaction; `#/debug/call?step=N`: a call that another view has left. */
export default function DebugView({ params, search }: ViewProps): VNode {
  const id = params['id'] ?? ''
  const target = useMemo(() => targetOf(id), [id])
  if (target === undefined) {
    return (
      <Page title="Debugger">
        <Empty title="There is nothing to debug: open a transaction, and choose Debug." />
      </Page>
    )
  }
  const step = stepOf(search)
  return (
    <Page title="Debugger" actions={typeof target === 'string' && <Hash value={target} kind="transaction" />}>
      {step === undefined ? <Opening target={target} /> : <At key={targetKey(target)} target={target} index={step} />}
    </Page>
  )
}

/** Finds the step at which to begin. */
function Opening({ target }: { readonly target: Target }): VNode {
  const query = useQuery<number>(`opening ${targetKey(target)}`, (ask) => openingStep(ask, target))
  const found = query.data
  useEffect(() => {
    if (found !== undefined) setSearch({ step: String(found) })
  }, [found])
  return (
    <Answer query={query} what="the place of the failure">
      {() => <Skeleton />}
    </Answer>
  )
}

function At({ target, index }: { readonly target: Target; readonly index: number }): VNode {
  const cache = useMemo(() => new StepCache(target), [])
  return <Debugger target={target} cache={cache} index={index} />
}

function stepOf(search: URLSearchParams): number | undefined {
  const text = search.get('step')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
