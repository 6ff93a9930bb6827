import type { ForkName } from '../../../src/config/forks.ts'

/** Names of forks that geth and revme share; undefined: neither has the rules. */
export const FORK_NAMES: Readonly<Partial<Record<ForkName, string>>> = {
  frontier: 'Frontier',
  homestead: 'Homestead',
  dao: 'Homestead',
  tangerineWhistle: 'EIP150',
  spuriousDragon: 'EIP158',
  byzantium: 'Byzantium',
  petersburg: 'ConstantinopleFix',
  istanbul: 'Istanbul',
  muirGlacier: 'Istanbul',
  berlin: 'Berlin',
  london: 'London',
  arrowGlacier: 'London',
  grayGlacier: 'London',
  paris: 'Paris',
  shanghai: 'Shanghai',
  cancun: 'Cancun',
  prague: 'Prague',
  osaka: 'Osaka',
}
