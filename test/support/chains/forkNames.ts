import type { ForkName } from '../../../src/config/forks.ts'

/** Fork names in ethereum/tests. */
export const OFFICIAL_FORK_NAMES: Readonly<Record<string, ForkName>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  ArrowGlacier: 'arrowGlacier',
  Merge: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Paris: 'paris',
  Prague: 'prague',
  Osaka: 'osaka',
}
