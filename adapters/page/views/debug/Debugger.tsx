import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Answer } from '../../components/Answer.tsx'
import { grouped } from '../../format/numbers.ts'
import { offers } from '../../rpc/capabilities.ts'
import { announce } from '../../state/announcer.ts'
import { capabilities } from '../../state/node.ts'
import { useQuery } from '../../state/query.ts'
import { breakpoints } from './breakpointList.ts'
import { Controls } from './Controls.tsx'
import type { Standpoint } from './moves.ts'
import { Panels } from './Panels.tsx'
import type { StepCache } from './stepCache.ts'
import { targetKey } from './target.ts'
import type { Moment, Step, Target } from './types.ts'
import { useLast } from './useLast.ts'
import { useMover } from './useMover.ts'

interface Props {
  readonly target: Target
  readonly cache: StepCache
  readonly index: number
}

/** The debugger at one step. Panels keep what they show until the next step has arrived. */
export function Debugger({ target, cache, index }: Props): VNode {
  const key = `${targetKey(target)} ${index}`
  const stepQuery = useQuery<Step>(`step ${key}`, (ask) => cache.step(ask, index))
  const hasMoments = offers(capabilities.value, 'isonode')
  const momentQuery = useQuery<Moment>(hasMoments ? `moment ${key}` : undefined, (ask) =>
    ask('isonode_debugView', target, index),
  )
  const step = useLast(stepQuery.data)
  const moment = useLast(momentQuery.data)
  const isMomentAwaited = hasMoments && momentQuery.data === undefined && isWaiting(momentQuery.phase)
  const standpoint = useMemo<Standpoint | undefined>(
    () =>
      stepQuery.data?.index === index
        ? { step: stepQuery.data, moment: momentQuery.data, isMomentAwaited, breakpoints: breakpoints.value }
        : undefined,
    [stepQuery.data, momentQuery.data, isMomentAwaited, index, breakpoints.value],
  )
  const mover = useMover(target, standpoint)
  useEffect(() => {
    if (standpoint?.isMomentAwaited === false) announce(textOf(standpoint))
  }, [standpoint])
  if (step === undefined || (stepQuery.data === undefined && !isWaiting(stepQuery.phase))) {
    return (
      <Answer query={stepQuery} what="the step" gone={`The execution has no step ${grouped(index)}.`}>
        {() => null}
      </Answer>
    )
  }
  return (
    <div aria-busy={isMomentAwaited}>
      <Controls step={step} moment={moment} total={cache.total} mover={mover} />
      <Panels target={target} cache={cache} step={step} moment={moment} mover={mover} />
    </div>
  )
}

function isWaiting(phase: string): boolean {
  return phase === 'loading' || phase === 'slow' || phase === 'waiting'
}

function textOf({ step, moment }: Standpoint): string {
  const place = moment?.source
  return `Step ${step.index}, ${step.op}${place ? `, ${place.path}, line ${place.line}` : ''}`
}
