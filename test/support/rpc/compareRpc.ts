/** The comparison rules of the recorded cases (conformance/run.mjs), for use in process. */

export interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly got: unknown
}

export interface CompareRule {
  readonly ignoreKeys?: readonly string[] | undefined
  readonly ignoreValues?: readonly string[] | undefined
  readonly unordered?: boolean | undefined
}

export type CompareMode = 'exact' | 'shape' | 'error'

type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, x) =>
    isObject(x) ? Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : 1))) : x,
  )
const sorted = (values: readonly unknown[]): unknown[] =>
  [...values].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1))

/** First difference between two JSON values. */
export function exact(expected: unknown, got: unknown, path: string, rule: CompareRule = {}): Difference | undefined {
  const miss = { path, expected, got }
  if (kindOf(expected) !== kindOf(got)) return miss
  if (Array.isArray(expected) && Array.isArray(got)) {
    const [left, right] = rule.unordered ? [sorted(expected), sorted(got)] : [expected, got]
    for (let i = 0; i < Math.max(left.length, right.length); i++) {
      if (i >= left.length || i >= right.length) return { path: `${path}[${i}]`, expected: left[i], got: right[i] }
      const difference = exact(left[i], right[i], `${path}[${i}]`, rule)
      if (difference) return difference
    }
    return undefined
  }
  if (!isObject(expected) || !isObject(got)) return expected === got ? undefined : miss
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    if (rule.ignoreKeys?.includes(key)) continue
    const at = `${path}.${key}`
    if (!(key in expected) || !(key in got)) return { path: at, expected: expected[key], got: got[key] }
    if (rule.ignoreValues?.includes(key)) {
      if (kindOf(expected[key]) !== kindOf(got[key])) return { path: at, expected: expected[key], got: got[key] }
      continue
    }
    const difference = exact(expected[key], got[key], at, rule)
    if (difference) return difference
  }
  return undefined
}

const HEX = /^0x[0-9a-fA-F]*$/
const DYNAMIC = /^(0x[0-9a-fA-F]{40,64}|\d+)$/

/** Compares types and required members only; values are examples. */
export function shape(expected: unknown, got: unknown, path: string): Difference | undefined {
  if (expected === null) return undefined
  if (kindOf(expected) !== kindOf(got)) return { path, expected, got }
  if (typeof expected === 'string') {
    return HEX.test(expected) && !HEX.test(got as string) ? { path, expected, got } : undefined
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    return expected.length === 0 ? undefined : first(got, (value, i) => shape(expected[0], value, `${path}[${i}]`))
  }
  if (!isObject(expected) || !isObject(got)) return undefined
  const keys = Object.keys(expected)
  if (keys.length > 0 && keys.every((key) => DYNAMIC.test(key))) {
    return first(Object.keys(got), (key) =>
      shape(expected[key] ?? expected[keys[0] as string], got[key], `${path}.${key}`),
    )
  }
  return first(keys, (key) =>
    key in got
      ? shape(expected[key], got[key], `${path}.${key}`)
      : { path: `${path}.${key}`, expected: expected[key], got: undefined },
  )
}

function first<T>(
  values: readonly T[],
  check: (value: T, i: number) => Difference | undefined,
): Difference | undefined {
  for (const [i, value] of values.entries()) {
    const difference = check(value, i)
    if (difference) return difference
  }
  return undefined
}

/** Compares a response, or a batch of responses, in one of the three modes. */
export function compareRpc(
  expected: unknown,
  got: unknown,
  mode: CompareMode,
  rule: CompareRule,
  path = '$',
): Difference | undefined {
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return { path, expected, got }
    return first(expected, (value, i) => compareRpc(value, got[i], mode, rule, `${path}[${i}]`))
  }
  if (mode === 'exact' || !isObject(expected)) return exact(expected, got, path, rule)
  if (!isObject(got)) return { path, expected, got }
  const envelope = first(['jsonrpc', 'id'], (key) =>
    key in expected ? exact(expected[key], got[key], `${path}.${key}`) : undefined,
  )
  if (envelope) return envelope
  if ('error' in expected) {
    if (!isObject(got['error'])) return { path: `${path}.error`, expected: expected['error'], got }
    const code = isObject(expected['error']) ? expected['error']['code'] : undefined
    const same = mode === 'shape' || code === undefined || code === got['error']['code']
    return same ? undefined : { path: `${path}.error.code`, expected: code, got: got['error']['code'] }
  }
  if (mode === 'error') return exact(expected, got, path, rule)
  if (!('result' in got)) return { path: `${path}.result`, expected: expected['result'], got }
  return shape(expected['result'], got['result'], `${path}.result`)
}

/** Error messages are client-specific: they are dropped if both sides have one (rule of the .io files). */
export function dropErrorMessages(expected: unknown, got: unknown): void {
  if (Array.isArray(expected) && Array.isArray(got)) {
    for (const [i, value] of expected.entries()) dropErrorMessages(value, got[i])
    return
  }
  if (!isObject(expected) || !isObject(got)) return
  for (const [key, value] of Object.entries(expected)) {
    const other = got[key]
    if (key !== 'error') dropErrorMessages(value, other)
    else if (isObject(value) && isObject(other) && 'message' in value && 'message' in other) {
      delete value['message']
      delete other['message']
    }
  }
}
