// slow: generated transactions with signatures
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpDecode, rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { publicKeyOf, publicKeyToAddress, signHash } from '../../../src/base/primitives/secp256k1.ts'
import { create2Address, createAddress } from '../../../src/types/address.ts'
import { authorizationSigningHash, recoverAuthority } from '../../../src/types/authorization.ts'
import { decodePooledTransaction, encodePooledTransaction } from '../../../src/types/blobSidecar.ts'
import type { Header } from '../../../src/types/block.ts'
import {
  blockLength,
  decodeBlock,
  decodeBody,
  encodeBlock,
  encodeBody,
  encodeOmmers,
  splitBlock,
  transactionItem,
  transactionItemLength,
} from '../../../src/types/blockCodec.ts'
import { BloomQuestion, logsBloom, mergeBloom } from '../../../src/types/bloom.ts'
import { decodeHeader, encodeHeader, encodeHeaderFields, hashHeader } from '../../../src/types/headerCodec.ts'
import {
  decodeReceipt,
  decodeStoredReceipts,
  encodeReceipt,
  encodeStoredReceipts,
} from '../../../src/types/receiptCodec.ts'
import type { BlobTransaction, Transaction } from '../../../src/types/transaction.ts'
import {
  decodeTransaction,
  decodeTransactionItem,
  encodeTransaction,
  signatureOf,
  signingHash,
  transactionHash,
  transactionSender,
} from '../../../src/types/transactionCodec.ts'
import { encodeWithdrawal } from '../../../src/types/withdrawalCodec.ts'
import { authorization, block, header, log, storedReceipt, transaction } from '../../support/host/arbitraries.ts'

const ZERO_HASH = new Uint8Array(32)

const emptyHeader: Header = {
  parentHash: ZERO_HASH,
  ommersHash: EMPTY_LIST_HASH,
  beneficiary: new Uint8Array(20),
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  number: 0n,
  gasLimit: 5000n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
}

describe('headers', () => {
  it('decode to the encoded value, in every fork', () => {
    fc.assert(
      fc.property(header, (value) => {
        const encoded = encodeHeader(value)
        expect(decodeHeader(encoded)).toEqual(value)
        expect(decodeHeader(rlpDecode(encoded))).toEqual(value)
        expect(hashHeader(value)).toEqual(keccak256(encoded))
      }),
    )
  })

  it('refuse a field count that no fork has', () => {
    for (const count of [0, 14, 18, 19, 22]) {
      const items = Array.from({ length: count }, () => ZERO_HASH)
      expect(() => decodeHeader(rlpEncode(items))).toThrow(`invalid header: ${count} fields`)
    }
  })

  it('refuse invalid widths, leading zeros and lists', () => {
    const replaced = (index: number, item: Uint8Array | []): Uint8Array =>
      rlpEncode(encodeHeaderFields(emptyHeader).map((field, i) => (i === index ? item : field)))
    expect(() => decodeHeader(replaced(0, new Uint8Array(31)))).toThrow('parentHash has 31 bytes, not 32')
    expect(() => decodeHeader(replaced(14, new Uint8Array(9)))).toThrow('nonce has 9 bytes, not 8')
    expect(() => decodeHeader(replaced(9, Uint8Array.of(0, 1)))).toThrow('gasLimit has leading zeros')
    expect(() => decodeHeader(replaced(9, Uint8Array.of(0)))).toThrow('gasLimit has leading zeros')
    expect(() => decodeHeader(replaced(11, new Uint8Array(9).fill(1)))).toThrow('timestamp has more than 8 bytes')
    expect(() => decodeHeader(replaced(12, []))).toThrow('extraData is a list')
    expect(() => decodeHeader(Uint8Array.of(0x80))).toThrow('invalid header: expected a list, got a byte string')
    expect(() => decodeHeader(Uint8Array.of(0xc2))).toThrow('invalid header: invalid RLP')
  })

  it('refuse to encode fields of a later fork without the earlier ones', () => {
    expect(() => encodeHeader({ ...emptyHeader, withdrawalsRoot: ZERO_HASH })).toThrow('withdrawalsRoot without')
  })
})

