/** Examples of `ots_*` and `erigon_*`. */
import { type Examples, given, NONE, readOnly } from './example.ts'

export const ots: Examples = readOnly({
  erigon_getHeaderByNumber: given([2]),
  ots_getApiLevel: NONE,
  ots_getBlockDetails: given([2]),
  ots_getBlockDetailsByHash: given(({ blockHash }) => [blockHash]),
  ots_getBlockTransactions: given([2, 0, 25]),
  ots_getContractCreator: given(({ token }) => [token]),
  ots_getInternalOperations: given(({ transactions }) => [transactions[1]]),
  ots_getTransactionBySenderAndNonce: given(({ alice }) => [alice, 1]),
  ots_getTransactionError: given(({ transactions }) => [transactions[3]]),
  ots_hasCode: given(({ token }) => [token, 'latest']),
  ots_searchTransactionsAfter: given(({ bob }) => [bob, 0, 25]),
  ots_searchTransactionsBefore: given(({ token }) => [token, 3, 25]),
  ots_traceTransaction: given(({ transactions }) => [transactions[2]]),
})
