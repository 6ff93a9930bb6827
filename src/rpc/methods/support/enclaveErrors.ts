/**
 * The only conversion of enclave failures to errors of the API.
 * @module
 */
import { NodeError } from '../../../base/primitives/errors.ts'
import { enclaveFailure } from '../../../private/privacy/enclaveClient.ts'
import { ERROR_TABLE } from '../../errorTable.ts'

/** First code of each message. */
let codes: ReadonlyMap<string, string> | undefined

/** The enclave's text either names an error of the API or is unknown. */
export function errorOfEnclave(error: unknown): unknown {
  const failure = enclaveFailure(error)
  if (failure === undefined) return error
  codes ??= new Map([...ERROR_TABLE].reverse().map(([code, { message }]) => [message, code]))
  const code = codes.get(failure.reason) ?? 'ENCLAVE_ERROR'
  return new NodeError({ code }, (error as Error).message, { cause: error })
}

/** Replaces every failure of the enclave by one error. */
export function enclaveErrorAs(code: string): (error: unknown) => never {
  return (error) => {
    if (enclaveFailure(error) === undefined) throw error
    throw new NodeError({ code }, (error as Error).message, { cause: error })
  }
}

/** Codes that the texts of the enclave name. */
export const ENCLAVE_ERRORS: readonly string[] = [
  'ENCLAVE_ERROR',
  ...[...ERROR_TABLE].filter(([, { code }]) => code === -50200).map(([name]) => name),
]

/** For `catch`. @throws {NodeError} */
export function throwOfEnclave(error: unknown): never {
  throw errorOfEnclave(error)
}