describe('transactions', () => {
  it('decode to the encoded value, alone and in a body', () => {
    fc.assert(
      fc.property(transaction, (value) => {
        const encoded = encodeTransaction(value)
        expect(decodeTransaction(encoded)).toEqual(value)
        const item = rlpDecode(transactionItem(encoded))
        expect(item instanceof Uint8Array).toBe(value.type !== 0)
        expect(decodeTransactionItem(item)).toEqual(value)
        expect(decodePooledTransaction(encoded)).toEqual({ transaction: value })
      }),
    )
  })

  it('recover the sender', () => {
    const key = new Uint8Array(32).fill(0x17)
    const address = publicKeyToAddress(publicKeyOf(key))
    fc.assert(
      fc.property(transaction, (unsigned) => {
        const { signature, yParity } = signHash(signingHash(unsigned), key)
        const r = BigInt(bytesToHex(signature.subarray(0, 32)))
        const s = BigInt(bytesToHex(signature.subarray(32)))
        const signed = sign(unsigned, r, s, BigInt(yParity))
        expect(signatureOf(signed)).toEqual({ hash: signingHash(unsigned), signature, yParity })
        expect(transactionSender(signed)).toEqual(address)
        expect(transactionHash(signed)).toEqual(keccak256(encodeTransaction(signed)))
      }),
      { numRuns: 20 },
    )
  })

  it('follow the example of EIP-155', () => {
    const raw =
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
    const decoded = decodeTransaction(hexToBytes(raw))
    expect(decoded).toMatchObject({ type: 0, chainId: 1n, v: 37n, nonce: 9n })
    expect(bytesToHex(signingHash(decoded))).toBe('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53')
    expect(bytesToHex(transactionSender(decoded) as Uint8Array)).toBe('0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f')
  })

  it('are refused when they are malformed', () => {
    const decode = (hex: string) => () => decodeTransaction(hexToBytes(hex))
    expect(decode('0x')).toThrow('invalid transaction: it is empty')
    expect(decode('0x80')).toThrow('neither a list nor a typed transaction')
    expect(decode('0x02')).toThrow('invalid transaction: invalid RLP: unexpected end of input')
    expect(decode('0x0280')).toThrow('invalid transaction: expected a list, got a byte string')
    expect(decode('0x01c0')).toThrow('chainId is missing')
    expect(decode('0x05c0')).toThrow('transaction type not supported')
    expect(decode('0x00c0')).toThrow('transaction type not supported')
    expect(() => decodeTransactionItem(hexToBytes('0xc0'))).toThrow('a byte string that has no type')
  })

  it('name the code of a refusal', () => {
    expect(() => decodeTransaction(Uint8Array.of(0x7f))).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_TRANSACTION_TYPE' }),
    )
    expect(() => decodeTransaction(Uint8Array.of(0xc0))).toThrow(
      expect.objectContaining({ code: 'INVALID_TRANSACTION_ENCODING' }),
    )
  })
})

function sign(unsigned: Transaction, r: bigint, s: bigint, yParity: bigint): Transaction {
  if (unsigned.type !== 0) return { ...unsigned, r, s, yParity }
  const base = unsigned.chainId === undefined ? 27n : 35n + 2n * unsigned.chainId
  return { ...unsigned, r, s, v: base + yParity }
}

describe('blob transactions with their blobs', () => {
  const blobTransaction: BlobTransaction = {
    type: 3,
    chainId: 1n,
    nonce: 0n,
    maxPriorityFeePerGas: 1n,
    maxFeePerGas: 2n,
    gasLimit: 21000n,
    to: new Uint8Array(20),
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [new Uint8Array(32).fill(1)],
    yParity: 0n,
    r: 1n,
    s: 1n,
  }
  const blobs = [new Uint8Array(131_072).fill(7)]
  const commitments = [new Uint8Array(48).fill(8)]
  const proofs = (count: number): Uint8Array[] => Array.from({ length: count }, (_, i) => new Uint8Array(48).fill(i))

  it('round-trip in both versions', () => {
    for (const sidecar of [
      { version: 0 as const, blobs, commitments, proofs: proofs(1) },
      { version: 1 as const, blobs, commitments, proofs: proofs(128) },
    ]) {
      const pooled = { transaction: blobTransaction, sidecar }
      expect(decodePooledTransaction(encodePooledTransaction(pooled))).toEqual(pooled)
    }
  })

  it('are refused when a part is missing', () => {
    const encode = (sidecar: object): Uint8Array =>
      encodePooledTransaction({
        transaction: blobTransaction,
        sidecar: { version: 0, blobs, commitments, proofs: proofs(1), ...sidecar },
      })
    expect(() => decodePooledTransaction(encode({ blobs: [] }))).toThrow('0 blobs, not 1')
    expect(() => decodePooledTransaction(encode({ proofs: proofs(2) }))).toThrow('2 proofs, not 1')
    expect(() => decodePooledTransaction(encode({ version: 1 }))).toThrow('1 proofs, not 128')
    expect(() => decodePooledTransaction(encode({ version: 2 }))).toThrow('blob wrapper version 2')
    expect(() => decodePooledTransaction(encode({ blobs: [new Uint8Array(5)] }))).toThrow('blob has 5 bytes')
  })
})

