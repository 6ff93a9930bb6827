import type { NodeError } from '../base/primitives/errors.ts'
import { toRpcError } from '../rpc/errors.ts'
import { loadErrorTable } from '../rpc/errorTable.ts'
import { RequestError } from '../rpc/providerContract.ts'

/** As a node answers. Loaded for the first error. */
export async function asRequestError(error: NodeError): Promise<Error> {
  await loadErrorTable()
  const rpc = toRpcError(error, 'geth')
  return rpc === undefined ? error : new RequestError({ ...rpc, ...rpc.problem })
}
