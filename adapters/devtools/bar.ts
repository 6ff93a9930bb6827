/**
 * The line above the explorer that names its chain and leads back to the choice.
 * @module
 */
import type { Place } from './address.ts'
import { nameOf } from './address.ts'
import type { NodeChoice } from './node/commands.ts'

export function showBar(place: Exclude<Place, { kind: 'start' }>): void {
  const bar = document.createElement('aside')
  bar.className = 'chain-bar'
  bar.ariaLabel = 'Chain'
  const text = document.createElement('span')
  text.textContent = place.kind === 'remote' ? `The node at ${place.url}` : describe(place.choice, place.wallet)
  const link = document.createElement('a')
  link.href = './'
  link.textContent = 'Other chains'
  bar.append(text, link)
  document.body.prepend(bar)
}

function describe(choice: NodeChoice, wallet: string | undefined): string {
  switch (choice.kind) {
    case 'saved':
      return `${nameOf(choice.database)}, saved in this browser`
    case 'memory':
      return 'A chain in memory. It ends with this tab or a reload.'
    case 'fork':
      return `A fork of ${choice.url} in memory. It begins again at a reload.`
    case 'wallet':
      return `A fork of the chain of ${wallet} in memory. It begins again at a reload.`
  }
}
