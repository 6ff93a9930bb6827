import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { findHeader } from '../../../api/lookup.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { ChainHeader, ChainReader } from '../../../chain/contract.ts'
import type { ChainControl } from '../../backend.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { string } from '../../codecs/scalars.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'

interface Backend {
  readonly chain: ChainReader
  readonly control: ChainControl
}

const SUCCESS = 'Success'

function knownBlock(chain: ChainReader, reference: BlockNumberOrTag): ChainHeader {
  const header = findHeader(chain, reference)
  if (header === undefined) throw new NodeError({ code: 'UNKNOWN_BLOCK' }, 'block not found')
  return header
}

export const setHead: MethodDefinition<Backend> = defineMethod({
  name: 'debug_setHead',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Makes an earlier block the head; higher blocks remain stored.',
  params: [param('block', blockNumberOrTag, 'Number or tag of the block that becomes the head.')],
  result: result('status', string),
  errors: ['UNKNOWN_BLOCK', 'STATE_NOT_AVAILABLE', 'VALIDATOR_HAS_SIGNED', 'READ_ONLY_NODE'],
  handler: async ({ chain, control }: Backend, [reference]) => {
    await control.setHead(knownBlock(chain, reference))
    return SUCCESS
  },
})

export const replayBlock: MethodDefinition<Backend> = defineMethod({
  name: 'debug_replayBlock',
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Reverts to the parent of a block, then validates and executes the block again: it becomes the head.',
  params: [param('block', blockNumberOrTag, 'Number or tag of the block that is executed again.')],
  result: result('status', string),
  errors: ['UNKNOWN_BLOCK', 'INVALID_BLOCK', 'STATE_NOT_AVAILABLE', 'VALIDATOR_HAS_SIGNED', 'READ_ONLY_NODE'],
  handler: async ({ chain, control }: Backend, [reference]) => {
    await control.replayBlock(knownBlock(chain, reference))
    return SUCCESS
  },
})

export const resyncWorldState: MethodDefinition<Pick<Backend, 'control'>> = defineMethod({
  name: 'debug_resyncWorldstate',
  aliases: ['debug_resyncWorldState'],
  group: 'DEBUG',
  answeredBy: 'main',
  summary: 'Verifies or fetches the state again, and clears the list of rejected blocks.',
  params: [],
  result: result('status', string),
  errors: ['TIMEOUT', 'READ_ONLY_NODE'],
  handler: async ({ control }: Pick<Backend, 'control'>, _params, context) => {
    await control.resyncWorldState(context)
    return SUCCESS
  },
})
