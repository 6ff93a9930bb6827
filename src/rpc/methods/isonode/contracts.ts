import { LATEST } from '../../../api/blockReference.ts'
import {
  contractAt as contractAtAddress,
  contractSource,
  type ListBackend,
  contractList as listContracts,
} from '../../../api/contracts/contractViews.ts'
import { decodeData } from '../../../api/contracts/decodeData.ts'
import type { ContractsBackend } from '../../../api/contracts/resolve.ts'
import { invalidParams } from '../../../api/errors.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import { blockNumberOrTagOrHash } from '../../codecs/blockParameter.ts'
import { contractList, contractView, dataKind, decoded, encodedData, sourceView } from '../../codecs/contracts.ts'
import { address, hash32 } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { ACCOUNT, STATE_BLOCK } from '../support/parameterTexts.ts'

export const contractAt: MethodDefinition<ContractsBackend> = defineMethod({
  name: 'isonode_contractAt',
  group: 'ISONODE',
  summary:
    'The contract at an address as far as it is known: its name and ABI from `--abi`, else the standard interfaces that its code ' +
    'has, else the selectors in its code. `implementation` is the contract behind a proxy, `delegation` the account whose ' +
    'code runs (EIP-7702). null for an account without code.',
  params: [param('address', address, ACCOUNT), optional('block', blockNumberOrTagOrHash, STATE_BLOCK)],
  result: result('contract', contractView),
  errors: ['BLOCK_NOT_FOUND', 'UNKNOWN_BLOCK', 'JSON_RPC_NOT_CANONICAL_ERROR', 'STATE_PRUNED'],
  handler: (backend: ContractsBackend, [account, block]) => contractAtAddress(backend, account, block ?? LATEST),
})

export const contracts: MethodDefinition<ListBackend> = defineMethod({
  name: 'isonode_contracts',
  group: 'ISONODE',
  summary:
    'All contracts of `--abi` that have code, with up to 100 addresses of each: those that transactions created, newest ' +
    'blocks first, and those that were asked for. A long chain is searched in parts, one with each request.',
  params: [],
  result: result('contracts', contractList),
  handler: (backend: ListBackend) => listContracts(backend),
})

export const source: MethodDefinition<ContractsBackend> = defineMethod({
  name: 'isonode_source',
  group: 'ISONODE',
  summary:
    'Sources, ABI, storage layout and source maps of a contract of `--abi`. `content` is null for a source that cannot be ' +
    'read. null for an unknown id.',
  params: [param('id', hash32, 'The `id` of the contract, as `isonode_contractAt` returns it.')],
  result: result('source', sourceView),
  handler: (backend: ContractsBackend, [id]) => contractSource(backend, bytesToHex(id)),
})

export const decode: MethodDefinition<ContractsBackend> = defineMethod({
  name: 'isonode_decode',
  group: 'ISONODE',
  summary:
    'Names and values of encoded data, by the ABI of the contract, by the ABIs of all contracts of `--abi`, and by standard ' +
    'interfaces; `certainty` says which. null when nothing fits.',
  params: [
    param(
      'data',
      encodedData,
      'Call data, revert data, or init code with the arguments of the constructor; for an event an object with `topics` and `data`.',
    ),
    param('kind', dataKind, '`call`, `error`, `event` or `constructor`.'),
    optional(
      'address',
      address,
      'The contract that is called, that failed or that emitted the event; its ABI comes first.',
    ),
  ],
  result: result('decoded', decoded),
  handler: (backend: ContractsBackend, [data, kind, account]) => {
    const isLog = !(data instanceof Uint8Array)
    if (isLog !== (kind === 'event')) {
      throw invalidParams(`data: expected ${kind === 'event' ? 'an object with topics and data' : 'hex'}`)
    }
    return decodeData(backend, kind, data, account)
  },
})
