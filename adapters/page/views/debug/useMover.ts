import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ask } from '../../rpc/ask.ts'
import { announce, notify } from '../../state/announcer.ts'
import { request } from '../../state/node.ts'
import { setSearch } from '../../state/router.ts'
import { type Direction, type Move, type Standpoint, search } from './moves.ts'
import type { Target, Where } from './types.ts'

export interface Mover {
  /** Whether a search is on its way. */
  readonly isBusy: boolean
  readonly goTo: (index: number) => void
  readonly goToEnd: () => void
  readonly move: (move: Move, direction: Direction) => void
  /** Goes to the next step that meets the condition. */
  readonly find: (what: string, where: Where, direction: Direction) => void
  readonly stop: () => void
}

/** The last move that could not be made yet. */
interface Waiting {
  readonly needsMoment: boolean
  readonly run: (from: Standpoint) => void
}

/**
 * Moves the debugger; a new move ends the one that is on its way.
 * @param from undefined while it is not known: the last move then waits
 */
export function useMover(target: Target, from: Standpoint | undefined): Mover {
  const running = useRef<AbortController>(undefined)
  const waiting = useRef<Waiting>(undefined)
  const [isBusy, setBusy] = useState(false)
  const stop = (): void => {
    running.current?.abort()
    running.current = undefined
    waiting.current = undefined
    setBusy(false)
  }
  useEffect(() => stop, [])
  useEffect(() => {
    const act = waiting.current
    if (from === undefined || act === undefined || (act.needsMoment && from.isMomentAwaited)) return
    waiting.current = undefined
    act.run(from)
  }, [from])

  const goTo = (index: number): void => setSearch({ step: String(index) })

  const run = async (
    what: string,
    at: number | 'end',
    where: readonly Where[],
    direction: Direction,
  ): Promise<void> => {
    stop()
    const abort = new AbortController()
    running.current = abort
    setBusy(true)
    const ask: Ask = (method, ...params) => request(method, params, abort.signal)
    try {
      const found = await search(ask, target, at, direction, where)
      if (abort.signal.aborted) return
      if (found === undefined) notify(`No ${direction === 'forward' ? 'later' : 'earlier'} step: ${what}.`)
      else goTo(found)
    } catch (error) {
      if (!abort.signal.aborted) notify(`The search failed: ${(error as Error).message}`, true)
    } finally {
      if (running.current === abort) stop()
    }
  }

  const when = (needsMoment: boolean, act: (from: Standpoint) => void): void => {
    if (from === undefined || (needsMoment && from.isMomentAwaited)) waiting.current = { needsMoment, run: act }
    else act(from)
  }

  const move = (wanted: Move, direction: Direction): void =>
    when(wanted.isByLines === true, (at) => {
      const where = wanted.where(at)
      if (where.length === 0) notify('There are no breakpoints.')
      else if (where.some(isEmpty)) goToNeighbour(at.step.index, direction)
      else void run(wanted.label.toLowerCase(), at.step.index, where, direction)
    })

  const goToNeighbour = (index: number, direction: Direction): void => {
    if (direction === 'forward') goTo(index + 1)
    else if (index > 0) goTo(index - 1)
    else announce('This is the first step.')
  }

  const find: Mover['find'] = (what, where, direction) =>
    when(false, (at) => void run(what, at.step.index, [where], direction))

  const goToEnd = (): void => void run('the end', 'end', [{ depth: { min: 1 } }], 'backward')

  return { isBusy, goTo, goToEnd, move, find, stop }
}

/** Any step meets it. */
function isEmpty(where: Where): boolean {
  return Object.keys(where).length === 0
}
