/**
 * The place in the page, its title, and the position to which a reader returns.
 * @module
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { NOT_FOUND, ROUTES, type Route } from '../routes.ts'
import { matchPath, type Params, type Place, parsePlace, placeHash } from './match.ts'

const MAX_POSITIONS = 100
/** A view that loads grows for a while; then the reader's position counts. */
const RESTORE_MS = 3000

export const place: Signal<Place> = signal(parsePlace(location.hash))

export const route: ReadonlySignal<{ readonly route: Route; readonly params: Params }> = computed(() => {
  for (const candidate of ROUTES) {
    const params = matchPath(candidate.pattern, place.value.path)
    if (params !== undefined) return { route: candidate, params }
  }
  return { route: NOT_FOUND, params: {} }
})

/** Scroll positions by entry of the history. */
const positions = new Map<number, number>()
let entry = 0
let nextEntry = 1
let target: number | undefined

export function startRouter(): void {
  history.scrollRestoration = 'manual'
  adoptEntry()
  addEventListener('popstate', arrive)
  addEventListener('scroll', remember, { passive: true })
}

/** Opens a path as a link does. */
export function navigate(path: string, search?: URLSearchParams): void {
  location.hash = placeHash(path, search)
}

/** Changes the query of the place without a new entry in the history. `undefined` removes a name. */
export function setSearch(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, search } = place.value
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  history.replaceState({ entry }, '', placeHash(path, next))
  place.value = { path, search: next }
}

/** Called when the view is on the page: moves the focus to its heading, and the page to where the reader was. */
export function viewShown(isFirst: boolean): void {
  const top = target
  target = undefined
  if (!isFirst) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  if (top === undefined) {
    if (!isFirst) scrollTo(0, 0)
    return
  }
  restore(top, performance.now() + RESTORE_MS)
}

function arrive(): void {
  const isReturn = typeof history.state?.entry === 'number'
  adoptEntry()
  target = isReturn ? (positions.get(entry) ?? 0) : undefined
  place.value = parsePlace(location.hash)
}

function adoptEntry(): void {
  const known: unknown = history.state?.entry
  entry = typeof known === 'number' ? known : Date.now() + nextEntry++
  if (typeof known !== 'number') history.replaceState({ entry }, '')
}

function remember(): void {
  if (target !== undefined) return
  positions.delete(entry)
  positions.set(entry, scrollY)
  const [oldest] = positions.keys()
  if (positions.size > MAX_POSITIONS && oldest !== undefined) positions.delete(oldest)
}

/** Scrolls as soon as the view is high enough, unless the reader scrolls first. */
function restore(top: number, deadline: number): void {
  if (document.documentElement.scrollHeight - innerHeight >= top) scrollTo(0, top)
  else if (performance.now() < deadline) requestAnimationFrame(() => restore(top, deadline))
}
