import type { VNode } from 'preact'
import { Button } from '../../components/Button.tsx'
import { grouped } from '../../format/numbers.ts'
import { type Shortcut, useShortcuts } from '../../state/shortcuts.ts'
import { type Direction, MOVES, type Move } from './moves.ts'
import type { Moment, Step } from './types.ts'
import type { Mover } from './useMover.ts'

interface Props {
  readonly step: Step
  readonly moment: Moment | undefined
  /** Number of steps, if it is known. */
  readonly total: number | undefined
  readonly mover: Mover
}

/** The moves as buttons, and where the debugger stands. */
export function Controls({ step, moment, total, mover }: Props): VNode {
  useShortcuts([
    ...MOVES.flatMap((move) => [...shortcutsOf(move, 'forward', mover), ...shortcutsOf(move, 'backward', mover)]),
    { keys: 's', text: 'Debugger: first step', run: () => mover.goTo(0) },
    {
      keys: 'e',
      text: 'Debugger: last step',
      run: () => (total === undefined ? mover.goToEnd() : mover.goTo(total - 1)),
    },
  ])
  return (
    <div class="debug-controls">
      <div class="debug-moves">
        {MOVES.map((move) => (
          <span key={move.id} class="debug-move">
            <MoveButton move={move} direction="backward" mover={mover} />
            <MoveButton move={move} direction="forward" mover={mover} />
          </span>
        ))}
      </div>
      <p class="debug-where">
        <strong>
          Step {grouped(step.index)}
          {total === undefined ? '' : ` of 0 to ${grouped(total - 1)}`}
        </strong>{' '}
        · {step.op} at {step.pc} · depth {step.depth} · {grouped(step.gas)} gas left
        {step.refund > 0 && ` · refund ${grouped(step.refund)}`}
        {moment?.source && ` · ${moment.source.path}:${moment.source.line}`}
        {step.error && <strong class="error-text"> · {step.error}</strong>}
        {mover.isBusy && (
          <>
            {' '}
            · searching <Button onClick={mover.stop}>Stop</Button>
          </>
        )}
      </p>
    </div>
  )
}

interface MoveProps {
  readonly move: Move
  readonly direction: Direction
  readonly mover: Mover
}

/** It stays enabled during a search, which it would replace: a disabled button loses the focus. */
function MoveButton({ move, direction, mover }: MoveProps): VNode {
  return (
    <button
      type="button"
      class="button"
      title={`${textOf(move, direction)} (${move.keys[direction].join(' or ')})`}
      aria-label={`${move.label} ${direction === 'forward' ? 'forwards' : 'backwards'}`}
      onClick={() => mover.move(move, direction)}
    >
      {direction === 'forward' ? `${move.label} ›` : '‹'}
    </button>
  )
}

function shortcutsOf(move: Move, direction: Direction, mover: Mover): Shortcut[] {
  const text = textOf(move, direction)
  return move.keys[direction].map((keys) => ({ keys, text, run: () => mover.move(move, direction) }))
}

function textOf({ label }: Move, direction: Direction): string {
  return `Debugger: ${label.toLowerCase()}, ${direction === 'forward' ? 'forwards' : 'backwards'}`
}
