/** Examples of the methods that explain contracts and transactions. */
import { ZERO_WORD } from '../reference/exampleChain.ts'
import { type Examples, given, NONE, readOnly } from './example.ts'

export const contracts: Examples = readOnly({
  isonode_contractAt: { ...given(({ token }) => [token]), note: 'Without `--abi`.' },
  isonode_contracts: { ...NONE, note: 'Without `--abi`, no contract has a name.' },
  isonode_database: NONE,
  isonode_debugView: {
    ...given(({ transactions }) => [transactions[3], 5]),
    note: 'Without `--abi`, no source is known.',
  },
  isonode_decode: given(({ transferData }) => [transferData, 'call']),
  isonode_mirrorStatus: { ...NONE, note: 'On a node with its own chain.' },
  isonode_source: { ...given([ZERO_WORD]), note: 'Without `--abi`, there are no sources.' },
  isonode_storage: { ...given(({ token }) => [token]), note: 'Without `--abi`, no variable is known.' },
  isonode_summary: given(({ transactions }) => [transactions[2]]),
})
