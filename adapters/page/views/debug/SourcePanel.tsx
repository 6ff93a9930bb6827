import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { VirtualList } from '../../components/VirtualList.tsx'
import { grouped } from '../../format/numbers.ts'
import { breakpoints, toggle } from './breakpointList.ts'
import type { Direction } from './moves.ts'
import { markRange, type Token, tokenLines } from './solidityTokens.ts'
import type { LineCost, SourcePlace } from './types.ts'

interface Props {
  readonly path: string
  readonly content: string
  /** undefined: the running instruction is in another source */
  readonly place: SourcePlace | undefined
  readonly costs: readonly LineCost[]
  readonly onRunTo: (line: number, direction: Direction) => void
}

const ROW_HEIGHT = 24
const MAX_ROWS = 24
/** Longer lines are cut: no source has them, but a file may. */
const MAX_LINE_TOKENS = 400

/** A source with the running line, breakpoints, and the cost of each line so far. */
export function SourcePanel({ path, content, place, costs, onRunTo }: Props): VNode {
  const lines = useMemo(() => tokenLines(content), [content])
  const costOf = useMemo(
    () => new Map(costs.filter((cost) => cost.path === path).map((cost) => [cost.line, cost])),
    [costs, path],
  )
  const marked = new Set(
    breakpoints.value.flatMap((one) => (one.kind === 'line' && one.path === path ? [one.line] : [])),
  )
  return (
    <VirtualList
      label={`Source ${path}`}
      count={lines.length}
      rowHeight={ROW_HEIGHT}
      maxRows={MAX_ROWS}
      active={place === undefined ? undefined : place.line - 1}
      renderRow={(index) => (
        <SourceLine
          line={index + 1}
          tokens={lines[index] ?? []}
          place={place?.line === index + 1 ? place : undefined}
          isTabStop={index === (place === undefined ? 0 : place.line - 1)}
          hasBreakpoint={marked.has(index + 1)}
          cost={costOf.get(index + 1)}
          onToggle={() => toggle({ kind: 'line', path, line: index + 1 })}
          onRunTo={(direction) => onRunTo(index + 1, direction)}
        />
      )}
    />
  )
}

interface LineProps {
  readonly line: number
  readonly tokens: readonly Token[]
  /** The range that runs; undefined: it is on another line */
  readonly place: SourcePlace | undefined
  /** One line has the stop of the Tab key; arrows lead to the others. */
  readonly isTabStop: boolean
  readonly hasBreakpoint: boolean
  readonly cost: LineCost | undefined
  readonly onToggle: () => void
  readonly onRunTo: (direction: Direction) => void
}

function SourceLine({ line, tokens, place, isTabStop, hasBreakpoint, cost, onToggle, onRunTo }: LineProps): VNode {
  const shown = tokens.slice(0, MAX_LINE_TOKENS)
  const marked = place === undefined ? shown : markRange(shown, place.column - 1, place.length)
  return (
    <div class={`debug-line${place ? ' current' : ''}`} aria-current={place && 'step'} data-row>
      <button
        type="button"
        class={`code-number${hasBreakpoint ? ' marked' : ''}`}
        aria-pressed={hasBreakpoint}
        aria-label={`Breakpoint on line ${line}`}
        tabIndex={isTabStop ? 0 : -1}
        onClick={onToggle}
      >
        {line}
      </button>
      <button
        type="button"
        class="code-run"
        title="Run to this line; with Shift, back to it"
        aria-label={`Run to line ${line}`}
        tabIndex={isTabStop ? 0 : -1}
        onClick={({ shiftKey }) => onRunTo(shiftKey ? 'backward' : 'forward')}
      >
        ›
      </button>
      <code class="code-text">
        {marked.map((token, i) => (
          <span key={i} class={classOf(token)}>
            {token.text}
          </span>
        ))}
      </code>
      {cost && (
        <span class="code-cost" title={`${grouped(cost.steps)} steps`}>
          {grouped(cost.gas)} gas
        </span>
      )}
    </div>
  )
}

function classOf({ kind, isMarked }: Token): string | undefined {
  const classes = [kind && `token-${kind}`, isMarked && 'token-running'].filter(Boolean)
  return classes.length === 0 ? undefined : classes.join(' ')
}
