import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { tryHexToBytes } from '../../../base/primitives/bytes.ts'
import { byteCount } from '../../../base/primitives/printable.ts'
import { recoverAddress } from '../../../base/primitives/secp256k1.ts'
import { address, boolean, hash32, string } from '../../codecs/scalars.ts'
import { parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { DEV_ACCOUNT, PASSPHRASE, TRANSACTION_REQUEST } from '../support/parameterTexts.ts'
import { account, hexBytes, seconds } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'
import { SENDING_ERRORS, type SendBackend, send, senderOf } from './sendTransaction.ts'
import { personalHash } from './signing.ts'
import { transactionRequest } from './transactionRequest.ts'

const UNLOCK_ERRORS = ['UNKNOWN_ACCOUNT', 'WRONG_PASSPHRASE']
const DEFAULT_UNLOCK_SECONDS = 300n
const SIGNATURE_BYTES = 65

/** 32 bytes as hex, with or without 0x. The error does not show the value. */
const privateKey: Codec<Uint8Array> = parameterCodec({ type: 'string', pattern: '^(0x)?[0-9a-fA-F]{64}$' }, (value) => {
  const bytes = typeof value === 'string' ? tryHexToBytes(value.startsWith('0x') ? value : `0x${value}`) : undefined
  if (bytes?.length !== 32) throw unexpectedValue('32 bytes of hex', 'another value')
  return bytes
})

const newAccount: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_newAccount',
  group: 'DEV',
  summary: 'Creates an account with a random key, kept in memory only. The account is locked. Returns its address.',
  params: [optional('passphrase', string, PASSPHRASE)],
  result: result('address', address),
  handler: (backend: DevBackend, [passphrase = '']) => devChain(backend).accounts.create(passphrase),
})

const importRawKey: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_importRawKey',
  group: 'DEV',
  summary: 'Adds the account of a private key, kept in memory only. The account is locked. Returns its address.',
  params: [
    param('privateKey', privateKey, 'Private key: 32 bytes in hex, with or without `0x`.'),
    optional('passphrase', string, PASSPHRASE),
  ],
  result: result('address', address),
  handler: (backend: DevBackend, [key, passphrase = '']) => devChain(backend).accounts.importKey(key, passphrase),
})

const unlockAccount: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_unlockAccount',
  group: 'DEV',
  summary:
    'Allows an account to sign for a number of seconds (default 300); 0: until it is locked. The passphrase of the ' +
    "dev chain's accounts is empty.",
  params: [
    param('address', account, DEV_ACCOUNT),
    optional('passphrase', string, PASSPHRASE),
    optional(
      'seconds',
      seconds,
      'Seconds until the account is locked again. Absent: 300; 0: until it is locked by a request.',
    ),
  ],
  result: result('unlocked', boolean),
  errors: UNLOCK_ERRORS,
  handler: (backend: DevBackend, [target, passphrase = '', duration = DEFAULT_UNLOCK_SECONDS]) => {
    const durationMs = duration === 0n ? Number.POSITIVE_INFINITY : Number(duration) * 1000
    devChain(backend).accounts.unlock(target, passphrase, durationMs)
    return true
  },
})

const lockAccount: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_lockAccount',
  group: 'DEV',
  summary: 'Locks an account: it cannot sign until it is unlocked. Returns false for an unknown account.',
  params: [param('address', account, DEV_ACCOUNT)],
  result: result('locked', boolean),
  handler: (backend: DevBackend, [target]) => devChain(backend).accounts.lock(target),
})

const sendTransaction: MethodDefinition<SendBackend> = defineMethod({
  name: 'personal_sendTransaction',
  group: 'DEV',
  summary: 'As eth_sendTransaction, for an account that is locked.',
  params: [param('transaction', transactionRequest, TRANSACTION_REQUEST), optional('passphrase', string, PASSPHRASE)],
  result: result('hash', hash32),
  errors: [...new Set([...SENDING_ERRORS, ...UNLOCK_ERRORS])],
  handler: async (backend: SendBackend, [request, passphrase = ''], context) => {
    const dev = devChain(backend)
    return dev.accounts.withPassphrase(senderOf(dev, request), passphrase, () => send(backend, request, context))
  },
})

const ecRecover: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_ecRecover',
  group: 'DEV',
  summary: 'Address of the account that signed a message with its EIP-191 prefix.',
  params: [
    param('message', hexBytes, 'The message that was signed, as bytes.'),
    param('signature', hexBytes, '65 bytes: r, s, and v, which is 27 or 28.'),
  ],
  result: result('address', address),
  handler: (_backend: DevBackend, [message, signature]) => {
    const v = signature[SIGNATURE_BYTES - 1]
    if (signature.length !== SIGNATURE_BYTES || v === undefined)
      throw unexpectedValue(byteCount(SIGNATURE_BYTES), byteCount(signature.length), 'signature')
    if (v !== 27 && v !== 28) throw unexpectedValue('27 or 28 as its last byte', String(v), 'signature')
    const signer = recoverAddress(personalHash(message), signature.subarray(0, SIGNATURE_BYTES - 1), v === 27 ? 0 : 1)
    if (signer === undefined) throw invalidParams('signature: it is not valid')
    return signer
  },
})

const addAccount: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_addAccount',
  group: 'DEV',
  summary:
    'Adds an account without its key; once unlocked with its passphrase, it can send transactions. Returns false when ' +
    'the node manages it already.',
  params: [param('address', account, DEV_ACCOUNT), optional('passphrase', string, PASSPHRASE)],
  result: result('added', boolean),
  handler: (backend: DevBackend, [target, passphrase = '']) =>
    devChain(backend).accounts.addAddress(target, passphrase),
})

const removeAccount: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_removeAccount',
  group: 'DEV',
  summary: 'Removes an account that was added. Returns false when it was not added.',
  params: [param('address', account, DEV_ACCOUNT), optional('passphrase', string, PASSPHRASE)],
  result: result('removed', boolean),
  errors: ['WRONG_PASSPHRASE'],
  handler: (backend: DevBackend, [target, passphrase = '']) =>
    devChain(backend).accounts.removeAccount(target, passphrase),
})

export const personalMethods: readonly MethodDefinition<SendBackend>[] = [
  newAccount,
  importRawKey,
  unlockAccount,
  lockAccount,
  sendTransaction,
  ecRecover,
  addAccount,
  removeAccount,
]
