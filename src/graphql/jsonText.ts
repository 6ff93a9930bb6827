/**
 * JSON text in which a `bigint` is an integer with all its digits.
 * @module
 */
import type { TimeSlicer } from '../base/ports/yieldToHost.ts'

export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return textOf(value)
    throw error
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  return `{${members(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`)
    .join(',')}}`
}

function members(value: object): [name: string, member: unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}

/** Levels of an answer that are written in parts: `data`, its fields, their items, and the lists of these. */
const PARTED_LEVELS = 5

/** Like {@link jsonText}, but written in time slices. */
export async function slicedJsonText(
  value: object,
  slicer: TimeSlicer,
  levels: number = PARTED_LEVELS,
): Promise<string> {
  if (slicer.isDue) await slicer.yield()
  const textOfPart = (part: unknown): string | Promise<string> =>
    levels > 1 && typeof part === 'object' && part !== null ? slicedJsonText(part, slicer, levels - 1) : jsonText(part)
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) parts.push(await textOfPart(item))
    return `[${parts.join(',')}]`
  }
  for (const [name, member] of members(value)) {
    const text = textOfPart(member)
    parts.push(`${JSON.stringify(name)}:${typeof text === 'string' ? text : await text}`)
  }
  return `{${parts.join(',')}}`
}
