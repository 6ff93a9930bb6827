/** Examples of `clique_*`, on a chain of two signers with three blocks. */
import { type Example, type Examples, given } from './example.ts'

const NEW_SIGNER = '0x00000000000000000000000000000000000000d1'
const ON_CLIQUE: Example = { on: 'clique', note: 'On a Clique chain with two signers and three blocks.' }

export const clique: Examples = {
  clique_discard: { ...ON_CLIQUE, ...given([NEW_SIGNER]) },
  clique_getSignerMetrics: { ...ON_CLIQUE, ...given(['0x1', 'latest']) },
  clique_getSigners: { ...ON_CLIQUE, ...given(['latest']) },
  clique_getSignersAtHash: { ...ON_CLIQUE, ...given(({ genesisHash }) => [genesisHash]) },
  clique_proposals: {
    ...ON_CLIQUE,
    note: 'After a proposal to add a signer.',
    before: async (call) => {
      await call('clique_propose', NEW_SIGNER, true)
      return undefined
    },
  },
  clique_propose: { ...ON_CLIQUE, ...given([NEW_SIGNER, true]) },
}
