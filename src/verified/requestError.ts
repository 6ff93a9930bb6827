import type { NodeError } from '../base/primitives/errors.ts'
import { toRpcError } from '../rpc/errors.ts'
import { RequestError } from '../rpc/providerContract.ts'

/** As a node answers. Loaded for the first error. */
export function asRequestError(error: NodeError): Error {
  const rpc = toRpcError(error, 'geth')
  return rpc === undefined ? error : new RequestError({ ...rpc, ...rpc.problem })
}
