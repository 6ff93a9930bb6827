import { boolean, uint } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { number64 } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

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

export const snapshots: readonly MethodDefinition<DevBackend>[] = [snapshot, revert]
