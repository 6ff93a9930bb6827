import { address, boolean } from '../../codecs/scalars.ts'
import { voteIntents } from '../../codecs/voteIntents.ts'
import { defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { ACCOUNT, ADDS } from '../support/parameterTexts.ts'
import { type BftBackend, type BftMethods, bftOf, votesAtHead } from './backend.ts'

export function voteMethods(methods: BftMethods): MethodDefinition<BftBackend>[] {
  const { prefix, group } = methods
  const isServed = (backend: BftBackend): boolean => votesAtHead(backend, methods)
  return [
    defineMethod({
      name: `${prefix}_proposeValidatorVote`,
      group,
      answeredBy: 'main',
      isServed,
      summary: 'Lets the blocks of this node vote to add (true) or remove (false) a validator.',
      params: [param('address', address, ACCOUNT), param('add', boolean, ADDS)],
      result: result('success', boolean),
      errors: ['METHOD_NOT_ENABLED', 'TOO_MANY_PROPOSALS', 'READ_ONLY_NODE'],
      handler: (backend: BftBackend, [recipient, isAdd]) => {
        bftOf(backend).votes.propose(recipient, isAdd)
        return true
      },
    }),
    defineMethod({
      name: `${prefix}_discardValidatorVote`,
      group,
      answeredBy: 'main',
      isServed,
      summary: 'Ends the votes of this node on an account; true even if there was no proposal.',
      params: [param('address', address, ACCOUNT)],
      result: result('success', boolean),
      errors: ['METHOD_NOT_ENABLED', 'READ_ONLY_NODE'],
      handler: (backend: BftBackend, [recipient]) => {
        bftOf(backend).votes.discard(recipient)
        return true
      },
    }),
    defineMethod({
      name: `${prefix}_getPendingVotes`,
      group,
      answeredBy: 'main',
      isServed,
      summary:
        'Proposals of this node by address: true adds a validator, false removes it. They remain until discarded.',
      params: [],
      result: result('votes', voteIntents('Votes')),
      errors: ['METHOD_NOT_ENABLED'],
      handler: (backend: BftBackend) => bftOf(backend).votes.list,
    }),
  ]
}
