/** Answers of a remote in which one thing is wrong. */
import type { Random } from '../host/random.ts'

export interface ChangedAnswer {
  /** Of the changed field, such as `storageProof[0].value`. */
  readonly path: string
  readonly answer: unknown
}

/** A field of a JSON value: its keys from the outside. */
type Path = readonly (string | number)[]

/**
 * Each field of an answer in turn, changed in a way that alters its meaning, until `count` changes were made. Texts get
 * another digit, lists lose or repeat a member, objects lose a field.
 */
export function* changedAnswers(answer: unknown, random: Random, count: number): Generator<ChangedAnswer> {
  const paths = [...pathsOf(answer, [])]
  for (let i = 0; i < count; i++) {
    const path = paths[i % paths.length] as Path
    const value = valueAt(answer, path)
    const changed = changedValue(value, random)
    if (changed.same) continue
    yield { path: nameOf(path), answer: replaced(answer, path, changed.value) }
  }
}

function* pathsOf(value: unknown, path: Path): Generator<Path> {
  yield path
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* pathsOf(item, [...path, i])
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key])
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function nameOf(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
}

function replaced(value: unknown, path: Path, next: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, next) : item))
  const fields = value as Record<string, unknown>
  return { ...fields, [key]: replaced(fields[key], rest, next) }
}

type Change = { readonly same: true } | { readonly same: false; readonly value: unknown }
const SAME: Change = { same: true }
const to = (value: unknown): Change => ({ same: false, value })

function changedValue(value: unknown, random: Random): Change {
  if (Array.isArray(value)) return changedList(value, random)
  if (isObject(value)) {
    const keys = Object.keys(value)
    if (keys.length === 0) return SAME
    const lost = random.pick(keys)
    return to(Object.fromEntries(Object.entries(value).filter(([key]) => key !== lost)))
  }
  if (typeof value === 'boolean') return to(!value)
  if (typeof value === 'number') return to(value + 1)
  if (typeof value !== 'string') return to('0x1')
  return changedText(value, random)
}

function changedList(list: readonly unknown[], random: Random): Change {
  if (list.length === 0) return to(['0x80', '0x80'])
  const at = random.below(list.length)
  return random.chance(50) ? to(list.filter((_, i) => i !== at)) : to([...list, list[at]])
}

function changedText(text: string, random: Random): Change {
  const roll = random.below(10)
  if (roll === 0) return to(null)
  if (roll === 1) return to(`${text}01`)
  if (text.length < 3) return to('0x01')
  const at = 2 + random.below(text.length - 2)
  const digit = (Number.parseInt(text.charAt(at), 16) + 1 + random.below(15)) % 16
  return to(text.slice(0, at) + digit.toString(16) + text.slice(at + 1))
}
