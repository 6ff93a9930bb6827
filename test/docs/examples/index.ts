/** The example of each method, by the first name of its definition. */
import { bft } from './bft.ts'
import { clique } from './clique.ts'
import { contracts } from './contracts.ts'
import { dev } from './dev.ts'
import { feeds, reads, transactions } from './eth.ts'
import type { Examples } from './example.ts'
import { nodes } from './nodes.ts'
import { ots } from './ots.ts'
import { perm } from './perm.ts'
import { personal } from './personal.ts'
import { priv } from './priv.ts'
import { repairs, traces } from './traces.ts'

export const EXAMPLES: Examples = {
  ...reads,
  ...feeds,
  ...transactions,
  ...dev,
  ...contracts,
  ...perm,
  ...personal,
  ...nodes,
  ...ots,
  ...clique,
  ...bft,
  ...priv,
  ...traces,
  ...repairs,
}
