import { NodeError } from '../../base/primitives/errors.ts'

export function invalidDump(message: string): NodeError {
  return new NodeError({ code: 'INVALID_DUMP' }, `the dump is not valid: ${message}`)
}
