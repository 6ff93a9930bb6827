import { invalidParams } from '../../../api/errors.ts'
import { boolean, uint } from '../../codecs/scalars.ts'
import { isObject, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, optional, param, result } from '../../method.ts'
import { number64 } from './codecs.ts'
import { type DevBackend, devChain, operation } from './operation.ts'

const snapshot: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_snapshot',
  aliases: ['anvil_snapshot'],
  group: 'DEV',
  summary: 'Saves chain, state, time and pool. Returns the id for reverting.',
  params: [],
  result: result('id', uint),
  handler: (backend: DevBackend) => devChain(backend).snapshot(),
})

const revert: MethodDefinition<DevBackend> = defineMethod({
  name: 'evm_revert',
  aliases: ['anvil_revert'],
  group: 'DEV',
  summary: 'Reverts to a snapshot; removes it and all later ones. Returns false when the snapshot does not exist.',
  params: [param('id', number64, 'Id that evm_snapshot returned.')],
  result: result('reverted', boolean),
  handler: (backend: DevBackend, [id]) => devChain(backend).revert(Number(id)),
})

/** Options of a reset; forking another chain is refused. A member that is null counts as absent. */
const resetOptions: Codec<void> = parameterCodec(
  { title: 'ResetOptions', type: 'object', properties: { forking: { type: 'object' } } },
  (value) => {
    const forking = isObject(value) ? value['forking'] : undefined
    if (!isObject(forking)) return
    const hasForking = Object.values(forking).some((member) => member !== null && member !== undefined)
    if (hasForking) throw invalidParams('forking: the dev chain does not fork other chains')
  },
)

export const snapshots: readonly MethodDefinition<DevBackend>[] = [
  snapshot,
  revert,
  ...operation({
    answersNull: ['anvil_reset'],
    answersTrue: ['hardhat_reset', 'ganache_reset'],
    summary:
      'Begins the chain again, with an empty pool and default settings. Block 0 has the present time, unless a genesis file or --timestamp gave its time.',
    params: [optional('options', resetOptions, '`forking` is refused: the dev chain does not fork other chains.')],
    run: (dev) => dev.reset(),
  }),
]
