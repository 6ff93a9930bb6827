import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { type Tab, Tabs } from '../../components/Tabs.tsx'
import { useQuery } from '../../state/query.ts'
import { BreakpointsPanel } from './BreakpointsPanel.tsx'
import { breakpoints } from './breakpointList.ts'
import { CallStackPanel } from './CallStackPanel.tsx'
import { CodePanel } from './CodePanel.tsx'
import { CallPanel, MemoryPanel, StackPanel, StepsPanel } from './MachinePanels.tsx'
import { SourceArea } from './SourceArea.tsx'
import { StoragePanel } from './StoragePanel.tsx'
import { type StepCache, WINDOW_STEPS } from './stepCache.ts'
import { targetKey } from './target.ts'
import type { Frame, Moment, Step, Target } from './types.ts'
import { useMedia } from './useMedia.ts'
import type { Mover } from './useMover.ts'
import { VariablesPanel } from './VariablesPanel.tsx'

interface Props {
  readonly target: Target
  readonly cache: StepCache
  readonly step: Step
  /** undefined without a source */
  readonly moment: Moment | undefined
  readonly mover: Mover
}

/** In CSS too. */
const NARROW = '(max-width: 900px)'

/** Panels side by side, or as tabs where there is no room. */
export function Panels(props: Props): VNode {
  const isNarrow = useMedia(NARROW)
  const source: Tab = {
    id: 'source',
    label: 'Source',
    render: () => <SourceArea frame={frameOf(props)} moment={props.moment} mover={props.mover} />,
  }
  const calls: Tab = { id: 'calls', label: 'Call stack', render: () => <Calls {...props} /> }
  const state = stateTabs(props)
  const code = codeTabs(props)
  if (isNarrow) return <TabCard label="Debugger" tabs={[source, calls, ...state, ...code]} />
  return (
    <div class="debug-panels">
      <div class="debug-column">
        <section class="card" aria-label="Source">
          {source.render()}
        </section>
        <TabCard label="Execution" tabs={code} />
      </div>
      <div class="debug-column">
        <section class="card">
          <h2>Call stack</h2>
          {calls.render()}
        </section>
        <TabCard label="State" tabs={state} />
      </div>
    </div>
  )
}

function TabCard({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): VNode {
  const [open, setOpen] = useState<string>()
  return (
    <section class="card debug-tabs" aria-label={label}>
      <Tabs label={label} tabs={tabs} active={open} onSelect={setOpen} />
    </section>
  )
}

function Calls({ cache, step, moment, mover }: Props): VNode {
  return <CallStackPanel moment={moment} frames={openFrames(cache, cache.frame(step.frame))} onOpen={mover.goTo} />
}

/** The windows beside the present one are asked for when it is shown. */
function Steps({ target, cache, step: { index }, mover }: Props): VNode {
  useQuery<true>(`around ${targetKey(target)} ${Math.floor(index / WINDOW_STEPS)}`, async (ask) => {
    const beside = [index - WINDOW_STEPS, index + WINDOW_STEPS]
    await Promise.all(beside.map((at) => (at < 0 || at >= (cache.total ?? at + 1) ? undefined : cache.step(ask, at))))
    return true
  })
  return <StepsPanel steps={cache.around(index)} active={index} onOpen={mover.goTo} />
}

function stateTabs(props: Props): Tab[] {
  const { target, cache, step, moment, mover } = props
  const stack = step.stack ?? []
  const pushedBy = moment?.step === step.index ? moment.pushedBy : []
  const variables: Tab[] =
    moment === undefined
      ? []
      : [{ id: 'variables', label: 'Variables', render: () => <VariablesPanel moment={moment} /> }]
  return [
    ...variables,
    {
      id: 'stack',
      label: 'Stack',
      count: stack.length,
      render: () => <StackPanel stack={stack} pushedBy={pushedBy} />,
    },
    { id: 'memory', label: 'Memory', render: () => <MemoryPanel target={target} step={step} /> },
    {
      id: 'storage',
      label: 'Storage',
      render: () => <StoragePanel target={target} cache={cache} step={step} onOpen={mover.goTo} />,
    },
    { id: 'call', label: 'Call data', render: () => <CallPanel frame={frameOf(props)} /> },
  ]
}

function codeTabs(props: Props): Tab[] {
  const { step } = props
  const frame = frameOf(props)
  return [
    {
      id: 'steps',
      label: 'Steps',
      render: () => <Steps {...props} />,
    },
    { id: 'code', label: 'Instructions', render: () => <CodePanel frame={frame} pc={step.pc} /> },
    {
      id: 'breakpoints',
      label: 'Breakpoints',
      count: breakpoints.value.length,
      render: () => <BreakpointsPanel address={frame?.codeAddress ?? ''} />,
    },
  ]
}

function frameOf({ cache, step }: Props): Frame | undefined {
  return cache.frame(step.frame)
}

/** A frame and those that called it. */
function openFrames(cache: StepCache, innermost: Frame | undefined): readonly Frame[] {
  const frames: Frame[] = []
  for (let frame = innermost; frame !== undefined; ) {
    frames.push(frame)
    frame = frame.parent === null ? undefined : cache.frame(frame.parent)
  }
  return frames
}
