import { NodeError } from '../../../src/base/primitives/errors.ts'

/**
 * Options in the query of a mirror's URL.
 * @param names of the known ones
 * @throws {NodeError} INVALID_OPTION for others, for one that is given twice, and for a password
 */
export function optionsOf<T extends string>(url: URL, names: readonly T[]): Partial<Record<T, string>> {
  if (url.password !== '') {
    throw invalid('the address of a mirror contains a password, which belongs into the environment')
  }
  const options: Partial<Record<T, string>> = {}
  for (const [key, value] of url.searchParams) {
    const name = names.find((each) => each === key)
    if (name === undefined) {
      throw invalid(
        `the address of a mirror has an option that ${url.protocol}// does not know, only ${names.join(', ')}`,
      )
    }
    if (options[name] !== undefined) throw invalid(`the address of a mirror has the option ${name} twice`)
    options[name] = value
  }
  return options
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
