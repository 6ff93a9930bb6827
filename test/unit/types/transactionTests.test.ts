import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import { intrinsicGas } from '../../../src/types/intrinsicGas.ts'
import {
  decodeTransaction,
  encodeTransaction,
  transactionHash,
  transactionSender,
} from '../../../src/types/transactionCodec.ts'
import { transactionFormError } from '../../../src/types/transactionForm.ts'
import { OFFICIAL_FORK_NAMES } from '../../support/chains/forkNames.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

interface Expectation {
  readonly hash?: string
  readonly intrinsicGas?: string
  readonly sender?: string
  readonly exception?: string
}

function evaluate(bytes: Uint8Array, fork: ForkName): Expectation {
  const rules = forkRules(fork)
  try {
    const transaction = decodeTransaction(bytes)
    expect(bytesToHex(encodeTransaction(transaction))).toBe(bytesToHex(bytes))
    const error = transactionFormError(transaction, rules, 1n)
    if (error !== undefined) return { exception: error.code }
    const sender = transactionSender(transaction)
    if (sender === undefined) return { exception: 'NO_SENDER' }
    const gas = intrinsicGas(transaction, rules).intrinsic
    return {
      hash: bytesToHex(transactionHash(transaction)),
      intrinsicGas: `0x${gas.toString(16)}`,
      sender: bytesToHex(sender),
    }
  } catch (error) {
    if (!isNodeError(error)) throw error
    return { exception: error.code }
  }
}

const root = recordedPath('ethereum-tests', 'TransactionTests')

describe('ethereum/tests TransactionTests', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    it(file, () => {
      const cases = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<
        string,
        { txbytes: string; result: Record<string, Expectation> }
      >
      for (const { txbytes, result } of Object.values(cases)) {
        for (const [name, expected] of Object.entries(result)) {
          const fork = OFFICIAL_FORK_NAMES[name]
          expect(fork, `fork ${name}`).toBeDefined()
          const actual = evaluate(hexToBytes(txbytes), fork as ForkName)
          if (expected.exception !== undefined) expect(actual.exception, name).toBeDefined()
          else expect(actual, name).toEqual(expected)
        }
      }
    })
  }
})
