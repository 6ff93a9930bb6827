import { isZeroBytes } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import { address, boolean } from '../../codecs/scalars.ts'
import { voteIntents } from '../../codecs/voteIntents.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT, ADDS } from '../support/parameterTexts.ts'
import { type CliqueBackend, cliqueOf } from './backend.ts'

export const propose: MethodDefinition<CliqueBackend> = defineMethod({
  name: 'clique_propose',
  group: 'CLIQUE',
  answeredBy: 'main',
  summary: 'Lets the blocks of this node vote to add (true) or remove (false) a signer.',
  params: [param('address', address, ACCOUNT), param('add', boolean, ADDS)],
  result: result('success', boolean),
  errors: ['INVALID_REQUEST', 'TOO_MANY_PROPOSALS', 'READ_ONLY_NODE'],
  handler: (backend: CliqueBackend, [subject, adds]) => {
    if (isZeroBytes(subject))
      throw new NodeError({ code: 'INVALID_REQUEST' }, 'the zero address cannot become a signer')
    cliqueOf(backend).proposals.propose(subject, adds)
    return true
  },
})

export const discard: MethodDefinition<CliqueBackend> = defineMethod({
  name: 'clique_discard',
  group: 'CLIQUE',
  answeredBy: 'main',
  summary: 'Ends the votes of this node on an account; true even if there was no proposal.',
  params: [param('address', address, ACCOUNT)],
  result: result('success', boolean),
  errors: ['READ_ONLY_NODE'],
  handler: (backend: CliqueBackend, [subject]) => {
    cliqueOf(backend).proposals.discard(subject)
    return true
  },
})

export const proposals: MethodDefinition<CliqueBackend> = defineMethod({
  name: 'clique_proposals',
  group: 'CLIQUE',
  answeredBy: 'main',
  summary: 'Proposals of this node by address: true adds a signer, false removes it. They remain until discarded.',
  params: [],
  result: result('proposals', voteIntents('Proposals')),
  handler: (backend: CliqueBackend) => cliqueOf(backend).proposals.list,
})
