import { eestBlocks, mainnetBlocks, type SetBlock } from '../../support/recorded/publicSets.ts'
import { loopBlocks } from './loops.ts'
import type { Selection } from './target.ts'

/** The same blocks in the same order in every process. */
export async function* selectedBlocks({ set, folder, only, megagas }: Selection): AsyncGenerator<SetBlock> {
  if (set === 'mainnet') yield* mainnetBlocks(folder, only)
  else if (set === 'eest') yield* eestBlocks(folder, only, megagas)
  else if (set === 'loops') yield* loopBlocks(only)
  else throw new Error(`unknown set ${set}: expected mainnet, eest or loops`)
}
