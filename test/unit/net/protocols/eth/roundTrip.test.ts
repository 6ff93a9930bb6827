// slow: generated messages
/** Every message in every version: decoding what was encoded gives the message back. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NodeError } from '../../../../../src/base/primitives/errors.ts'
import { keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../../src/net/protocols/eth/codec.ts'
import type { EthMessage } from '../../../../../src/net/protocols/eth/messages.ts'
import { decodeReceiptList, wireReceipts } from '../../../../../src/net/protocols/eth/receiptItems.ts'
import {
  ETH_MESSAGES,
  ETH_VERSIONS,
  type EthVersion,
  kindOfCode,
} from '../../../../../src/net/protocols/eth/versions.ts'
import { encodeBlock, encodeBody } from '../../../../../src/types/blockCodec.ts'
import { logsBloom } from '../../../../../src/types/bloom.ts'
import { decodeHeader, encodeHeader } from '../../../../../src/types/headerCodec.ts'
import { encodeStoredReceipts } from '../../../../../src/types/receiptCodec.ts'
import { encodeTransaction } from '../../../../../src/types/transactionCodec.ts'
import { block, bytes, header, storedReceipt, transaction, uint } from '../../../../support/host/arbitraries.ts'
import { generatedCases } from '../../../../support/host/generatedCases.ts'

const RUNS = { seed: 15, numRuns: generatedCases(60) }

const hash = bytes(32)
const hashes = fc.array(hash, { maxLength: 4 })
const encodedHeader = header.map((one) => {
  const encoding = encodeHeader(one)
  return { encoding, header: decodeHeader(encoding) }
})
const encodedTransaction = transaction.map((one) => {
  const encoding = encodeTransaction(one)
  return { encoding, hash: keccak256(encoding) }
})
const forkId = fc.record({ hash: bytes(4), next: uint(64) })
const range = fc.tuple(uint(64), uint(64), hash).map(([a, b, latestHash]) => ({
  earliest: a < b ? a : b,
  latest: a < b ? b : a,
  latestHash,
}))

function messageOf(version: EthVersion): fc.Arbitrary<EthMessage> {
  const kind = <K extends EthMessage['kind'], T>(name: K, fields: { [Field in keyof T]: fc.Arbitrary<T[Field]> }) =>
    fc.record({ kind: fc.constant(name), ...fields })
  const requestId = version.hasRequestIds ? uint(64) : fc.constant(undefined)
  const forms = hashes.chain((list) =>
    fc.record({
      hashes: fc.constant(list),
      forms: version.announcesTypes
        ? fc.record({
            types: bytes(list.length),
            sizes: fc.array(fc.nat(2 ** 32 - 1), { minLength: list.length, maxLength: list.length }),
          })
        : fc.constant(undefined),
    }),
  )
  const messages = [
    kind('status', {
      version: fc.constant(version.number),
      networkId: uint(64),
      genesisHash: hash,
      forkId: version.hasForkId ? forkId : fc.constant(undefined),
      best: version.hasBlockRange ? fc.constant(undefined) : fc.record({ totalDifficulty: uint(256), hash }),
      range: version.hasBlockRange ? range : fc.constant(undefined),
    }),
    kind('newBlockHashes', { blocks: fc.array(fc.record({ hash, number: uint(64) }), { maxLength: 3 }) }),
    kind('transactions', { transactions: fc.array(encodedTransaction, { maxLength: 3 }) }),
    kind('getBlockHeaders', {
      requestId,
      start: fc.oneof(hash, uint(64)),
      limit: uint(64),
      skip: uint(64),
      isReverse: fc.boolean(),
    }),
    kind('blockHeaders', { requestId, headers: fc.array(encodedHeader, { maxLength: 3 }) }),
    kind('getBlockBodies', { requestId, hashes }),
    kind('blockBodies', { requestId, bodies: fc.array(block.map(encodeBody), { maxLength: 3 }) }),
    fc.tuple(block, uint(256)).map(([one, totalDifficulty]): EthMessage => {
      const encoding = encodeHeader(one.header)
      return {
        kind: 'newBlock',
        block: encodeBlock(one),
        header: { encoding, header: decodeHeader(encoding) },
        totalDifficulty,
      }
    }),
    forms.map((fields): EthMessage => ({ kind: 'newPooledTransactionHashes', ...fields })),
    kind('getPooledTransactions', { requestId, hashes }),
    kind('pooledTransactions', { requestId, transactions: fc.array(encodedTransaction, { maxLength: 3 }) }),
    kind('getNodeData', { requestId, hashes }),
    kind('nodeData', { requestId, values: fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 3 }) }),
    kind('getReceipts', { requestId, hashes }),
    fc.tuple(requestId, fc.array(fc.array(storedReceipt, { maxLength: 3 }), { maxLength: 3 })).map(
      ([id, lists]): EthMessage => ({
        kind: 'receipts',
        requestId: id,
        blocks: lists.map((list) => wireReceipts(version, encodeStoredReceipts(list))),
      }),
    ),
    range.map((fields): EthMessage => ({ kind: 'blockRangeUpdate', ...fields })),
  ] as fc.Arbitrary<EthMessage>[]
  return fc
    .oneof(...messages)
    .filter((message) => kindOfCode(version, ETH_MESSAGES[message.kind].code) === message.kind)
}

describe.each(ETH_VERSIONS.map((version) => [version.number, version] as const))('eth/%d', (_, version) => {
  it('gives every message back', () => {
    fc.assert(
      fc.property(messageOf(version), (message) => {
        expect(decodeEthMessage(version, encodeEthMessage(version, message))).toEqual(message)
      }),
      RUNS,
    )
  })

  it('carries receipts from their stored form', () => {
    fc.assert(
      fc.property(fc.array(storedReceipt, { maxLength: 4 }), (receipts) => {
        const read = decodeReceiptList(version, wireReceipts(version, encodeStoredReceipts(receipts)))
        const sent = receipts.map(({ gasUsed: _gas, contractAddress: _address, revertReason: _reason, ...receipt }) =>
          version.hasBlockRange ? { ...receipt, logsBloom: logsBloom(receipt.logs) } : receipt,
        )
        expect(read).toEqual(sent)
      }),
      RUNS,
    )
  })

  it('refuses damaged messages with an error of the protocol, and nothing else', () => {
    const damaged = fc
      .tuple(messageOf(version), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }), fc.nat(4))
      .map(([message, changes, cut]) => {
        const { code, payload } = encodeEthMessage(version, message)
        const changed = payload.slice(0, payload.length - (cut > 2 ? cut : 0))
        for (const [at, value] of changes) if (changed.length > 0) changed[at % changed.length] = value
        return { code, payload: changed }
      })
    const random = fc.record({ code: fc.nat(32), payload: fc.uint8Array({ maxLength: 200 }) })
    fc.assert(
      fc.property(fc.oneof(damaged, random), (message) => {
        try {
          const decoded = decodeEthMessage(version, message)
          // Each accepted message has one encoding; only padded sizes of announcements have several.
          if (decoded.kind !== 'newPooledTransactionHashes') {
            expect(encodeEthMessage(version, decoded)).toEqual(message)
          }
          if (decoded.kind === 'receipts') for (const list of decoded.blocks) decodeReceiptList(version, list)
        } catch (error) {
          if (!(error instanceof NodeError)) throw error
          expect(error.code).toMatch(/^INVALID_|^UNSUPPORTED_TRANSACTION_TYPE$/)
        }
      }),
      { seed: 16, numRuns: generatedCases(400) },
    )
  })
})
