import type { RpcBackend } from '../../backend.ts'
import type { MethodDefinition } from '../../method.ts'
import { getBlockDetails, getBlockDetailsByHash, getBlockTransactions } from './blocks.ts'
import { getContractCreator } from './creator.ts'
import { getApiLevel, getHeaderByNumber, getTransactionBySenderAndNonce, hasCode } from './reads.ts'
import { searchTransactionsAfter, searchTransactionsBefore } from './search.ts'
import { getInternalOperations, getTransactionError, traceTransaction } from './traces.ts'

/** The methods that Otterscan needs in addition to the standard ones. */
export const otsMethods: readonly MethodDefinition<RpcBackend>[] = [
  getApiLevel,
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getContractCreator,
  getHeaderByNumber,
  getInternalOperations,
  getTransactionBySenderAndNonce,
  getTransactionError,
  hasCode,
  searchTransactionsAfter,
  searchTransactionsBefore,
  traceTransaction,
]
