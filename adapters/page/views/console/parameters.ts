/**
 * Texts of a form as parameters of a request.
 * @module
 */
import type { Parameter } from './document.ts'

export type Outcome = { readonly params: readonly unknown[] } | { readonly errors: ReadonlyMap<string, string> }

/**
 * @param texts by the name of the parameter
 * @returns the parameters without absent ones at the end (one in between is null), or an error for each wrong text
 */
export function readParameters(parameters: readonly Parameter[], texts: ReadonlyMap<string, string>): Outcome {
  const errors = new Map<string, string>()
  const params: unknown[] = []
  let length = 0
  for (const parameter of parameters) {
    const text = texts.get(parameter.name)?.trim() ?? ''
    if (text === '') {
      if (parameter.isRequired) errors.set(parameter.name, 'This parameter is required.')
      params.push(null)
      continue
    }
    const value = readValue(text, parameter.types)
    if (value instanceof Error) errors.set(parameter.name, value.message)
    params.push(value)
    length = params.length
  }
  return errors.size > 0 ? { errors } : { params: params.slice(0, length) }
}

/**
 * A text without quotes is a string where the parameter may be one; lists, objects and quoted strings are JSON.
 * @returns the value of JSON, or an error that says why the text is none
 */
export function readValue(text: string, types: ReadonlySet<string>): unknown {
  const allows = (type: string): boolean => types.size === 0 || types.has(type)
  if (/^[[{"]/.test(text)) return parsed(text)
  if (/^(?:true|false)$/.test(text) && allows('boolean')) return text === 'true'
  if (text === 'null' && types.has('null')) return null
  if (/^-?\d+(?:\.\d+)?$/.test(text) && (types.has('integer') || types.has('number'))) return Number(text)
  return allows('string') ? text : parsed(text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return new SyntaxError(error instanceof Error ? `Not valid JSON: ${error.message}` : 'Not valid JSON.')
  }
}