describe('blocks', () => {
  it('decode to the encoded value', () => {
    fc.assert(
      fc.property(block, (value) => {
        const encoded = encodeBlock(value)
        expect(decodeBlock(encoded)).toEqual(value)
        const { header: _, ...body } = value
        expect(decodeBody(encodeBody(value))).toEqual(body)
      }),
    )
  })

  it('have the length of their encoding', () => {
    fc.assert(
      fc.property(block, (value) => {
        const lengths = value.transactions.map((entry) => transactionItemLength(encodeTransaction(entry)))
        const sum = lengths.reduce((total, length) => total + length, 0)
        expect(blockLength(value, sum)).toBe(encodeBlock(value).length)
      }),
    )
  })

  it('can be split into the encodings of their parts', () => {
    fc.assert(
      fc.property(block, (value) => {
        const encodings = splitBlock(encodeBlock(value))
        expect(encodings.header).toEqual(encodeHeader(value.header))
        expect(encodings.transactions).toEqual(value.transactions.map(encodeTransaction))
        expect(encodings.ommers).toEqual(encodeOmmers(value.ommers))
        expect(encodings.withdrawals).toEqual(value.withdrawals?.map(encodeWithdrawal))
      }),
    )
  })

  it('are refused when a part is missing or one too many', () => {
    const fields = encodeHeaderFields(emptyHeader)
    expect(() => decodeBlock(rlpEncode([fields, []]))).toThrow('ommers is missing')
    expect(() => decodeBlock(rlpEncode([fields, [], [], [], []]))).toThrow('1 fields too many')
    expect(() => decodeBlock(rlpEncode([[], [], []]))).toThrow('invalid header: 0 fields')
    expect(() => splitBlock(rlpEncode([fields]))).toThrow('invalid block: it is incomplete')
  })
})

describe('receipts', () => {
  it('decode to the encoded value', () => {
    fc.assert(
      fc.property(storedReceipt, (value) => {
        const { gasUsed: _, contractAddress: __, revertReason: ___, ...receipt } = value
        expect(decodeReceipt(encodeReceipt(value))).toEqual(receipt)
      }),
    )
  })

  it('are stored without loss', () => {
    fc.assert(
      fc.property(fc.array(storedReceipt, { maxLength: 4 }), (receipts) => {
        const plain = receipts.map((receipt) => ({ ...receipt }))
        expect(decodeStoredReceipts(encodeStoredReceipts(receipts))).toEqual(plain)
      }),
    )
  })

  it('are refused when they are malformed', () => {
    expect(() => decodeReceipt(hexToBytes('0x05c0'))).toThrow('invalid receipt: type 5')
    expect(() => decodeReceipt(hexToBytes('0x00c0'))).toThrow('invalid receipt: type 0')
    expect(() => decodeReceipt(hexToBytes('0xc102'))).toThrow('status or postState of 1 bytes')
    expect(() => decodeStoredReceipts(hexToBytes('0x80'))).toThrow(
      'invalid stored receipt: expected a list, got a byte string',
    )
  })
})

describe('blooms', () => {
  it('contain every address and topic of their logs', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 4 }), (logs) => {
        const bloom = logsBloom(logs)
        for (const { address, topics } of logs)
          for (const entry of [address, ...topics]) expect(new BloomQuestion([[entry]]).mayHold(bloom)).toBe(true)
      }),
    )
  })

  it('contain nothing when empty, and merge', () => {
    const one = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) }
    const other = { address: new Uint8Array(20).fill(2), topics: [], data: new Uint8Array(0) }
    expect(new BloomQuestion([[one.address]]).mayHold(logsBloom([]))).toBe(false)
    const merged = logsBloom([one])
    mergeBloom(merged, logsBloom([other]))
    expect(merged).toEqual(logsBloom([one, other]))
  })
})

describe('addresses of contracts', () => {
  it('follow from sender and nonce', () => {
    const sender = hexToBytes('0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0')
    expect(bytesToHex(createAddress(sender, 0n))).toBe('0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d')
    expect(bytesToHex(createAddress(sender, 1n))).toBe('0x343c43a37d37dff08ae8c4a11544c718abb4fcf8')
  })

  it('follow from salt and init code, as in EIP-1014', () => {
    const sender = hexToBytes('0xdeadbeef00000000000000000000000000000000')
    const hash = keccak256(Uint8Array.of(0))
    expect(bytesToHex(create2Address(sender, ZERO_HASH, hash))).toBe('0xb928f69bb1d91cd65274e3c79d8986362984fda3')
  })
})

describe('authorizations', () => {
  it('recover the authority', () => {
    const key = new Uint8Array(32).fill(0x23)
    const unsigned = { chainId: 1n, address: new Uint8Array(20).fill(9), nonce: 5n }
    const hash = authorizationSigningHash(unsigned)
    expect(hash).toEqual(
      keccak256(concatBytes(Uint8Array.of(5), rlpEncode([Uint8Array.of(1), unsigned.address, Uint8Array.of(5)]))),
    )
    const { signature, yParity } = signHash(hash, key)
    const r = BigInt(bytesToHex(signature.subarray(0, 32)))
    const s = BigInt(bytesToHex(signature.subarray(32)))
    const signed = { ...unsigned, r, s, yParity: BigInt(yParity) }
    expect(recoverAuthority(signed)).toEqual(publicKeyToAddress(publicKeyOf(key)))
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    expect(recoverAuthority({ ...signed, s: order - s, yParity: BigInt(1 - yParity) })).toBeUndefined()
    expect(recoverAuthority({ ...signed, yParity: 2n })).toBeUndefined()
    expect(recoverAuthority({ ...signed, r: 0n })).toBeUndefined()
  })

  it('never fail on numbers out of range', () => {
    fc.assert(
      fc.property(authorization, (value) => void recoverAuthority(value)),
      { numRuns: 50 },
    )
  })
})
