/**
 * Stack, memory, data of the call, and the steps around the present one.
 * @module
 */
import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Empty } from '../../components/states.tsx'
import { VirtualList } from '../../components/VirtualList.tsx'
import { grouped } from '../../format/numbers.ts'
import type { Hex } from '../../rpc/types.ts'
import { useQuery } from '../../state/query.ts'
import { targetKey } from './target.ts'
import type { Frame, Step, StepWindow, Target } from './types.ts'

const ROW_HEIGHT = 24
const MAX_ROWS = 16

interface StackProps {
  readonly stack: readonly Hex[]
  /** Position of the instruction that pushed each word. */
  readonly pushedBy: readonly (number | null)[]
}

/** The top comes first. */
export function StackPanel({ stack, pushedBy }: StackProps): VNode {
  if (stack.length === 0) return <Empty title="The stack is empty." />
  return (
    <VirtualList
      label="Stack, top first"
      count={stack.length}
      rowHeight={ROW_HEIGHT}
      maxRows={MAX_ROWS}
      renderRow={(row) => {
        const at = stack.length - 1 - row
        const word = stack[at] ?? '0x'
        const origin = pushedBy[at]
        return (
          <div class="word-row" data-row>
            <span class="word-index">{row}</span>
            <code class="word">{word}</code>
            <CopyButton text={word} label={`stack word ${row}`} />
            {typeof origin === 'number' && <span class="hint">pushed at {origin}</span>}
          </div>
        )
      }}
    />
  )
}

interface MomentProps {
  readonly target: Target
  readonly step: Step
}

/** 32 bytes a row. It is asked for when the panel is open. */
export function MemoryPanel({ target, step: { index } }: MomentProps): VNode {
  const query = useQuery<Step>(`memory ${targetKey(target)} ${index}`, async (ask) => {
    const options = { from: index, count: 1, stack: false, memory: true }
    return (await ask<StepWindow>('debug_traceSteps', target, options)).steps[0]
  })
  return (
    <Answer query={query} what="the memory" gone="The execution has no such step.">
      {({ memory = '0x', memorySize = 0, returnData }) => (
        <>
          <Words hex={memory} label="Memory" />
          <p class="hint">
            {grouped(memorySize)} bytes
            {(memory.length - 2) / 2 < memorySize ? ', of which the beginning is shown' : ''}
          </p>
          {returnData !== undefined && (
            <>
              <h3>Return data</h3>
              <Words hex={returnData} label="Return data" />
            </>
          )}
        </>
      )}
    </Answer>
  )
}

const DIGITS_OF_WORD = 64

function Words({ hex, label }: { readonly hex: Hex; readonly label: string }): VNode {
  const count = Math.ceil((hex.length - 2) / DIGITS_OF_WORD)
  if (count === 0) return <Empty title={`${label}: nothing.`} />
  return (
    <VirtualList
      label={label}
      count={count}
      rowHeight={ROW_HEIGHT}
      maxRows={MAX_ROWS}
      renderRow={(row) => {
        const word = hex.slice(2 + row * DIGITS_OF_WORD, 2 + (row + 1) * DIGITS_OF_WORD)
        return (
          <div class="word-row" data-row>
            <span class="word-index">0x{(row * 32).toString(16)}</span>
            <code class="word">{word}</code>
          </div>
        )
      }}
    />
  )
}

interface StepsProps {
  readonly steps: readonly Step[]
  readonly active: number
  readonly onOpen: (index: number) => void
}

/** The steps around the present one. */
export function StepsPanel({ steps, active, onOpen }: StepsProps): VNode {
  return (
    <VirtualList
      label="Steps"
      count={steps.length}
      rowHeight={ROW_HEIGHT}
      maxRows={MAX_ROWS}
      active={steps.findIndex((step) => step.index === active)}
      renderRow={(row) => {
        const step = steps[row]
        if (step === undefined) return null
        return (
          <button
            type="button"
            class={`step-row${step.index === active ? ' current' : ''}`}
            aria-current={step.index === active ? 'step' : undefined}
            tabIndex={step.index === active ? 0 : -1}
            data-row
            onClick={() => onOpen(step.index)}
          >
            <span class="word-index">{step.index}</span>
            <span class="step-depth">{'·'.repeat(Math.min(step.depth - 1, 16))}</span>
            <span class="word-index">{step.pc}</span>
            <code>{step.op}</code>
            <span class="code-cost">{grouped(step.gasCost)} gas</span>
          </button>
        )
      }}
    />
  )
}

/** Input and output of the call. */
export function CallPanel({ frame }: { readonly frame: Frame | undefined }): VNode {
  if (frame === undefined) return <Empty title="The call is not known." />
  return (
    <>
      <p class="hint">
        {frame.type} by {frame.caller}, value {grouped(BigInt(frame.value))} wei, {grouped(frame.gas)} gas
        {frame.error !== null && `; it fails: ${frame.error}`}
      </p>
      <h3>Input, {grouped(frame.inputSize)} bytes</h3>
      <Words hex={frame.input} label="Input" />
      {frame.output !== null && (
        <>
          <h3>Output</h3>
          <Words hex={frame.output} label="Output" />
        </>
      )}
    </>
  )
}
