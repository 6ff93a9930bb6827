/**
 * Permissions that a page asks its wallet for. The dev chain grants all: its accounts are for everyone who may call.
 * @see EIP-2255
 * @module
 */
import { unexpectedValue } from '../../../api/errors.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import { described } from '../../../base/primitives/printable.ts'
import { answerCodec, isObject, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { nothing } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

/** The only permission: to see the accounts and to send from them. */
const ACCOUNTS = 'eth_accounts'

const permissionRequest: Codec<undefined> = parameterCodec(
  { type: 'object', properties: { [ACCOUNTS]: { type: 'object' } }, required: [ACCOUNTS] },
  (value) => {
    if (isObject(value) && Object.keys(value).every((name) => name === ACCOUNTS) && isObject(value[ACCOUNTS]))
      return undefined
    throw unexpectedValue(`an object { ${ACCOUNTS}: {} }`, described(value))
  },
)

const permissions: Codec<readonly Uint8Array[]> = answerCodec(
  { title: 'Permissions', type: 'array', items: { type: 'object' } },
  (accounts) => [
    {
      parentCapability: ACCOUNTS,
      caveats: [{ type: 'restrictReturnedAccounts', value: accounts.map((account) => bytesToHex(account)) }],
    },
  ],
)

const grant = (backend: DevBackend): readonly Uint8Array[] => devChain(backend).accounts.usable

const requestPermissions: MethodDefinition<DevBackend> = defineMethod({
  name: 'wallet_requestPermissions',
  group: 'DEV',
  summary: 'Grants the permission to use the accounts, which every caller has (EIP-2255).',
  params: [param('permissions', permissionRequest, 'Object `{ eth_accounts: {} }`.')],
  result: result('permissions', permissions),
  handler: grant,
})

const getPermissions: MethodDefinition<DevBackend> = defineMethod({
  name: 'wallet_getPermissions',
  group: 'DEV',
  summary: 'The permission to use the accounts, which every caller has (EIP-2255).',
  params: [],
  result: result('permissions', permissions),
  handler: grant,
})

const revokePermissions: MethodDefinition<DevBackend> = defineMethod({
  name: 'wallet_revokePermissions',
  group: 'DEV',
  summary: 'Accepts the request without effect: every caller may use the accounts (EIP-2255).',
  params: [param('permissions', permissionRequest, 'Object `{ eth_accounts: {} }`.')],
  result: result('nothing', nothing),
  handler: () => undefined,
})

export const walletPermissionMethods: readonly MethodDefinition<DevBackend>[] = [
  requestPermissions,
  getPermissions,
  revokePermissions,
]
