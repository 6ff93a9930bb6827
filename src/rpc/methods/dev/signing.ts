import { unexpectedValue } from '../../../api/errors.ts'
import { concatBytes, equalBytes } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { byteCount } from '../../../base/primitives/printable.ts'
import type { DevAccounts, DevSignature } from '../../../dev/contract.ts'
import { packSignature } from '../../../types/signature.ts'
import { address, data } from '../../codecs/scalars.ts'
import { arrayOf } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { account, hexBytes } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'
import { typedData, typedDataHash } from './typedData.ts'

const PERSONAL_PREFIX = '\u0019Ethereum Signed Message:\n'
const ADDRESS_BYTES = 20
const SIGNING_ERRORS = ['UNKNOWN_ACCOUNT', 'ACCOUNT_LOCKED']

/** @throws {NodeError} UNKNOWN_ACCOUNT when the node does not have the key; ACCOUNT_LOCKED */
export function signWith(backend: DevBackend, signer: Uint8Array, hash: Uint8Array): DevSignature {
  const signature = devChain(backend).accounts.sign(signer, hash)
  if (signature === undefined) throw unknownAccount()
  return signature
}

/** The error for a managed account without its key, or for one that the node does not manage. */
export function unusableAccount({ addresses }: DevAccounts, address: Uint8Array): NodeError {
  if (!addresses.some((known) => equalBytes(known, address))) return unknownAccount()
  return new NodeError({ code: 'ACCOUNT_LOCKED' }, 'authentication needed: password or unlock')
}

export function unknownAccount(): NodeError {
  return new NodeError({ code: 'UNKNOWN_ACCOUNT' }, 'unknown account')
}

/** r ‖ s ‖ v with v 27 or 28. */
function signatureBytes({ r, s, yParity }: DevSignature): Uint8Array {
  return concatBytes(packSignature(r, s), Uint8Array.of(27 + yParity))
}

/** The EIP-191 hash (version 0x45) that is signed for a message, 32 bytes. */
export function personalHash(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(new TextEncoder().encode(`${PERSONAL_PREFIX}${message.length}`), message))
}

/** Accepts both parameter orders when only the second one can be the address. */
function signEither(backend: DevBackend, first: Uint8Array, second: Uint8Array): Uint8Array {
  const isSwapped = first.length !== ADDRESS_BYTES && second.length === ADDRESS_BYTES
  const [signer, message] = isSwapped ? [second, first] : [first, second]
  if (signer.length !== ADDRESS_BYTES)
    throw unexpectedValue(byteCount(ADDRESS_BYTES), byteCount(signer.length), 'address')
  return signatureBytes(signWith(backend, signer, personalHash(message)))
}

const sign: MethodDefinition<DevBackend> = defineMethod({
  name: 'eth_sign',
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Signs a message with its EIP-191 prefix. The parameters may be swapped if unambiguous.',
  params: [
    param('address', hexBytes, 'Address of the signer, 20 bytes.'),
    param('message', hexBytes, 'The message, as bytes; the node adds the prefix of EIP-191.'),
  ],
  result: result('signature', data),
  errors: SIGNING_ERRORS,
  handler: (backend: DevBackend, [signer, message]) => signEither(backend, signer, message),
})

const personalSign: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_sign',
  group: 'DEV',
  summary: 'As eth_sign with the message first; a password is ignored.',
  params: [
    param('message', hexBytes, 'The message, as bytes; the node adds the prefix of EIP-191.'),
    param('address', hexBytes, 'Address of the signer, 20 bytes.'),
  ],
  result: result('signature', data),
  errors: SIGNING_ERRORS,
  handler: (backend: DevBackend, [message, signer]) => signEither(backend, signer, message),
})

const signTypedData: MethodDefinition<DevBackend> = defineMethod({
  name: 'eth_signTypedData_v4',
  aliases: ['eth_signTypedData', 'eth_signTypedData_v3'],
  group: 'ETH',
  answeredBy: 'main',
  summary: 'Signs typed structured data (EIP-712), given as an object or as its JSON text.',
  params: [
    param('address', account, 'Address of the signer, 20 bytes.'),
    param(
      'typedData',
      typedData,
      '`types`, `primaryType`, `domain` and `message` of EIP-712, as an object or as its JSON text.',
    ),
  ],
  result: result('signature', data),
  errors: SIGNING_ERRORS,
  handler: (backend: DevBackend, [signer, typed]) => signatureBytes(signWith(backend, signer, typedDataHash(typed))),
})

const listAccounts: MethodDefinition<DevBackend> = defineMethod({
  name: 'personal_listAccounts',
  aliases: ['eth_requestAccounts'],
  group: 'DEV',
  summary: 'Accounts that the node manages, locked or not, and impersonated ones.',
  params: [],
  result: result('accounts', arrayOf(address)),
  handler: (backend: DevBackend) => devChain(backend).accounts.usable,
})

export const signingMethods: readonly MethodDefinition<DevBackend>[] = [sign, personalSign, signTypedData, listAccounts]
